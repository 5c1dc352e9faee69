//! Tests of the traps of wrong kernels, and of their reports.

use crate::device::{Arg, Device};
use gfx906::machine::{AddressProblem, LaunchError, Limits, TrapKind};

const PLANTED: &[u8] = include_bytes!("../../../../kernels/built/planted.co");
const DELTANET: &[u8] = include_bytes!("../../../../kernels/built/deltanet.co");

fn limits(instructions: u64) -> Limits {
    Limits {
        instructions,
        ..Limits::default()
    }
}

#[test]
fn a_wild_write_names_kernel_instruction_lane_and_nearest_allocation() {
    let device = Device::new(PLANTED);
    let out = device.floats("out", &[0.0; 256]);
    let trap = device.trap(
        "planted_eye_wild_write",
        [1, 1, 1],
        [16, 16, 1],
        &[Arg::Pointer(out), Arg::Int(16)],
        limits(100_000),
    );
    assert!(
        matches!(
            trap.kind,
            TrapKind::MemoryFault {
                write: true,
                bytes: 4,
                place: AddressProblem::Outside
            }
        ),
        "{trap}"
    );
    assert_eq!(trap.kernel, "planted_eye_wild_write");
    assert!(trap.instruction.starts_with("global_store_dword"), "{trap}");
    assert_eq!(trap.lane, Some(0));
    assert_eq!(trap.address, Some(out + (4 << 40)));
    let nearest = trap.nearest.as_ref().expect("an allocation");
    assert_eq!(
        (nearest.name.as_str(), nearest.distance),
        ("out", (4 << 40) - 1024)
    );
    let text = trap.to_string();
    for part in [
        "planted_eye_wild_write",
        "work-group  (0, 0, 0), wave 0, lane 0",
        "1 GiB and more from every allocation: it is no address of one",
    ] {
        assert!(text.contains(part), "{part} in:\n{text}");
    }
}

#[test]
fn a_wild_read_is_a_fault_of_the_first_lane() {
    let device = Device::new(PLANTED);
    let data = device.floats("in", &[1.0; 64]);
    let args = [Arg::Pointer(data), Arg::Pointer(data), Arg::Int(64)];
    let trap = device.trap(
        "planted_neg_wild_read",
        [1, 1, 1],
        [64, 1, 1],
        &args,
        limits(100_000),
    );
    assert!(
        matches!(trap.kind, TrapKind::MemoryFault { write: false, .. }),
        "{trap}"
    );
    assert_eq!(trap.address, Some(64));
}

#[test]
fn a_write_past_an_allocation_is_a_fault_one_byte_behind_it() {
    let device = Device::new(PLANTED);
    let data = device.floats("in", &[1.0; 64]);
    let out = device.floats("out", &[1.0; 64]);
    let args = [Arg::Pointer(data), Arg::Pointer(out), Arg::Int(64)];
    let trap = device.trap(
        "planted_sigmoid_one_past",
        [1, 1, 1],
        [64, 1, 1],
        &args,
        limits(100_000),
    );
    assert!(
        trap.to_string().contains("right behind the end of `out`"),
        "{trap}"
    );
    let nearest = trap.nearest.expect("an allocation");
    assert_eq!(
        (nearest.name.as_str(), nearest.base, nearest.distance),
        ("out", out, 0)
    );
}

#[test]
fn an_endless_kernel_is_a_hang_and_says_where() {
    let device = Device::new(PLANTED);
    let data = device.floats("in", &[1.0; 64]);
    let args = [Arg::Pointer(data), Arg::Pointer(data), Arg::Int(64)];
    let trap = device.trap(
        "planted_exp_hangs",
        [2, 1, 1],
        [256, 1, 1],
        &args,
        limits(1_000_000),
    );
    assert!(trap.is_hang(), "{trap}");
    assert!(
        trap.instruction.starts_with("s_"),
        "within the loop: {trap}"
    );
    let told = trap.to_string();
    assert!(told.contains("\n  waits       "), "{told}");
    assert!(
        trap.to_string()
            .contains("the budget of 1000000 wave instructions used up"),
        "{trap}"
    );
}

#[test]
fn time_is_a_second_line_of_the_budget() {
    let device = Device::new(PLANTED);
    let data = device.floats("in", &[1.0; 64]);
    let args = [Arg::Pointer(data), Arg::Pointer(data), Arg::Int(64)];
    let limits = Limits {
        instructions: u64::MAX,
        seconds: 0.01,
        ..Limits::default()
    };
    let trap = device.trap("planted_exp_hangs", [1, 1, 1], [64, 1, 1], &args, limits);
    assert!(
        trap.to_string()
            .contains("the limit of 0.01 CPU seconds used up"),
        "{trap}"
    );
}

#[test]
fn launches_beyond_the_hardware_are_refused_in_one_line() {
    let device = Device::new(DELTANET);
    let data = device.floats("in", &[1.0; 64]);
    let args = [Arg::Pointer(data), Arg::Pointer(data), Arg::Int(64)];
    let refused = |kernel: &str, grid, block, args: &[Arg]| match device.launch(
        kernel,
        grid,
        block,
        args,
        Limits::default(),
        1,
    ) {
        Err(LaunchError::Invalid(line)) => line,
        other => panic!("should be refused: {other:?}"),
    };
    for (line, part) in [
        (
            refused("kernel_exp", [1, 1, 1], [1025, 1, 1], &args),
            "at most 1024",
        ),
        (
            refused("kernel_exp", [1, 1, 1], [64, 0, 1], &args),
            "is empty",
        ),
        (
            refused("kernel_exp", [u32::MAX, 1, 1], [64, 1, 1], &args),
            "along x are more than the 4294967295 work-items",
        ),
        (
            refused("kernel_exq", [1, 1, 1], [64, 1, 1], &args),
            "no kernel `kernel_exq`",
        ),
        (
            refused("kernel_exp", [1, 1, 1], [64, 1, 1], &args[..1]),
            "takes 20 bytes of arguments, 8 given",
        ),
    ] {
        assert!(line.contains(part), "{part} in: {line}");
        assert!(!line.contains('\n'), "{line}");
    }
}
