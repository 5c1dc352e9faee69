//! FLAT, GLOBAL and SCRATCH: one list of memory operations for three address spaces.

use super::columns::*;

/// Loads and stores of an address space, from the prefix of the mnemonics, the address operand and the scalar base where the space has one.
#[rustfmt::skip]
macro_rules! loads_and_stores {
    ($run:ident, $space:literal, $address:ident $(, $base:ident)?) => { &[
        row(0x10, concat!($space, "load_ubyte"),         &[VDST_U8, $address $(, $base)?],             FLAT_TO_LDS, load!($run, U8)),
        row(0x11, concat!($space, "load_sbyte"),         &[VDST_I8, $address $(, $base)?],             FLAT_TO_LDS, load!($run, I8)),
        row(0x12, concat!($space, "load_ushort"),        &[VDST_U16, $address $(, $base)?],            FLAT_TO_LDS, load!($run, U16)),
        row(0x13, concat!($space, "load_sshort"),        &[VDST_I16, $address $(, $base)?],            FLAT_TO_LDS, load!($run, I16)),
        row(0x14, concat!($space, "load_dword"),         &[VDST_B32, $address $(, $base)?],            FLAT_TO_LDS, load!($run, Dwords(1))),
        row(0x15, concat!($space, "load_dwordx2"),       &[VDST_B64, $address $(, $base)?],            FLAT,        load!($run, Dwords(2))),
        row(0x16, concat!($space, "load_dwordx3"),       &[VDST_B96, $address $(, $base)?],            FLAT,        load!($run, Dwords(3))),
        row(0x17, concat!($space, "load_dwordx4"),       &[VDST_B128, $address $(, $base)?],           FLAT,        load!($run, Dwords(4))),
        row(0x18, concat!($space, "store_byte"),         &[$address, DATA_B8 $(, $base)?],             FLAT,        store!($run, U8)),
        row(0x19, concat!($space, "store_byte_d16_hi"),  &[$address, DATA_B8 $(, $base)?],             FLAT,        store!($run, U8High)),
        row(0x1a, concat!($space, "store_short"),        &[$address, DATA_B16 $(, $base)?],            FLAT,        store!($run, U16)),
        row(0x1b, concat!($space, "store_short_d16_hi"), &[$address, DATA_B16 $(, $base)?],            FLAT,        store!($run, B16High)),
        row(0x1c, concat!($space, "store_dword"),        &[$address, DATA_B32 $(, $base)?],            FLAT,        store!($run, Dwords(1))),
        row(0x1d, concat!($space, "store_dwordx2"),      &[$address, DATA_B64 $(, $base)?],            FLAT,        store!($run, Dwords(2))),
        row(0x1e, concat!($space, "store_dwordx3"),      &[$address, DATA_B96 $(, $base)?],            FLAT,        store!($run, Dwords(3))),
        row(0x1f, concat!($space, "store_dwordx4"),      &[$address, DATA_B128 $(, $base)?],           FLAT,        store!($run, Dwords(4))),
        row(0x20, concat!($space, "load_ubyte_d16"),     &[VDST_U8_RW, $address $(, $base)?],          FLAT,        load!($run, U8Low)),
        row(0x21, concat!($space, "load_ubyte_d16_hi"),  &[VDST_U8_RW, $address $(, $base)?],          FLAT,        load!($run, U8High)),
        row(0x22, concat!($space, "load_sbyte_d16"),     &[VDST_I8_RW, $address $(, $base)?],          FLAT,        load!($run, I8Low)),
        row(0x23, concat!($space, "load_sbyte_d16_hi"),  &[VDST_I8_RW, $address $(, $base)?],          FLAT,        load!($run, I8High)),
        row(0x24, concat!($space, "load_short_d16"),     &[VDST_B16_RW, $address $(, $base)?],         FLAT,        load!($run, B16Low)),
        row(0x25, concat!($space, "load_short_d16_hi"),  &[VDST_B16_RW, $address $(, $base)?],         FLAT,        load!($run, B16High)),
    ] };
}

/// Atomics. With GLC they return the old value.
#[rustfmt::skip]
macro_rules! atomics {
    ($space:literal, $address:ident $(, $base:ident)?) => { &[
        row(0x40, concat!($space, "atomic_swap"),       &[VDST_B32, $address, DATA_B32 $(, $base)?],  ATOMIC,      flat_atomic32!(atomic_swap)),
        row(0x41, concat!($space, "atomic_cmpswap"),    &[VDST_B32, $address, DATA_B64 $(, $base)?],  ATOMIC,      flat_compare32!(atomic_cmpswap)),
        row(0x42, concat!($space, "atomic_add"),        &[VDST_U32, $address, DATA_U32 $(, $base)?],  ATOMIC,      flat_atomic32!(atomic_add)),
        row(0x43, concat!($space, "atomic_sub"),        &[VDST_U32, $address, DATA_U32 $(, $base)?],  ATOMIC,      flat_atomic32!(atomic_sub)),
        row(0x44, concat!($space, "atomic_smin"),       &[VDST_I32, $address, DATA_I32 $(, $base)?],  ATOMIC,      flat_atomic32!(atomic_smin)),
        row(0x45, concat!($space, "atomic_umin"),       &[VDST_U32, $address, DATA_U32 $(, $base)?],  ATOMIC,      flat_atomic32!(atomic_umin)),
        row(0x46, concat!($space, "atomic_smax"),       &[VDST_I32, $address, DATA_I32 $(, $base)?],  ATOMIC,      flat_atomic32!(atomic_smax)),
        row(0x47, concat!($space, "atomic_umax"),       &[VDST_U32, $address, DATA_U32 $(, $base)?],  ATOMIC,      flat_atomic32!(atomic_umax)),
        row(0x48, concat!($space, "atomic_and"),        &[VDST_B32, $address, DATA_B32 $(, $base)?],  ATOMIC,      flat_atomic32!(atomic_and)),
        row(0x49, concat!($space, "atomic_or"),         &[VDST_B32, $address, DATA_B32 $(, $base)?],  ATOMIC,      flat_atomic32!(atomic_or)),
        row(0x4a, concat!($space, "atomic_xor"),        &[VDST_B32, $address, DATA_B32 $(, $base)?],  ATOMIC,      flat_atomic32!(atomic_xor)),
        row(0x4b, concat!($space, "atomic_inc"),        &[VDST_U32, $address, DATA_U32 $(, $base)?],  ATOMIC,      flat_atomic32!(atomic_inc)),
        row(0x4c, concat!($space, "atomic_dec"),        &[VDST_U32, $address, DATA_U32 $(, $base)?],  ATOMIC,      flat_atomic32!(atomic_dec)),
        row(0x60, concat!($space, "atomic_swap_x2"),    &[VDST_B64, $address, DATA_B64 $(, $base)?],  ATOMIC,      flat_atomic64!(atomic_swap_x2)),
        row(0x61, concat!($space, "atomic_cmpswap_x2"), &[VDST_B64, $address, DATA_B128 $(, $base)?], ATOMIC,      flat_compare64!(atomic_cmpswap_x2)),
        row(0x62, concat!($space, "atomic_add_x2"),     &[VDST_U64, $address, DATA_U64 $(, $base)?],  ATOMIC,      flat_atomic64!(atomic_add_x2)),
        row(0x63, concat!($space, "atomic_sub_x2"),     &[VDST_U64, $address, DATA_U64 $(, $base)?],  ATOMIC,      flat_atomic64!(atomic_sub_x2)),
        row(0x64, concat!($space, "atomic_smin_x2"),    &[VDST_I64, $address, DATA_I64 $(, $base)?],  ATOMIC,      flat_atomic64!(atomic_smin_x2)),
        row(0x65, concat!($space, "atomic_umin_x2"),    &[VDST_U64, $address, DATA_U64 $(, $base)?],  ATOMIC,      flat_atomic64!(atomic_umin_x2)),
        row(0x66, concat!($space, "atomic_smax_x2"),    &[VDST_I64, $address, DATA_I64 $(, $base)?],  ATOMIC,      flat_atomic64!(atomic_smax_x2)),
        row(0x67, concat!($space, "atomic_umax_x2"),    &[VDST_U64, $address, DATA_U64 $(, $base)?],  ATOMIC,      flat_atomic64!(atomic_umax_x2)),
        row(0x68, concat!($space, "atomic_and_x2"),     &[VDST_B64, $address, DATA_B64 $(, $base)?],  ATOMIC,      flat_atomic64!(atomic_and_x2)),
        row(0x69, concat!($space, "atomic_or_x2"),      &[VDST_B64, $address, DATA_B64 $(, $base)?],  ATOMIC,      flat_atomic64!(atomic_or_x2)),
        row(0x6a, concat!($space, "atomic_xor_x2"),     &[VDST_B64, $address, DATA_B64 $(, $base)?],  ATOMIC,      flat_atomic64!(atomic_xor_x2)),
        row(0x6b, concat!($space, "atomic_inc_x2"),     &[VDST_U64, $address, DATA_U64 $(, $base)?],  ATOMIC,      flat_atomic64!(atomic_inc_x2)),
        row(0x6c, concat!($space, "atomic_dec_x2"),     &[VDST_U64, $address, DATA_U64 $(, $base)?],  ATOMIC,      flat_atomic64!(atomic_dec_x2)),
    ] };
}

pub(super) const FLAT_ROWS: &[Row] = loads_and_stores!(flat, "flat_", ADDR_B64);
pub(super) const FLAT_ATOMICS: &[Row] = atomics!("flat_", ADDR_B64);
pub(super) const GLOBAL_ROWS: &[Row] = loads_and_stores!(global, "global_", ADDR_B64, SADDR_B64);
pub(super) const GLOBAL_ATOMICS: &[Row] = atomics!("global_", ADDR_B64, SADDR_B64);
pub(super) const SCRATCH_ROWS: &[Row] = loads_and_stores!(scratch, "scratch_", ADDR, SADDR_B32);
