//! Pure functions on scalars that compute each instruction. They know nothing of waves.
//!
//! A function is named by its mnemonic without `v_` (scalar ones keep `s_`). Its arguments are the sources in the manual's order; the value
//! of a destination that is read comes after the sources in vector instructions, and before them in scalar ones; a carry, VCC or SCC comes
//! last. Its result is the destination, followed by the carry, VCC or SCC that it writes. A function with a float among its sources or
//! results takes the [`Mode`] first, except `cmp_class`. `*_sat` is the integer instruction under its clamp modifier. neg, abs, op_sel,
//! SDWA and DPP are applied elsewhere; `clamp_f32`, `omod_f32` and their counterparts are the float clamp and omod.
//!
//! Results are the same on every host: no function depends on a libm whose last place varies between platforms, and no NaN comes from the
//! host. An operation on a NaN returns that NaN quieted (the first of several); an invalid operation returns the positive quiet NaN with no
//! payload.

/// A function as a type of the same name, so that generic code inlines it. A loop over lanes that takes the function as a value would call
/// it once per lane, because all feature levels and modes would share one call.
pub trait Function<Arguments> {
    /// Result of the function.
    type Result;
    /// Fields of MODE that can affect the result.
    const MODE_FIELDS: u32 = Mode::FIELDS;
    /// Calls the function.
    fn call(arguments: Arguments) -> Self::Result;
    /// Computes all lanes of a wave at the feature level of vectors of `WIDTH` bytes. Each source is one register. Returns false if no
    /// method is faster than one lane at a time; `to` is then undefined.
    #[inline(always)]
    fn compute_wave<const WIDTH: usize>(
        _mode: Mode,
        _sources: &[&[u32; 64]],
        _to: &mut [u32; 64],
    ) -> bool {
        false
    }
}

/// Declares the type of a function. `by` names the method of [`whole`] that computes a whole wave.
macro_rules! as_type {
    ($name:ident($($arg:ident: $ty:ty),*) -> $ret:ty
        $(, mode_fields $($field:ident)* $(, by $method:ident
            $(($($argument:tt)*))? $(|$mode:ident, $($x:ident)*; $n:literal| $single:expr)?)?)?) => {
        #[doc = concat!("[`", stringify!($name), "()`] as a type.")]
        #[expect(non_camel_case_types, reason = "named as the function")]
        #[derive(Clone, Copy, Debug)]
        pub enum $name {}

        impl super::Function<($($ty,)*)> for $name {
            type Result = $ret;
            $(
                const MODE_FIELDS: u32 = 0 $(| super::Mode::$field)*;
                $(
                    #[inline(always)]
                    fn compute_wave<const WIDTH: usize>(
                        mode: super::Mode,
                        sources: &[&[u32; 64]],
                        to: &mut [u32; 64],
                    ) -> bool {
                        let Ok(&sources) = sources.try_into() else {
                            return false;
                        };
                        $(super::whole::$method::<WIDTH, _>(mode, sources, to, $($argument)*))?
                        $(
                            enum Lane {}
                            impl super::whole::Single<$n> for Lane {
                                #[inline(always)]
                                fn compute($mode: super::Mode, [$($x),*]: [f32; $n]) -> f32 {
                                    $single
                                }
                            }
                            super::whole::$method::<WIDTH, $n, Lane>(mode, sources, to)
                        )?
                    }
                )?
            )?
            #[inline(always)]
            fn call(($($arg,)*): ($($ty,)*)) -> $ret {
                $name($($arg),*)
            }
        }
    };
}

/// Declares instructions from documentation, name, arguments, result, the fields of the mode that affect the result (all by default), the
/// method for a whole wave if there is one, and body.
macro_rules! instructions {
    ($( $(#[$doc:meta])* $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty $(where [$($field:ident)*] $(by $method:ident $(($($argument:tt)*))? $(|$m:ident, $($x:ident)*; $n:literal| [$single:expr])?)?)? $body:block )*) => { $(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name($($arg: $ty),*) -> $ret $body
        as_type!($name($($arg: $ty),*) -> $ret $(, mode_fields $($field)* $(, by $method $(($($argument)*))? $(|$m, $($x)*; $n| $single)?)?)?);
    )* };
}

/// Declares float instructions of one format that forward to a format-generic function, from documentation, name, arguments, that function,
/// the fields of the mode that affect it, and the method for a whole wave if there is one.
macro_rules! float_instructions {
    ($float:ty: $( $(#[$doc:meta])* $name:ident($($arg:ident),*) = $generic:ident [$($field:ident)*] $(by $method:ident $(($($argument:tt)*))? $(|$m:ident, $($x:ident)*; $n:literal| [$single:expr])?)?; )*) => { $(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name(mode: Mode, $($arg: $float),*) -> $float { arithmetic::$generic(mode, $($arg),*) }
        as_type!($name(mode: Mode, $($arg: $float),*) -> $float, mode_fields $($field)* $(, by $method $(($($argument)*))? $(|$m, $($x)*; $n| $single)?)?);
    )* };
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
mod texel;
mod transcendental;
mod trig_preop;
mod whole;

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
pub use texel::{Clamp, nearest_texel, neighbour_texels};
pub use transcendental::*;
pub use trig_preop::*;
pub use whole::widen_halves;
