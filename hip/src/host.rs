//! What the operating system says of the process' own memory.

use crate::boundary::Address;

/// Bytes of memory that the host can still give; without an answer, no limit.
pub fn available() -> u64 {
    let info = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = info.lines().find_map(|l| l.strip_prefix("MemAvailable:"));
    let kilobytes = line.and_then(|l| l.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.map_or(u64::MAX, |k| k << 10)
}

/// Whether the process may read and write every page of a range.
pub fn is_mapped(address: Address, bytes: u64) -> bool {
    extent(address, "rw") >= bytes
}

/// Bytes from an address on that the process may read.
pub fn readable(address: Address) -> u64 {
    extent(address, "r")
}

/// Bytes from an address on that are mapped in a mode that begins so.
fn extent(address: Address, wanted: &str) -> u64 {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let mut reached = address;
    for line in maps.lines() {
        let mut fields = line.split([' ', '-']);
        let mut hex = || u64::from_str_radix(fields.next()?, 16).ok();
        let (Some(from), Some(to)) = (hex(), hex()) else {
            continue;
        };
        let fits = fields.next().is_some_and(|mode| mode.starts_with(wanted));
        if fits && from <= reached && reached < to {
            reached = to;
        }
    }
    reached - address
}
