//! Creation, queries and synchronisation of streams.

pub mod host;
pub mod value;

use crate::boundary::{Address, In, Out};
pub use crate::calls::submit::check;
use crate::calls::{capture, submit};
use crate::error::{HipError, HipResult};
use crate::objects::event::Event;
use crate::objects::graph::NodeAction;
use crate::objects::stream::{ALL_UNITS, Stream, Units};
use crate::queue::{LaneId, NULL};
use crate::runtime::{state, streams};
use crate::sanitize;

const NON_BLOCKING: u32 = 1;
/// Least and greatest priority. The smaller number is the greater priority.
const PRIORITIES: (i32, i32) = (1, -1);

fn made_with(stream: Address) -> HipResult<Stream> {
    if submit::is_built_in(stream) {
        return Ok(Stream {
            flags: 0,
            priority: 0,
            lane: NULL,
            units: ALL_UNITS,
        });
    }
    let found = state().streams.get(stream).copied();
    found.ok_or(HipError::ContextIsDestroyed)
}

pub fn create_with_priority(out: Out<Address>, flags: u32, priority: i32) -> HipResult {
    add(out, flags, priority, ALL_UNITS)
}

fn add(out: Out<Address>, flags: u32, priority: i32, units: Units) -> HipResult {
    out.required()?;
    if flags & !NON_BLOCKING != 0 {
        return Err(HipError::InvalidValue);
    }
    let priority = priority.clamp(PRIORITIES.1, PRIORITIES.0);
    let lane = streams().add(flags & NON_BLOCKING == 0);
    let stream = state().streams.insert(Stream {
        flags,
        priority,
        lane,
        units,
    });
    out.put(stream)
}

pub fn create_with_cu_mask(out: Out<Address>, words: u32, mask: In<u32>) -> HipResult {
    if out.is_null() {
        return Err(HipError::InvalidHandle);
    }
    if words == 0 || mask.is_null() {
        return Err(HipError::InvalidValue);
    }
    // Units that the mask does not name are off. Bits for units that the card does not have are ignored. A mask of no unit is none.
    let mut units = Units::default();
    for (n, (unit, all)) in units.iter_mut().zip(ALL_UNITS).enumerate() {
        if n < words as usize {
            *unit = mask.nth(n)? & all;
        }
    }
    if units == Units::default() {
        units = ALL_UNITS;
    }
    add(out, 0, 0, units)
}

/// Stores the mask of a stream. A stream without a mask has all units; words beyond the card's units are 0.
pub fn cu_mask(stream: Address, words: u32, out: Out<u32>) -> HipResult {
    out.required()?;
    if (words as usize) < ALL_UNITS.len() {
        return Err(HipError::InvalidValue);
    }
    let units = made_with(stream)?.units;
    let rest = std::iter::repeat(0);
    units
        .into_iter()
        .chain(rest)
        .take(words as usize)
        .enumerate()
        .try_for_each(|(n, word)| out.put_at(n, word))
}

pub fn priority_range(least: Out<i32>, greatest: Out<i32>) -> HipResult {
    least.put_unless_null(PRIORITIES.0)?;
    greatest.put_unless_null(PRIORITIES.1)
}

/// Destroys a stream. Its work is still done, and a capture that it takes part in is discarded.
pub fn destroy(stream: Address) -> HipResult {
    if submit::is_built_in(stream) {
        return Err(HipError::InvalidHandle);
    }
    let removed = state().streams.remove(stream);
    let lane = removed.ok_or(HipError::ContextIsDestroyed)?.lane;
    {
        let mut state = state();
        let graphs = &mut state.graphs;
        match graphs
            .captures
            .find_by_lane(lane)
            .map(|(id, c)| (id, c.lane == lane))
        {
            Some((id, true)) => {
                let ended = graphs.captures.end(id).filter(|ended| !ended.into_graph);
                // No handle of this graph exists outside the capture.
                let _ = ended.map(|ended| graphs.destroy(ended.graph));
            }
            Some((id, false)) => {
                if let Some(capture) = graphs.captures.get(id) {
                    capture.streams.remove(&lane);
                }
            }
            None => {}
        }
    }
    streams().retire(lane);
    Ok(())
}

pub fn synchronize(stream: Address) -> HipResult {
    let lane = submit::lane(stream)?;
    capture::refuse_wait(lane)?;
    submit::wait(&streams().pending(lane))
}

/// `hipDeviceSynchronize`.
pub fn wait_for_device() -> HipResult {
    capture::allow_device_wait()?;
    submit::wait(&streams().pending_everywhere())
}

/// Waits for the device before memory is freed or unmapped, unless that might disturb a capture.
pub fn wait_to_free() -> HipResult {
    capture::allow_unsafe()?;
    submit::wait(&streams().pending_everywhere())
}

pub fn query(stream: Address) -> HipResult {
    let lane = submit::lane(stream)?;
    capture::refuse_wait(lane)?;
    submit::ask(&streams().pending(lane))
}

/// Makes the stream's later work wait for the work before an event. A stream that waits for an event of a capture joins the capture.
pub fn wait_event(stream: Address, event: Address, flags: u32) -> HipResult {
    const EXTERNAL: u32 = 1;
    if event == 0 {
        return Err(HipError::InvalidHandle);
    }
    if flags & !EXTERNAL != 0 {
        return Err(HipError::InvalidValue);
    }
    // AMD's runtime reports an unknown stream as an invalid handle here alone.
    let lane = submit::lane(stream).map_err(|_| HipError::InvalidHandle)?;
    let Event {
        recorded, captured, ..
    } = state()
        .events
        .get(event)
        .cloned()
        .ok_or(HipError::InvalidHandle)?;
    let Some(id) = capture::find_by_lane(lane)? else {
        return match (captured, recorded) {
            (Some((id, nodes)), _) => join(id, lane, nodes),
            (None, Some(ticket)) if !ticket.is_done() => submit::mark(lane, vec![ticket]).map(drop),
            (None, Some(_)) => Ok(()),
            (None, None) => {
                sanitize::waited_for_nothing(event);
                Ok(())
            }
        };
    };
    if flags == EXTERNAL {
        return capture::add(id, lane, NodeAction::Wait(event));
    }
    match captured {
        Some((of, nodes)) if of == id => join(id, lane, nodes),
        other => {
            capture::spoil(lane);
            Err(match other {
                Some(_) => HipError::StreamCaptureMerge,
                None => HipError::StreamCaptureIsolation,
            })
        }
    }
}

/// Adds nodes of a capture to the dependencies of a stream's next work.
fn join(id: u64, lane: LaneId, nodes: Vec<Address>) -> HipResult {
    if lane == NULL {
        return Err(HipError::StreamCaptureImplicit);
    }
    let mut state = state();
    let capture = state.graphs.captures.get(id);
    let capture = capture.ok_or(HipError::CapturedEvent)?;
    let after = capture.streams.entry(lane).or_default();
    after.extend(nodes);
    after.sort_unstable();
    after.dedup();
    Ok(())
}

pub fn get_flags(stream: Address, out: Out<u32>) -> HipResult {
    out.required()?;
    if stream == 0 {
        return Err(HipError::InvalidValue);
    }
    out.put(made_with(stream)?.flags)
}

pub fn get_priority(stream: Address, out: Out<i32>) -> HipResult {
    out.required()?;
    out.put(made_with(stream)?.priority)
}

pub fn get_device(stream: Address, out: Out<i32>) -> HipResult {
    out.required()?;
    check(stream)?;
    out.put(0)
}

/// Returns a number that no other stream of the process has or had. All handles of the null stream have one number.
pub fn get_id(stream: Address, out: Out<u64>) -> HipResult {
    out.required()?;
    out.put(submit::lane(stream)?)
}

pub fn device_of(stream: Address) -> i32 {
    if check(stream).is_ok() { 0 } else { -1 }
}
