//! The profile of a case's launches.

use std::sync::Arc;

use gfx906::code_object::Lines;
use serde::Serialize;

use super::card::Card;
use super::launch::{LaunchProfile, profile};
use super::model::{Assumptions, Interval};
use crate::device::{LaunchCosts, Ledger, Watch};
use crate::program::Program;
use crate::trial::{Plan, not_passed};

/// A reason why there is no profile.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// A kernel is not in a code object.
    #[error("{0} is not in {1}")]
    NoKernel(String, String),
    /// A case did not pass, so that its costs mean nothing: the case, the reason and the command that runs it again.
    #[error("{0} did not pass and is not profiled: {1}; `{2}` says more")]
    NotPassed(String, String, String),
}

/// The profile of a case, or of a launch file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CaseProfile {
    /// The id that `--test` takes, or the launch file.
    pub id: String,
    /// The parameters of the case; none for a launch file.
    pub shape: Option<String>,
    /// Seconds of all launches, one after another, each with its overhead.
    pub seconds: f64,
    /// The sums of the launches' ends: all launches are off in the same direction.
    pub between: Interval,
    /// Seconds of the overhead.
    pub overhead: f64,
    /// The launches, in order.
    pub launches: Vec<LaunchProfile>,
}

impl CaseProfile {
    fn new(id: String, shape: Option<String>, launches: Vec<LaunchProfile>) -> CaseProfile {
        let models = || launches.iter().map(|launch| &launch.model);
        CaseProfile {
            id,
            shape,
            seconds: models().map(|model| model.seconds).sum(),
            between: [0, 1].map(|end| models().map(|model| model.between[end]).sum()),
            overhead: models().map(|model| model.terms.overhead).sum(),
            launches,
        }
    }
}

/// Makes the ledger that receives costs, for a card.
pub fn ledger(card: &Card) -> Arc<Ledger> {
    Arc::new(Ledger::new(card.latencies()))
}

/// Makes the profile of a case from the costs of its launches.
///
/// # Errors
/// A kernel is not in the code object.
pub fn profile_launches(
    assumptions: &Assumptions,
    program: &Program,
    id: String,
    shape: Option<String>,
    charged: &[LaunchCosts],
) -> Result<CaseProfile, ProfileError> {
    let lines = Lines::read(&program.bytes);
    let launches: Result<Vec<LaunchProfile>, ProfileError> = charged
        .iter()
        .map(|one| {
            let kernel = program.object.kernel(&one.kernel).ok_or_else(|| {
                let path = program.report.path.clone();
                ProfileError::NoKernel(one.kernel.clone(), path)
            })?;
            Ok(profile(assumptions, one, kernel, lines.as_ref()))
        })
        .collect();
    Ok(CaseProfile::new(id, shape, launches?))
}

/// Joins the launches of several profiles into one profile.
pub fn join(id: String, parts: impl IntoIterator<Item = CaseProfile>) -> CaseProfile {
    let launches = parts.into_iter().flat_map(|part| part.launches).collect();
    CaseProfile::new(id, None, launches)
}

/// Runs a case, and profiles its launches. The plan's own observers are replaced.
///
/// # Errors
/// The trial did not pass: the cost of a wrong kernel means nothing.
pub fn profile_case(
    assumptions: &Assumptions,
    plan: &Plan<'_>,
) -> Result<CaseProfile, ProfileError> {
    let ledger = ledger(&assumptions.card);
    let watch = Watch::costs(&ledger);
    let finished = Plan {
        watch: &watch,
        ..*plan
    }
    .run();
    let id = &plan.case.id;
    if let Some(why) = not_passed(&finished) {
        let rerun = finished.report.rerun;
        return Err(ProfileError::NotPassed(id.clone(), why, rerun));
    }
    let shape = Some(plan.case.values.to_string());
    profile_launches(assumptions, plan.program, id.clone(), shape, &ledger.take())
}
