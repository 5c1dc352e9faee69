//! VOPC: vector comparisons, the product of conditions and types. The VOP3 and SDWA forms follow by rule.

use super::columns::*;

/// The sixteen conditions of a floating-point type.
#[rustfmt::skip]
macro_rules! float {
    ($first:literal, $compare:literal, $type:literal, $src0:ident, $src1:ident) => { &[
        row($first + 0x0, concat!($compare, "f_",   $type), &[VCC_OUT, $src0, $src1], NEG_CLAMP, none),
        row($first + 0x1, concat!($compare, "lt_",  $type), &[VCC_OUT, $src0, $src1], NEG_CLAMP, none),
        row($first + 0x2, concat!($compare, "eq_",  $type), &[VCC_OUT, $src0, $src1], NEG_CLAMP, none),
        row($first + 0x3, concat!($compare, "le_",  $type), &[VCC_OUT, $src0, $src1], NEG_CLAMP, none),
        row($first + 0x4, concat!($compare, "gt_",  $type), &[VCC_OUT, $src0, $src1], NEG_CLAMP, none),
        row($first + 0x5, concat!($compare, "lg_",  $type), &[VCC_OUT, $src0, $src1], NEG_CLAMP, none),
        row($first + 0x6, concat!($compare, "ge_",  $type), &[VCC_OUT, $src0, $src1], NEG_CLAMP, none),
        row($first + 0x7, concat!($compare, "o_",   $type), &[VCC_OUT, $src0, $src1], NEG_CLAMP, none),
        row($first + 0x8, concat!($compare, "u_",   $type), &[VCC_OUT, $src0, $src1], NEG_CLAMP, none),
        row($first + 0x9, concat!($compare, "nge_", $type), &[VCC_OUT, $src0, $src1], NEG_CLAMP, none),
        row($first + 0xa, concat!($compare, "nlg_", $type), &[VCC_OUT, $src0, $src1], NEG_CLAMP, none),
        row($first + 0xb, concat!($compare, "ngt_", $type), &[VCC_OUT, $src0, $src1], NEG_CLAMP, none),
        row($first + 0xc, concat!($compare, "nle_", $type), &[VCC_OUT, $src0, $src1], NEG_CLAMP, none),
        row($first + 0xd, concat!($compare, "neq_", $type), &[VCC_OUT, $src0, $src1], NEG_CLAMP, none),
        row($first + 0xe, concat!($compare, "nlt_", $type), &[VCC_OUT, $src0, $src1], NEG_CLAMP, none),
        row($first + 0xf, concat!($compare, "tru_", $type), &[VCC_OUT, $src0, $src1], NEG_CLAMP, none),
    ] };
}

/// The eight conditions of an integer type.
#[rustfmt::skip]
macro_rules! integer {
    ($first:literal, $compare:literal, $type:literal, $src0:ident, $src1:ident) => { &[
        row($first + 0x0, concat!($compare, "f_",  $type), &[VCC_OUT, $src0, $src1], NONE, none),
        row($first + 0x1, concat!($compare, "lt_", $type), &[VCC_OUT, $src0, $src1], NONE, none),
        row($first + 0x2, concat!($compare, "eq_", $type), &[VCC_OUT, $src0, $src1], NONE, none),
        row($first + 0x3, concat!($compare, "le_", $type), &[VCC_OUT, $src0, $src1], NONE, none),
        row($first + 0x4, concat!($compare, "gt_", $type), &[VCC_OUT, $src0, $src1], NONE, none),
        row($first + 0x5, concat!($compare, "ne_", $type), &[VCC_OUT, $src0, $src1], NONE, none),
        row($first + 0x6, concat!($compare, "ge_", $type), &[VCC_OUT, $src0, $src1], NONE, none),
        row($first + 0x7, concat!($compare, "t_",  $type), &[VCC_OUT, $src0, $src1], NONE, none),
    ] };
}

/// Tests of a number's class (NaN, infinity, zero ...) against a mask.
#[rustfmt::skip]
pub(super) const CLASSES: &[Row] = &[
    row(0x10, "v_cmp_class_f32",  &[VCC_OUT, SRC0_F32, SRC1_B32], NEG0, none),
    row(0x11, "v_cmpx_class_f32", &[VCC_OUT, SRC0_F32, SRC1_B32], NEG0, none),
    row(0x12, "v_cmp_class_f64",  &[VCC_OUT, SRC0_F64, SRC1_B32], NEG0, none),
    row(0x13, "v_cmpx_class_f64", &[VCC_OUT, SRC0_F64, SRC1_B32], NEG0, none),
    row(0x14, "v_cmp_class_f16",  &[VCC_OUT, SRC0_F16, SRC1_B32], NEG0, none),
    row(0x15, "v_cmpx_class_f16", &[VCC_OUT, SRC0_F16, SRC1_B32], NEG0, none),
];

/// Comparisons of two numbers; `v_cmpx` writes EXEC too.
#[rustfmt::skip]
pub(super) const COMPARISONS: &[&[Row]] = &[
    float!(  0x20, "v_cmp_",  "f16", SRC0_F16, SRC1_F16),
    float!(  0x30, "v_cmpx_", "f16", SRC0_F16, SRC1_F16),
    float!(  0x40, "v_cmp_",  "f32", SRC0_F32, SRC1_F32),
    float!(  0x50, "v_cmpx_", "f32", SRC0_F32, SRC1_F32),
    float!(  0x60, "v_cmp_",  "f64", SRC0_F64, SRC1_F64),
    float!(  0x70, "v_cmpx_", "f64", SRC0_F64, SRC1_F64),
    integer!(0xa0, "v_cmp_",  "i16", SRC0_I16, SRC1_I16),
    integer!(0xb0, "v_cmpx_", "i16", SRC0_I16, SRC1_I16),
    integer!(0xa8, "v_cmp_",  "u16", SRC0_U16, SRC1_U16),
    integer!(0xb8, "v_cmpx_", "u16", SRC0_U16, SRC1_U16),
    integer!(0xc0, "v_cmp_",  "i32", SRC0_I32, SRC1_I32),
    integer!(0xd0, "v_cmpx_", "i32", SRC0_I32, SRC1_I32),
    integer!(0xc8, "v_cmp_",  "u32", SRC0_U32, SRC1_U32),
    integer!(0xd8, "v_cmpx_", "u32", SRC0_U32, SRC1_U32),
    integer!(0xe0, "v_cmp_",  "i64", SRC0_I64, SRC1_I64),
    integer!(0xf0, "v_cmpx_", "i64", SRC0_I64, SRC1_I64),
    integer!(0xe8, "v_cmp_",  "u64", SRC0_U64, SRC1_U64),
    integer!(0xf8, "v_cmpx_", "u64", SRC0_U64, SRC1_U64),
];
