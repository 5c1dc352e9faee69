//! Checks of the sanitizer on any program: the sanitizer does not change the program's results, repeats its findings, and keeps at most a
//! fixed number of them.

use std::fmt;
use std::sync::Arc;

use gfx906::machine::{Level, Nobody};
use gfx906::observe::sanitize::{Check, Checks, Findings, Heap, Sanitizer};

use crate::programs::{Difference, Machine, RandomProgram, RunResult};

/// The largest number of findings that the sanitizer keeps.
const MOST_FINDINGS: usize = 1000;

/// The counts of findings in programs.
#[derive(Default)]
pub struct FindingCounts {
    /// Programs that ran.
    pub programs: u64,
    /// Number of programs with findings of each check.
    pub by_check: [u64; Check::ALL.len()],
    /// The largest number of findings in one program.
    pub most: usize,
}

impl FindingCounts {
    /// Adds the counts of other programs.
    pub fn add(&mut self, other: &FindingCounts) {
        self.programs += other.programs;
        self.most = self.most.max(other.most);
        for (sum, count) in self.by_check.iter_mut().zip(other.by_check) {
            *sum += count;
        }
    }
}

impl fmt::Display for FindingCounts {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} programs under all checks; found in:", self.programs)?;
        for (check, count) in Check::ALL.iter().zip(self.by_check) {
            write!(f, " {check} {count},")?;
        }
        write!(f, " at most {} findings in one", self.most)
    }
}

/// Runs a program without checks, and twice under all checks.
///
/// # Errors
/// The runs differ, or there are too many findings.
pub fn run(
    machine: &mut Machine,
    program: &RandomProgram,
    counts: &mut FindingCounts,
) -> Result<(), Difference> {
    machine.load(program);
    let unchecked =
        machine.run_observed(program.block, Level::host(), 1, &mut Nobody, |_, _, _| ());
    let (checked, findings) = run_checked(machine, program);
    let (_, repeated) = run_checked(machine, program);
    if checked != unchecked {
        return Err(Difference(format!(
            "under all checks {:?}, without checks {:?}",
            checked.end, unchecked.end
        )));
    }
    if !findings.iter().eq(repeated.iter()) {
        return Err(Difference(format!(
            "finds {findings:?}, and then {repeated:?}"
        )));
    }
    if findings.len() > MOST_FINDINGS {
        return Err(Difference(format!("{} findings are kept", findings.len())));
    }
    counts.programs += 1;
    counts.most = counts.most.max(findings.len());
    for (check, count) in Check::ALL.into_iter().zip(&mut counts.by_check) {
        *count += u64::from(findings.iter().any(|finding| finding.check == check));
    }
    Ok(())
}

/// Runs the loaded program under all checks.
fn run_checked(machine: &Machine, program: &RandomProgram) -> (RunResult, Findings) {
    let heap = Arc::new(Heap::default());
    let mut sanitizer = Sanitizer::new(Checks::ALL).with_heap(Arc::clone(&heap));
    let declare_heap = |_: &mut Sanitizer, _, data: std::ops::Range<u64>| {
        // The program's memory consists of blocks of several sizes with gaps between them: one written, one unwritten, one freed.
        let (start, quarter) = (data.start, (data.end - data.start) / 4);
        heap.declare("a", start..start + quarter, start..start + quarter, None);
        let b = start + quarter..start + 2 * quarter - 3;
        heap.declare("b", b.clone(), b.start..b.end + 3, Some("a call"));
        heap.undefined(b);
        let c = start + 2 * quarter..start + 3 * quarter;
        heap.declare("c", c.clone(), c.clone(), None);
        heap.free(c.start, "another call");
    };
    let result = machine.run_observed(
        program.block,
        Level::host(),
        1,
        &mut sanitizer,
        declare_heap,
    );
    (result, sanitizer.take_findings())
}
