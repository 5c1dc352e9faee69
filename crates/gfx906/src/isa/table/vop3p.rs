//! VOP3P: packed, mixed-precision and dot-product operations.

use super::columns::*;

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row(0x00, "v_pk_mad_i16",     &[VDST_I16X2, SRC0_I16X2, SRC1_I16X2, SRC2_I16X2], PACKED, valu!(pk_mad_i16, pk_mad_i16_sat)),
    row(0x01, "v_pk_mul_lo_u16",  &[VDST_U16X2, SRC0_U16X2, SRC1_U16X2],             PACKED, valu!(pk_mul_lo_u16, pk_mul_lo_u16_sat)),
    row(0x02, "v_pk_add_i16",     &[VDST_I16X2, SRC0_I16X2, SRC1_I16X2],             PACKED, valu!(pk_add_i16, pk_add_i16_sat)),
    row(0x03, "v_pk_sub_i16",     &[VDST_I16X2, SRC0_I16X2, SRC1_I16X2],             PACKED, valu!(pk_sub_i16, pk_sub_i16_sat)),
    row(0x04, "v_pk_lshlrev_b16", &[VDST_B16X2, SRC0_U16X2, SRC1_B16X2],             PACKED, valu!(pk_lshlrev_b16)),
    row(0x05, "v_pk_lshrrev_b16", &[VDST_B16X2, SRC0_U16X2, SRC1_B16X2],             PACKED, valu!(pk_lshrrev_b16)),
    row(0x06, "v_pk_ashrrev_i16", &[VDST_I16X2, SRC0_U16X2, SRC1_I16X2],             PACKED, valu!(pk_ashrrev_i16)),
    row(0x07, "v_pk_max_i16",     &[VDST_I16X2, SRC0_I16X2, SRC1_I16X2],             PACKED, valu!(pk_max_i16)),
    row(0x08, "v_pk_min_i16",     &[VDST_I16X2, SRC0_I16X2, SRC1_I16X2],             PACKED, valu!(pk_min_i16)),
    row(0x09, "v_pk_mad_u16",     &[VDST_U16X2, SRC0_U16X2, SRC1_U16X2, SRC2_U16X2], PACKED, valu!(pk_mad_u16, pk_mad_u16_sat)),
    row(0x0a, "v_pk_add_u16",     &[VDST_U16X2, SRC0_U16X2, SRC1_U16X2],             PACKED, valu!(pk_add_u16, pk_add_u16_sat)),
    row(0x0b, "v_pk_sub_u16",     &[VDST_U16X2, SRC0_U16X2, SRC1_U16X2],             PACKED, valu!(pk_sub_u16, pk_sub_u16_sat)),
    row(0x0c, "v_pk_max_u16",     &[VDST_U16X2, SRC0_U16X2, SRC1_U16X2],             PACKED, valu!(pk_max_u16)),
    row(0x0d, "v_pk_min_u16",     &[VDST_U16X2, SRC0_U16X2, SRC1_U16X2],             PACKED, valu!(pk_min_u16)),
    row(0x0e, "v_pk_fma_f16",     &[VDST_F16X2, SRC0_F16X2, SRC1_F16X2, SRC2_F16X2], PACKED, valu!(pk_fma_f16)),
    row(0x0f, "v_pk_add_f16",     &[VDST_F16X2, SRC0_F16X2, SRC1_F16X2],             PACKED, valu!(pk_add_f16)),
    row(0x10, "v_pk_mul_f16",     &[VDST_F16X2, SRC0_F16X2, SRC1_F16X2],             PACKED, valu!(pk_mul_f16)),
    row(0x11, "v_pk_min_f16",     &[VDST_F16X2, SRC0_F16X2, SRC1_F16X2],             PACKED, valu!(pk_min_f16)),
    row(0x12, "v_pk_max_f16",     &[VDST_F16X2, SRC0_F16X2, SRC1_F16X2],             PACKED, valu!(pk_max_f16)),
    row(0x20, "v_fma_mix_f32",    &[VDST_F32, SRC0_MIX, SRC1_MIX, SRC2_MIX],         MIX,    valu!(fma_mix_f32)),
    row(0x21, "v_fma_mixlo_f16",  &[VDST_F16_RW, SRC0_MIX, SRC1_MIX, SRC2_MIX],      MIX,    valu!(fma_mixlo_f16)),
    row(0x22, "v_fma_mixhi_f16",  &[VDST_F16_RW, SRC0_MIX, SRC1_MIX, SRC2_MIX],      MIX_HI, valu!(fma_mixhi_f16)),
    row(0x23, "v_dot2_f32_f16",   &[VDST_F32, SRC0_F16X2, SRC1_F16X2, SRC2_F32],     PACKED, valu!(dot2_f32_f16)),
    row(0x26, "v_dot2_i32_i16",   &[VDST_I32, SRC0_I16X2, SRC1_I16X2, SRC2_I32],     PACKED, valu!(dot2_i32_i16, dot2_i32_i16_sat)),
    row(0x27, "v_dot2_u32_u16",   &[VDST_U32, SRC0_U16X2, SRC1_U16X2, SRC2_U32],     PACKED, valu!(dot2_u32_u16, dot2_u32_u16_sat)),
    row(0x28, "v_dot4_i32_i8",    &[VDST_I32, SRC0_B32, SRC1_B32, SRC2_I32],         PACKED, valu!(dot4_i32_i8, dot4_i32_i8_sat)),
    row(0x29, "v_dot4_u32_u8",    &[VDST_U32, SRC0_B32, SRC1_B32, SRC2_U32],         PACKED, valu!(dot4_u32_u8, dot4_u32_u8_sat)),
    row(0x2a, "v_dot8_i32_i4",    &[VDST_I32, SRC0_B32, SRC1_B32, SRC2_I32],         PACKED, valu!(dot8_i32_i4, dot8_i32_i4_sat)),
    row(0x2b, "v_dot8_u32_u4",    &[VDST_U32, SRC0_B32, SRC1_B32, SRC2_U32],         PACKED, valu!(dot8_u32_u4, dot8_u32_u4_sat)),
];
