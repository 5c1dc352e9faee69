//! SOPP: program control.

use super::columns::*;

#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    row(0x00, "s_nop",                      &[SIMM_U16],       NONE, nothing!()),
    row(0x01, "s_endpgm",                   &[SIMM_OPTIONAL],  NONE, control!(|w| control::end(w))),
    row(0x02, "s_branch",                   &[SIMM_BRANCH],    NONE, branch!(|_w| true)),
    row(0x03, "s_wakeup",                   &[],               NONE, nothing!()),
    row(0x04, "s_cbranch_scc0",             &[SIMM_BRANCH],    NONE, branch!(|w| !w.scc)),
    row(0x05, "s_cbranch_scc1",             &[SIMM_BRANCH],    NONE, branch!(|w| w.scc)),
    row(0x06, "s_cbranch_vccz",             &[SIMM_BRANCH],    NONE, branch!(|w| w.vcc() == 0)),
    row(0x07, "s_cbranch_vccnz",            &[SIMM_BRANCH],    NONE, branch!(|w| w.vcc() != 0)),
    row(0x08, "s_cbranch_execz",            &[SIMM_BRANCH],    NONE, branch!(|w| w.exec() == 0)),
    row(0x09, "s_cbranch_execnz",           &[SIMM_BRANCH],    NONE, branch!(|w| w.exec() != 0)),
    row(0x0a, "s_barrier",                  &[],               NONE, control!(|w| control::barrier(w))),
    row(0x0b, "s_setkill",                  &[SIMM_U16],       NONE, scalar!(|w, _e, i| control::kill(w, i.literal & 1 != 0))),
    row(0x0c, "s_waitcnt",                  &[SIMM_WAITCNT],   NONE, wait!()),
    row(0x0d, "s_sethalt",                  &[SIMM_U16],       NONE, scalar!(|w, _e, i| control::halt(w, i.literal & 1 != 0))),
    row(0x0e, "s_sleep",                    &[SIMM_U16],       NONE, control!(|w| control::sleep(w))),
    row(0x0f, "s_setprio",                  &[SIMM_U16],       NONE, nothing!()),
    row(0x10, "s_sendmsg",                  &[SIMM_MESSAGE],   NONE, nothing!()),
    row(0x11, "s_sendmsghalt",              &[SIMM_MESSAGE],   NONE, control!(|w| control::halt(w, true))),
    row(0x12, "s_trap",                     &[SIMM_U16],       NONE, scalar!(|_w, _e, i| control::trap(i))),
    row(0x13, "s_icache_inv",               &[],               NONE, nothing!()),
    row(0x14, "s_incperflevel",             &[SIMM_U16],       NONE, nothing!()),
    row(0x15, "s_decperflevel",             &[SIMM_U16],       NONE, nothing!()),
    row(0x16, "s_ttracedata",               &[],               NONE, nothing!()),
    row(0x17, "s_cbranch_cdbgsys",          &[SIMM_BRANCH],    NONE, branch!(|_w| false)),
    row(0x18, "s_cbranch_cdbguser",         &[SIMM_BRANCH],    NONE, branch!(|_w| false)),
    row(0x19, "s_cbranch_cdbgsys_or_user",  &[SIMM_BRANCH],    NONE, branch!(|_w| false)),
    row(0x1a, "s_cbranch_cdbgsys_and_user", &[SIMM_BRANCH],    NONE, branch!(|_w| false)),
    row(0x1b, "s_endpgm_saved",             &[],               NONE, control!(|w| control::end(w))),
    row(0x1c, "s_set_gpr_idx_off",          &[],               NONE, control!(|w| indexing::off(w))),
    row(0x1d, "s_set_gpr_idx_mode",         &[SIMM_GPR_INDEX], NONE, scalar!(|w, _e, i| indexing::mode(w, i.literal))),
    row(0x1e, "s_endpgm_ordered_ps_done",   &[],               NONE, control!(|w| control::end(w))),
];
