//! Creation, queries, cloning and destruction of graphs.

pub mod any;
pub mod capture;
pub mod exec;
pub mod memory;
pub mod node;
pub mod params;
pub mod set;
pub mod users;

use std::fmt::Write;

use crate::boundary::{Address, In, Out, Text};
use crate::calls::submit;
use crate::diagnostics::log;
use crate::error::{HipError, HipResult};
use crate::generation::{Generation, generation};
use crate::objects::graph::users::UserDestructor;
use crate::objects::graph::{Edge, NodeAction};
use crate::objects::work::{CopyForm, Work};
use crate::queue::Submission;
use crate::runtime::{state, streams};

pub fn create(out: Out<Address>, flags: u32) -> HipResult {
    out.required()?;
    if flags != 0 {
        return Err(HipError::InvalidValue);
    }
    let graph = state().graphs.create();
    out.put(graph)
}

pub fn destroy(graph: Address) -> HipResult {
    let destructors = {
        let mut state = state();
        if graph == 0 {
            return Err(HipError::InvalidValue);
        }
        let found = state.graphs.graph(graph);
        if found.map_err(|_| HipError::IllegalState)?.is_child {
            return Err(HipError::InvalidValue);
        }
        let held = state.graphs.destroy(graph)?;
        state.graphs.users.release_all(held)
    };
    give_up(destructors);
    Ok(())
}

/// Calls destructors of the program's objects after every launch that may use the objects.
pub fn give_up(destructors: Vec<UserDestructor>) {
    if destructors.is_empty() {
        return;
    }
    let call = move || {
        for (destroy, object) in destructors {
            // SAFETY: the program passed this function as the object's destructor.
            unsafe { destroy(object) }
        }
    };
    let pending = streams().pending_everywhere();
    if pending.is_empty() {
        return call();
    }
    let lane = streams().add(false);
    let task = Submission {
        after: pending,
        ..Submission::from_job(call)
    };
    // After the end of the process the queue refuses the destructors, and they are not called.
    let _ = submit::submit_all(lane, vec![task]);
    streams().retire(lane);
}

pub fn clone(out: Out<Address>, graph: Address) -> HipResult {
    out.required()?;
    let clone = {
        let mut state = state();
        let clone = state.graphs.clone_graph(graph)?;
        let users = state.graphs.graph(graph)?.users.clone();
        for (&user, &count) in &users {
            state.graphs.users.retain(user, count)?;
        }
        state.graphs.graph_mut(clone)?.users = users;
        clone
    };
    out.put(clone)
}

pub fn find_in_clone(out: Out<Address>, original: Address, clone: Address) -> HipResult {
    out.required()?;
    let node = state().graphs.find_in_clone(original, clone)?;
    out.put(node)
}

/// Reads a list of the caller's addresses.
pub fn list(from: In<Address>, count: usize) -> HipResult<Vec<Address>> {
    (0..count).map(|n| from.nth(n)).collect()
}

/// Stores the number of handles, or as many handles as fit. Unused entries are set to 0.
fn put_list(out: Out<Address>, count: Out<usize>, all: &[Address]) -> HipResult {
    count.required()?;
    if out.is_null() {
        return count.put(all.len());
    }
    let room = count.get()?;
    for n in 0..room.min(1 << 20) {
        out.put_at(n, all.get(n).copied().unwrap_or(0))?;
    }
    count.put(room.min(all.len()))
}

pub fn nodes(graph: Address, out: Out<Address>, count: Out<usize>) -> HipResult {
    let nodes = state().graphs.graph(graph)?.nodes.clone();
    put_list(out, count, &nodes)
}

pub fn roots(graph: Address, out: Out<Address>, count: Out<usize>) -> HipResult {
    let roots = state().graphs.roots(graph)?;
    put_list(out, count, &roots)
}

pub fn edges(graph: Address, from: Out<Address>, to: Out<Address>, count: Out<usize>) -> HipResult {
    count.required()?;
    let edges = state().graphs.edges(graph)?;
    if from.is_null() != to.is_null() {
        return Err(HipError::InvalidValue);
    }
    let room = if from.is_null() { 0 } else { count.get()? };
    let (starts, ends): (Vec<Address>, Vec<Address>) = edges.into_iter().unzip();
    put_list(from, count, &starts)?;
    if !to.is_null() {
        count.put(room)?;
    }
    put_list(to, count, &ends)
}

pub fn dependencies(node: Address, out: Out<Address>, count: Out<usize>) -> HipResult {
    let after = state().graphs.node(node)?.after.clone();
    put_list(out, count, &after)
}

pub fn dependents(node: Address, out: Out<Address>, count: Out<usize>) -> HipResult {
    let behind = state().graphs.dependents(node)?;
    put_list(out, count, &behind)
}

fn edge_list(from: In<Address>, to: In<Address>, count: usize) -> HipResult<Vec<Edge>> {
    (0..count).map(|n| Ok((from.nth(n)?, to.nth(n)?))).collect()
}

pub fn add_dependencies(
    graph: Address,
    from: In<Address>,
    to: In<Address>,
    count: usize,
) -> HipResult {
    let edges = edge_list(from, to, count)?;
    state().graphs.connect(graph, &edges)
}

pub fn remove_dependencies(
    graph: Address,
    from: In<Address>,
    to: In<Address>,
    count: usize,
) -> HipResult {
    let edges = edge_list(from, to, count)?;
    state().graphs.disconnect(graph, &edges)
}

/// Returns the number of a node in `hipGraphNodeType`, which HIP 5 counts differently from later versions.
fn type_of(what: &NodeAction, generation: Generation) -> u32 {
    let (five, six) = match what {
        NodeAction::Work(Work::Kernel(_)) => (1, 0),
        NodeAction::Work(Work::Copy(copy)) => match copy.form {
            CopyForm::Planes => (2, 1),
            CopyForm::Row => (9, 1),
            CopyForm::FromSymbol => (10, 1),
            CopyForm::ToSymbol => (11, 1),
        },
        NodeAction::Work(Work::Fill(_)) => (3, 2),
        NodeAction::Work(Work::Host(_)) => (4, 3),
        NodeAction::Child(_) => (5, 4),
        // A wait for a memory word is never a node.
        NodeAction::Empty | NodeAction::Work(Work::Word(_)) => (6, 5),
        NodeAction::Wait(_) => (7, 6),
        NodeAction::Record(_) => (8, 7),
        // HIP 5.2 has no such nodes, and no numbers for them.
        NodeAction::Allocate(..) => (10, 10),
        NodeAction::Free(_) => (11, 11),
    };
    match generation {
        Generation::Five => five,
        Generation::Six | Generation::Seven => six,
    }
}

pub fn node_type(node: Address, out: Out<u32>) -> HipResult {
    out.required()?;
    let number = type_of(&state().graphs.node(node)?.what, generation());
    out.put(number)
}

/// Writes a graph in Graphviz's language.
pub fn print(graph: Address, path: Text) -> HipResult {
    let path = path.get()?;
    let mut text = format!("digraph \"{graph:#x}\" {{\n");
    {
        let state = state();
        for &node in &state.graphs.graph(graph)?.nodes {
            let what = &state.graphs.node(node)?.what;
            let label = match what {
                NodeAction::Work(Work::Kernel(kernel)) => kernel.function.name.clone(),
                NodeAction::Work(Work::Copy(_)) => "copy".to_owned(),
                NodeAction::Work(Work::Fill(_)) => "fill".to_owned(),
                NodeAction::Work(Work::Host(_)) => "host function".to_owned(),
                NodeAction::Child(child) => format!("graph {child:#x}"),
                NodeAction::Empty | NodeAction::Work(Work::Word(_)) => "empty".to_owned(),
                NodeAction::Wait(_) => "wait for an event".to_owned(),
                NodeAction::Record(_) => "record an event".to_owned(),
                NodeAction::Allocate(_, bytes) => format!("allocate {bytes} bytes"),
                NodeAction::Free(address) => format!("free {address:#x}"),
            };
            // Writing to a String cannot fail.
            let _ = writeln!(text, "  n{node:x} [label=\"{label}\"];");
        }
        for (from, to) in state.graphs.edges(graph)? {
            let _ = writeln!(text, "  n{from:x} -> n{to:x};");
        }
    }
    text.push_str("}\n");
    std::fs::write(&path, text).map_err(|error| {
        log(format!("hipGraphDebugDotPrint: {path}: {error}"));
        HipError::OperatingSystem
    })
}
