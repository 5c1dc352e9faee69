use crate::Real;

/// `out[i] = 1 / (1 + e^-in[i])` (`kernel_sigmoid`).
#[must_use]
pub fn sigmoid<R: Real>(input: &[R]) -> Vec<R> {
    input
        .iter()
        .map(|&x| R::ONE / (R::ONE + (-x).exp()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert_eq!(sigmoid(&[0.0f32]), [0.5]);
        // ln 3 on either side of 0: 3/4 and 1/4
        let out = sigmoid(&[3f64.ln(), -(3f64.ln())]);
        assert!((out[0] - 0.75).abs() < 1e-15 && (out[1] - 0.25).abs() < 1e-15);
    }

    #[test]
    fn saturates_without_nan() {
        assert_eq!(
            sigmoid(&[200.0f32, -200.0, f32::INFINITY, f32::NEG_INFINITY]),
            [1.0, 0.0, 1.0, 0.0]
        );
    }
}
