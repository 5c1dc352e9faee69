//! Lookup of functions by name, for programs that load the library at run time.

use crate::boundary::{Address, Out, Text};
use crate::error::{HipError, HipResult};
use crate::generation::generation;

/// Result of a lookup: `hipDriverProcAddressQueryResult`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Status {
    Found = 0,
    Unknown = 1,
    /// The function is newer than the requested version.
    TooNew = 2,
}

/// Function: its address, and the version of its symbol.
pub type ExportedFunction = (Address, &'static str);

/// Functions whose plain name stands for another entry from HIP 6.0 on, as the headers of 6 rename them.
const RENAMED: &[(&str, &str)] = &[
    ("hipChooseDevice", "hipChooseDeviceR0600"),
    ("hipGetDeviceProperties", "hipGetDevicePropertiesR0600"),
];
const RENAMED_IN: i32 = 600;

/// Converts a version to 100 * major + minor. HIP's documentation has this form, but programs also pass the value of `HIP_VERSION`.
fn short(version: i32) -> i32 {
    const FULL: i32 = 10_000_000;
    if version >= FULL {
        version / 100_000
    } else {
        version
    }
}

/// Returns the version that introduced a symbol: `hip_6.1` is 601. Symbols of the first version need none.
fn since(symbol_version: &str) -> i32 {
    const FIRST: &str = "hip_4.2";
    let numbers = symbol_version.trim_start_matches("hip_").split_once('.');
    match numbers {
        Some((major, minor)) if symbol_version != FIRST => {
            let number = |text: &str| text.parse::<i32>().unwrap_or(0);
            100 * number(major) + number(minor)
        }
        _ => 0,
    }
}

fn search(
    find: impl Fn(&str) -> Option<ExportedFunction>,
    name: &str,
    version: i32,
) -> (Status, Address) {
    let version = short(version);
    let renamed = RENAMED.iter().find(|(plain, _)| *plain == name);
    let name = match renamed {
        Some((_, other)) if version >= RENAMED_IN => other,
        _ => name,
    };
    match find(name) {
        None => (Status::Unknown, 0),
        Some((_, symbol_version)) if since(symbol_version) > version => (Status::TooNew, 0),
        Some((address, _)) => (Status::Found, address),
    }
}

/// `hipGetProcAddress`: finds a function by the name that it has in a version. The only flag is 0.
pub fn by_version(
    find: impl Fn(&str) -> Option<ExportedFunction>,
    name: Text,
    out: Out<Address>,
    version: i32,
    flags: u64,
    status: Out<u32>,
) -> HipResult {
    out.put(0)?;
    if flags != 0 || version < 0 {
        return Err(HipError::InvalidValue);
    }
    let (found, address) = search(find, &name.get()?, version);
    status.put_unless_null(found as u32)?;
    if found != Status::Found {
        return Err(HipError::InvalidValue);
    }
    out.put(address)
}

/// Flags that choose one of a function's two entries (`hipDriverEntryPointFlags`).
const LEGACY: u64 = 1;
const PER_THREAD: u64 = 2;

/// `hipGetDriverEntryPoint`: finds a function as the running version has it, or its entry for the thread's own stream.
pub fn entry_point(
    find: impl Fn(&str) -> Option<ExportedFunction>,
    name: Text,
    out: Out<Address>,
    flags: u64,
    status: Out<u32>,
) -> HipResult {
    let version = generation().version();
    match flags {
        0 | LEGACY => by_version(find, name, out, version, 0, status),
        PER_THREAD => {
            let own = |name: &str| find(&format!("{name}_spt")).or_else(|| find(name));
            by_version(own, name, out, version, 0, status)
        }
        _ => by_version(find, name, out, version, flags, status),
    }
}

/// `hipGetDriverEntryPoint` for programs whose null stream is the thread's own.
pub fn entry_point_per_thread(
    find: impl Fn(&str) -> Option<ExportedFunction>,
    name: Text,
    out: Out<Address>,
    flags: u64,
    status: Out<u32>,
) -> HipResult {
    let flags = if flags == 0 { PER_THREAD } else { flags };
    entry_point(find, name, out, flags, status)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(name: &str) -> Option<ExportedFunction> {
        match name {
            "hipMalloc" => Some((1, "hip_4.2")),
            "hipGetDeviceProperties" => Some((5, "hip_4.2")),
            "hipGetDevicePropertiesR0600" => Some((6, "hip_6.0")),
            "hipGetProcAddress" => Some((7, "hip_6.1")),
            _ => None,
        }
    }

    #[test]
    fn a_name_means_what_the_version_says() {
        let search = |name, version| search(find, name, version);
        assert_eq!(search("hipMalloc", 0), (Status::Found, 1));
        assert_eq!(search("hipGetDeviceProperties", 507), (Status::Found, 5));
        assert_eq!(search("hipGetDeviceProperties", 600), (Status::Found, 6));
        assert_eq!(
            search("hipGetDeviceProperties", 70_125_424),
            (Status::Found, 6)
        );
        assert_eq!(search("hipGetProcAddress", 600), (Status::TooNew, 0));
        assert_eq!(search("hipGetProcAddress", 601), (Status::Found, 7));
        assert_eq!(search("hipSomething", 700), (Status::Unknown, 0));
    }

    #[test]
    fn flags_choose_between_the_entries_of_a_function() {
        fn find(name: &str) -> Option<ExportedFunction> {
            match name {
                "hipMemcpy" => Some((1, "hip_4.2")),
                "hipMemcpy_spt" => Some((2, "hip_5.2")),
                "hipMalloc" => Some((3, "hip_4.2")),
                _ => None,
            }
        }
        let ask = |per_thread: bool, name, flags| {
            let mut address = 7;
            // SAFETY: `out` points to a local that outlives the call, and `none` is null.
            let (out, none) = unsafe { (Out::at(&raw mut address), Out::at(std::ptr::null_mut())) };
            let entry = match per_thread {
                true => entry_point_per_thread(find, Text::from_static(name), out, flags, none),
                false => entry_point(find, Text::from_static(name), out, flags, none),
            };
            entry.map(|()| address)
        };
        assert_eq!(ask(false, c"hipMemcpy", 0), Ok(1));
        assert_eq!(ask(false, c"hipMemcpy", LEGACY), Ok(1));
        assert_eq!(ask(false, c"hipMemcpy", PER_THREAD), Ok(2));
        assert_eq!(ask(true, c"hipMemcpy", 0), Ok(2));
        assert_eq!(ask(true, c"hipMemcpy", LEGACY), Ok(1));
        assert_eq!(ask(true, c"hipMalloc", 0), Ok(3), "it has but one");
        assert_eq!(ask(true, c"hipMemcpy", 4), Err(HipError::InvalidValue));
    }
}
