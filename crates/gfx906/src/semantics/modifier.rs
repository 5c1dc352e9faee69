//! The arithmetic of the output modifiers: omod first, then clamp.

use super::format::Format;
use super::{Mode, arithmetic};
use half::f16;

/// Output multiplier of a float instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Omod {
    /// Leaves the result unchanged.
    #[default]
    One,
    /// Multiplies by 2.
    Two,
    /// Multiplies by 4.
    Four,
    /// Divides by 2.
    Half,
}

impl Omod {
    /// Reads the multiplier from the two bits of the encoding.
    pub fn from_bits(bits: u32) -> Omod {
        match bits & 3 {
            0 => Omod::One,
            1 => Omod::Two,
            2 => Omod::Four,
            _ => Omod::Half,
        }
    }
}

/// Applies the output multiplier. It has no effect if the mode keeps denormal results; else denormals are flushed and zeros become
/// positive.
#[inline(always)]
fn omod<F: Format>(mode: Mode, by: Omod, a: F) -> F {
    if by == Omod::One || F::keeps_results(mode) {
        return a;
    }
    let exponent = match by {
        Omod::One => 0,
        Omod::Two => 1,
        Omod::Four => 2,
        Omod::Half => -1,
    };
    let r = arithmetic::ldexp(mode, a, exponent);
    if r == F::ZERO { F::ZERO } else { r }
}

/// Declares clamp and omod for one format.
macro_rules! modifiers {
    ($( $float:ident $clamp:ident $omod:ident $by:path; )*) => { $(
        /// The clamp modifier: limits a number to [0, 1]. A NaN becomes 0 under DX10_CLAMP, and stays otherwise.
        #[inline(always)]
        pub fn $clamp(mode: Mode, a: $float) -> $float { $by(mode, a) }
        /// The output multiplier. It has no effect if the mode keeps denormal results; else denormals are flushed and zeros become
        /// positive.
        #[inline(always)]
        pub fn $omod(mode: Mode, by: Omod, a: $float) -> $float { omod(mode, by, a) }
    )* };
}

modifiers! {
    f16 clamp_f16 omod_f16 clamped_half;
    f32 clamp_f32 omod_f32 arithmetic::clamp;
    f64 clamp_f64 omod_f64 arithmetic::clamp;
}

/// Clamps an f16. Its bits, read as 16-bit integers, have the right order in the range that matters.
#[inline(always)]
fn clamped_half(mode: Mode, a: f16) -> f16 {
    let inside = (a.to_bits() as i16).clamp(0, f16::ONE.to_bits() as i16);
    let nan = if mode.dx10_clamp { 0 } else { a.to_bits() };
    f16::from_bits(if a.nan() { nan } else { inside as u16 })
}

/// [`clamp_f16()`] of both halves.
#[inline(always)]
pub fn clamp_pk_f16(mode: Mode, a: [f16; 2]) -> [f16; 2] {
    a.map(|half| clamp_f16(mode, half))
}
