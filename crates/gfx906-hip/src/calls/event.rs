//! Events: the host's time at which the device had done the work before the event.

use std::sync::Arc;
use std::time::Instant;

use crate::boundary::{Address, Out};
use crate::calls::{capture, submit};
use crate::error::{HipError, HipResult};
use crate::objects::event::Event;
use crate::objects::graph::NodeAction;
use crate::queue::{LaneId, NULL, Ticket};
use crate::runtime::{state, take_fault};

const DISABLE_TIMING: u32 = 2;
const INTERPROCESS: u32 = 4;
/// Flags of which one may be set: no fence of the system, release to the device, release to the system.
const RELEASES: u32 = 0xe000_0000;
/// Flags: blocking, no timing, interprocess, releases.
const FLAGS: u32 = 1 | DISABLE_TIMING | INTERPROCESS | RELEASES;

pub fn create_with_flags(out: Out<Address>, flags: u32) -> HipResult {
    out.required()?;
    let releases = (flags & RELEASES).count_ones();
    let timed = flags & DISABLE_TIMING == 0;
    if flags & !FLAGS != 0 || releases > 1 || (flags & INTERPROCESS != 0 && timed) {
        return Err(HipError::InvalidValue);
    }
    let event = Event {
        timed,
        recorded: None,
        lane: NULL,
        captured: None,
    };
    let handle = state().events.insert(event);
    out.put(handle)
}

/// Destroys an event. A thread that waits for the event goes on waiting.
pub fn destroy(event: Address) -> HipResult {
    if event == 0 {
        return Err(HipError::InvalidHandle);
    }
    let removed = state().events.remove(event);
    removed.map(drop).ok_or(HipError::ContextIsDestroyed)
}

/// Records an event behind the work that a stream has so far.
pub fn record(event: Address, stream: Address) -> HipResult {
    record_with_flags(event, stream, 0)
}

/// Records an event with flags. In a capture, flag 1 adds a node that records the event at each launch.
pub fn record_with_flags(event: Address, stream: Address, flags: u32) -> HipResult {
    const EXTERNAL: u32 = 1;
    check(event)?;
    if flags & !EXTERNAL != 0 {
        return Err(HipError::InvalidValue);
    }
    let lane = submit::lane(stream)?;
    match capture::find_by_lane(lane)? {
        Some(id) if flags == EXTERNAL => capture::add(id, lane, NodeAction::Record(event)),
        Some(id) => {
            let mut state = state();
            let capture = state.graphs.captures.get(id).ok_or(HipError::Unknown)?;
            let nodes = capture.streams.get(&lane).cloned().unwrap_or_default();
            let event = state.events.get_mut(event);
            event.ok_or(HipError::InvalidHandle)?.captured = Some((id, nodes));
            Ok(())
        }
        None => set(event, lane, submit::mark(lane, Vec::new())?),
    }
}

/// Sets the ticket of an event that is recorded on a stream of a lane.
pub fn set(event: Address, lane: LaneId, ticket: Arc<Ticket>) -> HipResult {
    let mut state = state();
    let event = state.events.get_mut(event).ok_or(HipError::InvalidHandle)?;
    event.recorded = Some(ticket);
    event.lane = lane;
    event.captured = None;
    Ok(())
}

fn get(event: Address) -> HipResult<Event> {
    let found = state().events.get(event).cloned();
    found.ok_or(HipError::InvalidHandle)
}

/// Checks an event handle.
pub fn check(event: Address) -> HipResult {
    get(event).map(drop)
}

pub fn synchronize(event: Address) -> HipResult {
    let event = get(event)?;
    capture::refuse_captured(&event)?;
    if event.lane != NULL {
        capture::refuse_wait(event.lane)?;
    }
    submit::wait(event.recorded.as_slice())
}

/// Returns success if the work before the event is done. An event that was never recorded counts as done.
pub fn query(event: Address) -> HipResult {
    let event = get(event)?;
    capture::refuse_captured(&event)?;
    submit::ask(event.recorded.as_slice())
}

pub fn elapsed(out: Out<f32>, start: Address, stop: Address) -> HipResult {
    out.required()?;
    let ticket = |event: Event| {
        let recorded = event.recorded.filter(|_| event.timed);
        recorded.ok_or(HipError::InvalidHandle)
    };
    let (start, stop) = (ticket(get(start)?)?, ticket(get(stop)?)?);
    let (Some(start), Some(stop)) = (start.ended(), stop.ended()) else {
        return Err(HipError::NotReady);
    };
    take_fault()?;
    out.put(milliseconds(start, stop))
}

/// Returns the time between two instants, which is negative if `stop` is the earlier one.
fn milliseconds(start: Instant, stop: Instant) -> f32 {
    let seconds = match stop.checked_duration_since(start) {
        Some(after) => after.as_secs_f64(),
        None => -start.duration_since(stop).as_secs_f64(),
    };
    (seconds * 1e3) as f32
}
