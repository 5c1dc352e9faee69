//! Tests of hostile kernels (`tests/hostile/hostile.s`): each ends in a trap with a name, or is stopped by the budget.

use crate::device::{Arg, Device};
use gfx906::machine::{LaunchError, Limits, Poison, Schedule, TURN, Trap};

const HOSTILE: &[u8] = include_bytes!("../hostile/hostile.co");

const LIMITS: Limits = Limits {
    instructions: 1_000_000,
    seconds: 60.0,
    turn: TURN,
    schedule: Schedule::InOrder,
};

/// Runs a kernel of some work-items on a buffer of 64 floats. Returns the trap, if one stopped it, and lane 0's first dword
/// afterwards.
fn run(kernel: &str, items: u32) -> (Option<Box<Trap>>, f32) {
    let device = Device::new(HOSTILE);
    let data = device.floats("data", &[0.0; 64]);
    let args = [Arg::Pointer(data)];
    let trap = match device.launch(kernel, [1, 1, 1], [items, 1, 1], &args, LIMITS, 1) {
        Ok(_) => None,
        Err(LaunchError::Trap(trap)) => Some(trap),
        Err(error) => panic!("{kernel}: {error}"),
    };
    (trap, device.read(data, 1)[0])
}

#[track_caller]
fn traps(kernel: &str, parts: &[&str]) {
    let report = run(kernel, 64).0.expect(kernel).to_string();
    for part in parts {
        assert!(report.contains(part), "{kernel}: {part} in:\n{report}");
    }
}

#[test]
fn wild_pointers_are_faults() {
    traps("null_pointer", &["global_load_dword v3", "lane 0", "0x0"]);
    traps(
        "wild_pointer",
        &["global_store_dword", "0x7fffffffffffffff"],
    );
    traps(
        "wrapping_pointer",
        &["global_load_dwordx4", "0xfffffffffffffffe"],
    );
    traps("one_wild_lane", &["global_store_dword", "lane 37"]);
    traps(
        "scalar_wild_pointer",
        &["s_load_dwordx16", "0x123400000000"],
    );
    traps("misaligned_atomic", &["global_atomic_add", "aligned"]);
}

#[test]
fn jumps_astray_are_faults() {
    for kernel in ["jump_into_data", "jump_to_nowhere", "jump_between_dwords"] {
        traps(kernel, &["no instruction", kernel]);
    }
    traps("jump_into_garbage", &["invalid (0xffff0000)"]);
    traps("no_instruction", &["invalid (0xffffffff)"]);
    traps("off_the_end", &["off_the_end"]);
    assert_eq!(run("jump_into_a_literal", 64).0, None);
}

#[test]
fn what_never_ends_is_stopped() {
    let hang = "the budget of 1000000 wave instructions used up";
    traps("endless_loop", &[hang, "endless_loop"]);
    // Two waves wait for each other; and a wave whose partner has ended does not wait.
    let deadlock = run("barrier_deadlock", 128)
        .0
        .expect("a deadlock")
        .to_string();
    assert!(deadlock.contains(hang), "{deadlock}");
    assert_eq!(run("barrier_without_all", 128), (None, f32::from_bits(42)));
}

#[test]
fn recursion_without_end_runs_out_of_scratch() {
    traps(
        "endless_recursion",
        &[
            "scratch_store_dword",
            "lane 0",
            "behind the end of `scratch of wave 0`",
        ],
    );
}

/// Scratch was once zeros for the first groups of a worker, and the last group's data for later ones, so that results depended on the
/// number of workers.
#[test]
fn each_wave_finds_poison_in_its_scratch() {
    for threads in [1, 2, 3] {
        let device = Device::new(HOSTILE);
        let data = device.floats("data", &[0.0; 64]);
        let (grid, block, args) = ([32, 1, 1], [128, 1, 1], [Arg::Pointer(data)]);
        let ran = device.launch("stale_scratch", grid, block, &args, LIMITS, threads);
        ran.expect("no trap");
        let found = device.read(data, 64).into_iter().map(f32::to_bits);
        assert!(
            found.eq([Poison::Scratch.word(); 64]),
            "with {threads} threads"
        );
    }
}

#[test]
fn what_a_wave_does_not_have_is_a_fault() {
    traps("lds_out_of_range", &["ds_write_b32", "256"]);
    traps("vgpr_out_of_range", &["v200", "8 VGPRs"]);
    // The ISA writes nothing for an index out of range, and compilers rely on it.
    assert_eq!(run("vgpr_index_out_of_range", 64).0, None);
    traps("self_modifying", &["global_store_dword", "read-only"]);
    traps("graphics", &["exp mrt0"]);
    traps("trap_instruction", &["s_trap 2"]);
}

#[test]
fn a_wave_without_lanes_touches_nothing() {
    assert_eq!(run("writes_exec_zero", 64), (None, 0.0));
}

/// The grid has 2^32 work-groups, the most that its sides permit. The budget stops the launch, and no group has memory of its own.
#[test]
fn a_grid_of_endless_groups_is_stopped_by_the_budget() {
    let device = Device::new(HOSTILE);
    let data = device.floats("data", &[0.0; 64]);
    let grid = [u32::MAX, u32::MAX, u32::MAX];
    let stopped = device.launch("nothing", grid, [1, 1, 1], &[Arg::Pointer(data)], LIMITS, 2);
    match stopped {
        Err(LaunchError::Trap(trap)) => assert!(trap.is_hang(), "{trap}"),
        other => panic!("it should run out of budget: {other:?}"),
    }
}
