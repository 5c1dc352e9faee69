//! Operations of a host's vectors that f16 arithmetic needs.

use crate::semantics::Round;

/// A vector of f16, stored as f32. Values of the type exist only on hosts that have the instructions.
pub(in crate::semantics) trait Vector: Copy {
    /// Number of elements.
    const ELEMENTS: usize;

    /// Returns zeros.
    ///
    /// # Safety
    ///
    /// The host has the instructions.
    unsafe fn zeros() -> Self;
    /// Loads the first f16 of a slice.
    ///
    /// # Safety
    ///
    /// The host has the instructions.
    unsafe fn load(from: &[u16]) -> Self;
    /// Loads the first f32 of a slice.
    ///
    /// # Safety
    ///
    /// The host has the instructions.
    unsafe fn load_f32(from: &[f32]) -> Self;
    /// Stores the f32 to the start of a slice.
    fn store_f32(self, to: &mut [f32]);
    /// Rounds to f16 and stores to the start of a slice. A NaN keeps its sign and the high bits of its payload, and is quieted.
    fn store_rounded(self, round: Round, to: &mut [u16]);
    /// Rounds to the nearest f16 and stores to the start of a slice.
    fn store(self, to: &mut [u16]);
    /// Rounds to the nearest f16.
    fn rounded(self) -> Self;
    /// Returns a vector with a number in all elements.
    fn splat(self, number: f32) -> Self;
    /// The sum.
    fn plus(self, b: Self) -> Self;
    /// The difference.
    fn minus(self, b: Self) -> Self;
    /// The product.
    fn times(self, b: Self) -> Self;
    /// `self * b + c` of f16, rounded to odd.
    fn times_plus_odd(self, b: Self, c: Self) -> Self;
    /// `self * b + c`.
    fn times_plus(self, b: Self, c: Self) -> Self;
    /// Replaces elements of smaller magnitude than `below` by zeros of their sign.
    fn flushed(self, below: Self) -> Self;
    /// Returns true if an element is a NaN.
    fn any_nan(self) -> bool;
}
