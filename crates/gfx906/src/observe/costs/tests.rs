//! Tests of the costs of assembled programs whose numbers can be computed by hand.

use super::{Class, Costs, Cycles, Latencies, LineCounts, Path};
use crate::machine::Wave;
use crate::machine::rig::{MEMORY, run};
use crate::observe::{Bytes, Observer};

const LATENCIES: Latencies = Latencies {
    vector: [100, 200],
    scalar: [20, 50],
    lds: [30, 60],
};

fn costs(words: &str, waves: usize, set_up: impl Fn(&mut Wave)) -> Costs {
    let mut costs = Costs::new(LATENCIES);
    assert_eq!(run(words, waves, set_up, &mut costs), None);
    costs.finish();
    costs
}

fn by_lane(of: impl Fn(u32) -> u32) -> [u32; 64] {
    std::array::from_fn(|lane| of(lane as u32))
}

/// ```text
/// ds_read_b32 v2, v1
/// ds_read_b32 v2, v3
/// ds_read_b32 v2, v4
/// ds_read_b32 v2, v5
/// ds_read_b64 v[6:7], v8
/// ds_read2_b32 v[6:7], v1 offset0:0 offset1:2
/// ds_add_u32 v5, v2
/// ds_bpermute_b32 v2, v1, v1
/// s_mov_b64 exec, 0xf
/// ds_read_b32 v2, v5
/// s_mov_b64 exec, 0
/// ds_read_b32 v2, v5
/// ```
const BANKS: &str = "d86c0000 02000001 d86c0000 02000003 d86c0000 02000004 d86c0000 02000005 d8ec0000 06000008 d86e0200 06000001 \
    d8000000 00000205 d87e0000 02000101 befe018f d86c0000 02000005 befe0180 d86c0000 02000005";

#[test]
fn lds_instructions_take_as_many_cycles_as_their_banks() {
    let costs = costs(BANKS, 1, |wave| {
        wave.v[1] = by_lane(|lane| 4 * lane);
        wave.v[3] = by_lane(|lane| 8 * lane);
        wave.v[4] = by_lane(|_| 64);
        wave.v[5] = by_lane(|lane| 128 * (lane % 8));
        wave.v[8] = by_lane(|lane| 8 * lane);
    });
    let lds = costs
        .sites()
        .filter(|(_, site)| matches!(site.class, Class::Lds | Class::Exchange));
    let cycles: Vec<(u64, u64)> = lds
        .map(|(_, site)| (site.lds.taken, site.lds.ideal))
        .collect();
    let by_hand = [
        (2, 2),
        (4, 2),
        (2, 2),
        (16, 2),
        (4, 4),
        (4, 4),
        (64, 2),
        (2, 2),
        (4, 1),
        (0, 0),
    ];
    assert_eq!(cycles, by_hand);
    let groups = costs.groups();
    assert_eq!(groups.len(), 1);
    assert_eq!(
        (groups[0].lds, groups[0].lines, groups[0].scalar),
        (102, 0, 3)
    );
    // Group (1, 2, 3) of a grid of 4 x 4 x 4.
    assert_eq!(groups[0].number, 1 + 4 * (2 + 4 * 3));
    let (at, worst) = costs.sites().nth(3).expect("the read of v5");
    assert_eq!(at, 0x118);
    let worst = worst.worst.as_ref().expect("conflicts");
    assert_eq!((worst.excess, worst.bytes, worst.at[9]), (14, 4, 128));
    assert!(costs.sites().next().expect("the first").1.worst.is_none());
}

/// ```text
/// global_load_dword v2, v1, s[0:1]
/// global_load_dword v2, v3, s[0:1]
/// global_load_dwordx4 v[4:7], v8, s[0:1]
/// global_store_dword v1, v2, s[0:1]
/// global_atomic_add v9, v2, s[0:1]
/// s_load_dwordx4 s[8:11], s[0:1], 0x800
/// scratch_store_dword off, v2, s12
/// buffer_load_dwordx2 v[4:5], v10, s[4:7], 0 offen
/// ```
const LINES: &str = "dc508000 02000001 dc508000 02000003 dc5c8000 04000008 dc708000 00000201 dd088000 00000209 c00a0200 00000800 \
    dc704000 000c0200 e0541000 8001040a";

#[test]
fn memory_instructions_ask_for_lines_and_touch_bytes() {
    let costs = costs(LINES, 1, |wave| {
        wave.s[4..8].copy_from_slice(&[MEMORY as u32, (MEMORY >> 32) as u32, 4096, 0x27fac]);
        wave.s[12] = 0;
        wave.v[1] = by_lane(|lane| 4 * lane);
        wave.v[3] = by_lane(|lane| 32 * lane);
        wave.v[8] = by_lane(|lane| 16 * lane);
        wave.v[9] = by_lane(|_| 0x900);
        wave.v[10] = by_lane(|lane| 8 * lane);
    });
    let vmem = costs.sites().filter(|(_, site)| site.class == Class::Vmem);
    let asked: Vec<(u64, u64)> = vmem
        .map(|(_, site)| (site.memory.lines, site.memory.ideal))
        .collect();
    let by_hand = [(4, 4), (32, 4), (16, 16), (4, 4), (1, 1), (4, 4), (8, 8)];
    assert_eq!(asked, by_hand);
    // [0, 1024), 32 dwords behind it, a dword of the atomic and 16 bytes of the scalar load. Scratch does not count as device memory.
    let read = 1024 + 32 * 4 + 4 + 16;
    assert_eq!(
        costs.bytes(),
        Bytes {
            read,
            written: 256 + 4
        }
    );
    let lines = Bytes {
        read: (16 + 16 + 1 + 1) * 64,
        written: (4 + 1) * 64,
    };
    assert_eq!(costs.bytes_of_lines(), lines);
    assert_eq!(costs.groups()[0].lines, 69);
}

/// ```text
/// v_mov_b32 v1, 4
/// v_fma_f64 v[2:3], v[4:5], v[4:5], v[4:5]
/// v_exp_f32 v1, v1
/// v_mul_lo_u32 v1, v1, v1
/// v_mov_b32_dpp v1, v2 row_shr:1 row_mask:0xf bank_mask:0xf
/// s_mov_b32 s8, 1
/// s_load_dword s9, s[0:1], 0x0
/// s_waitcnt lgkmcnt(0)
/// global_load_dword v2, v0, s[0:1]
/// ds_read_b32 v3, v0
/// s_waitcnt vmcnt(0)
/// s_waitcnt lgkmcnt(0)
/// s_nop 0
/// s_barrier
/// s_branch over
/// over:
/// ```
const CLASSES: &str = "7e020284 d1cc0002 04120904 7e024101 d2850001 00020301 7e0202fa ff011102 be880081 c0020240 00000000 bf8cc07f \
    dc508000 02000000 d86c0000 03000000 bf8c0f70 bf8cc07f bf800000 bf8a0000 bf820000";

fn dwords(wave: &mut Wave) {
    wave.v[0] = by_lane(|lane| 4 * lane);
    wave.v[1] = by_lane(|lane| 4 * lane);
}

#[test]
fn classes_and_the_chain_are_what_one_counts_by_hand() {
    let costs = costs(CLASSES, 1, dwords);
    let counts = Class::ALL.map(|class| (class, costs.instructions(class)));
    let by_hand = [
        (Class::Valu, 2),
        (Class::ValuHalf, 1),
        (Class::ValuQuarter, 2),
        (Class::Salu, 1),
        (Class::Smem, 1),
        (Class::Vmem, 1),
        (Class::Lds, 1),
        (Class::Exchange, 0),
        (Class::Branch, 1),
        (Class::Barrier, 1),
        (Class::Control, 5),
    ];
    assert_eq!(counts, by_hand);
    let group = costs.groups()[0];
    assert_eq!(group.valu, [4 + 8 + 16 + 16 + 4]);
    assert_eq!((group.scalar, group.lds, group.lines), (9, 2, 4));
    // With near latencies, the scalar load is issued at cycle 52 and arrives at 72; the load of 4 lines is issued at 76 and arrives at 180;
    // the LDS has answered before; five turns and the end follow.
    let issue = [48, 32, 12];
    let near = Path {
        cycles: 204,
        issue,
        waited: [96, 16, 0],
    };
    let fitted = Path {
        cycles: 334,
        issue,
        waited: [196, 46, 0],
    };
    assert_eq!(group.chain, [near, fitted]);
}

/// ```text
/// global_load_dword v2, v1, s[0:1]
/// global_load_dword v3, v1, s[0:1]
/// v_mov_b32 v4, 0
/// s_waitcnt vmcnt(1)
/// v_mov_b32 v4, 0
/// s_waitcnt vmcnt(0)
/// s_cbranch_scc0 over
/// v_exp_f32 v4, v4
/// v_exp_f32 v4, v4
/// over:
/// s_barrier
/// v_mov_b32 v4, 0
/// ```
const WAITS: &str = "dc508000 02000001 dc508000 03000001 7e080280 bf8c0f71 7e080280 bf8c0f70 bf840002 7e084104 7e084104 bf8a0000 \
    7e080280";

#[test]
fn a_barrier_waits_for_the_slowest_wave() {
    let costs = costs(WAITS, 2, |wave| {
        dwords(wave);
        wave.scc = wave.index == 1;
    });
    let group = costs.groups()[0];
    assert_eq!(group.valu, [12, 12 + 32]);
    // The first load arrives at 104, the second wave reaches the barrier at 156, and two turns follow.
    let path = |cycles, waited| Path {
        cycles,
        issue: [4 + 4 + 32 + 4, 20, 8],
        waited: [waited, 0, 0],
    };
    assert_eq!(group.chain, [path(164, 92), path(264, 192)]);
}

/// ```text
/// s_cbranch_scc0 over
/// s_nop 15
/// over:
/// s_barrier
/// global_load_dword v2, v1, s[0:1]
/// s_waitcnt vmcnt(0)
/// ```
const NOPS: &str = "bf840001 bf80000f bf8a0000 dc508000 02000001 bf8c0f70";

/// Every wave has the path of the one that came last to the barrier: the one that executed s_nop.
#[test]
fn a_no_operation_takes_turns_and_a_barrier_joins_paths() {
    let costs = costs(NOPS, 2, |wave| {
        dwords(wave);
        wave.scc = wave.index == 0;
    });
    let path = |cycles, waited| Path {
        cycles,
        issue: [0, 4 + 64 + 4 + 4 + 4, 4],
        waited: [waited, 0, 0],
    };
    assert_eq!(costs.groups()[0].chain, [path(184, 100), path(284, 200)]);
}

#[test]
fn workers_join() {
    let run_it = |observer: &mut Costs| assert_eq!(run(CLASSES, 1, dwords, observer), None);
    let mut one = Costs::new(LATENCIES);
    run_it(&mut one);
    let mut other = Observer::fork(&one).expect("a worker");
    run_it(&mut other);
    one.finish();
    one.join(other);
    assert_eq!(one.groups().len(), 2);
    assert_eq!(one.instructions(Class::Valu), 4);
    assert_eq!(
        one.bytes(),
        Bytes {
            read: 256,
            written: 0
        }
    );
    let (_, read) = one
        .sites()
        .find(|(_, site)| site.class == Class::Lds)
        .expect("ds_read");
    assert_eq!(read.lds, Cycles { taken: 4, ideal: 4 });
    assert_eq!(read.memory, LineCounts::default());
}
