//! Comparisons, and what is chosen by them.

use gfx906::isa::Code;

use super::state::State;
use super::term::{Op, Term, ranges, sorted};
use super::value::Range;

/// Whether the first stands to the second as an operation says: none where it depends.
pub(super) fn compared(op: Op, a: &Term, b: &Term, state: &State) -> (Op, Option<bool>) {
    let (x, y) = ranges(a, b);
    let positive = x.is_positive() && y.is_positive();
    let op = match op {
        Op::LessSigned if positive => Op::Less,
        Op::LessOrSameSigned if positive => Op::LessOrSame,
        op => op,
    };
    let never_same = x.hi < y.lo
        || y.hi < x.lo
        || x.one().is_some_and(|word| !y.has(word))
        || y.one().is_some_and(|word| !x.has(word))
        || state.less(a, b)
        || state.less(b, a);
    let op = match op {
        Op::LessOrSame if never_same => Op::Less,
        Op::LessOrSameSigned if never_same => Op::LessSigned,
        op => op,
    };
    let signed = |range: Range| {
        let one_sign = range.is_positive() || range.lo >= 1 << 31;
        one_sign.then_some((range.lo as i32, range.hi as i32))
    };
    let told = match op {
        _ if a.is_same(b) => Some(matches!(
            op,
            Op::LessOrSame | Op::LessOrSameSigned | Op::Same
        )),
        Op::Less if x.hi < y.lo => Some(true),
        Op::Less if x.lo >= y.hi => Some(false),
        Op::LessOrSame if x.hi <= y.lo => Some(true),
        Op::LessOrSame if x.lo > y.hi => Some(false),
        Op::LessSigned | Op::LessOrSameSigned => match (signed(x), signed(y)) {
            (Some(x), Some(y)) if x.1 < y.0 => Some(true),
            (Some(x), Some(y)) if x.0 > y.1 => Some(false),
            (Some(x), Some(y)) if op == Op::LessSigned && x.0 >= y.1 => Some(false),
            (Some(x), Some(y)) if op == Op::LessOrSameSigned && x.1 <= y.0 => Some(true),
            _ => None,
        },
        Op::Less | Op::LessOrSame if state.less(a, b) => Some(true),
        Op::Less | Op::LessOrSame if state.less(b, a) => Some(false),
        Op::Same if never_same => Some(false),
        Op::Another if never_same => Some(true),
        Op::Same | Op::Another => match (x.one(), y.one()) {
            (Some(x), Some(y)) => Some((x == y) == (op == Op::Same)),
            _ => None,
        },
        _ => None,
    };
    (op, told)
}

/// A bit of a comparison that depends: its terms in an order of their own where that says nothing.
pub(super) fn comparison(op: Op, a: Term, b: Term, range: Range) -> Term {
    let terms = match op {
        Op::Same | Op::Another => sorted(vec![a, b]),
        _ => vec![a, b],
    };
    Term::of(op, terms, range)
}

/// The least or the most of two.
pub(super) fn pick(op: Op, a: Term, b: Term) -> Term {
    let (x, y) = ranges(&a, &b);
    let op = match op {
        Op::LeastSigned if x.is_positive() && y.is_positive() => Op::Least,
        Op::MostSigned if x.is_positive() && y.is_positive() => Op::Most,
        op => op,
    };
    match op {
        Op::Least if x.hi <= y.lo => return a,
        Op::Least if y.hi <= x.lo => return b,
        Op::Most if x.lo >= y.hi => return a,
        Op::Most if y.lo >= x.hi => return b,
        _ => {}
    }
    let range = match op {
        Op::Least => Range::between(x.lo.min(y.lo).into(), x.hi.min(y.hi).into()),
        Op::Most => Range::between(x.lo.max(y.lo).into(), x.hi.max(y.hi).into()),
        _ => Range::ANY,
    };
    Term::of(op, sorted(vec![a, b]), range)
}

/// The first, or where a mask is set the second.
pub(super) fn choice(a: Term, b: Term, mask: [Term; 2]) -> Term {
    if a.is_same(&b) || mask.iter().all(|half| half.is(0)) {
        return a;
    }
    let exec = |(half, term): (u16, &Term)| matches!(term, Term::Register(of, _) if *of == Code::EXEC.0 + half);
    if (0..).zip(&mask).all(exec) {
        return b;
    }
    let range = a.range().or(b.range());
    let [low, high] = mask;
    Term::of(Op::Choice, vec![a, b, low, high], range)
}

/// 1 where a mask is set.
pub(super) fn carry(mask: [Term; 2]) -> Term {
    if mask.iter().all(|half| half.is(0)) {
        return Term::Known(0);
    }
    Term::of(Op::Carry, mask.into(), Range::BIT)
}
