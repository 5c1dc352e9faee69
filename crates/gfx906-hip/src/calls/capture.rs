//! Effects of a capture on other calls: calls on its streams become nodes, and calls that might disturb the capture are refused.
//!
//! A refused call invalidates the captures that it would have disturbed. An invalid capture can only be ended.

use std::cell::Cell;

use crate::boundary::Address;
use crate::error::{HipError, HipResult};
use crate::objects::event::Event;
use crate::objects::graph::NodeAction;
use crate::objects::graph::capture::{Capture, CaptureMode};
use crate::queue::{LaneId, NULL};
use crate::runtime::{RuntimeState, state};

thread_local! {
    /// Restriction that captures of other threads put on this thread.
    static MODE: Cell<CaptureMode> = const { Cell::new(CaptureMode::Global) };
}

/// Sets the restriction on the calling thread and returns the previous one.
pub fn exchange(mode: CaptureMode) -> CaptureMode {
    MODE.replace(mode)
}

/// Returns true if a lane waits for the null lane.
fn is_blocking(state: &RuntimeState, lane: LaneId) -> bool {
    let mut streams = state.streams.values();
    !streams.any(|stream| stream.lane == lane && stream.flags & 1 != 0)
}

/// Fails if the null stream would wait for streams that are being captured, and invalidates those captures.
pub fn allow_null(state: &mut RuntimeState) -> HipResult {
    let waited_for = waited_for(state);
    for &lane in &waited_for {
        if let Some((_, capture)) = state.graphs.captures.find_by_lane(lane) {
            capture.invalid = true;
        }
    }
    if waited_for.is_empty() {
        return Ok(());
    }
    Err(HipError::StreamCaptureImplicit)
}

/// Returns the captured streams that the null stream waits for.
pub fn waited_for(state: &mut RuntimeState) -> Vec<LaneId> {
    let lanes: Vec<LaneId> = {
        let captures = state.graphs.captures.iter_mut();
        captures
            .flat_map(|capture| capture.streams.keys().copied())
            .collect()
    };
    let waits = |&lane: &LaneId| is_blocking(state, lane);
    lanes.into_iter().filter(waits).collect()
}

/// Returns the number of the capture that a stream takes part in, if any.
pub fn find_by_lane(lane: LaneId) -> HipResult<Option<u64>> {
    let mut state = state();
    if state.graphs.captures.is_empty() {
        return Ok(None);
    }
    if lane == NULL {
        allow_null(&mut state)?;
        return Ok(None);
    }
    match state.graphs.captures.find_by_lane(lane) {
        Some((_, capture)) if capture.invalid => Err(HipError::StreamCaptureInvalidated),
        found => Ok(found.map(|(id, _)| id)),
    }
}

/// Returns the graph that a capture builds.
pub fn graph(id: u64) -> HipResult<Address> {
    let mut state = state();
    let capture = state.graphs.captures.get(id);
    Ok(capture.ok_or(HipError::Unknown)?.graph)
}

/// Adds a node for work that is submitted to a captured stream.
pub fn add(id: u64, lane: LaneId, what: NodeAction) -> HipResult {
    let mut state = state();
    let graphs = &mut state.graphs;
    let capture = graphs.captures.get(id).ok_or(HipError::Unknown)?;
    let (graph, after) = (capture.graph, capture.streams.get(&lane).cloned());
    let node = graphs.add(graph, after.unwrap_or_default(), what)?;
    if let Some(capture) = graphs.captures.get(id) {
        capture.streams.insert(lane, vec![node]);
    }
    Ok(())
}

/// Invalidates captures, and fails if there are any.
fn refuse_during(disturbs: impl Fn(&Capture) -> bool, error: HipError) -> HipResult {
    let mut state = state();
    let captures = state.graphs.captures.iter_mut();
    let disturbed: Vec<&mut Capture> = captures.filter(|capture| disturbs(capture)).collect();
    if disturbed.is_empty() {
        return Ok(());
    }
    for capture in disturbed {
        capture.invalid = true;
    }
    Err(error)
}

/// Returns true if a capture restricts the calling thread, by the mode of either.
fn restricts(capture: &Capture, mode: CaptureMode) -> bool {
    let by_own = capture.thread == std::thread::current().id();
    let own = by_own && capture.mode != CaptureMode::Relaxed;
    match mode {
        CaptureMode::Relaxed => false,
        CaptureMode::ThreadLocal => own,
        CaptureMode::Global => own || capture.mode == CaptureMode::Global,
    }
}

/// Fails if a stream is being captured, because nobody may wait for such a stream or query it. Waits for other streams might disturb a capture,
/// unless the calling thread's mode is relaxed.
pub fn refuse_wait(lane: LaneId) -> HipResult {
    if lane == NULL {
        return allow_null(&mut state());
    }
    if let Some((_, capture)) = state().graphs.captures.find_by_lane(lane) {
        capture.invalid = true;
        return Err(HipError::StreamCaptureUnsupported);
    }
    let mode = match MODE.get() {
        CaptureMode::Relaxed => CaptureMode::Relaxed,
        CaptureMode::ThreadLocal | CaptureMode::Global => CaptureMode::Global,
    };
    let disturbs = |capture: &Capture| restricts(capture, mode);
    refuse_during(disturbs, HipError::StreamCaptureUnsupported)
}

/// Fails for an event that was recorded in a capture under way, because nobody may wait for it or query it.
pub fn refuse_captured(event: &Event) -> HipResult {
    let Some((id, _)) = event.captured else {
        return Ok(());
    };
    match state().graphs.captures.get(id) {
        Some(capture) if !capture.invalid => {
            capture.invalid = true;
            Err(HipError::CapturedEvent)
        }
        _ => Ok(()),
    }
}

/// Fails if the calling thread may not allocate or free, because these might disturb a capture.
pub fn allow_unsafe() -> HipResult {
    let mode = MODE.get();
    let disturbs = |capture: &Capture| restricts(capture, mode);
    refuse_during(disturbs, HipError::StreamCaptureUnsupported)
}

/// Fails if there is a capture of any mode, because its streams cannot be waited for: the whole device is.
pub fn allow_device_wait() -> HipResult {
    refuse_during(|_| true, HipError::StreamCaptureUnsupported)
}

/// Fails if there is a capture of any mode, because a synchronous copy or fill waits for the device.
pub fn allow_synchronous() -> HipResult {
    refuse_during(|_| true, HipError::StreamCaptureImplicit)
}

/// Invalidates the capture that a stream takes part in.
pub fn spoil(lane: LaneId) {
    if let Some((_, capture)) = state().graphs.captures.find_by_lane(lane) {
        capture.invalid = true;
    }
}
