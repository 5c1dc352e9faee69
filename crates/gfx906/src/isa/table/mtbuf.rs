//! MTBUF: typed buffers.

use super::columns::*;

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row(0x00, "tbuffer_load_format_x",         &[VDST_B32, ADDR, SBASE_B128, SOFFSET],    TYPED_BUFFER, scalar!(|w, e, i| typed::load(w, e, i, 1, typed::Width::Full))),
    row(0x01, "tbuffer_load_format_xy",        &[VDST_B64, ADDR, SBASE_B128, SOFFSET],    TYPED_BUFFER, scalar!(|w, e, i| typed::load(w, e, i, 2, typed::Width::Full))),
    row(0x02, "tbuffer_load_format_xyz",       &[VDST_B96, ADDR, SBASE_B128, SOFFSET],    TYPED_BUFFER, scalar!(|w, e, i| typed::load(w, e, i, 3, typed::Width::Full))),
    row(0x03, "tbuffer_load_format_xyzw",      &[VDST_B128, ADDR, SBASE_B128, SOFFSET],   TYPED_BUFFER, scalar!(|w, e, i| typed::load(w, e, i, 4, typed::Width::Full))),
    row(0x04, "tbuffer_store_format_x",        &[DATA_B32, ADDR, SBASE_B128, SOFFSET],    TYPED_BUFFER, scalar!(|w, e, i| typed::store(w, e, i, 1, typed::Width::Full))),
    row(0x05, "tbuffer_store_format_xy",       &[DATA_B64, ADDR, SBASE_B128, SOFFSET],    TYPED_BUFFER, scalar!(|w, e, i| typed::store(w, e, i, 2, typed::Width::Full))),
    row(0x06, "tbuffer_store_format_xyz",      &[DATA_B96, ADDR, SBASE_B128, SOFFSET],    TYPED_BUFFER, scalar!(|w, e, i| typed::store(w, e, i, 3, typed::Width::Full))),
    row(0x07, "tbuffer_store_format_xyzw",     &[DATA_B128, ADDR, SBASE_B128, SOFFSET],   TYPED_BUFFER, scalar!(|w, e, i| typed::store(w, e, i, 4, typed::Width::Full))),
    row(0x08, "tbuffer_load_format_d16_x",     &[VDST_B16_RW, ADDR, SBASE_B128, SOFFSET], TYPED_BUFFER, scalar!(|w, e, i| typed::load(w, e, i, 1, typed::Width::Half))),
    row(0x09, "tbuffer_load_format_d16_xy",    &[VDST_B32, ADDR, SBASE_B128, SOFFSET],    TYPED_BUFFER, scalar!(|w, e, i| typed::load(w, e, i, 2, typed::Width::Half))),
    row(0x0a, "tbuffer_load_format_d16_xyz",   &[VDST_B64, ADDR, SBASE_B128, SOFFSET],    TYPED_BUFFER, scalar!(|w, e, i| typed::load(w, e, i, 3, typed::Width::Half))),
    row(0x0b, "tbuffer_load_format_d16_xyzw",  &[VDST_B64, ADDR, SBASE_B128, SOFFSET],    TYPED_BUFFER, scalar!(|w, e, i| typed::load(w, e, i, 4, typed::Width::Half))),
    row(0x0c, "tbuffer_store_format_d16_x",    &[DATA_B16, ADDR, SBASE_B128, SOFFSET],    TYPED_BUFFER, scalar!(|w, e, i| typed::store(w, e, i, 1, typed::Width::Half))),
    row(0x0d, "tbuffer_store_format_d16_xy",   &[DATA_B32, ADDR, SBASE_B128, SOFFSET],    TYPED_BUFFER, scalar!(|w, e, i| typed::store(w, e, i, 2, typed::Width::Half))),
    row(0x0e, "tbuffer_store_format_d16_xyz",  &[DATA_B64, ADDR, SBASE_B128, SOFFSET],    TYPED_BUFFER, scalar!(|w, e, i| typed::store(w, e, i, 3, typed::Width::Half))),
    row(0x0f, "tbuffer_store_format_d16_xyzw", &[DATA_B64, ADDR, SBASE_B128, SOFFSET],    TYPED_BUFFER, scalar!(|w, e, i| typed::store(w, e, i, 4, typed::Width::Half))),
];
