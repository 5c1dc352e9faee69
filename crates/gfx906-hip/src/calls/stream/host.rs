//! Host functions that a stream calls on a thread of its own, with no lock held. They may wait for anything but streams.

use crate::boundary::{Address, Callback};
use crate::calls::submit;
use crate::error::{HipError, HipResult};
use crate::objects::work::{Host, HostFunction, StreamCallback, Work};

pub fn add_callback(
    stream: Address,
    callback: Callback<StreamCallback>,
    data: Address,
    flags: u32,
) -> HipResult {
    let callback = callback.ok_or(HipError::InvalidValue)?;
    if flags != 0 {
        return Err(HipError::InvalidValue);
    }
    submit::submit(stream, Work::Host(Host::Callback(callback, stream, data)))
}

pub fn launch(stream: Address, function: Callback<HostFunction>, data: Address) -> HipResult {
    let function = function.ok_or(HipError::InvalidValue)?;
    submit::submit(stream, Work::Host(Host::Function(function, data)))
}
