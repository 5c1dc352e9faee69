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

/// s_mov_b32 s6, 0x10000; s_mul_i32 s6, s6, s6: 2^32, of which 0 is left
const SCALAR: &str = "be8600ff 00010000 92060606";
/// s_add_u32 s8, s2, s6; s_addc_u32 s9, s3, s7; s_load_dword s10, s[8:9], 0x0
const SCALAR_LOAD: &str = "80080602 82090703 c0020284 00000000";
/// v_mov_b32 v1, 0x10000; v_mul_lo_u32 v1, v1, v1
const VECTOR: &str = "7e0202ff 00010000 d2850001 00020301";
/// v_mov_b32 v3, s3; v_add_co_u32 v1, vcc, s2, v1; v_addc_co_u32 v2, vcc, v3, v2, vcc; global_load_dword v4, v[1:2], off
const VECTOR_LOAD: &str = "7e060203 32020202 38040503 dc508000 047f0001";

#[test]
fn an_index_that_did_not_fit_is_told_at_the_access() {
    let wrapped = |words: &str| -> Vec<(u64, u64, u64)> {
        let findings = found_in(heap(), words).into_iter();
        let told = findings.map(|f| {
            assert_eq!(f.kind, "wrapped index");
            assert_eq!(f.what.split(' ').next(), Some("reads"));
            let site = f.other.expect("another side").site.expect("a place");
            (f.at.pc - 0x100, f.lanes, site.pc - 0x100)
        });
        told.collect()
    };
    // s_ashr_i32 s7, s6, 31; s_lshl_b64 s[6:7], s[6:7], 2
    let signed = format!("{SCALAR} 90079f06 8e868206 {SCALAR_LOAD}");
    assert_eq!(wrapped(&signed), [(28, 1, 8)]);
    // The same by bytes, without the shift.
    let bytes = format!("{SCALAR} 90079f06 {SCALAR_LOAD}");
    assert_eq!(wrapped(&bytes), [(24, 1, 8)]);
    // s_mov_b32 s7, s6; s_mov_b32 s6, 0; s_ashr_i64 s[6:7], s[6:7], 30: the sign and the shift in one
    let lowered = format!("{SCALAR} be870006 be860080 90869e06 {SCALAR_LOAD}");
    assert_eq!(wrapped(&lowered), [(32, 1, 8)]);
    // s_mov_b32 s7, 0; s_lshl_b64 s[6:7], s[6:7], 2: extended by zeros
    let unsigned = format!("{SCALAR} be870080 8e868206 {SCALAR_LOAD}");
    assert_eq!(wrapped(&unsigned), [(28, 1, 8)]);
    // v_ashrrev_i32 v2, 31, v1; v_lshlrev_b64 v[1:2], 2, v[1:2]
    let vector = format!("{VECTOR} 2204029f d28f0001 00020282 {VECTOR_LOAD}");
    assert_eq!(wrapped(&vector), [(40, !0, 8)]);
    // v_mov_b32 v2, 0; v_lshlrev_b64 v[1:2], 2, v[1:2]
    let zeros = format!("{VECTOR} 7e040280 d28f0001 00020282 {VECTOR_LOAD}");
    assert_eq!(wrapped(&zeros), [(40, !0, 8)]);
    // global_load_dword v4, v1, s[2:3]: an offset beside a scalar base
    let offset = format!("{VECTOR} dc508000 04020001");
    assert_eq!(wrapped(&offset), [(16, !0, 8)]);
    // v_mov_b32 v1, 0x10000; v_lshlrev_b32 v2, 16, v0; v_mul_lo_u32 v1, v1, v2: lane 0 fits, the others wrap to 0
    let lanes = "7e0202ff 00010000 24040090 d2850001 00020501 dc508000 04020001";
    assert_eq!(wrapped(lanes), [(20, !1, 12)]);
}

#[test]
fn numbers_that_come_back_into_their_range_are_no_wrapped_indices() {
    // s_and_b32 s6, s6, 63: a hash, or a ring
    let masked = format!("{SCALAR} 8606bf06 90079f06 8e868206 {SCALAR_LOAD}");
    assert_eq!(kinds(&masked), []);
    // s_sub_u32 s6, s6, 0: a remainder
    let remainder = format!("{SCALAR} 80868006 90079f06 8e868206 {SCALAR_LOAD}");
    assert_eq!(kinds(&remainder), []);
    // v_and_b32 v1, 63, v1; v_and_b32 v1, -4, v1; global_load_dword v4, v1, s[2:3]
    let masked = format!("{VECTOR} 260202bf 260202c4 dc508000 04020001");
    assert_eq!(kinds(&masked), []);
    // s_bitset1_b32 s6, 31 on 0; s_sub_u32 s4, s2, s6; s_subb_u32 s5, s3, 0: a base 2^31 below; v_mov_b32 v1, 0x8000; v_lshlrev_b32 v1, 16, v1:
    // 2^31 fits as an unsigned number, which the offset is
    let unsigned =
        "be860080 be861a9f 80840602 82858003 7e0202ff 00008000 24020290 dc508000 04040001";
    assert_eq!(kinds(unsigned), []);
    // v_mov_b32 v1, 0x10000; v_mul_hi_u32 v2, v1, v1; v_mul_lo_u32 v1, v1, v1: a product of 64 bits; v_sub_u32 v2, v2, 1: another one;
    let whole = format!(
        "7e0202ff 00010000 d2860002 00020301 d2850001 00020301 d1350002 00010302 {VECTOR_LOAD}"
    );
    assert_eq!(kinds(&whole), []);
}
