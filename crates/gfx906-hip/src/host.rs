//! Queries to the operating system about memory of this process.

use crate::boundary::Address;

/// Returns the bytes of memory that the host can still give, or no limit if the host does not say.
pub fn available() -> u64 {
    let info = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = info.lines().find_map(|l| l.strip_prefix("MemAvailable:"));
    let kilobytes = line.and_then(|l| l.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.map_or(u64::MAX, |k| k << 10)
}

/// Returns true if the process may read and write every page of a range.
pub fn is_mapped(address: Address, bytes: u64) -> bool {
    extent(address, "rw") >= bytes
}

/// Returns the number of bytes from an address on that the process may read.
pub fn readable(address: Address) -> u64 {
    extent(address, "r")
}

/// Returns the number of bytes from an address on whose mapping has a mode that begins with `wanted`.
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
