//! Cost of single instructions: loops of one instruction (`instructions.tsv`) are timed beside a reference instruction at every feature
//! level of the host. Some loops are also timed in every floating-point mode, beside themselves in HIP's mode.
//!
//! cargo bench -p gfx906 --bench instructions -- [--level v4] [--only WORDS] [--modes]
//!
//! Prints host nanoseconds per wave instruction on one core, the ratio, its limit, and the result of the comparison. The two instructions
//! of a comparison take turns, and the fastest run of each counts. No test depends on these figures.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use gfx906::code_object::{CodeObject, Image, Segment};
use gfx906::machine::{Gpu, Launch, Level, Limits, Module};

/// Template kernel, whose code the loop replaces.
const TEMPLATE: &[u8] = include_bytes!("../tests/hostile/hostile.co");
const ROWS: &str = include_str!("instructions.tsv");
/// Copies of the instruction per round of its loop.
const COPIES: u32 = 64;
/// Wave instructions of a run, for an instruction of less and of more than a few hundred nanoseconds.
const LONG: u32 = 16384;
const SHORT: u32 = 2048;
/// Seconds for which a pair of instructions is measured, and the least number of runs of each.
const SECONDS: f64 = 0.03;
const RUNS: usize = 6;
/// Largest permitted ratio between an instruction's time in another mode and in HIP's mode.
const MODE_BAR: f64 = 1.3;
/// Floating-point modes: the descriptor's bits for rounding and subnormals, DX10_CLAMP, IEEE.
const HIP: Mode = (0xf0, true, true);
const MODES: [(&str, Mode); 10] = [
    ("f32 toward +", (0xf1, true, true)),
    ("f32 toward 0", (0xf3, true, true)),
    ("f16, f64 toward -", (0xf8, true, true)),
    ("f16, f64 toward 0", (0xfc, true, true)),
    ("f32 subnormals off", (0xc0, true, true)),
    ("f16, f64 subnormals off", (0x30, true, true)),
    ("all subnormals off", (0x00, true, true)),
    ("f32 subnormal sources off", (0xe0, true, true)),
    ("DX10_CLAMP off", (0xf0, false, true)),
    ("IEEE off", (0xf0, true, false)),
];

type Mode = (u32, bool, bool);

/// A line of the table.
struct Row {
    class: &'static str,
    bar: Option<f64>,
    /// Reference instruction.
    against: &'static str,
    in_modes: bool,
    text: &'static str,
    words: Vec<u32>,
}

fn rows() -> Result<Vec<Row>> {
    let lines = ROWS.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let columns: Vec<&str> = line.split('\t').collect();
            let [class, bar, against, modes, text, words] = columns[..] else {
                anyhow::bail!("not six columns: {line}");
            };
            let words = words
                .split(' ')
                .map(|word| u32::from_str_radix(word, 16))
                .collect::<Result<_, _>>();
            Ok(Row {
                class,
                bar: bar.parse().ok(),
                against,
                in_modes: modes == "modes",
                text,
                words: words.with_context(|| format!("no words of {text}"))?,
            })
        })
        .collect()
}

/// A loop of an instruction, ready to run.
struct Loop {
    gpu: Gpu,
    module: Module,
    kernel: String,
    kernarg: [u8; 8],
    instructions: u32,
    /// Fastest run so far, in nanoseconds per instruction.
    best: f64,
}

impl Loop {
    /// Creates a loop, with fewer rounds if the instruction turns out to be slow.
    fn new(set_up: &Row, row: &Row, mode: Mode, level: Level) -> Result<Loop> {
        let mut short = Loop::of(SHORT, set_up, row, mode, level)?;
        short.run()?;
        short.run()?;
        if short.best > 200.0 {
            return Ok(short);
        }
        Loop::of(LONG, set_up, row, mode, level)
    }

    fn of(instructions: u32, set_up: &Row, row: &Row, mode: Mode, level: Level) -> Result<Loop> {
        let mut object = CodeObject::parse(TEMPLATE)?;
        let mut code = set_up.words.clone();
        // s_mov_b32 s20, rounds - 1; the loop; s_sub_u32 s20, s20, 1; s_cbranch_scc0 back; s_endpgm
        code.extend([0xbe94_00ff, instructions / COPIES - 1]);
        (0..COPIES).for_each(|_| code.extend(&row.words));
        let back = (COPIES as usize * row.words.len() + 2) as u32;
        let back = 0xbf84_0000 | back.wrapping_neg() & 0xffff;
        code.extend([0x8094_8114, back, 0xbf81_0000]);
        object.image = Image {
            segments: vec![Segment {
                address: 0,
                data: code.iter().flat_map(|word| word.to_le_bytes()).collect(),
                executable: true,
                writable: false,
            }],
            relocations: Vec::new(),
            size: 4 * code.len() as u64,
        };
        let kernel = object.kernels.first().context("no kernel")?;
        let mut kernel = kernel.clone();
        let (float, dx10_clamp, ieee) = mode;
        let descriptor = &mut kernel.descriptor;
        // The kernel has 64 VGPRs.
        descriptor.rsrc1 = 15 | float << 12 | u32::from(dx10_clamp) << 21 | u32::from(ieee) << 23;
        // The kernel has scratch, 8 initial SGPRs (scratch buffer, kernarg and flat scratch), and the work-group's number.
        descriptor.rsrc2 = 1 | 8 << 1 | 1 << 7;
        descriptor.properties = 1 | 1 << 3 | 1 << 5;
        kernel.private_segment_size = 4096;
        kernel.lds_size = 16384;
        kernel.entry_address = 0;
        let name = kernel.name.clone();
        object.kernels = [kernel].into();
        let gpu = Gpu::new();
        let module = gpu.load_at(&object, level)?;
        let kernarg = gpu.alloc("data", 1 << 16)?.to_le_bytes();
        Ok(Loop {
            gpu,
            module,
            kernel: name,
            kernarg,
            instructions,
            best: f64::INFINITY,
        })
    }

    fn run(&mut self) -> Result<f64> {
        let launch = Launch {
            grid: [1, 1, 1],
            block: [64, 1, 1],
            dynamic_lds: 0,
            kernarg: &self.kernarg,
            limits: Limits::default(),
            threads: 1,
        };
        let seconds = self
            .gpu
            .launch(&self.module, &self.kernel, &launch)?
            .seconds;
        self.best = self.best.min(seconds * 1e9 / f64::from(self.instructions));
        Ok(seconds)
    }
}

/// Measures an instruction and its reference in turns, in nanoseconds.
fn measure(mut one: Loop, mut other: Option<Loop>) -> Result<(f64, f64)> {
    let (mut spent, mut runs) = (0.0, 0);
    while spent < SECONDS || runs < RUNS {
        spent += one.run()?;
        if let Some(other) = &mut other {
            spent += other.run()?;
        }
        runs += 1;
    }
    Ok((one.best, other.map_or(one.best, |other| other.best)))
}

/// Measures a compiled program that one lane runs, in nanoseconds per wave instruction: scratch, scalars, calls.
fn one_lane(level: Level) -> Result<f64> {
    let object = CodeObject::parse(include_bytes!("one_lane.co"))?;
    let gpu = Gpu::new();
    let module = gpu.load_at(&object, level)?;
    let mut kernarg = gpu.alloc("out", 4)?.to_le_bytes().to_vec();
    kernarg.extend(1u32.to_le_bytes());
    let launch = Launch {
        grid: [1, 1, 1],
        block: [1, 1, 1],
        dynamic_lds: 0,
        kernarg: &kernarg,
        limits: Limits::default(),
        threads: 1,
    };
    let mut best = f64::INFINITY;
    for _ in 0..200 {
        let counters = gpu.launch(&module, "one_lane", &launch)?;
        best = best.min(counters.seconds * 1e9 / counters.instructions as f64);
    }
    Ok(best)
}

/// Options of the command line.
struct Options {
    levels: Vec<(&'static str, Level)>,
    only: String,
    modes_only: bool,
}

fn options() -> Result<Options> {
    let mut levels = vec![
        ("baseline", Level::Baseline),
        ("v3", Level::V3),
        ("v4", Level::V4),
    ];
    levels.retain(|(_, level)| *level <= Level::host());
    let (mut only, mut modes_only) = (String::new(), false);
    let mut arguments = std::env::args().skip(1).filter(|a| a != "--bench");
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--level" => {
                let wanted = arguments.next().context("--level takes a name")?;
                levels.retain(|(name, _)| *name == wanted);
                ensure!(!levels.is_empty(), "this host has no level {wanted}");
            }
            "--only" => only = arguments.next().context("--only takes words")?,
            "--modes" => modes_only = true,
            other => {
                anyhow::bail!(
                    "unknown option {other}; see the head of crates/gfx906/benches/instructions.rs"
                )
            }
        }
    }
    Ok(Options {
        levels,
        only,
        modes_only,
    })
}

/// Prints lines of the table and counts those that miss their bar.
struct Printer {
    missed: usize,
    rows: usize,
}

impl Printer {
    fn head(&self, options: &Options, what: &str) {
        print!("\n{what:<72}");
        for (level, _) in &options.levels {
            print!("{:>16}", format!("{level} ns, x"));
        }
        println!("{:>6}  holds", "bar");
    }

    fn line(&mut self, text: &str, figures: &[(f64, f64)], bar: Option<f64>) {
        let text: String = text.chars().take(71).collect();
        print!("{text:<72}");
        for (ns, against) in figures {
            print!("{ns:>9.1}{:>7.2}", ns / against);
        }
        let Some(bar) = bar else {
            return println!();
        };
        let holds = figures.iter().all(|(ns, against)| *ns <= bar * against);
        println!("{bar:>6}  {}", if holds { "yes" } else { "NO" });
        self.missed += usize::from(!holds);
        self.rows += 1;
    }
}

fn main() -> Result<()> {
    let options = options()?;
    let rows = rows()?;
    let (set_up, rows) = rows.split_first().context("no line in the table")?;
    let by_text: BTreeMap<&str, &Row> = rows.iter().map(|row| (row.text, row)).collect();
    let wanted = |row: &&Row| {
        [row.class, row.text]
            .iter()
            .any(|words| words.contains(&options.only))
    };
    let mut printer = Printer { missed: 0, rows: 0 };
    println!(
        "loops of one instruction: host ns a wave instruction on one core, and the multiple of the instruction that it is measured by"
    );
    let mut class = "";
    for row in rows.iter().filter(wanted).filter(|_| !options.modes_only) {
        if row.class != class {
            class = row.class;
            printer.head(&options, class);
        }
        let against = match row.against {
            "" => None,
            text => Some(
                *by_text
                    .get(text)
                    .with_context(|| format!("no line {text}"))?,
            ),
        };
        let mut figures = Vec::new();
        for &(_, level) in &options.levels {
            let one = Loop::new(set_up, row, HIP, level)?;
            let other = against.map(|row| Loop::new(set_up, row, HIP, level));
            figures.push(
                measure(one, other.transpose()?)
                    .with_context(|| format!("running {}", row.text))?,
            );
        }
        printer.line(row.text, &figures, row.bar);
    }
    for row in rows.iter().filter(wanted).filter(|row| row.in_modes) {
        printer.head(&options, &format!("{} in another mode", row.text));
        for (name, mode) in MODES {
            let mut figures = Vec::new();
            for &(_, level) in &options.levels {
                let one = Loop::new(set_up, row, mode, level)?;
                let other = Loop::new(set_up, row, HIP, level)?;
                figures.push(measure(one, Some(other))?);
            }
            printer.line(&format!("    {name}"), &figures, Some(MODE_BAR));
        }
    }
    if "one lane".contains(&options.only) {
        printer.head(&options, "one lane, compiled at -O0");
        let levels = options.levels.iter();
        let figures = levels.map(|&(_, level)| one_lane(level).map(|ns| (ns, ns)));
        printer.line("one_lane.c", &figures.collect::<Result<Vec<_>>>()?, None);
    }
    println!("\n{} of {} miss their bar", printer.missed, printer.rows);
    Ok(())
}
