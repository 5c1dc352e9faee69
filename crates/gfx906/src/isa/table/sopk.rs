//! SOPK: scalar operations with a 16-bit immediate.

use super::columns::*;

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row(0x00, "s_movk_i32",         &[SDST_I32, SIMM_I16],       NONE, salu!(s_movk_i32)),
    row(0x01, "s_cmovk_i32",        &[SDST_I32_RW, SIMM_I16],    NONE, salu!(s_cmovk_i32)),
    row(0x02, "s_cmpk_eq_i32",      &[SDST_I32_IN, SIMM_I16],    NONE, salu!(s_cmp_eq_i32)),
    row(0x03, "s_cmpk_lg_i32",      &[SDST_I32_IN, SIMM_I16],    NONE, salu!(s_cmp_lg_i32)),
    row(0x04, "s_cmpk_gt_i32",      &[SDST_I32_IN, SIMM_I16],    NONE, salu!(s_cmp_gt_i32)),
    row(0x05, "s_cmpk_ge_i32",      &[SDST_I32_IN, SIMM_I16],    NONE, salu!(s_cmp_ge_i32)),
    row(0x06, "s_cmpk_lt_i32",      &[SDST_I32_IN, SIMM_I16],    NONE, salu!(s_cmp_lt_i32)),
    row(0x07, "s_cmpk_le_i32",      &[SDST_I32_IN, SIMM_I16],    NONE, salu!(s_cmp_le_i32)),
    row(0x08, "s_cmpk_eq_u32",      &[SDST_U32_IN, SIMM_U16],    NONE, salu!(s_cmp_eq_u32)),
    row(0x09, "s_cmpk_lg_u32",      &[SDST_U32_IN, SIMM_U16],    NONE, salu!(s_cmp_lg_u32)),
    row(0x0a, "s_cmpk_gt_u32",      &[SDST_U32_IN, SIMM_U16],    NONE, salu!(s_cmp_gt_u32)),
    row(0x0b, "s_cmpk_ge_u32",      &[SDST_U32_IN, SIMM_U16],    NONE, salu!(s_cmp_ge_u32)),
    row(0x0c, "s_cmpk_lt_u32",      &[SDST_U32_IN, SIMM_U16],    NONE, salu!(s_cmp_lt_u32)),
    row(0x0d, "s_cmpk_le_u32",      &[SDST_U32_IN, SIMM_U16],    NONE, salu!(s_cmp_le_u32)),
    row(0x0e, "s_addk_i32",         &[SDST_I32_RW, SIMM_I16],    NONE, salu!(s_addk_i32)),
    row(0x0f, "s_mulk_i32",         &[SDST_I32_RW, SIMM_I16],    NONE, salu!(s_mulk_i32)),
    row(0x10, "s_cbranch_i_fork",   &[SDST_B64_IN, SIMM_BRANCH], NONE, scalar!(|w, _e, i| divergence::i_fork(w, i))),
    row(0x11, "s_getreg_b32",       &[SDST_B32, SIMM_HWREG],     NONE, scalar!(|w, e, i| control::getreg(w, e, i))),
    row(0x12, "s_setreg_b32",       &[SIMM_HWREG, SDST_B32_IN],  NONE, scalar!(|w, _e, i| control::setreg(w, i, w.scalar32(i.operands[1], 0)))),
    row(0x14, "s_setreg_imm32_b32", &[SIMM_HWREG, LITERAL_B32],  NONE, scalar!(|w, _e, i| control::setreg(w, i, i.words[1]))),
    row(0x15, "s_call_b64",         &[SDST_B64, SIMM_BRANCH],    NONE, scalar!(|w, _e, i| control::call(w, i))),
];
