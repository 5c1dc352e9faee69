//! Files that are there whole or not at all: written aside, then renamed.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Writes `bytes` to `path`. Whatever goes wrong, what stood there before is still there.
///
/// # Errors
/// The file cannot be written or renamed.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let aside = aside(path)?;
    let result = fs::File::create(&aside)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&aside, path));
    if result.is_err() {
        // it may not even have been created; the first error is the one to tell
        let _ = fs::remove_file(&aside);
    }
    result
}

/// A name beside `path` that no other process uses.
fn aside(path: &Path) -> io::Result<PathBuf> {
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not the name of a file"))?;
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}.tmp", std::process::id()));
    Ok(path.with_file_name(hidden))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_or_not_at_all() {
        let dir = std::env::temp_dir().join(format!("deltanet-aside-{}", std::process::id()));
        fs::create_dir_all(&dir).expect("a directory");
        let path = dir.join("out.bin");
        write(&path, b"first").expect("written");
        write(&path, b"second").expect("replaced");
        assert_eq!(fs::read(&path).expect("there"), b"second");
        // a directory of that name cannot be replaced by a file, and nothing is left beside it
        let taken = dir.join("taken");
        fs::create_dir(&taken).expect("a directory");
        write(&taken, b"x").expect_err("a directory is in the way");
        assert_eq!(fs::read_dir(&dir).expect("listed").count(), 2);
        fs::remove_dir_all(&dir).expect("removed");
    }
}
