//! What an instruction leaves in the registers that it writes.

mod scalar;
mod vector;

use gfx906::isa::uses::{SCC, Uses};
use gfx906::isa::{Access, Code, Encoding, Flags, Form, Inst, Role, Type, inline_constant};

use super::choose::{compared, comparison};
use super::state::{State, Value};
use super::term::{Op, Term, Wide, and, shift, wide};
use super::value::Range;

/// Every register that an instruction may write, and what it then holds; a VGPR in the lanes that are on.
pub(super) fn results(inst: &Inst, state: &State) -> Vec<(u16, Term)> {
    let reading = Reading { inst, state };
    let known = if reading.is_plain() {
        reading.known()
    } else {
        Vec::new()
    };
    let writes = Uses::of(inst).writes;
    let numbers = (0..512).filter(|number| writes.has(*number));
    numbers
        .map(|number| {
            let own = known.iter().find(|(of, _)| *of == number);
            (number, own.map_or(Term::Other, |(_, term)| term.clone()))
        })
        .collect()
}

/// What a comparison of whole numbers asks, of what.
pub(super) fn relation(inst: &Inst, state: &State) -> Option<(Op, Term, Term)> {
    let reading = Reading { inst, state };
    reading.relation().filter(|_| reading.is_plain())
}

/// A word of a register before an instruction.
pub(super) fn held(number: u16, state: &State) -> Term {
    let value = state.get(number);
    let range = value.range();
    match (range.one(), value) {
        (Some(word), _) => Term::Known(word),
        (_, Value::Lanes(half)) => Term::Register(Code::EXEC.0 + half, range),
        _ => Term::Register(number, range),
    }
}

struct Reading<'r> {
    inst: &'r Inst,
    state: &'r State,
}

impl Reading<'_> {
    /// Whether nothing is done to sources and results on the way: the magnitude of a word whose highest bit is 0 is that word.
    fn is_plain(&self) -> bool {
        let m = &self.inst.modifiers;
        let sources = (0..).zip([Role::Src0, Role::Src1, Role::Src2]);
        let mut taken = sources.filter(|(bit, _)| m.abs >> bit & 1 != 0);
        matches!(self.inst.form, Form::Native | Form::E64)
            && m.neg | m.neg_hi | m.omod | m.op_sel == 0
            && !m.flags.has(Flags::CLAMP)
            && taken.all(|(_, role)| self.is_positive(role))
    }

    /// Whether a source is one word, and its highest bit is 0.
    fn is_positive(&self, role: Role) -> bool {
        let mut operands = self.inst.row.operands.iter();
        let operand = operands.find(|operand| operand.role == role);
        let one = operand.is_some_and(|operand| operand.ty.registers() == 1);
        one && self.source(role).range().is_positive()
    }

    /// Those of the results that are followed.
    fn known(&self) -> Vec<(u16, Term)> {
        let name = self.inst.row.mnemonic;
        if name.starts_with("s_cmp") || name.starts_with("v_cmp_") {
            return self.compare();
        }
        match self.inst.encoding {
            Encoding::Sop1 | Encoding::Sop2 | Encoding::Sopk => self.scalar(name),
            encoding if encoding.is_vector_alu() => self.vector(name),
            _ => Vec::new(),
        }
    }

    /// The word that a code stands for, `more` registers on.
    fn word(&self, code: Code, more: u16) -> Term {
        match code.0 {
            0..=127 | 256..=511 => held(code.0 + more, self.state),
            code => match inline_constant(code, self.inst.literal) {
                // Of 64 bits the upper half is the sign of an integer; floats are not followed.
                Some(word) if more == 0 => Term::Known(word),
                Some(word) if (128..=208).contains(&code) => {
                    Term::Known((word as i32 >> 31) as u32)
                }
                _ => Term::Other,
            },
        }
    }

    fn source(&self, role: Role) -> Term {
        self.word(self.inst.by_role(role), 0)
    }

    fn pair(&self, role: Role) -> [Term; 2] {
        let code = self.inst.by_role(role);
        if (240..=248).contains(&code.0) {
            return [Term::Other, Term::Other];
        }
        [self.word(code, 0), self.word(code, 1)]
    }

    /// The mask that is read.
    fn mask(&self) -> [Term; 2] {
        let operands = self.inst.row.operands.iter().zip(&self.inst.operands);
        let mut masks = operands
            .filter(|(operand, _)| operand.ty == Type::Mask && operand.access == Access::Read);
        let code = masks.next().map_or(Code::OFF, |(_, code)| *code);
        [self.word(code, 0), self.word(code, 1)]
    }

    /// The operand that is written, or the `nth` of several.
    fn written(&self, nth: usize) -> Code {
        let operands = self.inst.row.operands.iter().zip(&self.inst.operands);
        let mut written = operands.filter(|(operand, _)| operand.access != Access::Read);
        written.nth(nth).map_or(Code::OFF, |(_, code)| *code)
    }

    /// What a comparison of whole numbers asks, of what.
    fn relation(&self) -> Option<(Op, Term, Term)> {
        let name = self.inst.row.mnemonic;
        let name = name.strip_prefix("s_cmp").or(name.strip_prefix("v_cmp_"))?;
        let name = name.trim_start_matches('k').trim_start_matches('_');
        let (relation, ty) = name.split_once('_')?;
        let (mut a, mut b) = match self.inst.encoding {
            // s_cmpk_lt_i32 s0, 5
            Encoding::Sopk => (
                self.word(self.inst.operands[0], 0),
                self.immediate(ty == "i32"),
            ),
            _ => (self.source(Role::Src0), self.source(Role::Src1)),
        };
        if matches!(relation, "gt" | "ge") {
            std::mem::swap(&mut a, &mut b);
        }
        let op = match (relation, ty) {
            ("lt" | "gt", "u32") => Op::Less,
            ("lt" | "gt", "i32") => Op::LessSigned,
            ("le" | "ge", "u32") => Op::LessOrSame,
            ("le" | "ge", "i32") => Op::LessOrSameSigned,
            ("eq", "u32" | "i32") => Op::Same,
            ("lg" | "ne", "u32" | "i32") => Op::Another,
            _ => return None,
        };
        Some((op, a, b))
    }

    /// SCC and masks of comparisons of whole numbers.
    fn compare(&self) -> Vec<(u16, Term)> {
        let Some((op, a, b)) = self.relation() else {
            return self.compare_pairs();
        };
        let (op, told) = compared(op, &a, &b, self.state);
        if !self.inst.encoding.is_vector_alu() {
            let term = match told {
                Some(told) => Term::Known(told.into()),
                None => comparison(op, a, b, Range::BIT),
            };
            return vec![(SCC, term)];
        }
        let to = self.written(0).0;
        let half = |more: u16| match told {
            Some(false) => Term::Known(0),
            // As many lanes as there are.
            Some(true) => held(Code::EXEC.0 + more, self.state),
            None => comparison(op, a.clone(), b.clone(), Range::ANY),
        };
        vec![(to, half(0)), (to + 1, half(1))]
    }

    /// SCC of a comparison of pairs.
    fn compare_pairs(&self) -> Vec<(u16, Term)> {
        let different = match self.inst.row.mnemonic {
            "s_cmp_eq_u64" => 0,
            "s_cmp_lg_u64" => 1,
            _ => return Vec::new(),
        };
        let [a, b] = [self.pair(Role::Src0), self.pair(Role::Src1)];
        let same = [0, 1].map(|half| compared(Op::Same, &a[half], &b[half], self.state).1);
        let told = match same {
            [Some(false), _] | [_, Some(false)] => different,
            [Some(true), Some(true)] => 1 - different,
            _ => return Vec::new(),
        };
        vec![(SCC, Term::Known(told))]
    }

    /// A 16-bit immediate.
    fn immediate(&self, signed: bool) -> Term {
        let literal = self.inst.literal;
        Term::Known(if signed { literal } else { literal & 0xffff })
    }
}

/// So many bits of a word from one on.
fn field(a: Term, from: Term, width: Term) -> Term {
    let (Some(from), Some(width)) = (from.range().one(), width.range().one()) else {
        return Term::Other;
    };
    let mask = match width & 31 {
        0 => 0,
        width => u32::MAX >> (32 - width),
    };
    and(
        shift(Op::Right, a, Term::Known(from & 31)),
        Term::Known(mask),
    )
}

/// 64 bits to the left.
fn wide_left([low, high]: [Term; 2], by: Term) -> [Term; 2] {
    let count = by.range().one().map(|count| count & 63);
    let whole = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
    let (l, h) = (low.range(), high.range());
    let bounds = count.and_then(|count| {
        let (lo, hi) = (whole(l.lo, h.lo), whole(l.hi, h.hi));
        (hi.leading_zeros() >= count).then(|| (lo << count, hi << count))
    });
    wide(Wide::Left, vec![low, high, by], bounds)
}
