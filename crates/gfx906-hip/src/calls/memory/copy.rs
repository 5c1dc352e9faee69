//! Copies in all directions.
//!
//! The ends of a copy follow from the addresses. A direction that contradicts the addresses does not matter, as on a card. The calling
//! thread does a synchronous copy itself, in the stream's turn. A copy within the device's memory does not wait. An asynchronous copy waits where HIP does: host memory that is not pinned
//! has been written or read when the call returns.

use crate::boundary::Address;
use crate::calls::work::{self, MemoryPlace, place};
use crate::calls::{capture, submit};
use crate::card;
use crate::error::{HipError, HipResult};
use crate::host;
use crate::objects::work::{Copy, CopyForm, Rows, Size, Work};
use crate::runtime::state;

/// Greatest direction: `hipMemcpyDefault`.
const LAST_DIRECTION: u32 = 4;
const HOST_TO_HOST: u32 = 0;
/// Direction that is taken from the addresses.
pub const DEFAULT: u32 = 4;
/// Direction from device to device by other means than kernels of the runtime.
pub const DEVICE_TO_DEVICE_NO_CU: u32 = 1024;

/// Null stream.
pub const NULL: Address = 0;

/// Synchronisation of a call with its copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// The call waits.
    Always,
    /// The call waits, unless its stream is being captured.
    UnlessCaptured,
    /// The call waits only if HIP does.
    LikeHip,
}

/// Returns a copy of one row.
pub fn row(to: Address, from: Address, bytes: usize, direction: u32) -> Copy {
    Copy {
        to: Rows::single_row(to),
        from: Rows::single_row(from),
        size: Size::single_row(bytes),
        direction,
        form: CopyForm::Row,
        asked: None,
        staged: None,
    }
}

/// Returns true for a value of `hipMemcpyKind`.
pub fn is_direction(direction: u32) -> bool {
    direction <= LAST_DIRECTION || direction == DEVICE_TO_DEVICE_NO_CU
}

/// Checks a copy that is not empty and returns the places of its ends.
pub fn check(copy: &Copy) -> HipResult<(MemoryPlace, MemoryPlace)> {
    if !is_direction(copy.direction) {
        return Err(HipError::InvalidMemcpyDirection);
    }
    let end = |rows: &Rows| {
        let span = copy.size.span(rows).ok_or(HipError::InvalidValue)?;
        place(rows.start, span)
    };
    let ends = (end(&copy.to)?, end(&copy.from)?);
    // HIP knows neither end, so only a copy on the host can be meant.
    let on_host = [HOST_TO_HOST, DEFAULT].contains(&copy.direction);
    if ends == (MemoryPlace::Host, MemoryPlace::Host) && !on_host {
        return Err(HipError::InvalidValue);
    }
    Ok(ends)
}

/// Returns true if the program has asked for synchronous copies of one side's memory.
fn is_synchronous(copy: &Copy) -> bool {
    let bases = [&copy.to, &copy.from].map(|rows| super::query::range(rows.start));
    let state = state();
    let mut bases = bases.into_iter().flatten();
    bases.any(|(base, _)| state.memory.synchronous.contains(&base))
}

/// Copies in a stream's turn.
pub fn submit(mut copy: Copy, stream: Address, wait: Waiting) -> HipResult {
    submit::check(stream)?;
    if wait == Waiting::Always {
        capture::allow_synchronous()?;
    }
    if !is_direction(copy.direction) {
        return Err(HipError::InvalidMemcpyDirection);
    }
    if copy.size.is_empty() {
        return Ok(());
    }
    let (to, from) = check(&copy)?;
    if submit::is_captured(stream)? {
        return submit::submit(stream, Work::Copy(copy));
    }
    let bytes = copy.size.width * copy.size.height * copy.size.depth;
    let wait = match (to, from) {
        // Within the device, HIP does not wait, unless the program has asked for it.
        (MemoryPlace::Device, MemoryPlace::Device) => is_synchronous(&copy),
        _ if wait != Waiting::LikeHip => true,
        (MemoryPlace::Host, _) => true,
        // The call waits if a second copy of the data might not fit into memory.
        (_, MemoryPlace::Host) => bytes as u64 > host::available() / 4,
        _ => false,
    };
    if wait {
        return submit::submit_and_wait(stream, &Work::Copy(copy));
    }
    if from == MemoryPlace::Host {
        copy.staged = Some(work::stage(&copy)?);
    }
    submit::submit(stream, Work::Copy(copy))
}

/// Submits a copy whose direction is in the function's name. `device` lists the addresses that must be of the device.
pub fn submit_named(
    to: Address,
    from: Address,
    bytes: usize,
    device: &[Address],
    stream: Address,
    wait: Waiting,
) -> HipResult {
    submit::check(stream)?;
    if bytes == 0 {
        return Ok(());
    }
    for &address in device {
        if place(address, bytes as u64)? == MemoryPlace::Host {
            return Err(HipError::InvalidValue);
        }
    }
    submit(row(to, from, bytes, DEFAULT), stream, wait)
}

/// Copies between devices, although there is only one.
pub fn peer(
    (to, to_device): (Address, i32),
    (from, from_device): (Address, i32),
    bytes: usize,
    stream: Address,
    wait: Waiting,
) -> HipResult {
    submit::check(stream)?;
    card::check(to_device)?;
    card::check(from_device)?;
    submit(row(to, from, bytes, DEFAULT), stream, wait)
}
