//! Random programs, each at every feature level of the host and on one and two threads. `scripts/random-programs.sh` runs this example.
//!
//! - `COUNT [SEED]` runs programs SEED, SEED + 1, … and prints a summary;
//! - `checked COUNT [SEED]` runs them under all checks of the sanitizer, which must change nothing and stay within 256 MiB of memory;
//! - `list SEED` prints a program;
//! - `file PATH` runs the program of a fuzzer's bytes.

#[path = "../../../../fuzz/src/checked.rs"]
mod checked;
#[path = "../../../../fuzz/src/execute.rs"]
mod execute;
#[path = "../../../../fuzz/src/programs/mod.rs"]
mod programs;

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use checked::FindingCounts;
use execute::Census;
use gfx906::isa;
use programs::{Choices, Difference, Machine, RandomProgram, generate};

/// Largest number of differences that are printed.
const SHOWN: usize = 20;
/// Largest memory of the process in KiB, independent of the number of programs.
const MOST_MEMORY: u64 = 256 << 10;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<u64> = arguments.iter().filter_map(|a| a.parse().ok()).collect();
    match (arguments.first().map(String::as_str), &numbers[..]) {
        (Some("list"), [seed]) => {
            let program = generate(&mut Choices::from_seed(*seed));
            println!("groups of {} work-items", program.block);
            listing(&program.words)
                .iter()
                .for_each(|text| println!("{text}"));
            ExitCode::SUCCESS
        }
        (Some("file"), []) => file(&arguments[1..]),
        (Some("checked"), [count, rest @ ..]) => run(
            *count,
            rest.first().copied().unwrap_or(1),
            checked::run,
            FindingCounts::add,
        ),
        (_, [count, rest @ ..]) => run(
            *count,
            rest.first().copied().unwrap_or(1),
            execute::compare,
            Census::add,
        ),
        _ => {
            eprintln!("usage: random_programs [checked] COUNT [SEED] | list SEED | file PATH...");
            ExitCode::from(2)
        }
    }
}

fn file(paths: &[String]) -> ExitCode {
    let mut census = Census::default();
    for path in paths {
        match std::fs::read(path) {
            Ok(bytes) => execute::run(&bytes, &mut census),
            Err(error) => {
                eprintln!("random_programs: {path}: {error}");
                return ExitCode::from(3);
            }
        }
    }
    println!("{census}");
    ExitCode::SUCCESS
}

/// Runs a function on a number of programs, and adds up the results.
fn run<C: Default + Display + Send>(
    count: u64,
    first: u64,
    one: impl Fn(&mut Machine, &RandomProgram, &mut C) -> Result<(), Difference> + Sync,
    add: impl Fn(&mut C, &C) + Sync,
) -> ExitCode {
    let started = Instant::now();
    let next = AtomicU64::new(0);
    let all = Mutex::new((C::default(), Vec::new()));
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let (mut machine, mut census, mut differences) =
                    (Machine::new(), C::default(), Vec::new());
                loop {
                    let seed = first + next.fetch_add(1, Relaxed);
                    if seed >= first + count {
                        break;
                    }
                    let program = generate(&mut Choices::from_seed(seed));
                    let work = || one(&mut machine, &program, &mut census);
                    match catch_unwind(AssertUnwindSafe(work)) {
                        Ok(Ok(())) => {}
                        Ok(Err(difference)) => {
                            differences.push(format!("program {seed}: {difference}"))
                        }
                        Err(_) => differences.push(format!("program {seed}: a panic")),
                    }
                }
                let mut all = all.lock().expect("no worker panics");
                add(&mut all.0, &census);
                all.1.append(&mut differences);
            });
        }
    });
    let (census, mut differences) = all.into_inner().expect("no worker panics");
    let seconds = started.elapsed().as_secs_f64();
    println!("{census}");
    println!(
        "{:.0} s, {:.0} programs a second",
        seconds,
        count as f64 / seconds
    );
    if let Some(peak) = peak() {
        println!("{} MiB of memory at most", peak.div_ceil(1024));
        if peak > MOST_MEMORY {
            differences.push(format!("{peak} KiB of memory, not {MOST_MEMORY}"));
        }
    }
    println!("{} differences or panics", differences.len());
    differences
        .iter()
        .take(SHOWN)
        .for_each(|text| println!("{text}"));
    ExitCode::from(u8::from(!differences.is_empty()))
}

/// Returns the peak memory of the process in KiB, if the system reports it.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

/// Returns the program's instructions as text.
fn listing(words: &[u32]) -> Vec<String> {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let mut texts = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let (text, size) = match isa::decode(&bytes[at..]) {
            Ok(inst) => (isa::disassemble(&inst), inst.size()),
            Err(_) => (format!("{:#010x}", words[at / 4]), 4),
        };
        texts.push(text);
        at += size;
    }
    texts
}
