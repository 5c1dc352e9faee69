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
use crate::error::{HipError, Outcome};
use crate::generation::{Generation, generation};
use crate::objects::graph::users::Gone;
use crate::objects::graph::{Edge, What};
use crate::objects::work::{Form, Work};
use crate::queue::Submission;
use crate::runtime::{state, streams};

pub fn create(out: Out<Address>, flags: u32) -> Outcome {
    out.required()?;
    if flags != 0 {
        return Err(HipError::InvalidValue);
    }
    let graph = state().graphs.create();
    out.put(graph)
}

pub fn destroy(graph: Address) -> Outcome {
    let gone = {
        let mut state = state();
        if state.graphs.graph(graph)?.is_child {
            return Err(HipError::InvalidValue);
        }
        let held = state.graphs.destroy(graph)?;
        state.graphs.users.release_all(held)
    };
    give_up(gone);
    Ok(())
}

/// Calls destructors of the program's objects after every launch that may use the objects.
pub fn give_up(gone: Vec<Gone>) {
    if gone.is_empty() {
        return;
    }
    let call = move || {
        for (destroy, object) in gone {
            // SAFETY: the program passed this function as the object's destructor.
            unsafe { destroy(object) }
        }
    };
    let pending = streams().all();
    if pending.is_empty() {
        return call();
    }
    let lane = streams().add(false);
    let task = Submission {
        after: pending,
        ..Submission::of(call)
    };
    // After the end of the process the queue refuses the destructors, and they are not called.
    let _ = submit::submit_all(lane, vec![task]);
    streams().retire(lane);
}

pub fn clone(out: Out<Address>, graph: Address) -> Outcome {
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

pub fn find_in_clone(out: Out<Address>, original: Address, clone: Address) -> Outcome {
    out.required()?;
    let found = state().graphs.find_in_clone(original, clone)?;
    out.put(found)
}

/// Reads a list of the caller's addresses.
pub fn list(from: In<Address>, count: usize) -> Outcome<Vec<Address>> {
    (0..count).map(|n| from.nth(n)).collect()
}

/// Stores the number of handles, or as many handles as fit. Unused entries are set to 0.
fn tell_list(out: Out<Address>, count: Out<usize>, all: &[Address]) -> Outcome {
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

pub fn nodes(graph: Address, out: Out<Address>, count: Out<usize>) -> Outcome {
    let nodes = state().graphs.graph(graph)?.nodes.clone();
    tell_list(out, count, &nodes)
}

pub fn roots(graph: Address, out: Out<Address>, count: Out<usize>) -> Outcome {
    let roots = state().graphs.roots(graph)?;
    tell_list(out, count, &roots)
}

pub fn edges(graph: Address, from: Out<Address>, to: Out<Address>, count: Out<usize>) -> Outcome {
    count.required()?;
    let edges = state().graphs.edges(graph)?;
    if from.is_null() != to.is_null() {
        return Err(HipError::InvalidValue);
    }
    let room = if from.is_null() { 0 } else { count.get()? };
    let (starts, ends): (Vec<Address>, Vec<Address>) = edges.into_iter().unzip();
    tell_list(from, count, &starts)?;
    if !to.is_null() {
        count.put(room)?;
    }
    tell_list(to, count, &ends)
}

pub fn dependencies(node: Address, out: Out<Address>, count: Out<usize>) -> Outcome {
    let after = state().graphs.node(node)?.after.clone();
    tell_list(out, count, &after)
}

pub fn dependents(node: Address, out: Out<Address>, count: Out<usize>) -> Outcome {
    let behind = state().graphs.behind(node)?;
    tell_list(out, count, &behind)
}

fn edge_list(from: In<Address>, to: In<Address>, count: usize) -> Outcome<Vec<Edge>> {
    (0..count).map(|n| Ok((from.nth(n)?, to.nth(n)?))).collect()
}

pub fn add_dependencies(
    graph: Address,
    from: In<Address>,
    to: In<Address>,
    count: usize,
) -> Outcome {
    let edges = edge_list(from, to, count)?;
    state().graphs.connect(graph, &edges)
}

pub fn remove_dependencies(
    graph: Address,
    from: In<Address>,
    to: In<Address>,
    count: usize,
) -> Outcome {
    let edges = edge_list(from, to, count)?;
    state().graphs.disconnect(graph, &edges)
}

pub fn destroy_node(node: Address) -> Outcome {
    state().graphs.remove(node)
}

/// Returns the number of a node in `hipGraphNodeType`, which HIP 5 counts differently from later versions.
fn type_of(what: &What, generation: Generation) -> u32 {
    let (five, six) = match what {
        What::Work(Work::Kernel(_)) => (1, 0),
        What::Work(Work::Copy(copy)) => match copy.form {
            Form::Planes => (2, 1),
            Form::Row => (9, 1),
            Form::FromSymbol => (10, 12),
            Form::ToSymbol => (11, 13),
        },
        What::Work(Work::Fill(_)) => (3, 2),
        What::Work(Work::Host(_)) => (4, 3),
        What::Child(_) => (5, 4),
        // A wait for a memory word is never a node.
        What::Empty | What::Work(Work::Word(_)) => (6, 5),
        What::Wait(_) => (7, 6),
        What::Record(_) => (8, 7),
        // HIP 5.2 has no such nodes, and no numbers for them.
        What::Allocate(..) => (10, 10),
        What::Free(_) => (11, 11),
    };
    match generation {
        Generation::Five => five,
        Generation::Six | Generation::Seven => six,
    }
}

pub fn node_type(node: Address, out: Out<u32>) -> Outcome {
    out.required()?;
    let number = type_of(&state().graphs.node(node)?.what, generation());
    out.put(number)
}

/// Writes a graph in Graphviz's language.
pub fn print(graph: Address, path: Text, _flags: u32) -> Outcome {
    let path = path.get()?;
    let mut text = format!("digraph \"{graph:#x}\" {{\n");
    {
        let state = state();
        for &node in &state.graphs.graph(graph)?.nodes {
            let what = &state.graphs.node(node)?.what;
            let label = match what {
                What::Work(Work::Kernel(kernel)) => kernel.function.name.clone(),
                What::Work(Work::Copy(_)) => "copy".to_owned(),
                What::Work(Work::Fill(_)) => "fill".to_owned(),
                What::Work(Work::Host(_)) => "host function".to_owned(),
                What::Child(child) => format!("graph {child:#x}"),
                What::Empty | What::Work(Work::Word(_)) => "empty".to_owned(),
                What::Wait(_) => "wait for an event".to_owned(),
                What::Record(_) => "record an event".to_owned(),
                What::Allocate(_, bytes) => format!("allocate {bytes} bytes"),
                What::Free(address) => format!("free {address:#x}"),
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
