//! Submission of work to streams, and waiting for it.

use std::cell::OnceCell;
use std::sync::Arc;

use super::{capture, work};
use crate::boundary::Address;
use crate::error::{HipError, HipResult};
use crate::objects::graph::NodeAction;
use crate::objects::work::Work;
use crate::queue::{LaneId, NULL, Submission, Ticket};
use crate::runtime::{may_wait, state, streams, take_fault};
use crate::settings;

/// Second handle of the null stream.
const LEGACY: Address = 1;
/// Handle for the stream of the calling thread.
pub const PER_THREAD: Address = 2;

/// Lane of a thread, which is retired when the thread ends.
struct ThreadLane(LaneId);

impl Drop for ThreadLane {
    fn drop(&mut self) {
        streams().retire(self.0);
    }
}

thread_local! {
    static OWN: OnceCell<ThreadLane> = const { OnceCell::new() };
}

/// Returns the calling thread's own stream in place of the null stream.
pub fn own_stream(stream: Address) -> Address {
    match stream {
        0 => PER_THREAD,
        made => made,
    }
}

/// Returns true for streams that the program did not create.
pub fn is_built_in(stream: Address) -> bool {
    stream <= PER_THREAD
}

/// Returns the lane of a stream. HIP reports an unknown stream as one of a destroyed context.
pub fn lane(stream: Address) -> HipResult<LaneId> {
    match stream {
        0 | LEGACY => Ok(NULL),
        PER_THREAD => Ok(OWN.with(|own| own.get_or_init(|| ThreadLane(streams().add(true))).0)),
        _ => {
            let lane = state().streams.get(stream).map(|stream| stream.lane);
            lane.ok_or(HipError::ContextIsDestroyed)
        }
    }
}

/// Checks a stream handle.
pub fn check(stream: Address) -> HipResult {
    lane(stream).map(drop)
}

/// Returns true if work for a stream becomes a node of a graph.
pub fn is_captured(stream: Address) -> HipResult<bool> {
    Ok(capture::find_by_lane(lane(stream)?)?.is_some())
}

/// Submits work to a stream, or adds a node if the stream is being captured. With `GFX906_SYNC=1` the work is done when the call returns,
/// and the call returns the work's error.
pub fn submit(stream: Address, work: Work) -> HipResult {
    let lane = lane(stream)?;
    if let Some(id) = capture::find_by_lane(lane)? {
        return capture::add(id, lane, NodeAction::Work(work));
    }
    if settings::SYNC.is_on() {
        return at_once(&work);
    }
    submit_all(lane, vec![job(work)]).map(drop)
}

/// Returns work for a worker thread. Its error goes to the next call that waits.
pub fn job(work: Work) -> Submission {
    Submission::from_job(move || work::run_unheard(&work))
}

/// Appends tasks to a lane and returns their tickets.
pub fn submit_all(lane: LaneId, tasks: Vec<Submission>) -> HipResult<Vec<Arc<Ticket>>> {
    let tickets = streams().submit(lane, tasks);
    tickets.ok_or(HipError::Deinitialized)
}

/// Does work in the turn of a stream that is not being captured, unless earlier work has failed.
pub fn submit_and_wait(stream: Address, work: &Work) -> HipResult {
    let lane = lane(stream)?;
    may_wait()?;
    let done = streams().run_in_turn(lane, Vec::new(), || {
        take_fault()?;
        work::run(work)
    });
    let outcome = done.unwrap_or(Err(HipError::Deinitialized));
    keep_failure(outcome)
}

/// Does work on the calling thread, exclusive of all streams and threads.
pub fn at_once(work: &Work) -> HipResult {
    if let Work::Host(_) = work {
        // A host function may call HIP itself, so it must not run while it holds the queue's turn.
        streams().run_in_turn(NULL, Vec::new(), || ());
        return work::run(work);
    }
    let done = streams().run_in_turn(NULL, Vec::new(), || work::run(work));
    keep_failure(done.unwrap_or(Err(HipError::Deinitialized)))
}

/// Keeps a kernel's failure for later calls, and returns the error to the caller.
fn keep_failure(outcome: HipResult) -> HipResult {
    if outcome == Err(HipError::LaunchFailure) {
        state().failure = Some(HipError::LaunchFailure);
    }
    outcome
}

/// Returns a ticket for the end of a lane's work and of other tickets.
pub fn mark(lane: LaneId, after: Vec<Arc<Ticket>>) -> HipResult<Arc<Ticket>> {
    let tickets = streams().submit(lane, vec![Submission::wait_for(after)]);
    let last = tickets.and_then(|mut tickets| tickets.pop());
    last.ok_or(HipError::Deinitialized)
}

/// Waits for tickets. Returns their error, or that of any other work.
pub fn wait(tickets: &[Arc<Ticket>]) -> HipResult {
    if !tickets.iter().all(|ticket| ticket.is_done()) {
        may_wait()?;
        streams().wait(tickets);
    }
    take_fault()
}

/// Returns `NotReady` until all tickets are done, then any error.
pub fn ask(tickets: &[Arc<Ticket>]) -> HipResult {
    if !tickets.iter().all(|ticket| ticket.is_done()) {
        return Err(HipError::NotReady);
    }
    take_fault()
}
