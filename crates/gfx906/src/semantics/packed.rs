//! Packed 16-bit arithmetic: each half is computed by itself, and index 0 is the low half.

use super::*;
use half::f16;

/// Declares packed instructions from the function of each half.
macro_rules! packed {
    ($( $name:ident($($arg:ident: $ty:ty),*) -> $ret:ty = $single:ident; )*) => { $(
        #[doc = concat!("[`", stringify!($single), "()`] of both halves.")]
        #[inline(always)]
        pub fn $name($($arg: [$ty; 2]),*) -> [$ret; 2] { [$single($($arg[0]),*), $single($($arg[1]),*)] }
        as_type!($name($($arg: [$ty; 2]),*) -> [$ret; 2]);
    )* };
}

packed! {
    pk_mad_i16(a: i16, b: i16, c: i16) -> i16 = mad_i16;
    pk_mad_u16(a: u16, b: u16, c: u16) -> u16 = mad_u16;
    pk_mul_lo_u16(a: u16, b: u16) -> u16 = mul_lo_u16;
    pk_add_i16(a: i16, b: i16) -> i16 = add_i16;
    pk_sub_i16(a: i16, b: i16) -> i16 = sub_i16;
    pk_add_u16(a: u16, b: u16) -> u16 = add_u16;
    pk_sub_u16(a: u16, b: u16) -> u16 = sub_u16;
    pk_mad_i16_sat(a: i16, b: i16, c: i16) -> i16 = mad_i16_sat;
    pk_mad_u16_sat(a: u16, b: u16, c: u16) -> u16 = mad_u16_sat;
    pk_mul_lo_u16_sat(a: u16, b: u16) -> u16 = mul_lo_u16_sat;
    pk_add_i16_sat(a: i16, b: i16) -> i16 = add_i16_sat;
    pk_sub_i16_sat(a: i16, b: i16) -> i16 = sub_i16_sat;
    pk_add_u16_sat(a: u16, b: u16) -> u16 = add_u16_sat;
    pk_sub_u16_sat(a: u16, b: u16) -> u16 = sub_u16_sat;
    pk_lshlrev_b16(a: u16, b: u16) -> u16 = lshlrev_b16;
    pk_lshrrev_b16(a: u16, b: u16) -> u16 = lshrrev_b16;
    pk_ashrrev_i16(a: u16, b: i16) -> i16 = ashrrev_i16;
    pk_max_i16(a: i16, b: i16) -> i16 = max_i16;
    pk_min_i16(a: i16, b: i16) -> i16 = min_i16;
    pk_max_u16(a: u16, b: u16) -> u16 = max_u16;
    pk_min_u16(a: u16, b: u16) -> u16 = min_u16;
}

/// Declares packed float instructions from the function of each half, the fields of the mode, and the method for a whole wave.
macro_rules! packed_floats {
    ($( $name:ident($($arg:ident),*) = $single:ident [$($field:ident)*] by $method:ident($($argument:tt)*); )*) => { $(
        #[doc = concat!("[`", stringify!($single), "()`] of both halves.")]
        #[inline(always)]
        pub fn $name(mode: Mode, $($arg: [f16; 2]),*) -> [f16; 2] { [$single(mode, $($arg[0]),*), $single(mode, $($arg[1]),*)] }
        as_type!($name(mode: Mode, $($arg: [f16; 2]),*) -> [f16; 2], mode_fields $($field)*, by $method($($argument)*));
    )* };
}

packed_floats! {
    pk_fma_f16(a, b, c) = fma_f16 [ROUND64 IN64 OUT64] by packed(super::whole::Fma);
    pk_add_f16(a, b) = add_f16 [ROUND64 IN64 OUT64] by packed(super::whole::Add);
    pk_mul_f16(a, b) = mul_f16 [ROUND64 IN64 OUT64] by packed(super::whole::Mul);
    pk_min_f16(a, b) = min_f16 [IN64 OUT64 IEEE] by packed_pick(super::whole::Min);
    pk_max_f16(a, b) = max_f16 [IN64 OUT64 IEEE] by packed_pick(super::whole::Max);
}
