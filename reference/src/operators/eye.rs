use crate::Real;

/// The n x n identity (`kernel_eye`).
#[must_use]
pub fn eye<R: Real>(n: usize) -> Vec<R> {
    (0..n)
        .flat_map(|row| (0..n).map(move |col| if col == row { R::ONE } else { R::ZERO }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert_eq!(eye::<f32>(2), [1.0, 0.0, 0.0, 1.0]);
        assert!(eye::<f32>(0).is_empty());
    }
}
