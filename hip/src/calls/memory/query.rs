//! Questions about memory.

use crate::boundary::{Address, Out};
use crate::calls::stream;
use crate::card::{self, FIRST_ADDRESS, TOTAL};
use crate::error::{HipError, Outcome};
use crate::handles::CONTEXT;
use crate::objects::memory::Kind;
use crate::runtime::state;

/// `hipPointerAttribute_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PointerAttributes {
    /// 0: host, 1: device.
    pub memory_type: i32,
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
    out.put(describe(address)?)
}

fn describe(address: Address) -> Outcome<PointerAttributes> {
    let allocation = state().memory.at(address);
    let Some(allocation) = allocation else {
        let (_, _) = range(address).ok_or(HipError::InvalidValue)?;
        return Ok(PointerAttributes {
            memory_type: 1,
            device_pointer: address,
            ..PointerAttributes::default()
        });
    };
    let on_host = matches!(allocation.kind, Kind::Host | Kind::Registered);
    let host = if address < FIRST_ADDRESS { address } else { 0 };
    Ok(PointerAttributes {
        memory_type: if on_host { 0 } else { 1 },
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
        2 => narrow(known.memory_type),
        3 => wide(known.device_pointer),
        4 if known.host_pointer == 0 => return Err(HipError::InvalidValue),
        4 => wide(known.host_pointer),
        8 => vec![known.is_managed as u8],
        9 => narrow(0),
        11 => wide(start),
        12 => wide(size),
        13 => vec![1],
        _ => return Err(HipError::NotSupported),
    };
    (0..)
        .zip(bytes)
        .try_for_each(|(n, byte)| out.put_at(n, byte))
}

/// Managed memory is where it is needed already.
pub fn prefetch(address: Address, bytes: usize, device: i32, stream: Address) -> Outcome {
    const HOST: i32 = -1;
    if device != HOST {
        card::check(device)?;
    }
    stream::check(stream)?;
    managed(address, bytes)
}

/// Advice changes nothing here, but is checked.
pub fn advise(address: Address, bytes: usize, advice: u32, device: i32) -> Outcome {
    const HOST: i32 = -1;
    if !matches!(advice, 1..=6 | 100 | 101) {
        return Err(HipError::InvalidValue);
    }
    if device != HOST {
        card::check(device)?;
    }
    managed(address, bytes)
}

pub fn attach(stream: Address, address: Address, bytes: usize, flags: u32) -> Outcome {
    stream::check(stream)?;
    if address == 0 || ![1, 2, 4].contains(&flags) {
        return Err(HipError::InvalidValue);
    }
    managed(address, bytes)
}

fn managed(address: Address, bytes: usize) -> Outcome {
    match state().memory.at(address) {
        Some(a) if a.kind == Kind::Managed && a.size - (address - a.base) >= bytes as u64 => Ok(()),
        _ => Err(HipError::InvalidValue),
    }
}
