//! SOPC: scalar comparisons, which write SCC.

use super::columns::*;

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row(0x00, "s_cmp_eq_i32",     &[SRC0_I32, SRC1_I32],  NONE, salu!(s_cmp_eq_i32)),
    row(0x01, "s_cmp_lg_i32",     &[SRC0_I32, SRC1_I32],  NONE, salu!(s_cmp_lg_i32)),
    row(0x02, "s_cmp_gt_i32",     &[SRC0_I32, SRC1_I32],  NONE, salu!(s_cmp_gt_i32)),
    row(0x03, "s_cmp_ge_i32",     &[SRC0_I32, SRC1_I32],  NONE, salu!(s_cmp_ge_i32)),
    row(0x04, "s_cmp_lt_i32",     &[SRC0_I32, SRC1_I32],  NONE, salu!(s_cmp_lt_i32)),
    row(0x05, "s_cmp_le_i32",     &[SRC0_I32, SRC1_I32],  NONE, salu!(s_cmp_le_i32)),
    row(0x06, "s_cmp_eq_u32",     &[SRC0_U32, SRC1_U32],  NONE, salu!(s_cmp_eq_u32)),
    row(0x07, "s_cmp_lg_u32",     &[SRC0_U32, SRC1_U32],  NONE, salu!(s_cmp_lg_u32)),
    row(0x08, "s_cmp_gt_u32",     &[SRC0_U32, SRC1_U32],  NONE, salu!(s_cmp_gt_u32)),
    row(0x09, "s_cmp_ge_u32",     &[SRC0_U32, SRC1_U32],  NONE, salu!(s_cmp_ge_u32)),
    row(0x0a, "s_cmp_lt_u32",     &[SRC0_U32, SRC1_U32],  NONE, salu!(s_cmp_lt_u32)),
    row(0x0b, "s_cmp_le_u32",     &[SRC0_U32, SRC1_U32],  NONE, salu!(s_cmp_le_u32)),
    row(0x0c, "s_bitcmp0_b32",    &[SRC0_B32, SRC1_U32],  NONE, salu!(s_bitcmp0_b32)),
    row(0x0d, "s_bitcmp1_b32",    &[SRC0_B32, SRC1_U32],  NONE, salu!(s_bitcmp1_b32)),
    row(0x0e, "s_bitcmp0_b64",    &[SRC0_B64, SRC1_U32],  NONE, salu!(s_bitcmp0_b64)),
    row(0x0f, "s_bitcmp1_b64",    &[SRC0_B64, SRC1_U32],  NONE, salu!(s_bitcmp1_b64)),
    row(0x10, "s_setvskip",       &[SRC0_B32, SRC1_B32],  NONE, scalar!(|w, _e, i| indexing::set_vskip(w, i))),
    row(0x11, "s_set_gpr_idx_on", &[SRC0_B32, GPR_INDEX], NONE, scalar!(|w, _e, i| indexing::on(w, i))),
    row(0x12, "s_cmp_eq_u64",     &[SRC0_U64, SRC1_U64],  NONE, salu!(s_cmp_eq_u64)),
    row(0x13, "s_cmp_lg_u64",     &[SRC0_U64, SRC1_U64],  NONE, salu!(s_cmp_lg_u64)),
];
