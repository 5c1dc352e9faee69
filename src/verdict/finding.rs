//! What the sanitizer finds: mistakes that values do not show.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteReport {
    /// Link address.
    pub pc: u64,
    /// Its text.
    pub text: String,
    /// `FILE:LINE`, where the code object has line tables.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub source: Option<String>,
}

/// The other side of a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OtherReport {
    /// What it did.
    pub did: String,
    /// The instruction, where it is known.
    pub at: Option<SiteReport>,
    /// Its work-group, where it is another.
    pub work_group: Option<[u32; 3]>,
    /// Its wave within the group, where it is another.
    pub wave: Option<u32>,
}

/// A mistake, as the first wave met it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingReport {
    /// The check: `memory`, `init`, `race`, `sync`, `wait`, `hazard`.
    pub check: String,
    /// Which of its rules.
    pub kind: String,
    /// The kernel.
    pub kernel: String,
    /// The instruction.
    pub at: SiteReport,
    /// The work-group.
    pub work_group: [u32; 3],
    /// The wave within it.
    pub wave: u32,
    /// The lanes concerned, as ranges: `0-15, 32`; empty where it concerns the wave as a whole.
    pub lanes: String,
    /// What is wrong.
    pub what: String,
    /// The other side.
    pub other: Option<OtherReport>,
    /// What would cure it.
    pub cure: String,
    /// How often it was met.
    pub count: u64,
}

impl FindingReport {
    /// Whether another one is the same mistake.
    fn is(&self, other: &FindingReport) -> bool {
        let of = |one: &FindingReport| {
            let beyond = one.other.as_ref().and_then(|side| side.at.as_ref());
            (one.at.pc, beyond.map(|site| site.pc))
        };
        (&self.check, &self.kind, &self.kernel) == (&other.check, &other.kind, &other.kernel)
            && of(self) == of(other)
    }

    /// Adds findings to others: the same one is counted.
    pub fn gather(all: &mut Vec<FindingReport>, more: impl IntoIterator<Item = FindingReport>) {
        for finding in more {
            match all.iter_mut().find(|known| known.is(&finding)) {
                Some(known) => known.count += finding.count,
                None => all.push(finding),
            }
        }
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
