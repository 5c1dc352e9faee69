//! Code, decoded once: every dword of an executable segment as the instruction that would start there.

use std::sync::OnceLock;

use super::handler::{Handler, Level, Outcome};
use super::trap::{Fault, TrapKind};
use super::wave::{Env, Wave};
use crate::isa::{self, Code, Encoding, Flags, Form, Inst, Operand, Role, Row};

/// Instructions of a page, decoded together when the first of them runs.
const PAGE: usize = 256;

/// The kind of an instruction, as counters count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Scalar ALU.
    Salu,
    /// Vector ALU.
    Valu,
    /// Scalar memory.
    Smem,
    /// Vector memory: flat, global, scratch, buffers, images.
    Vmem,
    /// LDS and lane exchanges.
    Lds,
    /// Branches, calls.
    Branch,
    /// Waits, barriers, messages, the end.
    Control,
}

impl Kind {
    /// Every kind, in the order of their numbers.
    pub const ALL: [Kind; 7] = [
        Kind::Salu,
        Kind::Valu,
        Kind::Smem,
        Kind::Vmem,
        Kind::Lds,
        Kind::Branch,
        Kind::Control,
    ];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Salu => "salu",
            Kind::Valu => "valu",
            Kind::Smem => "smem",
            Kind::Vmem => "vmem",
            Kind::Lds => "lds",
            Kind::Branch => "branch",
            Kind::Control => "control",
        }
    }

    fn of(inst: &Inst) -> Kind {
        let branches = ["s_branch", "s_cbranch", "s_setpc", "s_swappc", "s_call"];
        match inst.encoding {
            _ if branches.iter().any(|b| inst.row.mnemonic.starts_with(b)) => Kind::Branch,
            Encoding::Sop1 | Encoding::Sop2 | Encoding::Sopk | Encoding::Sopc => Kind::Salu,
            Encoding::Sopp => Kind::Control,
            Encoding::Smem => Kind::Smem,
            Encoding::Ds => Kind::Lds,
            Encoding::Flat
            | Encoding::Global
            | Encoding::Scratch
            | Encoding::Mubuf
            | Encoding::Mtbuf
            | Encoding::Mimg
            | Encoding::Exp => Kind::Vmem,
            _ => Kind::Valu,
        }
    }
}

/// A decoded instruction with its handler.
pub struct Op {
    /// How it runs.
    pub handler: Handler,
    /// The VGPRs it needs: one more than the highest it names.
    pub vgprs: u16,
    /// Its kind.
    pub kind: Kind,
    /// The instruction.
    pub inst: Inst,
}

/// The code of one executable segment.
pub struct Program {
    base: u64,
    code: Vec<u8>,
    pages: Vec<OnceLock<Box<[Op]>>>,
    level: Level,
}

impl Program {
    /// Code that stands at guest address `base`.
    pub fn new(base: u64, code: Vec<u8>, level: Level) -> Program {
        let pages = (0..code.len().div_ceil(4 * PAGE))
            .map(|_| OnceLock::new())
            .collect();
        Program {
            base,
            code,
            pages,
            level,
        }
    }

    /// The instruction at a guest address, if that is a dword of this code.
    #[inline(always)]
    pub fn fetch(&self, pc: u64) -> Option<&Op> {
        let offset = pc.wrapping_sub(self.base);
        if offset & 3 != 0 {
            return None;
        }
        let index = (offset / 4) as usize;
        let page = self.pages.get(index / PAGE)?;
        let ops = match page.get() {
            Some(ops) => ops,
            None => page.get_or_init(|| self.decode_page(index / PAGE)),
        };
        ops.get(index % PAGE)
    }

    #[cold]
    fn decode_page(&self, page: usize) -> Box<[Op]> {
        let start = page * PAGE * 4;
        let end = (start + PAGE * 4).min(self.code.len() / 4 * 4);
        (start..end).step_by(4).map(|at| self.decode(at)).collect()
    }

    fn decode(&self, at: usize) -> Op {
        let Ok(inst) = isa::decode(&self.code[at..]) else {
            return Op {
                handler: illegal,
                vgprs: 0,
                kind: Kind::Control,
                inst: unknown(&self.code[at..]),
            };
        };
        let flags = inst.modifiers.flags;
        // Loads straight into LDS and residency results are the graphics driver's.
        let graphics = flags.has(Flags::LDS) || flags.has(Flags::TFE);
        let handler: Handler = if flags.has(Flags::MALFORMED) {
            illegal
        } else {
            let runs = inst.row.semantics.filter(|_| !graphics);
            runs.map_or(unimplemented as Handler, |handlers| handlers.at(self.level))
        };
        Op {
            handler,
            vgprs: vgprs_needed(&inst),
            kind: Kind::of(&inst),
            inst,
        }
    }
}

fn illegal(_: &mut Wave, _: &mut Env<'_>, _: &Inst) -> Outcome {
    Err(Fault::new(TrapKind::IllegalInstruction).into())
}

fn unimplemented(_: &mut Wave, _: &mut Env<'_>, _: &Inst) -> Outcome {
    Err(Fault::new(TrapKind::Unimplemented).into())
}

/// What stands for words that are no instruction.
fn unknown(words: &[u8]) -> Inst {
    static ROW: Row = Row {
        opcode: 0,
        mnemonic: "invalid",
        operands: &[],
        modifiers: Flags::NONE,
        semantics: None,
    };
    let word = words.first_chunk().map_or(0, |&w| u32::from_le_bytes(w));
    Inst {
        row: &ROW,
        encoding: Encoding::Sopp,
        form: Form::Native,
        size: 4,
        operands: [Code::OFF; 6],
        literal: 0,
        offset: 0,
        modifiers: isa::Modifiers::default(),
        words: [word, 0],
    }
}

fn vgprs_needed(inst: &Inst) -> u16 {
    let operands = inst.row.operands.iter().zip(&inst.operands);
    let ends = operands
        .filter_map(|(o, code)| Some(code.as_vgpr()? as u16 + vector_registers(inst, o) as u16));
    ends.max().unwrap_or(0)
}

/// The registers of a vector operand: the row's number, but for addresses whose width the instruction's other fields say.
fn vector_registers(inst: &Inst, operand: &Operand) -> usize {
    let flags = inst.modifiers.flags;
    match (inst.encoding, operand.role) {
        (Encoding::Global, Role::Addr) if inst.by_role(Role::Sbase) != Code::OFF => 1,
        (Encoding::Mubuf | Encoding::Mtbuf, Role::Addr)
            if flags.has(Flags::OFFEN) && flags.has(Flags::IDXEN) =>
        {
            2
        }
        _ => operand.ty.registers(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vgprs(words: [u32; 2]) -> u16 {
        let code = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let program = Program::new(0, code, Level::host());
        program.fetch(0).expect("code").vgprs
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
