//! Tests on assembled programs with one mistake each, and on corrected versions of them.

use std::sync::Arc;

use super::super::{Check, Finding, Heap, Sanitizer};
use crate::isa::Code;
use crate::machine::{Wave, rig};

/// Address of `a`: 256 bytes between guards of 64.
const A: u64 = rig::MEMORY + 256;
/// Address of `b`: 250 bytes behind `a`.
const B: u64 = rig::MEMORY + 1024;

fn heap() -> Heap {
    let heap = Heap::default();
    heap.declare("a", A..A + 256, A - 64..A + 320, None);
    heap.declare("b", B..B + 250, B..B + 252, Some("hipMalloc at main.cpp:3"));
    heap
}

/// Runs a program on one wave with s[2:3] at `a` and s[4:5] at `b`, and returns the check's findings.
fn found_in(heap: Heap, words: &str) -> Vec<Finding> {
    let checks = [Check::Memory].into_iter().collect();
    let mut sanitizer = Sanitizer::new(checks).with_heap(Arc::new(heap));
    let set_up = |wave: &mut Wave| {
        wave.set_scalar64(Code(2), A);
        wave.set_scalar64(Code(4), B);
    };
    let trap = rig::run(words, 1, set_up, &mut sanitizer);
    assert_eq!(trap, None);
    sanitizer.findings().iter().cloned().collect()
}

fn found(words: &str) -> Vec<(&'static str, u64, u64, String)> {
    let findings = found_in(heap(), words).into_iter();
    findings
        .map(|f| (f.kind, f.at.pc - 0x100, f.lanes, f.what))
        .collect()
}

fn kinds(words: &str) -> Vec<(&'static str, u64)> {
    let findings = found(words).into_iter();
    findings.map(|(kind, pc, ..)| (kind, pc)).collect()
}

/// v_lshlrev_b32 v1, 2, v0: an offset of one dword per lane.
const DWORDS: &str = "24020082";

#[test]
fn a_store_behind_the_end_is_told_in_the_blocks_terms() {
    // global_store_dword v1, v0, s[2:3]
    let inside = format!("{DWORDS} dc708000 00020001");
    assert_eq!(found(&inside), []);
    // ... offset:4
    let outside = format!("{DWORDS} dc708004 00020001");
    let what = "writes 4 bytes 0 bytes behind the end of `a` (256 bytes)";
    assert_eq!(
        found(&outside),
        [("outside a block", 4, 1 << 63, what.to_owned())]
    );
    // global_load_dword v4, v1, s[2:3] offset:256: all lanes of the load are in the guard
    let loads = format!("{DWORDS} dc508100 04020001");
    assert_eq!(kinds(&loads), [("outside a block", 4)]);
    // ... offset:-4
    let before = format!("{DWORDS} dc709ffc 00020001");
    let what = "writes 4 bytes 4 bytes before the start of `a` (256 bytes)";
    assert_eq!(found(&before), [("outside a block", 4, 1, what.to_owned())]);
}

#[test]
fn loads_reach_the_last_dword_and_stores_and_bytes_do_not() {
    // v_mov_b32 v5, 0xf8; global_load_dword v4, v5, s[4:5]
    assert_eq!(found("7e0a02ff 000000f8 dc508000 04040005"), []);
    // global_store_dword v5, v0, s[4:5]
    let what = "writes 4 bytes at byte 248, 2 bytes beyond the end of `b` (250 bytes, hipMalloc at main.cpp:3)";
    let found_here = found("7e0a02ff 000000f8 dc708000 00040005");
    assert_eq!(found_here[0].3, what);
    // v_mov_b32 v5, 0xfa; global_load_ushort v4, v5, s[4:5]
    assert_eq!(
        kinds("7e0a02ff 000000fa dc488000 04040005"),
        [("outside a block", 8)]
    );
    // s_load_dword s6, s[4:5], 0xf8; 0xfc is nobody's
    assert_eq!(found("c0020182 000000f8 c0020182 000000fc"), []);
}

#[test]
fn a_pointer_that_strays_into_another_block_is_known_by_where_it_came_from() {
    // s_store_dwordx2 s[2:3], s[0:1], 0x0; s_load_dwordx2 s[6:7], s[0:1], 0x0: a pointer to `a` that was loaded
    let pointer = "c0460080 00000000 c0060180 00000000";
    // v_mov_b32 v5, 0x310; global_load_dword v4, v5, s[6:7]
    let strays = format!("{pointer} 7e0a02ff 00000310 dc508000 04060005");
    let what = "reads 4 bytes in `b`, from byte 16 on; the pointer came from `a`, whose end is 528 bytes before";
    let all = found_in(heap(), &strays);
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!(
        (all[0].kind, all[0].what.as_str()),
        ("in another block", what)
    );
    assert_eq!(all[0].lanes.count_ones(), 1);
    // The same by vectors: v_mov_b32 v3, s7; v_add_co_u32 v2, vcc, s6, v5; v_addc_co_u32 v3, vcc, 0, v3, vcc;
    // global_load_dword v4, v[2:3], off
    let sum = "7e060207 32040a06 38060680 dc508000 047f0002";
    let strays = format!("{pointer} 7e0a02ff 00000310 {sum}");
    assert_eq!(kinds(&strays), [("in another block", 36)]);
    // Within its own block, and through a pointer that nobody knows.
    let own = format!("{pointer} 7e0a02ff 00000010 {sum}");
    assert_eq!(found(&own), []);
    assert_eq!(found("7e0a02ff 00000310 dc508000 04020005"), []);
}

#[test]
fn what_two_blocks_have_a_part_in_is_nobodys() {
    // Pointers to `a` and `b` are loaded: s_store_dwordx2 s[2:3], s[0:1], 0x0; s_store_dwordx2 s[4:5], s[0:1], 0x8;
    // s_load_dwordx4 s[8:11], s[0:1], 0x0
    let both = "c0460080 00000000 c0460100 00000008 c00a0200 00000000";
    // b - a is added to a: s_sub_u32 s12, s10, s8; s_subb_u32 s13, s11, s9; s_add_u32 s8, s8, s12; s_addc_u32 s9, s9, s13;
    // v_mov_b32 v5, 0; global_load_dword v4, v5, s[8:9]
    let moved = "808c080a 828d090b 80080c08 82090d09 7e0a0280 dc508000 04080005";
    assert_eq!(found(&format!("{both} {moved}")), []);
}

#[test]
fn freed_memory_says_who_freed_it() {
    let freed = heap();
    freed.free(A, "hipFree at main.cpp:9");
    // global_load_dword v4, v1, s[2:3]
    let all = found_in(freed, &format!("{DWORDS} dc508000 04020001"));
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].kind, "freed memory");
    let other = all[0].other.as_ref().expect("who freed it");
    assert_eq!(other.did, "freed by hipFree at main.cpp:9");
}

#[test]
fn wide_accesses_to_lds_are_aligned_to_their_banks() {
    // v_mov_b32 v5, 4; ds_read_b64 v[6:7], v5
    assert_eq!(kinds("7e0a0284 d8ec0000 06000005"), [("misaligned", 4)]);
    // ... offset:4
    assert_eq!(kinds("7e0a0284 d8ec0004 06000005"), []);
    // ds_read2_b32 v[6:7], v5 offset1:1
    assert_eq!(kinds("7e0a0284 d86e0100 06000005"), []);
    // v_mov_b32 v5, 8; ds_read_b128 v[6:9], v5
    assert_eq!(kinds("7e0a0288 d9fe0000 06000005"), [("misaligned", 4)]);
    // v_mov_b32 v5, 16
    assert_eq!(kinds("7e0a0290 d9fe0000 06000005"), []);
}

#[test]
fn device_memory_is_reached_at_any_address() {
    // v_mov_b32 v5, 0x42; global_load_dword v4, v5, s[2:3]
    assert_eq!(kinds("7e0a02ff 00000042 dc508000 04020005"), []);
    // global_load_ushort v4, v5, s[2:3]
    assert_eq!(kinds("7e0a02ff 00000042 dc488000 04020005"), []);
    // v_mov_b32 v5, 0x44; global_load_dwordx4 v[4:7], v5, s[2:3]
    assert_eq!(kinds("7e0a02ff 00000044 dc5c8000 04020005"), []);
}

#[test]
fn a_work_item_has_a_stack_of_its_own() {
    // v_mov_b32 v5, 0; scratch_store_dword v5, v0, off offset:60
    assert_eq!(kinds("7e0a0280 dc70403c 007f0005"), []);
    // ... offset:64, which the machine does not let it do either
    let checks = [Check::Memory].into_iter().collect();
    let mut sanitizer = Sanitizer::new(checks);
    let trap = rig::run("7e0a0280 dc704040 007f0005", 1, |_| {}, &mut sanitizer);
    assert!(trap.is_some_and(|trap| trap.contains("memory fault")));
    let what: Vec<&str> = sanitizer
        .findings()
        .iter()
        .map(|f| f.what.as_str())
        .collect();
    assert_eq!(
        what,
        ["writes 4 bytes, 0 bytes behind the end of the work-item's stack of 64 bytes"]
    );
}

/// A 16-bit atomic is a compare-and-swap of the dword around it: on the last half of a block of 250 bytes that was taken for an overrun.
#[test]
fn an_atomic_may_reach_the_rest_of_the_last_dword_and_a_store_may_not() {
    // v_mov_b32 v1, 248; global_atomic_add v1, v0, s[4:5]
    assert_eq!(found("7e0202ff 000000f8 dd088000 00040001"), []);
    // ...; global_store_dword v1, v0, s[4:5]
    let kinds = kinds("7e0202ff 000000f8 dc708000 00040001");
    assert_eq!(kinds, [("outside a block", 8)]);
}
