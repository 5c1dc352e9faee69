//! Tests of observers on assembled programs whose numbers and registers can be computed by hand.

use std::io::{self, Write};

use super::{Bytes, Coverage, Exchange, Filter, Observer, Profile, Space, Trace};
use crate::machine::rig::{MEMORY, run};
use crate::machine::{Kind, Wave};

/// ```text
/// s_load_dwordx2 s[8:9], s[0:1], 0x0
/// s_mov_b64 exec, 0xff
/// v_mov_b32 v1, 4
/// global_load_dwordx3 v[2:4], v1, s[0:1]
/// global_store_short v1, v2, s[0:1]
/// global_atomic_cmpswap v1, v[2:3], s[0:1]
/// ds_write2_b32 v1, v2, v3 offset1:1
/// ds_read_u8 v5, v1
/// ds_add_u32 v1, v3
/// ds_swizzle_b32 v5, v5 offset:swizzle(SWAP,1)
/// buffer_load_dword v6, off, s[4:7], 0
/// buffer_store_dword v6, off, s[12:15], 0
/// flat_load_dword v6, v[10:11]
/// s_barrier
/// s_cbranch_scc0 over
/// s_nop 0
/// over:
/// s_cbranch_scc1 over
/// s_mov_b64 exec, 0
/// v_mov_b32 v1, 4
/// global_store_dword v1, v2, s[0:1]
/// ```
const COUNTED: &str = "c0060200 00000000 befe01ff 000000ff 7e020284 dc588000 02000001 dc688000 00000201 dd048000 00000201 \
    d81c0100 00030201 d8740000 05000001 d8000000 00000301 d87a041f 05000005 e0500000 80010600 e0700000 80030600 dc500000 0600000a \
    bf8a0000 bf840001 bf800000 bf85ffff befe0180 7e020284 dc708000 00000201";

/// Sets up a buffer over the memory, scratch within it, and flat addresses: two lanes in LDS, the others in memory.
fn buffers(wave: &mut Wave) {
    wave.s[4..8].copy_from_slice(&[MEMORY as u32, (MEMORY >> 32) as u32, 4096, 0x27fac]);
    let scratch = MEMORY + 2048;
    let swizzled = (scratch >> 32) as u32 | 1 << 31;
    wave.s[12..16].copy_from_slice(&[scratch as u32, swizzled, 0xffff_ffff, 0x00e0_0000]);
    wave.v[10] = std::array::from_fn(|l| if l < 2 { 0 } else { MEMORY as u32 });
    wave.v[11] = std::array::from_fn(|l| {
        if l < 2 {
            0x1_0000
        } else {
            (MEMORY >> 32) as u32
        }
    });
}

fn profile(waves: usize) -> Profile {
    let mut profile = Profile::default();
    assert_eq!(run(COUNTED, waves, buffers, &mut profile), None);
    profile
}

#[test]
fn counters_are_what_one_counts_by_hand() {
    let profile = profile(2);
    let kinds: Vec<_> = profile.by_kind().collect();
    let by_hand = [
        ("salu", 4),
        ("valu", 4),
        ("smem", 2),
        ("vmem", 14),
        ("lds", 8),
        ("branch", 4),
        ("control", 4),
    ];
    assert_eq!(kinds, by_hand);
    assert_eq!(profile.instructions(Kind::Vmem), 14);
    // Each wave runs 11 vector instructions with 8 lanes enabled, and 2 with none.
    assert_eq!(profile.vector_instructions(), 26);
    assert_eq!(profile.active_lanes(), 2 * 11 * 8);
    assert_eq!(profile.lane_utilisation(), Some(176.0 / (26.0 * 64.0)));
    let bytes = |read: u64, written: u64| Bytes {
        read: 2 * read,
        written: 2 * written,
    };
    assert_eq!(
        profile.bytes(Space::Memory),
        bytes(8 * 12 + 8 * 4 + 8 * 4 + 6 * 4, 8 * 2 + 8 * 4)
    );
    assert_eq!(profile.bytes(Space::Scratch), bytes(0, 8 * 4));
    assert_eq!(
        profile.bytes(Space::Lds),
        bytes(8 + 8 * 4 + 2 * 4, 8 * 8 + 8 * 4)
    );
    assert_eq!(profile.bytes(Space::Scalar), bytes(8, 0));
    assert_eq!((profile.barriers(), profile.branches_taken()), (2, 2));
    assert_eq!(Profile::default().lane_utilisation(), None);
}

#[test]
fn workers_join() {
    let mut sum = profile(1);
    sum.join(profile(1));
    assert_eq!(sum, profile(2));
}

/// ```text
/// s_load_dwordx4 s[8:11], s[0:1], 0x0
/// v_cmp_lt_u32 vcc, 15, v0
/// s_and_saveexec_b64 s[12:13], vcc
/// v_lshlrev_b32 v1, 2, v0
/// v_mul_f32 v2, 1.0, v3
/// v_add_f64 v[4:5], v[4:5], 1.0
/// v_pk_add_f16 v6, v7, v7
/// v_writelane_b32 v2, s8, 3
/// v_readlane_b32 s14, v0, 20
/// v_swap_b32 v1, v2
/// s_cmp_lg_u32 s8, s8
/// v_cmpx_gt_u32 vcc, 18, v0
/// global_load_dwordx2 v[12:13], v8, s[0:1]
/// global_atomic_add v8, v9, s[0:1]
/// global_atomic_add v9, v8, v9, s[0:1] glc
/// s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 1
/// s_mov_b32 m0, 2
/// s_set_gpr_idx_on m0, 8
/// v_mov_b32 v2, v0
/// s_set_gpr_idx_off
/// s_branch over
/// s_nop 0
/// over:
/// s_barrier
/// global_load_dword v1, v[0:1], off
/// ```
const TRACED: &str = "c00a0200 00000000 7d92008f be8c206a 24020082 0a0406f2 d2800004 0001e504 d38f4006 18020f07 d28a0002 00010608 \
    d289000e 00012900 7e02a302 bf070808 7db80092 dc548000 0c000008 dd088000 00000908 dd098000 09000908 ba000801 00000001 befc0082 \
    bf11087c 7e040300 bf9c0000 bf820001 bf800000 bf8a0000 dc508000 017f0000";

fn numbers(wave: &mut Wave) {
    wave.v[1] = [0; 64];
    wave.v[2] = [0; 64];
    wave.v[3] = [2.0f32.to_bits(); 64];
    wave.v[4] = [1.5f64.to_bits() as u32; 64];
    wave.v[5] = [(1.5f64.to_bits() >> 32) as u32; 64];
    wave.v[7] = [0x4000_3c00; 64];
    wave.v[8] = [0; 64];
    wave.v[9] = [1; 64];
}

fn trace(filter: Filter, limit: u64, waves: usize) -> (String, u64) {
    let mut text = Vec::new();
    let mut trace = Trace::new(&mut text, filter, limit);
    assert!(run(TRACED, waves, numbers, &mut trace).is_some());
    trace.finish().expect("memory");
    let lines = trace.lines();
    (String::from_utf8(text).expect("UTF-8"), lines)
}

#[test]
fn a_trace_shows_what_was_written() {
    let expected = "\
# kernel k, grid 4x4x4, block 64x1x1
(1,2,3) w0 0x100: s_load_dwordx4 s[8:11], s[0:1], 0x0          ; s[8:11] = 0x00000000 0x00000000 0x00000000 0x00000000
(1,2,3) w0 0x108: v_cmp_lt_u32_e32 vcc, 15, v0                 ; vcc = 0xffffffffffff0000
(1,2,3) w0 0x10c: s_and_saveexec_b64 s[12:13], vcc             ; s[12:13] = 0xffffffffffffffff; exec = 0xffffffffffff0000; scc = 1
(1,2,3) w0 0x110: v_lshlrev_b32_e32 v1, 2, v0                  ; v1 = 16-63:0x00000040+4
(1,2,3) w0 0x114: v_mul_f32_e32 v2, 1.0, v3                    ; v2 = 16-63:0x40000000(2.0)
(1,2,3) w0 0x118: v_add_f64 v[4:5], v[4:5], 1.0                ; v[4:5] = 16-63:0x4004000000000000(2.5)
(1,2,3) w0 0x120: v_pk_add_f16 v6, v7, v7                      ; v6 = 16-63:0x44004000(2.0,4.0)
(1,2,3) w0 0x128: v_writelane_b32 v2, s8, 3                    ; v2 = 3:0x00000000
(1,2,3) w0 0x130: v_readlane_b32 s14, v0, 20                   ; s14 = 0x00000014
(1,2,3) w0 0x138: v_swap_b32 v1, v2                            ; v1 = 16-63:0x40000000; v2 = 16-63:0x00000040+4
(1,2,3) w0 0x13c: s_cmp_lg_u32 s8, s8                          ; scc = 0
(1,2,3) w0 0x140: v_cmpx_gt_u32_e32 vcc, 18, v0                ; vcc = 0x0000000000030000; exec = 0x0000000000030000
(1,2,3) w0 0x144: global_load_dwordx2 v[12:13], v8, s[0:1]     ; v12 = 16-17:0x00000000; v13 = 16-17:0x00000000
(1,2,3) w0 0x14c: global_atomic_add v8, v9, s[0:1]
(1,2,3) w0 0x154: global_atomic_add v9, v8, v9, s[0:1] glc     ; v9 = 16:0x00000002 17:0x00000003
(1,2,3) w0 0x15c: s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 1 ; mode = 0x000003f1
(1,2,3) w0 0x164: s_mov_b32 m0, 2                              ; m0 = 0x00000002
(1,2,3) w0 0x168: s_set_gpr_idx_on m0, gpr_idx(DST)            ; m0 = 0x00008002; mode = 0x080003f1
(1,2,3) w0 0x16c: v_mov_b32_e32 v2, v0                         ; v4 = 16:0x00000010 17:0x00000011
(1,2,3) w0 0x170: s_set_gpr_idx_off                            ; mode = 0x000003f1
(1,2,3) w0 0x174: s_branch 1                                   ; pc = 0x17c
(1,2,3) w0 0x17c: s_barrier
(1,2,3) w0 0x180: global_load_dword v1, v[0:1], off            ; trap: memory fault: read of 4 bytes outside every allocation, lane 16, address 0x4000000000000010
";
    assert_eq!(trace(Filter::default(), 100, 1), (expected.to_owned(), 23));
}

/// Returns the lines of a trace without its heading, up to the instruction.
fn places(filter: Filter, limit: u64) -> Vec<String> {
    let (text, _) = trace(filter, limit, 2);
    let place = |line: &str| line.split(": ").next().unwrap_or_default().to_owned();
    text.lines().skip(1).map(place).collect()
}

#[test]
fn a_filter_keeps_what_lies_in_all_its_ranges() {
    let filter = Filter {
        groups: Some([0..=1, 2..=2, 0..=9]),
        waves: Some(1..=1),
        pcs: Some(0x174..=0x17c),
    };
    let fault = "(1,2,3) w0 0x180";
    assert_eq!(
        places(filter.clone(), 100),
        ["(1,2,3) w1 0x174", "(1,2,3) w1 0x17c", fault],
        "the trap is shown though it lies elsewhere"
    );
    let elsewhere = Filter {
        groups: Some([0..=1, 2..=2, 0..=2]),
        ..filter
    };
    assert_eq!(places(elsewhere, 100), [fault]);
}

#[test]
fn a_trace_is_cut_at_its_limit_and_still_ends_with_the_trap() {
    assert_eq!(
        places(Filter::default(), 2),
        [
            "(1,2,3) w0 0x100",
            "(1,2,3) w1 0x100",
            "# cut",
            "(1,2,3) w0 0x180"
        ]
    );
    let (text, _) = trace(Filter::default(), 2, 1);
    assert!(
        text.contains("\n# cut: the limit of 2 instructions is reached\n"),
        "{text}"
    );
    // A limit that is just sufficient cuts nothing.
    assert!(!trace(Filter::default(), 22, 1).0.contains("# cut"));
    assert!(trace(Filter::default(), 21, 1).0.contains("# cut"));
}

/// A disk with room for some bytes.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_writer_that_fails_ends_the_trace_and_not_the_dispatch() {
    let mut trace = Trace::new(Full(100), Filter::default(), 100);
    let end = run(TRACED, 1, numbers, &mut trace).expect("the trap");
    assert!(end.starts_with("memory fault"), "{end}");
    let error = trace.finish().expect_err("the disk is full");
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
}

#[test]
fn what_is_borrowed_or_traces_sees_a_dispatch_alone() {
    let mut profile = Profile::default();
    assert!(Observer::fork(&profile).is_some());
    let trace = Trace::new(Vec::new(), Filter::default(), 1);
    assert!(Observer::fork(&trace).is_none());
    assert!(Observer::fork(&(profile, trace)).is_none());
    assert!(Observer::fork(&(&mut profile)).is_none());
}

#[test]
fn coverage_tells_waves_that_have_others_from_those_that_have_not() {
    let ran = |waves: usize| {
        let mut coverage = Coverage::default();
        assert_eq!(run(COUNTED, waves, buffers, &mut coverage), None);
        coverage
    };
    let places = |coverage: &Coverage| coverage.executed().map(|(at, _)| at).collect::<Vec<u64>>();
    let (alone, mut all) = (ran(1), ran(2));
    assert!(places(&alone).len() > 10);
    assert_eq!(alone.together().next(), None);
    assert_eq!(all.together().collect::<Vec<u64>>(), places(&all));
    // Several launches add up.
    all.join(alone);
    assert_eq!(all.together().collect::<Vec<u64>>(), places(&all));
}

/// Stores of a byte or dword and a load, each at an address of the lane and the wave.
///
/// ```text
/// global_store_dword v1, v0, s[0:1]
/// global_store_byte v1, v0, s[0:1]
/// global_load_dword v6, v2, s[0:1]
/// ```
const STORE: &str = "dc708000 00000001";
const STORE_BYTE: &str = "dc608000 00000001";
const LOAD: &str = "dc508000 06000002";

/// Returns true if waves meet in memory: v1 is the address that each lane stores to, and v2 the address that it loads from, by lane and
/// wave.
fn meets(words: &str, stores: fn(u32, u32) -> u32, loads: fn(u32, u32) -> u32) -> bool {
    let place = |wave: &mut Wave| {
        let index = wave.index;
        wave.v[1] = std::array::from_fn(|lane| stores(lane as u32, index));
        wave.v[2] = std::array::from_fn(|lane| loads(lane as u32, index));
    };
    let mut all = Exchange::default();
    assert_eq!(run(words, 2, place, &mut all), None);
    // Two workers, each with one of the waves, find the same.
    let mut joined = Exchange::default();
    assert_eq!(run("", 1, |_| {}, &mut joined), None);
    for index in [0, 1] {
        let mut worker = Observer::fork(&joined).expect("another worker's");
        let placed = |wave: &mut Wave| {
            wave.index = index;
            place(wave);
        };
        assert_eq!(run(words, 1, placed, &mut worker), None);
        joined.join(worker);
    }
    let exchanging: Vec<&str> = all.kernels().collect();
    assert!(joined.kernels().eq(exchanging.iter().copied()));
    assert!(exchanging.is_empty() || exchanging == ["k"]);
    !exchanging.is_empty()
}

#[test]
fn waves_meet_where_one_reaches_what_another_stores() {
    let own = |lane, wave| 256 * wave + 4 * lane;
    let other = |lane, wave| 256 * (1 - wave) + 4 * lane;
    let same = |lane, _| 4 * lane;
    let both = format!("{STORE} {LOAD}");
    assert!(!meets(&both, own, own));
    assert!(meets(&both, own, other));
    // The order does not matter, and no load is needed.
    assert!(meets(&format!("{LOAD} {STORE}"), own, other));
    assert!(meets(STORE, same, same));
    assert!(!meets(LOAD, own, same));
    // Neighbouring bytes are different places.
    let bytes = |lane, wave| 2 * lane + wave;
    assert!(!meets(STORE_BYTE, bytes, bytes));
    assert!(meets(&format!("{STORE_BYTE} {LOAD}"), bytes, own));
}
