//! Calls of the program's functions.

use crate::objects::work::Host;
use crate::runtime::state;

/// Calls a function, with no lock held.
pub fn call(host: &Host) {
    let failure = state().dead();
    match *host {
        Host::Function(function, data) => {
            if failure.is_none() {
                // SAFETY: the caller of the function that submitted it says that it is a function of this type, and the data is its own.
                unsafe { function(data) }
            }
        }
        Host::Callback(callback, stream, data) => {
            let status = failure.map_or(0, |failure| failure as u32);
            // SAFETY: as above.
            unsafe { callback(stream, status, data) }
        }
    }
}
