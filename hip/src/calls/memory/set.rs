//! Fills.

use super::copy::{Place, gpu, place};
use crate::boundary::Address;
use crate::calls::stream;
use crate::error::{HipError, Outcome};
use crate::runtime::queue;

/// Bytes that are written at a time: whole patterns of every size.
const CHUNK: usize = 1 << 20;

/// Fills a range with a pattern of 1, 2 or 4 bytes.
fn fill(to: Address, pattern: &[u8], count: usize) -> Outcome {
    let bytes = count.checked_mul(pattern.len());
    let bytes = bytes.ok_or(HipError::InvalidValue)?;
    if bytes == 0 {
        return Ok(());
    }
    known(to, bytes)?;
    let _device = queue();
    filled(to, pattern, bytes)
}

/// Fills are for memory that HIP knows.
fn known(to: Address, bytes: usize) -> Outcome {
    match place(to, bytes as u64)? {
        Place::Host => Err(HipError::InvalidValue),
        Place::Device | Place::Shared => Ok(()),
    }
}

fn filled(to: Address, pattern: &[u8], bytes: usize) -> Outcome {
    let gpu = gpu();
    let data = pattern.repeat(bytes.min(CHUNK).div_ceil(pattern.len()));
    for at in (0..bytes).step_by(CHUNK) {
        let part = &data[..CHUNK.min(bytes - at)];
        let to = to + at as u64;
        gpu.write(to, part).map_err(|_| HipError::InvalidValue)?;
    }
    Ok(())
}

pub fn memset(to: Address, value: i32, bytes: usize) -> Outcome {
    fill(to, &[value as u8], bytes)
}

pub fn memset_async(to: Address, value: i32, bytes: usize, stream: Address) -> Outcome {
    stream::check(stream)?;
    memset(to, value, bytes)
}

pub fn d8(to: Address, value: u8, count: usize) -> Outcome {
    fill(to, &[value], count)
}

pub fn d16(to: Address, value: u16, count: usize) -> Outcome {
    fill(to, &value.to_le_bytes(), count)
}

pub fn d32(to: Address, value: i32, count: usize) -> Outcome {
    fill(to, &value.to_le_bytes(), count)
}

pub fn d8_async(to: Address, value: u8, count: usize, stream: Address) -> Outcome {
    stream::check(stream)?;
    d8(to, value, count)
}

pub fn d16_async(to: Address, value: u16, count: usize, stream: Address) -> Outcome {
    stream::check(stream)?;
    d16(to, value, count)
}

pub fn d32_async(to: Address, value: i32, count: usize, stream: Address) -> Outcome {
    stream::check(stream)?;
    d32(to, value, count)
}

/// Fills `height` rows of `width` bytes, `pitch` bytes apart.
pub fn rows(to: Address, pitch: usize, value: i32, width: usize, height: usize) -> Outcome {
    if width == 0 || height == 0 {
        return Ok(());
    }
    if width > pitch {
        return Err(HipError::InvalidValue);
    }
    let all = pitch
        .checked_mul(height - 1)
        .and_then(|n| n.checked_add(width));
    known(to, all.ok_or(HipError::InvalidValue)?)?;
    let _device = queue();
    for row in 0..height {
        filled(to + (row * pitch) as u64, &[value as u8], width)?;
    }
    Ok(())
}

pub fn rows_async(
    to: Address,
    pitch: usize,
    value: i32,
    width: usize,
    height: usize,
    stream: Address,
) -> Outcome {
    stream::check(stream)?;
    rows(to, pitch, value, width, height)
}
