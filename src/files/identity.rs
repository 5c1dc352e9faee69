//! The identity of a file, by which two paths to one file are found.

use std::fs;
use std::path::{Path, PathBuf};

/// The identity of a path's target. Two paths to one file have the same, whatever links and `..` they go
/// through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// A file that exists: its device, and its inode on the device.
    #[cfg(unix)]
    Node(u64, u64),
    /// The path of a file that does not exist, in a directory that does; else the path as given.
    Place(PathBuf),
}

/// Returns the identity of the file at a path, or of the file that would be written there.
pub fn identity(path: &Path) -> Identity {
    #[cfg(unix)]
    if let Ok(found) = fs::metadata(path) {
        use std::os::unix::fs::MetadataExt as _;
        return Identity::Node(found.dev(), found.ino());
    }
    let path = super::follow_links(path);
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
