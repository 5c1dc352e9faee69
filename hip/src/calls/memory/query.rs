//! Questions about memory.

use crate::boundary::{Address, Out};
use crate::card::{self, FIRST_ADDRESS, TOTAL};
use crate::error::{HipError, Outcome};
use crate::generation::{Generation, generation};
use crate::handles::CONTEXT;
use crate::objects::memory::Kind;
use crate::objects::memory_type::MemoryType;
use crate::runtime::state;

/// `hipPointerAttribute_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PointerAttributes {
    /// A number of [`MemoryType`].
    pub memory_type: u32,
    /// The device.
    pub device: i32,
    /// Where kernels reach it.
    pub device_pointer: Address,
    /// Where the host reaches it; 0: nowhere.
    pub host_pointer: Address,
    /// Whether it is managed.
    pub is_managed: i32,
    /// The flags it was asked for with.
    pub flags: u32,
}

/// `hipInvalidDeviceId`: where memory that HIP does not know is.
const NO_DEVICE: i32 = -2;

pub fn info(free: Out<usize>, total: Out<usize>) -> Outcome {
    if !free.is_null() {
        free.put(state().memory.left() as usize)?;
    }
    if !total.is_null() {
        total.put(TOTAL as usize)?;
    }
    Ok(())
}

pub fn total(out: Out<usize>, device: i32) -> Outcome {
    out.required()?;
    card::check(device)?;
    out.put(TOTAL as usize)
}

/// An allocation, or a variable of a module: base and size.
fn range(address: Address) -> Option<(Address, u64)> {
    let state = state();
    match state.memory.at(address) {
        Some(allocation) => Some((allocation.base, allocation.size)),
        None => state.gpu.allocation_at(address),
    }
}

pub fn address_range(base: Out<Address>, size: Out<usize>, address: Address) -> Outcome {
    let (from, bytes) = range(address).ok_or(HipError::InvalidValue)?;
    if !base.is_null() {
        base.put(from)?;
    }
    if !size.is_null() {
        size.put(bytes as usize)?;
    }
    Ok(())
}

pub fn size_of_allocation(address: Address, size: Out<usize>) -> Outcome {
    size.required()?;
    let (_, bytes) = range(address).ok_or(HipError::InvalidValue)?;
    size.put(bytes as usize)
}

pub fn attributes(out: Out<PointerAttributes>, address: Address) -> Outcome {
    out.required()?;
    match describe(address) {
        // From HIP 6 on, memory of the host that it does not know is an answer, and no error.
        Err(HipError::InvalidValue) if address != 0 && generation() >= Generation::Six => {
            out.put(PointerAttributes {
                memory_type: MemoryType::Unregistered.number(generation()),
                device: NO_DEVICE,
                ..PointerAttributes::default()
            })
        }
        found => out.put(found?),
    }
}

fn describe(address: Address) -> Outcome<PointerAttributes> {
    let allocation = state().memory.at(address);
    let Some(allocation) = allocation else {
        let (_, _) = range(address).ok_or(HipError::InvalidValue)?;
        return Ok(PointerAttributes {
            memory_type: MemoryType::Device.number(generation()),
            device_pointer: address,
            ..PointerAttributes::default()
        });
    };
    let host = if address < FIRST_ADDRESS { address } else { 0 };
    Ok(PointerAttributes {
        memory_type: MemoryType::of(allocation.kind).number(generation()),
        device: 0,
        device_pointer: address,
        host_pointer: host,
        is_managed: (allocation.kind == Kind::Managed) as i32,
        flags: allocation.flags,
    })
}

/// `hipPointerGetAttribute`: the attributes of `hipPointer_attribute` that mean something here.
pub fn attribute(out: Out<u8>, attribute: u32, address: Address) -> Outcome {
    out.required()?;
    let known = describe(address)?;
    let (start, size) = range(address).ok_or(HipError::InvalidValue)?;
    let wide = |value: u64| value.to_le_bytes().to_vec();
    let narrow = |value: i32| value.to_le_bytes().to_vec();
    let bytes = match attribute {
        1 => wide(CONTEXT),
        2 => narrow(known.memory_type as i32),
        3 => wide(known.device_pointer),
        4 if known.host_pointer == 0 => return Err(HipError::InvalidValue),
        4 => wide(known.host_pointer),
        8 => vec![known.is_managed as u8],
        9 => narrow(0),
        11 => wide(start),
        12 => wide(size),
        13 => vec![1],
        17 => wide(state().memory.pools.owner(start).unwrap_or(0)),
        _ => return Err(HipError::NotSupported),
    };
    (0..)
        .zip(bytes)
        .try_for_each(|(n, byte)| out.put_at(n, byte))
}
