//! The record of a run, of which an element's backward slice is taken.
//!
//! A [`History`] has each instruction that a wave has run and that writes something: its lanes, its results, the memory that it accessed,
//! the lanes that it exchanged. [`History::slice`] then follows the bytes of an element back through them, from each value to the values
//! that it was computed of. Addresses, EXEC and branches are not followed: they choose a value and are not part of it.

mod flow;
mod slice;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::ops::Range;

use super::sanitize::Site;
use super::sanitize::access::{Access, accesses};

use super::{Group, Observer};
use crate::code_object::Lines;
use crate::isa::{Access as Direction, Code, Inst, Properties};
use crate::machine::sources::{accesses_memory, exchanged_lanes, resolved, written_lanes};
use crate::machine::{DispatchStart, LANES, Op, Wave};

pub use self::slice::{Leaf, Slice, SliceEdge, SliceLeaf, SliceNode};

/// Largest number of wave instructions of a record. Each takes some hundred bytes.
const LONGEST: usize = 1 << 20;

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
    /// Results of the steps, lane by lane.
    values: Vec<u32>,
    accesses: Vec<Access>,
    exchanges: Vec<[Option<u8>; LANES]>,
    /// The running instruction, as the observer saw it before.
    next: Detail,
    longer: bool,
}

/// A launched kernel.
struct Dispatch {
    kernel: String,
    base: u64,
    kernarg: Range<u64>,
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
    /// Position of its results.
    values: usize,
    detail: Detail,
}

/// What the words of an instruction do not tell about one run of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Detail {
    #[default]
    None,
    /// Memory accesses, by their number.
    Access(u32),
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

/// Returns the registers of an instruction's first result, at most four.
fn results(inst: &Inst) -> Range<u16> {
    let mut operands = inst.row.operands.iter().zip(&inst.operands);
    let written = operands.find(|(operand, code)| {
        operand.access != Direction::Read && (code.0 < 128 || code.as_vgpr().is_some())
    });
    written.map_or(0..0, |(operand, code)| {
        code.0..code.0 + inst.registers(operand).min(4)
    })
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
            first: self.steps.len(),
        });
    }

    fn group(&mut self, group: &Group) {
        self.group = *group;
        self.first_wave = self.waves.len();
        let first = self.first_wave as u32;
        let waves = (0..group.waves as u32).map(|index| WavePlace {
            group: group.id,
            index,
            first,
        });
        self.waves.extend(waves);
    }

    fn before(&mut self, wave: &Wave, op: &Op, _: u64) {
        self.next = Detail::None;
        if self.longer {
            return;
        }
        if accesses_memory(op) {
            let mut access = Access::default();
            let stride = u64::from(wave.index) * self.group.scratch_stride;
            accesses(wave, op, self.group.scratch + stride, &mut access);
            self.next = Detail::Access(self.accesses.len() as u32);
            self.accesses.push(access);
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
        if self.steps.len() == LONGEST {
            self.longer = true;
            return;
        }
        let inst = resolved(wave, &op.inst).unwrap_or(op.inst);
        let lanes = written_lanes(wave, op);
        let values = self.values.len();
        for register in results(&inst) {
            match register.checked_sub(256) {
                None => self
                    .values
                    .push(wave.s.get(usize::from(register)).copied().unwrap_or(0)),
                Some(vgpr) => {
                    let row = &wave.v[usize::from(vgpr) % 256];
                    let on = row.iter().enumerate();
                    let on = on.filter(|(lane, _)| lanes >> lane & 1 != 0);
                    self.values.extend(on.map(|(_, value)| value));
                }
            }
        }
        let step = Step {
            wave: self.wave(wave),
            instruction: self.instruction(op, inst, pc),
            lanes,
            values,
            detail: self.next,
        };
        self.steps.push(step);
    }
}
