//! Constants of the MI50 model: one table, each row with its unit and its source.

use gfx906::observe::costs::Latencies;
use gfx906::observe::costs::banks::BANKS;
use gfx906::observe::costs::lines::LINE;

/// A fact about the card.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    /// Its name in reports.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// The unit of the value.
    pub unit: &'static str,
    /// The source, and how reliable it is.
    pub source: &'static str,
}

/// Compute units.
pub const CUS: usize = 60;
/// SIMDs of a compute unit.
pub const SIMDS: usize = 4;
/// Peak clock in MHz, which is the model's clock by default.
pub const CLOCK: f64 = 1725.0;
/// Gigabytes a second from and to memory that good kernels reach.
const MEMORY_GB: f64 = 870.0;
/// Bytes a second from and to memory that good kernels reach.
pub const MEMORY: f64 = MEMORY_GB * 1e9;
/// Microseconds that an empty launch takes.
const LAUNCH_US: f64 = 3.6;
/// Seconds that an empty launch takes.
pub const LAUNCH: f64 = LAUNCH_US * 1e-6;
/// VGPRs of a lane of a SIMD.
pub const VGPRS: u32 = 256;
/// VGPRs that are allocated together.
pub const VGPR_GRANULE: u32 = 4;
/// Waves that a SIMD holds.
pub const WAVES: u32 = 10;
/// Bytes of LDS of a compute unit.
pub const LDS: u32 = 64 << 10;
/// Bytes of the granule in which LDS is allocated.
pub const LDS_GRANULE: u32 = 512;
/// Work-groups of several waves that a compute unit holds: each has one of its barriers.
pub const BARRIERS: u32 = 16;
/// The factor on the sum of all pipes that gives the upper end.
pub const SLACK: f64 = 1.2;
/// Cycles from issue to return: near and far.
pub const LATENCIES: Latencies = Latencies {
    vector: [140, 270],
    scalar: [28, 270],
    lds: [64, 128],
};

const fn row(name: &'static str, value: f64, unit: &'static str, source: &'static str) -> Constant {
    Constant {
        name,
        value,
        unit,
        source,
    }
}

const TIMINGS: &str = "CLRX, GcnTimings";
const WISCONSIN: &str = "gem5 PR 1350: tuned by microbenchmarks on a Vega of 60 CUs";
const USAGE: &str = "LLVM, AMDGPU usage; CLRX";
const ROCM: &str = "ROCm, GPU architecture specifications";

/// The constants of the model, with their sources, as reports list them.
pub const TABLE: &[Constant] = &[
    row("compute units", CUS as f64, "", ROCM),
    row("SIMDs of a compute unit", SIMDS as f64, "", ROCM),
    row(
        "clock",
        CLOCK,
        "MHz",
        "AMD: peak. Owners run 1606 at 225 W: --clock",
    ),
    row(
        "memory",
        MEMORY_GB,
        "GB/s",
        "skyne98/wiki-gfx906: loads of 16 bytes 867-873, of 4 bytes 814; MIInfer: copies 880; peak 1024",
    ),
    row(
        "launch",
        LAUNCH_US,
        "us",
        "MIInfer: 3.2-4.1 empty; 0.73 less each in a graph",
    ),
    row("vector instruction", 4.0, "cycles of a SIMD", TIMINGS),
    row(
        "vector instruction, half rate",
        8.0,
        "cycles of a SIMD",
        "clpeak issue 109: f64 6.4 of 12.6-12.9 TFLOP/s; CLRX has 4 for some",
    ),
    row(
        "vector instruction, quarter rate",
        16.0,
        "cycles of a SIMD",
        TIMINGS,
    ),
    row(
        "LDS banks",
        BANKS as f64,
        "dwords a cycle",
        "rocprof-compute: 128 B/clk a CU. Reached: b32 1.9-3.9 TB/s of 13.2, b64 4.3-8.8, b128 9.5-11.2 (skyne98)",
    ),
    row(
        "line of the vector cache",
        LINE as f64,
        "bytes a cycle",
        ROCM,
    ),
    row(
        "scalar, branch, message instruction",
        1.0,
        "cycles of a CU",
        "an assumption: one of each kind a cycle, none beside another",
    ),
    row("VGPRs of a lane and SIMD", VGPRS as f64, "", USAGE),
    row("VGPRs given at a time", VGPR_GRANULE as f64, "", USAGE),
    row("waves of a SIMD", WAVES as f64, "", USAGE),
    row("LDS of a compute unit", LDS as f64, "bytes", USAGE),
    row(
        "LDS given at a time",
        LDS_GRANULE as f64,
        "bytes",
        "LLVM, AMDGPUBaseInfo: 128 dwords",
    ),
    row(
        "work-groups of several waves of a CU",
        BARRIERS as f64,
        "",
        "LLVM, AMDGPUBaseInfo: 16 barriers",
    ),
    row(
        "vector memory, near",
        LATENCIES.vector[0] as f64,
        "cycles",
        "first-level hit 140-155; gem5 PR 1350",
    ),
    row(
        "vector memory, far",
        LATENCIES.vector[1] as f64,
        "cycles",
        "second-level hit 265-275; gem5 PR 1350. That of HBM is unknown on this chip",
    ),
    row(
        "scalar memory, near",
        LATENCIES.scalar[0] as f64,
        "cycles",
        WISCONSIN,
    ),
    row(
        "scalar memory, far",
        LATENCIES.scalar[1] as f64,
        "cycles",
        "second-level hit, as vector memory",
    ),
    row(
        "LDS, near",
        LATENCIES.lds[0] as f64,
        "cycles",
        "an assumption: unknown on this chip",
    ),
    row(
        "LDS, far",
        LATENCIES.lds[1] as f64,
        "cycles",
        "an assumption: unknown on this chip",
    ),
    row(
        "upper end",
        SLACK,
        "times the sum",
        "an assumption: analytic GPU models err by 13-30 % at best",
    ),
];
