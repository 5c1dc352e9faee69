//! Queries about memory.

use crate::boundary::{Address, In, Out};
use crate::card::{self, FIRST_ADDRESS, TOTAL};
use crate::error::{HipError, HipResult};
use crate::generation::{Generation, generation};
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
pub(super) fn range(address: Address) -> Option<(Address, u64)> {
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

/// Numbers of `hipPointer_attribute`.
mod attribute {
    pub const MEMORY_TYPE: u32 = 2;
    pub const DEVICE_POINTER: u32 = 3;
    pub const HOST_POINTER: u32 = 4;
    pub const SYNC_MEMOPS: u32 = 6;
    pub const BUFFER_ID: u32 = 7;
    pub const IS_MANAGED: u32 = 8;
    pub const DEVICE_ORDINAL: u32 = 9;
    pub const RANGE_START: u32 = 11;
    pub const RANGE_SIZE: u32 = 12;
    pub const MAPPED: u32 = 13;
    pub const ACCESS_FLAGS: u32 = 16;
    /// Attributes that HIP names and does not answer: context, tokens of peers, handles for other processes, the pool.
    pub const UNANSWERED: [u32; 6] = [1, 5, 10, 14, 15, 17];
}

/// Memory behind a pointer, as the attributes describe it. Memory that HIP does not know has zeros.
struct PointerDescription {
    known: bool,
    attributes: PointerAttributes,
    /// First address and bytes of the allocation.
    range: (Address, u64),
    /// Number of the allocation.
    id: u32,
}

impl PointerDescription {
    fn new(address: Address) -> PointerDescription {
        let (attributes, range) = (describe(address), range(address));
        let allocation = state().memory.allocation_at(address);
        // Variables of modules are no allocations of the table. They have numbers beyond those of calls.
        let variable = |base: Address| 1 << 31 | (base >> 3) as u32;
        PointerDescription {
            known: attributes.is_ok(),
            attributes: attributes.unwrap_or(PointerAttributes {
                device: NO_DEVICE,
                ..PointerAttributes::default()
            }),
            range: range.unwrap_or((0, 0)),
            id: match (allocation, range) {
                (Some(allocation), _) => allocation.call as u32,
                (None, Some((base, _))) => variable(base),
                (None, None) => 0,
            },
        }
    }

    /// Returns the bytes of a `hipPointer_attribute`, as many as AMD's runtime writes. The result is none for an attribute without an answer.
    fn value(&self, attribute: u32) -> Option<Vec<u8>> {
        let pointer = |value: Address| value.to_le_bytes().to_vec();
        let number = |value: u32| value.to_le_bytes().to_vec();
        Some(match attribute {
            attribute::MEMORY_TYPE => number(self.attributes.memory_type),
            attribute::DEVICE_POINTER => pointer(self.attributes.device_pointer),
            attribute::HOST_POINTER => pointer(self.attributes.host_pointer),
            attribute::SYNC_MEMOPS => {
                vec![u8::from(state().memory.synchronous.contains(&self.range.0))]
            }
            attribute::BUFFER_ID => number(self.id),
            attribute::IS_MANAGED => vec![self.attributes.is_managed as u8],
            attribute::DEVICE_ORDINAL => number(self.attributes.device as u32),
            attribute::RANGE_START => pointer(self.range.0),
            // A range of 4 GiB and more has the low half of its size, since the caller's variable has 32 bits.
            attribute::RANGE_SIZE => number(self.range.1 as u32),
            attribute::MAPPED => vec![u8::from(self.known)],
            attribute::ACCESS_FLAGS => number(self.attributes.flags),
            _ => return None,
        })
    }
}

fn put_all(out: Out<u8>, bytes: Vec<u8>) -> HipResult {
    (0..)
        .zip(bytes)
        .try_for_each(|(n, byte)| out.put_at(n, byte))
}

/// `hipPointerGetAttribute`.
pub fn attribute(out: Out<u8>, attribute: u32, address: Address) -> HipResult {
    out.required()?;
    if attribute::UNANSWERED.contains(&attribute) {
        return Err(HipError::NotSupported);
    }
    if attribute == attribute::MEMORY_TYPE && state().memory.arrays.get(address).is_some() {
        let number = MemoryType::Array.number(generation());
        return put_all(out, number.to_le_bytes().to_vec());
    }
    let described = PointerDescription::new(address);
    let bytes = described.value(attribute).ok_or(HipError::InvalidValue)?;
    if address == 0 {
        return Err(HipError::InvalidValue);
    }
    put_all(out, bytes)?;
    let absent = attribute == attribute::HOST_POINTER && described.attributes.host_pointer == 0;
    if !described.known || absent {
        return Err(HipError::InvalidValue);
    }
    Ok(())
}

/// `hipPointerSetAttribute`: the only attribute says that copies of an allocation's memory are synchronous, also those within the device.
pub fn set_attribute(value: In<u32>, attribute: u32, address: Address) -> HipResult {
    let value = value.get()?;
    if address == 0 || attribute != attribute::SYNC_MEMOPS || value > 1 {
        return Err(HipError::InvalidValue);
    }
    let (base, _) = range(address).ok_or(HipError::InvalidDevicePointer)?;
    let mut state = state();
    let synchronous = &mut state.memory.synchronous;
    match value {
        0 => synchronous.remove(&base),
        _ => synchronous.insert(base),
    };
    Ok(())
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
    let described = PointerDescription::new(address);
    for n in 0..count as usize {
        let place = out.nth(n)?.required()?;
        if let Some(bytes) = described.value(attributes.nth(n)?) {
            put_all(place, bytes)?;
        }
    }
    Ok(())
}
