use crate::{Real, shape};

/// Returns `in` strictly below the diagonal, 1 on it, 0 above; n x n (`kernel_apply_causal_identity`).
///
/// The document says "add I, zero upper" of a matrix whose diagonal is zero already. The kernel masks first and adds the identity
/// afterwards, so that earlier values on the diagonal do not matter.
#[must_use]
pub fn apply_causal_identity<R: Real>(input: &[R], n: usize) -> Vec<R> {
    shape::expect("apply_causal_identity", "in", input.len(), &[n, n]);
    let value = |row: usize, col: usize| match col.cmp(&row) {
        std::cmp::Ordering::Less => input[row * n + col],
        std::cmp::Ordering::Equal => R::ONE,
        std::cmp::Ordering::Greater => R::ZERO,
    };
    (0..n)
        .flat_map(|row| (0..n).map(move |col| value(row, col)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        #[rustfmt::skip]
        let m = [7.0f32, 2.0, 3.0,
                 4.0,    7.0, 6.0,
                 7.0,    8.0, 7.0];
        assert_eq!(
            apply_causal_identity(&m, 3),
            [1.0, 0.0, 0.0, 4.0, 1.0, 0.0, 7.0, 8.0, 1.0]
        );
    }
}
