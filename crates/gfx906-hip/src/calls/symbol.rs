//! Variables of the program on the device, named by the address of the host's variable.

use crate::boundary::{Address, Out};
use crate::calls::memory::copy::{DEFAULT, DEVICE_TO_DEVICE_NO_CU, row};
use crate::error::{HipError, HipResult};
use crate::objects::work::{Copy, CopyForm};
use crate::runtime::state;

const HOST_TO_DEVICE: u32 = 1;
const DEVICE_TO_HOST: u32 = 2;
/// `hipMemcpyDeviceToDevice`.
pub const DEVICE_TO_DEVICE: u32 = 3;

pub fn address(out: Out<Address>, symbol: Address) -> HipResult {
    out.required()?;
    let (address, _) = state().variable_of(symbol)?;
    out.put(address)
}

pub fn size(out: Out<usize>, symbol: Address) -> HipResult {
    out.required()?;
    let (_, bytes) = state().variable_of(symbol)?;
    out.put(bytes as usize)
}

/// Returns the address of `bytes` bytes at an offset into a variable.
fn part(symbol: Address, bytes: usize, offset: usize) -> HipResult<Address> {
    let (address, size) = state().variable_of(symbol)?;
    let end = offset.checked_add(bytes).ok_or(HipError::InvalidValue)?;
    if end as u64 > size {
        return Err(HipError::InvalidValue);
    }
    Ok(address + offset as u64)
}

/// Returns a copy into a variable.
pub fn build_copy_to(
    symbol: Address,
    from: Address,
    bytes: usize,
    offset: usize,
    direction: u32,
) -> HipResult<Copy> {
    if ![
        HOST_TO_DEVICE,
        DEVICE_TO_DEVICE,
        DEVICE_TO_DEVICE_NO_CU,
        DEFAULT,
    ]
    .contains(&direction)
    {
        return Err(HipError::InvalidMemcpyDirection);
    }
    Ok(Copy {
        form: CopyForm::ToSymbol,
        ..row(part(symbol, bytes, offset)?, from, bytes, direction)
    })
}

/// Returns a copy out of a variable.
pub fn build_copy_from(
    to: Address,
    symbol: Address,
    bytes: usize,
    offset: usize,
    direction: u32,
) -> HipResult<Copy> {
    if ![
        DEVICE_TO_HOST,
        DEVICE_TO_DEVICE,
        DEVICE_TO_DEVICE_NO_CU,
        DEFAULT,
    ]
    .contains(&direction)
    {
        return Err(HipError::InvalidMemcpyDirection);
    }
    Ok(Copy {
        form: CopyForm::FromSymbol,
        ..row(to, part(symbol, bytes, offset)?, bytes, direction)
    })
}
