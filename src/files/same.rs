//! Detection of two paths that lead to one file.

use std::fs;
use std::path::{Path, PathBuf};

/// The target of a path, through links, `..` and other names of the same file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// A file that is there: its device and its number on it.
    #[cfg(unix)]
    Node(u64, u64),
    /// A place in a directory that is there, or the path itself.
    Place(PathBuf),
}

/// Returns the identity of the file at a path, or of the file that would be written there.
pub fn identity(path: &Path) -> Identity {
    #[cfg(unix)]
    if let Ok(found) = fs::metadata(path) {
        use std::os::unix::fs::MetadataExt as _;
        return Identity::Node(found.dev(), found.ino());
    }
    let path = super::behind_links(path);
    if let Ok(place) = fs::canonicalize(&path) {
        return Identity::Place(place);
    }
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    Identity::Place(match (fs::canonicalize(parent), path.file_name()) {
        (Ok(parent), Some(name)) => parent.join(name),
        _ => path.clone(),
    })
}
