use crate::Real;

/// 1 where `col < row`, 0 elsewhere; n x n (`kernel_causal_mask`).
#[must_use]
pub fn causal_mask<R: Real>(n: usize) -> Vec<R> {
    (0..n)
        .flat_map(|row| (0..n).map(move |col| if col < row { R::ONE } else { R::ZERO }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert_eq!(
            causal_mask::<f32>(3),
            [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0]
        );
    }
}
