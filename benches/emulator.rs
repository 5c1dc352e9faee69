//! Speed of the emulator on documented kernels, beside the same kernels run natively and the host's own peak, in one run.
//!
//! Prints one table: wave instructions a second, and the rate of what the kernel is for (multiply-adds of a lane, or elements), on
//! one core and on all. Native times come from the file that `DELTANET_NATIVE` names, a line a kernel: name, cores, milliseconds
//! (`scripts/bench.sh` makes it with PoCL). No test depends on these figures.

use std::time::Instant;

use anyhow::{Context, Result};
use comfy_table::Table;
use gfx906::code_object::CodeObject;
use gfx906::machine::{Counters, Gpu, Launch, Limits};

/// M, N and K of the GEMMs.
const SIZE: u32 = 256;
/// Elements of the sigmoid.
const ELEMENTS: u32 = 1 << 20;
/// The number of runs, of which the fastest counts.
const RUNS: usize = 7;

/// A benchmarked kernel.
struct Case {
    kernel: &'static str,
    /// The number of operations of one launch, and the name of the operation.
    work: (f64, &'static str),
    grid: [u32; 3],
    block: [u32; 3],
    /// The sizes of the buffers, in f32 elements.
    buffers: &'static [u32],
    sizes: &'static [u32],
}

const CASES: [Case; 4] = [
    Case {
        kernel: "gemm_nt_naive",
        work: (16_777_216.0, "FMA"),
        grid: [SIZE / 16, SIZE / 16, 1],
        block: [16, 16, 1],
        buffers: &[SIZE * SIZE, SIZE * SIZE, SIZE * SIZE],
        sizes: &[SIZE, SIZE, SIZE],
    },
    Case {
        kernel: "gemm_nt_tiled",
        work: (16_777_216.0, "FMA"),
        grid: [SIZE / 16, SIZE / 16, 1],
        block: [16, 16, 1],
        buffers: &[SIZE * SIZE, SIZE * SIZE, SIZE * SIZE],
        sizes: &[SIZE, SIZE, SIZE],
    },
    Case {
        kernel: "sigmoid",
        work: (ELEMENTS as f64, "element"),
        grid: [ELEMENTS / 256, 1, 1],
        block: [256, 1, 1],
        buffers: &[ELEMENTS, ELEMENTS],
        sizes: &[ELEMENTS],
    },
    Case {
        kernel: "exp",
        work: (ELEMENTS as f64, "element"),
        grid: [ELEMENTS / 256, 1, 1],
        block: [256, 1, 1],
        buffers: &[ELEMENTS, ELEMENTS],
        sizes: &[ELEMENTS],
    },
];

fn main() -> Result<()> {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let native = native_times()?;
    let mut table = Table::new();
    table.set_header([
        "kernel",
        "on",
        "cores",
        "ms",
        "wave instr/s",
        "work/s",
        "x one core",
        "x native",
    ]);
    // Words after `--` choose kernels; cargo itself passes `--bench`.
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| arg != "--bench")
        .collect();
    let chosen = |case: &&Case| wanted.is_empty() || wanted.iter().any(|w| w == case.kernel);
    for case in CASES.iter().filter(chosen) {
        let mut one_core = None;
        for n in if cores > 1 { vec![1, cores] } else { vec![1] } {
            let counters = fastest(case, n)?;
            let native = native
                .iter()
                .find(|(name, c, _)| name == case.kernel && *c == n);
            let first = *one_core.get_or_insert(counters.seconds);
            table.add_row([
                case.kernel.to_owned(),
                "emulator".to_owned(),
                n.to_string(),
                format!("{:.2}", counters.seconds * 1e3),
                format!("{:.2e}", counters.instructions as f64 / counters.seconds),
                rate(case, counters.seconds),
                format!("{:.2}", first / counters.seconds),
                native.map_or(String::new(), |(.., ms)| {
                    format!("{:.2}", ms / 1e3 / counters.seconds)
                }),
            ]);
        }
        let mut one_core = None;
        for (_, n, ms) in native.iter().filter(|(name, ..)| name == case.kernel) {
            let first = *one_core.get_or_insert(*ms);
            table.add_row([
                case.kernel.to_owned(),
                "PoCL".to_owned(),
                n.to_string(),
                format!("{ms:.2}"),
                String::new(),
                rate(case, ms / 1e3),
                format!("{:.2}", first / ms),
                String::new(),
            ]);
        }
    }
    println!("GEMM {SIZE}x{SIZE}x{SIZE}, sigmoid and exp of {ELEMENTS}, fastest of {RUNS}");
    println!("{table}");
    println!(
        "host, f32 a*b+c on one core: {:.2e} FMA/s",
        peak::fma_per_second()
    );
    Ok(())
}

fn rate(case: &Case, seconds: f64) -> String {
    let (work, unit) = case.work;
    format!("{:.2e} {unit}", work / seconds)
}

/// Kernel, cores, milliseconds.
fn native_times() -> Result<Vec<(String, usize, f64)>> {
    let Some(path) = std::env::var_os("DELTANET_NATIVE") else {
        return Ok(Vec::new());
    };
    let text =
        std::fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    let line = |line: &str| {
        let mut words = line.split_whitespace();
        let entry = (
            words.next()?.to_owned(),
            words.next()?.parse().ok()?,
            words.next()?.parse().ok()?,
        );
        Some(entry)
    };
    Ok(text.lines().filter_map(line).collect())
}

fn fastest(case: &Case, threads: usize) -> Result<Counters> {
    let object = CodeObject::parse(include_bytes!("../kernels/built/deltanet.co"))?;
    let gpu = Gpu::new();
    let module = gpu.load(&object)?;
    let mut kernarg = Vec::new();
    for &elements in case.buffers {
        kernarg.extend(gpu.alloc("buffer", u64::from(elements) * 4)?.to_le_bytes());
    }
    for size in case.sizes {
        kernarg.extend(size.to_le_bytes());
    }
    let launch = Launch {
        grid: case.grid,
        block: case.block,
        dynamic_lds: 0,
        kernarg: &kernarg,
        limits: Limits::default(),
        threads,
    };
    let kernel = format!("kernel_{}", case.kernel);
    let runs: Result<Vec<Counters>, _> = (0..RUNS)
        .map(|_| gpu.launch(&module, &kernel, &launch))
        .collect();
    let runs = runs.with_context(|| format!("running {kernel}"))?;
    runs.into_iter()
        .min_by(|a, b| a.seconds.total_cmp(&b.seconds))
        .context("no run")
}

/// The peak speed of the host itself.
mod peak {
    use super::Instant;

    /// The number of rounds of 256 multiply-adds.
    const ROUNDS: u32 = 4_000_000;

    #[inline(always)]
    fn rounds(lanes: &mut [f32; 256], fused: bool) {
        let (a, b) = (
            std::hint::black_box(0.999f32),
            std::hint::black_box(1e-3f32),
        );
        for _ in 0..ROUNDS {
            for x in lanes.iter_mut() {
                *x = if fused { x.mul_add(a, b) } else { *x * a + b };
            }
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn rounds_avx2(lanes: &mut [f32; 256]) {
        rounds(lanes, true);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,fma")]
    fn rounds_avx512(lanes: &mut [f32; 256]) {
        rounds(lanes, true);
    }

    fn best(lanes: &mut [f32; 256]) {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the host has AVX-512 and, with it, FMA.
            return unsafe { rounds_avx512(lanes) };
        } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: the host has both.
            return unsafe { rounds_avx2(lanes) };
        }
        rounds(lanes, cfg!(target_arch = "aarch64"));
    }

    /// Measures the f32 multiply-adds a second of one core, with the widest vectors that the host has.
    pub fn fma_per_second() -> f64 {
        let mut lanes = [1.0f32; 256];
        let start = Instant::now();
        best(&mut lanes);
        std::hint::black_box(lanes);
        f64::from(ROUNDS) * lanes.len() as f64 / start.elapsed().as_secs_f64()
    }
}
