//! The reach of a file: the places that it may name for other files to be read and written.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

use crate::text::shown;

/// The folders below which any file may name places, with links followed.
static ALLOWED: OnceLock<AllowedFolders> = OnceLock::new();

/// Folders below which any file may name places.
struct AllowedFolders {
    /// The folders of `--allow-path`.
    flags: Vec<PathBuf>,
    /// The folders that the environment names.
    others: Vec<PathBuf>,
}

/// A name in a file that is out of the file's reach.
#[derive(Debug, thiserror::Error)]
pub enum OutOfReach {
    /// The place is neither below the folder of the file that names it nor below an allowed one.
    #[error("{} is not below {}: move it there, or allow its folder with `--allow-path DIR`", shown(.place), shown(.folder))]
    Outside {
        /// The place.
        place: PathBuf,
        /// The folder of the file that names it.
        folder: PathBuf,
    },
    /// The file would be overwritten.
    #[error("{} is there already: delete it, or allow its folder with `--allow-path DIR`", shown(.0))]
    Overwritten(PathBuf),
}

impl OutOfReach {
    /// Returns the mistake without the advice, and the advice.
    pub fn parts(&self) -> (String, String) {
        let text = self.to_string();
        let (mistake, advice) = text.split_once(": ").unwrap_or((&text, ""));
        (mistake.to_owned(), advice.to_owned())
    }
}

/// Allows files to name places below the folders of flags and others, once for the process.
///
/// # Errors
/// A folder is not there.
pub fn allow(flags: &[PathBuf], others: &[PathBuf]) -> io::Result<()> {
    let real = |folders: &[PathBuf]| -> io::Result<Vec<PathBuf>> {
        let real = folders.iter().map(|folder| {
            let found = fs::canonicalize(folder);
            found.map_err(|error| super::with_path(&error, "allow", folder, ""))
        });
        real.collect()
    };
    let allowed = AllowedFolders {
        flags: real(flags)?,
        others: real(others)?,
    };
    // A second call could only come from a test.
    let _ = ALLOWED.set(allowed);
    Ok(())
}

/// Returns the folders that flags allow.
pub fn allowed_by_flags() -> &'static [PathBuf] {
    ALLOWED.get().map_or(&[], |allowed| &allowed.flags)
}

/// Returns the path of a file that a file in `folder` names to be read.
///
/// # Errors
/// The file is neither below the folder nor below an allowed one.
pub fn named(folder: &Path, name: impl AsRef<Path>) -> Result<PathBuf, OutOfReach> {
    let path = folder.join(name);
    let real = real(&path);
    match is_below(&real, &self::real(folder)) || is_allowed(&real) {
        true => Ok(path),
        false => Err(outside(path, folder)),
    }
}

/// Returns the path of a file that a file in `folder` names to be written.
///
/// # Errors
/// The file is neither below the folder nor below an allowed one, or is below the folder and there already.
pub fn named_output(folder: &Path, name: impl AsRef<Path>) -> Result<PathBuf, OutOfReach> {
    let path = folder.join(name);
    let real = real(&path);
    if is_allowed(&real) {
        return Ok(path);
    }
    if !is_below(&real, &self::real(folder)) {
        return Err(outside(path, folder));
    }
    match fs::symlink_metadata(&path) {
        // A directory is not overwritten: no file can be written there.
        Ok(found) if !found.is_dir() => Err(OutOfReach::Overwritten(path)),
        _ => Ok(path),
    }
}

fn outside(place: PathBuf, folder: &Path) -> OutOfReach {
    OutOfReach::Outside {
        place,
        folder: within(folder).into(),
    }
}

/// Returns a folder by a path that is not empty.
fn within(folder: &Path) -> &Path {
    match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    }
}

fn is_below(place: &Path, folder: &Path) -> bool {
    folder.is_absolute() && place != folder && place.starts_with(folder)
}

fn is_allowed(place: &Path) -> bool {
    let allowed = ALLOWED.get().into_iter();
    let mut folders = allowed.flat_map(|allowed| allowed.flags.iter().chain(&allowed.others));
    folders.any(|folder| is_below(place, folder))
}

/// Returns the place that a path leads to. Links are followed as far as it exists; a link to nothing is followed, too. `..` behind that
/// leaves the folder before it.
fn real(path: &Path) -> PathBuf {
    let path = std::path::absolute(within(path)).unwrap_or_else(|_| path.into());
    let mut place = PathBuf::new();
    for part in super::follow_links(&path).components() {
        match part {
            Component::ParentDir => {
                place.pop();
            }
            Component::CurDir => {}
            part => place.push(part),
        }
        let next = super::follow_links(&place);
        place = fs::canonicalize(&next).unwrap_or(next);
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_below_the_folder_or_nowhere() {
        let scratch = tempfile::tempdir().expect("a folder");
        let folder = scratch.path().join("mine");
        let beside = scratch.path().join("beside");
        fs::create_dir_all(folder.join("deep/er")).expect("made");
        fs::create_dir_all(&beside).expect("made");
        fs::write(folder.join("old.npy"), "").expect("written");
        let link = |to: &Path, name: &str| {
            std::os::unix::fs::symlink(to, folder.join(name)).expect("linked");
        };
        link(&beside, "out");
        link(Path::new("../beside/new.npy"), "dangling.npy");
        link(Path::new("deep"), "in");
        link(Path::new("loop"), "loop");

        let absolute = folder.join("x.npy");
        let inside = [
            "x.npy",
            "deep/x.npy",
            "in/x.npy",
            "./deep/../x.npy",
            "../mine/x.npy",
            "no/such/../../x.npy",
            absolute.to_str().expect("UTF-8"),
        ];
        for name in inside {
            assert!(named(&folder, name).is_ok(), "{name}");
            assert!(named_output(&folder, name).is_ok(), "{name}");
        }
        let outside = [
            "../x.npy",
            "deep/../../x.npy",
            "out/x.npy",
            "out/../x.npy",
            "in/er/../../../x.npy",
            "no/../../x.npy",
            "dangling.npy",
            "/etc/passwd",
            "/proc/self/cwd/x.npy",
            ".",
            "..",
            "",
        ];
        for name in outside {
            assert!(named(&folder, name).is_err(), "{name}");
            assert!(named_output(&folder, name).is_err(), "{name}");
        }
        assert!(named(&folder, "old.npy").is_ok());
        assert!(named(Path::new(""), "Cargo.toml").is_ok());
        assert!(named(Path::new(""), "../x.npy").is_err());
        for name in ["old.npy", "loop"] {
            let found = named_output(&folder, name);
            assert!(found.is_err(), "{name}: {found:?}");
        }
    }
}
