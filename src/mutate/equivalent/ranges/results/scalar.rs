//! What scalar instructions leave in registers.

use gfx906::isa::Role;
use gfx906::isa::uses::SCC;

use super::super::choose::{choice, comparison, pick};
use super::super::term::{Op, Term, and, difference, high, or, product, shift, sum, xor};
use super::super::value::Range;
use super::{Reading, field, held, wide_left};

impl Reading<'_> {
    /// Those of a scalar instruction.
    pub(super) fn scalar(&self, name: &str) -> Vec<(u16, Term)> {
        let to = self.written(0).0;
        let (a, b) = (self.source(Role::Src0), self.source(Role::Src1));
        let scc = held(SCC, self.state);
        let (x, y) = (a.range(), b.range());
        let nothing_over = u64::from(x.hi) + u64::from(y.hi) <= u64::from(u32::MAX);
        let known = |condition: bool, word: u32| {
            if condition {
                Term::Known(word)
            } else {
                Term::Other
            }
        };
        let or_not = |word: &Term| match word.range() {
            range if range.lo > 0 => Term::Known(1),
            range if range.hi == 0 => Term::Known(0),
            _ => comparison(Op::Another, word.clone(), Term::Known(0), Range::BIT),
        };
        let bits = |term: Term| vec![(SCC, or_not(&term)), (to, term)];
        let pairs = |one: fn(Term, Term) -> Term| {
            let [a, b] = [self.pair(Role::Src0), self.pair(Role::Src1)];
            let both: Vec<Term> = a.into_iter().zip(b).map(|(a, b)| one(a, b)).collect();
            let scc = match (both[0].range(), both[1].range()) {
                (low, high) if low.lo > 0 || high.lo > 0 => Term::Known(1),
                (low, high) if low.hi == 0 && high.hi == 0 => Term::Known(0),
                _ => Term::Other,
            };
            let mut all = vec![(SCC, scc)];
            all.extend((to..).zip(both));
            all
        };
        let small = x.hi < 1 << 30 && y.hi < 1 << 30;
        match name {
            "s_mov_b32" => vec![(to, a)],
            "s_mov_b64" => {
                let [low, high] = self.pair(Role::Src0);
                vec![(to, low), (to + 1, high)]
            }
            "s_movk_i32" => vec![(to, self.immediate(true))],
            "s_add_u32" => vec![(SCC, known(nothing_over, 0)), (to, sum(a, b))],
            "s_add_i32" => vec![(SCC, known(small, 0)), (to, sum(a, b))],
            "s_addk_i32" => vec![(to, sum(held(to, self.state), self.immediate(true)))],
            "s_mulk_i32" => vec![(to, product(held(to, self.state), self.immediate(true)))],
            "s_addc_u32" => {
                let over = x.hi as u64 + y.hi as u64 + u64::from(scc.range().hi);
                let term = sum(sum(a, b), scc);
                vec![(SCC, known(over <= u32::MAX.into(), 0)), (to, term)]
            }
            "s_sub_u32" => vec![(SCC, known(x.lo >= y.hi, 0)), (to, difference(a, b))],
            "s_sub_i32" => vec![(SCC, known(small, 0)), (to, difference(a, b))],
            "s_subb_u32" => {
                let enough = x.lo as u64 >= y.hi as u64 + u64::from(scc.range().hi);
                let term = difference(difference(a, b), scc);
                vec![(SCC, known(enough, 0)), (to, term)]
            }
            "s_mul_i32" => vec![(to, product(a, b))],
            "s_mul_hi_u32" => vec![(to, high(a, b, false))],
            "s_mul_hi_i32" => vec![(to, high(a, b, true))],
            "s_and_b32" => bits(and(a, b)),
            "s_or_b32" => bits(or(a, b)),
            "s_xor_b32" => bits(xor(a, b)),
            "s_and_b64" => pairs(and),
            "s_or_b64" => pairs(or),
            "s_xor_b64" => pairs(xor),
            "s_andn2_b64" => pairs(|a, b| match b.range().one() {
                Some(word) => and(a, Term::Known(!word)),
                None if a.range().hi == 0 => a,
                None => Term::Other,
            }),
            "s_lshl_b32" => bits(shift(Op::Left, a, b)),
            "s_lshr_b32" => bits(shift(Op::Right, a, b)),
            "s_ashr_i32" => bits(shift(Op::RightSigned, a, b)),
            "s_lshl_b64" => {
                let [low, high] = wide_left(self.pair(Role::Src0), b);
                vec![(to, low), (to + 1, high)]
            }
            "s_bfe_u32" => bits(field(a, b.clone(), shift(Op::Right, b, Term::Known(16)))),
            "s_abs_i32" if x.is_positive() => bits(a),
            "s_min_u32" => vec![(to, pick(Op::Least, a, b))],
            "s_max_u32" => vec![(to, pick(Op::Most, a, b))],
            "s_min_i32" => vec![(to, pick(Op::LeastSigned, a, b))],
            "s_max_i32" => vec![(to, pick(Op::MostSigned, a, b))],
            "s_cselect_b32" => vec![(to, chosen(a, b, &scc))],
            "s_cselect_b64" => {
                let [a, b] = [self.pair(Role::Src0), self.pair(Role::Src1)];
                let both = a.into_iter().zip(b);
                let both = both.map(|(a, b)| chosen(a, b, &scc));
                (to..).zip(both).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The first where SCC is set, else the second.
fn chosen(a: Term, b: Term, scc: &Term) -> Term {
    match scc.range().one() {
        Some(0) => b,
        Some(_) => a,
        None => choice(b, a, [scc.clone(), scc.clone()]),
    }
}
