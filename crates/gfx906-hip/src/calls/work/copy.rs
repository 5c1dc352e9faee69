//! Copies in all directions, which follow from the addresses.

use std::sync::Arc;

use gfx906::machine::Gpu;

use super::bytes as parts;
use crate::boundary::{Address, host_bytes, move_bytes, put_bytes};
use crate::card::FIRST_ADDRESS;
use crate::diagnostics::log;
use crate::error::{HipError, HipResult};
use crate::objects::memory::Kind;
use crate::objects::work::Copy;
use crate::runtime::state;
use crate::sanitize;

/// Bytes of a copy from the device that are in flight at a time.
const CHUNK: usize = 1 << 20;

/// Kind of memory at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryPlace {
    /// Memory of the device, or a variable of a loaded module.
    Device,
    /// Host memory that kernels reach too.
    Shared,
    /// Host memory that only the program knows.
    Host,
}

/// Returns the kind of memory that holds a range. Fails for a range beyond its allocation, and for device addresses outside of allocations.
pub fn place(address: Address, bytes: u64) -> HipResult<MemoryPlace> {
    if address == 0 {
        return Err(HipError::InvalidValue);
    }
    let state = state();
    if let Some(allocation) = state.memory.allocation_at(address) {
        let left = allocation.size - (address - allocation.base);
        if bytes > left {
            drop(state);
            // Only mapped memory may continue in a neighbouring mapping.
            return match allocation.kind {
                Kind::Mapped => place(address + left, bytes - left),
                _ => Err(HipError::InvalidValue),
            };
        }
        return Ok(match allocation.kind {
            Kind::Device | Kind::Mapped => MemoryPlace::Device,
            _ => MemoryPlace::Shared,
        });
    }
    if address < FIRST_ADDRESS {
        return Ok(MemoryPlace::Host);
    }
    // Variables of modules are known to the GPU only.
    let inside = state.gpu.covers(address, bytes);
    if inside {
        Ok(MemoryPlace::Device)
    } else {
        Err(HipError::InvalidValue)
    }
}

/// Reads the rows of a copy's source in memory of the program.
pub fn stage(copy: &Copy) -> HipResult<Arc<[u8]>> {
    let size = copy.size;
    let mut bytes = Vec::with_capacity(size.width * size.height * size.depth);
    for (y, z) in size.rows() {
        bytes.extend_from_slice(host_bytes(copy.from.row(y, z), size.width)?);
    }
    Ok(bytes.into())
}

/// Does a copy.
pub fn run(copy: &Copy) -> HipResult {
    let done = rows(copy);
    if done.is_err() {
        log(format!(
            "a copy of {} bytes from {:#x} to {:#x}: the memory is not there any more",
            copy.size.width * copy.size.height * copy.size.depth,
            copy.from.start,
            copy.to.start
        ));
    }
    done
}

fn rows(copy: &Copy) -> HipResult {
    let size = copy.size;
    if size.is_empty() {
        return Ok(());
    }
    let span = |rows| size.span(rows).ok_or(HipError::InvalidValue);
    let to = place(copy.to.start, span(&copy.to)?)?;
    let gpu = state().gpu.clone();
    if let Some(staged) = &copy.staged {
        for ((y, z), row) in size.rows().zip(staged.chunks(size.width)) {
            from_host(&gpu, copy.to.row(y, z), row, to)?;
        }
        return Ok(());
    }
    let from = place(copy.from.start, span(&copy.from)?)?;
    for (y, z) in size.rows() {
        let ends = (to, from);
        moved(
            &gpu,
            copy.to.row(y, z),
            copy.from.row(y, z),
            size.width,
            ends,
        )?;
    }
    Ok(())
}

fn from_host(gpu: &Gpu, to: Address, data: &[u8], place: MemoryPlace) -> HipResult {
    if place == MemoryPlace::Host {
        return put_bytes(to, data);
    }
    if let Some(heap) = sanitize::heap() {
        heap.written(to..to + data.len() as u64);
    }
    parts::write(gpu, to, data)
}

fn moved(
    gpu: &Gpu,
    to: Address,
    from: Address,
    bytes: usize,
    ends: (MemoryPlace, MemoryPlace),
) -> HipResult {
    match ends {
        (MemoryPlace::Host, MemoryPlace::Host) => move_bytes(to, from, bytes),
        (_, MemoryPlace::Host) => from_host(gpu, to, host_bytes(from, bytes)?, ends.0),
        (MemoryPlace::Host, _) => {
            sanitize::copied_to_host(from, bytes);
            let mut buffer = vec![0; bytes.min(CHUNK)];
            for at in (0..bytes).step_by(CHUNK) {
                let part = &mut buffer[..CHUNK.min(bytes - at)];
                parts::read(gpu, from + at as u64, part)?;
                put_bytes(to + at as u64, part)?;
            }
            Ok(())
        }
        // This includes shared memory, which threads of the program may be writing.
        _ => {
            if let Some(heap) = sanitize::heap() {
                heap.copied(from, to, bytes as u64);
            }
            sanitize::copied_within(from, to, bytes);
            let mut buffer = vec![0; bytes.min(CHUNK)];
            let chunks = bytes.div_ceil(CHUNK);
            let backwards = from < to && to < from + bytes as u64;
            for n in 0..chunks {
                // If the target starts within the source, chunks go backwards, so that no byte is overwritten before it is read.
                let n = if backwards { chunks - 1 - n } else { n };
                let at = n * CHUNK;
                let part = &mut buffer[..CHUNK.min(bytes - at)];
                parts::read(gpu, from + at as u64, part)?;
                parts::write(gpu, to + at as u64, part)?;
            }
            Ok(())
        }
    }
}
