//! Copies, in all directions.
//!
//! Where an address belongs is known from the address; a direction that contradicts it is still a copy between the two, as on a card.

use std::sync::Arc;

use gfx906::machine::Gpu;

use crate::boundary::{Address, host_bytes, move_bytes, put_bytes};
use crate::calls::stream;
use crate::card::{self, FIRST_ADDRESS};
use crate::error::{HipError, Outcome};
use crate::objects::memory::Kind;
use crate::runtime::{queue, state};

/// The greatest direction: `hipMemcpyDefault`.
const LAST_DIRECTION: u32 = 4;
const HOST_TO_HOST: u32 = 0;
const DEFAULT: u32 = 4;

/// Bytes that are on their way at a time between two places on the device.
const CHUNK: usize = 1 << 20;

/// Where bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In memory of the device, or in a variable of a loaded module.
    Device,
    /// In memory of the host that kernels reach too.
    Shared,
    /// In memory of the host that only the program knows.
    Host,
}

/// Where a range lies; none that runs over the end of an allocation, and no device address without one.
pub fn place(address: Address, bytes: u64) -> Outcome<Place> {
    if address == 0 {
        return Err(HipError::InvalidValue);
    }
    let state = state();
    if let Some(allocation) = state.memory.at(address) {
        if bytes > allocation.size - (address - allocation.base) {
            return Err(HipError::InvalidValue);
        }
        return Ok(match allocation.kind {
            Kind::Device => Place::Device,
            _ => Place::Shared,
        });
    }
    if address < FIRST_ADDRESS {
        return Ok(Place::Host);
    }
    // Variables of modules: the GPU knows them.
    let inside = state.gpu.covers(address, bytes);
    if inside {
        Ok(Place::Device)
    } else {
        Err(HipError::InvalidValue)
    }
}

/// A view of the device for the time of a copy or fill.
pub fn gpu() -> Arc<Gpu> {
    state().gpu.clone()
}

fn moved(to: Address, from: Address, bytes: usize, ends: (Place, Place)) -> Outcome {
    let gpu = gpu();
    let lost = |_| HipError::InvalidValue;
    match ends {
        (Place::Host, Place::Host) => move_bytes(to, from, bytes),
        (_, Place::Host) => gpu.write(to, host_bytes(from, bytes)?).map_err(lost),
        (Place::Host, _) => {
            let mut buffer = vec![0; bytes.min(CHUNK)];
            for at in (0..bytes).step_by(CHUNK) {
                let part = &mut buffer[..CHUNK.min(bytes - at)];
                gpu.read(from + at as u64, part).map_err(lost)?;
                put_bytes(to + at as u64, part)?;
            }
            Ok(())
        }
        // Shared memory too: threads of the program may be writing it.
        _ => {
            let mut buffer = vec![0; bytes.min(CHUNK)];
            let chunks = bytes.div_ceil(CHUNK);
            let backwards = from < to && to < from + bytes as u64;
            for n in 0..chunks {
                // Backwards where the target starts within the source: then nothing is overwritten before it was read.
                let n = if backwards { chunks - 1 - n } else { n };
                let at = n * CHUNK;
                let part = &mut buffer[..CHUNK.min(bytes - at)];
                gpu.read(from + at as u64, part).map_err(lost)?;
                gpu.write(to + at as u64, part).map_err(lost)?;
            }
            Ok(())
        }
    }
}

/// Copies, once the device has done what came before.
pub fn copy_now(to: Address, from: Address, bytes: usize, direction: u32) -> Outcome {
    if direction > LAST_DIRECTION {
        return Err(HipError::InvalidMemcpyDirection);
    }
    if bytes == 0 {
        return Ok(());
    }
    let ends = (place(to, bytes as u64)?, place(from, bytes as u64)?);
    // Neither end is memory that HIP knows: only a copy on the host can be meant.
    if ends == (Place::Host, Place::Host) && ![HOST_TO_HOST, DEFAULT].contains(&direction) {
        return Err(HipError::InvalidValue);
    }
    let _device = queue();
    moved(to, from, bytes, ends)
}

pub fn memcpy(to: Address, from: Address, bytes: usize, direction: u32) -> Outcome {
    copy_now(to, from, bytes, direction)
}

pub fn memcpy_async(
    to: Address,
    from: Address,
    bytes: usize,
    direction: u32,
    stream: Address,
) -> Outcome {
    stream::check(stream)?;
    copy_now(to, from, bytes, direction)
}

/// A copy whose ends the function's name says: device addresses must be ones.
fn named(to: Address, from: Address, bytes: usize, device: &[Address]) -> Outcome {
    if bytes == 0 {
        return Ok(());
    }
    for &address in device {
        if place(address, bytes as u64)? == Place::Host {
            return Err(HipError::InvalidValue);
        }
    }
    copy_now(to, from, bytes, DEFAULT)
}

pub fn htod(to: Address, from: Address, bytes: usize) -> Outcome {
    named(to, from, bytes, &[to])
}

pub fn dtoh(to: Address, from: Address, bytes: usize) -> Outcome {
    named(to, from, bytes, &[from])
}

pub fn dtod(to: Address, from: Address, bytes: usize) -> Outcome {
    named(to, from, bytes, &[to, from])
}

pub fn htod_async(to: Address, from: Address, bytes: usize, stream: Address) -> Outcome {
    stream::check(stream)?;
    htod(to, from, bytes)
}

pub fn dtoh_async(to: Address, from: Address, bytes: usize, stream: Address) -> Outcome {
    stream::check(stream)?;
    dtoh(to, from, bytes)
}

pub fn dtod_async(to: Address, from: Address, bytes: usize, stream: Address) -> Outcome {
    stream::check(stream)?;
    dtod(to, from, bytes)
}

pub fn peer(to: Address, to_device: i32, from: Address, from_device: i32, bytes: usize) -> Outcome {
    card::check(to_device)?;
    card::check(from_device)?;
    copy_now(to, from, bytes, DEFAULT)
}

pub fn peer_async(
    to: Address,
    to_device: i32,
    from: Address,
    from_device: i32,
    bytes: usize,
    stream: Address,
) -> Outcome {
    stream::check(stream)?;
    peer(to, to_device, from, from_device, bytes)
}
