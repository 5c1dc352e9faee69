//! Code, decoded once: every dword of an executable segment as the instruction that would start there.

use std::sync::OnceLock;

use super::forms;
use super::handler::{Handlers, Level};
use super::op::Op;
use crate::isa::{self, Code, Encoding, Flags, Form, Inst, Row};

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

    /// The kind of an instruction.
    pub fn of(inst: &Inst) -> Kind {
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

/// Instructions that were decoded together, one a dword.
#[derive(Clone, Copy, Default)]
pub struct Page<'a> {
    base: u64,
    ops: &'a [Op],
}

impl<'a> Page<'a> {
    /// The instruction at a guest address, if that is a dword of this page.
    #[inline(always)]
    pub fn fetch(&self, pc: u64) -> Option<&'a Op> {
        // An address between dwords turns into an index beyond every page.
        let index = pc.wrapping_sub(self.base).rotate_right(2);
        self.ops.get(index as usize)
    }
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
    pub fn fetch(&self, pc: u64) -> Option<&Op> {
        self.page(pc)?.fetch(pc)
    }

    /// The page that holds the instruction at a guest address.
    #[inline(never)]
    pub fn page(&self, pc: u64) -> Option<Page<'_>> {
        let number = (pc.checked_sub(self.base)? / (4 * PAGE as u64)) as usize;
        let ops = self.pages.get(number)?;
        let page = Page {
            base: self.base + 4 * (PAGE * number) as u64,
            ops: ops.get_or_init(|| self.decode_page(number)),
        };
        page.fetch(pc).is_some().then_some(page)
    }

    #[cold]
    fn decode_page(&self, page: usize) -> Box<[Op]> {
        let start = page * PAGE * 4;
        let end = (start + PAGE * 4).min(self.code.len() / 4 * 4);
        (start..end).step_by(4).map(|at| self.decode(at)).collect()
    }

    fn decode(&self, at: usize) -> Op {
        let (inst, handlers) = match isa::decode(&self.code[at..]) {
            Ok(inst) => (inst, forms::handlers(&inst)),
            Err(_) => (unknown(&self.code[at..]), Handlers::scalar(forms::illegal)),
        };
        Op::new(inst, &handlers, self.level)
    }
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
    let word = |at: usize| {
        let bytes = words.get(at..).and_then(<[u8]>::first_chunk);
        bytes.map_or(0, |&w| u32::from_le_bytes(w))
    };
    Inst {
        row: &ROW,
        encoding: Encoding::Sopp,
        form: Form::Native,
        size: 4,
        operands: [Code::OFF; 6],
        literal: 0,
        offset: 0,
        modifiers: isa::Modifiers::default(),
        words: [word(0), word(4)],
    }
}
