//! Helpers of several operators.

use crate::Real;

/// Returns a tensor, or zeros if it is left out.
pub(super) fn or_zeros<R: Real>(tensor: Option<&[R]>, length: usize) -> std::borrow::Cow<'_, [R]> {
    tensor.map_or_else(|| vec![R::ZERO; length].into(), Into::into)
}

/// Returns cumulated gates in f64, the type of their differences in the rule, or zeros without gates.
pub(super) fn sums_or_zeros<R: Real>(sums: Option<&[R]>, length: usize) -> Vec<f64> {
    sums.map_or_else(|| vec![0.0; length], widen_tensor)
}

/// Converts a tensor to f64, which is exact.
pub(super) fn widen_tensor<R: Real>(tensor: &[R]) -> Vec<f64> {
    tensor.iter().map(|x| x.to_f64()).collect()
}

/// Returns sizes of one sequence, one head and one channel, for cases worked out by hand.
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
