//! Files: reads of at most a limit, and writes that leave a whole file or none.

mod faults;
mod identity;
mod leftovers;
mod reach;

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use gfx906::allocation::handled;
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

pub use faults::VARIABLE as FAULT_VARIABLE;
pub use identity::{Identity, identity};
pub use reach::{OutOfReach, allow, allowed_by_flags, named, named_output};

use self::faults::Steps;
use crate::text::shown;

/// The largest size of a stream that is read. A pipe or a device may never end.
const MAX_STREAM: u64 = 256 << 20;
/// The largest number of links that are followed in a row, as in Linux.
const MAX_LINKS: usize = 40;

/// A file that the program cannot use.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub enum FileError {
    /// The file cannot be read, is wrong, or does not fit other files.
    Unusable(String),
    /// The file has mistakes, which are laid out with line and caret.
    Diagnostic(String),
}

/// Reads a text file of at most `limit` bytes. `kind` begins messages. Returns the file's name and text.
///
/// # Errors
/// The file cannot be read, or is not UTF-8.
pub fn read_text(kind: &str, path: &Path, limit: u64) -> Result<(String, String), FileError> {
    let name = shown(path);
    let (colon, space) = if kind.is_empty() {
        ("", "")
    } else {
        (": ", " ")
    };
    let bytes =
        read(path, limit).map_err(|error| FileError::Unusable(format!("{kind}{colon}{error}")))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        FileError::Unusable(format!(
            "{kind}{space}{name} is not UTF-8 (byte {at}): write it as a TOML text file"
        ))
    })?;
    Ok((name, text))
}

/// Reads a file of at most `limit` bytes.
///
/// # Errors
/// The file cannot be read, or is larger. The error names the path and the reason.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    read_limited(path, limit).map_err(|error| with_path(&error, "read", path, ""))
}

fn read_limited(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    check_kind(path)?;
    faults::step()?;
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::Error::new(
            io::ErrorKind::IsADirectory,
            "it is a directory, name a file in it",
        ));
    }
    let limit = if metadata.is_file() {
        limit
    } else {
        limit.min(MAX_STREAM)
    };
    let mut bytes = Vec::new();
    if metadata.len() <= limit {
        // The extra byte lets the read find the end of the file without growing the buffer.
        let room = usize::try_from(metadata.len() + 1).unwrap_or(usize::MAX);
        handled(|| bytes.try_reserve_exact(room)).map_err(|_| {
            io::Error::new(
                io::ErrorKind::OutOfMemory,
                format!("the host has no memory for its {} bytes", metadata.len()),
            )
        })?;
        faults::step()?;
        file.take(limit + 1).read_to_end(&mut bytes)?;
    }
    if metadata.len().max(bytes.len() as u64) > limit {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it is larger than {limit} bytes: name the right file"),
        ));
    }
    Ok(bytes)
}

/// Checks that a path leads to no device and to no named pipe, whose other end may never come. The pipes of a shell, as in `<(command)`, have
/// no place in the file system.
#[cfg(unix)]
fn check_kind(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::FileTypeExt as _;
    let kind = fs::metadata(path)?.file_type();
    let is_device = kind.is_char_device() || kind.is_block_device();
    let named_pipe = kind.is_fifo() && fs::canonicalize(path).is_ok();
    let what = match (is_device, named_pipe || kind.is_socket()) {
        (true, _) => "a device",
        (_, true) => "a named pipe",
        _ => return Ok(()),
    };
    Err(io::Error::new(
        io::ErrorKind::InvalidInput,
        format!("it is {what}: name a file"),
    ))
}

#[cfg(not(unix))]
fn check_kind(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Makes an error that names what could not be done, and the path.
fn with_path(error: &io::Error, verb: &str, path: &Path, advice: &str) -> io::Error {
    let message = format!("cannot {verb} {}: {error}{advice}", shown(path));
    io::Error::new(error.kind(), message)
}

/// Returns the SHA-256 of bytes in lower-case hex.
pub fn sha256(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in Sha256::digest(bytes) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Returns true if a file can be written again and again. A path that exists and is no regular file (a
/// pipe, a device) can be written once, and so can the file that standard output or standard error goes
/// to.
pub fn can_grow(path: &Path) -> bool {
    let once = |found: fs::Metadata| !found.is_file() && !found.is_dir();
    !fs::metadata(path).is_ok_and(once) && standard_stream(path).is_none()
}

/// Returns standard output or standard error if the file at a path is the stream's file, as through a link
/// to `/dev/stdout`. Replacing this file would lose what the stream has written.
#[cfg(unix)]
fn standard_stream(path: &Path) -> Option<File> {
    use std::os::fd::AsFd as _;
    use std::os::unix::fs::MetadataExt as _;
    let found = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let streams = [
        io::stdout().as_fd().try_clone_to_owned(),
        io::stderr().as_fd().try_clone_to_owned(),
    ];
    let mut streams = streams.into_iter().flatten().map(File::from);
    streams.find(|stream| {
        let same = |own: fs::Metadata| (own.dev(), own.ino()) == (found.dev(), found.ino());
        stream.metadata().is_ok_and(same)
    })
}

#[cfg(not(unix))]
fn standard_stream(_: &Path) -> Option<File> {
    None
}

/// Checks that a file can be written, and leaves everything as it is.
///
/// # Errors
/// The file cannot be written. The error names the path and what to do.
pub fn check_place(path: &Path) -> io::Result<()> {
    let tried = match fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(io::Error::new(
            io::ErrorKind::IsADirectory,
            "it is a directory",
        )),
        Ok(found) if !found.is_file() || standard_stream(path).is_some() => Ok(()),
        // The temporary file is deleted at once.
        _ => temporary_beside(&follow_links(path)).map(drop),
    };
    tried.map_err(|error| with_path(&error, "write", path, "; choose a path that can be written"))
}

/// Writes a temporary file and renames it to `path`, so that no reader sees half of it and a failure
/// leaves the old file. A path that is no regular file (a pipe, a device) is written to directly, as is
/// the file that standard output or standard error goes to.
///
/// # Errors
/// The file cannot be written. The error names the path and what to do.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_atomically_with(path, |file| file.write_all(bytes))
}

/// Writes a file as [`write_atomically`] does, with contents that a function writes piece by piece.
///
/// # Errors
/// The file cannot be written. The error names the path and what to do.
pub fn write_atomically_with(
    path: &Path,
    contents: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    replace(path, contents)
        .map_err(|error| with_path(&error, "write", path, "; choose a path that can be written"))
}

fn replace(path: &Path, contents: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    if let Some(mut stream) = standard_stream(path) {
        io::stdout().flush()?;
        return contents(&mut Steps(&mut stream));
    }
    let target = match fs::metadata(path) {
        Ok(found) if found.is_dir() => {
            return Err(io::Error::new(
                io::ErrorKind::IsADirectory,
                "it is a directory",
            ));
        }
        Ok(found) if !found.is_file() => {
            faults::step()?;
            let mut stream = OpenOptions::new().write(true).open(path)?;
            return contents(&mut Steps(&mut stream));
        }
        // A link stays a link.
        Ok(_) => fs::canonicalize(path)?,
        Err(_) => follow_links(path),
    };
    leftovers::remove(&target);
    write_and_rename(&target, contents)
}

/// Follows links to a target that may not exist yet, and returns the path of the target.
fn follow_links(path: &Path) -> PathBuf {
    let mut place = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&place) {
            // A relative target starts from the link's directory; `join` lets an absolute target replace
            // it.
            Ok(next) => place = place.with_file_name("").join(next),
            Err(_) => break,
        }
    }
    place
}

fn write_and_rename(
    target: &Path,
    contents: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    // The temporary file stays open and locked until it is renamed, so that `leftovers::remove` leaves
    // it alone. On an error it is deleted.
    let mut temporary = temporary_beside(target)?;
    contents(&mut Steps(temporary.as_file_mut()))?;
    faults::step()?;
    temporary.as_file().sync_all()?;
    faults::step()?;
    temporary.persist(target).map_err(|error| error.error)?;
    Ok(())
}

/// Makes a locked temporary file in the target's directory. Its name is unique, and its permissions are
/// those of any new file.
fn temporary_beside(target: &Path) -> io::Result<NamedTempFile> {
    let Some(name) = target.file_name() else {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it names no file",
        ));
    };
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(".");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&hidden).suffix(leftovers::SUFFIX);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let directory = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    loop {
        faults::step()?;
        let file = builder.tempfile_in(directory).map_err(without_path)?;
        // A file system without locks has no `leftovers::remove` either. If that function ran between
        // the creation and the lock, it has deleted the file.
        if file.as_file().lock().is_err() || file.path().exists() {
            return Ok(file);
        }
    }
}

/// Returns the error without the name of the temporary file, which means nothing to a user.
fn without_path(error: io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::from(error.kind()),
    }
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
            error.starts_with("cannot write ") && error.contains("no/such/dir/report.json"),
            "{error}"
        );
        let error = write_atomically(&scratch.0, b"x")
            .expect_err("a directory")
            .to_string();
        assert!(error.contains("it is a directory"), "{error}");
        let refused = |path: &Path| check_place(path).expect_err("refused").to_string();
        assert!(refused(&missing).starts_with("cannot write "));
        assert!(refused(&scratch.0).contains("it is a directory"));
        check_place(&scratch.0.join("report.json")).expect("it can be made");
        assert!(scratch.names().is_empty());
        // A directory appears where the file is to go: nothing is left beside it.
        let target = scratch.0.join("target");
        fs::create_dir(&target).expect("made");
        assert!(write_and_rename(&target, |file| file.write_all(b"x")).is_err());
        assert_eq!(scratch.names(), ["target"]);
        assert!(write_atomically(Path::new(""), b"x").is_err());
    }

    #[test]
    fn reading_has_a_limit_and_names_the_path() {
        let scratch = Scratch::new("limit");
        let path = scratch.0.join("four");
        fs::write(&path, b"four").expect("written");
        assert_eq!(read(&path, 4).expect("fits"), b"four");
        for (error, said) in [
            (read(&path, 3), "larger than 3 bytes"),
            (read(&scratch.0, 9), "it is a directory"),
            (read(&scratch.0.join("none"), 9), "none: No such file"),
        ] {
            let error = error.expect_err("refused").to_string();
            assert!(
                error.starts_with("cannot read ") && error.contains(said),
                "{error}"
            );
        }
    }

    #[test]
    fn temporary_files_of_killed_processes_are_removed_and_those_of_writers_stay() {
        let scratch = Scratch::new("leftovers");
        let dead = scratch
            .0
            .join(format!(".report.json.1.0{}", leftovers::SUFFIX));
        fs::write(&dead, b"half").expect("written");
        let writer = temporary_beside(&scratch.0.join("report.json")).expect("made");
        let alive = writer.path().to_path_buf();
        for other in [
            ".report.json.tmp",
            ".report.json.1.0.tmp",
            "mine.deltanet-check.tmp",
        ] {
            fs::write(scratch.0.join(other), b"x").expect("written");
        }
        write_atomically(&scratch.0.join("report.json"), b"whole").expect("made");
        assert!(!dead.exists() && alive.exists());
        // A killed process removes nothing.
        let (file, _) = writer.keep().expect("kept");
        drop(file);
        leftovers::remove(&scratch.0.join("report.json"));
        assert_eq!(
            scratch.names(),
            [
                ".report.json.1.0.tmp",
                ".report.json.tmp",
                "mine.deltanet-check.tmp",
                "report.json"
            ]
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn devices_and_named_pipes_are_refused_and_a_pipe_of_the_shell_is_read() {
        use std::os::fd::AsRawFd as _;
        let scratch = Scratch::new("streams");
        let named = scratch.0.join("named");
        let made = std::process::Command::new("mkfifo").arg(&named).status();
        assert!(made.expect("mkfifo runs").success());
        for path in [Path::new("/dev/zero"), &named] {
            let error = read(path, 1 << 16).expect_err("no file");
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{path:?}");
        }
        let (reader, mut writer) = io::pipe().expect("a pipe");
        writer.write_all(b"text").expect("written");
        drop(writer);
        let path = format!("/proc/self/fd/{}", reader.as_raw_fd());
        assert_eq!(read(Path::new(&path), 16).expect("read"), b"text");
    }

    /// Temporary files of `tempfile` are private, and a report must not be.
    #[cfg(unix)]
    #[test]
    fn a_file_has_the_rights_of_any_new_one() {
        use std::os::unix::fs::PermissionsExt as _;
        let scratch = Scratch::new("rights");
        let (own, any) = (scratch.0.join("own"), scratch.0.join("any"));
        write_atomically(&own, b"x").expect("written");
        fs::write(&any, b"x").expect("written");
        let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode();
        assert_eq!(mode(&own), mode(&any));
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_links_and_a_socket_is_not_replaced() {
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
        // A link to a file that does not exist yet is followed, too.
        let (later, early) = (scratch.0.join("later"), scratch.0.join("early"));
        std::os::unix::fs::symlink("later", &early).expect("linked");
        write_atomically(&early, b"made").expect("written through");
        assert_eq!(fs::read_link(&early).expect("a link"), Path::new("later"));
        assert_eq!(fs::read(&later).expect("readable"), b"made");
        // A link to itself has no target and stays.
        let circle = scratch.0.join("circle");
        std::os::unix::fs::symlink("circle", &circle).expect("linked");
        assert!(read(&circle, 9).is_err());
        // The socket stands for devices and pipes. It belongs to this test, and cannot be written to.
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
