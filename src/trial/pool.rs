//! Trials side by side.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use super::plan::{Finished, Plan};

/// How many trials run at once if nobody says.
pub fn default_jobs() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Runs every plan, `jobs` at a time, and hands each to `done` as it finishes, with its position.
///
/// `started` and `done` are called on the calling thread. The results do not depend on `jobs`.
pub fn run_all(plans: &[Plan<'_>], jobs: usize, mut done: impl FnMut(usize, Progress)) {
    let mut order: Vec<usize> = (0..plans.len()).collect();
    if jobs > 1 {
        // Late phases are the long ones: beginning with them leaves no long one for the end.
        order.reverse();
    }
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel();
    let (order, next) = (&order, &next);
    let take = || order.get(next.fetch_add(1, Ordering::Relaxed)).copied();
    thread::scope(|scope| {
        let mut started = 0;
        for _ in 0..jobs.clamp(1, plans.len().max(1)) {
            let send = send.clone();
            let work = move || {
                while let Some(position) = take() {
                    // The receiver outlives the scope, and nobody is hurt by a message that is not read.
                    let _ = send.send((position, Progress::Started));
                    let _ = send.send((position, Progress::of(&plans[position])));
                }
            };
            // The host may refuse more threads where memory is short: those that there are do it all.
            if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
            started += 1;
        }
        drop(send);
        while let Some(position) = (started == 0).then(take).flatten() {
            done(position, Progress::Started);
            done(position, Progress::of(&plans[position]));
        }
        for (position, progress) in receive {
            done(position, progress);
        }
    });
}

/// News of a trial.
pub enum Progress {
    /// It runs.
    Started,
    /// It has its verdict.
    Finished(Box<Finished>),
}

impl Progress {
    /// Runs a plan.
    fn of(plan: &Plan<'_>) -> Progress {
        Progress::Finished(Box::new(plan.run()))
    }
}
