use crate::gdr::op::silu;
use crate::operators::dot;
use crate::{Real, shape};

/// Computes the gated norm of the layer's output, for each row of a head: `y = x / sqrt(mean x^2 + eps) weight z / (1 + e^-z)`.
///
/// `x` and `z` are `[.., S]`, `weight` is `[S]`. The squares are summed from the left with fused products, and the row is multiplied by
/// the reciprocal of its norm.
#[must_use]
pub fn ggml_gated_norm<R: Real>(x: &[R], weight: &[R], z: &[R], eps: f64) -> Vec<R> {
    let channels = weight.len();
    shape::expect("ggml_gated_norm", "z", z.len(), &[x.len()]);
    shape::expect("ggml_gated_norm", "x", x.len() % channels.max(1), &[0]);
    let count = R::from_f64(channels as f64);
    let mut y = Vec::with_capacity(x.len());
    for (row, gates) in x.chunks_exact(channels).zip(z.chunks_exact(channels)) {
        let mean = dot(row, row) / count;
        let factor = R::ONE / (mean + R::from_f64(eps)).sqrt();
        let elements = row.iter().zip(weight).zip(gates);
        y.extend(elements.map(|((&x, &weight), &z)| x * factor * weight * silu(z)));
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // mean = (1 + 49) / 2, sqrt(25 + 11) = 6; silu(ln 3) = 3/4 ln 3
        let ln3 = 3f64.ln();
        let y = ggml_gated_norm(&[1.0, 7.0], &[6.0, 12.0], &[ln3, -ln3], 11.0);
        let want = [0.75 * ln3, 14.0 * -0.25 * ln3];
        assert!(y.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-14));
    }

    #[test]
    fn rows_do_not_know_each_other() {
        let (x, z) = ([1.0f32, 2.0, 300.0, -4.0], [0.5f32, -1.0, 2.0, 3.0]);
        let weight = [1.5f32, 0.5];
        let both = ggml_gated_norm(&x, &weight, &z, 1e-6);
        assert_eq!(both[..2], ggml_gated_norm(&x[..2], &weight, &z[..2], 1e-6));
        assert_eq!(both[2..], ggml_gated_norm(&x[2..], &weight, &z[2..], 1e-6));
    }

    #[test]
    fn a_row_of_zeros_stays_zero() {
        let y = ggml_gated_norm(&[0.0f32; 2], &[1.0; 2], &[1.0; 2], 1e-6);
        assert_eq!(y, [0.0; 2]);
    }
}
