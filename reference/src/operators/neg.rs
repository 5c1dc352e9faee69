use crate::Real;

/// `out[i] = -in[i]`, which flips the sign of zeros too (`kernel_neg`).
#[must_use]
pub fn neg<R: Real>(input: &[R]) -> Vec<R> {
    input.iter().map(|&x| -x).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert_eq!(neg(&[1.5f32, -2.0]), [-1.5, 2.0]);
        assert!(neg(&[0.0f32])[0].is_sign_negative());
    }
}
