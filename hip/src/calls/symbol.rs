//! Variables of the program's on the device, by the address of the host's variable of the same name.

use crate::boundary::{Address, Out};
use crate::calls::memory::copy::copy_now;
use crate::calls::stream;
use crate::error::{HipError, Outcome};
use crate::runtime::state;

const HOST_TO_DEVICE: u32 = 1;
const DEVICE_TO_HOST: u32 = 2;
const DEVICE_TO_DEVICE: u32 = 3;
const DEFAULT: u32 = 4;

pub fn address(out: Out<Address>, symbol: Address) -> Outcome {
    out.required()?;
    let (address, _) = state().variable_of(symbol)?;
    out.put(address)
}

pub fn size(out: Out<usize>, symbol: Address) -> Outcome {
    out.required()?;
    let (_, bytes) = state().variable_of(symbol)?;
    out.put(bytes as usize)
}

/// The address of `bytes` bytes at an offset into a variable.
fn part(symbol: Address, bytes: usize, offset: usize) -> Outcome<Address> {
    let (address, size) = state().variable_of(symbol)?;
    let end = offset.checked_add(bytes).ok_or(HipError::InvalidValue)?;
    if end as u64 > size {
        return Err(HipError::InvalidValue);
    }
    Ok(address + offset as u64)
}

pub fn copy_to(
    symbol: Address,
    from: Address,
    bytes: usize,
    offset: usize,
    direction: u32,
) -> Outcome {
    if ![HOST_TO_DEVICE, DEVICE_TO_DEVICE, DEFAULT].contains(&direction) {
        return Err(HipError::InvalidMemcpyDirection);
    }
    let to = part(symbol, bytes, offset)?;
    copy_now(to, from, bytes, direction)
}

pub fn copy_from(
    to: Address,
    symbol: Address,
    bytes: usize,
    offset: usize,
    direction: u32,
) -> Outcome {
    if ![DEVICE_TO_HOST, DEVICE_TO_DEVICE, DEFAULT].contains(&direction) {
        return Err(HipError::InvalidMemcpyDirection);
    }
    let from = part(symbol, bytes, offset)?;
    copy_now(to, from, bytes, direction)
}

pub fn copy_to_async(
    symbol: Address,
    from: Address,
    bytes: usize,
    offset: usize,
    direction: u32,
    stream: Address,
) -> Outcome {
    stream::check(stream)?;
    copy_to(symbol, from, bytes, offset, direction)
}

pub fn copy_from_async(
    to: Address,
    symbol: Address,
    bytes: usize,
    offset: usize,
    direction: u32,
    stream: Address,
) -> Outcome {
    stream::check(stream)?;
    copy_from(to, symbol, bytes, offset, direction)
}
