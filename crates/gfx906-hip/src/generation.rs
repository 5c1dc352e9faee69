//! Version of HIP that a program sees. The library stands for versions 5, 6 and 7.
//!
//! One library serves all versions because a process must have one card: a program and a library of another generation would load two files
//! with separate allocations. `libamdhip64.so.6` and `.so.7` are filters, small libraries behind which the loader finds this one; each calls
//! [`gfx906_set_generation`] when it is loaded, and the first call counts. Without a filter the name of the file decides: links and copies of
//! it differ in the name that the loader keeps.

use std::ffi::CStr;
use std::sync::{LazyLock, OnceLock};

use crate::settings;

/// Major version of HIP. Functions of the same name differ between the versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Generation {
    /// 5.2, as Debian packages it.
    Five,
    /// 6.4.
    Six,
    /// 7.1.
    Seven,
}

impl Generation {
    /// Returns major * 10000000 + minor * 100000 + patch, as `hipRuntimeGetVersion` reports it for Debian's packages and for ROCm 6.4.3 and
    /// 7.1.
    pub fn version(self) -> i32 {
        match self {
            Generation::Five => 50_221_153,
            Generation::Six => 60_443_484,
            Generation::Seven => 70_125_424,
        }
    }

    /// Returns the generation of a major version.
    fn from_major(major: &str) -> Option<Generation> {
        match major {
            "5" => Some(Generation::Five),
            "6" => Some(Generation::Six),
            "7" => Some(Generation::Seven),
            _ => None,
        }
    }

    /// Returns the generation for a file name: 6 for `libamdhip64.so.6.4`. The name without a version stands for the newest. A program that
    /// links this crate statically has another name, and gets the version of Debian's headers.
    fn from_file_name(path: &str) -> Generation {
        let name = path.rsplit('/').next().unwrap_or(path);
        let names = ["libamdhip64.so", "libhiprtc.so"];
        match names.iter().find_map(|library| name.split_once(library)) {
            None => Generation::Five,
            Some((_, suffix)) => {
                let major = suffix.trim_start_matches('.').split('.').next();
                major
                    .and_then(Generation::from_major)
                    .unwrap_or(Generation::Seven)
            }
        }
    }
}

/// Generation of the filter through which the program loaded the library.
static FILTER: OnceLock<Generation> = OnceLock::new();

/// Stores the version of HIP that the program was linked with. Filters call it before any of the program's own code runs.
#[unsafe(no_mangle)]
pub extern "C" fn gfx906_set_generation(major: i32) {
    if let Some(generation) = Generation::from_major(&major.to_string()) {
        // A library of another version that the process loads later changes nothing.
        let _ = FILTER.set(generation);
    }
}

/// Returns the file name under which the loader knows this library.
fn own_name() -> String {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    let here = own_name as fn() -> String as *const libc::c_void;
    // SAFETY: `dladdr` accepts any address, and `info` is valid for writes.
    let found = unsafe { libc::dladdr(here, &mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return String::new();
    }
    // SAFETY: the loader's name of this library, which stays loaded.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    name.to_string_lossy().into_owned()
}

/// Returns the generation of this process.
pub fn generation() -> Generation {
    static GENERATION: LazyLock<Generation> = LazyLock::new(|| {
        let named = FILTER.get().copied();
        let named = named.unwrap_or_else(|| Generation::from_file_name(&own_name()));
        match settings::hip_major() {
            Some(5) => Generation::Five,
            Some(6) => Generation::Six,
            Some(_) => Generation::Seven,
            None => named,
        }
    });
    *GENERATION
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_generations() {
        let from_file_name = Generation::from_file_name;
        assert_eq!(from_file_name("/opt/x/libamdhip64.so.5"), Generation::Five);
        assert_eq!(from_file_name("libamdhip64.so.6"), Generation::Six);
        assert_eq!(
            from_file_name("/a.so.6/libamdhip64.so.7.1.25424"),
            Generation::Seven
        );
        assert_eq!(from_file_name("/x/libhiprtc.so.6"), Generation::Six);
        assert_eq!(from_file_name("/x/libamdhip64.so"), Generation::Seven);
        assert_eq!(from_file_name("/x/libamdhip64.so.71"), Generation::Seven);
        assert_eq!(
            from_file_name("/x/tests-0123456789abcdef"),
            Generation::Five
        );
        assert_eq!(from_file_name(""), Generation::Five);
    }

    #[test]
    fn a_program_that_links_the_crate_meets_debians() {
        assert_eq!(generation().version() / 100_000, 502);
    }
}
