//! Speed of the emulator on the documented GEMM, and the host's own peak beside it, in one run.
//!
//! Prints one table: wave instructions and lane FMAs a second on one core and on all, and what the host itself reaches in a plain loop of
//! f32 multiply-adds. No test depends on these figures.

use std::time::Instant;

use anyhow::{Context, Result};
use comfy_table::Table;
use gfx906::code_object::CodeObject;
use gfx906::machine::{Counters, Gpu, Launch, Limits};

/// M, N and K of the GEMM.
const SIZE: u32 = 256;
/// Runs of which the fastest counts.
const RUNS: usize = 5;

fn main() -> Result<()> {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut table = Table::new();
    table.set_header([
        "kernel",
        "cores",
        "ms",
        "wave instr/s",
        "lane FMA/s",
        "x one core",
    ]);
    for kernel in ["kernel_gemm_nt_naive", "kernel_gemm_nt_tiled"] {
        let one = fastest(kernel, 1)?;
        row(&mut table, kernel, 1, &one, one.seconds);
        if cores > 1 {
            row(
                &mut table,
                kernel,
                cores,
                &fastest(kernel, cores)?,
                one.seconds,
            );
        }
    }
    let host = host_fma_per_second();
    table.add_row([
        "host: plain loop of f32 a*b+c",
        "1",
        "",
        "",
        &format!("{host:.2e}"),
        "",
    ]);
    println!("GEMM {SIZE}x{SIZE}x{SIZE}, fastest of {RUNS}");
    println!("{table}");
    Ok(())
}

fn row(table: &mut Table, kernel: &str, cores: usize, counters: &Counters, one_core: f64) {
    let fmas = f64::from(SIZE).powi(3);
    table.add_row([
        kernel.to_owned(),
        cores.to_string(),
        format!("{:.2}", counters.seconds * 1e3),
        format!("{:.2e}", counters.instructions as f64 / counters.seconds),
        format!("{:.2e}", fmas / counters.seconds),
        format!("{:.2}", one_core / counters.seconds),
    ]);
}

fn fastest(kernel: &str, threads: usize) -> Result<Counters> {
    let object = CodeObject::parse(include_bytes!("../kernels/built/deltanet.co"))?;
    let gpu = Gpu::new();
    let module = gpu.load(&object)?;
    let bytes = u64::from(SIZE * SIZE * 4);
    let mut kernarg = Vec::new();
    for name in ["A", "B", "C"] {
        kernarg.extend(gpu.alloc(name, bytes)?.to_le_bytes());
    }
    for _ in 0..3 {
        kernarg.extend(SIZE.to_le_bytes());
    }
    let launch = Launch {
        grid: [SIZE / 16, SIZE / 16, 1],
        block: [16, 16, 1],
        dynamic_lds: 0,
        kernarg: &kernarg,
        limits: Limits::default(),
        threads,
    };
    let runs: Result<Vec<Counters>, _> = (0..RUNS)
        .map(|_| gpu.launch(&module, kernel, &launch))
        .collect();
    let runs = runs.with_context(|| format!("running {kernel}"))?;
    runs.into_iter()
        .min_by(|a, b| a.seconds.total_cmp(&b.seconds))
        .context("no run")
}

/// f32 multiply-adds a second in a plain loop over an array, as this benchmark itself is compiled.
fn host_fma_per_second() -> f64 {
    let mut lanes = [1.0f32; 256];
    let (a, b) = (
        std::hint::black_box(0.999f32),
        std::hint::black_box(1e-3f32),
    );
    let rounds = 1_000_000;
    let start = Instant::now();
    for _ in 0..rounds {
        for x in &mut lanes {
            *x = *x * a + b;
        }
    }
    std::hint::black_box(lanes);
    f64::from(rounds) * lanes.len() as f64 / start.elapsed().as_secs_f64()
}
