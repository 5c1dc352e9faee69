use crate::{Real, shape};

/// `out[i] = a[i] * b[i]`; all three have one length (`kernel_mul`).
#[must_use]
pub fn mul<R: Real>(a: &[R], b: &[R]) -> Vec<R> {
    shape::expect("mul", "b", b.len(), &[a.len()]);
    a.iter().zip(b).map(|(&a, &b)| a * b).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert_eq!(
            mul(&[1.5f32, -2.0, 0.0], &[2.0, 0.5, 7.0]),
            [3.0, -1.0, 0.0]
        );
    }
}
