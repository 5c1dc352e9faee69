//! Exported functions that HIP does not have, for programs that know the emulator: the Python package, `deltanet-check hip`.

use std::ffi::{CStr, c_char};

use serde_json::json;

use crate::boundary::{Address, Out, Text};
use crate::calls::memory::host;
use crate::diagnostics::log;
use crate::diagnostics::messages::{UnreadMessages, with_unread};
use crate::entry::{self, Gate};
use crate::error::HipError;
use crate::runtime::guarded;
use crate::{sanitize, settings};

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

/// Gives the next launches settings in place of those of the environment: the checks of the sanitizer, the most instructions and seconds, the
/// order of work-groups and waves. Each is a text as in `GFX906_SANITIZE`, `GFX906_BUDGET` and `GFX906_SCHEDULE`, or null for that
/// variable. Returns `hipErrorInvalidValue` for another text, which is logged, and changes nothing then. A given sanitizer tells its
/// findings anew, and knows the memory that was allocated or registered since it was given.
///
/// # Safety
/// Each text is null, or has a NUL at its end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gfx906_settings(sanitize: Text, budget: Text, schedule: Text) -> u32 {
    entry::enter("gfx906_settings", Gate::Open, || {
        let [sanitize, budget, schedule] = [sanitize, budget, schedule].map(|text| text.get().ok());
        let given = settings::give(sanitize.as_deref(), budget.as_deref(), schedule.as_deref());
        given.map_err(|problem| {
            log(problem);
            HipError::InvalidValue
        })?;
        sanitize::renew(sanitize.is_some());
        Ok(())
    })
}

/// Writes messages as JSON with a NUL at the end into `out`, which has room for `size` bytes, and forgets them. Returns the bytes that the
/// text needs; if it needs more than `size`, nothing is written or forgotten.
fn take_messages(unread: &mut UnreadMessages, out: Out<c_char>, size: usize) -> usize {
    let text = json!({ "trap": unread.trap, "findings": unread.findings, "told": unread.told });
    let text = text.to_string();
    let needed = text.len() + 1;
    if out.is_null() || needed > size {
        return needed;
    }
    // JSON escapes NUL.
    for (at, byte) in text.bytes().chain([0]).enumerate() {
        if out.put_at(at, byte.cast_signed() as c_char).is_err() {
            return needed;
        }
    }
    *unread = UnreadMessages::default();
    needed
}

/// Hands out the messages since the last call, so that a program need not read stderr, as JSON:
/// `{"trap": {...} or null, "findings": [text, ...], "told": [text, ...]}`. `told` has every text of stderr, the trap's report and the
/// findings among them. Writes the text with a NUL at its end to `out` if it fits into `size` bytes. Returns the bytes that it needs, or 0
/// after an internal error.
///
/// # Safety
/// `out` is null, or good for writes of `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gfx906_report(out: Out<c_char>, size: usize) -> usize {
    let take = || {
        let mut needed = 0;
        with_unread(|unread| needed = take_messages(unread, out, size));
        needed
    };
    guarded("gfx906_report", take).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

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

    #[test]
    fn messages_are_handed_out_once_and_only_if_they_fit() {
        // A store of its own: other tests log to the process's store.
        let mut unread = UnreadMessages {
            told: vec!["one \"line\"\nand another".to_owned()],
            ..UnreadMessages::default()
        };
        // SAFETY: the function accepts null.
        let null = unsafe { Out::at(std::ptr::null_mut()) };
        let needed = take_messages(&mut unread, null, 0);
        let mut bytes: Vec<c_char> = vec![0; needed + 1];
        let mut ask = |size: usize| {
            // SAFETY: `bytes` has at least `size` elements.
            let out = unsafe { Out::at(bytes.as_mut_ptr()) };
            let taken = take_messages(&mut unread, out, size);
            let text: Vec<u8> = bytes
                .iter()
                .map(|&byte| byte as u8)
                .take_while(|&byte| byte != 0)
                .collect();
            (taken, String::from_utf8(text).expect("UTF-8"))
        };
        assert_eq!(ask(needed - 1), (needed, String::new()), "no room");
        let (_, text) = ask(needed);
        let value: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(value["told"][0], "one \"line\"\nand another");
        assert_eq!(value["trap"], Value::Null);
        let (_, text) = ask(needed);
        let value: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(value["told"], json!([]), "it was asked for");
    }
}
