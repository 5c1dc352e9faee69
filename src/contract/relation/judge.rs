//! Judgement of a law: both sides must be as close as the law requires.

use super::{Array, Closeness};
use crate::compare::{ReferenceComparison, pattern};
use crate::report::model::{Damage, Element};
use crate::tensor::{Element as _, ElementKind, index, with_element};

/// A broken law.
#[derive(Clone, Debug, PartialEq)]
pub struct LawViolation {
    /// Elements that are further apart than allowed.
    pub count: usize,
    /// The number of elements compared.
    pub total: usize,
    /// The worst of them by excess.
    pub worst: Element,
    /// The pattern of their positions, if there is one.
    pub pattern: Option<String>,
    /// The positions and errors of the elements that break the law.
    pub damage: Damage,
}

/// Compares both sides of a law. Returns none if the law holds.
pub fn judge(left: &[f64], right: &Array, closeness: Closeness) -> Option<LawViolation> {
    let nearest = |want: f64| with_element!(right.kind, E => E::nearest(want).to_f64());
    let sizes = right.values.iter().map(|value| nearest(*value).abs());
    let largest = sizes.filter(|size| size.is_finite()).fold(0.0, f64::max);
    let tolerance = |at: usize| right.allowed.get(at).copied().unwrap_or(0.0);
    let allowed = |at: usize| match closeness {
        Closeness::Bits if may_underflow(right, at, largest) => {
            tolerance(at).max(underflow(right.kind))
        }
        Closeness::Bits => underflow(right.kind),
        Closeness::Tolerance => tolerance(at),
    };
    let rounded = |want: f64| match closeness {
        Closeness::Tolerance if nearest(want).is_finite() => want,
        // Values beyond the type's range become infinities.
        Closeness::Tolerance | Closeness::Bits => nearest(want),
    };
    let total = left.len().max(right.values.len());
    let value = |values: &[f64], at: usize| values.get(at).copied();
    let excess = |at: usize| match (value(left, at), value(&right.values, at)) {
        (Some(got), Some(want)) => excess(got, rounded(want), allowed(at)),
        _ => Some(f64::INFINITY),
    };
    let wrong: Vec<Option<f64>> = (0..total).map(excess).collect();
    let found = wrong.iter().enumerate();
    let found = found.filter_map(|(at, excess)| Some((at, (*excess)?)));
    let (at, _) = found.reduce(|most, next| if next.1 > most.1 { next } else { most })?;
    let bad: Vec<bool> = wrong.iter().map(Option::is_some).collect();
    let got = |at: usize| value(left, at).unwrap_or(f64::NAN);
    let want = |at: usize| value(&right.values, at).map_or(f64::NAN, rounded);
    let comparison = ReferenceComparison {
        axes: &right.axes,
        wrong: &bad,
        got: &got,
        want: &want,
        allowed: &allowed,
        error: &|at| match (got(at), want(at)) {
            (got, want) if got == want => 0.0,
            // NaN on both sides breaks nothing.
            _ if !bad[at] && got(at).is_nan() => 0.0,
            (got, want) => (got - want).abs(),
        },
    };
    Some(LawViolation {
        count: bad.iter().filter(|bad| **bad).count(),
        total,
        worst: Element {
            index: index(&right.axes, at),
            got: got(at),
            want: want(at),
            allowed: allowed(at),
            owner: None,
        },
        pattern: pattern(&right.axes, &bad),
        damage: comparison.damage(),
    })
}

/// Returns the excess of an element's error, if the error is too large. NaN on both sides is left to the references.
fn excess(got: f64, want: f64, allowed: f64) -> Option<f64> {
    let same = got == want || (got.is_nan() && want.is_nan());
    let unknown = allowed.is_nan() || allowed == f64::INFINITY;
    if same || unknown || (got - want).abs() <= allowed {
        return None;
    }
    let over = (got - want).abs() - allowed;
    Some(if over.is_nan() { f64::INFINITY } else { over })
}

/// Part of an output's largest element below which a factor of the element may have been subnormal.
const FADED: f64 = 1.0 / (1u128 << 64) as f64;
/// Roundoff of f16.
const ROUNDOFF_OF_HALF: f64 = 1.0 / (1 << 11) as f64;

/// Returns true if a right kernel may compute an element from subnormal numbers, so that twice the inputs need not be exactly twice the
/// element: it is far smaller than others, as after many decays, or the tolerance of an f32 output is that of arithmetic in f16, whose range
/// is small.
fn may_underflow(right: &Array, at: usize, largest: f64) -> bool {
    let (value, allowed) = (right.values.get(at), right.allowed.get(at));
    let faded = value.is_some_and(|value| value.abs() < FADED * largest);
    let in_half = allowed.is_some_and(|allowed| *allowed >= ROUNDOFF_OF_HALF * largest.max(1.0));
    faded || right.kind == ElementKind::F32 && in_half
}

/// Returns the magnitude below which rounding to subnormal numbers, of intermediate results too, may show: 2^30 of the
/// smallest f32, four of the smallest f16.
fn underflow(kind: ElementKind) -> f64 {
    match kind {
        ElementKind::F64 | ElementKind::F32 | ElementKind::Bf16 => 2f64.powi(-119),
        ElementKind::F16 => 2f64.powi(-22),
        _ => 0.0,
    }
}
