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
    thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, plans.len().max(1)) {
            let send = send.clone();
            let (order, next) = (&order, &next);
            scope.spawn(move || {
                while let Some(&position) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                    // The receiver outlives the scope, and nobody is hurt by a message that is not read.
                    let _ = send.send((position, Progress::Started));
                    let _ = send.send((
                        position,
                        Progress::Finished(Box::new(plans[position].run())),
                    ));
                }
            });
        }
        drop(send);
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
