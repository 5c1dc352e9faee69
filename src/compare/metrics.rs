//! Measures of the distance between an output and a reference.

use crate::report::model::{self, Metrics, Reference, WrongNumbers};
use crate::tensor::Axis;

use super::{OutputCase, OwnerOf};
use crate::tensor::{self, Element};

/// The reference values of an output, and the allowed distances.
pub(super) struct ReferenceLimits {
    /// Reference values.
    pub want: Vec<f64>,
    /// True if bits must be equal; the next three limits are then 0.
    pub exact: bool,
    /// Allowed places of the output's type, to which `want` is then rounded. The larger of the places and of the sum of the next two
    /// limits applies.
    pub ulp: u32,
    /// Absolute error allowed.
    pub absolute: f64,
    /// Error allowed in addition, as a share of the element's own reference value.
    pub relative: f64,
    /// Errors allowed to the output as a whole; none if there is no limit.
    pub whole: Option<WholeLimits>,
    /// True if 0 and -0 are equal under `exact`.
    pub zero_signs_equal: bool,
}

/// The RMS errors that an output is allowed as a whole.
pub(super) struct WholeLimits {
    /// RMS error as a share of the reference's RMS.
    pub relative: f64,
    /// RMS error that is allowed in any case.
    pub absolute: f64,
    /// Elements that may lie a place of the type off besides.
    pub places: u32,
}

/// Metrics and which elements are wrong.
pub(super) struct Measurement {
    pub metrics: Metrics,
    /// True if the RMS error is larger than allowed, or NaN.
    pub wrong_as_a_whole: bool,
    pub wrong: Vec<bool>,
}

impl ReferenceLimits {
    /// Returns the error that the element `at` is allowed.
    pub fn allowed<E: Element>(&self, at: usize, got: E) -> f64 {
        self.allowance(self.want[at], got)
    }

    /// Returns the error that `got` is allowed if `want` is right.
    pub fn allowance<E: Element>(&self, want: f64, got: E) -> f64 {
        if self.exact || !want.is_finite() {
            return self.absolute;
        }
        let limit = self.absolute + self.relative * want.abs();
        if self.ulp == 0 {
            limit
        } else {
            limit.max(places(want, got, self.ulp))
        }
    }

    /// Returns true if `got` is acceptable at `at`; false if an error is NaN.
    fn accepts<E: Element>(&self, at: usize, got: E, error: f64, allowed: f64) -> bool {
        if self.exact {
            let want = E::nearest(self.want[at]);
            let both_zero = got.to_f64() == 0.0 && want.to_f64() == 0.0;
            got.bits() == want.bits() || (self.zero_signs_equal && both_zero)
        } else {
            error <= allowed
        }
    }
}

/// Returns the distance from `want` to the value `count` places further towards `got`. Below a power of two values are
/// closer together than above it. If there is no finite value in this direction, the other direction is used.
fn places<E: Element>(want: f64, got: E, count: u32) -> f64 {
    let rank = E::nearest(want).rank();
    let count = i64::from(count);
    let count = if got.to_f64() > want { count } else { -count };
    let distance = |count: i64| (E::at_rank(rank.saturating_add(count)).to_f64() - want).abs();
    let there = distance(count);
    if there.is_finite() {
        there
    } else {
        distance(-count)
    }
}

/// Returns `|got - want|`. An infinity has no error if the reference, in the output's type, is the same infinity. NaN is always an
/// error.
pub(super) fn error<E: Element>(got: E, want: f64) -> f64 {
    let value = got.to_f64();
    if value.is_infinite() && E::nearest(want).bits() == got.bits() {
        0.0
    } else {
        (value - want).abs()
    }
}

/// Returns true if every element is acceptable.
pub(super) fn all_within<E: Element>(got: &[E], limits: &ReferenceLimits) -> bool {
    let mut pairs = got.iter().zip(&limits.want).enumerate();
    let within = |(at, (&got, &want)): (usize, (&E, &f64))| {
        limits.accepts(at, got, error(got, want), limits.allowed(at, got))
    };
    pairs.all(within)
}

/// Measures all of an output. `got` and the reference have the same length.
pub(super) fn measure<E: Element>(
    axes: &[Axis],
    got: &[E],
    limits: &ReferenceLimits,
    owner: Option<&OwnerOf<'_>>,
) -> Measurement {
    let mut max_abs = 0.0;
    let mut max_allowed: Option<f64> = None;
    let mut used = 0.0;
    let mut max_ulp = Some(0);
    let (mut squares, mut reference_squares) = (0.0, 0.0);
    let mut worst: Option<(usize, f64)> = None;
    let mut wrong = vec![false; got.len()];

    for (at, (&value, &want)) in got.iter().zip(&limits.want).enumerate() {
        let nearest = E::nearest(want);
        if nearest.to_f64().is_finite() {
            reference_squares += want * want;
        }
        let allowed = limits.allowed(at, value);
        // An exact element is the commonest case. Its error is 0, so the comparison is skipped.
        let same = value.to_f64() == want && value.bits() == nearest.bits();
        let error = if same { 0.0 } else { error(value, want) };
        let tie = error == max_abs && max_allowed.is_none_or(|most| allowed > most);
        if tie || exceeds(error, max_abs) {
            max_allowed = Some(allowed);
        }
        if !same {
            wrong[at] = !limits.accepts(at, value, error, allowed);
            max_abs = larger(max_abs, error);
            used = larger(used, share(error, allowed, wrong[at]));
            max_ulp = max_ulp.and_then(|most| ulps(value, nearest).map(|ulps| ulps.max(most)));
            squares += error * error;
        }
        // A wrong element may have no error, such as a zero of the wrong sign, and must still outrank right elements.
        let excess = if wrong[at] && error <= allowed {
            f64::MIN_POSITIVE
        } else {
            error - allowed
        };
        if worst.is_none_or(|(_, most)| exceeds(excess, most)) {
            worst = Some((at, excess));
        }
    }

    let mismatched = wrong.iter().filter(|&&bad| bad).count();
    let whole = limits.whole.as_ref();
    let allowed_squares = whole.map(|whole| whole.squares::<E>(&limits.want, reference_squares));
    let metrics = Metrics {
        max_abs,
        allowed: max_allowed.unwrap_or(f64::NAN),
        relative_rms: relative_rms(squares, reference_squares),
        rms_allowed: allowed_squares.map(|allowed| relative_rms(allowed, reference_squares)),
        max_ulp,
        mismatched,
        mismatched_share: mismatched as f64 / got.len().max(1) as f64,
        total: got.len(),
        used,
        worst: worst.map(|(at, _)| element(axes, got, limits, at, owner)),
    };
    Measurement {
        metrics,
        wrong_as_a_whole: allowed_squares.is_some_and(|allowed| exceeds(squares, allowed)),
        wrong,
    }
}

impl WholeLimits {
    /// Returns the sum of squared errors that is allowed. `reference_squares` is the sum of the squares of `want`.
    fn squares<E: Element>(&self, want: &[f64], reference_squares: f64) -> f64 {
        let relative = self.relative * self.relative * reference_squares;
        let absolute = self.absolute * self.absolute * want.len() as f64;
        let sizes = want.iter().map(|want| want.abs());
        let largest = sizes.filter(|size| size.is_finite()).fold(0.0, f64::max);
        let place = match self.places {
            0 => 0.0,
            _ => places(largest, E::nearest(f64::INFINITY), 1),
        };
        relative.max(absolute) + f64::from(self.places) * place * place
    }
}

/// Describes the wrong elements that are not `bad`, that is, numbers; none if there are none.
pub(super) fn besides<E: Element>(
    case: &OutputCase<'_, E>,
    limits: &ReferenceLimits,
    wrong: &[bool],
    bad: &[bool],
    against: Reference,
) -> Option<WrongNumbers> {
    let numbers: Vec<usize> = (0..bad.len()).filter(|&at| !bad[at]).collect();
    let part = |values: &mut dyn Iterator<Item = f64>| -> f64 {
        values
            .map(|value| value * value)
            .filter(|square| square.is_finite())
            .sum()
    };
    let error_at = |at: usize| error(case.got[at], limits.want[at]);
    let excess = |at: usize| error_at(at) - limits.allowed(at, case.got[at]);
    let others = || numbers.iter().copied().filter(|&at| wrong[at]);
    let worst = others().reduce(|most, next| match excess(next) > excess(most) {
        true => next,
        false => most,
    })?;
    let squares = part(&mut numbers.iter().map(|&at| error_at(at)));
    let reference_squares = part(&mut numbers.iter().map(|&at| limits.want[at]));
    Some(WrongNumbers {
        against,
        count: others().count(),
        worst: element(case.axes, case.got, limits, worst, case.owner),
        max_abs: others().map(error_at).fold(0.0, f64::max),
        relative_rms: relative_rms(squares, reference_squares),
    })
}

/// Returns one element as reports show it.
pub(super) fn element<E: Element>(
    axes: &[Axis],
    got: &[E],
    limits: &ReferenceLimits,
    at: usize,
    owner: Option<&OwnerOf<'_>>,
) -> model::Element {
    let index = tensor::index(axes, at);
    model::Element {
        got: got[at].to_f64(),
        want: limits.want[at],
        allowed: limits.allowed(at, got[at]),
        owner: owner.and_then(|owner| owner(&index)),
        index,
    }
}

/// Returns the larger number; NaN is larger than every number.
fn larger(most: f64, next: f64) -> f64 {
    if most.is_nan() || next <= most {
        most
    } else {
        next
    }
}

/// Returns true if `next` is greater than `most`; NaN is greater than every number.
fn exceeds(next: f64, most: f64) -> bool {
    !most.is_nan() && (next.is_nan() || next > most)
}

pub(super) fn share(error: f64, allowed: f64, wrong: bool) -> f64 {
    if error.is_nan() {
        f64::NAN
    } else if allowed == 0.0 {
        if wrong { f64::INFINITY } else { 0.0 }
    } else {
        error / allowed
    }
}

fn ulps<E: Element>(got: E, want: E) -> Option<u64> {
    if got.to_f64().is_nan() || want.to_f64().is_nan() {
        return None;
    }
    Some(got.rank().abs_diff(want.rank()))
}

fn relative_rms(squares: f64, reference_squares: f64) -> f64 {
    if squares == 0.0 {
        0.0
    } else {
        (squares / reference_squares).sqrt()
    }
}

#[cfg(test)]
mod tests;
