//! Parallel execution of trials and other work.

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

use super::plan::{FinishedTrial, Plan};

/// Returns the default number of parallel trials.
pub fn default_jobs() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Runs every plan, `jobs` at a time, and passes each plan's progress to `told`, with the plan's position.
pub fn run_all(plans: &[Plan<'_>], jobs: usize, told: impl FnMut(usize, Progress)) {
    run_until(plans, jobs, |_| false, told);
}

/// Runs plans, `jobs` at a time, until `stops` is true for a finished trial. Trials that run by then are finished, and no other begins.
pub fn run_until(
    plans: &[Plan<'_>],
    jobs: usize,
    stops: impl Fn(&FinishedTrial) -> bool + Sync,
    told: impl FnMut(usize, Progress),
) {
    let stopped = AtomicBool::new(false);
    let run = |plan: &Plan<'_>, tell: &mut dyn FnMut(Progress)| {
        if stopped.load(Ordering::SeqCst) {
            return;
        }
        tell(Progress::Started);
        let finished = plan.run();
        if stops(&finished) {
            stopped.store(true, Ordering::SeqCst);
        }
        tell(Progress::Finished(Box::new(finished)));
    };
    each(plans, jobs, run, told);
}

/// Does every piece of work, `jobs` at a time, and passes the messages of each to `told`, with its position.
///
/// `told` is called on the calling thread. The messages do not depend on `jobs`, only their times do.
pub fn each<T: Sync, N: Send>(
    pieces: &[T],
    jobs: usize,
    work: impl Fn(&T, &mut dyn FnMut(N)) + Sync,
    mut told: impl FnMut(usize, N),
) {
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    if jobs > 1 {
        // Late phases have the long trials, which must not be left for the end.
        order.reverse();
    }
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel();
    let (order, next, work) = (&order, &next, &work);
    let take = || order.get(next.fetch_add(1, Ordering::Relaxed)).copied();
    // No thread works before all have started: the C library ends the process if a thread starts while others use up the
    // last of the host's memory.
    gfx906::machine::start_threads();
    let gate = Mutex::new(());
    let (here, arrived) = mpsc::channel();
    let gate = &gate;
    thread::scope(|scope| {
        let closed = gate.lock();
        let mut started = 0;
        for _ in 0..jobs.clamp(1, pieces.len().max(1)) {
            let (send, here) = (send.clone(), here.clone());
            let worker = move || {
                gfx906::machine::start_threads();
                let _ = here.send(());
                drop(gate.lock().unwrap_or_else(PoisonError::into_inner));
                while let Some(at) = take() {
                    // The receiver outlives the scope, so that the send succeeds.
                    work(&pieces[at], &mut |news| {
                        let _ = send.send((at, news));
                    });
                }
            };
            // The host may refuse more threads where memory is short. The threads that exist then do all the work.
            if !gfx906::allocation::has_room_for_threads(1)
                || thread::Builder::new().spawn_scoped(scope, worker).is_err()
            {
                break;
            }
            started += 1;
            let _ = arrived.recv();
        }
        drop(closed);
        drop(send);
        while let Some(at) = (started == 0).then(take).flatten() {
            work(&pieces[at], &mut |news| told(at, news));
        }
        for (at, news) in receive {
            told(at, news);
        }
    });
}

/// News of a trial.
pub enum Progress {
    /// The trial has started.
    Started,
    /// The trial has its verdict.
    Finished(Box<FinishedTrial>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_is_done_once_and_told_of_in_its_own_order() {
        for (pieces, jobs) in [(0, 3), (1, 4), (100, 1), (100, 3), (5, 200)] {
            let pieces: Vec<usize> = (0..pieces).collect();
            let mut told: Vec<Vec<usize>> = vec![Vec::new(); pieces.len()];
            let work = |piece: &usize, tell: &mut dyn FnMut(usize)| {
                tell(piece * piece);
                tell(piece + 1);
            };
            each(&pieces, jobs, work, |at, news| told[at].push(news));
            let want: Vec<Vec<usize>> = pieces
                .iter()
                .map(|piece| vec![piece * piece, piece + 1])
                .collect();
            assert_eq!(told, want, "{jobs} at a time");
        }
    }
}
