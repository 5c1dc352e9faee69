//! Store of the messages that `gfx906_report` has not handed out yet.

use std::sync::{Mutex, PoisonError};

use gfx906::machine::Trap;
use serde_json::{Value, json};

/// Most texts of a kind that are kept, because a program may never ask for them.
const MOST_TEXTS: usize = 256;

/// Messages since the last `gfx906_report`.
#[derive(Default)]
pub struct UnreadMessages {
    /// First trap of a kernel, as JSON.
    pub trap: Option<Value>,
    /// Reports of the sanitizer.
    pub findings: Vec<String>,
    /// Texts that went to stderr, traps and findings among them.
    pub told: Vec<String>,
}

static UNREAD: Mutex<UnreadMessages> = Mutex::new(UnreadMessages {
    trap: None,
    findings: Vec::new(),
    told: Vec::new(),
});

/// Calls a function with the store, whose lock is held meanwhile.
pub fn with_unread(change: impl FnOnce(&mut UnreadMessages)) {
    change(&mut UNREAD.lock().unwrap_or_else(PoisonError::into_inner));
}

fn push(texts: &mut Vec<String>, text: &str) {
    if texts.len() < MOST_TEXTS {
        texts.push(text.to_owned());
    }
}

/// Keeps a text that goes to stderr.
pub fn keep_message(text: &str) {
    with_unread(|unread| push(&mut unread.told, text));
}

/// Keeps a finding of the sanitizer.
pub fn keep_finding(text: &str) {
    with_unread(|unread| push(&mut unread.findings, text));
}

/// Keeps the trap of a kernel, unless an earlier trap is still unread.
pub fn keep_trap(trap: &Trap) {
    let nearest = trap.nearest.as_ref().map(|nearest| {
        // Addresses have 64 bits: a distance that does not fit is clamped.
        let distance = i64::try_from(nearest.distance).unwrap_or(i64::MAX);
        json!({ "name": nearest.name, "base": nearest.base, "bytes": nearest.size, "distance": distance })
    });
    let value = json!({
        "message": trap.title(),
        "report": trap.to_string(),
        "hang": trap.is_hang(),
        "kernel": trap.kernel,
        "pc": trap.pc,
        "instruction": trap.instruction,
        "work_group": trap.work_group,
        "wave": trap.wave,
        "lane": trap.lane,
        "work_item": trap.work_item,
        "address": trap.address,
        "nearest": nearest,
    });
    with_unread(|unread| {
        unread.trap.get_or_insert(value);
    });
}
