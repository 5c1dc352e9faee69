use crate::{Real, operators::dot, shape};

/// L2 norm of q and k, for each row of key channels. The variants differ for rows of small magnitude.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Norm {
    /// The rows stay unchanged.
    None,
    /// `x / sqrt(sum x^2 + eps)`: FLA, Hugging Face.
    RootOfSumPlus(f64),
    /// `x / max(sqrt(sum x^2), eps)`: ggml's `l2_norm`, torch's `normalize`.
    MaxWith(f64),
    /// `x / sqrt(mean x^2 + eps)`, divided by `sqrt(K)`: an L2 norm from an RMS norm, as in MLX. It is `RootOfSumPlus(K eps)` up to
    /// rounding.
    RootOfMeanPlus(f64),
}

impl Norm {
    /// FLA's and Hugging Face's `l2norm`.
    pub const FLA: Norm = Norm::RootOfSumPlus(1e-6);
    /// ggml's `l2_norm` with the epsilon that Qwen3-Next's file gives for its norms.
    pub const GGML: Norm = Norm::MaxWith(1e-6);
    /// MLX's Qwen3-Next, which has the L2 norm from `rms_norm`.
    pub const MLX: Norm = Norm::RootOfMeanPlus(1e-6);
    /// torch's `nn.functional.normalize`.
    pub const TORCH: Norm = Norm::MaxWith(1e-12);

    /// Returns the epsilon; 0 if the rows stay unchanged.
    #[must_use]
    pub fn epsilon(self) -> f64 {
        match self {
            Norm::None => 0.0,
            Norm::RootOfSumPlus(eps) | Norm::MaxWith(eps) | Norm::RootOfMeanPlus(eps) => eps,
        }
    }

    /// Normalises each row of `size` elements. The squares are summed from the left with fused products, and the row is multiplied by the
    /// reciprocal of its norm.
    #[must_use]
    pub fn rows<R: Real>(self, x: &[R], size: usize) -> Vec<R> {
        shape::expect("norm", "x", x.len() % size.max(1), &[0]);
        let mut y = x.to_vec();
        if let Some(inverse) = self.inverse() {
            for row in y.chunks_exact_mut(size) {
                let factor = inverse(dot(row, row), size);
                row.iter_mut().for_each(|x| *x = *x * factor);
            }
        }
        y
    }

    /// Returns the function from a row's sum of squares and size to the factor on the row.
    fn inverse<R: Real>(self) -> Option<impl Fn(R, usize) -> R> {
        if self == Norm::None {
            return None;
        }
        Some(move |squares: R, size: usize| match self {
            Norm::None => R::ONE,
            Norm::RootOfSumPlus(eps) => R::ONE / (squares + R::from_f64(eps)).sqrt(),
            Norm::MaxWith(eps) => {
                let (norm, eps) = (squares.sqrt(), R::from_f64(eps));
                R::ONE / if norm < eps { eps } else { norm }
            }
            Norm::RootOfMeanPlus(eps) => {
                let size = R::from_f64(size as f64);
                R::ONE / (squares / size + R::from_f64(eps)).sqrt() / size.sqrt()
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn norm(norm: Norm, x: &[f64]) -> Vec<f64> {
        norm.rows(x, 2)
    }

    fn near(got: &[f64], want: &[f64]) {
        assert!(
            got.len() == want.len() && got.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-15),
            "{got:?} is not {want:?}"
        );
    }

    #[test]
    fn by_hand() {
        let x = [3.0, 4.0, 0.0, 0.0];
        assert_eq!(norm(Norm::None, &x), x);
        // sqrt(9 + 16 + 11) = 6
        near(
            &norm(Norm::RootOfSumPlus(11.0), &x),
            &[0.5, 4.0 / 6.0, 0.0, 0.0],
        );
        near(&norm(Norm::MaxWith(1.0), &x), &[0.6, 0.8, 0.0, 0.0]);
        near(&norm(Norm::MaxWith(10.0), &x), &[0.3, 0.4, 0.0, 0.0]);
        // sqrt(25 / 2 + 5.5) sqrt(2) = 6
        near(
            &norm(Norm::RootOfMeanPlus(5.5), &x),
            &[0.5, 4.0 / 6.0, 0.0, 0.0],
        );
    }

    #[test]
    fn an_rms_norm_has_its_epsilon_times_the_size() {
        let x = [1e-3, -2e-3];
        near(
            &norm(Norm::RootOfMeanPlus(1e-6), &x),
            &norm(Norm::RootOfSumPlus(2e-6), &x),
        );
    }

    #[test]
    fn a_nan_is_not_hidden() {
        assert!(norm(Norm::GGML, &[f64::NAN, 1.0])[1].is_nan());
    }
}
