//! What vector instructions leave in registers, in lanes that are on.

use gfx906::isa::Role;

use super::super::choose::{carry, choice, pick};
use super::super::state::Value;
use super::super::term::{
    Op, Term, Wide, and, difference, float, high, or, product, shift, sum, wide, xor,
};
use super::super::value::Range;
use super::{Reading, field, wide_left};

impl Reading<'_> {
    /// Those of a vector instruction.
    pub(super) fn vector(&self, name: &str) -> Vec<(u16, Term)> {
        let to = self.written(0).0;
        let (a, b) = (self.source(Role::Src0), self.source(Role::Src1));
        let c = || self.source(Role::Src2);
        let (x, y) = (a.range(), b.range());
        let lane_of = |code: &Term| code.range().one().map(|lane| (lane & 63) as u8);
        let within = |bits: u32| x.hi >> bits == 0 && y.hi >> bits == 0;
        let both = |term: Term, over: bool| {
            let mask = self.written(1).0;
            let over = || if over { Term::Other } else { Term::Known(0) };
            vec![(to, term), (mask, over()), (mask + 1, over())]
        };
        let one = |term: Term| vec![(to, term)];
        let carry_in = || carry(self.mask());
        match name {
            "v_mov_b32" => one(a),
            "v_add_u32" => one(sum(a, b)),
            "v_sub_u32" => one(difference(a, b)),
            "v_subrev_u32" => one(difference(b, a)),
            "v_add_co_u32" => {
                let over = x.hi as u64 + y.hi as u64 > u32::MAX.into();
                both(sum(a, b), over)
            }
            "v_sub_co_u32" => both(difference(a, b), x.lo < y.hi),
            "v_subrev_co_u32" => both(difference(b, a), y.lo < x.hi),
            "v_addc_co_u32" => {
                let more = carry_in();
                let over = x.hi as u64 + y.hi as u64 + u64::from(more.range().hi);
                both(sum(sum(a, b), more), over > u32::MAX.into())
            }
            "v_subb_co_u32" => {
                let less = carry_in();
                let enough = x.lo as u64 >= y.hi as u64 + u64::from(less.range().hi);
                both(difference(difference(a, b), less), !enough)
            }
            "v_mul_lo_u32" => one(product(a, b)),
            "v_mul_hi_u32" => one(high(a, b, false)),
            "v_mul_hi_i32" => one(high(a, b, true)),
            "v_mul_u32_u24" if within(24) => one(product(a, b)),
            "v_mul_i32_i24" if within(23) => one(product(a, b)),
            "v_mad_u32_u24" if within(24) => one(sum(product(a, b), c())),
            "v_mad_i32_i24" if within(23) => one(sum(product(a, b), c())),
            "v_mad_u64_u32" => {
                let [low, high] = self.pair(Role::Src2);
                let (l, h) = (low.range(), high.range());
                let bound = |x: u32, y: u32, l: u32, h: u32| {
                    let more = u64::from(h) << 32 | u64::from(l);
                    (u64::from(x) * u64::from(y)).checked_add(more)
                };
                let bounds =
                    |h: Range| bound(x.lo, y.lo, l.lo, h.lo).zip(bound(x.hi, y.hi, l.hi, h.hi));
                let whole = bounds(h);
                // The low word is the same whatever the high one of the sum is.
                let [low_word, _] = wide(
                    Wide::ProductSum,
                    vec![a.clone(), b.clone(), low.clone()],
                    bounds(Range::only(0)),
                );
                let [_, high_word] = wide(Wide::ProductSum, vec![a, b, low, high], whole);
                let mask = self.written(1).0;
                let over = || {
                    if whole.is_some() {
                        Term::Known(0)
                    } else {
                        Term::Other
                    }
                };
                vec![
                    (to, low_word),
                    (to + 1, high_word),
                    (mask, over()),
                    (mask + 1, over()),
                ]
            }
            "v_and_b32" => one(and(a, b)),
            "v_or_b32" => one(or(a, b)),
            "v_xor_b32" => one(xor(a, b)),
            "v_lshlrev_b32" => one(shift(Op::Left, b, a)),
            "v_lshrrev_b32" => one(shift(Op::Right, b, a)),
            "v_ashrrev_i32" => one(shift(Op::RightSigned, b, a)),
            "v_lshlrev_b64" => {
                let [low, high] = wide_left(self.pair(Role::Src1), a);
                vec![(to, low), (to + 1, high)]
            }
            "v_lshl_add_u32" => one(sum(shift(Op::Left, a, b), c())),
            "v_add_lshl_u32" => one(shift(Op::Left, sum(a, b), c())),
            "v_add3_u32" => one(sum(sum(a, b), c())),
            "v_lshl_or_b32" => one(or(shift(Op::Left, a, b), c())),
            "v_and_or_b32" => one(or(and(a, b), c())),
            "v_or3_b32" => one(or(or(a, b), c())),
            "v_bfe_u32" => one(field(a, b, c())),
            "v_min_u32" => one(pick(Op::Least, a, b)),
            "v_max_u32" => one(pick(Op::Most, a, b)),
            "v_min_i32" => one(pick(Op::LeastSigned, a, b)),
            "v_max_i32" => one(pick(Op::MostSigned, a, b)),
            "v_cvt_f32_u32" => one(float(a, false)),
            "v_cvt_f32_i32" => one(float(a, true)),
            "v_cndmask_b32" => one(choice(a, b, self.mask())),
            // Lanes below this one: at most half of them each.
            "v_mbcnt_lo_u32_b32" => one(more(b, 32)),
            "v_mbcnt_hi_u32_b32" => one(more(b, 31)),
            "v_readlane_b32" => {
                let value = match self.inst.by_role(Role::Src0).as_vgpr() {
                    Some(vgpr) => self.state.lane(vgpr, lane_of(&b)),
                    None => Value::ANY,
                };
                one(bounded(value.range()))
            }
            "v_readfirstlane_b32" => match self.inst.by_role(Role::Src0).as_vgpr() {
                Some(vgpr) => one(bounded(self.state.lanes.anywhere(vgpr).range())),
                None => Vec::new(),
            },
            _ => Vec::new(),
        }
    }
}

/// What is not followed, within bounds.
fn bounded(range: Range) -> Term {
    match range.one() {
        Some(word) => Term::Known(word),
        None => Term::Of(Op::Sum, vec![Term::Other], range),
    }
}

/// A word and at most so much more.
fn more(term: Term, most: u32) -> Term {
    let range = term.range();
    bounded(Range::between(
        range.lo.into(),
        u64::from(range.hi) + u64::from(most),
    ))
}
