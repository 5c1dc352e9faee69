//! Messages about memory that the program does not free, or frees twice (`GFX906_LEAKS=1`).

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::boundary::Address;
use crate::diagnostics::log;
use crate::objects::memory::{Allocation, Kind};
use crate::runtime::state;
use crate::settings::LEAKS;

/// Most allocations that get a line of their own.
const TOLD: usize = 20;

/// True once the program has allocated something while the check is on.
static USED: AtomicBool = AtomicBool::new(false);

/// Notes an allocation.
pub fn watch() {
    if LEAKS.is_on() {
        USED.store(true, Relaxed);
    }
}

/// Logs that a call frees an address at which no allocation starts.
pub fn freed_twice(call: &str, address: Address) {
    if LEAKS.is_on() {
        log(format!(
            "GFX906_LEAKS=1: {call} of {address:#x}, where no allocation starts: it was freed before, or never made"
        ));
    }
}

/// Logs the remaining allocations after the last destructor of the program. The loader runs a library's destructors after the program's.
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
        .allocations()
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
