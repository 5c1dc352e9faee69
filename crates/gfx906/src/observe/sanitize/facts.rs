//! Static facts about an instruction, determined once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Site, hazard, init, memory, wait};
use crate::isa::uses::Uses;
use crate::isa::{Encoding, Inst, Kind, Properties, disassemble};
use crate::machine::Op;

/// Static facts about an instruction.
pub struct Facts {
    /// The instruction.
    pub inst: Inst,
    /// Registers that the instruction uses.
    pub uses: Uses,
    /// True if the instruction ends its wave.
    pub ends: bool,
    /// True if the instruction waits for the other groups of a cooperative launch.
    pub meets_grid: bool,
    /// True if the operands name all registers, without an index in M0 or a stack of forks.
    pub exact: bool,
    /// Requirements and effects for the check of waits.
    pub wait: wait::Traits,
    /// Requirements and effects for the check of wait states.
    pub hazard: hazard::Traits,
    /// Effect on undefined values.
    pub init: init::Traits,
    /// Effect on pointers.
    pub memory: memory::Traits,
}

impl Facts {
    /// Determines the facts of an instruction.
    pub fn of(inst: &Inst) -> Facts {
        let uses = inst.register_uses();
        let exact = uses.reads != crate::isa::uses::RegisterSet::ALL;
        Facts {
            inst: *inst,
            uses,
            ends: inst.has(Properties::END),
            meets_grid: inst.row.mnemonic == "ds_gws_barrier",
            exact,
            wait: wait::Traits::of(inst, &uses),
            hazard: hazard::Traits::of(inst, &uses),
            init: init::Traits::of(inst),
            memory: memory::Traits::of(inst),
        }
    }
}

/// Returns the link addresses of an instruction's successors, as far as its words determine them. A return and a computed jump have no
/// successor, and a call continues behind itself.
pub fn successors(pc: u64, inst: &Inst) -> impl Iterator<Item = u64> + use<> {
    let behind = pc + inst.size() as u64;
    let target = behind.checked_add_signed(i64::from(inst.literal as i32) * 4);
    let to = match inst.kind() {
        _ if inst.has(Properties::PATH_END) => [None, None],
        Kind::Branch if inst.has(Properties::JUMP) => [target, None],
        Kind::Branch
            if inst.has(Properties::CONDITIONAL_BRANCH) && inst.encoding == Encoding::Sopp =>
        {
            [Some(behind), target]
        }
        _ => [Some(behind), None],
    };
    to.into_iter().flatten()
}

/// Executed instructions of a code object, by link address, from all workers.
#[derive(Default)]
struct ExecutedInstructions(Mutex<HashMap<u64, Inst>>);

impl ExecutedInstructions {
    /// Returns the site of the executed instruction at a link address.
    fn site(&self, pc: u64) -> Site {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Site::new(pc, seen.get(&pc).map_or_else(String::new, disassemble))
    }
}

/// Facts about the executed instructions of a code object, by link address.
#[derive(Default)]
pub struct Code {
    facts: Vec<Option<Box<Facts>>>,
    /// The same instructions, shared by all workers.
    seen: Arc<ExecutedInstructions>,
}

impl Code {
    /// Creates the facts for another worker.
    pub fn fork(&self) -> Code {
        Code {
            facts: Vec::new(),
            seen: Arc::clone(&self.seen),
        }
    }

    /// Records an instruction at a link address.
    #[inline]
    pub fn learn(&mut self, op: &Op, pc: u64) {
        let at = (pc / 4) as usize;
        if self.facts.get(at).is_none_or(Option::is_none) {
            self.add(op, pc);
        }
    }

    #[cold]
    fn add(&mut self, op: &Op, pc: u64) {
        let at = (pc / 4) as usize;
        if at >= self.facts.len() {
            self.facts.resize_with(at + 1, || None);
        }
        let mut seen = self.seen.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.insert(pc, op.inst);
        self.facts[at] = Some(Box::new(Facts::of(op)));
    }

    /// Returns the facts of an instruction that this worker has recorded.
    #[inline]
    pub fn facts(&self, pc: u64) -> Option<&Facts> {
        self.facts.get((pc / 4) as usize)?.as_deref()
    }

    /// Returns the site of an instruction that any worker has recorded.
    pub fn site(&self, pc: u64) -> Site {
        self.seen.site(pc)
    }
}
