//! Tests on small assembled programs with one mistake each, and on corrected versions of them.

use super::{Check, Checks, Sanitizer};
use crate::machine::{Wave, rig};

/// Runs a program on some waves, and returns the check and rule of each finding.
fn found(words: &str, waves: usize, set_up: impl Fn(&mut Wave)) -> Vec<(Check, &'static str)> {
    let mut sanitizer = Sanitizer::new(Checks::ALL);
    let trap = rig::run(words, waves, set_up, &mut sanitizer);
    assert_eq!(trap, None);
    let findings = sanitizer.findings().iter();
    findings
        .map(|finding| (finding.check, finding.kind))
        .collect()
}

#[test]
fn a_load_is_waited_for() {
    // s_load_dword s2, s[0:1], 0x0; s_waitcnt lgkmcnt(0); s_add_u32 s3, s2, s2
    let waited = "c0020080 00000000 bf8cc07f 80030202";
    assert_eq!(found(waited, 1, |_| {}), []);
    let early = "c0020080 00000000 80030202";
    assert_eq!(found(early, 1, |_| {}), [(Check::Wait, "read too early")]);
}

#[test]
fn dpp_reads_what_was_written_two_wait_states_before() {
    // v_mov_b32 v1, v0; s_nop N; v_mov_b32_dpp v2, v1 row_shr:1 row_mask:0xf bank_mask:0xf
    let program = |nop: &str| format!("7e020300 {nop} 7e0402fa ff011101");
    assert_eq!(found(&program("bf800001"), 1, |_| {}), []);
    let close = [(Check::Hazard, "VGPR before DPP")];
    assert_eq!(found(&program("bf800000"), 1, |_| {}), close);
    assert_eq!(found(&program(""), 1, |_| {}), close);
}

/// Returns the kinds of the race check's findings.
fn races(words: &str, waves: usize) -> Vec<&'static str> {
    let found = found(words, waves, |_| {}).into_iter();
    let races = found.filter(|(check, _)| *check == Check::Race);
    races.map(|(_, kind)| kind).collect()
}

// v_lshlrev_b32 v1, 2, v0; ds_write_b32 v1, v0; ds_read_b32 v2, v1: every wave uses the same dwords, or adds its number.
const WRITE: &str = "24020082 d81a0000 00000001 bf8cc07f";
const READ: &str = "d86c0000 02000001 bf8cc07f";
const BARRIER: &str = "bf8a0000";
// v_cmp_ne_u32 vcc, 0, v2; s_cbranch_vccz to the next instruction: the value that was read decides a branch.
const USE: &str = "7d9a0480 bf860000";

#[test]
fn waves_that_write_the_same_values_do_not_race() {
    assert_eq!(races(WRITE, 2), <[&str; 0]>::default());
}

#[test]
fn a_barrier_orders_what_waves_do_in_lds() {
    // v_add_u32 v3, s4, v0, where s4 is the wave's number, makes different values.
    let set_up = |wave: &mut Wave| wave.s[4] = wave.index;
    let find = |words: &str| -> Vec<&'static str> {
        let found = found(words, 2, set_up).into_iter();
        let races = found.filter(|(check, _)| *check == Check::Race);
        races.map(|(_, kind)| kind).collect()
    };
    // v_add_u32_e32 v3, s4, v0; ds_write_b32 v1, v3
    let write = "24020082 68060004 d81a0000 00000301 bf8cc07f";
    assert_eq!(find(write), ["two waves write LDS"]);
    // Wave 0 writes (s_cmp_eq_u32 s4, 0; s_cbranch_scc0 over it), and both waves read.
    let first = "24020082 bf068004 bf840003 d81a0000 00000001 bf8cc07f";
    let unused = format!("{first} {READ}");
    assert_eq!(find(&unused), <[&str; 0]>::default());
    let together = format!("{first} {READ} {USE}");
    assert_eq!(find(&together), ["LDS is read while it is written"]);
    let apart = format!("{first} {BARRIER} {READ} {USE}");
    assert_eq!(find(&apart), <[&str; 0]>::default());
}

/// Returns the findings of `sync` for a program of one wave.
fn of_barriers(words: &str) -> Vec<String> {
    let mut sanitizer = Sanitizer::new([Check::Sync].into_iter().collect());
    assert_eq!(rig::run(words, 1, |_| {}, &mut sanitizer), None);
    let findings = sanitizer.findings().iter();
    findings
        .map(|finding| format!("{}: {}", finding.kind, finding.what))
        .collect()
}

#[test]
fn lanes_that_go_on_behind_a_barrier_have_come_to_it() {
    // s_mov_b64 exec, 0xff; s_mov_b64 exec, -1; v_lshlrev_b32 v1, 2, v0; global_store_dword v1, v0, s[0:1].
    const SOME: &str = "befe01ff 000000ff";
    const EVERY: &str = "befe01c1";
    const SET_UP: &str = "24020082";
    const STORE: &str = "dc708000 00000001";
    let skipped = |behind: &str| of_barriers(&format!("{SET_UP} {SOME} {BARRIER} {behind}"));
    let gone_on =
        "barrier under divergence: lanes that were off at a barrier have gone on behind it";
    assert_eq!(skipped(&format!("{EVERY} {STORE}")), [gone_on]);
    assert_eq!(skipped(&format!("{EVERY} {READ}")), [gone_on]);
    // Lanes have returned. EXEC may include them again at the end, where nothing is done.
    assert_eq!(skipped(EVERY), [""; 0]);
    assert_eq!(skipped(&format!("{STORE} {READ} {EVERY}")), [""; 0]);
    assert_eq!(skipped(&format!("{STORE} {BARRIER} {STORE}")), [""; 0]);
    // Lanes leave a loop one after the other: at the second barrier more of them are disabled.
    let fewer = "befe018f";
    let rounds = format!("{fewer} {BARRIER} {EVERY} {STORE}");
    assert_eq!(skipped(&rounds), [gone_on, gone_on]);
    // One finding suffices for lanes that arrive at another barrier.
    let another =
        "barrier under divergence: lanes that come to this barrier were off at an earlier one";
    assert_eq!(skipped(&format!("{EVERY} {STORE} {BARRIER}")), [another]);
}
