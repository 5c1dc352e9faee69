//! What each instruction computes: pure functions on scalars, no wave in sight.
//!
//! A function is an instruction's mnemonic without `v_` (scalar ones keep `s_`), its arguments are the sources in the manual's order, and
//! its result is the destination: a pair where there is a carry, VCC or SCC as well. What depends on the MODE register takes it first.
//! neg, abs, clamp, omod, op_sel, SDWA and DPP are not here, but [`modifier`] has the arithmetic of clamp and omod.
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
mod compare;
mod convert;
mod divide;
mod exact;
mod float32;
mod float64;
mod format;
mod integer;
mod mode;
mod scalar;
mod transcendental;

#[cfg(test)]
mod tests;

pub use atomic::*;
pub use bits::*;
pub use compare::*;
pub use convert::*;
pub use divide::*;
pub use float32::*;
pub use float64::*;
pub use integer::*;
pub use mode::{Mode, Round};
pub use scalar::*;
pub use transcendental::*;
