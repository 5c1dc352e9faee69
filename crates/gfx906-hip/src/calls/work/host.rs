//! Calls of host functions by a stream.

use crate::objects::work::Host;
use crate::runtime::state;

/// Calls a host function, with no lock held.
pub fn call(host: &Host) {
    let failure = state().device_failure();
    match *host {
        Host::Function(function, data) => {
            if failure.is_none() {
                // SAFETY: the caller of the submitting function vouches for the function's type, and the data is the caller's own.
                unsafe { function(data) }
            }
        }
        Host::Callback(callback, stream, data) => {
            let status = failure.map_or(0, |failure| failure as u32);
            // SAFETY: the callback and its data come from the caller, as above.
            unsafe { callback(stream, status, data) }
        }
    }
}
