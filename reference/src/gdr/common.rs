//! What several operators share.

use crate::Real;

/// A tensor that may be left out, which is the same as zeros.
pub(super) fn or_zeros<R: Real>(tensor: Option<&[R]>, length: usize) -> std::borrow::Cow<'_, [R]> {
    tensor.map_or_else(|| vec![R::ZERO; length].into(), Into::into)
}

/// Cumulated gates in f64, in which the rule takes their differences; zeros where there are none.
pub(super) fn sums_or_zeros<R: Real>(sums: Option<&[R]>, length: usize) -> Vec<f64> {
    sums.map_or_else(|| vec![0.0; length], widened)
}

/// A tensor in f64: exact.
pub(super) fn widened<R: Real>(tensor: &[R]) -> Vec<f64> {
    tensor.iter().map(|x| x.to_f64()).collect()
}

/// One sequence, one head, one channel: what can be worked out by hand.
#[cfg(test)]
pub(super) fn by_hand(tokens: usize) -> crate::rule::Sizes {
    crate::rule::Sizes {
        sequences: 1,
        tokens,
        key_heads: 1,
        value_heads: 1,
        key_size: 1,
        value_size: 1,
        gate_kind: crate::rule::GateKind::PerHead,
    }
}
