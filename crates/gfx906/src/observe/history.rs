//! The record of a run, of which an element's backward slice is taken.
//!
//! A [`History`] has each instruction that a wave has run and that writes something: its lanes, its results, the memory that it accessed,
//! the lanes that it exchanged. [`History::slice`] then follows the bytes of an element back through them, from each value to the values
//! that it was computed of. Addresses, EXEC and branches are not followed: they choose a value and are not part of it.

mod elements;
mod flow;
mod result;
mod slice;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::ops::Range;

use self::elements::LaneElements;

use super::sanitize::Site;
use crate::machine::access::{Access, accesses};

use super::{Group, Observer};
use crate::code_object::Lines;
use crate::isa::{Access as Direction, Code, Inst, Properties};
use crate::machine::sources::{accesses_memory, exchanged_lanes, resolved, written_lanes};
use crate::machine::{DispatchStart, LANES, Op, Wave};

pub use self::slice::{Leaf, Slice, SliceEdge, SliceLeaf, SliceNode};

/// Largest number of wave instructions of a record. Each takes 24 bytes, and an access to memory at least 56 more.
pub const LONGEST_HISTORY: usize = 1 << 23;

/// Observer that records a run. Its dispatches run on one thread.
#[derive(Default)]
pub struct History {
    dispatches: Vec<Dispatch>,
    instructions: Vec<Instruction>,
    /// Numbers of the current dispatch's instructions.
    known: HashMap<(u64, [Code; 6]), u32>,
    waves: Vec<WavePlace>,
    /// Number of the current group's first wave.
    first_wave: usize,
    group: Group,
    steps: Vec<Step>,
    accesses: Vec<LaneElements>,
    exchanges: Vec<[Option<u8>; LANES]>,
    /// The running instruction, as the observer saw it before.
    next: Detail,
    longer: bool,
    /// Steps whose results a second run gives, with their lanes, and the number of its steps so far.
    wanted: Option<(HashMap<usize, usize>, usize)>,
    /// Results of steps as text.
    results: HashMap<usize, String>,
}

/// A launched kernel.
struct Dispatch {
    kernel: String,
    base: u64,
    kernarg: Range<u64>,
    /// Numbers of the SGPRs and of the VGPRs that are set when a wave begins.
    set: (u16, u16),
    /// Number of its first step.
    first: usize,
}

/// An instruction of a dispatch.
struct Instruction {
    dispatch: usize,
    site: Site,
    inst: Inst,
    /// Bits of the destination that keep their value.
    stay: Option<u32>,
}

/// A wave of the run.
struct WavePlace {
    dispatch: usize,
    group: [u32; 3],
    index: u32,
    /// Number of its group's first wave.
    first: u32,
}

/// An instruction that a wave has run.
struct Step {
    wave: u32,
    instruction: u32,
    /// Lanes whose VGPRs it wrote.
    lanes: u64,
    detail: Detail,
}

/// Facts about one run of an instruction that its words do not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Detail {
    #[default]
    None,
    /// Memory accesses: the number of the first one, and how many there are.
    Access(u32, u16),
    /// An exchange of lanes, by its number.
    Exchange(u32),
    /// The lane that is read or written.
    Lane(u8),
    /// The selector of a permutation of bytes.
    Selector(u32),
}

impl History {
    /// Returns true if the run was too long for a record.
    pub fn is_cut(&self) -> bool {
        self.longer
    }

    /// Returns the number of recorded instructions.
    pub fn steps(&self) -> usize {
        self.steps.len()
    }

    /// Looks up the source lines of a kernel's instructions.
    pub fn look_up(&mut self, kernel: &str, lines: &Lines) {
        let dispatches = &self.dispatches;
        for one in &mut self.instructions {
            if dispatches[one.dispatch].kernel == kernel && one.site.source.is_none() {
                one.site.look_up(lines);
            }
        }
    }

    /// Forgets the record, and prepares for a second run that gives the nodes of a slice their values.
    pub fn begin_values(&mut self, slice: &Slice) {
        let wanted = slice.nodes.iter().map(|node| (node.step, node.place.2));
        *self = History {
            wanted: Some((wanted.collect(), 0)),
            ..History::default()
        };
    }

    /// Gives the nodes of a slice the values that the second run had.
    pub fn give_values(&self, slice: &mut Slice) {
        for node in &mut slice.nodes {
            node.value = self.results.get(&node.step).cloned();
        }
    }

    fn wave(&self, wave: &Wave) -> u32 {
        (self.first_wave + wave.index as usize) as u32
    }

    fn instruction(&mut self, op: &Op, inst: Inst, pc: u64) -> u32 {
        let number = self.instructions.len() as u32;
        let found = *self.known.entry((pc, inst.operands)).or_insert(number);
        if found == number {
            let dispatch = self.dispatches.len().saturating_sub(1);
            let base = self.dispatches.last().map_or(0, |dispatch| dispatch.base);
            self.instructions.push(Instruction {
                dispatch,
                site: Site::new(pc.wrapping_sub(base), op.text()),
                inst,
                stay: op.plan.fill.map(|fill| fill.stay),
            });
        }
        found
    }
}

/// Returns true if an instruction may write a register or memory.
fn writes(op: &Op) -> bool {
    let written = |operand: &crate::isa::Operand| operand.access != Direction::Read;
    accesses_memory(op)
        || op.row.operands.iter().any(written)
        || op.has(Properties::SCALAR_COMPARISON)
}

impl Observer for History {
    fn fork(&self) -> Option<History> {
        None
    }

    fn join(&mut self, _: History) {}

    fn dispatch(&mut self, started: &DispatchStart<'_>) {
        self.known.clear();
        self.dispatches.push(Dispatch {
            kernel: started.kernel.to_owned(),
            base: started.base,
            kernarg: started.kernarg.clone(),
            set: (started.sgprs, started.vgprs),
            first: self.steps.len(),
        });
    }

    fn group(&mut self, group: &Group) {
        self.group = *group;
        self.first_wave = self.waves.len();
        let first = self.first_wave as u32;
        let dispatch = self.dispatches.len().saturating_sub(1);
        let waves = (0..group.waves as u32).map(|index| WavePlace {
            dispatch,
            group: group.id,
            index,
            first,
        });
        self.waves.extend(waves);
    }

    fn before(&mut self, wave: &Wave, op: &Op, _: u64) {
        self.next = Detail::None;
        if self.longer || self.wanted.is_some() {
            return;
        }
        if accesses_memory(op) {
            let mut access = Access::default();
            let stride = u64::from(wave.index) * self.group.scratch_stride;
            accesses(wave, op, self.group.scratch + stride, &mut access);
            let first = self.accesses.len() as u32;
            self.next = Detail::Access(first, access.parts.len() as u16);
            self.accesses
                .extend(access.parts.iter().map(LaneElements::new));
        } else if op.has(Properties::LDS_LANE_EXCHANGE) {
            self.next = Detail::Exchange(self.exchanges.len() as u32);
            self.exchanges.push(exchanged_lanes(wave, op));
        } else if op.has(Properties::CROSSES_LANES) {
            let first = wave.exec().trailing_zeros();
            let lane = match op.has(Properties::READS_LANE) || op.has(Properties::WRITES_LANE) {
                true => wave.scalar32(op.operands[2], op.literal),
                false => first,
            };
            self.next = Detail::Lane((lane % LANES as u32) as u8);
        } else if op.row.mnemonic == "v_perm_b32" && op.operands[3].as_vgpr().is_none() {
            self.next = Detail::Selector(wave.scalar32(op.operands[3], op.literal));
        }
    }

    fn after(&mut self, wave: &Wave, op: &Op, pc: u64) {
        if self.longer || !writes(op) {
            return;
        }
        let inst = resolved(wave, &op.inst).unwrap_or(op.inst);
        if let Some((wanted, number)) = &mut self.wanted {
            if let Some(&lane) = wanted.get(number) {
                let stay = op.plan.fill.map_or(0, |fill| fill.stay);
                let text = result::text(wave, &inst, stay, lane);
                self.results.extend(text.map(|text| (*number, text)));
            }
            *number += 1;
            return;
        }
        if self.steps.len() == LONGEST_HISTORY {
            self.longer = true;
            return;
        }
        let step = Step {
            wave: self.wave(wave),
            instruction: self.instruction(op, inst, pc),
            lanes: written_lanes(wave, op),
            detail: self.next,
        };
        self.steps.push(step);
    }
}
