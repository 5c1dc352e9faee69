//! Reads beyond the end of an allocation, within its last page. They are a fault, unless `GFX906_OOB=report` makes them pass with a
//! message. A card lets them pass in silence. Every other access outside of allocations is a fault.

use std::collections::BTreeMap;
use std::sync::{Mutex, Once, PoisonError};

use gfx906::machine::{Gpu, ReadBeyond};

use crate::diagnostics::log;
use crate::diagnostics::trap::demangle;
use crate::process::{self, ExitAction};
use crate::settings;

/// Sums of the reads, by kernel and allocation.
static READ: Mutex<BTreeMap<(String, String), ReadBeyond>> = Mutex::new(BTreeMap::new());

/// Adds a kernel's reads to the sums. Logs the first read beyond each allocation.
pub fn note(gpu: &Gpu, kernel: &str) {
    if !settings::reads_beyond_pass() {
        return;
    }
    let mut sums = READ.lock().unwrap_or_else(PoisonError::into_inner);
    for found in gpu.take_reads_beyond() {
        static AT_END: Once = Once::new();
        AT_END.call_once(|| _ = process::at_end(ExitAction::Reads, at_end));
        let kernel = demangle(kernel);
        let key = (kernel.clone(), found.name.clone());
        let sum = sums.entry(key).or_insert_with(|| {
            log(line(&kernel, &found));
            ReadBeyond {
                reads: 0,
                ..found.clone()
            }
        });
        sum.reads += found.reads;
        sum.farthest = sum.farthest.max(found.farthest);
    }
}

fn line(kernel: &str, found: &ReadBeyond) -> String {
    let ReadBeyond {
        name,
        size,
        reads,
        farthest,
    } = found;
    let times = match reads {
        1 => "once".to_owned(),
        reads => format!("{reads} times"),
    };
    format!(
        "`{kernel}` reads beyond the end of `{name}` ({size} bytes), {times}, by up to {farthest} bytes: a card lets it pass"
    )
}

/// Logs the sums when the program ends.
fn at_end() {
    // A thread that holds the lock logs no more, and the lock may never be free.
    let Ok(sums) = READ.try_lock() else {
        return;
    };
    let reads: u64 = sums.values().map(|found| found.reads).sum();
    log(format!(
        "GFX906_OOB=report: reads beyond the end of an allocation that passed: {reads}"
    ));
    for ((kernel, _), found) in sums.iter() {
        log(format!("  {}", line(kernel, found)));
    }
}
