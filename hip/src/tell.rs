//! What is said on stderr, beyond error codes.

use std::fmt::Display;
use std::panic::catch_unwind;

use crate::said;

/// Says something, a line or a report. A program without stderr misses it, and goes on.
pub fn tell(text: impl Display) {
    let text = text.to_string();
    said::told(&text);
    drop(catch_unwind(|| eprintln!("gfx906-hip: {text}")));
}
