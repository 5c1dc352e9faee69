//! Facts about the MI50 that the model takes as they are: one table, each row with its unit and its source. `card.toml` has the
//! constants of speed.

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
/// Gigabytes a second from and to memory that the memory has at most.
const MEMORY_GB: f64 = 1024.0;
/// Bytes a second from and to memory that the memory has at most.
pub const MEMORY: f64 = MEMORY_GB * 1e9;
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
/// The least cycles from issue to return: of vector memory, of scalar memory, of LDS.
pub const NEAR: [u64; 3] = [140, 28, 64];

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

/// The facts, with their sources, as reports list them.
pub const TABLE: &[Constant] = &[
    row("compute units", CUS as f64, "", ROCM),
    row("SIMDs of a compute unit", SIMDS as f64, "", ROCM),
    row("memory, at most", MEMORY_GB, "GB/s", "AMD: peak"),
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
    row("line of the vector cache", LINE as f64, "bytes", ROCM),
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
        NEAR[0] as f64,
        "cycles",
        "first-level hit 140-155; gem5 PR 1350",
    ),
    row("scalar memory, near", NEAR[1] as f64, "cycles", WISCONSIN),
    row(
        "LDS, near",
        NEAR[2] as f64,
        "cycles",
        "an assumption: unknown on this chip",
    ),
];
