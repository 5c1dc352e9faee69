//! Work given to streams, and waiting for it.

use std::cell::OnceCell;
use std::sync::Arc;

use super::{capture, work};
use crate::boundary::Address;
use crate::error::{HipError, Outcome};
use crate::objects::graph::What;
use crate::objects::work::Work;
use crate::queue::{LaneId, NULL, Submission, Ticket};
use crate::runtime::{heard, may_wait, state, streams};
use crate::settings;

/// The null stream's other name.
const LEGACY: Address = 1;
/// The stream of the calling thread.
pub const PER_THREAD: Address = 2;

/// A thread's own lane, which goes with it.
struct Own(LaneId);

impl Drop for Own {
    fn drop(&mut self) {
        streams().retire(self.0);
    }
}

thread_local! {
    static OWN: OnceCell<Own> = const { OnceCell::new() };
}

/// The stream that a function means which has the calling thread's own for the null stream.
pub fn own(stream: Address) -> Address {
    match stream {
        0 => PER_THREAD,
        made => made,
    }
}

/// Whether a stream is one that the program did not make.
pub fn is_built_in(stream: Address) -> bool {
    stream <= PER_THREAD
}

/// Where a stream's work waits. HIP takes a stream that it does not know for one of a context that is gone.
pub fn lane(stream: Address) -> Outcome<LaneId> {
    match stream {
        0 | LEGACY => Ok(NULL),
        PER_THREAD => Ok(OWN.with(|own| own.get_or_init(|| Own(streams().add(true))).0)),
        _ => {
            let known = state().streams.get(stream).map(|stream| stream.lane);
            known.ok_or(HipError::ContextIsDestroyed)
        }
    }
}

/// Checks a stream handle.
pub fn check(stream: Address) -> Outcome {
    lane(stream).map(drop)
}

/// Whether what a stream is given becomes a node of a graph.
pub fn is_captured(stream: Address) -> Outcome<bool> {
    Ok(capture::of(lane(stream)?)?.is_some())
}

/// Gives work to a stream, or makes it a node where the stream is being captured. With `GFX906_SYNC=1` it is done on return, and an
/// error is its own.
pub fn submit(stream: Address, work: Work) -> Outcome {
    let lane = lane(stream)?;
    if let Some(id) = capture::of(lane)? {
        return capture::add(id, lane, What::Work(work));
    }
    if settings::SYNC.is_on() {
        return at_once(&work);
    }
    submit_all(lane, vec![job(work)]).map(drop)
}

/// Work for a worker, whose error is for the next call that waits.
pub fn job(work: Work) -> Submission {
    Submission::of(move || work::run_unheard(&work))
}

/// Appends tasks to a lane; their tickets.
pub fn submit_all(lane: LaneId, tasks: Vec<Submission>) -> Outcome<Vec<Arc<Ticket>>> {
    let tickets = streams().submit(lane, tasks);
    tickets.ok_or(HipError::Deinitialized)
}

/// Does work when its turn in a stream has come, and what came before has not failed.
pub fn submit_and_wait(stream: Address, work: &Work) -> Outcome {
    let lane = lane(stream)?;
    capture::allow_unsafe()?;
    capture::refuse_wait(lane)?;
    may_wait()?;
    let done = streams().here(lane, Vec::new(), || {
        heard()?;
        work::run(work)
    });
    let outcome = done.unwrap_or(Err(HipError::Deinitialized));
    stick(outcome)
}

/// One after the other over all streams and threads, on the calling thread.
pub fn at_once(work: &Work) -> Outcome {
    if let Work::Host(_) = work {
        // What the program's function calls must find its turn.
        streams().here(NULL, Vec::new(), || ());
        return work::run(work);
    }
    let done = streams().here(NULL, Vec::new(), || work::run(work));
    stick(done.unwrap_or(Err(HipError::Deinitialized)))
}

/// An error that the caller hears of at once; a kernel's stays.
fn stick(outcome: Outcome) -> Outcome {
    if outcome == Err(HipError::LaunchFailure) {
        state().failure = Some(HipError::LaunchFailure);
    }
    outcome
}

/// A ticket for the end of all that a lane has been given, and of others.
pub fn mark(lane: LaneId, after: Vec<Arc<Ticket>>) -> Outcome<Arc<Ticket>> {
    let tickets = streams().submit(lane, vec![Submission::after(after)]);
    let last = tickets.and_then(|mut tickets| tickets.pop());
    last.ok_or(HipError::Deinitialized)
}

/// Waits for tickets; the error of what they stand for, or of any other work.
pub fn wait(tickets: &[Arc<Ticket>]) -> Outcome {
    if !tickets.iter().all(|ticket| ticket.is_done()) {
        may_wait()?;
        streams().wait(tickets);
    }
    heard()
}

/// That tickets stand for ends: not yet, or any error.
pub fn ask(tickets: &[Arc<Ticket>]) -> Outcome {
    if !tickets.iter().all(|ticket| ticket.is_done()) {
        return Err(HipError::NotReady);
    }
    heard()
}
