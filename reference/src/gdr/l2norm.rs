//! L2 normalisation of rows, and its gradient.

use crate::operators::dot;
use crate::rule::Norm;
use crate::{Real, shape};

/// `y = x / sqrt(sum x^2 + 1e-6)`, for each row of `size` elements (`gdr_l2_normalize_f32`).
#[must_use]
pub fn l2_normalize<R: Real>(x: &[R], size: usize) -> Vec<R> {
    Norm::FLA.rows(x, size)
}

/// Normalised rows, and the factor of each row.
#[derive(Clone, Debug, PartialEq)]
pub struct NormalizedRows<R> {
    /// Normalised rows, `[T, D]`.
    pub y: Vec<R>,
    /// Factors of the rows, `[T]`.
    pub rstd: Vec<R>,
}

/// `y = x rstd` with `rstd = 1 / sqrt(sum x^2 + eps)`; x and y are `[T, D]`, rstd `[T]` (`gdr_l2norm_fwd_f32`).
#[must_use]
pub fn forward<R: Real>(x: &[R], size: usize, eps: f64) -> NormalizedRows<R> {
    let eps_of_type = R::from_f64(eps);
    let rstd = |row: &[R]| R::ONE / (dot(row, row) + eps_of_type).sqrt();
    NormalizedRows {
        y: Norm::RootOfSumPlus(eps).rows(x, size),
        rstd: x.chunks_exact(size).map(rstd).collect(),
    }
}

/// Returns `dx = rstd dy - (sum dy y) y rstd`, the gradient of [`forward`] from its results; y, dy and dx are `[T, D]`, rstd is `[T]`
/// (`gdr_l2norm_bwd_f32`).
#[must_use]
pub fn backward<R: Real>(y: &[R], rstd: &[R], dy: &[R], size: usize) -> Vec<R> {
    shape::expect("l2norm backward", "y", y.len(), &[rstd.len(), size]);
    shape::expect("l2norm backward", "dy", dy.len(), &[rstd.len(), size]);
    let rows = y.chunks_exact(size).zip(dy.chunks_exact(size));
    rows.zip(rstd)
        .flat_map(|((y, dy), &rstd)| {
            let projection = dot(dy, y);
            let element = move |(&y, &dy): (&R, &R)| rstd * dy - projection * y * rstd;
            y.iter().zip(dy).map(element)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(got: &[f64], want: &[f64], within: f64) {
        assert!(
            got.len() == want.len() && got.iter().zip(want).all(|(a, b)| (a - b).abs() <= within),
            "{got:?} is not {want:?}"
        );
    }

    #[test]
    fn by_hand() {
        // sqrt(9 + 16 + 11) = 6; a row of zeros over sqrt(11)
        let normalized = forward(&[3.0, 4.0, 0.0, 0.0], 2, 11.0);
        near(&normalized.y, &[0.5, 4.0 / 6.0, 0.0, 0.0], 1e-15);
        near(&normalized.rstd, &[1.0 / 6.0, 1.0 / 11f64.sqrt()], 1e-15);
        // rstd 1/6, y = (1/2, 2/3), dy = (6, 0): projection 3, dx = (1 - 1/4, -1/3)
        near(
            &backward(&normalized.y[..2], &normalized.rstd[..1], &[6.0, 0.0], 2),
            &[0.75, -1.0 / 3.0],
            1e-15,
        );
    }

    #[test]
    fn rows_of_one() {
        let y = l2_normalize(&[1e-3f64, -2.0, 0.0], 1);
        near(&y, &[0.5f64.sqrt(), -1.0, 0.0], 2e-7);
    }

    #[test]
    fn every_length_counts_every_element() {
        // n ones have the norm sqrt(n), for powers of two and other n.
        for n in [63usize, 64, 65, 192, 320, 1000] {
            let y = l2_normalize(&vec![1.0f64; n], n);
            near(&y, &vec![1.0 / (n as f64 + 1e-6).sqrt(); n], 1e-15);
        }
    }

    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        let x = [0.3f64, -1.2, 0.7, 2.0, 0.1, -0.4];
        let dy = [1.0, 0.5, -2.0, 0.25, 3.0, -1.0];
        let (size, eps, step) = (3, 1e-6, 1e-6);
        let loss = |x: &[f64]| -> f64 {
            let y = forward(x, size, eps).y;
            y.iter().zip(dy).map(|(y, dy)| y * dy).sum()
        };
        let normalized = forward(&x, size, eps);
        let dx = backward(&normalized.y, &normalized.rstd, &dy, size);
        for at in 0..x.len() {
            let (mut up, mut down) = (x, x);
            up[at] += step;
            down[at] -= step;
            let slope = (loss(&up) - loss(&down)) / (2.0 * step);
            assert!((slope - dx[at]).abs() < 1e-8, "element {at}");
        }
    }
}
