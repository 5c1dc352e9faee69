//! The microbenchmarks of kernels/calibrate/: how each is launched, and what its time says.

use crate::profile::ConstantName;
use crate::profile::constants::{CUS, SIMDS};

/// Bytes that reads and writes go through: many times the L2.
pub const MEMORY: u64 = 256 << 20;
/// Bytes of an element of a kernel that reads or writes.
const ELEMENT: u64 = 16;
/// The things that a step of a chain has.
const CHAIN: f64 = 16.0;
/// Lanes of a wave.
const LANES: u32 = 64;
/// Work-items of the work-groups that fill the card.
const BLOCK: u32 = 256;
/// Work-groups of `BLOCK` work-items that fill the card with one wave a SIMD.
const WAVE_OF_EACH_SIMD: u32 = CUS as u32;
/// Work-groups of `BLOCK` work-items that the card holds.
const FULL: u32 = 10 * WAVE_OF_EACH_SIMD;

/// An argument of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The address of `MEMORY` zeros.
    Zeros,
    /// The address of the second half of the zeros.
    SecondHalf,
    /// The address of the table of a chase.
    Table,
    /// The address of the cycles of each work-group.
    Cycles,
    /// The number of steps.
    Steps,
    /// A number.
    Number(u32),
}

/// A figure that follows from the time of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quantity {
    /// Cycles of a wave's clock for each of so many things.
    Cycles(f64),
    /// Cycles of each compute unit for each of so many things that it does.
    UnitCycles(f64),
    /// Gigabytes a second, of so many bytes.
    Rate(f64),
}

/// The addresses that a chase visits: so many bytes, one address in each piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chase {
    /// Bytes of the table.
    pub bytes: u64,
    /// Bytes of a piece.
    pub piece: u64,
}

/// A microbenchmark.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// The name in reports.
    pub name: &'static str,
    /// The kernel.
    pub kernel: &'static str,
    /// Work-groups.
    pub groups: u32,
    /// Work-items of a work-group.
    pub block: u32,
    /// Steps of the shorter of two launches; the longer one has three times as many.
    pub steps: u32,
    /// The kernel's arguments, in order.
    pub arguments: &'static [Argument],
    /// The table of a chase.
    pub chase: Option<Chase>,
    /// The figure.
    pub quantity: Quantity,
    /// The constant of the model that the figure is. The best of several rates counts.
    pub constant: Option<ConstantName>,
}

/// The arguments of a read: the elements from the first one to the one of this number.
const fn read_up_to(last: u32) -> [Argument; 4] {
    [
        Argument::Zeros,
        Argument::Cycles,
        Argument::Steps,
        Argument::Number(last),
    ]
}

const FROM_MEMORY: &[Argument] = &read_up_to((MEMORY / ELEMENT) as u32 - 1);
/// 2 MB again and again, which the caches of the compute units do not hold.
const FROM_L2: &[Argument] = &read_up_to(((2 << 20) / ELEMENT) as u32 - 1);
const CYCLES: &[Argument] = &[Argument::Cycles, Argument::Steps];
const CHASED: &[Argument] = &[Argument::Table, Argument::Cycles, Argument::Steps];

/// A chain of dependent instructions, with `groups` work-groups of `block` work-items.
const fn chain(name: &'static str, kernel: &'static str, groups: u32, block: u32) -> Probe {
    Probe {
        name,
        kernel,
        groups,
        block,
        steps: 1 << 12,
        arguments: CYCLES,
        chase: None,
        quantity: Quantity::Cycles(CHAIN),
        constant: None,
    }
}

/// A chain of loads by one wave.
const fn chase(name: &'static str, kernel: &'static str, bytes: u64) -> Probe {
    let is_in_cache = bytes < MEMORY;
    Probe {
        steps: if is_in_cache { 1 << 10 } else { 1 << 13 },
        arguments: CHASED,
        chase: Some(Chase {
            bytes,
            piece: if is_in_cache { 64 } else { 256 },
        }),
        ..chain(name, kernel, 1, LANES)
    }
}

/// Traffic of `groups` work-groups that goes once through `bytes` bytes in its longer launch. An element moves `times` times.
const fn traffic(
    name: &'static str,
    kernel: &'static str,
    groups: u32,
    bytes: u64,
    times: u64,
) -> Probe {
    let step = groups as u64 * BLOCK as u64 * ELEMENT;
    Probe {
        steps: (bytes / 3 / step) as u32,
        quantity: Quantity::Rate((step * times) as f64),
        ..chain(name, kernel, groups, BLOCK)
    }
}

const fn read(name: &'static str, groups: u32) -> Probe {
    Probe {
        arguments: FROM_MEMORY,
        constant: Some(ConstantName::Read),
        ..traffic(name, "calibrate_read", groups, MEMORY, 1)
    }
}

const fn write(name: &'static str, groups: u32) -> Probe {
    Probe {
        arguments: &[Argument::Zeros, Argument::Steps],
        constant: Some(ConstantName::Write),
        ..traffic(name, "calibrate_write", groups, MEMORY, 1)
    }
}

const fn copy(name: &'static str, to: &'static [Argument]) -> Probe {
    Probe {
        arguments: to,
        ..traffic(name, "calibrate_copy", FULL, MEMORY / 2, 2)
    }
}

/// Work of the full card, counted by compute unit: `things` a wave and step.
const fn full(name: &'static str, kernel: &'static str, things: f64) -> Probe {
    Probe {
        steps: 1 << 8,
        quantity: Quantity::UnitCycles(things * (FULL / CUS as u32 * SIMDS as u32) as f64),
        ..chain(name, kernel, FULL, BLOCK)
    }
}

const fn is(constant: ConstantName, probe: Probe) -> Probe {
    Probe {
        constant: Some(constant),
        ..probe
    }
}

/// The microbenchmark whose cycles and seconds give the clock: multiply-adds, one wave a SIMD of the whole card.
pub const CLOCK: Probe = chain(
    "multiply-add after multiply-add, the whole card",
    "calibrate_fma",
    WAVE_OF_EACH_SIMD,
    BLOCK,
);

/// The other microbenchmarks, in the order of reports.
pub const PROBES: &[Probe] = &[
    chain(
        "multiply-add after multiply-add, 1 wave a SIMD",
        "calibrate_fma",
        1,
        BLOCK,
    ),
    chain(
        "multiply-add after multiply-add, 2 waves a SIMD",
        "calibrate_fma",
        1,
        2 * BLOCK,
    ),
    chain(
        "multiply-add after multiply-add, 4 waves a SIMD",
        "calibrate_fma",
        1,
        4 * BLOCK,
    ),
    chain(
        "scalar after scalar, 1 wave a SIMD",
        "calibrate_scalar",
        1,
        BLOCK,
    ),
    chain(
        "scalar after scalar, 2 waves a SIMD",
        "calibrate_scalar",
        1,
        2 * BLOCK,
    ),
    chain(
        "scalar after scalar, 4 waves a SIMD",
        "calibrate_scalar",
        1,
        4 * BLOCK,
    ),
    chain("DPP after DPP, 1 wave a SIMD", "calibrate_dpp", 1, BLOCK),
    chain(
        "DPP after DPP, 2 waves a SIMD",
        "calibrate_dpp",
        1,
        2 * BLOCK,
    ),
    chain(
        "DPP after DPP, 4 waves a SIMD",
        "calibrate_dpp",
        1,
        4 * BLOCK,
    ),
    chain(
        "barrier after barrier, 4 waves",
        "calibrate_barrier",
        1,
        BLOCK,
    ),
    chain(
        "barrier after barrier, 16 waves",
        "calibrate_barrier",
        1,
        4 * BLOCK,
    ),
    chase(
        "vector load after load, 8 KB",
        "calibrate_chase_vector",
        8 << 10,
    ),
    is(
        ConstantName::VectorLatency,
        chase(
            "vector load after load, 1 MB",
            "calibrate_chase_vector",
            1 << 20,
        ),
    ),
    chase(
        "vector load after load, 256 MB",
        "calibrate_chase_vector",
        MEMORY,
    ),
    chase(
        "scalar load after load, 8 KB",
        "calibrate_chase_scalar",
        8 << 10,
    ),
    is(
        ConstantName::ScalarLatency,
        chase(
            "scalar load after load, 1 MB",
            "calibrate_chase_scalar",
            1 << 20,
        ),
    ),
    chase(
        "scalar load after load, 256 MB",
        "calibrate_chase_scalar",
        MEMORY,
    ),
    is(
        ConstantName::LdsLatency,
        chain("LDS read after read", "calibrate_chase_lds", 1, LANES),
    ),
    read(
        "read from memory, 4 waves a compute unit",
        WAVE_OF_EACH_SIMD,
    ),
    read(
        "read from memory, 16 waves a compute unit",
        4 * WAVE_OF_EACH_SIMD,
    ),
    read("read from memory, 40 waves a compute unit", FULL),
    write("write to memory, 4 waves a compute unit", WAVE_OF_EACH_SIMD),
    write(
        "write to memory, 16 waves a compute unit",
        4 * WAVE_OF_EACH_SIMD,
    ),
    write("write to memory, 40 waves a compute unit", FULL),
    copy(
        "copy in memory, 40 waves a compute unit",
        &[Argument::Zeros, Argument::SecondHalf, Argument::Steps],
    ),
    copy(
        "copy onto itself, 40 waves a compute unit",
        &[Argument::Zeros, Argument::Zeros, Argument::Steps],
    ),
    is(
        ConstantName::L2,
        Probe {
            arguments: FROM_L2,
            ..read("read from the L2, 40 waves a compute unit", FULL)
        },
    ),
    is(
        ConstantName::Line,
        Probe {
            arguments: &[Argument::Zeros, Argument::Steps],
            ..full(
                "line of a vector load",
                "calibrate_lines",
                CHAIN * LANES as f64,
            )
        },
    ),
    Probe {
        arguments: &[Argument::Zeros, Argument::Steps],
        ..full("vector load of 2 bytes a lane", "calibrate_halves", CHAIN)
    },
    is(
        ConstantName::ScalarInstruction,
        full("scalar instruction", "calibrate_scalar", CHAIN),
    ),
];
