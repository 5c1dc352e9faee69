//! Record of each instruction that ran.

use super::banks::Cycles;
use super::chain::Link;
use super::class::Class;
use super::lines::LineCounts;
use crate::isa::{Inst, disassemble};
use crate::machine::LANES;

/// One execution of a memory instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// Cycles or lines beyond the ideal number.
    pub excess: u64,
    /// Number of the work-group.
    pub group: u64,
    /// Enabled lanes.
    pub lanes: u64,
    /// Address of each lane's element.
    pub at: [u64; LANES],
    /// Bytes of an element.
    pub bytes: u64,
}

/// An executed instruction and its total cost.
#[derive(Clone, Debug)]
pub struct Site {
    /// The instruction.
    pub inst: Inst,
    /// Its class.
    pub class: Class,
    /// Number of executions; a wave in a loop counts each time.
    pub count: u64,
    /// Cycles of the LDS pipe.
    pub lds: Cycles,
    /// Requested lines.
    pub memory: LineCounts,
    /// Execution with the most cycles or lines beyond the ideal number, in the first work-group that has one; `None` if all executions were
    /// ideal.
    pub worst: Option<Box<Example>>,
    pub(super) link: Link,
}

impl Site {
    /// Creates the record of an instruction that has not run yet.
    pub fn new(inst: &Inst) -> Site {
        Site {
            inst: *inst,
            class: Class::of(inst),
            count: 0,
            lds: Cycles::default(),
            memory: LineCounts::default(),
            worst: None,
            link: Link::of(inst),
        }
    }

    /// Returns the instruction in the assembler's syntax.
    pub fn text(&self) -> String {
        disassemble(&self.inst)
    }

    /// Records an execution if it is the worst so far. Among equal ones, the first execution of the first group counts.
    pub fn remember(&mut self, excess: u64, group: u64, example: impl FnOnce() -> Example) {
        let worse = self.worst.as_ref().is_none_or(|known| {
            (excess, std::cmp::Reverse(group)) > (known.excess, std::cmp::Reverse(known.group))
        });
        if excess != 0 && worse {
            self.worst = Some(Box::new(example()));
        }
    }

    /// Adds another worker's record of the same instruction.
    pub fn join(&mut self, other: Site) {
        self.count += other.count;
        self.lds.add(other.lds);
        self.memory.add(other.memory);
        if let Some(theirs) = other.worst {
            self.remember(theirs.excess, theirs.group, || *theirs);
        }
    }
}
