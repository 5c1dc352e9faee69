use crate::Real;

/// `out[i] = in[0] + ... + in[i]`, summed from the left (`kernel_cumsum_sequential`).
#[must_use]
pub fn cumsum<R: Real>(input: &[R]) -> Vec<R> {
    let mut sum = R::ZERO;
    input
        .iter()
        .map(|&x| {
            sum = sum + x;
            sum
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert_eq!(cumsum(&[1.0f32, -3.0, 0.5, 2.0]), [1.0, -2.0, -1.5, 0.5]);
        assert!(cumsum::<f32>(&[]).is_empty());
    }

    #[test]
    fn sums_from_the_left() {
        // 2^24 + 1 rounds to 2^24 in f32, twice; from the right it would be 2^24 + 2
        assert_eq!(cumsum(&[16_777_216.0f32, 1.0, 1.0])[2], 16_777_216.0);
    }
}
