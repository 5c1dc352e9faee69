//! Copies, in all directions.
//!
//! Where an address belongs is known from the address; a direction that contradicts it is still a copy between the two, as on a card.
//! A copy that the call itself waits for is done on the calling thread, in the stream's turn. Asynchronous ones wait where HIP does: memory
//! of the host that is not pinned has arrived, or has been read, when the call returns.

use crate::boundary::Address;
use crate::calls::work::{self, Place, place};
use crate::calls::{capture, submit};
use crate::card;
use crate::error::{HipError, Outcome};
use crate::host;
use crate::objects::work::{Copy, Form, Rows, Size, Work};

/// The greatest direction: `hipMemcpyDefault`.
const LAST_DIRECTION: u32 = 4;
const HOST_TO_HOST: u32 = 0;
/// The direction that the addresses tell.
pub const DEFAULT: u32 = 4;

/// The null stream.
pub const NULL: Address = 0;

/// Whether a call waits for its copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// It does.
    Yes,
    /// It does where HIP does.
    No,
}

/// A copy of one row.
pub fn row(to: Address, from: Address, bytes: usize, direction: u32) -> Copy {
    Copy {
        to: Rows::one(to),
        from: Rows::one(from),
        size: Size::one(bytes),
        direction,
        form: Form::Row,
        staged: None,
    }
}

/// Checks a copy that is not empty; where its ends are.
pub fn check(copy: &Copy) -> Outcome<(Place, Place)> {
    if copy.direction > LAST_DIRECTION {
        return Err(HipError::InvalidMemcpyDirection);
    }
    let end = |rows: &Rows| {
        let span = copy.size.span(rows).ok_or(HipError::InvalidValue)?;
        place(rows.start, span)
    };
    let ends = (end(&copy.to)?, end(&copy.from)?);
    // Neither end is memory that HIP knows: only a copy on the host can be meant.
    let on_host = [HOST_TO_HOST, DEFAULT].contains(&copy.direction);
    if ends == (Place::Host, Place::Host) && !on_host {
        return Err(HipError::InvalidValue);
    }
    Ok(ends)
}

/// Copies in a stream's turn.
pub fn submit(mut copy: Copy, stream: Address, wait: Wait) -> Outcome {
    submit::check(stream)?;
    if wait == Wait::Yes {
        capture::allow_unsafe()?;
    }
    if copy.direction > LAST_DIRECTION {
        return Err(HipError::InvalidMemcpyDirection);
    }
    if copy.size.is_empty() {
        return Ok(());
    }
    let (to, from) = check(&copy)?;
    if submit::is_captured(stream)? {
        return match wait {
            Wait::Yes => submit::submit_and_wait(stream, &Work::Copy(copy)),
            Wait::No => submit::submit(stream, Work::Copy(copy)),
        };
    }
    let bytes = copy.size.width * copy.size.height * copy.size.depth;
    let wait = match (to, from) {
        _ if wait == Wait::Yes => true,
        (Place::Host, _) => true,
        // What does not fit twice waits.
        (_, Place::Host) => bytes as u64 > host::available() / 4,
        _ => false,
    };
    if wait {
        return submit::submit_and_wait(stream, &Work::Copy(copy));
    }
    if from == Place::Host {
        copy.staged = Some(work::stage(&copy)?);
    }
    submit::submit(stream, Work::Copy(copy))
}

pub fn memcpy(to: Address, from: Address, bytes: usize, direction: u32) -> Outcome {
    with_stream(to, from, bytes, direction, NULL)
}

/// A copy in a stream's turn that the call waits for.
pub fn with_stream(
    to: Address,
    from: Address,
    bytes: usize,
    direction: u32,
    stream: Address,
) -> Outcome {
    submit(row(to, from, bytes, direction), stream, Wait::Yes)
}

pub fn memcpy_async(
    to: Address,
    from: Address,
    bytes: usize,
    direction: u32,
    stream: Address,
) -> Outcome {
    submit(row(to, from, bytes, direction), stream, Wait::No)
}

/// A copy whose ends the function's name says: device addresses must be ones.
fn named(copy: Copy, device: &[Address], stream: Address, wait: Wait) -> Outcome {
    submit::check(stream)?;
    let bytes = copy.size.width as u64;
    if bytes == 0 {
        return Ok(());
    }
    for &address in device {
        if place(address, bytes)? == Place::Host {
            return Err(HipError::InvalidValue);
        }
    }
    submit(copy, stream, wait)
}

pub fn htod(to: Address, from: Address, bytes: usize) -> Outcome {
    named(row(to, from, bytes, DEFAULT), &[to], NULL, Wait::Yes)
}

pub fn dtoh(to: Address, from: Address, bytes: usize) -> Outcome {
    named(row(to, from, bytes, DEFAULT), &[from], NULL, Wait::Yes)
}

pub fn dtod(to: Address, from: Address, bytes: usize) -> Outcome {
    named(row(to, from, bytes, DEFAULT), &[to, from], NULL, Wait::Yes)
}

pub fn htod_async(to: Address, from: Address, bytes: usize, stream: Address) -> Outcome {
    named(row(to, from, bytes, DEFAULT), &[to], stream, Wait::No)
}

pub fn dtoh_async(to: Address, from: Address, bytes: usize, stream: Address) -> Outcome {
    named(row(to, from, bytes, DEFAULT), &[from], stream, Wait::No)
}

pub fn dtod_async(to: Address, from: Address, bytes: usize, stream: Address) -> Outcome {
    named(row(to, from, bytes, DEFAULT), &[to, from], stream, Wait::No)
}

pub fn peer(to: Address, to_device: i32, from: Address, from_device: i32, bytes: usize) -> Outcome {
    card::check(to_device)?;
    card::check(from_device)?;
    memcpy(to, from, bytes, DEFAULT)
}

pub fn peer_async(
    to: Address,
    to_device: i32,
    from: Address,
    from_device: i32,
    bytes: usize,
    stream: Address,
) -> Outcome {
    submit::check(stream)?;
    card::check(to_device)?;
    card::check(from_device)?;
    memcpy_async(to, from, bytes, DEFAULT, stream)
}
