//! Fills. A synchronous call waits for its fill only if the host shares the memory.

use super::copy::Waiting;
use crate::boundary::Address;
use crate::calls::work::{MemoryPlace, place};
use crate::calls::{capture, submit};
use crate::error::{HipError, HipResult};
use crate::objects::work::{Fill, Rows, Size, Work};

/// Checks a fill that is not empty. HIP must know the memory.
pub fn check(fill: &Fill) -> HipResult<MemoryPlace> {
    let span = fill.size.span(&fill.to).ok_or(HipError::InvalidValue)?;
    match place(fill.to.start, span)? {
        MemoryPlace::Host => Err(HipError::InvalidValue),
        memory_place => Ok(memory_place),
    }
}

/// Fills in a stream's turn.
pub fn submit(fill: Fill, stream: Address, wait: Waiting) -> HipResult {
    submit::check(stream)?;
    if wait == Waiting::Always {
        capture::allow_synchronous()?;
    }
    if fill.size.is_empty() {
        return Ok(());
    }
    let place = check(&fill)?;
    if wait == Waiting::Always && place == MemoryPlace::Shared {
        return submit::submit_and_wait(stream, &Work::Fill(fill));
    }
    submit::submit(stream, Work::Fill(fill))
}

/// Returns a fill of one row of elements.
pub fn row(to: Address, value: u32, element: usize, count: usize) -> HipResult<Fill> {
    let bytes = count.checked_mul(element);
    Ok(Fill {
        to: Rows::single_row(to),
        size: Size::single_row(bytes.ok_or(HipError::InvalidValue)?),
        value,
        element,
    })
}

/// Returns a fill of `height` rows of `width` bytes that start `pitch` bytes apart.
pub fn plane(
    to: Address,
    pitch: usize,
    value: u32,
    width: usize,
    height: usize,
) -> HipResult<Fill> {
    if width > pitch && height > 0 {
        return Err(HipError::InvalidValue);
    }
    Ok(Fill {
        to: Rows {
            start: to,
            pitch,
            plane: 0,
        },
        size: Size {
            width,
            height,
            depth: 1,
        },
        value,
        element: 1,
    })
}

/// Returns a fill of `width` elements of `bytes` bytes in each of `height` rows, for `hipMemsetD2D8` and its kin.
pub fn elements(
    to: (Address, usize),
    value: u32,
    bytes: usize,
    width: usize,
    height: usize,
) -> HipResult<Fill> {
    let width = width.checked_mul(bytes);
    let width = width.ok_or(HipError::InvalidValue)?;
    let plane = plane(to.0, to.1, value, width, height)?;
    Ok(Fill {
        element: bytes,
        ..plane
    })
}
