use crate::{Real, shape};

/// Returns X of `(I - A) X = B` by forward substitution (`kernel_solve_tri_sequential`):
///
/// ```text
/// X[row] = B[row] + A[row][0] X[0] + ... + A[row][row-1] X[row-1]
/// ```
///
/// A is `n` x `n`, and only its part strictly below the diagonal is read; B and X are `n` x `k`. The sum starts from B and takes the rows
/// in order, each product fused.
#[must_use]
pub fn solve_tri<R: Real>(a: &[R], b: &[R], n: usize, k: usize) -> Vec<R> {
    shape::expect("solve_tri", "A", a.len(), &[n, n]);
    shape::expect("solve_tri", "B", b.len(), &[n, k]);
    let mut x = b.to_vec();
    for row in 0..n {
        let (solved, rest) = x.split_at_mut(row * k);
        let sums = &mut rest[..k];
        for j in 0..row {
            let factor = a[row * n + j];
            R::add_scaled(sums, factor, &solved[j * k..]);
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[rustfmt::skip]
    const A: [f32; 9] = [0.0, 0.0, 0.0,
                         2.0, 0.0, 0.0,
                         3.0, 4.0, 0.0];

    #[test]
    fn by_hand() {
        // X0 = B0, X1 = B1 + 2 X0, X2 = B2 + 3 X0 + 4 X1
        assert_eq!(solve_tri(&A, &[1.0, 10.0, 100.0], 3, 1), [1.0, 12.0, 151.0]);
    }

    #[test]
    fn columns_are_solved_apart() {
        assert_eq!(
            solve_tri(&A, &[1.0, 0.0, 10.0, 0.0, 100.0, 1.0], 3, 2),
            [1.0, 0.0, 12.0, 0.0, 151.0, 1.0]
        );
    }

    #[test]
    fn the_upper_part_and_the_diagonal_are_not_read() {
        let mut dirty = A;
        for i in [0, 1, 2, 4, 5, 8] {
            dirty[i] = f32::NAN;
        }
        assert_eq!(
            solve_tri(&dirty, &[1.0, 10.0, 100.0], 3, 1),
            [1.0, 12.0, 151.0]
        );
    }
}
