use crate::rule::Sizes;
use crate::{Real, shape};

/// Side of the diagonal blocks that [`Inverse::BlockMerge`] starts from.
const BLOCK: usize = 16;

/// Order of operations for `(I + L)^-1`. The results differ only by rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inverse {
    /// Forward substitution row by row over the whole chunk. With `N = -L`, the steps are `N[i,:i] += N[i,:i] N[:i,:i]` for i = 1, 2, ..; the
    /// identity is added once, at the end.
    ForwardSubstitution,
    /// Forward substitution on diagonal blocks of 16 (D), then the blocks below them, each block column from the diagonal down:
    /// `Ai_IJ = -D_I (L_IJ D_J + sum_{J<M<I} L_IM Ai_MJ)`.
    BlockMerge,
}

/// Returns Ai, the inverse of I + L of every chunk. `l` and the result are `[B, T, HV, C]`.
#[must_use]
pub fn inverse<R: Real>(sizes: Sizes, chunk: usize, l: &[R], by: Inverse) -> Vec<R> {
    sizes.check_chunk("inverse", chunk);
    shape::expect("inverse", "l", l.len(), &sizes.chunk_rows_shape(chunk));
    let mut inverses = vec![R::ZERO; l.len()];
    for index in sizes.chunk_indices(chunk) {
        let c = index.tokens.len();
        let rows = sizes.chunk_rows(&index, l, chunk);
        let l: Vec<R> = rows
            .into_iter()
            .flat_map(|row| &row[..c])
            .copied()
            .collect();
        for (i, row) in invert(&l, c, by).chunks_exact(c).enumerate() {
            inverses[sizes.chunk_row(&index, i, chunk)][..c].copy_from_slice(row);
        }
    }
    inverses
}

/// Returns `(I + L)^-1`, which is unit lower triangular, for one matrix. `l` and the result are `c` x `c`; only the part of `l` strictly
/// below the diagonal is read.
#[must_use]
pub fn invert<R: Real>(l: &[R], c: usize, by: Inverse) -> Vec<R> {
    shape::expect("invert", "l", l.len(), &[c, c]);
    let block = match by {
        Inverse::ForwardSubstitution => c,
        Inverse::BlockMerge => BLOCK,
    };
    let mut inverse = vec![R::ZERO; c * c];
    for first in (0..c).step_by(block.max(1)) {
        substitute(l, &mut inverse, c, first, (first + block).min(c));
    }
    for left in (0..c).step_by(block.max(1)) {
        for top in (left + block..c).step_by(block.max(1)) {
            merge(l, &mut inverse, c, left, top, block);
        }
    }
    inverse
}

/// Inverts the diagonal block of rows and columns `first..end`.
fn substitute<R: Real>(l: &[R], inverse: &mut [R], c: usize, first: usize, end: usize) {
    for i in first..end {
        let factors: Vec<R> = (first..i).map(|t| -l[i * c + t]).collect();
        let mut sums = factors.clone();
        for (t, &factor) in factors.iter().enumerate() {
            let solved = &inverse[(first + t) * c + first..][..t];
            R::add_scaled(&mut sums, factor, solved);
        }
        inverse[i * c + first..][..i - first].copy_from_slice(&sums);
    }
    for i in first..end {
        inverse[i * c + i] = R::ONE;
    }
}

/// Computes the block of rows `top..` and columns `left..` from the blocks above it and the two diagonal ones.
fn merge<R: Real>(l: &[R], inverse: &mut [R], c: usize, left: usize, top: usize, block: usize) {
    let rows = block.min(c - top);
    // This is the sum in brackets. The blocks D_J and Ai_MJ lie above one another, so one loop over rows sums them all.
    let mut sum = vec![R::ZERO; rows * block];
    for (i, sum) in sum.chunks_exact_mut(block).enumerate() {
        for t in left..top {
            let factor = l[(top + i) * c + t];
            R::add_scaled(sum, factor, &inverse[t * c + left..][..block]);
        }
    }
    for i in 0..rows {
        let mut row = vec![R::ZERO; block];
        for (t, sum) in sum.chunks_exact(block).enumerate().take(i + 1) {
            let factor = inverse[(top + i) * c + top + t];
            R::add_scaled(&mut row, factor, sum);
        }
        for (x, row) in inverse[(top + i) * c + left..].iter_mut().zip(row) {
            *x = -row;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[rustfmt::skip]
    const L: [f64; 9] = [0.0, 0.0, 0.0,
                         2.0, 0.0, 0.0,
                         3.0, 4.0, 0.0];

    #[test]
    fn by_hand() {
        #[rustfmt::skip]
        let want = [ 1.0,  0.0, 0.0,
                    -2.0,  1.0, 0.0,
                     5.0, -4.0, 1.0];
        assert_eq!(invert(&L, 3, Inverse::ForwardSubstitution), want);
        assert_eq!(invert(&L, 3, Inverse::BlockMerge), want);
        assert!(invert::<f32>(&[], 0, Inverse::BlockMerge).is_empty());
    }

    #[test]
    fn the_upper_part_and_the_diagonal_are_not_read() {
        let mut dirty = L;
        for i in [0, 1, 2, 4, 5, 8] {
            dirty[i] = f64::NAN;
        }
        for by in [Inverse::ForwardSubstitution, Inverse::BlockMerge] {
            assert_eq!(invert(&dirty, 3, by), invert(&L, 3, by));
        }
    }
}
