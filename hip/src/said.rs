//! What was said, kept for a program that asks for it (`report`).

use std::sync::{Mutex, PoisonError};

use gfx906::machine::Trap;
use serde_json::{Value, json};

/// Texts that are kept at most: nobody may ever ask.
const KEPT: usize = 256;

/// What was said since somebody asked.
#[derive(Default)]
pub struct Kept {
    /// Where and why a kernel stopped.
    pub trap: Option<Value>,
    /// What the sanitizer found.
    pub findings: Vec<String>,
    /// All that stderr has.
    pub told: Vec<String>,
}

static KEPT_TEXTS: Mutex<Kept> = Mutex::new(Kept {
    trap: None,
    findings: Vec::new(),
    told: Vec::new(),
});

/// Works on what is kept.
pub fn with(change: impl FnOnce(&mut Kept)) {
    change(&mut KEPT_TEXTS.lock().unwrap_or_else(PoisonError::into_inner));
}

fn push(texts: &mut Vec<String>, text: &str) {
    if texts.len() < KEPT {
        texts.push(text.to_owned());
    }
}

/// Keeps what was said.
pub fn told(text: &str) {
    with(|kept| push(&mut kept.told, text));
}

/// Keeps a finding of the sanitizer.
pub fn found(text: &str) {
    with(|kept| push(&mut kept.findings, text));
}

/// Keeps where and why a kernel stopped; of several the first that nobody has asked for.
pub fn trapped(trap: &Trap) {
    let nearest = trap.nearest.as_ref().map(|nearest| {
        // Addresses have 64 bits, so that distances beyond do not exist.
        let distance = i64::try_from(nearest.distance).unwrap_or(i64::MAX);
        json!({ "name": nearest.name, "base": nearest.base, "bytes": nearest.size, "distance": distance })
    });
    let value = json!({
        "message": trap.kind.to_string(),
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
    with(|kept| {
        kept.trap.get_or_insert(value);
    });
}
