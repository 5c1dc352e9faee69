//! Messages of the runtime to the user, beyond HIP's error codes: stderr, the store behind `gfx906_report`, and the summary of a process.

pub mod call;
pub mod messages;
pub mod signals;
pub mod summary;
pub mod trap;

use std::fmt::Display;
use std::panic::catch_unwind;

/// Writes a line or a report to stderr and keeps it for `gfx906_report`. A program without stderr misses the text and goes on.
pub fn log(text: impl Display) {
    let text = text.to_string();
    messages::keep_message(&text);
    drop(catch_unwind(|| eprintln!("gfx906-hip: {text}")));
}

/// Ends the program after a failure, because the environment variable `reason` asks for that. The summary is written first.
pub fn abort(reason: &str) -> ! {
    log(format!("{reason}=1: the program ends here"));
    summary::write();
    std::process::abort();
}
