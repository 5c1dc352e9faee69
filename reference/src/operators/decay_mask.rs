use crate::Real;

/// `mask[i][j] = e^(g_cumsum[j] - g_cumsum[i])` for `j <= i`, 0 elsewhere; n x n (`kernel_decay_mask`).
///
/// This is the document's sign, taken literally: with log gates, which are never positive, the mask grows downwards. The gated delta rule
/// has the opposite sign, which is `decay_mask(&neg(g_cumsum))`.
#[must_use]
pub fn decay_mask<R: Real>(g_cumsum: &[R]) -> Vec<R> {
    let n = g_cumsum.len();
    let value = |row: usize, col: usize| {
        if col <= row {
            (g_cumsum[col] - g_cumsum[row]).exp()
        } else {
            R::ZERO
        }
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
        let ln2 = 2f64.ln();
        let mask = decay_mask(&[0.0, -ln2, -3.0 * ln2]);
        let want = [1.0, 0.0, 0.0, 2.0, 1.0, 0.0, 8.0, 4.0, 1.0];
        for (got, want) in mask.iter().zip(want) {
            assert!((got - want).abs() < 1e-14, "{mask:?}");
        }
    }

    #[test]
    fn above_the_diagonal_nothing_overflows() {
        assert_eq!(decay_mask(&[-1000.0f32, 0.0]), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(
            decay_mask(&[0.0f32, -1000.0]),
            [1.0, 0.0, f32::INFINITY, 1.0]
        );
    }
}
