//! Files of a record.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use gfx906::machine::Gpu;

use super::{progress, settings};
use crate::boundary::Address;

/// Bytes of memory that are written or compared at a time.
const PIECE: usize = 1 << 20;
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

/// Writes the content of `size` bytes of memory.
pub fn write_memory(gpu: &Gpu, base: Address, size: u64, path: &Path) -> io::Result<()> {
    let mut file = File::create(path).map_err(|error| about(&error, path))?;
    pieces(gpu, base, size, |piece| {
        count_written(piece.len());
        file.write_all(piece).map(|()| true)
    })
    .map(drop)
    .map_err(|error| about(&error, path))
}

/// Returns true if `size` bytes of memory have the content of a file.
pub fn holds(gpu: &Gpu, base: Address, size: u64, path: &Path) -> io::Result<bool> {
    let mut file = File::open(path).map_err(|error| about(&error, path))?;
    let mut before = vec![0; PIECE];
    pieces(gpu, base, size, |piece| {
        let before = &mut before[..piece.len()];
        file.read_exact(before)?;
        Ok(before == piece)
    })
    .map_err(|error| about(&error, path))
}

/// Calls a function for each piece of memory until it returns false. Returns true if it never does.
fn pieces(
    gpu: &Gpu,
    base: Address,
    size: u64,
    mut f: impl FnMut(&[u8]) -> io::Result<bool>,
) -> io::Result<bool> {
    let mut piece = vec![0; PIECE];
    for at in (0..size).step_by(PIECE) {
        let left = usize::try_from(size - at).unwrap_or(PIECE);
        let piece = &mut piece[..left.min(PIECE)];
        gpu.read(base + at, piece).map_err(io::Error::other)?;
        if !f(piece)? {
            return Ok(false);
        }
    }
    Ok(true)
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
