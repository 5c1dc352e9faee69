//! Nodes of any kind: `hipGraphAddNode` and the driver's functions.

use super::memory::{self, Allocation};
use super::node::{
    NodeInsertion, add_child, add_copy, add_fill, add_host, add_kernel, add_record, add_wait,
    check_copy, empty,
};
use super::params::{HostParameters, KernelParameters, MemsetParameters, fill};
use super::set::{
    child_step, copy_node, copy_node_to, copy_step, copy_step_to, fill_node, fill_step, host_node,
    host_step, kernel_node, kernel_step, record_node, record_step, wait_node, wait_step,
};
use crate::boundary::{Address, In, Out, host_value, put_bytes};
use crate::calls::memory::driver::planes;
use crate::calls::memory::pitched::Copy3d;
use crate::error::{HipError, HipResult};

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

pub fn add(
    out: Out<Address>,
    graph: Address,
    after: In<Address>,
    count: usize,
    parameters: Address,
) -> HipResult {
    match wanted(parameters)? {
        NodeParameters::Kernel(p) => add_kernel(out, graph, after, count, In::from_slice(&[p])),
        NodeParameters::Copy(p) => add_copy(out, graph, after, count, In::from_slice(&[p])),
        NodeParameters::Fill(p) => add_fill(out, graph, after, count, In::from_slice(&[p])),
        NodeParameters::Host(p) => add_host(out, graph, after, count, In::from_slice(&[p])),
        NodeParameters::Child(child) => add_child(out, graph, after, count, child),
        NodeParameters::Empty => empty(out, graph, after, count),
        NodeParameters::Wait(event) => add_wait(out, graph, after, count, event),
        NodeParameters::Record(event) => add_record(out, graph, after, count, event),
        NodeParameters::Allocate(p) => {
            let address = memory::add(NodeInsertion::new(out, graph, after, count)?, &p)?;
            let at = parameters + PARAMETERS + memory::ADDRESS;
            put_bytes(at, &address.to_le_bytes())
        }
        NodeParameters::Free(address) => memory::add_free(out, graph, after, count, address),
    }
}

/// `hipGraphNodeSetParams`.
pub fn set_node(node: Address, parameters: Address) -> HipResult {
    match wanted(parameters)? {
        NodeParameters::Kernel(p) => kernel_node(node, In::from_slice(&[p])),
        NodeParameters::Copy(p) => copy_node(node, In::from_slice(&[p])),
        NodeParameters::Fill(p) => fill_node(node, In::from_slice(&[p])),
        NodeParameters::Host(p) => host_node(node, In::from_slice(&[p])),
        NodeParameters::Wait(event) => wait_node(node, event),
        NodeParameters::Record(event) => record_node(node, event),
        NodeParameters::Child(_)
        | NodeParameters::Empty
        | NodeParameters::Allocate(_)
        | NodeParameters::Free(_) => Err(HipError::InvalidValue),
    }
}

/// `hipGraphExecNodeSetParams`.
pub fn set_step(exec: Address, node: Address, parameters: Address) -> HipResult {
    match wanted(parameters)? {
        NodeParameters::Kernel(p) => kernel_step(exec, node, In::from_slice(&[p])),
        NodeParameters::Copy(p) => copy_step(exec, node, In::from_slice(&[p])),
        NodeParameters::Fill(p) => fill_step(exec, node, In::from_slice(&[p])),
        NodeParameters::Host(p) => host_step(exec, node, In::from_slice(&[p])),
        NodeParameters::Child(child) => child_step(exec, node, child),
        NodeParameters::Wait(event) => wait_step(exec, node, event),
        NodeParameters::Record(event) => record_step(exec, node, event),
        NodeParameters::Empty | NodeParameters::Allocate(_) | NodeParameters::Free(_) => {
            Err(HipError::InvalidValue)
        }
    }
}

/// `hipDrvGraphAddMemcpyNode`. The context is ignored, as there is only one.
pub fn add_driver_copy(
    out: Out<Address>,
    graph: Address,
    after: In<Address>,
    count: usize,
    parameters: Address,
    _context: Address,
) -> HipResult {
    let spot = NodeInsertion::new(out, graph, after, count)?;
    spot.add(check_copy(planes(parameters)?)?)
}

pub fn add_driver_fill(
    out: Out<Address>,
    graph: Address,
    after: In<Address>,
    count: usize,
    parameters: In<MemsetParameters>,
    _context: Address,
) -> HipResult {
    let spot = NodeInsertion::new(out, graph, after, count)?;
    spot.add(fill(&parameters.get()?)?)
}

pub fn set_driver_copy(node: Address, parameters: Address) -> HipResult {
    copy_node_to(node, check_copy(planes(parameters)?)?)
}

pub fn set_driver_copy_step(
    exec: Address,
    node: Address,
    parameters: Address,
    _context: Address,
) -> HipResult {
    copy_step_to(exec, node, check_copy(planes(parameters)?)?)
}

pub fn set_driver_fill_step(
    exec: Address,
    node: Address,
    parameters: In<MemsetParameters>,
    _context: Address,
) -> HipResult {
    fill_step(exec, node, parameters)
}
