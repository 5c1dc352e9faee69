//! Comparisons: every condition for every type, and the float classes.

use super::Mode;
use super::format::Format;
use half::f16;

/// The sixteen conditions on two floats of one format.
macro_rules! compare_floats {
    ($float:ident: $f:ident $lt:ident $eq:ident $le:ident $gt:ident $lg:ident $ge:ident $o:ident
     $u:ident $nge:ident $nlg:ident $ngt:ident $nle:ident $neq:ident $nlt:ident $tru:ident) => {
        compare_floats! { @ $float:
            $lt "`a < b`." |a, b| a.less(b);
            $eq "`a == b`." |a, b| a == b;
            $le "`a <= b`." |a, b| a.less(b) | (a == b);
            $gt "`a > b`." |a, b| b.less(a);
            $lg "`a < b` or `a > b`." |a, b| a.less(b) | b.less(a);
            $ge "`a >= b`." |a, b| b.less(a) | (a == b);
            $o "Neither is a NaN." |a, b| !a.nan() & !b.nan();
            $u "At least one is a NaN." |a, b| a.nan() | b.nan();
            $nge "Not `a >= b`." |a, b| !(b.less(a) | (a == b));
            $nlg "Neither `a < b` nor `a > b`." |a, b| !(a.less(b) | b.less(a));
            $ngt "Not `a > b`." |a, b| !b.less(a);
            $nle "Not `a <= b`." |a, b| !(a.less(b) | (a == b));
            $neq "Not `a == b`." |a, b| a != b;
            $nlt "Not `a < b`." |a, b| !a.less(b);
        }
        #[doc = "False."]
        #[inline(always)]
        pub fn $f(_mode: Mode, _a: $float, _b: $float) -> bool { false }
        as_type!($f(mode: Mode, a: $float, b: $float) -> bool);
        #[doc = "True."]
        #[inline(always)]
        pub fn $tru(_mode: Mode, _a: $float, _b: $float) -> bool { true }
        as_type!($tru(mode: Mode, a: $float, b: $float) -> bool);
    };
    (@ $float:ident: $( $name:ident $doc:literal |$a:ident, $b:ident| $condition:expr; )*) => { $(
        #[doc = $doc]
        #[inline(always)]
        pub fn $name(mode: Mode, a: $float, b: $float) -> bool {
            let ($a, $b) = (a.source(mode), b.source(mode));
            $condition
        }
        as_type!($name(mode: Mode, a: $float, b: $float) -> bool);
    )* };
}

/// The eight conditions on two integers of one type.
macro_rules! compare_integers {
    ($int:ident: $f:ident $lt:ident $eq:ident $le:ident $gt:ident $ne:ident $ge:ident $t:ident) => {
        compare_integers! { @ $int:
            $lt "`a < b`." <; $eq "`a == b`." ==; $le "`a <= b`." <=; $gt "`a > b`." >; $ne "`a != b`." !=; $ge "`a >= b`." >=;
        }
        #[doc = "False."]
        #[inline(always)]
        pub fn $f(_a: $int, _b: $int) -> bool { false }
        as_type!($f(a: $int, b: $int) -> bool);
        #[doc = "True."]
        #[inline(always)]
        pub fn $t(_a: $int, _b: $int) -> bool { true }
        as_type!($t(a: $int, b: $int) -> bool);
    };
    (@ $int:ident: $( $name:ident $doc:literal $op:tt; )*) => { $(
        #[doc = $doc]
        #[inline(always)]
        pub fn $name(a: $int, b: $int) -> bool { a $op b }
        as_type!($name(a: $int, b: $int) -> bool);
    )* };
}

compare_floats! { f16: cmp_f_f16 cmp_lt_f16 cmp_eq_f16 cmp_le_f16 cmp_gt_f16 cmp_lg_f16 cmp_ge_f16 cmp_o_f16
cmp_u_f16 cmp_nge_f16 cmp_nlg_f16 cmp_ngt_f16 cmp_nle_f16 cmp_neq_f16 cmp_nlt_f16 cmp_tru_f16 }
compare_floats! { f32: cmp_f_f32 cmp_lt_f32 cmp_eq_f32 cmp_le_f32 cmp_gt_f32 cmp_lg_f32 cmp_ge_f32 cmp_o_f32
cmp_u_f32 cmp_nge_f32 cmp_nlg_f32 cmp_ngt_f32 cmp_nle_f32 cmp_neq_f32 cmp_nlt_f32 cmp_tru_f32 }
compare_floats! { f64: cmp_f_f64 cmp_lt_f64 cmp_eq_f64 cmp_le_f64 cmp_gt_f64 cmp_lg_f64 cmp_ge_f64 cmp_o_f64
cmp_u_f64 cmp_nge_f64 cmp_nlg_f64 cmp_ngt_f64 cmp_nle_f64 cmp_neq_f64 cmp_nlt_f64 cmp_tru_f64 }
compare_integers! { i16: cmp_f_i16 cmp_lt_i16 cmp_eq_i16 cmp_le_i16 cmp_gt_i16 cmp_ne_i16 cmp_ge_i16 cmp_t_i16 }
compare_integers! { u16: cmp_f_u16 cmp_lt_u16 cmp_eq_u16 cmp_le_u16 cmp_gt_u16 cmp_ne_u16 cmp_ge_u16 cmp_t_u16 }
compare_integers! { i32: cmp_f_i32 cmp_lt_i32 cmp_eq_i32 cmp_le_i32 cmp_gt_i32 cmp_ne_i32 cmp_ge_i32 cmp_t_i32 }
compare_integers! { u32: cmp_f_u32 cmp_lt_u32 cmp_eq_u32 cmp_le_u32 cmp_gt_u32 cmp_ne_u32 cmp_ge_u32 cmp_t_u32 }
compare_integers! { i64: cmp_f_i64 cmp_lt_i64 cmp_eq_i64 cmp_le_i64 cmp_gt_i64 cmp_ne_i64 cmp_ge_i64 cmp_t_i64 }
compare_integers! { u64: cmp_f_u64 cmp_lt_u64 cmp_eq_u64 cmp_le_u64 cmp_gt_u64 cmp_ne_u64 cmp_ge_u64 cmp_t_u64 }

/// Returns true if `mask` names the class of `a`: signalling NaN, quiet NaN, -inf, -normal, -denormal, -0, +0, +denormal, +normal, +inf.
#[inline(always)]
fn class<F: Format>(a: F, mask: u32) -> bool {
    let magnitude = a.bits() & !F::SIGN;
    let negative = a.bits() & F::SIGN != 0;
    let sided = |minus: u32, plus: u32| if negative { minus } else { plus };
    let bit = if magnitude == 0 {
        sided(5, 6)
    } else {
        sided(4, 7)
    };
    let bit = if magnitude >= F::HIDDEN {
        sided(3, 8)
    } else {
        bit
    };
    let bit = if magnitude == F::INFINITY {
        sided(2, 9)
    } else {
        bit
    };
    let bit = if magnitude > F::INFINITY {
        u32::from(magnitude & F::QUIET != 0)
    } else {
        bit
    };
    mask >> bit & 1 != 0
}

instructions! {
    /// True if the class of `a` is in the mask. Denormals count as denormals in every mode.
    cmp_class_f16(a: f16, mask: u32) -> bool { class(a, mask) }
    /// True if the class of `a` is in the mask. Denormals count as denormals in every mode.
    cmp_class_f32(a: f32, mask: u32) -> bool { class(a, mask) }
    /// True if the class of `a` is in the mask. Denormals count as denormals in every mode.
    cmp_class_f64(a: f64, mask: u32) -> bool { class(a, mask) }
}
