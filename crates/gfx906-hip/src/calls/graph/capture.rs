//! Beginning, end and queries of captures.

use std::collections::HashMap;

use super::{give_up, list};
use crate::boundary::{Address, In, Out};
use crate::calls::{capture, submit};
use crate::error::{HipError, HipResult};
use crate::objects::graph::Graphs;
use crate::objects::graph::capture::{Capture, CaptureMode};
use crate::queue::{LaneId, NULL};
use crate::runtime::state;

/// Values of `hipStreamCaptureStatus`.
const NONE: i32 = 0;
const ACTIVE: i32 = 1;
const INVALIDATED: i32 = 2;

/// `hipStreamBeginCaptureToGraph`: adds the captured nodes to an existing graph, behind some of its nodes.
pub fn begin_in_graph(
    stream: Address,
    graph: Address,
    after: In<Address>,
    count: usize,
    mode: u32,
) -> HipResult {
    let after = list(after, count)?;
    {
        let state = state();
        state.graphs.graph(graph)?;
        state.graphs.check_nodes(graph, &after)?;
    }
    begin(stream, mode, Some((graph, after)))
}

/// Begins a capture, into a new graph or behind nodes of an existing one.
pub fn begin(stream: Address, mode: u32, into: Option<(Address, Vec<Address>)>) -> HipResult {
    let mode = CaptureMode::from_number(mode).ok_or(HipError::InvalidValue)?;
    let lane = submit::lane(stream)?;
    if lane == NULL {
        return Err(HipError::StreamCaptureUnsupported);
    }
    let mut state = state();
    if state.graphs.captures.find_by_lane(lane).is_some() {
        return Err(HipError::IllegalState);
    }
    let into_graph = into.is_some();
    let (graph, after) = into.unwrap_or_else(|| (state.graphs.create(), Vec::new()));
    state.graphs.captures.begin(Capture {
        graph,
        into_graph,
        lane,
        mode,
        thread: std::thread::current().id(),
        streams: HashMap::from([(lane, after)]),
        shown: Box::default(),
        invalid: false,
    });
    Ok(())
}

/// Ends a capture on the stream that began it. Stores its graph, unless the capture is invalid.
pub fn end(stream: Address, out: Out<Address>) -> HipResult {
    out.required()?;
    let lane = submit::lane(stream)?;
    if lane == NULL {
        return Err(HipError::IllegalState);
    }
    let (ended, destructors) = {
        let mut state = state();
        let graphs = &mut state.graphs;
        let (id, found) = graphs
            .captures
            .find_by_lane(lane)
            .ok_or(HipError::IllegalState)?;
        if found.lane != lane {
            return Err(HipError::StreamCaptureUnmatched);
        }
        if found.mode != CaptureMode::Relaxed && found.thread != std::thread::current().id() {
            return Err(HipError::StreamCaptureWrongThread);
        }
        let capture = graphs.captures.end(id).ok_or(HipError::Unknown)?;
        let outcome = check_complete(graphs, &capture, lane);
        let held = match outcome {
            // No handle of this graph exists outside the capture.
            Err(_) if !capture.into_graph => graphs.destroy(capture.graph).unwrap_or_default(),
            _ => Vec::new(),
        };
        let destructors = graphs.users.release_all(held);
        (outcome.map(|()| capture.graph), destructors)
    };
    give_up(destructors);
    out.put(ended.unwrap_or(0))?;
    ended.map(drop)
}

/// Fails unless a capture is valid and every stream that was forked from its first stream has joined again.
fn check_complete(graphs: &Graphs, capture: &Capture, lane: LaneId) -> HipResult {
    if capture.invalid {
        return Err(HipError::StreamCaptureInvalidated);
    }
    let last = capture.streams.get(&lane).cloned().unwrap_or_default();
    let mut open = capture.streams.values().flatten();
    let joined = |&&node: &&Address| last.contains(&node) || is_before(graphs, node, &last);
    if capture.streams.len() > 1 && !open.by_ref().all(|node| joined(&node)) {
        return Err(HipError::StreamCaptureUnjoined);
    }
    Ok(())
}

/// Returns true if a node comes before any of the others.
fn is_before(graphs: &Graphs, node: Address, others: &[Address]) -> bool {
    let mut seen = std::collections::HashSet::new();
    let mut open = others.to_vec();
    while let Some(next) = open.pop() {
        if next == node {
            return true;
        }
        if seen.insert(next) {
            let before = graphs.node(next).map(|next| next.after.clone());
            open.extend(before.unwrap_or_default());
        }
    }
    false
}

/// Returns status, number, graph and last nodes of the capture that a stream takes part in.
fn info(stream: Address) -> HipResult<(i32, u64, Address, Vec<Address>)> {
    let lane = submit::lane(stream)?;
    let mut state = state();
    if lane == NULL && !capture::waited_for(&mut state).is_empty() {
        return Err(HipError::StreamCaptureImplicit);
    }
    Ok(match state.graphs.captures.find_by_lane(lane) {
        None => (NONE, 0, 0, Vec::new()),
        Some((id, capture)) if capture.invalid => (INVALIDATED, id, 0, Vec::new()),
        Some((id, capture)) => {
            let nodes = capture.streams.get(&lane).cloned();
            (ACTIVE, id, capture.graph, nodes.unwrap_or_default())
        }
    })
}

pub fn is_capturing(stream: Address, status: Out<i32>) -> HipResult {
    status.required()?;
    status.put(info(stream)?.0)
}

pub fn get(stream: Address, status: Out<i32>, id: Out<u64>) -> HipResult {
    status.required()?;
    let (state, number, ..) = info(stream)?;
    status.put(state)?;
    if id.is_null() || state == NONE {
        return Ok(());
    }
    id.put(number)
}

/// Stores the state of a capture. The address of its nodes is valid until the next query.
pub fn get_all(
    stream: Address,
    status: Out<i32>,
    id: Out<u64>,
    graph: Out<Address>,
    nodes: Out<Address>,
    count: Out<usize>,
) -> HipResult {
    status.required()?;
    let (capture_status, number, captured, after) = info(stream)?;
    status.put(capture_status)?;
    if capture_status == NONE {
        return Ok(());
    }
    id.put_unless_null(number)?;
    if capture_status == INVALIDATED {
        return Ok(());
    }
    graph.put_unless_null(captured)?;
    count.put_unless_null(after.len())?;
    if nodes.is_null() {
        return Ok(());
    }
    let mut state = state();
    let capture = state.graphs.captures.get(number);
    let capture = capture.ok_or(HipError::Unknown)?;
    capture.shown = after.into();
    nodes.put(capture.shown.as_ptr().expose_provenance() as Address)
}

/// Adds nodes to the dependencies of a stream's next work, or replaces the dependencies.
pub fn update(stream: Address, nodes: In<Address>, count: usize, flags: u32) -> HipResult {
    const SET: u32 = 1;
    let lane = submit::lane(stream)?;
    let nodes = if count == 0 {
        Vec::new()
    } else {
        list(nodes, count)?
    };
    if flags > SET {
        return Err(HipError::InvalidValue);
    }
    let mut state = state();
    let graphs = &mut state.graphs;
    let (id, graph) = match graphs.captures.find_by_lane(lane) {
        None => return Err(HipError::IllegalState),
        Some((_, capture)) if capture.invalid => return Err(HipError::StreamCaptureInvalidated),
        Some((id, capture)) => (id, capture.graph),
    };
    graphs.check_nodes(graph, &nodes)?;
    let capture = graphs.captures.get(id).ok_or(HipError::Unknown)?;
    let after = capture.streams.entry(lane).or_default();
    if flags == SET {
        after.clear();
    }
    after.extend(nodes);
    after.sort_unstable();
    after.dedup();
    Ok(())
}

/// Exchanges the restriction that captures of other threads put on the calling thread.
pub fn exchange(mode: Out<u32>) -> HipResult {
    let new = CaptureMode::from_number(mode.get()?).ok_or(HipError::InvalidValue)?;
    mode.put(capture::exchange(new) as u32)
}
