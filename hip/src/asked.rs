//! `gfx906_report`: a program asks it for the messages instead of reading stderr. It is no function of HIP's (nor are the functions of
//! the file `extension.rs`).
//!
//! It hands out, as JSON, what was said since it was last asked: `{"trap": {...} or null, "findings": [text, ...], "told": [text, ...]}`.
//! `told` has everything that stderr has, the report of the trap and the findings among it.

use std::ffi::c_char;

use serde_json::json;

use crate::boundary::Out;
use crate::runtime::guarded;
use crate::said::{Kept, with};

/// Writes what was said into `out`, which has `size` bytes, with a NUL at its end, and forgets it; returns how many bytes that takes. Where
/// they are more than `size`, nothing is written or forgotten.
fn take(out: Out<c_char>, size: usize) -> usize {
    let mut needed = 0;
    with(|kept| {
        let text = json!({ "trap": kept.trap, "findings": kept.findings, "told": kept.told });
        let text = text.to_string();
        needed = text.len() + 1;
        if out.is_null() || needed > size {
            return;
        }
        // JSON escapes NUL.
        let bytes = text.bytes().chain([0]).enumerate();
        for (at, byte) in bytes {
            if out.put_at(at, byte.cast_signed() as c_char).is_err() {
                return;
            }
        }
        *kept = Kept::default();
    });
    needed
}

/// What was said since the last call, as JSON (see the module): written to `out`, which has `size` bytes, if it fits. Returns the bytes that
/// it takes with the NUL at its end; 0 where it went wrong.
///
/// # Safety
/// `out` is null, or good for writes of `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gfx906_report(out: Out<c_char>, size: usize) -> usize {
    guarded("gfx906_report", || take(out, size)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::said::told;

    #[test]
    fn what_was_said_is_handed_out_once_and_only_where_there_is_room() {
        told("one \"line\"\nand another");
        // SAFETY: null is what the function takes for no place.
        let needed = unsafe { gfx906_report(Out::at(std::ptr::null_mut()), 0) };
        let mut bytes: Vec<c_char> = vec![0; needed + 1];
        let mut ask = |size: usize| {
            // SAFETY: `bytes` has at least so many.
            let taken = unsafe { gfx906_report(Out::at(bytes.as_mut_ptr()), size) };
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
