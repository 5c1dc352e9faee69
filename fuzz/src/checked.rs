//! Checks of the sanitizer on any program: it does not change what the program does, repeats its findings, and keeps to its bounds.

use std::fmt;
use std::sync::Arc;

use gfx906::machine::{Level, Nobody};
use gfx906::observe::sanitize::{Check, Checks, Findings, Heap, Sanitizer};

use crate::programs::{Difference, Machine, RandomProgram, Result};

/// The largest number of findings that are kept apart.
const MOST: usize = 1000;

/// The counts of findings in programs.
#[derive(Default)]
pub struct FindingCounts {
    /// Programs that ran.
    pub programs: u64,
    /// Programs that have findings, by check.
    pub by_check: [u64; Check::ALL.len()],
    /// The number of findings of the program that has most.
    pub most: usize,
}

impl FindingCounts {
    /// Adds the counts of other programs.
    pub fn add(&mut self, other: &FindingCounts) {
        self.programs += other.programs;
        self.most = self.most.max(other.most);
        for (sum, more) in self.by_check.iter_mut().zip(other.by_check) {
            *sum += more;
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
/// The runs differ, or the findings exceed their bounds.
pub fn run(
    machine: &mut Machine,
    program: &RandomProgram,
    found: &mut FindingCounts,
) -> std::result::Result<(), Difference> {
    machine.load(program);
    let plain = machine.observed(program.block, Level::host(), 1, &mut Nobody, |_, _, _| ());
    let (first, findings) = checked(machine, program);
    let (_, again) = checked(machine, program);
    if first != plain {
        return Err(Difference(format!(
            "under all checks {:?}, else {:?}",
            first.end, plain.end
        )));
    }
    if !findings.iter().eq(again.iter()) {
        return Err(Difference(format!(
            "finds {findings:?}, and then {again:?}"
        )));
    }
    if findings.len() > MOST {
        return Err(Difference(format!("{} findings are kept", findings.len())));
    }
    found.programs += 1;
    found.most = found.most.max(findings.len());
    for (check, count) in Check::ALL.into_iter().zip(&mut found.by_check) {
        *count += u64::from(findings.iter().any(|finding| finding.check == check));
    }
    Ok(())
}

fn checked(machine: &Machine, program: &RandomProgram) -> (Result, Findings) {
    let heap = Arc::new(Heap::default());
    let mut sanitizer = Sanitizer::new(Checks::ALL).with_heap(Arc::clone(&heap));
    let ready = |_: &mut Sanitizer, _, data: std::ops::Range<u64>| {
        // The program's memory is blocks of several sizes with gaps between them. Some blocks are unwritten.
        let (start, quarter) = (data.start, (data.end - data.start) / 4);
        heap.declare("a", start..start + quarter, start..start + quarter, None);
        let b = start + quarter..start + 2 * quarter - 3;
        heap.declare("b", b.clone(), b.start..b.end + 3, Some("a call"));
        heap.undefined(b);
        let c = start + 2 * quarter..start + 3 * quarter;
        heap.declare("c", c.clone(), c.clone(), None);
        heap.free(c.start, "another call");
    };
    let result = machine.observed(program.block, Level::host(), 1, &mut sanitizer, ready);
    (result, sanitizer.take_findings())
}
