//! Record of each instruction that ran.

use super::banks::Cycles;
use super::chain::Link;
use super::class::Class;
use super::lines::Asked;
use crate::isa::{Inst, disassemble};
use crate::machine::LANES;

/// One execution of a memory instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// Cycles or lines beyond the ideal.
    pub excess: u64,
    /// Number of the work-group.
    pub group: u64,
    /// The lanes that were on.
    pub lanes: u64,
    /// Address of each lane's element.
    pub at: [u64; LANES],
    /// Bytes of an element.
    pub bytes: u64,
}

/// An instruction that ran, and what it cost in sum.
#[derive(Clone, Debug)]
pub struct Site {
    /// The instruction.
    pub inst: Inst,
    /// Its class.
    pub class: Class,
    /// Number of waves that executed it.
    pub count: u64,
    /// Cycles of the LDS pipe.
    pub lds: Cycles,
    /// Lines that it asked for.
    pub memory: Asked,
    /// The execution with the most cycles or lines beyond the ideal, of the first work-group that has one; none where all were ideal.
    pub worst: Option<Box<Example>>,
    pub(super) link: Link,
}

impl Site {
    /// An instruction that has not run yet.
    pub fn new(inst: &Inst) -> Site {
        Site {
            inst: *inst,
            class: Class::of(inst),
            count: 0,
            lds: Cycles::default(),
            memory: Asked::default(),
            worst: None,
            link: Link::of(inst),
        }
    }

    /// The instruction in the assembler's syntax.
    pub fn text(&self) -> String {
        disassemble(&self.inst)
    }

    /// Remembers an execution if it is the worst; of equals the first group's first.
    pub fn remember(&mut self, excess: u64, group: u64, example: impl FnOnce() -> Example) {
        let worse = self.worst.as_ref().is_none_or(|known| {
            (excess, std::cmp::Reverse(group)) > (known.excess, std::cmp::Reverse(known.group))
        });
        if excess != 0 && worse {
            self.worst = Some(Box::new(example()));
        }
    }

    /// Takes in the same instruction of another worker.
    pub fn join(&mut self, other: Site) {
        self.count += other.count;
        self.lds.add(other.lds);
        self.memory.add(other.memory);
        if let Some(theirs) = other.worst {
            self.remember(theirs.excess, theirs.group, || *theirs);
        }
    }
}
