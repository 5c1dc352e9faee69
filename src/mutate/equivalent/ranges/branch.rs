//! What branches, and the comparisons before them, say.

use gfx906::isa::uses::SCC;
use gfx906::isa::{Code, Inst};

use super::choose::compared;
use super::results::relation;
use super::state::{State, Value};
use super::term::{Op, Term};
use super::value::Range;

/// Whether a branch is taken: none where it depends.
pub(super) fn taken(name: &str, state: &State) -> Option<bool> {
    let scc = state.get(SCC).range().one();
    let vcc = [0, 1].map(|more| state.get(Code::VCC.0 + more).range());
    let is_exec = |half| state.get(Code::VCC.0 + half) == Value::Lanes(half);
    let no_vcc = match vcc {
        _ if is_exec(0) && is_exec(1) && state.lanes.has_some() => Some(false),
        [low, high] if low.hi == 0 && high.hi == 0 => Some(true),
        [low, high] if low.lo > 0 || high.lo > 0 => Some(false),
        _ => None,
    };
    match name {
        "s_cbranch_scc0" => scc.map(|scc| scc == 0),
        "s_cbranch_scc1" => scc.map(|scc| scc != 0),
        "s_cbranch_vccz" => no_vcc,
        "s_cbranch_vccnz" => no_vcc.map(|none| !none),
        "s_cbranch_execz" if state.lanes.has_none() => Some(true),
        "s_cbranch_execnz" if state.lanes.has_none() => Some(false),
        "s_cbranch_execz" => state.lanes.has_some().then_some(false),
        "s_cbranch_execnz" => state.lanes.has_some().then_some(true),
        _ => None,
    }
}

/// What is known where a comparison of scalars said this; none where it never does.
pub(super) fn refined(state: &State, compare: &Inst, holds: bool) -> Option<State> {
    let Some((op, a, b)) = relation(compare, state) else {
        return Some(state.clone());
    };
    let (op, told) = compared(op, &a, &b, state);
    if told == Some(!holds) {
        return None;
    }
    let (mut x, mut y) = (a.range(), b.range());
    let least = |range: Range, lo: u32| {
        Range::between(u64::from(range.lo.max(lo)), range.hi.max(lo).into()).of_bits(range.maybe)
    };
    let most = |range: Range, hi: u32| {
        Range::between(range.lo.min(hi).into(), range.hi.min(hi).into()).of_bits(range.maybe)
    };
    // a < b, or b <= a.
    match (op, holds) {
        (Op::Less, true) => {
            (x, y) = (
                most(x, y.hi.saturating_sub(1)),
                least(y, x.lo.saturating_add(1)),
            )
        }
        (Op::Less, false) => (x, y) = (least(x, y.lo), most(y, x.hi)),
        (Op::LessOrSame, true) => (x, y) = (most(x, y.hi), least(y, x.lo)),
        (Op::LessOrSame, false) => {
            (x, y) = (
                least(x, y.lo.saturating_add(1)),
                most(y, x.hi.saturating_sub(1)),
            )
        }
        (Op::Another, true) | (Op::Same, false) if b == Term::Known(0) => x = least(x, 1),
        (Op::Same, true) | (Op::Another, false) => match (x.one(), y.one()) {
            (_, Some(_)) => x = y,
            (Some(_), _) => y = x,
            _ => {}
        },
        _ => {}
    }
    let mut state = state.clone();
    for (term, range) in [(a, x), (b, y)] {
        if let Term::Register(number, _) = term {
            state.refine(number, range);
        }
    }
    Some(state)
}
