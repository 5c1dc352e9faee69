//! Queries about memory.

use crate::boundary::{Address, In, Out};
use crate::card::{self, FIRST_ADDRESS, TOTAL};
use crate::error::{HipError, HipResult};
use crate::generation::{Generation, generation};
use crate::handles::CONTEXT;
use crate::objects::memory::Kind;
use crate::objects::memory_type::MemoryType;
use crate::runtime::state;

/// `hipPointerAttribute_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PointerAttributes {
    /// Number of a [`MemoryType`].
    pub memory_type: u32,
    /// Number of the device.
    pub device: i32,
    /// Address for kernels.
    pub device_pointer: Address,
    /// Address for the host, or 0.
    pub host_pointer: Address,
    /// 1 for managed memory.
    pub is_managed: i32,
    /// Flags of the allocation.
    pub flags: u32,
}

/// `hipInvalidDeviceId`: the device number of memory that HIP does not know.
const NO_DEVICE: i32 = -2;

pub fn info(free: Out<usize>, total: Out<usize>) -> HipResult {
    free.put_unless_null(state().memory.left() as usize)?;
    total.put_unless_null(TOTAL as usize)
}

pub fn total(out: Out<usize>, device: i32) -> HipResult {
    out.required()?;
    card::check(device)?;
    out.put(TOTAL as usize)
}

/// Returns base and size of the allocation or module variable at an address.
fn range(address: Address) -> Option<(Address, u64)> {
    let state = state();
    match state.memory.allocation_at(address) {
        Some(allocation) => Some((allocation.base, allocation.size)),
        None => state.gpu.allocation_at(address),
    }
}

pub fn address_range(base: Out<Address>, size: Out<usize>, address: Address) -> HipResult {
    let (from, bytes) = range(address).ok_or(HipError::NotFound)?;
    base.put_unless_null(from)?;
    size.put_unless_null(bytes as usize)
}

pub fn size_of_allocation(address: Address, size: Out<usize>) -> HipResult {
    size.required()?;
    let (_, bytes) = range(address).ok_or(HipError::InvalidValue)?;
    size.put(bytes as usize)
}

pub fn attributes(out: Out<PointerAttributes>, address: Address) -> HipResult {
    out.required()?;
    match describe(address) {
        // From HIP 6 on, unknown host memory is a valid answer instead of an error.
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

fn describe(address: Address) -> HipResult<PointerAttributes> {
    let allocation = state().memory.allocation_at(address);
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
        memory_type: MemoryType::from_kind(allocation.kind).number(generation()),
        device: 0,
        device_pointer: address,
        host_pointer: host,
        is_managed: (allocation.kind == Kind::Managed) as i32,
        flags: allocation.flags,
    })
}

/// Returns the bytes of a `hipPointer_attribute`. For memory that HIP does not know they are zeros.
fn value(
    attribute: u32,
    known: Option<&PointerAttributes>,
    (start, size): (Address, u64),
) -> Option<Vec<u8>> {
    let wide = |value: u64| value.to_le_bytes().to_vec();
    let narrow = |value: i32| value.to_le_bytes().to_vec();
    let none = PointerAttributes::default();
    let of = known.unwrap_or(&none);
    Some(match attribute {
        1 => wide(known.map_or(0, |_| CONTEXT)),
        2 => narrow(of.memory_type as i32),
        3 => wide(of.device_pointer),
        4 => wide(of.host_pointer),
        8 => vec![of.is_managed as u8],
        9 => narrow(of.device),
        11 => wide(start),
        12 => wide(size),
        13 => vec![u8::from(known.is_some())],
        17 => wide(state().memory.pools.owner(start).unwrap_or(0)),
        _ => return None,
    })
}

fn put_all(out: Out<u8>, bytes: Vec<u8>) -> HipResult {
    (0..)
        .zip(bytes)
        .try_for_each(|(n, byte)| out.put_at(n, byte))
}

/// `hipPointerGetAttribute`.
pub fn attribute(out: Out<u8>, attribute: u32, address: Address) -> HipResult {
    const HOST_POINTER: u32 = 4;
    out.required()?;
    let description = describe(address)?;
    let range = range(address).ok_or(HipError::InvalidValue)?;
    if attribute == HOST_POINTER && description.host_pointer == 0 {
        return Err(HipError::InvalidValue);
    }
    let bytes = value(attribute, Some(&description), range);
    put_all(out, bytes.ok_or(HipError::NotSupported)?)
}

/// `hipDrvPointerGetAttributes`: an attribute that an address does not have is returned as zeros, without an error.
pub fn attributes_by_driver(
    count: u32,
    attributes: In<u32>,
    out: In<Out<u8>>,
    address: Address,
) -> HipResult {
    if count == 0 || attributes.is_null() || out.is_null() || address == 0 {
        return Err(HipError::InvalidValue);
    }
    let description = describe(address).ok();
    let range = range(address).unwrap_or((0, 0));
    for n in 0..count as usize {
        let place = out.nth(n)?.required()?;
        if let Some(bytes) = value(attributes.nth(n)?, description.as_ref(), range) {
            put_all(place, bytes)?;
        }
    }
    Ok(())
}
