//! The laws of a contract, checked on a trial: the kernels run on other inputs, and their outputs are compared with those of the trial.

mod declared;

use std::sync::Arc;

use super::plan::Plan;
use super::{DeviceResult, Trial, judge, twin};
use crate::contract::relation::{
    Array, Claim, Closeness, Law, LawViolation, Misfit, Relation, RunArrays, Step, TwoRunLaw,
    allowances, second,
};
use crate::contract::{Case, Check, Instance, PreparedCase, Values};
use crate::device::{DeviceError, DeviceErrorKind, Limits, NOTHING};
use crate::report::model::{Problem, RelationReport, Verdict};
use crate::tensor::ElementKind;

pub use declared::{LawMistake, law_mistake};

/// The result of checking a law, and the problem of the second run's guards or inputs, if there is one.
type LawCheck = DeviceResult<(RelationReport, Option<Problem>)>;

impl<'a> Plan<'a> {
    /// Checks every law of the contract on a finished run.
    ///
    /// # Errors
    /// A second run failed. The message names the law.
    pub(super) fn check_laws(
        &self,
        limits: Limits,
        first: &Trial<'_>,
        images: &[Vec<u8>],
    ) -> DeviceResult<(Vec<RelationReport>, Option<Problem>)> {
        let limits = twin::second_run_limits(self, limits, first);
        let mut reports = Vec::new();
        let mut problem = None;
        let inputs = first.prepared.starts();
        let outputs = self.output_arrays(first, images);
        let seen = RunArrays {
            inputs: &inputs,
            outputs: &outputs,
        };
        let relations = self.test.function.domain.relations.iter();
        for relation in relations.filter(|relation| (relation.applies)(&self.case.values)) {
            let (report, wrong) = self
                .check_law(relation, limits, first, seen)
                .map_err(|error| with_law_name(relation, error))?;
            reports.push(report);
            problem = problem.or(wrong);
        }
        Ok((reports, problem))
    }

    fn check_law(
        &self,
        relation: &'static Relation,
        limits: Limits,
        first: &Trial<'_>,
        seen: RunArrays<'_>,
    ) -> LawCheck {
        match &relation.law {
            Law::OneRun(law) => {
                let values = &self.case.values;
                let report = match law(values, &seen) {
                    Some(claims) => conclude(relation, &claims, Closeness::Tolerance),
                    None => skip(relation, "the binding leaves a tensor out"),
                };
                Ok((report, None))
            }
            Law::TwoRuns(twice) => self.check_two_runs(relation, twice, limits, first, seen),
        }
    }

    /// Makes the second run of a law, and compares.
    fn check_two_runs(
        &self,
        relation: &'static Relation,
        twice: &TwoRunLaw,
        limits: Limits,
        first: &Trial<'_>,
        seen: RunArrays<'_>,
    ) -> LawCheck {
        let mut problem = None;
        let mut refused = false;
        let mut run = |case: Option<Values>, inputs: &[Array]| {
            let other = case.map(|values| Case {
                id: self.case.id.clone(),
                values,
            });
            let plan = self.second_plan(other.as_ref().unwrap_or(self.case));
            let tensors = match &other {
                None => second(&first.prepared, inputs),
                Some(case) => second(&*plan.prepare_case(case)?, inputs),
            };
            let tensors = tensors.map_err(harness_error)?;
            let launched = plan.launch_prepared(limits, Arc::new(tensors));
            let mut trial = launched.map_err(|(_, error)| {
                // The kernels may refuse the sizes of the second run.
                refused = other.is_some() && is_refusal(error.kind);
                error
            })?;
            let left = judge::read_outputs(&mut trial)?;
            problem = left.problem;
            Ok(plan.output_arrays(&trial, &left.outputs))
        };
        match claims_of_two_runs(twice, &self.case.values, seen, &mut run) {
            Ok(claims) => Ok((conclude(relation, &claims, twice.closeness), problem)),
            Err(error) if refused => Ok((skip(relation, &error.message), None)),
            Err(error) => Err(error),
        }
    }

    /// Returns the plan of a law's second run, at the case of that run.
    fn second_plan<'b>(&self, case: &'b Case) -> Plan<'b>
    where
        'a: 'b,
    {
        Plan {
            case,
            // Observers watch the trial, and not the second run.
            watch: &NOTHING,
            dump: None,
            shared: None,
            ..*self
        }
    }

    /// Prepares the tensors of a case of other sizes.
    fn prepare_case(&self, case: &Case) -> DeviceResult<Arc<PreparedCase>> {
        let function = self.test.function;
        if let Some(refusal) = function.refuses(&case.values) {
            return Err(DeviceError::invalid(refusal.title));
        }
        let binding = self.bound.binding;
        let kinds = |name: &str| -> Option<ElementKind> { binding.kind(name) };
        Instance::make(function, (&case.id, &case.values), self.seed, None, &kinds).map(Arc::new)
    }

    /// Returns the outputs of a run with the allowed error of each element.
    fn output_arrays(&self, trial: &Trial<'_>, images: &[Vec<u8>]) -> Vec<Array> {
        let array = |(check, image): (&Check, &Vec<u8>)| {
            let kind = trial.tensor(check.buffer.tensor).kind;
            let chunks = image.chunks_exact(kind.size());
            let values: Vec<f64> = chunks.map(|bytes| kind.value(bytes)).collect();
            let tolerance = judge::tolerance(self.test, check).ok()?;
            let tolerance = trial.bound_tolerance(check, &tolerance);
            Some(Array {
                name: check.name.clone(),
                axes: check.axes.clone(),
                kind,
                allowed: allowances(kind, &tolerance, &values),
                values,
            })
        };
        let checks = trial.prepared.checks.iter();
        checks.zip(images).filter_map(array).collect()
    }
}

/// A function that computes the outputs of inputs, at another case if one is given.
type SecondRun<'a> = dyn FnMut(Option<Values>, &[Array]) -> DeviceResult<Vec<Array>> + 'a;

/// Makes the second run of a law, and the run between if there is one. Returns the law's equations.
fn claims_of_two_runs(
    twice: &TwoRunLaw,
    values: &Values,
    seen: RunArrays<'_>,
    run: &mut SecondRun<'_>,
) -> DeviceResult<Vec<Claim>> {
    let mut outputs = seen.outputs.to_vec();
    if let Some(steps) = twice.between {
        let inputs = derive(steps, values, [seen.inputs, &outputs]);
        let between = run(None, &inputs)?.into_iter();
        outputs.extend(between.map(|array| Array {
            name: format!("{}'", array.name),
            ..array
        }));
    }
    let inputs = derive(twice.inputs, values, [seen.inputs, &outputs]);
    let mut got = run(twice.case.map(|case| case(values)), &inputs)?;
    apply(twice.seen, values, &mut got);
    let want = derive(twice.outputs, values, [&outputs, seen.inputs]);
    let want = want.into_iter().take(seen.outputs.len());
    let claim = |right: Array| {
        let left = got.iter().find(|array| array.name == right.name)?;
        // The errors of both sides add up.
        let both = right.allowed.iter().zip(&left.allowed);
        let allowed = both.map(|(right, left)| right + left).collect();
        Some(Claim {
            left: left.values.clone(),
            right: Array { allowed, ..right },
        })
    };
    Ok(want.filter_map(claim).collect())
}

fn apply(steps: &[Step], case: &Values, arrays: &mut [Array]) {
    steps.iter().for_each(|step| step.apply(case, arrays));
}

/// Applies steps to tensors `of`; the steps also see the tensors `with`.
fn derive(steps: &[Step], case: &Values, [of, with]: [&[Array]; 2]) -> Vec<Array> {
    let mut arrays = [of, with].concat();
    apply(steps, case, &mut arrays);
    arrays
}

fn harness_error(misfit: Misfit) -> DeviceError {
    DeviceError::of(DeviceErrorKind::Harness, misfit)
}

/// Returns true if an error means that a binding does not take a case.
fn is_refusal(kind: DeviceErrorKind) -> bool {
    matches!(kind, DeviceErrorKind::Arguments | DeviceErrorKind::Invalid)
}

fn with_law_name(relation: &Relation, error: DeviceError) -> DeviceError {
    let text = format!("relation `{}`: {}", relation.name, error.message);
    DeviceError::of(error.kind, text)
}

fn conclude(relation: &Relation, claims: &[Claim], closeness: Closeness) -> RelationReport {
    let broken = claims.iter().find_map(|claim| {
        let violation = crate::contract::relation::judge(&claim.left, &claim.right, closeness)?;
        let damage = violation.damage.clone();
        Some((broken_law(relation, claim, violation), damage))
    });
    let verdict = match (&broken, claims.is_empty()) {
        (Some(_), _) => Verdict::Fail,
        (None, true) => Verdict::Skip,
        (None, false) => Verdict::Pass,
    };
    let (problem, damage) = broken.unzip();
    RelationReport {
        name: relation.name.into(),
        verdict,
        reason: claims.is_empty().then(|| "it claims nothing here".into()),
        problem,
        damage,
    }
}

fn broken_law(relation: &Relation, claim: &Claim, violation: LawViolation) -> Problem {
    Problem::RelationBroken {
        relation: relation.name.into(),
        says: relation.says.into(),
        output: claim.right.name.clone(),
        element: claim.right.kind.name().into(),
        runs: match relation.law {
            Law::TwoRuns(_) => 2,
            Law::OneRun(_) => 1,
        },
        count: violation.count,
        total: violation.total,
        axes: claim.right.axes.clone(),
        worst: violation.worst,
        pattern: violation.pattern,
    }
}

fn skip(relation: &Relation, reason: &str) -> RelationReport {
    RelationReport {
        name: relation.name.into(),
        verdict: Verdict::Skip,
        reason: Some(reason.lines().next().unwrap_or_default().into()),
        problem: None,
        damage: None,
    }
}
