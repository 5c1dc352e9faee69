use crate::{Real, shape};

/// `out[i] = a[i] - b[i]`; all three have one length (`kernel_sub`).
#[must_use]
pub fn sub<R: Real>(a: &[R], b: &[R]) -> Vec<R> {
    shape::expect("sub", "b", b.len(), &[a.len()]);
    a.iter().zip(b).map(|(&a, &b)| a - b).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert_eq!(
            sub(&[1.5f32, -2.0, 0.0], &[2.0, 0.5, 7.0]),
            [-0.5, -2.5, -7.0]
        );
    }

    #[test]
    #[should_panic(expected = "sub: b has 1 elements, its shape [2] has 2")]
    fn a_wrong_length_is_named() {
        let _ = sub(&[1.0f32, 2.0], &[1.0]);
    }
}
