//! Findings of the sanitizer: mistakes that the values of outputs do not show.

use std::cmp::Reverse;
use std::fmt;

use serde::{Deserialize, Serialize};

/// An instruction that a finding points to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteReport {
    /// The instruction's link address.
    pub pc: u64,
    /// The instruction's text.
    pub text: String,
    /// The source line as `FILE:LINE`, where the code object has line tables.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub source: Option<String>,
}

/// The other access or instruction that a finding is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OtherReport {
    /// A description of the other side's access.
    pub did: String,
    /// The other side's instruction, where it is known.
    pub at: Option<SiteReport>,
    /// The other side's work-group, where it is another work-group.
    pub work_group: Option<[u32; 3]>,
    /// The other side's wave within its work-group, where it is another wave.
    pub wave: Option<u32>,
}

/// The weight of a finding, from the lightest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Right on the card, and slow there, or wrong elsewhere. It never fails a test.
    Hint,
    /// Right only on hardware that behaves as the card does.
    Portability,
    /// A mistake.
    #[default]
    Mistake,
}

/// A mistake, as the first wave made it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingReport {
    /// The check: `memory`, `init`, `race`, `sync`, `wait`, `hazard`.
    pub check: String,
    /// The rule of the check that was broken.
    pub kind: String,
    /// The weight of the rule.
    #[serde(default)]
    pub severity: Severity,
    /// The kernel that made the mistake.
    pub kernel: String,
    /// The instruction that made the mistake.
    pub at: SiteReport,
    /// The work-group of the first wave that made the mistake.
    pub work_group: [u32; 3],
    /// The number of that wave within its work-group.
    pub wave: u32,
    /// The lanes concerned, as ranges: `0-15, 32`; empty where it concerns the wave as a whole.
    pub lanes: String,
    /// The description of the mistake.
    pub what: String,
    /// The other side, where the mistake has two.
    pub other: Option<OtherReport>,
    /// The change to the kernel that would cure the mistake.
    pub cure: String,
    /// The number of times that the mistake was made.
    pub count: u64,
}

impl FindingReport {
    /// Returns the first of some findings that may fail a test.
    pub fn first_that_counts(findings: &[FindingReport]) -> Option<&FindingReport> {
        findings
            .iter()
            .find(|finding| finding.severity > Severity::Hint)
    }

    /// Returns true if a race ends with a barrier between its two sides. If both sides write, what one of them left is lost whichever comes
    /// first, so more often an index is wrong.
    pub fn lacks_barrier(&self) -> bool {
        self.cure.starts_with("`__syncthreads()`") && !self.overlaps()
    }

    /// Returns true if both sides of a race write.
    pub fn overlaps(&self) -> bool {
        self.kind.starts_with("two ")
    }

    /// Returns true if another finding is the same mistake: the same rule, kernel and instructions.
    fn is(&self, other: &FindingReport) -> bool {
        let of = |one: &FindingReport| {
            let beyond = one.other.as_ref().and_then(|side| side.at.as_ref());
            (one.at.pc, beyond.map(|site| site.pc))
        };
        (&self.check, &self.kind, &self.kernel) == (&other.check, &other.kind, &other.kernel)
            && of(self) == of(other)
    }

    /// Adds findings to a list, in which the heaviest come first. A finding that the list has already adds to that finding's count.
    pub fn gather(all: &mut Vec<FindingReport>, more: impl IntoIterator<Item = FindingReport>) {
        for finding in more {
            match all.iter_mut().find(|known| known.is(&finding)) {
                Some(known) => known.count += finding.count,
                None => all.push(finding),
            }
        }
        all.sort_by_key(|finding| Reverse(finding.severity));
    }
}

impl fmt::Display for SiteReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}: {}", self.pc, self.text)?;
        match &self.source {
            Some(source) => write!(f, " ({source})"),
            None => Ok(()),
        }
    }
}
