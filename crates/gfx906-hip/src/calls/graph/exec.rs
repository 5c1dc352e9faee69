//! Creation, update, launch and destruction of executable graphs.

use super::give_up;
use crate::boundary::{Address, Out};
use crate::calls::work::{MemoryPlace, place};
use crate::calls::{capture, event, submit};
use crate::error::{HipError, HipResult};
use crate::objects::graph::exec::Exec;
use crate::objects::graph::{Graphs, NodeAction};
use crate::objects::work::{Rows, Work};
use crate::queue::Submission;
use crate::runtime::{may_wait, state, streams};
use crate::settings;

/// Flags: free on launch, upload, launch from the device, node priorities.
const FLAGS: u64 = 1 | 2 | 4 | 8;
const FROM_DEVICE: u64 = 4;

/// `hipGraphInstantiateParams`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct InstantiateParameters {
    error_node: Address,
    flags: u64,
    result: u32,
    stream: Address,
}

/// `hipGraphInstantiate`. The log stays empty, as the error code says everything.
pub fn instantiate(
    out: Out<Address>,
    graph: Address,
    error_node: Out<Address>,
    log: Out<u8>,
    room: usize,
) -> HipResult {
    error_node.put_unless_null(0)?;
    if !log.is_null() && room > 0 {
        log.put(0)?;
    }
    with_flags(out, graph, 0)
}

pub fn with_flags(out: Out<Address>, graph: Address, flags: u64) -> HipResult {
    out.required()?;
    if flags & !FLAGS != 0 {
        return Err(HipError::InvalidValue);
    }
    if flags & FROM_DEVICE != 0 {
        return Err(HipError::NotSupported);
    }
    let exec = {
        let mut state = state();
        if has_instance_with_memory(&state.graphs, graph)? {
            return Err(HipError::NotSupported);
        }
        let mut exec = Exec::new(&state.graphs, graph, flags)?;
        let users = state.graphs.graph(graph)?.users.clone();
        for (&user, &count) in &users {
            state.graphs.users.retain(user, count)?;
        }
        exec.users = users.into_iter().collect();
        state.graphs.execs.insert(exec)
    };
    out.put(exec)
}

/// Returns true if a graph allocates or frees memory, and has an executable graph, of which there may be one.
fn has_instance_with_memory(graphs: &Graphs, graph: Address) -> HipResult<bool> {
    let mut of_memory = Vec::new();
    for &node in &graphs.graph(graph)?.nodes {
        if let NodeAction::Allocate(..) | NodeAction::Free(_) = graphs.node(node)?.what {
            of_memory.push(node);
        }
    }
    let mut steps = graphs.execs.values().flat_map(|exec| &exec.steps);
    Ok(steps.any(|step| of_memory.contains(&step.node)))
}

pub fn with_parameters(
    out: Out<Address>,
    graph: Address,
    parameters: Out<InstantiateParameters>,
) -> HipResult {
    let mut p = parameters.get()?;
    let result = with_flags(out, graph, p.flags);
    // 0: success. 1: an error that the code names.
    p.error_node = 0;
    p.result = result.is_err().into();
    parameters.put(p)?;
    result
}

pub fn flags(exec: Address, out: Out<u64>) -> HipResult {
    out.required()?;
    let flags = state().graphs.execs.get(exec).map(|exec| exec.flags);
    out.put(flags.ok_or(HipError::InvalidValue)?)
}

/// Destroys an executable graph. Its launches under way complete.
pub fn destroy(exec: Address) -> HipResult {
    let destructors = {
        let mut state = state();
        let exec = state.graphs.execs.remove(exec);
        let held = exec.ok_or(HipError::InvalidValue)?.users;
        state.graphs.users.release_all(held)
    };
    give_up(destructors);
    Ok(())
}

/// Updates an executable graph from the nodes of another graph.
pub fn update(
    exec: Address,
    graph: Address,
    error_node: Out<Address>,
    result: Out<u32>,
) -> HipResult {
    error_node.required()?;
    result.required()?;
    let updated = {
        let mut state = state();
        let new = Exec::new(&state.graphs, graph, 0)?;
        let exec = state.graphs.execs.get_mut(exec);
        exec.ok_or(HipError::InvalidValue)?.update(&new)
    };
    let (why, node) = updated.err().unwrap_or((0, 0));
    error_node.put(node)?;
    result.put(why)?;
    match why {
        0 => Ok(()),
        _ => Err(HipError::GraphExecUpdateFailure),
    }
}

/// Accepts an upload, which changes nothing because the graph is in memory already.
pub fn upload(exec: Address, stream: Address) -> HipResult {
    submit::check(stream)?;
    let exists = state().graphs.execs.get(exec).is_some();
    if exists {
        Ok(())
    } else {
        Err(HipError::InvalidValue)
    }
}

/// Submits the nodes of a graph to a stream one after the other, behind the graph's previous launch. In a capture the graph becomes a node.
/// Copies from and to memory of the host that is not pinned are done when the call returns, as they are under HIP.
pub fn launch(exec: Address, stream: Address) -> HipResult {
    let lane = submit::lane(stream)?;
    if let Some(id) = capture::find_by_lane(lane)? {
        return capture::add(id, lane, child(exec)?);
    }
    let mut actions = Vec::new();
    let before = {
        let state = state();
        let exec = state.graphs.execs.get(exec);
        let exec = exec.ok_or(HipError::InvalidValue)?;
        exec.each(&mut |what| actions.push(what.clone()));
        exec.launched.clone()
    };
    if settings::SYNC.is_on() {
        return actions.into_iter().try_for_each(|what| match what {
            NodeAction::Work(work) => submit::at_once(&work),
            NodeAction::Record(event) => event::set(event, lane, submit::mark(lane, Vec::new())?),
            NodeAction::Wait(_)
            | NodeAction::Empty
            | NodeAction::Child(_)
            | NodeAction::Allocate(..)
            | NodeAction::Free(_) => Ok(()),
        });
    }
    let events: Vec<Option<Address>> = actions.iter().map(event_of).collect();
    let last_pageable = actions.iter().rposition(is_pageable);
    let first = Submission::wait_for(before.into_iter().collect());
    let tasks = std::iter::once(first).chain(actions.into_iter().map(task));
    let tickets = submit::submit_all(lane, tasks.collect())?;
    if let Some(exec) = state().graphs.execs.get_mut(exec) {
        exec.launched = tickets.last().cloned();
    }
    for (event, ticket) in events.into_iter().zip(tickets.iter().skip(1)) {
        if let Some(event) = event {
            // Recording fails only for an event that has been destroyed.
            let _ = event::set(event, lane, ticket.clone());
        }
    }
    // The first ticket is of the wait for the previous launch. A function that a stream calls must not wait.
    let copied = last_pageable.and_then(|action| tickets.get(action + 1));
    if let (Some(copied), Ok(())) = (copied, may_wait()) {
        streams().wait(std::slice::from_ref(copied));
    }
    Ok(())
}

/// Returns true for a copy from or to memory of the host that is not pinned.
fn is_pageable(what: &NodeAction) -> bool {
    let NodeAction::Work(Work::Copy(copy)) = what else {
        return false;
    };
    let on_host = |rows: &Rows| {
        let span = copy.size.span(rows);
        span.map(|span| place(rows.start, span)) == Some(Ok(MemoryPlace::Host))
    };
    on_host(&copy.to) || on_host(&copy.from)
}

/// Returns a child node for the graph that is launched.
fn child(exec: Address) -> HipResult<NodeAction> {
    let mut state = state();
    let graphs = &mut state.graphs;
    let exec = graphs.execs.get(exec).ok_or(HipError::InvalidValue)?;
    let exec = exec.clone();
    let child = graphs.add_exec(&exec)?;
    graphs.graph_mut(child)?.is_child = true;
    Ok(NodeAction::Child(child))
}

/// Returns the event that a node records.
fn event_of(what: &NodeAction) -> Option<Address> {
    match what {
        NodeAction::Record(event) => Some(*event),
        _ => None,
    }
}

fn task(what: NodeAction) -> Submission {
    match what {
        NodeAction::Work(work) => submit::job(work),
        NodeAction::Wait(event) => {
            let event = state().events.get(event).cloned();
            let recorded = event.and_then(|event| event.recorded);
            Submission::wait_for(recorded.into_iter().collect())
        }
        NodeAction::Empty
        | NodeAction::Record(_)
        | NodeAction::Child(_)
        | NodeAction::Allocate(..)
        | NodeAction::Free(_) => Submission::default(),
    }
}
