//! Buffers: from files or fills into device memory, and back into files.

use std::io::{self, Write as _};
use std::path::Path;

use anyhow::{Context as _, bail};
use gfx906::machine::Gpu;

use super::array::{Layout, is_npy};
use super::buffer::{Buffer, Source};
use crate::compare::{ElementKind, poison};
use crate::files;
use crate::npy::{self, Dtype};
use crate::text::shown;

/// Buffers are saved in pieces of this size.
const PIECE: usize = 1 << 20;

/// A buffer in device memory.
pub(super) struct Placed {
    pub(super) address: u64,
    pub(super) bytes: u64,
    /// What the file said that it came from, or the launch file says.
    pub(super) layout: Option<Layout>,
}

/// A file that was written.
pub(super) struct Saved {
    pub(super) buffer: String,
    pub(super) path: String,
    pub(super) bytes: u64,
}

/// Allocates a buffer under its name and fills it.
pub(super) fn place(gpu: &Gpu, buffer: &Buffer) -> anyhow::Result<Placed> {
    let place = || format!("buffer `{}`", buffer.name);
    let (bytes, stated) = match &buffer.source {
        Source::File(file) => {
            let array = file.read().with_context(place)?;
            let bytes = array.data.len() as u64;
            let address = gpu.alloc(&buffer.name, bytes)?;
            if bytes > 0 {
                gpu.write(address, &array.data)?;
            }
            let layout = layout(buffer, bytes, array.layout).with_context(place)?;
            return Ok(Placed {
                address,
                bytes,
                layout,
            });
        }
        Source::Zero(bytes) | Source::Poison(bytes) => (*bytes, None),
    };
    let layout = layout(buffer, bytes, stated).with_context(place)?;
    // fresh device memory is zero
    let address = gpu.alloc(&buffer.name, bytes)?;
    if let Source::Poison(_) = buffer.source {
        gpu.poison(address, bytes)?;
    }
    Ok(Placed {
        address,
        bytes,
        layout,
    })
}

/// What is known of a buffer's elements: what the launch file says, before what the buffer's own file says.
fn layout(buffer: &Buffer, bytes: u64, stated: Option<Layout>) -> anyhow::Result<Option<Layout>> {
    let Some(shape) = &buffer.shape else {
        return Ok(match (stated, buffer.dtype) {
            (Some(stated), Some(dtype)) if dtype.size == stated.dtype.size => {
                Some(Layout { dtype, ..stated })
            }
            // Elements of another size are others: nothing is known of their shape.
            (Some(_), Some(_)) => None,
            (stated, _) => stated,
        });
    };
    let dtype = buffer.dtype.or(stated.map(|stated| stated.dtype));
    let dtype = dtype.unwrap_or(Dtype::F32);
    let wanted = shape.iter().try_fold(dtype.size as u64, |product, &side| {
        product.checked_mul(side as u64)
    });
    if wanted != Some(bytes) {
        bail!(
            "shape {shape:?} of {} does not fit its {bytes} bytes",
            dtype.name()
        );
    }
    Ok(Some(Layout {
        dtype,
        shape: shape.clone(),
        axes: Vec::new(),
    }))
}

/// Fills a buffer with the poison of its elements' type: f64 and f16 have their own.
pub(super) fn poison(gpu: &Gpu, placed: &Placed, kind: ElementKind) -> anyhow::Result<()> {
    let mut piece = vec![0; PIECE.min(usize::try_from(placed.bytes).unwrap_or(PIECE))];
    poison::fill(kind, &mut piece);
    for at in (0..placed.bytes).step_by(PIECE) {
        let left = usize::try_from(placed.bytes - at).unwrap_or(PIECE);
        gpu.write(placed.address + at, &piece[..left.min(PIECE)])?;
    }
    Ok(())
}

/// All bytes of a buffer.
pub(super) fn read(gpu: &Gpu, placed: &Placed) -> anyhow::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(placed.bytes)?];
    if !bytes.is_empty() {
        gpu.read(placed.address, &mut bytes)?;
    }
    Ok(bytes)
}

/// Finds out before anything runs what would only be noticed when saving.
pub(super) fn check_save(buffer: &Buffer) -> anyhow::Result<()> {
    let Some(path) = &buffer.save else {
        return Ok(());
    };
    let place = || format!("buffer `{}`: cannot save to {}", buffer.name, shown(path));
    if path.is_dir() {
        bail!("{}: it is a directory, name a file in it", place());
    }
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    if !parent.is_dir() {
        bail!("{}: make the directory {} first", place(), shown(parent));
    }
    if let Some(dtype) = buffer.dtype
        && let Source::Poison(bytes) | Source::Zero(bytes) = buffer.source
        && bytes % dtype.size as u64 != 0
    {
        bail!(
            "{}: {bytes} bytes are not a whole number of elements of {} bytes",
            place(),
            dtype.size
        );
    }
    Ok(())
}

/// Writes a buffer to its file, if it has one.
pub(super) fn save(gpu: &Gpu, buffer: &Buffer, placed: &Placed) -> anyhow::Result<Option<Saved>> {
    let Some(path) = &buffer.save else {
        return Ok(None);
    };
    let head = if is_npy(path) {
        let (dtype, shape) = saved_layout(buffer, placed);
        npy::header(dtype, &shape)
    } else {
        Vec::new()
    };
    let written = files::write_atomically_with(path, |file| {
        file.write_all(&head)?;
        let mut piece = vec![0; PIECE.min(usize::try_from(placed.bytes).unwrap_or(PIECE))];
        for at in (0..placed.bytes).step_by(PIECE) {
            let left = usize::try_from(placed.bytes - at).unwrap_or(PIECE);
            let piece = &mut piece[..left.min(PIECE)];
            gpu.read(placed.address + at, piece)
                .map_err(io::Error::other)?;
            file.write_all(piece)?;
        }
        Ok(())
    });
    written.with_context(|| format!("buffer `{}`", buffer.name))?;
    Ok(Some(Saved {
        buffer: buffer.name.clone(),
        path: shown(path),
        bytes: placed.bytes,
    }))
}

/// Type and shape of a saved file: those that are known, else f32 (or bytes where that does not fit) in one row.
fn saved_layout(buffer: &Buffer, placed: &Placed) -> (Dtype, Vec<usize>) {
    if let Some(layout) = &placed.layout {
        return (layout.dtype, layout.shape.clone());
    }
    let bytes = usize::try_from(placed.bytes).unwrap_or(usize::MAX);
    let fits = |dtype: &Dtype| bytes.is_multiple_of(dtype.size);
    let dtype = buffer.dtype.filter(fits).or(Some(Dtype::F32).filter(fits));
    let dtype = dtype.unwrap_or(Dtype::U8);
    (dtype, vec![bytes / dtype.size])
}
