//! Buffers: from files or fills into device memory, and back into files.

use std::path::Path;

use anyhow::{Context as _, bail};
use gfx906::machine::{Gpu, Poison};

use super::launch::{Buffer, MAX_BUFFERS, Source};
use crate::files;
use crate::npy::{Dtype, Npy};

/// Poison is written to the device in pieces of this size.
const PIECE: u64 = 1 << 20;

/// The type and shape that an `.npy` file states.
type Layout = (Dtype, Vec<usize>);

/// A buffer in device memory.
pub(super) struct Placed {
    pub(super) address: u64,
    pub(super) bytes: u64,
    /// What the `.npy` file said that it came from.
    layout: Option<Layout>,
}

/// A file that was written.
pub(super) struct Saved {
    pub(super) buffer: String,
    pub(super) path: String,
    pub(super) bytes: u64,
}

/// Allocates a buffer under its name and fills it.
pub(super) fn place(gpu: &Gpu, buffer: &Buffer) -> anyhow::Result<Placed> {
    match &buffer.source {
        Source::File(path) => {
            let (data, layout) = read(path).with_context(|| format!("buffer `{}`", buffer.name))?;
            let bytes = data.len() as u64;
            let address = gpu.alloc(&buffer.name, bytes)?;
            if bytes > 0 {
                gpu.write(address, &data)?;
            }
            Ok(Placed {
                address,
                bytes,
                layout,
            })
        }
        // fresh device memory is zero
        Source::Zero(bytes) => Ok(Placed {
            address: gpu.alloc(&buffer.name, *bytes)?,
            bytes: *bytes,
            layout: None,
        }),
        Source::Poison(bytes) => {
            let address = gpu.alloc(&buffer.name, *bytes)?;
            let piece = Poison::Memory
                .word()
                .to_le_bytes()
                .repeat(PIECE as usize / 4);
            let mut offset = 0;
            while offset < *bytes {
                let length = PIECE.min(bytes - offset);
                gpu.write(address + offset, &piece[..length as usize])?;
                offset += length;
            }
            Ok(Placed {
                address,
                bytes: *bytes,
                layout: None,
            })
        }
    }
}

/// The elements of an `.npy` file, or all bytes of any other.
fn read(path: &Path) -> anyhow::Result<(Vec<u8>, Option<Layout>)> {
    let bytes = files::read(path, MAX_BUFFERS)?;
    if !is_npy(path) {
        return Ok((bytes, None));
    }
    let array =
        Npy::from_bytes(&bytes).with_context(|| format!("cannot read {}", path.display()))?;
    Ok((array.data, Some((array.dtype, array.shape))))
}

/// Finds out before anything runs what would only be noticed when saving.
pub(super) fn check_save(buffer: &Buffer) -> anyhow::Result<()> {
    let Some(path) = &buffer.save else {
        return Ok(());
    };
    let place = || {
        format!(
            "buffer `{}`: cannot save to {}",
            buffer.name,
            path.display()
        )
    };
    if path.is_dir() {
        bail!("{}: it is a directory, name a file in it", place());
    }
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    if !parent.is_dir() {
        bail!("{}: make the directory {} first", place(), parent.display());
    }
    if let Some(dtype) = buffer.dtype {
        if !is_npy(path) {
            bail!("{}: `dtype` is for files whose name ends in .npy", place());
        }
        if let Source::Poison(bytes) | Source::Zero(bytes) = buffer.source
            && bytes % dtype.size as u64 != 0
        {
            bail!(
                "{}: {bytes} bytes are not a whole number of elements of {} bytes",
                place(),
                dtype.size
            );
        }
    }
    Ok(())
}

/// Writes a buffer to its file, if it has one.
pub(super) fn save(gpu: &Gpu, buffer: &Buffer, placed: &Placed) -> anyhow::Result<Option<Saved>> {
    let Some(path) = &buffer.save else {
        return Ok(None);
    };
    let mut data = vec![0; usize::try_from(placed.bytes)?];
    if !data.is_empty() {
        gpu.read(placed.address, &mut data)?;
    }
    let contents = if is_npy(path) {
        as_npy(buffer, placed, data).to_bytes()
    } else {
        data
    };
    files::write_atomically(path, &contents)
        .with_context(|| format!("buffer `{}`", buffer.name))?;
    Ok(Some(Saved {
        buffer: buffer.name.clone(),
        path: path.display().to_string(),
        bytes: placed.bytes,
    }))
}

/// With the type that the launch file gives, else type and shape of the file it came from, else as f32, or bytes if that does not fit.
fn as_npy(buffer: &Buffer, placed: &Placed, data: Vec<u8>) -> Npy {
    let flat = |dtype: Dtype| (dtype, vec![data.len() / dtype.size]);
    let (dtype, shape) = match (&placed.layout, buffer.dtype) {
        (Some((dtype, shape)), None) => (*dtype, shape.clone()),
        (Some((dtype, shape)), Some(given)) if dtype.size == given.size => (given, shape.clone()),
        (_, Some(given)) if data.len().is_multiple_of(given.size) => flat(given),
        _ if data.len().is_multiple_of(Dtype::F32.size) => flat(Dtype::F32),
        _ => flat(Dtype::U8),
    };
    Npy { dtype, shape, data }
}

fn is_npy(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("npy"))
}
