//! Nodes that allocate and free memory.
//!
//! The memory exists, at a fixed address, from the creation of its node until the graph and every executable graph made from it are
//! destroyed. A free, by a node or by a call, marks the content as unused and changes nothing else.

use super::node::NodeInsertion;
use super::params::what;
use crate::boundary::{Address, In, Out};
use crate::calls::memory::pool::{Access, PoolProperties, memory_of_graph};
use crate::card;
use crate::error::{HipError, HipResult};
use crate::objects::graph::NodeAction;
use crate::runtime::state;

/// `hipMemAllocNodeParams`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Allocation {
    pool: PoolProperties,
    /// Other fields of `hipMemPoolProps`.
    rest: [u64; 7],
    access: In<Access>,
    accesses: usize,
    bytes: usize,
    address: Address,
}

/// Offset of the address in `hipMemAllocNodeParams`.
pub const ADDRESS: Address = std::mem::offset_of!(Allocation, address) as Address;

pub fn add_allocation(
    out: Out<Address>,
    graph: Address,
    after: In<Address>,
    count: usize,
    parameters: Out<Allocation>,
) -> HipResult {
    let mut p = parameters.get()?;
    p.address = 0;
    parameters.put(p)?;
    p.address = add(NodeInsertion::new(out, graph, after, count)?, &p)?;
    parameters.put(p)
}

/// Adds a node that allocates memory and returns the memory's address.
pub fn add(spot: NodeInsertion, p: &Allocation) -> HipResult<Address> {
    p.pool.check()?;
    let address = memory_of_graph("hipGraphAddMemAllocNode", spot.graph(), p.bytes)?;
    spot.add(NodeAction::Allocate(address, p.bytes))?;
    Ok(address)
}

/// Stores the parameters of an allocating node: pinned memory of the only device.
pub fn get_allocation(node: Address, out: Out<Allocation>) -> HipResult {
    out.required()?;
    let NodeAction::Allocate(address, bytes) = what(node)? else {
        return Err(HipError::InvalidValue);
    };
    out.put(Allocation {
        pool: PoolProperties::of_device(),
        rest: [0; 7],
        access: In::null(),
        accesses: 0,
        bytes,
        address,
    })
}

pub fn get_free(node: Address, out: Out<Address>) -> HipResult {
    out.required()?;
    match what(node)? {
        NodeAction::Free(address) => out.put(address),
        _ => Err(HipError::InvalidValue),
    }
}

/// Numbers of `hipGraphMemAttributeType`. All memory that graphs have is in use until it goes back.
mod attribute {
    pub const USED: u32 = 0;
    pub const USED_HIGH: u32 = 1;
    pub const RESERVED: u32 = 2;
    pub const RESERVED_HIGH: u32 = 3;
}

/// `hipDeviceGetGraphMemAttribute`: stores bytes of the memory that graphs own.
pub fn get_attribute(device: i32, number: u32, out: Out<u64>) -> HipResult {
    card::check(device)?;
    out.required()?;
    let bytes = state().graphs.memory.bytes;
    match number {
        attribute::USED | attribute::RESERVED => out.put(bytes.now),
        attribute::USED_HIGH | attribute::RESERVED_HIGH => out.put(bytes.high),
        _ => Err(HipError::InvalidValue),
    }
}

/// `hipDeviceSetGraphMemAttribute`: 0 sets a highest value back to the current one.
pub fn set_attribute(device: i32, number: u32, value: In<u64>) -> HipResult {
    card::check(device)?;
    match (number, value.get()?) {
        (attribute::USED_HIGH | attribute::RESERVED_HIGH, 0) => {
            let bytes = &mut state().graphs.memory.bytes;
            bytes.high = bytes.now;
            Ok(())
        }
        _ => Err(HipError::InvalidValue),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected layout is the C compiler's, for the headers of 5.5 and 6.0.
    #[test]
    fn the_layout_is_the_headers() {
        assert_eq!(size_of::<Allocation>(), 120);
        assert_eq!(std::mem::offset_of!(Allocation, bytes), 104);
    }
}
