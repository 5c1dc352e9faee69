//! Temporary files of processes that were killed while they wrote.

use std::fs::{self, File};
use std::path::Path;

/// The end of a temporary file's name, which begins with a dot.
pub(super) const SUFFIX: &str = ".deltanet-check.tmp";

/// Removes temporary files of killed processes from the directory of a file that is about to be written.
/// A file that is being written is locked by its writer and stays; a file that cannot be removed stays
/// too.
pub(super) fn remove(target: &Path) {
    let directory = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if !name.starts_with('.') || !name.ends_with(SUFFIX) {
            continue;
        }
        let path = entry.path();
        if File::open(&path).is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = fs::remove_file(path);
        }
    }
}
