//! Conversion between HIP's parameter structures and nodes.

use super::node::check_copy;
use crate::boundary::{Address, Callback, In, Out};
use crate::calls::event;
use crate::calls::launch::entries::kernel_of;
use crate::calls::launch::{LaunchRequest, prepare};
use crate::calls::memory::{driver, pitched, set};
use crate::error::{HipError, HipResult};
use crate::objects::graph::NodeAction;
use crate::objects::shape::Dim3;
use crate::objects::work::{Fill, Host, HostFunction, Rows, Size, Work};
use crate::runtime::state;

/// `hipKernelNodeParams`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct KernelParameters {
    block: Dim3,
    extra: In<Address>,
    function: Address,
    grid: Dim3,
    arguments: In<Address>,
    lds: u32,
}

/// `hipMemsetParams`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MemsetParameters {
    to: Address,
    element: u32,
    height: usize,
    pitch: usize,
    value: u32,
    width: usize,
}

/// `hipHostNodeParams`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HostParameters {
    function: Callback<HostFunction>,
    data: Address,
}

/// Returns the kernel of a node, named by a host function or by a module's function.
pub fn kernel(p: &KernelParameters) -> HipResult<NodeAction> {
    if p.function == 0 {
        return Err(HipError::InvalidValue);
    }
    let function = kernel_of(p.function)?;
    let request = LaunchRequest {
        parameters: p.arguments,
        extra: p.extra,
        ..LaunchRequest::new(p.grid, p.block, p.lds.into(), 0)
    };
    let prepared = prepare(&function, p.function, &request)?;
    Ok(NodeAction::Work(Work::Kernel(prepared)))
}

pub fn planes(p: &pitched::Copy3d) -> HipResult<NodeAction> {
    check_copy(pitched::planes(p)?)
}

pub fn fill(p: &MemsetParameters) -> HipResult<NodeAction> {
    let element = p.element as usize;
    let width = p.width.checked_mul(element);
    let width = width.ok_or(HipError::InvalidValue)?;
    let is_valid = [1, 2, 4].contains(&element) && p.to != 0 && width > 0 && p.height > 0;
    if !is_valid || (p.height > 1 && width > p.pitch) {
        return Err(HipError::InvalidValue);
    }
    let fill = Fill {
        to: Rows {
            start: p.to,
            pitch: p.pitch,
            plane: 0,
        },
        size: Size {
            width,
            height: p.height,
            depth: 1,
        },
        value: p.value,
        element,
    };
    set::check(&fill)?;
    Ok(NodeAction::Work(Work::Fill(fill)))
}

pub fn host(p: &HostParameters) -> HipResult<NodeAction> {
    let function = p.function.ok_or(HipError::InvalidValue)?;
    Ok(NodeAction::Work(Work::Host(Host::Function(
        function, p.data,
    ))))
}

/// Returns a child graph: a clone of a graph as it is now.
pub fn child(graph: Address, child: Address) -> HipResult<NodeAction> {
    let mut state = state();
    if child == graph {
        return Err(HipError::InvalidValue);
    }
    let clone = state.graphs.clone_graph(child)?;
    state.graphs.graph_mut(clone)?.is_child = true;
    Ok(NodeAction::Child(clone))
}

pub fn record(event: Address) -> HipResult<NodeAction> {
    event::check(event).map_err(|_| HipError::InvalidValue)?;
    Ok(NodeAction::Record(event))
}

pub fn wait(event: Address) -> HipResult<NodeAction> {
    event::check(event).map_err(|_| HipError::InvalidValue)?;
    Ok(NodeAction::Wait(event))
}

pub fn free(address: Address) -> HipResult<NodeAction> {
    if !state().graphs.memory.contains(address) {
        return Err(HipError::InvalidValue);
    }
    Ok(NodeAction::Free(address))
}

/// Returns a node's operation. Fails if the handle is no node.
pub fn what(node: Address) -> HipResult<NodeAction> {
    Ok(state().graphs.node(node)?.what.clone())
}

/// Returns a node's work. Fails if the node does no work.
fn work(node: Address) -> HipResult<Work> {
    match what(node)? {
        NodeAction::Work(work) => Ok(work),
        _ => Err(HipError::InvalidValue),
    }
}

/// Stores a kernel node's parameters. The pointers to arguments are valid until the node's parameters change.
pub fn get_kernel(node: Address, out: Out<KernelParameters>) -> HipResult {
    out.required()?;
    let Work::Kernel(kernel) = work(node)? else {
        return Err(HipError::InvalidValue);
    };
    let first = kernel.kernarg.as_ptr().expose_provenance() as Address;
    let arguments = kernel.function.kernel()?.explicit_args();
    let pointers = arguments.map(|arg| first + Address::from(arg.offset));
    let mut state = state();
    let node = state.graphs.node_mut(node)?;
    node.shown = pointers.collect();
    let dim = |[x, y, z]: [u32; 3]| Dim3 { x, y, z };
    out.put(KernelParameters {
        block: dim(kernel.shape.block),
        extra: In::null(),
        function: kernel.named,
        grid: dim(kernel.shape.grid),
        arguments: In::from_slice(&node.shown),
        lds: kernel.shape.dynamic_lds as u32,
    })
}

pub fn get_copy(node: Address, out: Out<pitched::Copy3d>) -> HipResult {
    out.required()?;
    let Work::Copy(copy) = work(node)? else {
        return Err(HipError::InvalidValue);
    };
    out.put(pitched::parameters(&copy))
}

pub fn get_driver_copy(node: Address, out: Out<u8>) -> HipResult {
    out.required()?;
    let Work::Copy(copy) = work(node)? else {
        return Err(HipError::InvalidValue);
    };
    driver::put(out, &copy)
}

pub fn get_fill(node: Address, out: Out<MemsetParameters>) -> HipResult {
    out.required()?;
    let Work::Fill(fill) = work(node)? else {
        return Err(HipError::InvalidValue);
    };
    out.put(MemsetParameters {
        to: fill.to.start,
        element: fill.element as u32,
        height: fill.size.height,
        pitch: fill.to.pitch,
        value: fill.value,
        width: fill.size.width / fill.element,
    })
}

pub fn get_host(node: Address, out: Out<HostParameters>) -> HipResult {
    out.required()?;
    let Work::Host(Host::Function(function, data)) = work(node)? else {
        return Err(HipError::InvalidValue);
    };
    out.put(HostParameters {
        function: Some(function),
        data,
    })
}

pub fn get_child(node: Address, out: Out<Address>) -> HipResult {
    out.required()?;
    match what(node)? {
        NodeAction::Child(graph) => out.put(graph),
        _ => Err(HipError::InvalidValue),
    }
}

pub fn get_record(node: Address, out: Out<Address>) -> HipResult {
    out.required()?;
    match what(node)? {
        NodeAction::Record(event) => out.put(event),
        _ => Err(HipError::InvalidValue),
    }
}

pub fn get_wait(node: Address, out: Out<Address>) -> HipResult {
    out.required()?;
    match what(node)? {
        NodeAction::Wait(event) => out.put(event),
        _ => Err(HipError::InvalidValue),
    }
}
