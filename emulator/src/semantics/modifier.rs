//! The arithmetic of the output modifiers: omod first, then clamp.

use super::format::Format;
use super::{Mode, arithmetic};
use half::f16;

/// Output multiplier of a float instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Omod {
    /// As it is.
    #[default]
    One,
    /// Times 2.
    Two,
    /// Times 4.
    Four,
    /// Divided by 2.
    Half,
}

impl Omod {
    /// From the two bits of the encoding.
    pub fn from_bits(bits: u32) -> Omod {
        match bits & 3 {
            0 => Omod::One,
            1 => Omod::Two,
            2 => Omod::Four,
            _ => Omod::Half,
        }
    }
}

/// Ignored where the mode keeps denormal results; else denormals are flushed and zeros made positive.
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

/// Declares both modifiers for one format.
macro_rules! modifiers {
    ($( $float:ident $clamp:ident $omod:ident $by:path; )*) => { $(
        /// The clamp modifier: into [0, 1]; NaN to 0 under DX10_CLAMP, else it stays.
        #[inline(always)]
        pub fn $clamp(mode: Mode, a: $float) -> $float { $by(mode, a) }
        /// The output multiplier: ignored where the mode keeps denormal results, else with denormals flushed and zeros made positive.
        #[inline(always)]
        pub fn $omod(mode: Mode, by: Omod, a: $float) -> $float { omod(mode, by, a) }
    )* };
}

modifiers! {
    f16 clamp_f16 omod_f16 clamped_half;
    f32 clamp_f32 omod_f32 arithmetic::clamp;
    f64 clamp_f64 omod_f64 arithmetic::clamp;
}

/// The clamp of an f16, whose bits are in order as 16-bit integers where that matters.
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
