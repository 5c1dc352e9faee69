//! What the arithmetic of f16 takes of a host's vectors.

use crate::semantics::Round;

/// A vector of f16, held as f32. There are such values only where the host has the instructions.
pub(in crate::semantics) trait Vector: Copy {
    /// Its elements.
    const ELEMENTS: usize;

    /// Zeros.
    ///
    /// # Safety
    /// The host has the instructions.
    unsafe fn zeros() -> Self;
    /// The first f16 of a slice.
    ///
    /// # Safety
    /// The host has the instructions.
    unsafe fn load(from: &[u16]) -> Self;
    /// The first f32 of a slice.
    ///
    /// # Safety
    /// The host has the instructions.
    unsafe fn load_f32(from: &[f32]) -> Self;
    /// To the start of a slice.
    fn store_f32(self, to: &mut [f32]);
    /// Rounded to f16, to the start of a slice; a NaN keeps sign and the high bits of its payload, and is quieted.
    fn store_rounded(self, round: Round, to: &mut [u16]);
    /// Rounded to nearest f16, to the start of a slice.
    fn store(self, to: &mut [u16]);
    /// Rounded to nearest f16.
    fn rounded(self) -> Self;
    /// A number in all elements.
    fn all(self, number: f32) -> Self;
    /// The sum.
    fn plus(self, b: Self) -> Self;
    /// The difference.
    fn minus(self, b: Self) -> Self;
    /// The product.
    fn times(self, b: Self) -> Self;
    /// `self * b + c` of f16, whose last place says whether it is exact.
    fn times_plus_odd(self, b: Self, c: Self) -> Self;
    /// `self * b + c`.
    fn times_plus(self, b: Self, c: Self) -> Self;
    /// What is smaller than a number becomes a zero of its sign.
    fn flushed(self, below: Self) -> Self;
    /// Whether there is a NaN.
    fn any_nan(self) -> bool;
}
