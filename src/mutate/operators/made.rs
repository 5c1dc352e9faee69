//! The changes that each operator makes of one instruction.

use gfx906::isa::{
    Access, Code, DecodeError, Encoding, Flags, Form, Inst, Operand, Properties, Role, Type,
    decode, disassemble, fields, places,
};

use super::{Change, Operator, Registers, opcodes};

/// `s_nop 0`.
const NOP: u32 = 0xbf80_0000;

/// A collector of the changes of one instruction.
pub(super) struct MutantMaker<'a> {
    inst: &'a Inst,
    text: String,
    /// The changes.
    pub changes: Vec<Change>,
}

impl<'a> MutantMaker<'a> {
    /// Makes a collector without changes.
    pub fn new(inst: &'a Inst) -> MutantMaker<'a> {
        MutantMaker {
            inst,
            text: disassemble(inst),
            changes: Vec::new(),
        }
    }

    /// Adds a change if its words are an instruction that the hardware can run, and that is new.
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

    /// Replaces the instruction by `s_nop`.
    pub fn nothing(&mut self, operator: Operator) {
        let count = self.inst.size() / 4;
        self.changes.push(Change {
            operator,
            bytes: NOP.to_le_bytes().repeat(count),
            text: "nothing".into(),
        });
    }

    /// Replaces the opcode by others whose operands have the same fields.
    pub fn opcodes(&mut self) {
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

    /// Exchanges each pair of sources whose order matters.
    pub fn sources(&mut self) {
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

    /// Replaces each register by its neighbours.
    pub fn registers(&mut self, registers: Registers) {
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

    /// Inverts the sign and magnitude bits of sources. Integer sources are left out, because the hardware ignores these bits for them, and
    /// the magnitudes of constants that are not negative.
    pub fn signs(&mut self) {
        for place in places::signs(self.inst) {
            let source = self.signed(place);
            if source.is_some_and(|(operand, _)| is_whole(operand.ty)) {
                continue;
            }
            let magnitude = matches!(place.low, 8..=10);
            if magnitude && source.is_some_and(|(_, code)| is_positive(code)) {
                continue;
            }
            let words = self.words();
            self.take(Operator::Sign, place.set(words, 1 ^ place.get(words)));
        }
    }

    /// Returns the source whose sign or magnitude a bit changes.
    fn signed(&self, place: places::FieldBits) -> Option<(&Operand, Code)> {
        let role = match (self.inst.form, place.low) {
            (Form::Sdwa | Form::Dpp, 52 | 53) => Role::Src0,
            (Form::Sdwa | Form::Dpp, _) => Role::Src1,
            (_, 61 | 8) => Role::Src0,
            (_, 62 | 9) => Role::Src1,
            _ => Role::Src2,
        };
        let mut operands = self.inst.row.operands.iter().zip(&self.inst.operands);
        let source = operands.find(|(operand, _)| operand.role == role);
        source.map(|(operand, code)| (operand, *code))
    }

    /// Returns true if a constant operand may be an f32: its type is f32, or the instruction only moves bits.
    fn may_be_float(&self, operand: &Operand) -> bool {
        let moved = ["v_mov_b32", "v_cndmask_b32"].contains(&self.inst.row.mnemonic);
        operand.ty == Type::F32 || moved
    }

    /// Replaces inline constants and 16-bit immediates by their neighbours.
    pub fn constants(&mut self) {
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

    /// Inverts each bit of a literal.
    pub fn literals(&mut self) {
        if self.inst.operands.contains(&Code::LITERAL) {
            for bit in 32..64 {
                self.take(Operator::Literal, self.words() ^ 1 << bit);
            }
        }
    }

    /// Moves the offsets of memory accesses by one step up and down.
    pub fn offsets(&mut self) {
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
                // An offset that wraps around its field is no neighbour.
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

    /// Replaces a branch by the branch on the opposite condition.
    pub fn branches(&mut self) {
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

    /// Replaces an instruction that removes lanes from EXEC by one that keeps them.
    pub fn exec(&mut self) {
        let writes_exec = |code: Code| code == Code::EXEC || code.0 == Code::EXEC.0 + 1;
        let first = self.inst.operands[0];
        if self.inst.row.mnemonic.contains("saveexec") {
            // The OR keeps every active lane.
            self.renamed(Operator::Exec, |_| Some("s_or_saveexec_b64".into()));
        } else if self.inst.has(Properties::COMPARES_TO_EXEC) {
            self.renamed(Operator::Exec, |name| Some(name.replace("cmpx", "cmp")));
        } else if self.inst.encoding == Encoding::Sop2
            && self.inst.row.has_role(Role::Sdst)
            && writes_exec(first)
        {
            self.renamed(Operator::Exec, |_| Some("s_or_b64".into()));
        }
    }

    /// Replaces the instruction by that of another name in the same encoding.
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

    /// Replaces a wait by waits that ignore one counter, or all.
    pub fn weaker_waits(&mut self) {
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

/// Returns true if a type holds whole numbers.
fn is_whole(ty: Type) -> bool {
    use Type::{I8, I16, I32, I64, U8, U16, U32, U64};
    matches!(ty, I8 | I16 | I32 | I64 | U8 | U16 | U32 | U64)
}

/// Returns the value of an operand's field for a code; none if the field cannot hold the code.
fn in_place(code: Code, place: places::FieldBits) -> Option<u64> {
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

/// Returns the neighbours of an inline constant. The upper neighbour of 0 is 1.0 if the constant may be a float: the integer 1 would be the
/// smallest of all floats.
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

/// Returns true for an inline constant that is not negative: 0 to 64, 0.5, 1, 2, 4 and 1 / (2 pi).
fn is_positive(code: Code) -> bool {
    matches!(code.0, 128..=192 | 240 | 242 | 244 | 246 | 248)
}

/// Decodes an instruction that the hardware can run.
fn checked(bytes: &[u8]) -> Result<Inst, DecodeError> {
    let inst = decode(bytes)?;
    let sound = !inst.modifiers.flags.has(Flags::MALFORMED)
        && fields::find_reserved(&inst).is_none()
        && inst.row.semantics.is_some();
    if sound {
        Ok(inst)
    } else {
        Err(DecodeError::Invalid)
    }
}
