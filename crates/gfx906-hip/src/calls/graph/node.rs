//! Functions that add nodes to a graph.

use super::list;
use super::params::{
    HostParameters, KernelParameters, MemsetParameters, fill, host, kernel, planes,
};
use crate::boundary::{Address, In, Out};
use crate::calls::memory::copy::{self, row};
use crate::calls::memory::pitched::Copy3d;
use crate::calls::{event, symbol};
use crate::error::{HipError, HipResult};
use crate::objects::graph::NodeAction;
use crate::objects::work::{Copy, Work};
use crate::runtime::state;

/// Insertion point of a node: destination of the handle, graph, and dependencies.
pub struct NodeInsertion {
    out: Out<Address>,
    graph: Address,
    after: Vec<Address>,
}

impl NodeInsertion {
    /// Checks an insertion point.
    pub fn new(
        out: Out<Address>,
        graph: Address,
        after: In<Address>,
        count: usize,
    ) -> HipResult<NodeInsertion> {
        out.required()?;
        let after = list(after, count)?;
        let state = state();
        state.graphs.graph(graph)?;
        state.graphs.check_nodes(graph, &after)?;
        Ok(NodeInsertion { out, graph, after })
    }

    /// Returns the graph.
    pub fn graph(&self) -> Address {
        self.graph
    }

    /// Adds a node at this point.
    pub fn add(self, what: NodeAction) -> HipResult {
        let node = state().graphs.add(self.graph, self.after, what)?;
        self.out.put(node)
    }
}

/// Checks the copy of a node.
pub fn check_copy(copy: Copy) -> HipResult<NodeAction> {
    if !copy.size.is_empty() {
        copy::check(&copy)?;
    }
    Ok(NodeAction::Work(Work::Copy(copy)))
}

pub fn empty(out: Out<Address>, graph: Address, after: In<Address>, count: usize) -> HipResult {
    NodeInsertion::new(out, graph, after, count)?.add(NodeAction::Empty)
}

pub fn add_kernel(
    out: Out<Address>,
    graph: Address,
    after: In<Address>,
    count: usize,
    parameters: In<KernelParameters>,
) -> HipResult {
    let spot = NodeInsertion::new(out, graph, after, count)?;
    spot.add(kernel(&parameters.get()?)?)
}

pub fn add_copy(
    out: Out<Address>,
    graph: Address,
    after: In<Address>,
    count: usize,
    parameters: In<Copy3d>,
) -> HipResult {
    let spot = NodeInsertion::new(out, graph, after, count)?;
    spot.add(planes(&parameters.get()?)?)
}

#[expect(clippy::too_many_arguments, reason = "HIP's signature")]
pub fn add_row(
    out: Out<Address>,
    graph: Address,
    after: In<Address>,
    count: usize,
    to: Address,
    from: Address,
    bytes: usize,
    direction: u32,
) -> HipResult {
    let spot = NodeInsertion::new(out, graph, after, count)?;
    spot.add(check_copy(row(to, from, bytes, direction))?)
}

#[expect(clippy::too_many_arguments, reason = "HIP's signature")]
pub fn add_from_symbol(
    out: Out<Address>,
    graph: Address,
    after: In<Address>,
    count: usize,
    to: Address,
    symbol: Address,
    bytes: usize,
    offset: usize,
    direction: u32,
) -> HipResult {
    let spot = NodeInsertion::new(out, graph, after, count)?;
    spot.add(check_copy(symbol::build_copy_from(
        to, symbol, bytes, offset, direction,
    )?)?)
}

#[expect(clippy::too_many_arguments, reason = "HIP's signature")]
pub fn add_to_symbol(
    out: Out<Address>,
    graph: Address,
    after: In<Address>,
    count: usize,
    symbol: Address,
    from: Address,
    bytes: usize,
    offset: usize,
    direction: u32,
) -> HipResult {
    let spot = NodeInsertion::new(out, graph, after, count)?;
    spot.add(check_copy(symbol::build_copy_to(
        symbol, from, bytes, offset, direction,
    )?)?)
}

pub fn add_fill(
    out: Out<Address>,
    graph: Address,
    after: In<Address>,
    count: usize,
    parameters: In<MemsetParameters>,
) -> HipResult {
    let spot = NodeInsertion::new(out, graph, after, count)?;
    spot.add(fill(&parameters.get()?)?)
}

pub fn add_host(
    out: Out<Address>,
    graph: Address,
    after: In<Address>,
    count: usize,
    parameters: In<HostParameters>,
) -> HipResult {
    let spot = NodeInsertion::new(out, graph, after, count)?;
    spot.add(host(&parameters.get()?)?)
}

/// Adds a child graph: a clone of a graph as it is now.
pub fn add_child(
    out: Out<Address>,
    graph: Address,
    after: In<Address>,
    count: usize,
    child: Address,
) -> HipResult {
    let spot = NodeInsertion::new(out, graph, after, count)?;
    let clone = {
        let mut state = state();
        if child == graph {
            return Err(HipError::InvalidValue);
        }
        let clone = state.graphs.clone_graph(child)?;
        state.graphs.graph_mut(clone)?.is_child = true;
        clone
    };
    spot.add(NodeAction::Child(clone))
}

pub fn add_record(
    out: Out<Address>,
    graph: Address,
    after: In<Address>,
    count: usize,
    event: Address,
) -> HipResult {
    let spot = NodeInsertion::new(out, graph, after, count)?;
    event::check(event).map_err(|_| HipError::InvalidValue)?;
    spot.add(NodeAction::Record(event))
}

pub fn add_wait(
    out: Out<Address>,
    graph: Address,
    after: In<Address>,
    count: usize,
    event: Address,
) -> HipResult {
    let spot = NodeInsertion::new(out, graph, after, count)?;
    event::check(event).map_err(|_| HipError::InvalidValue)?;
    spot.add(NodeAction::Wait(event))
}
