//! Findings: both instructions involved, and the likely cure. A repeated finding is counted, not listed again.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;

use super::{Check, CheckedInstruction};
use crate::code_object::Lines;

/// Largest number of different findings that are kept. Further ones are only counted.
const KEPT: usize = 1000;

/// An instruction at its link address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Link address.
    pub pc: u64,
    /// Text of the instruction.
    pub text: String,
    /// `FILE:LINE`, after it has been looked up.
    pub source: Option<String>,
}

impl Site {
    /// Creates the site of an instruction.
    pub fn new(pc: u64, text: String) -> Site {
        Site {
            pc,
            text,
            source: None,
        }
    }

    /// Looks up the source line of the instruction.
    pub fn look_up(&mut self, lines: &Lines) {
        self.source = lines.line_at(self.pc);
    }

    /// Returns the place that tells findings of a check apart: the source line, or the instruction if the line is not known or the check is
    /// about single instructions. Compilers unroll loops, so that one mistake in the source is several instructions.
    pub fn place(&self, check: Check) -> String {
        let by_line = !matches!(check, Check::Wait | Check::Hazard);
        let source = self.source.clone().filter(|_| by_line);
        source.unwrap_or_else(|| format!("{:#x}", self.pc))
    }
}

/// Other side of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Other {
    /// Action of the instruction: "wrote v3", "reads byte 260 of LDS".
    pub did: String,
    /// Instruction of the other side, if it is known.
    pub site: Option<Site>,
    /// Work-group of the other side, if it is another group.
    pub group: Option<[u32; 3]>,
    /// Wave of the other side within its group, if it is another wave.
    pub wave: Option<u32>,
}

/// Weight of a finding, from the lightest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Right on this card as it is set up, and slow, or wrong elsewhere.
    Hint,
    /// Right only on hardware that behaves as this card does beyond what the programming model promises.
    Portability,
    /// A mistake.
    Mistake,
}

impl Severity {
    /// Returns the name.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Hint => "hint",
            Severity::Portability => "portability",
            Severity::Mistake => "mistake",
        }
    }

    /// Returns the severity of a rule.
    const fn of(check: Check, kind: &str) -> Severity {
        match (check, kind.as_bytes()) {
            (Check::Memory, b"misaligned") | (Check::Init, b"inactive lane") => Severity::Hint,
            (Check::Sync, b"barrier skipped") => Severity::Portability,
            _ => Severity::Mistake,
        }
    }
}

/// A mistake at its first occurrence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The check.
    pub check: Check,
    /// Rule of the check that is broken: a few words that stay the same.
    pub kind: &'static str,
    /// The kernel.
    pub kernel: String,
    /// The instruction.
    pub at: Site,
    /// The work-group.
    pub group: [u32; 3],
    /// Number of the wave within the group.
    pub wave: u32,
    /// Lanes with the mistake; empty if it concerns the wave as a whole.
    pub lanes: u64,
    /// The problem, in a sentence without a full stop.
    pub what: String,
    /// Other side of the mistake.
    pub other: Option<Other>,
    /// Suggested cure.
    pub cure: String,
    /// Number of occurrences.
    pub count: u64,
}

/// Details of a finding that a check reports.
pub struct Detail {
    /// Lanes with the mistake.
    pub lanes: u64,
    /// The problem.
    pub what: String,
    /// Other side of the mistake.
    pub other: Option<Other>,
    /// Suggested cure.
    pub cure: String,
}

/// Rule of accesses to freed memory.
pub const FREED: &str = "freed memory";

/// Key of a finding: kernel, check, rule, and the addresses of both instructions.
type Key = (String, Check, &'static str, u64, u64);

/// Identity of a mistake in the source: kernel, check, rule, and the places of both accesses. A place is a source line, or an instruction
/// without one.
pub type SourceKey = (String, Check, &'static str, [Option<String>; 2]);

/// Different findings with their counts.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    found: BTreeMap<Key, Finding>,
    beyond: u64,
}

impl Finding {
    /// Returns the severity.
    pub fn severity(&self) -> Severity {
        Severity::of(self.check, self.kind)
    }

    /// Returns the identity of the mistake in the source. A race is the same one whichever of its two accesses comes second.
    pub fn key_in_source(&self) -> SourceKey {
        let other = self.other.as_ref().and_then(|other| other.site.as_ref());
        let mut places =
            [Some(&self.at), other].map(|site| site.map(|site| site.place(self.check)));
        let mut rule = self.kind;
        if self.check == Check::Race {
            places.sort();
            let among = ["LDS", "lost update", "group"];
            rule = among
                .into_iter()
                .find(|word| rule.contains(word))
                .unwrap_or("waves");
        }
        (self.kernel.clone(), self.check, rule, places)
    }
}

impl Findings {
    /// Records a finding. `other` is the link address of the other side, which distinguishes the findings of one instruction.
    #[cold]
    pub fn note(
        &mut self,
        here: &CheckedInstruction<'_>,
        check: Check,
        kind: &'static str,
        other: u64,
        detail: impl FnOnce() -> Detail,
    ) {
        let key = (here.launch.kernel.clone(), check, kind, here.pc, other);
        let room = self.found.len() < KEPT;
        match self.found.get_mut(&key) {
            Some(known) => {
                known.count += 1;
                if place(here.group, here.wave.index) < place(known.group, known.wave) {
                    *known = made(here, check, kind, detail(), known.count);
                }
            }
            None if room => {
                let finding = made(here, check, kind, detail(), 1);
                self.found.insert(key, finding);
            }
            None => self.beyond += 1,
        }
    }

    /// Adds another worker's findings.
    pub fn join(&mut self, others: Findings) {
        self.beyond += others.beyond;
        for (key, other) in others.found {
            let room = self.found.len() < KEPT;
            match self.found.get_mut(&key) {
                Some(known) => {
                    let count = known.count + other.count;
                    if place(other.group, other.wave) < place(known.group, known.wave) {
                        *known = other;
                    }
                    known.count = count;
                }
                None if room => {
                    self.found.insert(key, other);
                }
                None => self.beyond += other.count,
            }
        }
    }

    /// Looks up the source lines of the instructions.
    pub fn look_up(&mut self, lines: &Lines) {
        for finding in self.found.values_mut() {
            let other = finding.other.as_mut().and_then(|other| other.site.as_mut());
            for site in [&mut finding.at].into_iter().chain(other) {
                site.look_up(lines);
            }
        }
    }

    /// Iterates over the findings, by kernel, check and instruction.
    pub fn iter(&self) -> impl Iterator<Item = &Finding> {
        self.found.values()
    }

    /// Returns the findings, one for each pair of source lines: the first one, with the count of all.
    pub fn by_source(&self) -> Vec<Finding> {
        let mut merged: Vec<Finding> = Vec::new();
        let mut numbers: BTreeMap<SourceKey, usize> = BTreeMap::new();
        for finding in self.iter() {
            match numbers.entry(finding.key_in_source()) {
                Entry::Occupied(known) => merged[*known.get()].count += finding.count,
                Entry::Vacant(new) => {
                    new.insert(merged.len());
                    merged.push(finding.clone());
                }
            }
        }
        merged
    }

    /// Returns the number of different findings.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Returns true if there is no finding.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Returns the number of findings beyond those that are kept.
    pub fn beyond(&self) -> u64 {
        self.beyond
    }
}

/// Returns a key for the order in which groups and waves are reported.
fn place([x, y, z]: [u32; 3], wave: u32) -> [u32; 4] {
    [z, y, x, wave]
}

fn made(
    here: &CheckedInstruction<'_>,
    check: Check,
    kind: &'static str,
    detail: Detail,
    count: u64,
) -> Finding {
    Finding {
        check,
        kind,
        kernel: here.launch.kernel.clone(),
        at: here.site(),
        group: here.group,
        wave: here.wave.index,
        lanes: detail.lanes,
        what: detail.what,
        other: detail.other,
        cure: detail.cure,
        count,
    }
}

/// Formats lanes as ranges: "3", "0-15, 32".
pub fn ranges(lanes: u64) -> String {
    let mut parts = Vec::new();
    let mut at = 0;
    while at < 64 {
        let run = (lanes >> at).trailing_ones();
        match run {
            0 => at += 1,
            1 => parts.push(at.to_string()),
            _ => parts.push(format!("{at}-{}", at + run - 1)),
        }
        at += run;
    }
    parts.join(", ")
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}: {}", self.pc, self.text)?;
        match &self.source {
            Some(source) => write!(f, " ({source})"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Finding {
    /// Prints several lines: the problem, its place, the other side, the cure.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.severity() {
            Severity::Mistake => {}
            severity => write!(f, "{}: ", severity.name())?,
        }
        writeln!(f, "{}: {}: {}", self.check, self.kind, self.what)?;
        writeln!(f, "  kernel      {}", self.kernel)?;
        writeln!(f, "  pc          {}", self.at)?;
        let [x, y, z] = self.group;
        write!(f, "  work-group  ({x}, {y}, {z}), wave {}", self.wave)?;
        match self.lanes.count_ones() {
            0 => {}
            1 => write!(f, ", lane {}", ranges(self.lanes))?,
            _ => write!(f, ", lanes {}", ranges(self.lanes))?,
        }
        if let Some(other) = &self.other {
            write!(f, "\n  other side  {}", other.did)?;
            if let Some([x, y, z]) = other.group {
                write!(f, ", work-group ({x}, {y}, {z})")?;
            }
            if let Some(wave) = other.wave {
                write!(f, ", wave {wave}")?;
            }
            if let Some(site) = &other.site {
                write!(f, ", at {site}")?;
            }
        }
        write!(f, "\n  cure        {}", self.cure)?;
        if self.count > 1 {
            write!(f, "\n  met         {} times", self.count)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_of_one_pair_of_lines_are_one_finding() {
        let site = |pc: u64, line: Option<u32>| Site {
            source: line.map(|line| format!("k.hip:{line}")),
            ..Site::new(pc, "i".into())
        };
        let finding = |check, pc, lines: [Option<u32>; 2]| Finding {
            check,
            kind: "two waves write",
            kernel: "k".into(),
            at: site(pc, lines[0]),
            group: [0; 3],
            wave: 0,
            lanes: 0,
            what: String::new(),
            other: Some(Other {
                did: String::new(),
                site: Some(site(pc + 0x100, lines[1])),
                group: None,
                wave: None,
            }),
            cure: String::new(),
            count: 3,
        };
        let counts = |check, lines: [[Option<u32>; 2]; 3]| {
            let mut findings = Findings::default();
            for (n, lines) in lines.into_iter().enumerate() {
                let one = finding(check, 8 * n as u64, lines);
                let key = (one.kernel.clone(), check, one.kind, one.at.pc, n as u64);
                findings.found.insert(key, one);
            }
            let merged = findings.by_source();
            merged.iter().map(|one| one.count).collect::<Vec<_>>()
        };
        let [a, b, none] = [Some(1), Some(2), None];
        assert_eq!(counts(Check::Race, [[a, b], [a, b], [a, b]]), [9]);
        assert_eq!(counts(Check::Race, [[a, b], [b, a], [a, b]]), [9]);
        assert_eq!(
            counts(Check::Race, [[a, b], [a, none], [none, none]]),
            [3, 3, 3]
        );
        assert_eq!(counts(Check::Init, [[a, b], [b, a], [a, b]]), [6, 3]);
        assert_eq!(counts(Check::Hazard, [[a, b], [a, b], [a, b]]), [3, 3, 3]);
    }

    #[test]
    fn lanes_are_told_as_ranges() {
        assert_eq!(ranges(0), "");
        assert_eq!(ranges(1 << 63 | 0xf0 | 1), "0, 4-7, 63");
        assert_eq!(ranges(!0), "0-63");
    }
}
