//! Checks of the machine: any program ends, or traps with a report, and has the same results at every feature level and on any number of
//! threads.

use std::fmt;

use gfx906::machine::Level;

use crate::programs::{
    Choices, Difference, End, Machine, RandomProgram, Rows, RunResult, Tally, generate,
};

/// Counts of the results of programs.
#[derive(Default)]
pub struct Census {
    /// Programs that ran.
    pub programs: u64,
    /// Wave instructions of programs that ended.
    pub instructions: u64,
    /// Programs whose waves all ended.
    pub ended: u64,
    /// Programs that trapped.
    pub trapped: u64,
    /// Programs that used up their budget.
    pub hung: u64,
    /// Programs that took a branch forward.
    pub forward: u64,
    /// Programs that took a branch backward.
    pub backward: u64,
    /// Programs that accessed global memory.
    pub global: u64,
    /// Programs that accessed LDS.
    pub lds: u64,
    /// Programs that accessed scratch.
    pub scratch: u64,
    /// Programs that executed an atomic.
    pub atomics: u64,
    /// The rows of the instruction table that ran.
    pub rows: Rows,
}

impl Census {
    /// Counts one program.
    fn from_run(result: RunResult, tally: Tally) -> Census {
        let is = |condition: bool| u64::from(condition);
        Census {
            programs: 1,
            instructions: result.instructions,
            ended: is(result.end == End::Ended),
            trapped: is(matches!(result.end, End::Trapped(_))),
            hung: is(matches!(result.end, End::Hung(_))),
            forward: is(tally.forward != 0),
            backward: is(tally.backward != 0),
            global: is(tally.global != 0),
            lds: is(tally.lds != 0),
            scratch: is(tally.scratch != 0),
            atomics: is(tally.atomics != 0),
            rows: tally.rows,
        }
    }

    /// Adds the counts of another census.
    pub fn add(&mut self, other: &Census) {
        self.programs += other.programs;
        self.instructions += other.instructions;
        self.ended += other.ended;
        self.trapped += other.trapped;
        self.hung += other.hung;
        self.forward += other.forward;
        self.backward += other.backward;
        self.global += other.global;
        self.lds += other.lds;
        self.scratch += other.scratch;
        self.atomics += other.atomics;
        self.rows.add(&other.rows);
    }
}

impl fmt::Display for Census {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (reached, all) = self.rows.reached();
        writeln!(
            f,
            "{} programs: {} ended after {} wave instructions, {} trapped, {} used up the budget",
            self.programs, self.ended, self.instructions, self.trapped, self.hung
        )?;
        writeln!(
            f,
            "branched: {} forward, {} backward; touched: {} global memory, {} LDS, {} scratch; {} had atomics",
            self.forward, self.backward, self.global, self.lds, self.scratch, self.atomics
        )?;
        write!(
            f,
            "rows: {reached} of {all} rows with semantics ran; missed: {}",
            self.rows.missed().join(" ")
        )
    }
}

/// Runs a program at the lowest feature level on one thread and counts it, then at each other level of the host, and on two threads.
///
/// # Errors
/// Two runs differ. The error describes both.
pub fn compare(
    machine: &mut Machine,
    program: &RandomProgram,
    census: &mut Census,
) -> Result<(), Difference> {
    machine.load(program);
    let mut tally = Tally::with_rows();
    let first = machine.run(program.block, Level::Baseline, 1, &mut tally);
    let levels = [Level::V3, Level::V4].into_iter();
    let levels = levels.filter(|&level| level <= Level::host() && !cfg!(debug_assertions));
    let others = levels.map(|level| (level, 1)).chain([(Level::host(), 2)]);
    for (level, threads) in others {
        let second = machine.run(program.block, level, threads, &mut Tally::default());
        let same = match (&first.end, &second.end) {
            // Once the budget is used up or another group has trapped, it is not specified how far the waves of other threads run.
            (End::Hung(_), End::Hung(_)) if threads > 1 => true,
            (End::Hung(_), End::Trapped(_)) | (End::Trapped(_), End::Hung(_)) if threads > 1 => {
                true
            }
            (End::Trapped(a), End::Trapped(b)) if threads > 1 => {
                without_address(a) == without_address(b)
            }
            _ => first == second,
        };
        if !same {
            return Err(Difference(format!(
                "{level:?} on {threads} threads: {:?}, {} instructions, registers {:x}; first run: {:?}, {}, {:x}; memory equal: {}",
                second.end,
                second.instructions,
                second.registers,
                first.end,
                first.instructions,
                first.registers,
                first.memory == second.memory
            )));
        }
    }
    census.add(&Census::from_run(first, tally));
    Ok(())
}

/// Returns a report without the address, because the address of scratch depends on the worker thread.
fn without_address(report: &str) -> &str {
    report.split("\n  address").next().unwrap_or(report)
}

/// Runs the program that a fuzzer's bytes choose.
pub fn run(bytes: &[u8], census: &mut Census) {
    let program = generate(&mut Choices::from_bytes(bytes));
    let mut machine = Machine::new();
    if let Err(difference) = compare(&mut machine, &program, census) {
        panic!("{difference}");
    }
}
