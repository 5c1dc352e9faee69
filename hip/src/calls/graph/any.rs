//! Nodes of any kind: `hipGraphAddNode` and the driver's functions.

use super::memory::{self, Allocation};
use super::node::{
    Spot, add_child, add_copy, add_fill, add_host, add_kernel, add_record, add_wait, checked, empty,
};
use super::params::{HostParameters, KernelParameters, MemsetParameters, fill};
use super::set::{
    child_step, copy_node, copy_node_to, copy_step, copy_step_to, fill_node, fill_step, host_node,
    host_step, kernel_node, kernel_step, record_node, record_step, wait_node, wait_step,
};
use crate::boundary::{Address, In, Out, host_value, put_bytes};
use crate::calls::memory::driver::planes;
use crate::calls::memory::pitched::Copy3d;
use crate::error::{HipError, Outcome};

/// Offset of a node's parameters in `hipGraphNodeParams`, behind the kind.
const PARAMETERS: Address = 16;
/// Offset of a copy's parameters, which come behind flags of their own.
const COPY: Address = PARAMETERS + 16;

/// Parameters of a node, by the kinds that `hipGraphNodeType` numbers.
enum Wanted {
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
fn wanted(at: Address) -> Outcome<Wanted> {
    let kind: u32 = host_value(at)?;
    let inner = at + PARAMETERS;
    Ok(match kind {
        0 => Wanted::Kernel(host_value(inner)?),
        1 => Wanted::Copy(host_value(at + COPY)?),
        2 => Wanted::Fill(host_value(inner)?),
        3 => Wanted::Host(host_value(inner)?),
        4 => Wanted::Child(host_value(inner)?),
        5 => Wanted::Empty,
        6 => Wanted::Wait(host_value(inner)?),
        7 => Wanted::Record(host_value(inner)?),
        10 => Wanted::Allocate(host_value(inner)?),
        11 => Wanted::Free(host_value(inner)?),
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
) -> Outcome {
    match wanted(parameters)? {
        Wanted::Kernel(p) => add_kernel(out, graph, after, count, In::of(&[p])),
        Wanted::Copy(p) => add_copy(out, graph, after, count, In::of(&[p])),
        Wanted::Fill(p) => add_fill(out, graph, after, count, In::of(&[p])),
        Wanted::Host(p) => add_host(out, graph, after, count, In::of(&[p])),
        Wanted::Child(child) => add_child(out, graph, after, count, child),
        Wanted::Empty => empty(out, graph, after, count),
        Wanted::Wait(event) => add_wait(out, graph, after, count, event),
        Wanted::Record(event) => add_record(out, graph, after, count, event),
        Wanted::Allocate(p) => {
            let address = memory::add(Spot::new(out, graph, after, count)?, &p)?;
            let at = parameters + PARAMETERS + memory::ADDRESS;
            put_bytes(at, &address.to_le_bytes())
        }
        Wanted::Free(address) => memory::add_free(out, graph, after, count, address),
    }
}

/// `hipGraphNodeSetParams`.
pub fn set_node(node: Address, parameters: Address) -> Outcome {
    match wanted(parameters)? {
        Wanted::Kernel(p) => kernel_node(node, In::of(&[p])),
        Wanted::Copy(p) => copy_node(node, In::of(&[p])),
        Wanted::Fill(p) => fill_node(node, In::of(&[p])),
        Wanted::Host(p) => host_node(node, In::of(&[p])),
        Wanted::Wait(event) => wait_node(node, event),
        Wanted::Record(event) => record_node(node, event),
        Wanted::Child(_) | Wanted::Empty | Wanted::Allocate(_) | Wanted::Free(_) => {
            Err(HipError::InvalidValue)
        }
    }
}

/// `hipGraphExecNodeSetParams`.
pub fn set_step(exec: Address, node: Address, parameters: Address) -> Outcome {
    match wanted(parameters)? {
        Wanted::Kernel(p) => kernel_step(exec, node, In::of(&[p])),
        Wanted::Copy(p) => copy_step(exec, node, In::of(&[p])),
        Wanted::Fill(p) => fill_step(exec, node, In::of(&[p])),
        Wanted::Host(p) => host_step(exec, node, In::of(&[p])),
        Wanted::Child(child) => child_step(exec, node, child),
        Wanted::Wait(event) => wait_step(exec, node, event),
        Wanted::Record(event) => record_step(exec, node, event),
        Wanted::Empty | Wanted::Allocate(_) | Wanted::Free(_) => Err(HipError::InvalidValue),
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
) -> Outcome {
    let spot = Spot::new(out, graph, after, count)?;
    spot.add(checked(planes(parameters)?)?)
}

pub fn add_driver_fill(
    out: Out<Address>,
    graph: Address,
    after: In<Address>,
    count: usize,
    parameters: In<MemsetParameters>,
    _context: Address,
) -> Outcome {
    let spot = Spot::new(out, graph, after, count)?;
    spot.add(fill(&parameters.get()?)?)
}

pub fn set_driver_copy(node: Address, parameters: Address) -> Outcome {
    copy_node_to(node, checked(planes(parameters)?)?)
}

pub fn set_driver_copy_step(
    exec: Address,
    node: Address,
    parameters: Address,
    _context: Address,
) -> Outcome {
    copy_step_to(exec, node, checked(planes(parameters)?)?)
}

pub fn set_driver_fill_step(
    exec: Address,
    node: Address,
    parameters: In<MemsetParameters>,
    _context: Address,
) -> Outcome {
    fill_step(exec, node, parameters)
}
