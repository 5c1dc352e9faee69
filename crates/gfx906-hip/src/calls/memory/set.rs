//! Fills. A synchronous call waits for its fill only if the host shares the memory.

use super::copy::{NULL, Waiting};
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
        capture::allow_unsafe()?;
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

fn row(to: Address, value: u32, element: usize, count: usize) -> HipResult<Fill> {
    let bytes = count.checked_mul(element);
    Ok(Fill {
        to: Rows::single_row(to),
        size: Size::single_row(bytes.ok_or(HipError::InvalidValue)?),
        value,
        element,
    })
}

pub fn memset(to: Address, value: i32, bytes: usize) -> HipResult {
    on_stream(to, value, bytes, NULL)
}

/// `hipMemset` in the turn of a stream.
pub fn on_stream(to: Address, value: i32, bytes: usize, stream: Address) -> HipResult {
    submit(row(to, value as u32, 1, bytes)?, stream, Waiting::Always)
}

pub fn memset_async(to: Address, value: i32, bytes: usize, stream: Address) -> HipResult {
    submit(row(to, value as u32, 1, bytes)?, stream, Waiting::LikeHip)
}

pub fn d8(to: Address, value: u8, count: usize) -> HipResult {
    submit(row(to, value.into(), 1, count)?, NULL, Waiting::Always)
}

pub fn d16(to: Address, value: u16, count: usize) -> HipResult {
    submit(row(to, value.into(), 2, count)?, NULL, Waiting::Always)
}

pub fn d32(to: Address, value: i32, count: usize) -> HipResult {
    submit(row(to, value as u32, 4, count)?, NULL, Waiting::Always)
}

pub fn d8_async(to: Address, value: u8, count: usize, stream: Address) -> HipResult {
    submit(row(to, value.into(), 1, count)?, stream, Waiting::LikeHip)
}

pub fn d16_async(to: Address, value: u16, count: usize, stream: Address) -> HipResult {
    submit(row(to, value.into(), 2, count)?, stream, Waiting::LikeHip)
}

pub fn d32_async(to: Address, value: i32, count: usize, stream: Address) -> HipResult {
    submit(row(to, value as u32, 4, count)?, stream, Waiting::LikeHip)
}

/// Returns a fill of `height` rows of `width` bytes that start `pitch` bytes apart.
pub fn plane(
    to: Address,
    pitch: usize,
    value: i32,
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
        value: value as u32,
        element: 1,
    })
}

pub fn rows(to: Address, pitch: usize, value: i32, width: usize, height: usize) -> HipResult {
    submit(
        plane(to, pitch, value, width, height)?,
        NULL,
        Waiting::Always,
    )
}

pub fn rows_async(
    to: Address,
    pitch: usize,
    value: i32,
    width: usize,
    height: usize,
    stream: Address,
) -> HipResult {
    submit(
        plane(to, pitch, value, width, height)?,
        stream,
        Waiting::LikeHip,
    )
}

/// Returns a fill of `width` elements of `bytes` bytes in each of `height` rows, for `hipMemsetD2D8` and its kin.
fn elements(
    to: (Address, usize),
    value: u32,
    bytes: usize,
    width: usize,
    height: usize,
) -> HipResult<Fill> {
    let width = width.checked_mul(bytes);
    let width = width.ok_or(HipError::InvalidValue)?;
    let plane = plane(to.0, to.1, value as i32, width, height)?;
    Ok(Fill {
        element: bytes,
        ..plane
    })
}

macro_rules! elements {
    ($($name:ident $later:ident $type:ty;)*) => {
        $(
            pub fn $name(to: Address, pitch: usize, value: $type, width: usize, height: usize) -> HipResult {
                let fill = elements((to, pitch), value.into(), size_of::<$type>(), width, height)?;
                submit(fill, NULL, Waiting::Always)
            }

            pub fn $later(to: Address, pitch: usize, value: $type, width: usize, height: usize, stream: Address) -> HipResult {
                let fill = elements((to, pitch), value.into(), size_of::<$type>(), width, height)?;
                submit(fill, stream, Waiting::LikeHip)
            }
        )*
    };
}

elements! {
    rows_8 rows_8_async u8;
    rows_16 rows_16_async u16;
    rows_32 rows_32_async u32;
}
