//! cumsum: inclusive sums within chunks of tokens, forwards or backwards, times a factor.

use crate::{Real, operators, shape};

/// Parameters of a sum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cumsum {
    /// Tokens of a sequence, T; the last chunk may be shorter.
    pub tokens: usize,
    /// Number of sums per token: H of `[B, T, H]` (`gdr_cumsum_scalar_f32`), or H S of `[B, T, H, S]` (`gdr_cumsum_vector_f32`).
    pub width: usize,
    /// Tokens of a chunk, BT.
    pub chunk: usize,
    /// True for sums from the chunk's last token back to its first.
    pub reverse: bool,
    /// Factor on every sum.
    pub scale: f32,
}

impl Cumsum {
    /// Returns the sums in the layout of `x`.
    #[must_use]
    pub fn apply<R: Real>(&self, x: &[R]) -> Vec<R> {
        let row = self.tokens * self.width;
        shape::expect("cumsum", "s", x.len() % row.max(1), &[0]);
        let mut sums = x.to_vec();
        for sequence in sums.chunks_mut(row.max(1)) {
            for chunk in sequence.chunks_mut(self.chunk * self.width) {
                (0..self.width).for_each(|column| self.sum_column(chunk, column));
            }
        }
        sums
    }

    fn sum_column<R: Real>(&self, chunk: &mut [R], column: usize) {
        let mut order: Vec<usize> = (column..chunk.len()).step_by(self.width).collect();
        if self.reverse {
            order.reverse();
        }
        let elements: Vec<R> = order.iter().map(|&at| chunk[at]).collect();
        let scale = R::from_f64(f64::from(self.scale));
        for (at, sum) in order.into_iter().zip(operators::cumsum(&elements)) {
            chunk[at] = sum * scale;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCALAR: Cumsum = Cumsum {
        tokens: 5,
        width: 1,
        chunk: 2,
        reverse: false,
        scale: 1.0,
    };

    #[test]
    fn by_hand() {
        let x = [1.0f64, 2.0, 4.0, 8.0, 16.0];
        assert_eq!(SCALAR.apply(&x), [1.0, 3.0, 4.0, 12.0, 16.0]);
        let back = Cumsum {
            reverse: true,
            ..SCALAR
        };
        assert_eq!(back.apply(&x), [3.0, 2.0, 12.0, 8.0, 16.0]);
        let half = Cumsum {
            scale: 0.5,
            ..SCALAR
        };
        assert_eq!(half.apply(&x), [0.5, 1.5, 2.0, 6.0, 8.0]);
    }

    #[test]
    fn sequences_and_columns_know_nothing_of_each_other() {
        let pairs = Cumsum {
            tokens: 3,
            width: 2,
            chunk: 3,
            ..SCALAR
        };
        let x = [
            1.0f64, 10.0, 2.0, 20.0, 3.0, 30.0, 100.0, 0.0, 0.0, 0.0, 0.0, 1.0,
        ];
        let want = [
            1.0, 10.0, 3.0, 30.0, 6.0, 60.0, 100.0, 0.0, 100.0, 0.0, 100.0, 1.0,
        ];
        assert_eq!(pairs.apply(&x), want);
    }

    #[test]
    fn forwards_and_backwards_make_the_total_and_the_element() {
        let x: Vec<f64> = (0..130).map(|i| f64::from(i * 7 % 11) - 5.0).collect();
        let forwards = Cumsum {
            tokens: 65,
            width: 1,
            chunk: 32,
            ..SCALAR
        };
        let backwards = Cumsum {
            reverse: true,
            ..forwards
        };
        let (ahead, back) = (forwards.apply(&x), backwards.apply(&x));
        for (at, &element) in x.iter().enumerate() {
            let first = at / 65 * 65 + at % 65 / 32 * 32;
            assert_eq!(ahead[at] + back[at] - element, back[first]);
        }
    }
}
