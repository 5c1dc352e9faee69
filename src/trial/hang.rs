//! The last writers of the addresses that a hanging kernel polls, found by a second run.

use std::sync::PoisonError;

use gfx906::machine::{Poll, Spin, Trap};
use gfx906::observe::Writers;

use super::Plan;
use crate::device::{DeviceError, Limits, Watch};

/// Wave instructions of a launch of the second run. A wait that begins later has no writers.
const BUDGET: u64 = 1 << 20;

/// Adds to the error of a hang which work-items wrote last where the kernel waits. The addresses are known only after a run, so the trial
/// runs a second time, and tells the writers if it comes to wait at the same place.
pub(super) fn add_writers(plan: &Plan<'_>, limits: Limits, error: &mut DeviceError) {
    let Some(trap) = error.trap.as_deref_mut() else {
        return;
    };
    let Some(spin) = trap.spin.as_deref().filter(|spin| !spin.polls.is_empty()) else {
        return;
    };
    if !plan.hypotheses || plan.device.isolation().is_some() {
        return;
    }
    let (watch, writers) = Watch::writers(Writers::new(spin, trap.work_group));
    let again = Plan {
        watch: &watch,
        dump: None,
        ..*plan
    };
    let budget = limits.instructions.unwrap_or(BUDGET).min(BUDGET);
    let Err((_, second)) = again.launch(limits.of_instructions(budget)) else {
        return;
    };
    if !second.trap.is_some_and(|second| is_same(trap, &second)) {
        return;
    }
    let told = trap.to_string();
    if let Some(spin) = &mut trap.spin {
        let writers = writers.lock().unwrap_or_else(PoisonError::into_inner);
        writers.give(&mut spin.polls);
    }
    error.message = error.message.replacen(&told, &trap.to_string(), 1);
}

/// Returns true if two traps wait at the same places.
fn is_same(first: &Trap, second: &Trap) -> bool {
    let places = |trap: &Trap| -> Vec<(u64, u64, u64)> {
        let polls = |spin: &Spin| -> Vec<(u64, u64, u64)> {
            let place = |poll: &Poll| (poll.pc, poll.lanes, poll.address);
            spin.polls.iter().map(place).collect()
        };
        trap.spin.as_deref().map(polls).unwrap_or_default()
    };
    // Another group may be the one that uses the budget up.
    first.kernel == second.kernel && places(first) == places(second)
}
