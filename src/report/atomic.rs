//! Files that are there whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Writes a file aside and renames it into place, so that no reader ever sees half of it and a failure leaves the
/// old one. What is not a regular file (`/dev/stdout`, a pipe) is written to as it is.
///
/// # Errors
/// Names the path and what to do.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace(path, bytes).map_err(|error| {
        let message = format!(
            "cannot write `{}`: {error}; choose a path that can be written",
            path.display()
        );
        io::Error::new(error.kind(), message)
    })
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = match fs::metadata(path) {
        Ok(found) if found.is_dir() => {
            return Err(io::Error::new(
                io::ErrorKind::IsADirectory,
                "it is a directory",
            ));
        }
        Ok(found) if !found.is_file() => {
            return OpenOptions::new().write(true).open(path)?.write_all(bytes);
        }
        // A link stays a link.
        Ok(_) => fs::canonicalize(path)?,
        Err(_) => path.to_path_buf(),
    };
    write_and_rename(&aside(&target)?, &target, bytes)
}

fn write_and_rename(aside: &Path, target: &Path, bytes: &[u8]) -> io::Result<()> {
    let result = write(aside, bytes).and_then(|()| fs::rename(aside, target));
    if result.is_err() {
        // The first error is the one to tell; there may be nothing to remove.
        let _ = fs::remove_file(aside);
    }
    result
}

/// A name beside the target that no other writer uses.
fn aside(target: &Path) -> io::Result<PathBuf> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let Some(name) = target.file_name() else {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it names no file",
        ));
    };
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(
        ".{}.{}.tmp",
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    ));
    Ok(target.with_file_name(hidden))
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A directory of its own, removed afterwards.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let path =
                std::env::temp_dir().join(format!("deltanet-check-{name}-{}", std::process::id()));
            fs::create_dir_all(&path).expect("a directory in the temporary one");
            Scratch(path)
        }

        fn names(&self) -> Vec<String> {
            let entries = fs::read_dir(&self.0).expect("it is there");
            let mut names: Vec<String> = entries
                .map(|entry| {
                    entry
                        .expect("readable")
                        .file_name()
                        .to_string_lossy()
                        .into_owned()
                })
                .collect();
            names.sort();
            names
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_file_is_made_and_replaced_and_nothing_else_is_left() {
        let scratch = Scratch::new("replace");
        let path = scratch.0.join("report.json");
        write_atomically(&path, b"one, the longer").expect("made");
        write_atomically(&path, b"two").expect("replaced");
        assert_eq!(fs::read(&path).expect("readable"), b"two");
        assert_eq!(scratch.names(), ["report.json"]);
    }

    #[test]
    fn errors_name_the_path_and_leave_nothing() {
        let scratch = Scratch::new("errors");
        let missing = scratch.0.join("no/such/dir/report.json");
        let error = write_atomically(&missing, b"x")
            .expect_err("there is no such directory")
            .to_string();
        assert!(
            error.starts_with("cannot write `") && error.contains("no/such/dir/report.json"),
            "{error}"
        );
        let error = write_atomically(&scratch.0, b"x")
            .expect_err("a directory")
            .to_string();
        assert!(error.contains("it is a directory"), "{error}");
        assert!(scratch.names().is_empty());
        // A directory appears where the file is to go: nothing is left beside it.
        let (aside, target) = (scratch.0.join("aside"), scratch.0.join("target"));
        fs::create_dir(&target).expect("made");
        assert!(write_and_rename(&aside, &target, b"x").is_err());
        assert_eq!(scratch.names(), ["target"]);
        assert!(write_atomically(Path::new(""), b"x").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_links_and_what_is_no_file_is_not_replaced() {
        let scratch = Scratch::new("links");
        let (real, link) = (scratch.0.join("real"), scratch.0.join("link"));
        fs::write(&real, b"old").expect("written");
        std::os::unix::fs::symlink(&real, &link).expect("linked");
        write_atomically(&link, b"new").expect("written through");
        assert!(
            fs::symlink_metadata(&link)
                .expect("there")
                .file_type()
                .is_symlink()
        );
        assert_eq!(fs::read(&real).expect("readable"), b"new");
        // A socket stands for every device and pipe here: one of this test's own, that cannot be written to.
        use std::os::unix::fs::FileTypeExt;
        let socket = scratch.0.join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("bound");
        assert!(write_atomically(&socket, b"x").is_err());
        assert!(
            fs::symlink_metadata(&socket)
                .expect("there")
                .file_type()
                .is_socket()
        );
    }
}
