//! Coverage and cost of each case: the instructions that the honest kernels execute, and their number.

use std::collections::{BTreeMap, BTreeSet};

use gfx906::isa::{Encoding, Kind, Properties, disassemble};

use super::report::UncoveredStretch;
use super::sites::Function;
use crate::device::Watch;
use crate::trial::FinishedTrial;

/// A run of the honest kernels in a case.
pub(super) struct Honest {
    /// Number of times that each instruction ran, by link address.
    pub executed: BTreeMap<u64, u64>,
    /// Link addresses of the instructions that a wave of a work-group with several waves executed.
    pub together: BTreeSet<u64>,
    /// Names of the kernels in which a wave reached memory that another wave stored to.
    pub exchanging: BTreeSet<String>,
    /// Wave instructions of all launches.
    pub cost: u64,
    /// Wave instructions of the largest launch.
    pub largest: u64,
    /// A digest of the bits of the outputs.
    pub digest: Option<u64>,
}

impl Honest {
    /// Collects the results of a trial that was watched.
    pub fn of(done: &FinishedTrial, watch: &Watch) -> Honest {
        let launches = done.report.launches.iter();
        let largest = launches.filter_map(|launch| launch.wave_instructions).max();
        let coverage = watch.coverage.as_ref().map(|coverage| {
            let coverage = coverage.lock();
            coverage.unwrap_or_else(std::sync::PoisonError::into_inner)
        });
        let coverage = coverage.as_deref();
        Honest {
            executed: coverage.map_or_else(BTreeMap::new, |all| all.executed().collect()),
            together: coverage.map_or_else(BTreeSet::new, |all| all.together().collect()),
            exchanging: coverage.map_or_else(BTreeSet::new, |all| {
                all.exchanging().map(str::to_owned).collect()
            }),
            cost: done.report.wave_instructions.unwrap_or(0),
            largest: largest.unwrap_or(0),
            digest: done.digest,
        }
    }
}

/// Returns the stretches of a function that no test executes, each with the branch that would lead there.
pub(super) fn uncovered(
    function: &Function,
    covered: impl Fn(u64) -> bool,
) -> Vec<UncoveredStretch> {
    let all = &function.instructions;
    let mut runs: Vec<UncoveredStretch> = Vec::new();
    let mut open = false;
    for (at, (address, inst)) in all.iter().enumerate() {
        if covered(*address) || is_padding(function, at) {
            open = false;
            continue;
        }
        if !open {
            runs.push(UncoveredStretch {
                function: function.name.clone(),
                offset: address - function.start,
                instructions: 0,
                text: disassemble(inst),
                path: path(function, at, &covered),
            });
        }
        open = true;
        if let Some(run) = runs.last_mut() {
            run.instructions += 1;
        }
    }
    runs
}

/// Returns true if no instruction from a position on does anything: they fill the last cache line after the function's end.
fn is_padding(function: &Function, at: usize) -> bool {
    let rest = &function.instructions[at..];
    rest.iter()
        .all(|(_, inst)| matches!(inst.row.mnemonic, "s_nop" | "s_code_end" | "s_endpgm"))
}

/// Describes the executed branch that would lead to an instruction: the one before it, or one that jumps to it.
fn path(function: &Function, at: usize, covered: &impl Fn(u64) -> bool) -> String {
    let all = &function.instructions;
    let to = all[at].0;
    let branches = all.iter().filter(|(address, inst)| {
        inst.encoding == Encoding::Sopp && inst.kind() == Kind::Branch && covered(*address)
    });
    for (address, inst) in branches {
        let behind = address + inst.size() as u64;
        let distance = i64::from(inst.literal as i32) * 4;
        let taken = behind.checked_add_signed(distance);
        let where_ = format!("{:#x} ({})", address - function.start, disassemble(inst));
        if taken == Some(to) {
            return format!("the branch at {where_} is never taken");
        }
        if behind == to && !inst.has(Properties::JUMP) {
            return format!("the branch at {where_} is always taken");
        }
    }
    "only behind other code that does not run".into()
}
