//! VOPC: vector comparisons, one row per condition and type. The VOP3 and SDWA forms follow by rule.

use super::columns::*;

/// The sixteen conditions of a floating-point type.
#[rustfmt::skip]
macro_rules! float {
    ($first:literal, $compare:literal, $type:literal, $src0:ident, $src1:ident, $run:ident!: $f:ident $lt:ident $eq:ident $le:ident $gt:ident $lg:ident $ge:ident $o:ident $u:ident $nge:ident $nlg:ident $ngt:ident $nle:ident $neq:ident $nlt:ident $tru:ident) => { &[
        row($first + 0x0, concat!($compare, "f_",   $type), &[VCC_OUT, $src0, $src1], NEG_CLAMP, $run!($f)),
        row($first + 0x1, concat!($compare, "lt_",  $type), &[VCC_OUT, $src0, $src1], NEG_CLAMP, $run!($lt)),
        row($first + 0x2, concat!($compare, "eq_",  $type), &[VCC_OUT, $src0, $src1], NEG_CLAMP, $run!($eq)),
        row($first + 0x3, concat!($compare, "le_",  $type), &[VCC_OUT, $src0, $src1], NEG_CLAMP, $run!($le)),
        row($first + 0x4, concat!($compare, "gt_",  $type), &[VCC_OUT, $src0, $src1], NEG_CLAMP, $run!($gt)),
        row($first + 0x5, concat!($compare, "lg_",  $type), &[VCC_OUT, $src0, $src1], NEG_CLAMP, $run!($lg)),
        row($first + 0x6, concat!($compare, "ge_",  $type), &[VCC_OUT, $src0, $src1], NEG_CLAMP, $run!($ge)),
        row($first + 0x7, concat!($compare, "o_",   $type), &[VCC_OUT, $src0, $src1], NEG_CLAMP, $run!($o)),
        row($first + 0x8, concat!($compare, "u_",   $type), &[VCC_OUT, $src0, $src1], NEG_CLAMP, $run!($u)),
        row($first + 0x9, concat!($compare, "nge_", $type), &[VCC_OUT, $src0, $src1], NEG_CLAMP, $run!($nge)),
        row($first + 0xa, concat!($compare, "nlg_", $type), &[VCC_OUT, $src0, $src1], NEG_CLAMP, $run!($nlg)),
        row($first + 0xb, concat!($compare, "ngt_", $type), &[VCC_OUT, $src0, $src1], NEG_CLAMP, $run!($ngt)),
        row($first + 0xc, concat!($compare, "nle_", $type), &[VCC_OUT, $src0, $src1], NEG_CLAMP, $run!($nle)),
        row($first + 0xd, concat!($compare, "neq_", $type), &[VCC_OUT, $src0, $src1], NEG_CLAMP, $run!($neq)),
        row($first + 0xe, concat!($compare, "nlt_", $type), &[VCC_OUT, $src0, $src1], NEG_CLAMP, $run!($nlt)),
        row($first + 0xf, concat!($compare, "tru_", $type), &[VCC_OUT, $src0, $src1], NEG_CLAMP, $run!($tru)),
    ] };
}

/// The eight conditions of an integer type.
#[rustfmt::skip]
macro_rules! integer {
    ($first:literal, $compare:literal, $type:literal, $src0:ident, $src1:ident, $run:ident!: $f:ident $lt:ident $eq:ident $le:ident $gt:ident $ne:ident $ge:ident $t:ident) => { &[
        row($first + 0x0, concat!($compare, "f_",  $type), &[VCC_OUT, $src0, $src1], NONE, $run!($f)),
        row($first + 0x1, concat!($compare, "lt_", $type), &[VCC_OUT, $src0, $src1], NONE, $run!($lt)),
        row($first + 0x2, concat!($compare, "eq_", $type), &[VCC_OUT, $src0, $src1], NONE, $run!($eq)),
        row($first + 0x3, concat!($compare, "le_", $type), &[VCC_OUT, $src0, $src1], NONE, $run!($le)),
        row($first + 0x4, concat!($compare, "gt_", $type), &[VCC_OUT, $src0, $src1], NONE, $run!($gt)),
        row($first + 0x5, concat!($compare, "ne_", $type), &[VCC_OUT, $src0, $src1], NONE, $run!($ne)),
        row($first + 0x6, concat!($compare, "ge_", $type), &[VCC_OUT, $src0, $src1], NONE, $run!($ge)),
        row($first + 0x7, concat!($compare, "t_",  $type), &[VCC_OUT, $src0, $src1], NONE, $run!($t)),
    ] };
}

/// Tests of a number's class (NaN, infinity, zero, …) against a mask.
#[rustfmt::skip]
pub(super) const CLASSES: &[Row] = &[
    row(0x10, "v_cmp_class_f32",  &[VCC_OUT, SRC0_F32, SRC1_B32], NEG0, valu!(cmp_class_f32)),
    row(0x11, "v_cmpx_class_f32", &[VCC_OUT, SRC0_F32, SRC1_B32], NEG0, cmpx!(cmp_class_f32)),
    row(0x12, "v_cmp_class_f64",  &[VCC_OUT, SRC0_F64, SRC1_B32], NEG0, valu!(cmp_class_f64)),
    row(0x13, "v_cmpx_class_f64", &[VCC_OUT, SRC0_F64, SRC1_B32], NEG0, cmpx!(cmp_class_f64)),
    row(0x14, "v_cmp_class_f16",  &[VCC_OUT, SRC0_F16, SRC1_B32], NEG0, valu!(cmp_class_f16)),
    row(0x15, "v_cmpx_class_f16", &[VCC_OUT, SRC0_F16, SRC1_B32], NEG0, cmpx!(cmp_class_f16)),
];

/// Comparisons of two numbers. `v_cmpx` writes EXEC too.
#[rustfmt::skip]
pub(super) const COMPARISONS: &[&[Row]] = &[
    float!(  0x20, "v_cmp_",  "f16", SRC0_F16, SRC1_F16, valu!: cmp_f_f16 cmp_lt_f16 cmp_eq_f16 cmp_le_f16 cmp_gt_f16 cmp_lg_f16 cmp_ge_f16 cmp_o_f16 cmp_u_f16 cmp_nge_f16 cmp_nlg_f16 cmp_ngt_f16 cmp_nle_f16 cmp_neq_f16 cmp_nlt_f16 cmp_tru_f16),
    float!(  0x30, "v_cmpx_", "f16", SRC0_F16, SRC1_F16, cmpx!: cmp_f_f16 cmp_lt_f16 cmp_eq_f16 cmp_le_f16 cmp_gt_f16 cmp_lg_f16 cmp_ge_f16 cmp_o_f16 cmp_u_f16 cmp_nge_f16 cmp_nlg_f16 cmp_ngt_f16 cmp_nle_f16 cmp_neq_f16 cmp_nlt_f16 cmp_tru_f16),
    float!(  0x40, "v_cmp_",  "f32", SRC0_F32, SRC1_F32, valu!: cmp_f_f32 cmp_lt_f32 cmp_eq_f32 cmp_le_f32 cmp_gt_f32 cmp_lg_f32 cmp_ge_f32 cmp_o_f32 cmp_u_f32 cmp_nge_f32 cmp_nlg_f32 cmp_ngt_f32 cmp_nle_f32 cmp_neq_f32 cmp_nlt_f32 cmp_tru_f32),
    float!(  0x50, "v_cmpx_", "f32", SRC0_F32, SRC1_F32, cmpx!: cmp_f_f32 cmp_lt_f32 cmp_eq_f32 cmp_le_f32 cmp_gt_f32 cmp_lg_f32 cmp_ge_f32 cmp_o_f32 cmp_u_f32 cmp_nge_f32 cmp_nlg_f32 cmp_ngt_f32 cmp_nle_f32 cmp_neq_f32 cmp_nlt_f32 cmp_tru_f32),
    float!(  0x60, "v_cmp_",  "f64", SRC0_F64, SRC1_F64, valu!: cmp_f_f64 cmp_lt_f64 cmp_eq_f64 cmp_le_f64 cmp_gt_f64 cmp_lg_f64 cmp_ge_f64 cmp_o_f64 cmp_u_f64 cmp_nge_f64 cmp_nlg_f64 cmp_ngt_f64 cmp_nle_f64 cmp_neq_f64 cmp_nlt_f64 cmp_tru_f64),
    float!(  0x70, "v_cmpx_", "f64", SRC0_F64, SRC1_F64, cmpx!: cmp_f_f64 cmp_lt_f64 cmp_eq_f64 cmp_le_f64 cmp_gt_f64 cmp_lg_f64 cmp_ge_f64 cmp_o_f64 cmp_u_f64 cmp_nge_f64 cmp_nlg_f64 cmp_ngt_f64 cmp_nle_f64 cmp_neq_f64 cmp_nlt_f64 cmp_tru_f64),
    integer!(0xa0, "v_cmp_",  "i16", SRC0_I16, SRC1_I16, valu!: cmp_f_i16 cmp_lt_i16 cmp_eq_i16 cmp_le_i16 cmp_gt_i16 cmp_ne_i16 cmp_ge_i16 cmp_t_i16),
    integer!(0xb0, "v_cmpx_", "i16", SRC0_I16, SRC1_I16, cmpx!: cmp_f_i16 cmp_lt_i16 cmp_eq_i16 cmp_le_i16 cmp_gt_i16 cmp_ne_i16 cmp_ge_i16 cmp_t_i16),
    integer!(0xa8, "v_cmp_",  "u16", SRC0_U16, SRC1_U16, valu!: cmp_f_u16 cmp_lt_u16 cmp_eq_u16 cmp_le_u16 cmp_gt_u16 cmp_ne_u16 cmp_ge_u16 cmp_t_u16),
    integer!(0xb8, "v_cmpx_", "u16", SRC0_U16, SRC1_U16, cmpx!: cmp_f_u16 cmp_lt_u16 cmp_eq_u16 cmp_le_u16 cmp_gt_u16 cmp_ne_u16 cmp_ge_u16 cmp_t_u16),
    integer!(0xc0, "v_cmp_",  "i32", SRC0_I32, SRC1_I32, valu!: cmp_f_i32 cmp_lt_i32 cmp_eq_i32 cmp_le_i32 cmp_gt_i32 cmp_ne_i32 cmp_ge_i32 cmp_t_i32),
    integer!(0xd0, "v_cmpx_", "i32", SRC0_I32, SRC1_I32, cmpx!: cmp_f_i32 cmp_lt_i32 cmp_eq_i32 cmp_le_i32 cmp_gt_i32 cmp_ne_i32 cmp_ge_i32 cmp_t_i32),
    integer!(0xc8, "v_cmp_",  "u32", SRC0_U32, SRC1_U32, valu!: cmp_f_u32 cmp_lt_u32 cmp_eq_u32 cmp_le_u32 cmp_gt_u32 cmp_ne_u32 cmp_ge_u32 cmp_t_u32),
    integer!(0xd8, "v_cmpx_", "u32", SRC0_U32, SRC1_U32, cmpx!: cmp_f_u32 cmp_lt_u32 cmp_eq_u32 cmp_le_u32 cmp_gt_u32 cmp_ne_u32 cmp_ge_u32 cmp_t_u32),
    integer!(0xe0, "v_cmp_",  "i64", SRC0_I64, SRC1_I64, valu!: cmp_f_i64 cmp_lt_i64 cmp_eq_i64 cmp_le_i64 cmp_gt_i64 cmp_ne_i64 cmp_ge_i64 cmp_t_i64),
    integer!(0xf0, "v_cmpx_", "i64", SRC0_I64, SRC1_I64, cmpx!: cmp_f_i64 cmp_lt_i64 cmp_eq_i64 cmp_le_i64 cmp_gt_i64 cmp_ne_i64 cmp_ge_i64 cmp_t_i64),
    integer!(0xe8, "v_cmp_",  "u64", SRC0_U64, SRC1_U64, valu!: cmp_f_u64 cmp_lt_u64 cmp_eq_u64 cmp_le_u64 cmp_gt_u64 cmp_ne_u64 cmp_ge_u64 cmp_t_u64),
    integer!(0xf8, "v_cmpx_", "u64", SRC0_U64, SRC1_U64, cmpx!: cmp_f_u64 cmp_lt_u64 cmp_eq_u64 cmp_le_u64 cmp_gt_u64 cmp_ne_u64 cmp_ge_u64 cmp_t_u64),
];
