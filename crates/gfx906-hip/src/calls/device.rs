//! Queries about the one device, an MI50 with 16 GB, and its settings.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::boundary::{Address, In, Out, Text};
use crate::calls::graph;
use crate::calls::memory::free;
use crate::card::{MOST_LINEAR, TOTAL, check, check_visible, visible};
use crate::error::{HipError, HipResult};
use crate::generation::{Generation, generation};
use crate::heap;
use crate::objects::array::Channel;
use crate::properties;
use crate::runtime::{forget_errors, may_wait, queue, state, streams};

const BUS_ID: &std::ffi::CStr = c"0000:03:00.0";

pub fn init(flags: u32) -> HipResult {
    if flags != 0 {
        return Err(HipError::InvalidValue);
    }
    check_visible()
}

pub fn version(out: Out<i32>) -> HipResult {
    out.put(generation().version())
}

pub fn count(out: Out<i32>) -> HipResult {
    out.put(visible() as i32)?;
    check_visible()
}

pub fn get(out: Out<i32>) -> HipResult {
    check_visible()?;
    out.put(0)
}

pub fn by_ordinal(out: Out<i32>, ordinal: i32) -> HipResult {
    out.required()?;
    check(ordinal)?;
    out.put(0)
}

/// Frees all memory, forgets a kernel's failure, and loads the program's own device code again at its next use.
pub fn reset() -> HipResult {
    may_wait()?;
    let _device = queue();
    free::free_all();
    let mut state = state();
    state.context_retained = false;
    state.functions.clear().for_each(drop);
    state.modules.clear().for_each(drop);
    state.libraries.clear().for_each(drop);
    let lanes: Vec<_> = state.streams.clear().map(|stream| stream.lane).collect();
    state.events.clear().for_each(drop);
    let destructors = state.graphs.clear();
    state.programs.reset();
    state.failure = None;
    state.fault = None;
    state.freeing.clear();
    drop(state);
    graph::give_up(destructors);
    lanes.into_iter().for_each(|lane| streams().retire(lane));
    forget_errors();
    Ok(())
}

pub fn set_flags(flags: u32) -> HipResult {
    /// Schedule (one of 0, 1, 2, 4), mapped host memory, kept local memory.
    const KNOWN: u32 = 0x1f;
    if flags & !KNOWN != 0 || ![0, 1, 2, 4].contains(&(flags & 7)) {
        return Err(HipError::InvalidValue);
    }
    state().device_flags = flags;
    Ok(())
}

pub fn get_flags(out: Out<u32>) -> HipResult {
    out.put(state().device_flags)
}

/// `hipGetDeviceProperties` in the layout of HIP 5 and before.
pub fn properties_5(out: Out<properties::R0000>, device: i32) -> HipResult {
    out.required()?;
    check(device)?;
    out.put(properties::R0000::new())
}

/// `hipGetDeviceProperties` in the layout of HIP 6.
pub fn properties_6(out: Out<properties::R0600>, device: i32) -> HipResult {
    out.required()?;
    check(device)?;
    out.put(properties::R0600::new())
}

/// Chooses the only device, whatever properties are wanted.
pub fn choose(out: Out<i32>, wanted: Address) -> HipResult {
    out.required()?;
    if wanted == 0 {
        return Err(HipError::InvalidValue);
    }
    check_visible()?;
    out.put(0)
}

pub fn attribute(out: Out<i32>, attribute: u32, device: i32) -> HipResult {
    /// Number of the attribute that is a `size_t` in HIP 5. Later versions cut it off at the greatest `int`.
    const TOTAL_MEMORY: u32 = 84;
    /// Addresses of registers, with eight bytes each.
    const MEMORY_FLUSH: u32 = 10005;
    const REGISTER_FLUSH: u32 = 10006;
    out.required()?;
    check(device)?;
    match attribute {
        TOTAL_MEMORY if generation() == Generation::Five => {
            out.put(TOTAL as u32 as i32)?;
            out.put_at(1, (TOTAL >> 32) as i32)
        }
        TOTAL_MEMORY => out.put(i32::try_from(TOTAL).unwrap_or(i32::MAX)),
        // There is no such register to hand out.
        MEMORY_FLUSH | REGISTER_FLUSH => {
            out.put(0)?;
            out.put_at(1, 0)
        }
        _ => out.put(properties::attribute(attribute).ok_or(HipError::InvalidValue)?),
    }
}

/// Type and distance of the link between two devices, of which there is one: no pair has a link.
pub fn link(device: i32, peer: i32, kind: Out<u32>, hops: Out<u32>) -> HipResult {
    kind.required()?;
    hops.required()?;
    if device == peer || device < 0 || peer < 0 {
        return Err(HipError::InvalidValue);
    }
    Err(HipError::InvalidDevice)
}

/// Stores the most elements of a texture over linear memory.
pub fn linear_width(out: Out<usize>, channel: In<Channel>, device: i32) -> HipResult {
    out.required()?;
    let bits: i64 = channel.get()?.bits.into_iter().map(i64::from).sum();
    check(device)?;
    match usize::try_from(bits / 8) {
        Ok(bytes) if bytes > 0 => out.put(MOST_LINEAR / bytes),
        _ => Err(HipError::InvalidValue),
    }
}

pub fn compute_capability(major: Out<i32>, minor: Out<i32>, device: i32) -> HipResult {
    major.required()?;
    minor.required()?;
    check(device)?;
    major.put(properties::CAPABILITY.0)?;
    minor.put(properties::CAPABILITY.1)
}

/// Copies a text with its NUL into `len` bytes of the caller's. A longer text is truncated.
fn put_text(out: Out<u8>, len: i32, text: &[u8]) -> HipResult {
    let room = usize::try_from(len).unwrap_or(0);
    let room = room.checked_sub(1).ok_or(HipError::InvalidValue)?;
    let cut = &text[..text.len().min(room)];
    (0..)
        .zip(cut)
        .try_for_each(|(n, &byte)| out.put_at(n, byte))?;
    out.put_at(cut.len(), 0)
}

pub fn name(out: Out<u8>, len: i32, device: i32) -> HipResult {
    out.required()?;
    check(device)?;
    put_text(out, len, properties::NAME.to_bytes())
}

pub fn uuid(out: Out<[u8; 16]>, device: i32) -> HipResult {
    out.required()?;
    check(device)?;
    out.put(properties::UUID)
}

pub fn bus_id(out: Out<u8>, len: i32, device: i32) -> HipResult {
    out.required()?;
    check(device)?;
    // As in HIP, a short buffer has the beginning of the text.
    put_text(out, len, BUS_ID.to_bytes())?;
    match (len.max(0) as usize) <= BUS_ID.count_bytes() {
        true => Err(HipError::InvalidValue),
        false => Ok(()),
    }
}

pub fn by_bus_id(out: Out<i32>, id: Text) -> HipResult {
    out.required()?;
    if id.get()?.as_bytes() != BUS_ID.to_bytes() {
        return Err(HipError::InvalidValue);
    }
    out.put(0)
}

/// Bytes of stack per work-item, as the program set them. The value has no effect: each kernel has the stack that it was compiled for.
static STACK: AtomicUsize = AtomicUsize::new(1024);
const STACK_LIMIT: u32 = 0;
/// `hipLimitMallocHeapSize`.
const HEAP: u32 = 2;
/// Greatest stack that HIP allows.
const MOST_STACK: usize = (128 << 10) - 16;

/// Sets a limit. The stack's limit can change. A limit of the heap is accepted up to the heap's fixed size, and has no effect.
pub fn set_limit(limit: u32, value: usize) -> HipResult {
    if limit == HEAP && value <= heap::BYTES as usize {
        return Ok(());
    }
    if limit != STACK_LIMIT {
        return Err(refused_limit(limit));
    }
    if value > MOST_STACK {
        return Err(HipError::InvalidValue);
    }
    STACK.store(value, Ordering::Relaxed);
    Ok(())
}

/// Sets the devices that may be used. HIP accepts the only device, or an empty list.
pub fn set_valid(devices: In<i32>, count: i32) -> HipResult {
    if count < 0 || (count > 0 && devices.is_null()) {
        return Err(HipError::InvalidValue);
    }
    (0..count as usize).try_for_each(|n| check(devices.nth(n)?))
}

pub fn limit(out: Out<usize>, limit: u32) -> HipResult {
    out.required()?;
    match limit {
        STACK_LIMIT => out.put(STACK.load(Ordering::Relaxed)),
        HEAP => out.put(heap::BYTES as usize),
        _ => Err(refused_limit(limit)),
    }
}

/// Returns the error for a limit that AMD's runtime does not support, or that HIP does not have.
fn refused_limit(limit: u32) -> HipError {
    const PRINTF: u32 = 1;
    match limit {
        PRINTF => HipError::UnsupportedLimit,
        _ => HipError::InvalidValue,
    }
}

pub fn can_access_peer(out: Out<i32>, device: i32, peer: i32) -> HipResult {
    out.required()?;
    if device != peer {
        check(device)?;
        check(peer)?;
    }
    out.put(0)
}

pub fn peer_access(peer: i32, flags: u32) -> HipResult {
    if flags != 0 {
        return Err(HipError::InvalidValue);
    }
    // There is no other device, and a device is no peer of its own.
    check(peer)?;
    Err(HipError::InvalidDevice)
}

pub fn no_peer_access(peer: i32) -> HipResult {
    check(peer)?;
    Err(HipError::InvalidDevice)
}

pub fn peer_attribute(out: Out<i32>) -> HipResult {
    out.required()?;
    // A device has no link to itself, and there is no other.
    Err(HipError::InvalidDevice)
}
