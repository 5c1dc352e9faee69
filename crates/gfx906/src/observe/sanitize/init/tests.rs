//! Tests on assembled programs with one mistake each, on corrected versions of them, and by a law for every instruction that computes.

mod law;

use std::sync::Arc;

use super::super::{Check, Finding, Heap, Sanitizer};
use crate::isa::Code;
use crate::machine::{Wave, rig};

/// Address of 1024 bytes, of which only the first 256 have been written.
const A: u64 = rig::MEMORY + 1024;

/// Runs a program on one wave with s[2:3] at `a`, and returns the check's findings.
fn found(words: &str) -> Vec<Finding> {
    let heap = Heap::default();
    heap.declare("a", A..A + 1024, A..A + 1024, None);
    heap.undefined(A..A + 1024);
    heap.written(A..A + 256);
    let checks = [Check::Init].into_iter().collect();
    let mut sanitizer = Sanitizer::new(checks).with_heap(Arc::new(heap));
    let set_up = |wave: &mut Wave| wave.set_scalar64(Code(2), A);
    let trap = rig::run(words, 1, set_up, &mut sanitizer);
    assert_eq!(trap, None);
    sanitizer.findings().iter().cloned().collect()
}

/// Returns rule, place and other side of each finding.
fn told(words: &str) -> Vec<(&'static str, u64, String)> {
    let findings = found(words).into_iter();
    findings
        .map(|f| {
            (
                f.kind,
                f.at.pc - 0x100,
                f.other.expect("where it comes from").did,
            )
        })
        .collect()
}

fn kinds(words: &str) -> Vec<(&'static str, u64)> {
    told(words)
        .into_iter()
        .map(|(kind, pc, _)| (kind, pc))
        .collect()
}

/// v_lshlrev_b32 v1, 2, v0: an offset of one dword per lane.
const DWORDS: &str = "24020082";
/// global_store_dword v1, v5, s[0:1]
const STORE: &str = "dc708000 00000501";

#[test]
fn a_register_that_nobody_wrote_must_not_be_stored() {
    let missing = format!("{DWORDS} {STORE}");
    assert_eq!(
        told(&missing),
        [("undefined store", 4, "nobody wrote v5".to_owned())]
    );
    // v_mov_b32 v5, 0
    assert_eq!(told(&format!("{DWORDS} 7e0a0280 {STORE}")), []);
    // The value comes from v6, which nobody wrote, by v_mov_b32 v5, v6.
    let moved = format!("{DWORDS} 7e0a0306 {STORE}");
    assert_eq!(
        told(&moved),
        [("undefined store", 8, "nobody wrote v6".to_owned())]
    );
}

#[test]
fn an_address_must_be_defined_to_the_bit() {
    // v_and_b32 v5, 0xfc, v5; global_store_dword v5, v0, s[0:1]
    let some = "260a0aff 000000fc dc708000 00000005";
    assert_eq!(kinds(some), [("undefined address", 8)]);
    // v_and_b32 v5, 0, v5
    assert_eq!(kinds("260a0a80 dc708000 00000005"), []);
}

#[test]
fn branches_must_be_defined() {
    // s_cmp_eq_u32 s20, 0; s_cbranch_scc1 0
    let told_here = told("bf068014 bf850000");
    assert_eq!(
        told_here,
        [("undefined branch", 4, "nobody wrote s20".to_owned())]
    );
    // s_mov_b32 s20, 0
    assert_eq!(told("be940080 bf068014 bf850000"), []);
    // v_cmp_gt_u32 vcc, 5, v7; s_cbranch_vccnz 0
    assert_eq!(kinds("7d980e85 bf870000"), [("undefined branch", 4)]);
    // v_mov_b32 v7, 9
    assert_eq!(kinds("7e0e0289 7d980e85 bf870000"), []);
}

#[test]
fn exec_must_be_defined_in_the_lanes_that_count() {
    // s_and_saveexec_b64 s[4:5], s[20:21]
    assert_eq!(kinds("be842014"), [("undefined EXEC", 0)]);
    // v_cmp_gt_u32 vcc, 5, v0; s_and_saveexec_b64 s[4:5], vcc
    assert_eq!(kinds("7d980085 be84206a"), []);
    // The mask is undefined only in disabled lanes: s_andn2_b64 s[6:7], s[20:21], exec; s_and_saveexec_b64 s[4:5], s[6:7]
    assert_eq!(kinds("89867e14 be842006"), []);
}

#[test]
fn lds_that_nobody_wrote_is_known_by_its_byte() {
    // ds_read_b32 v5, v1
    let missing = format!("{DWORDS} d86c0000 05000001 {STORE}");
    let all = found(&missing);
    assert_eq!(all.len(), 1);
    let other = all[0].other.as_ref().expect("the load");
    assert_eq!(other.did, "reads byte 0 of LDS, which nobody wrote");
    assert_eq!(other.site.as_ref().map(|site| site.pc), Some(0x104));
    // ds_write_b32 v1, v0 before
    assert_eq!(
        told(&format!(
            "{DWORDS} d81a0000 00000001 d86c0000 05000001 {STORE}"
        )),
        []
    );
    // ds_write_b16 v1, v0: a partly undefined value is padding
    assert_eq!(
        told(&format!(
            "{DWORDS} d83e0000 00000001 d86c0000 05000001 {STORE}"
        )),
        []
    );
    // ds_read_u16 v5, v1 offset:2; global_store_short v1, v5, s[0:1]: the half that nobody wrote
    let half = format!("{DWORDS} d83e0000 00000001 d8780002 05000001 dc688000 00000501");
    assert_eq!(kinds(&half), [("undefined store", 20)]);
    // ds_read_u16 v5, v1: the half that was written
    let half = format!("{DWORDS} d83e0000 00000001 d8780000 05000001 dc688000 00000501");
    assert_eq!(kinds(&half), []);
}

#[test]
fn scratch_is_known_lane_by_lane() {
    // v_mov_b32 v6, 0; scratch_load_dword v5, v6, off
    let missing = format!("{DWORDS} 7e0c0280 dc504000 057f0006 {STORE}");
    let other = "reads byte 0 of the work-item's stack, which nobody wrote";
    assert_eq!(told(&missing), [("undefined store", 16, other.to_owned())]);
    // scratch_store_dword v6, v0, off before
    assert_eq!(
        told(&format!(
            "{DWORDS} 7e0c0280 dc704000 007f0006 dc504000 057f0006 {STORE}"
        )),
        []
    );
    // A register that is undefined may be spilled: scratch_store_dword v6, v5, off
    assert_eq!(told("7e0c0280 dc704000 007f0506"), []);
}

#[test]
fn lanes_that_were_off_keep_what_they_had() {
    // v_cmp_gt_u32 vcc, 5, v0; s_and_saveexec_b64 s[4:5], vcc; v_mov_b32 v5, 0; s_mov_b64 exec, s[4:5]
    let some = format!("{DWORDS} 7d980085 be84206a 7e0a0280 befe0104 {STORE}");
    let all = found(&some);
    assert_eq!(all.len(), 1);
    assert_eq!((all[0].kind, all[0].lanes), ("undefined store", !0 << 5));
    // The store runs while the undefined lanes are disabled.
    assert_eq!(
        told(&format!("{DWORDS} 7d980085 be84206a 7e0a0280 {STORE}")),
        []
    );
}

#[test]
fn scalars_are_spilled_to_lanes() {
    // v_writelane_b32 v5, s0, 3; v_readlane_b32 s4, v5, 3; s_cmp_eq_u32 s4, 0; s_cbranch_scc1 0
    assert_eq!(
        kinds("d28a0005 00010600 d2890004 00010705 bf068004 bf850000"),
        []
    );
    // v_readlane_b32 s4, v5, 4
    let other = kinds("d28a0005 00010600 d2890004 00010905 bf068004 bf850000");
    assert_eq!(other, [("undefined branch", 20)]);
}

#[test]
fn lanes_of_dpp_without_a_source_keep_what_they_had() {
    // v_mov_b32 v6, 0; v_mov_b32_dpp v5, v6 row_shr:1 row_mask:0xf bank_mask:0xf
    let keep = format!("{DWORDS} 7e0c0280 7e0a02fa ff011106 {STORE}");
    let all = found(&keep);
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].lanes, 0x0001_0001_0001_0001);
    // ... bound_ctrl:0
    assert_eq!(
        told(&format!("{DWORDS} 7e0c0280 7e0a02fa ff091106 {STORE}")),
        []
    );
}

#[test]
fn halves_are_written_one_by_one() {
    // v_mov_b32_sdwa v5, v0 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0; v_lshrrev_b32 v5, 16, v5
    assert_eq!(
        told(&format!("{DWORDS} 7e0a02f9 00041500 200a0a90 {STORE}")),
        []
    );
    // global_load_short_d16_hi v5, v1, s[0:1]; global_store_short v1, v5, s[0:1]: the low half
    let low = format!("{DWORDS} dc948000 05000001 dc688000 00000501");
    assert_eq!(kinds(&low), [("undefined store", 12)]);
    // global_load_short_d16 v5, v1, s[0:1]
    assert_eq!(
        kinds(&format!("{DWORDS} dc908000 05000001 dc688000 00000501")),
        []
    );
}

#[test]
fn memory_that_somebody_declared_is_known_by_name() {
    // global_load_dword v5, v1, s[2:3] offset:256
    let missing = format!("{DWORDS} dc508100 05020001 {STORE}");
    let other = "reads byte 256 of `a` (1024 bytes), which nobody wrote";
    assert_eq!(told(&missing), [("undefined store", 12, other.to_owned())]);
    // The host wrote these bytes, and then the kernel writes them: global_store_dword v1, v0, s[2:3] offset:256
    assert_eq!(told(&format!("{DWORDS} dc508000 05020001 {STORE}")), []);
    assert_eq!(
        told(&format!(
            "{DWORDS} dc708100 00020001 dc508100 05020001 {STORE}"
        )),
        []
    );
    // global_atomic_add v1, v0, s[2:3] offset:256
    assert_eq!(
        kinds(&format!("{DWORDS} dd088100 00020001")),
        [("undefined atomic", 4)]
    );
    assert_eq!(kinds(&format!("{DWORDS} dd088000 00020001")), []);
    // v_lshlrev_b32 v1, 3, v0; global_store_dword v1, v0, s[2:3] offset:256; global_atomic_add_x2 v1, v[0:1], s[2:3] offset:256:
    // nobody wrote the upper halves
    let upper = "24020083 dc708100 00020001 dd888100 00020001";
    let place = "reads byte 260 of `a` (1024 bytes), which nobody wrote";
    assert_eq!(told(upper), [("undefined atomic", 12, place.to_owned())]);
    // global_store_dwordx2 v1, v[0:1], s[2:3] offset:256
    let whole = "24020083 dc748100 00020001 dd888100 00020001";
    assert_eq!(kinds(whole), []);
}

#[test]
fn sums_carry_upwards_and_shifts_take_along() {
    // ds_write_b16 v1, v0; ds_read_b32 v5, v1: the upper half is undefined; v_add_u32 v5, v5, v0;
    // global_store_short v1, v5, s[0:1]
    let upper = format!("{DWORDS} d83e0000 00000001 d86c0000 05000001");
    assert_eq!(told(&format!("{upper} 680a0105 dc688000 00000501")), []);
    // v_lshrrev_b32 v5, 16, v5
    let shifted = told(&format!("{upper} 200a0a90 dc688000 00000501"));
    assert_eq!(shifted.len(), 1);
}

#[test]
fn part_of_an_element_is_padding() {
    // v_mov_b32 v4, 0; global_store_dwordx2 v1, v[4:5], s[0:1]
    assert_eq!(told(&format!("{DWORDS} 7e080280 dc748000 00000401")), []);
    assert_eq!(
        kinds(&format!("{DWORDS} dc748000 00000401")),
        [("undefined store", 4)]
    );
}

#[test]
fn settings_must_be_defined_and_indices_name_registers() {
    // s_setreg_b32 hwreg(HW_REG_MODE), s20
    assert_eq!(kinds("b914f801"), [("undefined setting", 0)]);
    // s_mov_b32 s2, 7; s_set_gpr_idx_on s2, gpr_idx(SRC0); v_mov_b32 v5, v0; s_set_gpr_idx_off: v7
    let index = "be820087 bf110102 7e0a0300 bf9c0000";
    let other = told(&format!("{DWORDS} {index} {STORE}"));
    assert_eq!(
        other,
        [("undefined store", 20, "nobody wrote v7".to_owned())]
    );
    // v_mov_b32 v7, 0
    assert_eq!(told(&format!("{DWORDS} 7e0e0280 {index} {STORE}")), []);
}
