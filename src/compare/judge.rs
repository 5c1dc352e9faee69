//! The judgement of one output: poison, NaN and infinities, golden reference, oracle, relative RMS, in this order.
//!
//! The output must agree with both references. With a tolerance above 0 it must be within the tolerance of the golden reference and of
//! the f64 oracle (`|got as f64 - oracle|`). With a tolerance of 0 it must equal the golden reference bit for bit, and lie within the
//! ceiling of the oracle, which is first rounded to the output's type. A tolerance in places of the output's type counts from both
//! references rounded to that type.

mod unusable;

use std::borrow::Cow;

use crate::report::model::{FirstBad, OutputReport, Owner, Problem, Reference, Tolerance, Verdict};
use crate::tensor::Axis;

use super::hypotheses::{self, Alternative};
use super::metrics::{self, Measurement, ReferenceLimits, WholeLimits};
use super::unwritten::sources;
use super::{damage, pattern};
use crate::tensor::{self, Element, poison};

pub use unusable::Unusable;

/// A function that returns the work-item that computes the element at an index, if it is known.
pub type OwnerOf<'a> = dyn Fn(&[usize]) -> Option<Owner> + 'a;

/// An input of the trial, for the check against echoes.
#[derive(Clone, Copy, Debug)]
pub struct NamedInput<'a, E> {
    /// The input's name.
    pub name: &'a str,
    /// The input's values, in the output's type.
    pub values: &'a [E],
    /// True if the input has another type on the device. An output that equals the input is then a conversion, not an
    /// echo.
    pub converted: bool,
}

/// The inputs to the judgement of one output.
#[derive(Clone, Copy)]
pub struct OutputCase<'a, E> {
    /// The output's name.
    pub name: &'a str,
    /// The output's axes, outermost first.
    pub axes: &'a [Axis],
    /// The output's tolerance.
    pub tolerance: &'a Tolerance,
    /// Values that the device left.
    pub got: &'a [E],
    /// The reference in the kernel's type and order of operations.
    pub golden: &'a [E],
    /// The formula in f64.
    pub oracle: &'a [f64],
    /// The trial's inputs. An output that equals one of them is an echo and must not pass.
    pub inputs: &'a [NamedInput<'a, E>],
    /// Wrong results of known mistakes, which may explain a difference; none if nobody reads an explanation.
    pub alternatives: Option<&'a [Alternative<'a>]>,
    /// The mapping from elements to work-items, if the binding declares it.
    pub owner: Option<&'a OwnerOf<'a>>,
}

/// The limits of one output, computed once and shared by all comparisons against its references.
pub struct OutputLimits {
    golden: ReferenceLimits,
    oracle: ReferenceLimits,
}

impl OutputLimits {
    /// Computes the limits from references and tolerance; `case.got` has no influence.
    ///
    /// # Errors
    /// The references cannot be used for a comparison.
    pub fn of<E: Element>(case: &OutputCase<'_, E>) -> Result<OutputLimits, Unusable> {
        unusable::check(case)?;
        Ok(OutputLimits {
            golden: golden_limits(case),
            oracle: oracle_limits(case),
        })
    }
}

/// Judges one output.
///
/// # Errors
/// The output cannot be judged: the harness is at fault, not the kernel.
pub fn judge_output<E: Element>(case: &OutputCase<'_, E>) -> Result<OutputReport, Unusable> {
    judge_by(case, &OutputLimits::of(case)?)
}

/// Judges an output by limits that were computed from its references and tolerance.
///
/// # Errors
/// The output's length differs from the references'.
pub fn judge_by<E: Element>(
    case: &OutputCase<'_, E>,
    limits: &OutputLimits,
) -> Result<OutputReport, Unusable> {
    unusable::check_length(case)?;
    let (golden_limits, oracle_limits) = (&limits.golden, &limits.oracle);
    let golden = metrics::measure(case.axes, case.got, golden_limits, case.owner);
    let oracle = metrics::measure(case.axes, case.got, oracle_limits, case.owner);

    let problem = poison_left(case, &golden)
        .or_else(|| non_finite(case, (golden_limits, &golden), (oracle_limits, &oracle)))
        .or_else(|| mismatch(case, Reference::Golden, golden_limits, &golden))
        .or_else(|| mismatch(case, Reference::Oracle, oracle_limits, &oracle))
        .or_else(|| relative_rms(Reference::Golden, &golden))
        .or_else(|| relative_rms(Reference::Oracle, &oracle));

    let damage = problem.as_ref().map(|problem| {
        let (limits, measured) = match against(problem) {
            Reference::Golden => (golden_limits, &golden),
            Reference::Oracle => (oracle_limits, &oracle),
        };
        damage::damage(case, limits, &measured.wrong, against(problem))
    });

    Ok(OutputReport {
        name: case.name.to_string(),
        element: E::KIND.name().to_string(),
        axes: case.axes.to_vec(),
        tolerance: case.tolerance.clone(),
        golden: golden.metrics,
        oracle: oracle.metrics,
        verdict: if problem.is_none() {
            Verdict::Pass
        } else {
            Verdict::Fail
        },
        problem,
        damage,
    })
}

/// Returns the error that each element is allowed against the oracle, and whether the element is wrong against either reference.
pub fn compare_elements<E: Element>(
    case: &OutputCase<'_, E>,
    limits: &OutputLimits,
) -> (Vec<f64>, Vec<bool>) {
    let [golden, oracle] = [&limits.golden, &limits.oracle]
        .map(|limits| metrics::measure(case.axes, case.got, limits, None).wrong);
    let got = case.got.iter().enumerate();
    let allowed = got.map(|(at, &got)| limits.oracle.allowed(at, got));
    let wrong = golden.iter().zip(&oracle);
    (
        allowed.collect(),
        wrong.map(|(&golden, &oracle)| golden || oracle).collect(),
    )
}

/// Returns the reference by which an output has failed.
fn against(problem: &Problem) -> Reference {
    match problem {
        Problem::Mismatch { against, .. } | Problem::RelativeRms { against, .. } => *against,
        Problem::NonFinite { besides, .. } => besides
            .as_ref()
            .map_or(Reference::Golden, |besides| besides.against),
        _ => Reference::Golden,
    }
}

/// Returns the candidate outputs that would pass in place of `case.got`. Most candidates fail at their first element, so
/// this is much faster than a full judgement.
pub(super) fn passing<'c, E: Element>(
    case: &OutputCase<'_, E>,
    limits: &OutputLimits,
    candidates: &'c [(String, Cow<'c, [E]>)],
) -> Vec<&'c str> {
    let limits = [&limits.golden, &limits.oracle];
    let passes = |got: &[E]| {
        // Poison, NaN and wrong infinities are mismatches too.
        let within = |limits: &&ReferenceLimits| metrics::all_within(got, limits);
        let near = |limits: &&ReferenceLimits| {
            limits.whole.is_none()
                || !metrics::measure(case.axes, got, limits, None).wrong_as_a_whole
        };
        limits.iter().all(within) && limits.iter().all(near)
    };
    let same_length = candidates
        .iter()
        .filter(|(_, got)| got.len() == case.golden.len());
    let passing = same_length.filter(|(_, got)| passes(got));
    passing.map(|(name, _)| name.as_str()).collect()
}

fn golden_limits<E: Element>(case: &OutputCase<'_, E>) -> ReferenceLimits {
    ReferenceLimits {
        want: case.golden.iter().map(|value| value.to_f64()).collect(),
        exact: case.tolerance.is_exact(),
        ulp: case.tolerance.ulp.unwrap_or(0),
        absolute: case.tolerance.absolute * scale(case),
        relative: case.tolerance.relative,
        whole: whole_limits(case.tolerance),
        zero_signs_equal: case.tolerance.zero_signs_equal,
    }
}

/// Returns the factor on the absolute tolerance.
fn scale<E>(case: &OutputCase<'_, E>) -> f64 {
    if !case.tolerance.scaled {
        return 1.0;
    }
    let sizes = case.oracle.iter().map(|want| want.abs());
    sizes.filter(|size| size.is_finite()).fold(1.0, f64::max)
}

fn oracle_limits<E: Element>(case: &OutputCase<'_, E>) -> ReferenceLimits {
    let tolerance = case.tolerance;
    let exact = tolerance.is_exact();
    let want = if exact || tolerance.ulp.is_some() {
        let rounded = |&value: &f64| E::nearest(value).to_f64();
        case.oracle.iter().map(rounded).collect()
    } else {
        case.oracle.to_vec()
    };
    ReferenceLimits {
        want,
        exact: false,
        ulp: tolerance.ulp.unwrap_or(0),
        absolute: if exact {
            tolerance.ceiling
        } else {
            tolerance.absolute * scale(case)
        },
        relative: tolerance.relative,
        whole: whole_limits(tolerance),
        zero_signs_equal: true,
    }
}

/// Elements that may lie a place of a type of few digits off without use of the RMS error. Right results seldom do.
const PLACES: u32 = 2;

fn whole_limits(tolerance: &Tolerance) -> Option<WholeLimits> {
    Some(WholeLimits {
        relative: tolerance.relative_rms?,
        absolute: tolerance.absolute_rms,
        places: tolerance.ulp.map_or(0, |_| PLACES),
    })
}

fn poison_left<E: Element>(case: &OutputCase<'_, E>, golden: &Measurement) -> Option<Problem> {
    // A right integer of one or two bytes may have the bits of the poison.
    let may_be_right = E::KIND.size() <= 2 && !E::KIND.is_float();
    let is_left =
        |(&value, &wrong): (&E, &bool)| poison::is_left(value) && (wrong || !may_be_right);
    let left: Vec<bool> = case.got.iter().zip(&golden.wrong).map(is_left).collect();
    let first = left.iter().position(|&left| left)?;
    let index = tensor::index(case.axes, first);
    let wrong_besides = golden
        .wrong
        .iter()
        .zip(&left)
        .filter(|&(&wrong, &left)| wrong && !left)
        .count();
    // Wrong bytes that are not the poison show that this is another mistake.
    if may_be_right && wrong_besides > 0 {
        return None;
    }
    Some(Problem::PoisonLeft {
        count: left.iter().filter(|&&left| left).count(),
        total: left.len(),
        wrong_besides,
        owner: case.owner.and_then(|owner| owner(&index)),
        index,
        pattern: pattern(case.axes, &left),
    })
}

fn non_finite<E: Element>(
    case: &OutputCase<'_, E>,
    golden: (&ReferenceLimits, &Measurement),
    oracle: (&ReferenceLimits, &Measurement),
) -> Option<Problem> {
    let is_nan = |value: E| value.to_f64().is_nan();
    let wrong_inf = |value: E, want: E| value.to_f64().is_infinite() && value.bits() != want.bits();
    let is_bad = |(&value, &want): (&E, &E)| is_nan(value) || wrong_inf(value, want);
    let pairs = || case.got.iter().zip(case.golden);
    let first = pairs().position(is_bad)?;
    let bad: Vec<bool> = pairs().map(is_bad).collect();
    let nan = case.got.iter().filter(|&&value| is_nan(value)).count();
    let unwritten = sources(case.got, &bad);
    let of = |against, (limits, measured): (&ReferenceLimits, &Measurement)| {
        metrics::besides(case, limits, &measured.wrong, &bad, against)
    };
    let besides = of(Reference::Golden, golden).or_else(|| of(Reference::Oracle, oracle));
    let (limits, measured) = match &besides {
        Some(besides) if besides.against == Reference::Oracle => oracle,
        _ => golden,
    };
    Some(Problem::NonFinite {
        nan,
        inf: bad.iter().filter(|&&bad| bad).count() - nan,
        from_poison: unwritten.iter().map(|unwritten| unwritten.count).sum(),
        unwritten,
        total: bad.len(),
        first: metrics::element(case.axes, case.got, golden.0, first, case.owner),
        besides,
        pattern: pattern(case.axes, &measured.wrong),
        hypotheses: hypotheses::explain(case, limits, &measured.wrong),
    })
}

fn mismatch<E: Element>(
    case: &OutputCase<'_, E>,
    against: Reference,
    limits: &ReferenceLimits,
    measured: &Measurement,
) -> Option<Problem> {
    let Measurement { metrics, wrong, .. } = measured;
    if metrics.mismatched == 0 {
        return None;
    }
    Some(Problem::Mismatch {
        against,
        count: metrics.mismatched,
        total: metrics.total,
        worst: metrics.worst.clone()?,
        first_bad: first_bad(case.axes, wrong),
        pattern: pattern(case.axes, wrong),
        unwritten: sources(case.got, wrong),
        hypotheses: hypotheses::explain(case, limits, wrong),
    })
}

/// Returns the first index with a wrong element along the axis that is computed in order.
fn first_bad(axes: &[Axis], wrong: &[bool]) -> Option<FirstBad> {
    let ordered = ["chunk", "token", "row"];
    let at = ordered
        .iter()
        .find_map(|name| axes.iter().position(|axis| axis.name == *name))?;
    let stride = tensor::strides(axes)[at];
    let bad = wrong.iter().enumerate().filter(|&(_, &wrong)| wrong);
    let index = bad.map(|(flat, _)| flat / stride % axes[at].length).min()?;
    Some(FirstBad {
        axis: axes[at].name.clone(),
        index,
    })
}

fn relative_rms(against: Reference, measured: &Measurement) -> Option<Problem> {
    measured.wrong_as_a_whole.then_some(Problem::RelativeRms {
        against,
        found: measured.metrics.relative_rms,
        allowed: measured.metrics.rms_allowed?,
    })
}

#[cfg(test)]
mod places;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
