//! Functions that add nodes to a graph.

use super::list;
use crate::boundary::{Address, In, Out};
use crate::calls::memory::copy::{self, DEVICE_TO_DEVICE_NO_CU};
use crate::calls::symbol::DEVICE_TO_DEVICE;
use crate::calls::work::{MemoryPlace, place};
use crate::error::{HipError, HipResult};
use crate::objects::graph::NodeAction;
use crate::objects::work::{Copy, CopyForm, Work};
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

/// Checks the copy of a node. A copy of planes may be empty, a copy of a row may not.
pub fn check_copy(copy: Copy) -> HipResult<NodeAction> {
    if !copy.size.is_empty() {
        copy::check(&copy)?;
    } else if copy.form != CopyForm::Planes {
        return Err(HipError::InvalidValue);
    }
    Ok(NodeAction::Work(Work::Copy(copy)))
}

/// Checks a node's copy between a variable and memory. The variable's name on the host is no memory, and a copy within the device takes no
/// memory of the host.
pub fn check_symbol_copy(copy: Copy) -> HipResult<NodeAction> {
    let (memory, mismatch) = match copy.form {
        CopyForm::FromSymbol => (copy.to.start, HipError::InvalidMemcpyDirection),
        _ => (copy.from.start, HipError::InvalidValue),
    };
    if state().variable_of(memory).is_ok() {
        return Err(HipError::InvalidValue);
    }
    let within_device = [DEVICE_TO_DEVICE, DEVICE_TO_DEVICE_NO_CU].contains(&copy.direction);
    let of_host = || place(memory, copy.size.width as u64) == Ok(MemoryPlace::Host);
    if within_device && of_host() {
        return Err(mismatch);
    }
    check_copy(copy)
}

/// Checks the copy of a row that a node gets in place of another. It must not be onto itself.
pub fn check_replacement(copy: Copy) -> HipResult<NodeAction> {
    if copy.to.start == copy.from.start {
        return Err(HipError::InvalidValue);
    }
    check_copy(copy)
}

/// Adds a node. Its operation is made after the check of the insertion point.
pub fn add(
    out: Out<Address>,
    graph: Address,
    after: In<Address>,
    count: usize,
    what: impl FnOnce() -> HipResult<NodeAction>,
) -> HipResult {
    let spot = NodeInsertion::new(out, graph, after, count)?;
    spot.add(what()?)
}
