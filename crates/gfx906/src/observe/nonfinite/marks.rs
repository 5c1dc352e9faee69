//! Marks of registers and of memory.

use std::collections::HashMap;

use super::origin::Mark;
use crate::isa::{self, Inst};
use crate::machine::LANES;
use crate::machine::access::Space;

/// Number of scalar registers, which precede the VGPRs in a list of all registers.
const SCALARS: u16 = 128;

/// Marks of a wave's registers. Scalar registers have their codes; the codes of VGPRs begin at 256.
#[derive(Default)]
pub(super) struct RegisterMarks {
    marks: HashMap<(u16, u8), Mark>,
}

/// Returns the lane that a register's mark has: scalar registers have one.
fn key(register: u16, lane: usize) -> (u16, u8) {
    match register < SCALARS {
        true => (register, 0),
        false => (register, (lane % LANES) as u8),
    }
}

impl RegisterMarks {
    pub(super) fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    pub(super) fn get(&self, register: u16, lane: usize) -> Mark {
        if self.marks.is_empty() {
            return 0;
        }
        self.marks.get(&key(register, lane)).copied().unwrap_or(0)
    }

    pub(super) fn set(&mut self, register: u16, lane: usize, mark: Mark) {
        if mark != 0 {
            self.marks.insert(key(register, lane), mark);
        } else if !self.marks.is_empty() {
            self.marks.remove(&key(register, lane));
        }
    }
}

/// A place of two bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum MarkedPlace {
    Memory(u64),
    Lds(u64),
    Scratch(u32, u8, u64),
}

/// Marks of device memory, of the running group's LDS and of its scratch.
#[derive(Default)]
pub(super) struct MemoryMarks {
    marks: HashMap<MarkedPlace, Mark>,
}

/// An element in memory, as one lane of a wave sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    pub space: Space,
    pub wave: u32,
    pub lane: usize,
    pub at: u64,
    pub bytes: u64,
}

impl Element {
    fn places(self) -> impl Iterator<Item = MarkedPlace> {
        (self.at & !1..self.at.saturating_add(self.bytes))
            .step_by(2)
            .map(move |at| match self.space {
                Space::Global => MarkedPlace::Memory(at),
                Space::Lds => MarkedPlace::Lds(at),
                Space::Scratch => MarkedPlace::Scratch(self.wave, self.lane as u8, at),
            })
    }
}

impl MemoryMarks {
    pub(super) fn get(&self, element: Element) -> Mark {
        if self.marks.is_empty() {
            return 0;
        }
        let mut marks = element.places().filter_map(|place| self.marks.get(&place));
        marks.next().copied().unwrap_or(0)
    }

    pub(super) fn set(&mut self, element: Element, mark: Mark) {
        if mark == 0 && self.marks.is_empty() {
            return;
        }
        for place in element.places() {
            match mark {
                0 => self.marks.remove(&place),
                mark => self.marks.insert(place, mark),
            };
        }
    }

    /// Forgets LDS and scratch, which another group gets.
    pub(super) fn begin_group(&mut self) {
        self.marks
            .retain(|place, _| matches!(place, MarkedPlace::Memory(_)));
    }
}

/// Returns the registers that an instruction's operands name as sources, or as destinations.
pub(super) fn named(inst: &Inst, unless: isa::Access) -> impl Iterator<Item = u16> + '_ {
    let operands = inst.row.operands.iter().zip(&inst.operands);
    let operands = operands.filter(move |(operand, code)| {
        operand.access != unless && (code.0 < SCALARS || code.as_vgpr().is_some())
    });
    operands.flat_map(|(operand, code)| code.0..code.0.saturating_add(inst.registers(operand)))
}
