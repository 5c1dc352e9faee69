//! Where the runtime is, and how a program finds it.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::exit::Stop;
use crate::text::shown;

/// Names it.
const VARIABLE: &str = "DELTANET_CHECK_LIBHIP";
const NAME: &str = "libamdhip64.so";
/// What programs of HIP 5, 6 and 7 are linked to.
const NAMES: [&str; 4] = [
    NAME,
    "libamdhip64.so.5",
    "libamdhip64.so.6",
    "libamdhip64.so.7",
];

/// The library: what the environment names, or what is near this program.
///
/// # Errors
/// It is not there.
pub fn find() -> Result<PathBuf, Stop> {
    if let Some(named) = env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        let path = PathBuf::from(named);
        return fs::canonicalize(&path)
            .map_err(|error| Stop::setup(format!("{VARIABLE}={}: {error}", shown(&path))));
    }
    let program = env::current_exe().and_then(fs::canonicalize);
    let program =
        program.map_err(|error| Stop::setup(format!("where this program is: {error}")))?;
    let near: Vec<PathBuf> = ["", "../lib", "../hip"]
        .iter()
        .filter_map(|place| Some(program.parent()?.join(place).join(NAME)))
        .collect();
    let found = near.iter().find_map(|path| fs::canonicalize(path).ok());
    found.ok_or_else(|| {
        let looked: Vec<String> = near.iter().map(|path| shown(path)).collect();
        Stop::setup(format!(
            "there is no {NAME}: build it with scripts/build-hip.sh, or name it in {VARIABLE} (looked at {})",
            looked.join(", ")
        ))
    })
}

/// A directory for one run: the library under each of its names, and what the runtime writes.
pub struct Place {
    directory: PathBuf,
    /// Where the library itself is, and others beside it that programs use: hipBLAS.
    beside: Option<PathBuf>,
}

impl Place {
    /// Makes it.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn new(library: &Path) -> Result<Place, Stop> {
        let name = format!("deltanet-check-hip-{}", std::process::id());
        let place = Place {
            directory: env::temp_dir().join(name),
            beside: library.parent().map(Path::to_owned),
        };
        let directory = &place.directory;
        let cannot = |error| Stop::setup(format!("cannot write to {}: {error}", shown(directory)));
        // Left by a process of the same number that was killed.
        let _ = fs::remove_dir_all(directory);
        fs::create_dir(directory).map_err(cannot)?;
        for name in NAMES {
            symlink(library, directory.join(name)).map_err(cannot)?;
        }
        Ok(place)
    }

    /// `LD_LIBRARY_PATH` with it in front, and what lies beside the library behind it.
    ///
    /// # Errors
    /// A name has a colon.
    pub fn search_path(&self) -> Result<OsString, Stop> {
        let rest = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        let rest = env::split_paths(&rest).filter(|path| !path.as_os_str().is_empty());
        let own = [self.directory.clone()]
            .into_iter()
            .chain(self.beside.clone());
        env::join_paths(own.chain(rest)).map_err(|_| {
            Stop::setup(format!(
                "{}: a colon in TMPDIR, or in where the library is",
                shown(&self.directory)
            ))
        })
    }

    /// Where the runtime records launches that are to be profiled.
    pub fn records(&self) -> PathBuf {
        self.directory.join("records")
    }

    /// Where the runtime writes what ran.
    pub fn summary(&self) -> PathBuf {
        self.directory.join("summary")
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // What cannot be removed is in a directory for such things.
        let _ = fs::remove_dir_all(&self.directory);
    }
}
