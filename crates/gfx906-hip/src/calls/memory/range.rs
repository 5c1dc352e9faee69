//! Advice about managed memory, and queries of the advice.

use crate::boundary::{Address, In, Out};
use crate::calls::submit;
use crate::card;
use crate::error::{HipError, HipResult};
use crate::objects::advice::{Advice, NOWHERE};
use crate::objects::memory::Kind;
use crate::runtime::{RuntimeState, state};

use super::pool::Location;

/// `hipCpuDeviceId`.
const HOST: i32 = -1;

/// Range in an allocation of managed memory: base and size of the allocation, and the range within.
type Bytes = (Address, u64, std::ops::Range<u64>);

fn managed(state: &RuntimeState, address: Address, bytes: usize) -> HipResult<Bytes> {
    match state.memory.allocation_at(address) {
        _ if bytes == 0 => Err(HipError::InvalidValue),
        Some(a) if a.kind == Kind::Managed && a.size - (address - a.base) >= bytes as u64 => {
            let from = address - a.base;
            Ok((a.base, a.size, from..from + bytes as u64))
        }
        _ => Err(HipError::InvalidValue),
    }
}

fn note(address: Address, bytes: usize, f: impl Fn(&mut Advice)) -> HipResult {
    let mut state = state();
    let (base, size, range) = managed(&state, address, bytes)?;
    state.memory.advised.note(base, size, range, f);
    Ok(())
}

/// Accepts a prefetch, which changes nothing because managed memory is reachable from both sides.
pub fn prefetch(address: Address, bytes: usize, device: i32, stream: Address) -> HipResult {
    if address == 0 || bytes == 0 {
        return Err(HipError::InvalidValue);
    }
    submit::check(stream)?;
    note(address, bytes, |_| {})?;
    if device != HOST {
        card::check(device)?;
    }
    note(address, bytes, |advice| advice.prefetched = device)
}

/// Stores advice for later queries. It has no other effect.
pub fn advise(address: Address, bytes: usize, advice: u32, device: i32) -> HipResult {
    if device != HOST {
        card::check(device)?;
    }
    note(address, bytes, |_| {})?;
    let say = |f: &dyn Fn(&mut Advice)| note(address, bytes, f);
    match advice {
        1 => say(&|known| known.read_mostly = true),
        2 => say(&|known| known.read_mostly = false),
        3 => say(&|known| known.preferred = device),
        4 => say(&|known| known.preferred = NOWHERE),
        5 => say(&|known| known.accessed |= device != HOST),
        6 => say(&|known| known.accessed &= device == HOST),
        100 => say(&|known| known.coarse = true),
        101 => say(&|known| known.coarse = false),
        _ => Err(HipError::InvalidValue),
    }
}

/// Returns the device that a location of HIP 7's functions names.
pub fn device_of(location: Location) -> HipResult<i32> {
    match location.kind {
        1 => Ok(location.id),
        // The host, one of its NUMA nodes, or the nearest node.
        2..=4 => Ok(HOST),
        _ => Err(HipError::InvalidValue),
    }
}

pub fn prefetch_to(
    address: Address,
    bytes: usize,
    location: Location,
    flags: u32,
    stream: Address,
) -> HipResult {
    if flags != 0 {
        return Err(HipError::InvalidValue);
    }
    prefetch(address, bytes, device_of(location)?, stream)
}

/// `hipMemRangeGetAttribute`: stores an `int`, or as many as fit.
pub fn attribute(
    out: Out<i32>,
    out_bytes: usize,
    attribute: u32,
    address: Address,
    bytes: usize,
) -> HipResult {
    const ACCESSED_BY: u32 = 3;
    /// Value for ranges that are partly fine and partly coarse: `hipMemRangeCoherencyMode`.
    const MIXED: i32 = 2;
    out.required()?;
    let fits = match attribute {
        ACCESSED_BY => out_bytes >= 4 && out_bytes.is_multiple_of(4),
        _ => out_bytes == 4,
    };
    if bytes == 0 || !fits {
        return Err(HipError::InvalidValue);
    }
    let state = state();
    let (base, _, range) = managed(&state, address, bytes)?;
    let advised = &state.memory.advised;
    let place = |field: fn(&Advice) -> i32| {
        let common = advised.common(base, range.clone(), field);
        common.unwrap_or(NOWHERE)
    };
    let says = |field: fn(&Advice) -> bool| advised.common(base, range.clone(), field);
    match attribute {
        1 => out.put((says(|a| a.read_mostly) == Some(true)) as i32),
        2 => out.put(place(|a| a.preferred)),
        ACCESSED_BY => {
            let accessed = says(|a| a.accessed) == Some(true);
            out.put(if accessed { 0 } else { NOWHERE })?;
            (1..out_bytes / 4).try_for_each(|n| out.put_at(n, NOWHERE))
        }
        4 => out.put(place(|a| a.prefetched)),
        100 => out.put(says(|a| a.coarse).map_or(MIXED, |coarse| coarse as i32)),
        _ => Err(HipError::InvalidValue),
    }
}

pub fn attributes(
    out: In<Out<i32>>,
    sizes: In<usize>,
    attributes: In<u32>,
    count: usize,
    address: Address,
    bytes: usize,
) -> HipResult {
    if out.is_null() || sizes.is_null() || attributes.is_null() || count == 0 {
        return Err(HipError::InvalidValue);
    }
    (0..count).try_for_each(|n| {
        attribute(
            out.nth(n)?,
            sizes.nth(n)?,
            attributes.nth(n)?,
            address,
            bytes,
        )
    })
}

/// `hipStreamAttachMemAsync`. The range is a whole allocation, given by its size or 0.
pub fn attach(stream: Address, address: Address, bytes: usize, flags: u32) -> HipResult {
    const SINGLE: u32 = 4;
    submit::check(stream)?;
    if ![1, 2, SINGLE].contains(&flags) || (stream == 0 && flags == SINGLE) {
        return Err(HipError::InvalidValue);
    }
    let state = state();
    let (base, size, _) = managed(&state, address, 1)?;
    if address != base || (bytes != 0 && bytes as u64 != size) {
        return Err(HipError::InvalidValue);
    }
    Ok(())
}
