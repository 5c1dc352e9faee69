use crate::Real;

/// `out[i] = e^in[i]` (`kernel_exp`).
#[must_use]
pub fn exp<R: Real>(input: &[R]) -> Vec<R> {
    input.iter().map(|&x| x.exp()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert_eq!(
            exp(&[0.0f32, f32::NEG_INFINITY, f32::INFINITY]),
            [1.0, 0.0, f32::INFINITY]
        );
        assert!((exp(&[2f64.ln()])[0] - 2.0).abs() < 1e-15);
    }
}
