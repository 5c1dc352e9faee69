use crate::{Real, shape};

/// `out[i] = a[i] + b[i]`; all three have one length (`kernel_add`).
#[must_use]
pub fn add<R: Real>(a: &[R], b: &[R]) -> Vec<R> {
    shape::expect("add", "b", b.len(), &[a.len()]);
    a.iter().zip(b).map(|(&a, &b)| a + b).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert_eq!(
            add(&[1.5f32, -2.0, 0.0], &[2.0, 0.5, 7.0]),
            [3.5, -1.5, 7.0]
        );
    }
}
