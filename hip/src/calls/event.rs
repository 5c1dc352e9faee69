//! Events: the time on the host at which the device had done what came before.

use std::time::Instant;

use crate::boundary::{Address, Out};
use crate::calls::stream;
use crate::error::{HipError, Outcome};
use crate::objects::event::Event;
use crate::runtime::{queue, state};

const DISABLE_TIMING: u32 = 2;
const INTERPROCESS: u32 = 4;
/// Blocking, no timing, between processes, release to device and to system.
const FLAGS: u32 = 1 | DISABLE_TIMING | INTERPROCESS | 0xc000_0000;

pub fn create(out: Out<Address>) -> Outcome {
    create_with_flags(out, 0)
}

pub fn create_with_flags(out: Out<Address>, flags: u32) -> Outcome {
    out.required()?;
    let releases = flags & 0xc000_0000;
    let timed = flags & DISABLE_TIMING == 0;
    if flags & !FLAGS != 0 || releases == 0xc000_0000 || (flags & INTERPROCESS != 0 && timed) {
        return Err(HipError::InvalidValue);
    }
    let event = Event {
        timed,
        recorded: None,
    };
    let handle = state().events.insert(event);
    out.put(handle)
}

pub fn destroy(event: Address) -> Outcome {
    let known = state().events.remove(event);
    known.map(drop).ok_or(HipError::InvalidHandle)
}

/// Sets an event to now.
pub fn mark(event: Address) -> Outcome {
    let mut state = state();
    let event = state.events.get_mut(event);
    event.ok_or(HipError::InvalidHandle)?.recorded = Some(Instant::now());
    Ok(())
}

pub fn record(event: Address, stream: Address) -> Outcome {
    get(event)?;
    stream::check(stream)?;
    let _device = queue();
    mark(event)
}

fn get(event: Address) -> Outcome<Event> {
    let known = state().events.get(event).copied();
    known.ok_or(HipError::InvalidHandle)
}

pub fn synchronize(event: Address) -> Outcome {
    get(event).map(drop)
}

/// What was recorded is done, and what was not counts as done.
pub fn query(event: Address) -> Outcome {
    get(event).map(drop)
}

pub fn elapsed(out: Out<f32>, start: Address, stop: Address) -> Outcome {
    out.required()?;
    let at = |event: Event| match event {
        Event {
            timed: true,
            recorded: Some(at),
        } => Ok(at),
        _ => Err(HipError::InvalidHandle),
    };
    let (start, stop) = (at(get(start)?)?, at(get(stop)?)?);
    let seconds = match stop.checked_duration_since(start) {
        Some(after) => after.as_secs_f64(),
        None => -start.duration_since(stop).as_secs_f64(),
    };
    out.put((seconds * 1e3) as f32)
}
