//! Streams: the device does everything in the order of the calls, so a stream has nothing to wait for but a call of another thread.

use crate::boundary::{Address, Callback, In, Out};
use crate::error::{HipError, Outcome};
use crate::objects::stream::Stream;
use crate::runtime::{busy, queue, state};

/// The null stream, under its other names too: `hipStreamLegacy`, `hipStreamPerThread`.
const ALWAYS_THERE: u64 = 2;

const NON_BLOCKING: u32 = 1;
/// Least and greatest priority: the greater it is, the smaller its number.
const PRIORITIES: (i32, i32) = (1, -1);

/// A function that a stream calls: stream, its error so far, data.
pub type StreamCallback = unsafe extern "C" fn(Address, u32, Address);
/// A function that a stream calls: data.
pub type HostFunction = unsafe extern "C" fn(Address);

/// Checks a stream handle; HIP takes one that it does not know for one of a context that is gone.
pub fn check(stream: Address) -> Outcome {
    flags_and_priority(stream).map(drop)
}

fn flags_and_priority(stream: Address) -> Outcome<Stream> {
    if stream <= ALWAYS_THERE {
        return Ok(Stream {
            flags: 0,
            priority: 0,
        });
    }
    let known = state().streams.get(stream).copied();
    known.ok_or(HipError::ContextIsDestroyed)
}

pub fn create(out: Out<Address>) -> Outcome {
    create_with_priority(out, 0, 0)
}

pub fn create_with_flags(out: Out<Address>, flags: u32) -> Outcome {
    create_with_priority(out, flags, 0)
}

pub fn create_with_priority(out: Out<Address>, flags: u32, priority: i32) -> Outcome {
    out.required()?;
    if flags & !NON_BLOCKING != 0 {
        return Err(HipError::InvalidValue);
    }
    let priority = priority.clamp(PRIORITIES.1, PRIORITIES.0);
    let stream = state().streams.insert(Stream { flags, priority });
    out.put(stream)
}

pub fn create_with_cu_mask(out: Out<Address>, words: u32, mask: In<u32>) -> Outcome {
    if words == 0 || mask.is_null() {
        return Err(HipError::InvalidValue);
    }
    create(out)
}

pub fn priority_range(least: Out<i32>, greatest: Out<i32>) -> Outcome {
    if !least.is_null() {
        least.put(PRIORITIES.0)?;
    }
    if !greatest.is_null() {
        greatest.put(PRIORITIES.1)?;
    }
    Ok(())
}

pub fn destroy(stream: Address) -> Outcome {
    if stream <= ALWAYS_THERE {
        return Err(HipError::InvalidHandle);
    }
    let _device = queue();
    let known = state().streams.remove(stream);
    known.map(drop).ok_or(HipError::ContextIsDestroyed)
}

pub fn synchronize(stream: Address) -> Outcome {
    check(stream)?;
    wait_for_device()
}

pub fn wait_for_device() -> Outcome {
    let _device = queue();
    state().failure.map_or(Ok(()), Err)
}

pub fn query(stream: Address) -> Outcome {
    check(stream)?;
    if busy() {
        return Err(HipError::NotReady);
    }
    Ok(())
}

pub fn wait_event(stream: Address, event: Address, flags: u32) -> Outcome {
    if event == 0 {
        return Err(HipError::InvalidHandle);
    }
    if flags != 0 {
        return Err(HipError::InvalidValue);
    }
    check(stream)?;
    // What the event stands for was done when it was recorded, or is being done by a call that this one waits behind.
    let known = state().events.get(event).is_some();
    if !known {
        return Err(HipError::InvalidHandle);
    }
    wait_for_device()
}

pub fn get_flags(stream: Address, out: Out<u32>) -> Outcome {
    out.required()?;
    if stream == 0 {
        return Err(HipError::InvalidValue);
    }
    out.put(flags_and_priority(stream)?.flags)
}

pub fn get_priority(stream: Address, out: Out<i32>) -> Outcome {
    out.required()?;
    out.put(flags_and_priority(stream)?.priority)
}

pub fn device_of(stream: Address) -> i32 {
    if check(stream).is_ok() { 0 } else { -1 }
}

pub fn add_callback(
    stream: Address,
    callback: Callback<StreamCallback>,
    data: Address,
    flags: u32,
) -> Outcome {
    let callback = callback.ok_or(HipError::InvalidValue)?;
    if flags != 0 {
        return Err(HipError::InvalidValue);
    }
    check(stream)?;
    drop(queue());
    // SAFETY: the caller says that it is a function of this type, and the data is its own.
    unsafe { callback(stream, 0, data) };
    Ok(())
}

pub fn launch_host_function(
    stream: Address,
    function: Callback<HostFunction>,
    data: Address,
) -> Outcome {
    let function = function.ok_or(HipError::InvalidValue)?;
    check(stream)?;
    drop(queue());
    // SAFETY: the caller says that it is a function of this type, and the data is its own.
    unsafe { function(data) };
    Ok(())
}

/// No stream is ever captured.
pub fn is_capturing(stream: Address, status: Out<i32>) -> Outcome {
    status.required()?;
    check(stream)?;
    status.put(0)
}

pub fn capture_info(stream: Address, status: Out<i32>, id: Out<u64>) -> Outcome {
    is_capturing(stream, status)?;
    if id.is_null() {
        return Ok(());
    }
    id.put(0)
}
