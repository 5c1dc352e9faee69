use crate::{Real, shape};

/// Returns `a[0] b[0] + a[1] b[1] + ...`, summed from the left with fused products, as one lane of a kernel does.
#[must_use]
pub fn dot<R: Real>(a: &[R], b: &[R]) -> R {
    shape::expect("dot", "b", b.len(), &[a.len()]);
    R::dot(a, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert_eq!(dot(&[1.0f32, -2.0, 3.0], &[4.0, 5.0, 0.5]), -4.5);
        assert_eq!(dot::<f32>(&[], &[]), 0.0);
    }
}
