//! Instruction limits of a user's kernels: many times the instructions of the built-in kernels in the same case.
//!
//! A kernel that never ends would otherwise cost the whole budget of a launch, a billion instructions. Most kernels end
//! within a small budget, so the built-in kernels of a case run only for kernels that exceed it.

use super::plan::Plan;
use super::{Bound, Launching, Trial};
use crate::device::{DeviceError, DeviceErrorKind, Limits, NOTHING};

/// Wave instructions up to which a launch needs no comparison with the built-in kernels.
const FIRST: u64 = 1 << 22;

/// The factor on the instructions of the built-in kernels, and the constant that is added. Unoptimised builds of the
/// built-in kernels need up to 224 times as many instructions.
const TIMES: u64 = 1024;
const MORE: u64 = 100_000;

/// A trial up to where its outputs can be read, or up to the error that stopped it, with the limits that it was given.
pub(super) type Attempt<'a> = (
    Limits,
    Result<Trial<'a>, (Option<Box<Trial<'a>>>, DeviceError)>,
);

/// Runs the launches of a trial within limits derived from the built-in kernels, if there are any.
pub(super) fn run<'a>(plan: &'a Plan<'a>) -> Attempt<'a> {
    // A second attempt would write the trace twice, and no built-in kernel computes a custom contract.
    let twin = plan
        .twin
        .filter(|_| plan.watch.trace.is_none() && !plan.test.function.is_custom());
    let Some(twin) = twin else {
        return (plan.limits, plan.launch(plan.limits));
    };
    let first = plan.limits.of_instructions(FIRST);
    let done = plan.launch(first);
    if !matches!(&done, Err((_, error)) if error.kind == DeviceErrorKind::Hang) {
        return (first, done);
    }
    let Ok(bound) = Bound::built_in(plan.test.function) else {
        return (first, done);
    };
    let twin_plan = Plan {
        program: twin,
        launching: Launching::Enabled,
        twin: None,
        bound,
        watch: &NOTHING,
        dump: None,
        ..*plan
    };
    let largest = twin_plan.launch(plan.limits).ok().and_then(|trial| {
        let launches = trial.launches.iter();
        launches
            .filter_map(|launch| launch.report.wave_instructions)
            .max()
    });
    let limits = match largest {
        Some(largest) => {
            let derived = TIMES.saturating_mul(largest).saturating_add(MORE);
            let most = plan.limits.instructions.unwrap_or(u64::MAX);
            plan.limits.of_instructions(derived.min(most))
        }
        None => plan.limits,
    };
    if limits.instructions <= first.instructions {
        return (first, done);
    }
    let mut done = plan.launch(limits);
    if let (Err((_, error)), Some(largest)) = (&mut done, largest)
        && error.kind == DeviceErrorKind::Hang
    {
        error.message += &format!(
            "\n  budget      {TIMES} times the {largest} wave instructions of the built-in kernels' largest launch, and {MORE}, at most \
             that of a test; `--budget` says otherwise"
        );
    }
    (limits, done)
}

/// Returns limits for the second run of a law, which may have more tokens than the first run.
pub(super) fn second_run_limits(plan: &Plan<'_>, limits: Limits, first: &Trial<'_>) -> Limits {
    let launches = first.launches.iter();
    let counts = launches.filter_map(|launch| launch.report.wave_instructions);
    let (Some(largest), Some(allowed)) = (counts.max(), limits.instructions) else {
        return limits;
    };
    let derived = TIMES.saturating_mul(largest).saturating_add(MORE);
    let most = plan.limits.instructions.unwrap_or(u64::MAX);
    limits.of_instructions(allowed.max(derived.min(most)))
}

#[cfg(test)]
mod tests;
