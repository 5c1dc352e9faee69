//! Nodes of any kind: `hipGraphAddNode` and the driver's functions.

use super::memory::{self, Allocation};
use super::node::{self, NodeInsertion};
use super::params::{self, HostParameters, KernelParameters, MemsetParameters};
use super::set::{EditTarget, child_step, replace, replace_copy};
use crate::boundary::{Address, In, Out, host_value, put_bytes};
use crate::calls::memory::pitched::Copy3d;
use crate::error::{HipError, HipResult};
use crate::objects::graph::NodeAction;

/// Offset of a node's parameters in `hipGraphNodeParams`, behind the kind.
const PARAMETERS: Address = 16;
/// Offset of a copy's parameters, which come behind flags of their own.
const COPY: Address = PARAMETERS + 16;

/// Parameters of a node, by the kinds that `hipGraphNodeType` numbers.
enum NodeParameters {
    Kernel(KernelParameters),
    Copy(Copy3d),
    Fill(MemsetParameters),
    Host(HostParameters),
    Child(Address),
    Empty,
    Wait(Address),
    Record(Address),
    Allocate(Allocation),
    Free(Address),
}

/// Reads `hipGraphNodeParams`.
fn wanted(at: Address) -> HipResult<NodeParameters> {
    let kind: u32 = host_value(at)?;
    let inner = at + PARAMETERS;
    Ok(match kind {
        0 => NodeParameters::Kernel(host_value(inner)?),
        1 => NodeParameters::Copy(host_value(at + COPY)?),
        2 => NodeParameters::Fill(host_value(inner)?),
        3 => NodeParameters::Host(host_value(inner)?),
        4 => NodeParameters::Child(host_value(inner)?),
        5 => NodeParameters::Empty,
        6 => NodeParameters::Wait(host_value(inner)?),
        7 => NodeParameters::Record(host_value(inner)?),
        10 => NodeParameters::Allocate(host_value(inner)?),
        11 => NodeParameters::Free(host_value(inner)?),
        // Semaphores of other APIs.
        8 | 9 => return Err(HipError::NotSupported),
        _ => return Err(HipError::InvalidValue),
    })
}

impl NodeParameters {
    /// Returns the operation of a node in a graph. The node of an allocation is made in a way of its own.
    fn action(&self, graph: Address) -> HipResult<NodeAction> {
        match self {
            NodeParameters::Kernel(p) => params::kernel(p),
            NodeParameters::Copy(p) => params::planes(p),
            NodeParameters::Fill(p) => params::fill(p),
            NodeParameters::Host(p) => params::host(p),
            NodeParameters::Child(child) => params::child(graph, *child),
            NodeParameters::Empty => Ok(NodeAction::Empty),
            NodeParameters::Wait(event) => params::wait(*event),
            NodeParameters::Record(event) => params::record(*event),
            NodeParameters::Free(address) => params::free(*address),
            NodeParameters::Allocate(_) => Err(HipError::InvalidValue),
        }
    }
}

pub fn add(
    out: Out<Address>,
    graph: Address,
    after: In<Address>,
    count: usize,
    parameters: Address,
) -> HipResult {
    let wanted = wanted(parameters)?;
    if let NodeParameters::Allocate(p) = &wanted {
        let address = memory::add(NodeInsertion::new(out, graph, after, count)?, p)?;
        let at = parameters + PARAMETERS + memory::ADDRESS;
        return put_bytes(at, &address.to_le_bytes());
    }
    node::add(out, graph, after, count, || wanted.action(graph))
}

/// `hipGraphNodeSetParams` and `hipGraphExecNodeSetParams`.
pub fn set(place: EditTarget, node: Address, parameters: Address) -> HipResult {
    match (wanted(parameters)?, place) {
        (NodeParameters::Child(child), EditTarget::Exec(exec)) => child_step(exec, node, child),
        (
            NodeParameters::Child(_)
            | NodeParameters::Empty
            | NodeParameters::Allocate(_)
            | NodeParameters::Free(_),
            _,
        ) => Err(HipError::InvalidValue),
        (NodeParameters::Copy(p), _) => replace_copy(place, node, params::planes(&p)?),
        (wanted, _) => replace(place, node, wanted.action(0)?),
    }
}
