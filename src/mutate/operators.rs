//! Mutation operators: an instruction in, instructions out that a slip of the pen might have made of it, as long as it was.

mod opcodes;

use std::fmt;

use gfx906::isa::{
    Access, Code, DecodeError, Encoding, Flags, Inst, Operand, Role, Type, decode, disassemble,
    fields, places,
};
use serde::{Deserialize, Serialize};

/// `s_nop 0`.
const NOP: u32 = 0xbf80_0000;

/// What is done to an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operator {
    /// Another operation of its kind: less for less or equal, a shift the other way, another width.
    Opcode,
    /// Two sources exchanged, where their order matters.
    Sources,
    /// A register's neighbour.
    Register,
    /// A source negated, or its magnitude taken; or not any more.
    Sign,
    /// An inline constant or a 16-bit immediate, one more or less.
    Constant,
    /// One bit of a literal.
    Literal,
    /// The offset of an access, 4 bytes more or less.
    Offset,
    /// Nothing in its place.
    Delete,
    /// A branch on the opposite condition.
    Branch,
    /// EXEC stays as wide as it was.
    Exec,
    /// A barrier that nobody waits at.
    Barrier,
    /// A wait that lets more be outstanding. Values do not show it here: it is counted, and not judged.
    Waitcnt,
}

impl Operator {
    /// Every operator.
    pub const ALL: [Operator; 12] = [
        Operator::Opcode,
        Operator::Sources,
        Operator::Register,
        Operator::Sign,
        Operator::Constant,
        Operator::Literal,
        Operator::Offset,
        Operator::Delete,
        Operator::Branch,
        Operator::Exec,
        Operator::Barrier,
        Operator::Waitcnt,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Operator::Opcode => "opcode",
            Operator::Sources => "sources",
            Operator::Register => "register",
            Operator::Sign => "sign",
            Operator::Constant => "constant",
            Operator::Literal => "literal",
            Operator::Offset => "offset",
            Operator::Delete => "delete",
            Operator::Branch => "branch",
            Operator::Exec => "exec",
            Operator::Barrier => "barrier",
            Operator::Waitcnt => "waitcnt",
        }
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// An instruction in the place of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What made it.
    pub operator: Operator,
    /// Its bytes, as many as the instruction had.
    pub bytes: Vec<u8>,
    /// It as text; of nothing, `nothing`.
    pub text: String,
}

/// The registers of the kernel that an instruction is in: a neighbour beyond them would be another kind of mistake.
#[derive(Clone, Copy, Debug)]
pub struct Registers {
    /// VGPRs.
    pub vector: u16,
    /// SGPRs, of those that programs name.
    pub scalar: u16,
}

/// Everything that the operators make of an instruction: each decodes, is as long as it was, reads otherwise and is different from the others.
pub fn changes(inst: &Inst, registers: Registers) -> Vec<Change> {
    let mut made = Made {
        inst,
        text: disassemble(inst),
        changes: Vec::new(),
    };
    let name = inst.row.mnemonic;
    match name {
        "s_barrier" => made.nothing(Operator::Barrier),
        "s_waitcnt" => made.weaker_waits(),
        _ if leaves_nothing(name) => {}
        _ => {
            made.opcodes();
            made.sources();
            made.registers(registers);
            made.signs();
            made.constants();
            made.literals();
            made.offsets();
            made.branches();
            made.exec();
            made.nothing(Operator::Delete);
        }
    }
    made.changes
}

/// Instructions without an effect on values, and the end.
fn leaves_nothing(mnemonic: &str) -> bool {
    const HINTS: [&str; 12] = [
        "s_nop",
        "v_nop",
        "s_endpgm",
        "s_sleep",
        "s_setprio",
        "s_code_end",
        "s_icache_inv",
        "s_dcache_wb",
        "s_dcache_inv",
        "buffer_wbinvl1",
        "buffer_wbinvl1_vol",
        "s_set_gpr_idx_off",
    ];
    HINTS.contains(&mnemonic)
}

struct Made<'a> {
    inst: &'a Inst,
    text: String,
    changes: Vec<Change>,
}

impl Made<'_> {
    /// Takes words in if they make an instruction that the hardware can run.
    fn take(&mut self, operator: Operator, words: u64) {
        let bytes = words.to_le_bytes();
        let Ok(found) = checked(&bytes) else { return };
        if found.size() != self.inst.size() {
            return;
        }
        let text = disassemble(&found);
        if text == self.text || self.changes.iter().any(|change| change.text == text) {
            return;
        }
        self.changes.push(Change {
            operator,
            bytes: bytes[..found.size()].to_vec(),
            text,
        });
    }

    fn words(&self) -> u64 {
        places::words(self.inst)
    }

    /// `s_nop` in its place.
    fn nothing(&mut self, operator: Operator) {
        let count = self.inst.size() / 4;
        self.changes.push(Change {
            operator,
            bytes: NOP.to_le_bytes().repeat(count),
            text: "nothing".into(),
        });
    }

    /// Other opcodes whose operands stand in the same places.
    fn opcodes(&mut self) {
        let Some(place) = places::opcode(self.inst) else {
            return;
        };
        for (encoding, row) in opcodes::others(self.inst) {
            let Some(opcode) = places::opcode_of(self.inst, encoding, row) else {
                continue;
            };
            let mut words = place.set(self.words(), opcode);
            for index in 0..self.inst.row.operands.len() {
                let dropped = !row.has_role(self.inst.row.operands[index].role);
                if let Some(place) = places::operand(self.inst, index).filter(|_| dropped) {
                    words = place.set(words, 0);
                }
            }
            self.take(Operator::Opcode, words);
        }
    }

    /// Pairs of sources in each other's place.
    fn sources(&mut self) {
        let operands = self.inst.row.operands;
        let exchangeable = |operand: &Operand| {
            let roles = [Role::Src0, Role::Src1, Role::Src2, Role::Data, Role::Data1];
            roles.contains(&operand.role) && operand.access == Access::Read
        };
        for a in 0..operands.len() {
            for b in a + 1..operands.len() {
                let (first, second) = (&operands[a], &operands[b]);
                let both = exchangeable(first) && exchangeable(second);
                let wide = first.ty.registers() == second.ty.registers();
                if !both || !wide || opcodes::commutes(self.inst, first.role, second.role) {
                    continue;
                }
                let (Some(from), Some(to)) =
                    (places::operand(self.inst, a), places::operand(self.inst, b))
                else {
                    continue;
                };
                let (x, y) = (self.inst.operands[a], self.inst.operands[b]);
                let (Some(x), Some(y)) = (in_place(x, to), in_place(y, from)) else {
                    continue;
                };
                self.take(Operator::Sources, from.set(to.set(self.words(), x), y));
            }
        }
    }

    /// Neighbours of every register that it names.
    fn registers(&mut self, registers: Registers) {
        for (index, operand) in self.inst.row.operands.iter().enumerate() {
            let code = self.inst.operands[index];
            let Some(place) = places::operand(self.inst, index) else {
                continue;
            };
            let wide = operand.ty.registers() as u16;
            let (number, step, limit, base) = match code.as_vgpr() {
                Some(number) => (u16::from(number), 1, registers.vector, 256),
                None if code.0 < 102 => (code.0, wide.min(4), registers.scalar, 0),
                None => continue,
            };
            let down = number.checked_sub(step);
            let up = Some(number + step).filter(|up| up + wide <= limit);
            for neighbour in [down, up].into_iter().flatten() {
                let Some(value) = in_place(Code(base + neighbour), place) else {
                    continue;
                };
                self.take(Operator::Register, place.set(self.words(), value));
            }
        }
    }

    /// Signs and magnitudes of sources.
    fn signs(&mut self) {
        for place in places::signs(self.inst) {
            let words = self.words();
            self.take(Operator::Sign, place.set(words, 1 ^ place.get(words)));
        }
    }

    /// Whether what a vector instruction makes of a constant may be a number of f32: its type says so, or it only moves bits.
    fn may_be_float(&self, operand: &Operand) -> bool {
        let moved = ["v_mov_b32", "v_cndmask_b32"].contains(&self.inst.row.mnemonic);
        operand.ty == Type::F32 || moved
    }

    /// Inline constants and 16-bit immediates.
    fn constants(&mut self) {
        let operands = self.inst.row.operands.iter().zip(&self.inst.operands);
        for (index, (operand, code)) in operands.enumerate() {
            let Some(place) = places::operand(self.inst, index) else {
                continue;
            };
            for neighbour in neighbours(*code, self.may_be_float(operand)) {
                let words = place.set(self.words(), u64::from(neighbour.0));
                self.take(Operator::Constant, words);
            }
        }
        let number = |operand: &Operand| {
            operand.role == Role::Simm16 && matches!(operand.ty, Type::I16 | Type::U16)
        };
        if self.inst.encoding == Encoding::Sopk && self.inst.row.operands.iter().any(number) {
            let words = self.words();
            for value in [
                (words as u16).wrapping_add(1),
                (words as u16).wrapping_sub(1),
            ] {
                self.take(Operator::Constant, words & !0xffff | u64::from(value));
            }
        }
    }

    /// One bit of a literal, each in turn.
    fn literals(&mut self) {
        if self.inst.operands.contains(&Code::LITERAL) {
            for bit in 32..64 {
                self.take(Operator::Literal, self.words() ^ 1 << bit);
            }
        }
    }

    /// Offsets of accesses.
    fn offsets(&mut self) {
        let step = if self.inst.row.modifiers.has(Flags::TWO_OFFSETS) {
            1
        } else {
            4
        };
        for place in places::offsets(self.inst) {
            let words = self.words();
            let value = place.get(words);
            for value in [value.wrapping_add(step), value.wrapping_sub(step)] {
                let changed = place.set(words, value);
                // What wraps around its field is no neighbour.
                let near = checked(&changed.to_le_bytes());
                let near = near.is_ok_and(|near| {
                    (near.offset - self.inst.offset).unsigned_abs() <= 256 * step as u32
                });
                if near {
                    self.take(Operator::Offset, changed);
                }
            }
        }
    }

    /// Branches that go the other way.
    fn branches(&mut self) {
        const OPPOSITES: [[&str; 2]; 3] = [
            ["s_cbranch_scc0", "s_cbranch_scc1"],
            ["s_cbranch_vccz", "s_cbranch_vccnz"],
            ["s_cbranch_execz", "s_cbranch_execnz"],
        ];
        self.renamed(Operator::Branch, |name| {
            OPPOSITES.iter().find_map(|[a, b]| match name {
                _ if name == *a => Some((*b).to_owned()),
                _ if name == *b => Some((*a).to_owned()),
                _ => None,
            })
        });
    }

    /// What narrows EXEC leaves it as it is.
    fn exec(&mut self) {
        let writes_exec = |code: Code| code == Code::EXEC || code.0 == Code::EXEC.0 + 1;
        let first = self.inst.operands[0];
        let name = self.inst.row.mnemonic;
        if name.contains("saveexec") {
            // EXEC is ored with a mask that it holds already, or keeps its lanes.
            self.renamed(Operator::Exec, |_| Some("s_or_saveexec_b64".into()));
        } else if name.starts_with("v_cmpx_") {
            self.renamed(Operator::Exec, |name| Some(name.replace("cmpx", "cmp")));
        } else if self.inst.encoding == Encoding::Sop2
            && self.inst.row.has_role(Role::Sdst)
            && writes_exec(first)
        {
            self.renamed(Operator::Exec, |_| Some("s_or_b64".into()));
        }
    }

    /// The instruction of another name in the same encoding.
    fn renamed(&mut self, operator: Operator, other: impl Fn(&str) -> Option<String>) {
        let found = other(self.inst.row.mnemonic);
        let found = found.and_then(|name| opcodes::named(self.inst.encoding, &name));
        let (Some(row), Some(place)) = (found, places::opcode(self.inst)) else {
            return;
        };
        if let Some(opcode) = places::opcode_of(self.inst, self.inst.encoding, row) {
            self.take(operator, place.set(self.words(), opcode));
        }
    }

    /// Waits that do not wait for one counter, or for none.
    fn weaker_waits(&mut self) {
        // vmcnt in bits 3:0 and 15:14, expcnt in 6:4, lgkmcnt in 11:8.
        const COUNTERS: [u64; 3] = [0xc00f, 0x0070, 0x0f00];
        let words = self.words();
        let all = COUNTERS.iter().sum::<u64>();
        let waited = COUNTERS
            .iter()
            .filter(|&&counter| words & counter != counter);
        for counter in waited.chain([&all]) {
            self.take(Operator::Waitcnt, words | counter);
        }
    }
}

/// What an operand's field holds of a code; none where it cannot.
fn in_place(code: Code, place: places::Place) -> Option<u64> {
    let code = match (code.as_vgpr(), place.bits) {
        (Some(number), 8) => u16::from(number),
        // A VGPR's field of eight bits holds nothing else; a scalar one no VGPR.
        (None, 8) if code.0 > 255 => return None,
        (Some(_), 5..=7) => return None,
        _ => code.0,
    };
    code.is_multiple_of(place.unit)
        .then_some(u64::from(code / place.unit))
}

/// The constants beside an inline constant. What may be a float is not made the least of them, 1 as an integer, but 1.0.
fn neighbours(code: Code, float: bool) -> Vec<Code> {
    match code.0 {
        128 if float => vec![Code(242), Code(193)],
        // 0 to 64, and -1 to -16 behind them.
        128 => vec![Code(129), Code(193)],
        129..=191 => vec![Code(code.0 - 1), Code(code.0 + 1)],
        192 => vec![Code(191)],
        193 => vec![Code(128), Code(194)],
        194..=207 => vec![Code(code.0 - 1), Code(code.0 + 1)],
        208 => vec![Code(207)],
        // 0.5, 1, 2 and 4, each followed by its negative.
        240..=247 => [code.0 - 2, code.0 + 2]
            .into_iter()
            .filter(|near| (240..=247).contains(near))
            .map(Code)
            .collect(),
        _ => Vec::new(),
    }
}

/// Decodes what the hardware can run.
fn checked(bytes: &[u8]) -> Result<Inst, DecodeError> {
    let inst = decode(bytes)?;
    let sound = !inst.modifiers.flags.has(Flags::MALFORMED)
        && fields::reserved(&inst).is_none()
        && inst.row.semantics.is_some();
    if sound {
        Ok(inst)
    } else {
        Err(DecodeError::Invalid)
    }
}

#[cfg(test)]
mod tests;
