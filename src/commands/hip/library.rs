//! The path of the HIP runtime, and the search path by which a program finds it.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::exit::Stop;
use crate::files;
use crate::text::shown;

use super::machine;

/// Environment variable that names the library's file and overrides [`PLACES`].
const VARIABLE: &str = "DELTANET_CHECK_LIBHIP";
const NAME: &str = "libamdhip64.so.5";
/// The names of the library that programs of HIP 5, 6 and 7 are linked to.
const NAMES: [&str; 4] = [
    "libamdhip64.so",
    NAME,
    "libamdhip64.so.6",
    "libamdhip64.so.7",
];
/// File beside the library, with the names that are links in a build and that a package cannot have: in each line a name and the file
/// behind it (`scripts/build-hip.sh`).
const LINKS: &str = "links";
/// Directories in which the library is searched, in this order, relative to the directory of this program: the layouts of a loose copy,
/// an installation and cargo's target folder.
const PLACES: [&str; 3] = ["", INSTALLED, "../hip"];
/// The folder of an installed runtime: of wheels, archives and Debian packages, and of `hip --install`.
const INSTALLED: &str = "../lib/deltanet-check";
/// Text in the library's file; the version follows, with a NUL at its end (`crates/gfx906-hip/src/extension.rs`).
const MARK: &[u8] = b"gfx906-hip version ";
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Bytes of the largest library that is read.
const MAX_LIBRARY: u64 = 1 << 30;
const BUILD: &str = "build it once, from the sources of this program: deltanet-check hip --install\n\
                     or install the wheel of deltanet-check, which has the runtime\n\
                     or name the file of a build by scripts/build-hip.sh in a clone:\n  \
                     DELTANET_CHECK_LIBHIP=CLONE/target/hip/libamdhip64.so";

/// Finds the library: the file that the environment names, or the first of the places that has the library of this version.
///
/// # Errors
/// No place has the library; the message says what each place has and how the library is built.
pub fn find() -> Result<PathBuf, Stop> {
    if let Some(named) = env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        let path = PathBuf::from(named);
        // The names of HIP 6 and 7 are small libraries that lead to the runtime beside them.
        let found = match examine(&path) {
            Err(Obstacle::OtherRuntime) if is_filter(&path) => examine(&path.with_file_name(NAME)),
            found => found,
        };
        return found.map_err(|found| {
            Stop::setup(format!("{VARIABLE}={}: {found}\n{BUILD}", shown(&path)))
        });
    }
    let folder = &program_folder()?;
    let mut looked = format!("looked at, in this order:\n  {VARIABLE}: not set\n");
    for place in PLACES {
        let path = joined(folder, place).join(NAME);
        match examine(&path) {
            Ok(library) => return Ok(library),
            Err(found) => looked += &format!("  {}: {found}\n", shown(&path)),
        }
    }
    Err(Stop::setup(format!(
        "there is no HIP runtime of deltanet-check {VERSION} near the program\n{BUILD}\n{}",
        looked.trim_end()
    )))
}

/// Returns true if a path has the name of the runtime for HIP 6 or 7.
fn is_filter(path: &Path) -> bool {
    let name = path.file_name();
    NAMES[2..]
        .iter()
        .any(|filter| name == Some(OsStr::new(filter)))
}

/// Returns the folder of this program, with all links resolved.
///
/// # Errors
/// The system does not tell.
fn program_folder() -> Result<PathBuf, Stop> {
    let program = env::current_exe().and_then(fs::canonicalize);
    let mut folder =
        program.map_err(|error| Stop::setup(format!("where this program is: {error}")))?;
    folder.pop();
    Ok(folder)
}

/// Returns the folder in which `hip --install` puts the runtime.
///
/// # Errors
/// The system does not tell where this program is.
pub fn installed_folder() -> Result<PathBuf, Stop> {
    Ok(joined(&program_folder()?, INSTALLED))
}

/// Joins a directory and a relative place without `..` in the result.
fn joined(folder: &Path, place: &str) -> PathBuf {
    match (place.strip_prefix("../"), folder.parent()) {
        (Some(place), Some(parent)) => parent.join(place),
        _ => folder.join(place),
    }
}

/// A reason why the file at the place of the library cannot be used.
#[derive(Debug, thiserror::Error)]
enum Obstacle {
    #[error("not there")]
    Nothing,
    #[error("not a file")]
    NoFile,
    #[error("another HIP runtime")]
    OtherRuntime,
    #[error("has version {0}, not {VERSION}")]
    OtherVersion(String),
    #[error(transparent)]
    Unreadable(#[from] io::Error),
}

/// Returns the library's file with all links resolved.
fn examine(path: &Path) -> Result<PathBuf, Obstacle> {
    let file = fs::canonicalize(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => Obstacle::Nothing,
        _ => Obstacle::Unreadable(error),
    })?;
    if !file.is_file() {
        return Err(Obstacle::NoFile);
    }
    let bytes = files::read(&file, MAX_LIBRARY)?;
    match version(&bytes) {
        None => Err(Obstacle::OtherRuntime),
        Some(version) if version != VERSION => Err(Obstacle::OtherVersion(version)),
        Some(_) => Ok(file),
    }
}

/// Returns the version that a library's file names; none in a file that is not the library.
fn version(bytes: &[u8]) -> Option<String> {
    let at = bytes.windows(MARK.len()).position(|text| text == MARK)?;
    let text = bytes[at + MARK.len()..].split(|byte| *byte == 0).next()?;
    Some(String::from_utf8_lossy(text).into_owned())
}

/// A temporary directory for one run, with links to the library under each of its names and the files that the runtime writes.
pub struct RunDirectory {
    directory: TempDir,
    /// The directory of the library itself, which may also have hipBLAS.
    beside: Option<PathBuf>,
}

impl RunDirectory {
    /// Creates the directory and the links.
    ///
    /// # Errors
    /// The directory cannot be written.
    pub fn new(library: &Path) -> Result<RunDirectory, Stop> {
        let temporary = env::temp_dir();
        let cannot = |error| Stop::setup(format!("cannot write to {}: {error}", shown(&temporary)));
        // Nobody else can read the directory or has made it before.
        let directory = tempfile::Builder::new()
            .prefix("deltanet-check-hip-")
            .tempdir();
        let place = RunDirectory {
            directory: directory.map_err(cannot)?,
            beside: library.parent().map(Path::to_owned),
        };
        for name in NAMES {
            symlink(library, place.directory.path().join(name)).map_err(cannot)?;
        }
        place.link().map_err(cannot)?;
        machine::write_commands(&place.commands()).map_err(cannot)?;
        Ok(place)
    }

    /// Makes the names that are links and that no file has yet.
    fn link(&self) -> io::Result<()> {
        fs::create_dir(self.directory.path().join("stand-ins"))?;
        let Some(beside) = &self.beside else {
            return Ok(());
        };
        let Ok(links) = fs::read_to_string(beside.join(LINKS)) else {
            return Ok(());
        };
        for line in links.lines() {
            let Some((name, file)) = line.split_once(' ') else {
                continue;
            };
            let file = beside.join(name).with_file_name(file);
            if let Err(error) = symlink(file, self.directory.path().join(name))
                && error.kind() != ErrorKind::AlreadyExists
            {
                return Err(error);
            }
        }
        Ok(())
    }

    /// Returns `LD_LIBRARY_PATH` with this directory and the library's own directory before it, and with the stand-ins behind it.
    ///
    /// # Errors
    /// A name has a colon, or there are no stand-ins.
    pub fn search_path(&self, stand_ins: bool) -> Result<OsString, Stop> {
        let own = [self.directory.path().to_owned()]
            .into_iter()
            .chain(self.beside.clone());
        let behind = match stand_ins {
            true => vec![
                self.beside("stand-ins")?,
                self.directory.path().join("stand-ins"),
            ],
            false => Vec::new(),
        };
        self.joined_paths("LD_LIBRARY_PATH", own, behind)
    }

    /// Returns `PATH` with the directory of commands that name the card before it; nothing if it is not set, as the system's default is
    /// unknown.
    ///
    /// # Errors
    /// A name has a colon.
    pub fn command_path(&self) -> Result<Option<OsString>, Stop> {
        let path = || self.joined_paths("PATH", [self.commands()], None);
        env::var_os("PATH").map(|_| path()).transpose()
    }

    /// Writes the files of the kernel driver that name the card, and returns the environment in which a program finds them.
    ///
    /// # Errors
    /// The library for `LD_PRELOAD` does not exist, or the files cannot be written.
    pub fn rocm_view(&self) -> Result<Vec<(&'static str, OsString)>, Stop> {
        let library = self.beside("stand-ins/libgfx906_rocm_view.so")?;
        let view = self.directory.path().join("view");
        let written = machine::write_files(&view);
        written
            .map_err(|error| Stop::setup(format!("cannot write to {}: {error}", shown(&view))))?;
        let preload = self.joined_paths("LD_PRELOAD", [library], None)?;
        Ok(vec![
            ("LD_PRELOAD", preload),
            ("GFX906_ROCM_VIEW", view.into()),
        ])
    }

    /// Returns the paths of an environment variable, with others before and behind them.
    fn joined_paths(
        &self,
        variable: &str,
        before: impl IntoIterator<Item = PathBuf>,
        behind: impl IntoIterator<Item = PathBuf>,
    ) -> Result<OsString, Stop> {
        let set = env::var_os(variable).unwrap_or_default();
        let set = env::split_paths(&set).filter(|path| !path.as_os_str().is_empty());
        env::join_paths(before.into_iter().chain(set).chain(behind)).map_err(|_| {
            Stop::setup(format!(
                "{}: a colon in TMPDIR, or in where the library is",
                shown(self.directory.path())
            ))
        })
    }

    /// Returns a file or folder beside the library.
    fn beside(&self, name: &str) -> Result<PathBuf, Stop> {
        let path = self.beside.clone().unwrap_or_default().join(name);
        if !path.exists() {
            return Err(Stop::setup(format!(
                "{}: not there; scripts/build-hip.sh and `hip --install` write it beside the runtime",
                shown(&path)
            )));
        }
        Ok(path)
    }

    /// Returns the folder of commands that name the card.
    fn commands(&self) -> PathBuf {
        self.directory.path().join("commands")
    }

    /// Returns the folder in which the runtime records launches for a profile.
    pub fn records(&self) -> PathBuf {
        self.directory.path().join("records")
    }

    /// Returns the file to which the runtime writes what ran.
    pub fn summary(&self) -> PathBuf {
        self.directory.path().join("summary")
    }

    /// Returns the directory itself.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Returns the folder of the runtime and the libraries beside it.
    pub fn folder_of_libraries(&self) -> Option<PathBuf> {
        self.beside.clone()
    }
}
