//! Instruction limits of a user's kernels: many times the instructions of the built-in kernels in the same case.
//!
//! A kernel that never ends would otherwise cost the whole budget of a launch, a billion instructions. Most kernels end
//! within a small budget, so the built-in kernels of a case run only for kernels that exceed it.

use gfx906::machine::Trap;

use super::plan::Plan;
use super::{Bound, Launching, Trial};
use crate::device::{DeviceError, DeviceErrorKind, Limits, NOTHING};

/// Wave instructions up to which a launch needs no comparison with the built-in kernels.
const FIRST: u64 = 1 << 22;

/// The factor on the instructions of the built-in kernels, and the constant that is added. Unoptimised builds of the built-in kernels need up to
/// 224 times as many instructions, and simple kernels without optimisation some thousand times as many.
const TIMES: u64 = 8192;
const MORE: u64 = 100_000;

/// Wave instructions beyond which the factor is smaller, so that a hang is found in a few seconds, and the smallest factor.
const MUCH: u64 = 1 << 28;
const FEWEST_TIMES: u64 = 1024;

/// A trial up to where its outputs can be read, or up to the error that stopped it, with the limits that it was given.
pub(super) type Attempt<'a> = (
    Limits,
    Result<Trial<'a>, (Option<Box<Trial<'a>>>, DeviceError)>,
);

/// Runs the launches of a trial within limits derived from the built-in kernels, if there are any.
pub(super) fn run<'a>(plan: &'a Plan<'a>) -> Attempt<'a> {
    run_within(plan, FIRST, derived)
}

/// Runs the launches within a first budget, and if that is used up within one that is derived from the built-in kernels' largest launch. A
/// kernel that goes on after that is slow and does not hang: it has the plan's own budget.
fn run_within<'a>(plan: &'a Plan<'a>, first: u64, derived: fn(u64) -> u64) -> Attempt<'a> {
    // A second attempt would write the trace twice, and no built-in kernel computes a custom contract.
    let twin = plan
        .twin
        .filter(|_| plan.watch.trace.is_none() && !plan.test.function.is_custom());
    let Some(twin) = twin else {
        return (plan.limits, plan.launch(plan.limits));
    };
    let first = plan.limits.of_instructions(first);
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
            let most = plan.limits.instructions.unwrap_or(u64::MAX);
            plan.limits.of_instructions(derived(largest).min(most))
        }
        None => plan.limits,
    };
    let (limits, mut done) = match limits.instructions > first.instructions {
        true => (limits, plan.launch(limits)),
        false => (first, done),
    };
    if limits != plan.limits && has_ended(&done) {
        return (plan.limits, plan.launch(plan.limits));
    }
    if limits == first {
        return (first, done);
    }
    if let (Err((_, error)), Some(largest)) = (&mut done, largest)
        && error.kind == DeviceErrorKind::Hang
    {
        error.message += &format!(
            "\n  budget      {} times the {largest} wave instructions of the built-in kernels' largest launch, and {MORE}, at most that of \
             a test; `--budget` says otherwise",
            times(largest)
        );
    }
    (limits, done)
}

/// Returns the factor on the instructions of the built-in kernels' largest launch.
fn times(largest: u64) -> u64 {
    (MUCH / largest.max(1)).clamp(FEWEST_TIMES, TIMES)
}

/// Returns the limit that follows from the instructions of the built-in kernels' largest launch.
fn derived(largest: u64) -> u64 {
    times(largest).saturating_mul(largest).saturating_add(MORE)
}

/// Returns true if the work-group that ran when a budget was used up ended soon after: the kernel is slow, and does not hang there.
fn has_ended(done: &Result<Trial<'_>, (Option<Box<Trial<'_>>>, DeviceError)>) -> bool {
    let trap = match done {
        Err((_, error)) => error.trap.as_deref(),
        Ok(_) => None,
    };
    trap.is_some_and(Trap::has_ended)
}

/// Returns limits for the second run of a law, which may have more tokens than the first run.
pub(super) fn second_run_limits(plan: &Plan<'_>, limits: Limits, first: &Trial<'_>) -> Limits {
    let launches = first.launches.iter();
    let counts = launches.filter_map(|launch| launch.report.wave_instructions);
    let (Some(largest), Some(allowed)) = (counts.max(), limits.instructions) else {
        return limits;
    };
    let derived = derived(largest);
    let most = plan.limits.instructions.unwrap_or(u64::MAX);
    limits.of_instructions(allowed.max(derived.min(most)))
}

#[cfg(test)]
mod tests;
