//! Decoded instructions prepared for execution: the handler of the host's feature level, and the positions of the operands.

use std::ops::Deref;

use super::env::Env;
use super::lane::LaneSignature;
use super::level::Level;
use super::memory::Hint;
use super::plan::Plan;
use super::traffic::Traffic;
use super::trap::StepResult;
use super::wave::Wave;
use crate::isa::{self, Inst, Kind};

/// Runs one instruction for a wave whose pc already points behind it.
///
/// The call is unsafe only because the function may be compiled for a feature level that the host lacks.
pub type Handler = for<'a> unsafe fn(&mut Wave, &mut Env<'a>, &Op) -> StepResult;

/// Handlers of an instruction, one per feature level.
#[derive(Clone, Copy, Debug)]
pub struct Handlers {
    /// Handler for any host.
    pub baseline: Handler,
    /// Handler for x86-64-v3: AVX2, FMA, F16C.
    pub v3: Handler,
    /// Handler for x86-64-v4: AVX-512.
    pub v4: Handler,
    /// Arguments and result of the lane function, where the handler is one.
    pub shape: &'static LaneSignature,
}

impl Handlers {
    /// Builds the handlers of an instruction that vector units cannot speed up.
    pub const fn scalar(handler: Handler) -> Handlers {
        Handlers {
            baseline: handler,
            v3: handler,
            v4: handler,
            shape: LaneSignature::NONE,
        }
    }

    /// Returns the handlers with the shape of a lane function.
    pub const fn of(self, shape: &'static LaneSignature) -> Handlers {
        Handlers { shape, ..self }
    }

    /// Returns the handler of a level.
    pub fn at(&self, level: Level) -> Handler {
        match level {
            Level::Baseline => self.baseline,
            Level::V3 => self.v3,
            Level::V4 => self.v4,
        }
    }
}

/// A decoded instruction with its handler. The fields that every execution reads stand at the beginning, in one cache line.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Op {
    /// Handler that executes the instruction.
    pub handler: Handler,
    /// Number of VGPRs that the instruction needs: one more than the highest VGPR that it names, and at least one for a vector instruction.
    pub vgprs: u16,
    /// Size of the instruction in bytes, as in `inst`, which stands farther away.
    pub size: u8,
    /// Positions of the operands.
    pub plan: Plan,
    /// Kind of the instruction.
    pub kind: Kind,
    /// Bytes that the instruction moves to and from memory.
    pub traffic: Traffic,
    /// Allocation of the last access. Most instructions access one allocation only.
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
    /// Prepares an instruction for a feature level.
    pub fn new(inst: Inst, handlers: &Handlers, level: Level) -> Op {
        Op {
            handler: handlers.at(level),
            size: inst.size,
            plan: Plan::new(&inst, handlers.shape),
            vgprs: vgprs_needed(&inst),
            kind: inst.kind(),
            traffic: Traffic::of(&inst),
            region: Hint::default(),
            inst,
        }
    }

    /// Returns the instruction in the assembler's syntax, or the first word of invalid words.
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

    /// The offset of this store was once taken for the pair v[3:4], and a kernel whose last VGPR is v3 trapped.
    #[test]
    fn an_offset_from_a_scalar_base_is_one_register() {
        // global_store_dwordx2 v3, v[0:1], s[6:7], and the same with an address in v[3:4].
        assert_eq!(vgprs([0xdc74_8000, 0x0006_0003]), 4);
        assert_eq!(vgprs([0xdc74_8000, 0x007f_0003]), 5);
    }

    #[test]
    fn a_buffer_address_of_index_and_offset_is_two_registers() {
        // buffer_load_dword v0, v3, s[4:7], 0 offen, and v0, v[3:4], s[4:7], 0 idxen offen.
        assert_eq!(vgprs([0xe050_1000, 0x8001_0003]), 4);
        assert_eq!(vgprs([0xe050_3000, 0x8001_0003]), 5);
    }
}
