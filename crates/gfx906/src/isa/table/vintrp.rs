//! VINTRP: parameter interpolation.

use super::columns::*;

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row(0x00, "v_interp_p1_f32",  &[VDST_F32, SRC0_F32, ATTR],    INTERP, none),
    row(0x01, "v_interp_p2_f32",  &[VDST_F32_RW, SRC0_F32, ATTR], INTERP, none),
    row(0x02, "v_interp_mov_f32", &[VDST_F32, PARAM, ATTR],       TO_FLOAT, none),
];
