//! A decoded instruction made ready to run: its handler, one function a feature level of the host, and where its operands stand.

use std::ops::Deref;

use super::env::Env;
use super::lane::Shape;
use super::level::Level;
use super::memory::Hint;
use super::plan::Plan;
use super::traffic::Traffic;
use super::trap::Outcome;
use super::wave::Wave;
use crate::isa::{self, Inst, Kind};

/// Runs one instruction for a wave whose pc already points behind it.
///
/// Unsafe to call only because it may be compiled for a feature level that the host lacks.
pub type Handler = for<'a> unsafe fn(&mut Wave, &mut Env<'a>, &Op) -> Outcome;

/// One instruction's handler at each feature level.
#[derive(Clone, Copy, Debug)]
pub struct Handlers {
    /// Any host.
    pub baseline: Handler,
    /// x86-64-v3: AVX2, FMA, F16C.
    pub v3: Handler,
    /// x86-64-v4: AVX-512.
    pub v4: Handler,
    /// Arguments and result of the lane function, where the handler is one.
    pub shape: &'static Shape,
}

impl Handlers {
    /// An instruction that gains nothing from vector units.
    pub const fn scalar(handler: Handler) -> Handlers {
        Handlers {
            baseline: handler,
            v3: handler,
            v4: handler,
            shape: Shape::NONE,
        }
    }

    /// The same, for a lane function of a shape.
    pub const fn of(self, shape: &'static Shape) -> Handlers {
        Handlers { shape, ..self }
    }

    /// The handler for a level.
    pub fn at(&self, level: Level) -> Handler {
        match level {
            Level::Baseline => self.baseline,
            Level::V3 => self.v3,
            Level::V4 => self.v4,
        }
    }
}

/// A decoded instruction with its handler.
#[derive(Debug)]
pub struct Op {
    /// Handler that executes the instruction.
    pub handler: Handler,
    /// Positions of the operands.
    pub plan: Plan,
    /// The VGPRs it needs: one more than the highest it names, and one for every vector instruction.
    pub vgprs: u16,
    /// Its kind.
    pub kind: Kind,
    /// Bytes that the instruction moves to and from memory.
    pub traffic: Traffic,
    /// The allocation that it accessed last: most instructions have one of their own.
    pub region: Hint,
    /// The instruction.
    pub inst: Inst,
}

impl Deref for Op {
    type Target = Inst;
    fn deref(&self) -> &Inst {
        &self.inst
    }
}

impl Op {
    /// An instruction that runs by its handler at a feature level.
    pub fn new(inst: Inst, handlers: &Handlers, level: Level) -> Op {
        Op {
            handler: handlers.at(level),
            plan: Plan::new(&inst, handlers.shape),
            vgprs: vgprs_needed(&inst),
            kind: Kind::of(&inst),
            traffic: Traffic::of(&inst),
            region: Hint::default(),
            inst,
        }
    }

    /// The instruction in the assembler's syntax; where the words are none, the first of them.
    pub fn text(&self) -> String {
        if self.row.mnemonic == "invalid" {
            format!("invalid ({:#010x})", self.words[0])
        } else {
            isa::disassemble(&self.inst)
        }
    }
}

fn vgprs_needed(inst: &Inst) -> u16 {
    let operands = inst.row.operands.iter().zip(&inst.operands);
    let ends = operands.filter_map(|(o, code)| Some(code.as_vgpr()? as u16 + inst.registers(o)));
    let least = u16::from(inst.encoding.is_vector());
    ends.max().unwrap_or(0).max(least)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa;

    fn vgprs(words: [u32; 2]) -> u16 {
        let code: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        vgprs_needed(&isa::decode(&code).expect("an instruction"))
    }

    /// A kernel that has v3 and no more was stopped at a store whose offset is in v3: taken for the pair v[3:4].
    #[test]
    fn an_offset_from_a_scalar_base_is_one_register() {
        // global_store_dwordx2 v3, v[0:1], s[6:7]; the same with an address in v[3:4]
        assert_eq!(vgprs([0xdc74_8000, 0x0006_0003]), 4);
        assert_eq!(vgprs([0xdc74_8000, 0x007f_0003]), 5);
    }

    #[test]
    fn a_buffer_address_of_index_and_offset_is_two_registers() {
        // buffer_load_dword v0, v3, s[4:7], 0 offen; v0, v[3:4], s[4:7], 0 idxen offen
        assert_eq!(vgprs([0xe050_1000, 0x8001_0003]), 4);
        assert_eq!(vgprs([0xe050_3000, 0x8001_0003]), 5);
    }
}
