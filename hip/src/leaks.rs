//! Memory that the program has not given back when it ends, or gives back twice: told where the environment asks for it (`GFX906_LEAKS=1`).

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::boundary::Address;
use crate::diagnostics::log;
use crate::objects::memory::{Allocation, Kind};
use crate::runtime::state;
use crate::settings::LEAKS;

/// Allocations that are told each for itself.
const TOLD: usize = 20;

/// The program has allocated something, and somebody asked.
static USED: AtomicBool = AtomicBool::new(false);

/// Notes that there is something to give back.
pub fn watch() {
    if LEAKS.is_on() {
        USED.store(true, Relaxed);
    }
}

/// Says that a call frees what is no allocation, or is none any more.
pub fn freed_twice(call: &str, address: Address) {
    if LEAKS.is_on() {
        log(format!(
            "GFX906_LEAKS=1: {call} of {address:#x}, where no allocation starts: it was freed before, or never made"
        ));
    }
}

/// What is left behind the last destructor of the program: the loader ends libraries after that.
#[used]
#[unsafe(link_section = ".fini_array")]
static AT_END: extern "C" fn() = at_end;

extern "C" fn at_end() {
    if !USED.load(Relaxed) {
        return;
    }
    let state = state();
    let left: Vec<&Allocation> = state
        .memory
        .all()
        .filter(|found| !state.belongs_to_program(found.base) && found.kind != Kind::Mapped)
        .collect();
    let bytes: u64 = left.iter().map(|found| found.size).sum();
    log(format!(
        "GFX906_LEAKS=1: {} allocations were not freed, {bytes} bytes",
        left.len()
    ));
    for found in left.iter().take(TOLD) {
        let what = match found.kind {
            Kind::Host => "pinned host memory",
            Kind::Managed => "managed memory",
            _ => "device memory",
        };
        log(format!(
            "  allocating call #{}: {what}, {} bytes at {:#x}",
            found.call, found.size, found.base
        ));
    }
    if left.len() > TOLD {
        log(format!("  and {} more", left.len() - TOLD));
    }
}
