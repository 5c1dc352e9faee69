//! What each instruction computes: pure functions on scalars, no wave in sight.
//!
//! A function is named by its mnemonic without `v_` (scalar ones keep `s_`). Its arguments are the sources in the manual's order; the value
//! of a destination that is read comes after them in vector instructions, before them in scalar ones; a carry, VCC or SCC comes last. Its
//! result is the destination, and beside it the carry, VCC or SCC that it writes. What has a float among its sources or results takes the
//! [`Mode`] first (only `cmp_class` does not). `*_sat` is the integer instruction under its clamp modifier.
//! neg, abs, op_sel, SDWA and DPP are not here; for the float clamp and omod there are `clamp_f32`, `omod_f32` and their like.
//!
//! Everything is the same on every host: no libm function whose last place depends on the platform, and no NaN of the host's making.
//! An operation on a NaN gives that NaN (of several the first) quieted; an invalid one gives the positive quiet NaN with no payload.

/// Declares instructions: documentation, name, arguments, result, body.
macro_rules! instructions {
    ($( $(#[$doc:meta])* $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty $body:block )*) => {
        $( $(#[$doc])* #[inline(always)] pub fn $name($($arg: $ty),*) -> $ret $body )*
    };
}

/// Declares float instructions of one format that only forward to the format-generic function.
macro_rules! float_instructions {
    ($float:ty: $( $(#[$doc:meta])* $name:ident($($arg:ident),*) = $of:ident; )*) => {
        $( $(#[$doc])* #[inline(always)] pub fn $name(mode: Mode, $($arg: $float),*) -> $float { arithmetic::$of(mode, $($arg),*) } )*
    };
}

mod arithmetic;
mod atomic;
mod bits;
mod buffer_format;
mod compare;
mod convert;
mod cube;
mod directed;
mod divide;
mod dot;
mod exact;
mod float16;
mod float32;
mod float64;
mod format;
mod half_format;
mod integer;
mod integer16;
mod mode;
mod modifier;
mod packed;
mod sad;
mod scalar;
mod scalar_bits;
mod screen;
mod transcendental;
mod trig_preop;

#[cfg(test)]
mod tests;

pub use atomic::*;
pub use bits::*;
pub use buffer_format::BufferFormat;
pub use compare::*;
pub use convert::*;
pub use cube::*;
pub use divide::*;
pub use dot::*;
pub use float16::*;
pub use float32::*;
pub use float64::*;
pub use integer::*;
pub use integer16::*;
pub use mode::{Mode, Round};
pub use modifier::*;
pub use packed::*;
pub use sad::*;
pub use scalar::*;
pub use scalar_bits::*;
pub use screen::*;
pub use transcendental::*;
pub use trig_preop::*;
