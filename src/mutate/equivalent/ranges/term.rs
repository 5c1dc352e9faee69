//! What an instruction computes, as terms that are alike where the results are.

use super::value::Range;

/// A word as it is computed of registers before an instruction.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Term {
    /// A number.
    Known(u32),
    /// What a register holds, by its number.
    Register(u16, Range),
    /// An operation on others.
    Of(Op, Vec<Term>, Range),
    /// What is not followed: like nothing else, itself included.
    Other,
}

/// Operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Op {
    /// The sum of all.
    Sum,
    /// The first without the second.
    Difference,
    /// The low half of a product.
    Product,
    /// The high half of a product of numbers without sign.
    High,
    /// The high half of a product of numbers with a sign.
    HighSigned,
    /// Bits of both.
    And,
    /// Bits of either.
    Or,
    /// Bits of one.
    Xor,
    /// Shifts: left, right, right with the sign.
    Left,
    /// Right, zeros behind.
    Right,
    /// Right, the sign behind.
    RightSigned,
    /// The low or the high word of a 64-bit operation.
    Wide(Wide, bool),
    /// One bit a lane, or SCC: the first less than the second.
    Less,
    /// The same of numbers with a sign.
    LessSigned,
    /// Less, or the same.
    LessOrSame,
    /// The same of numbers with a sign.
    LessOrSameSigned,
    /// The same.
    Same,
    /// Not the same.
    Another,
    /// The least.
    Least,
    /// The most.
    Most,
    /// The same of numbers with a sign.
    LeastSigned,
    /// The same of numbers with a sign.
    MostSigned,
    /// A conversion of a number without sign to a float.
    Float,
    /// The first, or where a bit of a mask is set the second; the mask is the third and fourth.
    Choice,
    /// 1 in lanes whose bit of a mask is set; the mask is the first and second.
    Carry,
}

/// Operations on 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Wide {
    /// Left by so many.
    Left,
    /// Product of two words and sum with 64 bits.
    ProductSum,
}

impl Term {
    /// The words that it may be.
    pub fn range(&self) -> Range {
        match self {
            Term::Known(word) => Range::only(*word),
            Term::Register(_, range) | Term::Of(_, _, range) => *range,
            Term::Other => Range::ANY,
        }
    }

    /// Whether it is one word.
    pub fn is(&self, word: u32) -> bool {
        *self == Term::Known(word)
    }

    /// An operation on terms, or the one word that it can only be.
    pub fn of(op: Op, terms: Vec<Term>, range: Range) -> Term {
        if let Some(word) = range.one() {
            return Term::Known(word);
        }
        if terms.contains(&Term::Other) {
            // Its bounds may still say something.
            return Term::Of(op, vec![Term::Other], range);
        }
        Term::Of(op, terms, range)
    }

    /// Whether two terms are one word whatever the registers hold.
    pub fn is_same(&self, other: &Term) -> bool {
        !self.holds_other() && self == other
    }

    fn holds_other(&self) -> bool {
        match self {
            Term::Other => true,
            Term::Of(_, terms, _) => terms.iter().any(Term::holds_other),
            _ => false,
        }
    }
}

/// In one order, where it says nothing.
pub(super) fn sorted(mut terms: Vec<Term>) -> Vec<Term> {
    terms.sort();
    terms
}

/// The ranges of two.
pub(super) fn ranges(a: &Term, b: &Term) -> (Range, Range) {
    (a.range(), b.range())
}

/// a + b.
pub(super) fn sum(a: Term, b: Term) -> Term {
    let (x, y) = ranges(&a, &b);
    let range = Range::between(x.lo as u64 + y.lo as u64, x.hi as u64 + y.hi as u64);
    if let (Some(x), Some(y)) = (x.one(), y.one()) {
        return Term::Known(x.wrapping_add(y));
    }
    let range = if x.maybe & y.maybe == 0 {
        range.of_bits(x.maybe | y.maybe)
    } else {
        range
    };
    if a.is(0) {
        return b;
    }
    if b.is(0) {
        return a;
    }
    let mut terms = Vec::new();
    for term in [a, b] {
        match term {
            Term::Of(Op::Sum, inner, _) => terms.extend(inner),
            other => terms.push(other),
        }
    }
    Term::of(Op::Sum, sorted(terms), range)
}

/// a - b.
pub(super) fn difference(a: Term, b: Term) -> Term {
    let (x, y) = ranges(&a, &b);
    if let (Some(x), Some(y)) = (x.one(), y.one()) {
        return Term::Known(x.wrapping_sub(y));
    }
    if b.is(0) {
        return a;
    }
    if a.is_same(&b) {
        return Term::Known(0);
    }
    let range = if x.lo >= y.hi {
        Range::between((x.lo - y.hi).into(), (x.hi - y.lo).into())
    } else {
        Range::ANY
    };
    Term::of(Op::Difference, vec![a, b], range)
}

/// The low word of a b.
pub(super) fn product(a: Term, b: Term) -> Term {
    let (x, y) = ranges(&a, &b);
    if let (Some(x), Some(y)) = (x.one(), y.one()) {
        return Term::Known(x.wrapping_mul(y));
    }
    match (&a, &b) {
        (Term::Known(0), _) | (_, Term::Known(0)) => return Term::Known(0),
        (Term::Known(1), _) => return b,
        (_, Term::Known(1)) => return a,
        _ => {}
    }
    let range = Range::between(x.lo as u64 * y.lo as u64, x.hi as u64 * y.hi as u64);
    Term::of(Op::Product, sorted(vec![a, b]), range)
}

/// The high word of a b.
pub(super) fn high(a: Term, b: Term, signed: bool) -> Term {
    let (x, y) = ranges(&a, &b);
    if signed && !(x.is_positive() && y.is_positive()) {
        return Term::of(Op::HighSigned, sorted(vec![a, b]), Range::ANY);
    }
    let range = Range::between(
        (x.lo as u64 * y.lo as u64) >> 32,
        (x.hi as u64 * y.hi as u64) >> 32,
    );
    Term::of(Op::High, sorted(vec![a, b]), range)
}

/// Bits of both.
pub(super) fn and(a: Term, b: Term) -> Term {
    let (x, y) = ranges(&a, &b);
    if let (Some(x), Some(y)) = (x.one(), y.one()) {
        return Term::Known(x & y);
    }
    // Of a mask only the bits count that the other may have.
    let (a, b) = match (a, b) {
        (Term::Known(mask), other) | (other, Term::Known(mask)) => {
            let bits = other.range().maybe;
            if bits & !mask == 0 {
                return other;
            }
            (other, Term::Known(mask & bits))
        }
        both => both,
    };
    if a.is_same(&b) {
        return a;
    }
    let range = Range::between(0, x.hi.min(y.hi).into()).of_bits(x.maybe & y.maybe);
    Term::of(Op::And, sorted(vec![a, b]), range)
}

/// Bits of either.
pub(super) fn or(a: Term, b: Term) -> Term {
    let (x, y) = ranges(&a, &b);
    if let (Some(x), Some(y)) = (x.one(), y.one()) {
        return Term::Known(x | y);
    }
    if x.maybe & y.maybe == 0 {
        return sum(a, b);
    }
    if a.is_same(&b) {
        return a;
    }
    let bits = x.maybe | y.maybe;
    let range = Range::between(x.lo.max(y.lo).into(), bits.into()).of_bits(bits);
    Term::of(Op::Or, sorted(vec![a, b]), range)
}

/// Bits of one.
pub(super) fn xor(a: Term, b: Term) -> Term {
    let (x, y) = ranges(&a, &b);
    if let (Some(x), Some(y)) = (x.one(), y.one()) {
        return Term::Known(x ^ y);
    }
    if x.maybe & y.maybe == 0 {
        return sum(a, b);
    }
    if a.is_same(&b) {
        return Term::Known(0);
    }
    let bits = x.maybe | y.maybe;
    Term::of(
        Op::Xor,
        sorted(vec![a, b]),
        Range::between(0, bits.into()).of_bits(bits),
    )
}

/// A shift of a word by the low five bits of another.
pub(super) fn shift(op: Op, a: Term, by: Term) -> Term {
    let x = a.range();
    let op = match op {
        Op::RightSigned if x.is_positive() => Op::Right,
        op => op,
    };
    let Some(count) = by.range().one().map(|count| count & 31) else {
        let range = match op {
            Op::Right => Range::between(0, x.hi.into()),
            _ => Range::ANY,
        };
        return Term::of(op, vec![a, by], range);
    };
    if count == 0 {
        return a;
    }
    let range =
        match op {
            Op::Left => Range::between((x.lo as u64) << count, (x.hi as u64) << count)
                .of_bits(x.maybe << count),
            Op::Right => Range::between((x.lo >> count).into(), (x.hi >> count).into())
                .of_bits(x.maybe >> count),
            _ => Range::ANY,
        };
    if let (Some(word), Op::RightSigned) = (x.one(), op) {
        return Term::Known((word as i32 >> count) as u32);
    }
    if let (Some(word), Op::Left) = (x.one(), op) {
        return Term::Known(word << count);
    }
    Term::of(op, vec![a, Term::Known(count)], range)
}

/// Both words of a 64-bit operation that lies between these bounds.
pub(super) fn wide(op: Wide, terms: Vec<Term>, bounds: Option<(u64, u64)>) -> [Term; 2] {
    let (low, high) = match bounds {
        Some((lo, hi)) if hi >> 32 == 0 => (Range::between(lo, hi), Range::only(0)),
        Some((lo, hi)) => (Range::ANY, Range::between(lo >> 32, hi >> 32)),
        None => (Range::ANY, Range::ANY),
    };
    [
        Term::of(Op::Wide(op, false), terms.clone(), low),
        Term::of(Op::Wide(op, true), terms, high),
    ]
}

/// A float of a whole number.
pub(super) fn float(a: Term, signed: bool) -> Term {
    if signed && !a.range().is_positive() {
        return Term::Other;
    }
    Term::of(Op::Float, vec![a], Range::ANY)
}
