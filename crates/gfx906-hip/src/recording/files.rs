//! Files of a record.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{progress, settings};

/// Letters of a kernel's name in a directory's name.
const LETTERS: usize = 40;

/// Creates a directory for the next record: `000007-scale`. Other processes may write to the same parent.
pub fn directory(within: &Path, number: &mut u32, kernel: &str) -> io::Result<PathBuf> {
    let names = settings::names(kernel);
    let name = names.last().map_or(kernel, String::as_str);
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = name.chars().take(LETTERS).map(plain).collect();
    let name = name.trim_matches('_');
    loop {
        *number += 1;
        // Another process may use the same number for another kernel.
        let path = within.join(format!("{number:06}-{name}"));
        match fs::create_dir(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|()| path).map_err(|error| about(&error, within)),
        }
    }
}

/// Writes a file.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    count_written(bytes.len());
    fs::write(path, bytes).map_err(|error| about(&error, path))
}

fn count_written(bytes: usize) {
    let mut progress = progress();
    progress.written = progress.written.saturating_add(bytes as u64);
}

fn about(error: &io::Error, path: &Path) -> io::Error {
    let name = path.file_name().unwrap_or(path.as_os_str());
    io::Error::new(
        error.kind(),
        format!("cannot write {}: {error}", name.display()),
    )
}
