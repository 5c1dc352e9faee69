//! Exported functions that HIP does not have, for programs that know the emulator: the Python package, `deltanet-check hip`.

use std::ffi::{CStr, c_char};

use crate::boundary::Address;
use crate::calls::memory::host;
use crate::entry::{self, Gate};

/// Marks the library's file: `deltanet-check hip` searches a file for this text before it runs a program on the file.
const MARK: &CStr = match CStr::from_bytes_with_nul(
    concat!("gfx906-hip version ", env!("CARGO_PKG_VERSION"), "\0").as_bytes(),
) {
    Ok(mark) => mark,
    Err(_) => c"",
};

/// Returns the library's version: `gfx906-hip version 0.1.0`, with a NUL at its end.
#[unsafe(no_mangle)]
pub extern "C" fn gfx906_version() -> *const c_char {
    MARK.as_ptr()
}

/// `hipHostRegister` for memory that kernels may only read: a write to the memory is a fault. The memory need not be writable for the
/// process either. `hipHostUnregister` ends it.
///
/// # Safety
/// The process keeps the memory mapped until the memory is unregistered.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gfx906_register_read_only(memory: Address, bytes: usize) -> u32 {
    entry::enter("gfx906_register_read_only", Gate::Device, || {
        host::register_read_only(memory, bytes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_crates() {
        // SAFETY: the function returns a static text with a NUL at its end.
        let text = unsafe { CStr::from_ptr(gfx906_version()) };
        assert_eq!(
            text.to_str(),
            Ok(concat!("gfx906-hip version ", env!("CARGO_PKG_VERSION")))
        );
    }
}
