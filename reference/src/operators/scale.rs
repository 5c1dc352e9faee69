use crate::Real;

/// `out[i] = in[i] * s` (`kernel_scale`).
#[must_use]
pub fn scale<R: Real>(input: &[R], s: R) -> Vec<R> {
    input.iter().map(|&x| x * s).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert_eq!(scale(&[1.5f32, -2.0, 0.0], 4.0), [6.0, -8.0, 0.0]);
    }
}
