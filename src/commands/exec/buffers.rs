//! Buffers: from files or fills into device memory, and back into files.

use std::io;
use std::ops::Range;
use std::path::Path;

use anyhow::{Context as _, bail};

use super::array::{Layout, is_npy};
use super::buffer::{Buffer, PiecesFile, Source};
use crate::device::{DeviceError, Session, TensorView};
use crate::files;
use crate::tensor::guards::{self, Guards};
use crate::tensor::npy::{self, Dtype};
use crate::tensor::{Axis, ElementKind};
use crate::text::shown;

/// Buffers are saved, and filled with zeros, in pieces of this size.
const PIECE: usize = 1 << 20;

/// A buffer in device memory.
pub(super) struct PlacedBuffer {
    pub(super) address: u64,
    pub(super) bytes: u64,
    /// The guards around the buffer, where a stray access does not fault.
    pub(super) guards: Guards,
    /// The layout of the elements, from the launch file or from the buffer's own file.
    pub(super) layout: Option<Layout>,
    /// The pieces whose contents the launch file has, where that is not all of the buffer. The rest is zero.
    pub(super) pieces: Option<Vec<Range<u64>>>,
}

/// A file that was written.
pub(super) struct SavedFile {
    pub(super) buffer: String,
    pub(super) path: String,
    pub(super) bytes: u64,
}

/// Allocates a buffer under its name, between its guards, and fills it.
pub(super) fn place(session: &mut dyn Session, buffer: &Buffer) -> anyhow::Result<PlacedBuffer> {
    let place = || format!("buffer `{}`", buffer.name);
    let (bytes, array) = match &buffer.source {
        Source::File(file) => {
            let array = file.read().with_context(place)?;
            (array.data.len() as u64, Some(array))
        }
        Source::Pieces(pieces) => (pieces.bytes, Some(pieces.file.read().with_context(place)?)),
        Source::Zero(bytes) | Source::Poison(bytes) => (*bytes, None),
    };
    let stated = array.as_ref().and_then(|array| array.layout.clone());
    let layout = layout(buffer, bytes, stated).with_context(place)?;
    let there = session.alloc(&buffer.name, bytes)?;
    match (&buffer.source, array) {
        (Source::Pieces(source), Some(array)) => {
            if !there.zeroed {
                zero(session, there.address, bytes)?;
            }
            place_pieces(session, there.address, source, &array.data).with_context(place)?;
        }
        (_, Some(array)) if bytes > 0 => session.upload(there.address, &array.data)?,
        // What is zeroed takes no memory of the host until it is written.
        (Source::Zero(_), _) if !there.zeroed => zero(session, there.address, bytes)?,
        (Source::Poison(_), _) => session.poison(there.address, bytes, ElementKind::F32)?,
        _ => {}
    }
    let placed = PlacedBuffer {
        address: there.address,
        bytes,
        guards: there.guards,
        layout,
        pieces: match &buffer.source {
            Source::Pieces(source) => Some(source.pieces.clone()),
            _ => None,
        },
    };
    placed.guard(session)?;
    session.describe(placed.view(&buffer.name));
    Ok(placed)
}

/// Writes the pieces of a file to their places.
fn place_pieces(
    session: &mut dyn Session,
    address: u64,
    source: &PiecesFile,
    data: &[u8],
) -> anyhow::Result<()> {
    let sum: u64 = source
        .pieces
        .iter()
        .map(|piece| piece.end - piece.start)
        .sum();
    if sum != data.len() as u64 {
        bail!(
            "the pieces have {sum} bytes, {} has {}",
            source.file.shown(),
            data.len()
        );
    }
    let mut rest = data;
    for piece in &source.pieces {
        let (own, others) = rest.split_at(usize::try_from(piece.end - piece.start)?);
        session.upload(address + piece.start, own)?;
        rest = others;
    }
    Ok(())
}

fn zero(session: &mut dyn Session, address: u64, bytes: u64) -> Result<(), DeviceError> {
    let piece = vec![0; PIECE.min(usize::try_from(bytes).unwrap_or(PIECE))];
    (0..bytes).step_by(PIECE).try_for_each(|at| {
        let left = usize::try_from(bytes - at).unwrap_or(PIECE);
        session.upload(address + at, &piece[..left.min(PIECE)])
    })
}

impl PlacedBuffer {
    /// Writes the guards, and nothing between them.
    fn guard(&self, session: &mut dyn Session) -> Result<(), DeviceError> {
        let Guards { before, after } = self.guards;
        let image = guards::frame(&[], self.guards);
        let (below, above) = image.split_at(before);
        if before > 0 {
            session.upload(self.address - before as u64, below)?;
        }
        if after > 0 {
            session.upload(self.address + self.bytes, above)?;
        }
        Ok(())
    }

    /// Returns the parts whose contents the launch file has: the pieces, or all of it.
    pub(super) fn known_parts(&self) -> Vec<Range<u64>> {
        match &self.pieces {
            Some(pieces) => pieces.clone(),
            None if self.bytes == 0 => Vec::new(),
            None => std::iter::once(0..self.bytes).collect(),
        }
    }

    /// Returns the name of a part in messages: `alloc1 + 4096` for a part of a buffer with pieces.
    pub(super) fn part_name(&self, buffer: &str, part: &Range<u64>) -> String {
        match &self.pieces {
            Some(_) => format!("{buffer} + {}", part.start),
            None => buffer.to_owned(),
        }
    }

    /// Returns the number of bytes whose contents the launch file has.
    pub(super) fn known_bytes(&self) -> u64 {
        let parts = self.known_parts();
        parts.iter().map(|part| part.end - part.start).sum()
    }

    /// Returns the parts between the pieces, which are zero, each of at most a [`PIECE`].
    pub(super) fn gaps(&self) -> Vec<Range<u64>> {
        let Some(pieces) = &self.pieces else {
            return Vec::new();
        };
        let starts = std::iter::once(0).chain(pieces.iter().map(|piece| piece.end));
        let ends = pieces.iter().map(|piece| piece.start).chain([self.bytes]);
        let gaps = starts.zip(ends).filter(|(start, end)| start < end);
        gaps.flat_map(|(start, end)| {
            let parts = (start..end).step_by(PIECE);
            parts.map(move |at| at..end.min(at + PIECE as u64))
        })
        .collect()
    }

    /// Returns the elements of the buffer. Without a layout they are f32 in one row, as far as they are whole.
    fn view(&self, name: &str) -> TensorView {
        let (dtype, axes) = match &self.layout {
            Some(layout) => {
                let axes = layout.shape.iter().enumerate().map(|(n, &length)| {
                    Axis::new(layout.axes.get(n).map_or("", String::as_str), length)
                });
                (layout.dtype, axes.collect())
            }
            None => {
                let count = self.bytes / Dtype::F32.size as u64;
                let count = usize::try_from(count).unwrap_or(usize::MAX);
                (Dtype::F32, vec![Axis::new("", count)])
            }
        };
        TensorView::plain(name, self.address, dtype, axes)
    }

    /// All of it with its guards.
    pub(super) fn image(&self, session: &mut dyn Session) -> anyhow::Result<Vec<u8>> {
        let Guards { before, after } = self.guards;
        let mut image = vec![0; before + usize::try_from(self.bytes)? + after];
        if !image.is_empty() {
            session.download(self.address - before as u64, &mut image)?;
        }
        Ok(image)
    }
}

/// Returns the layout of a buffer's elements. The launch file takes precedence over the buffer's own file.
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

/// The contents of the pieces of a buffer, or of all of it, one after the other.
pub(super) fn read(session: &mut dyn Session, placed: &PlacedBuffer) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for piece in placed.known_parts() {
        let at = bytes.len();
        bytes.resize(at + usize::try_from(piece.end - piece.start)?, 0);
        session.download(placed.address + piece.start, &mut bytes[at..])?;
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
pub(super) fn save(
    session: &mut dyn Session,
    buffer: &Buffer,
    placed: &PlacedBuffer,
) -> anyhow::Result<Option<SavedFile>> {
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
            session
                .download(placed.address + at, piece)
                .map_err(io::Error::other)?;
            file.write_all(piece)?;
        }
        Ok(())
    });
    written.with_context(|| format!("buffer `{}`", buffer.name))?;
    Ok(Some(SavedFile {
        buffer: buffer.name.clone(),
        path: shown(path),
        bytes: placed.bytes,
    }))
}

/// Type and shape of a saved file: those that are known, else f32 (or bytes where that does not fit) in one row.
fn saved_layout(buffer: &Buffer, placed: &PlacedBuffer) -> (Dtype, Vec<usize>) {
    if let Some(layout) = &placed.layout {
        return (layout.dtype, layout.shape.clone());
    }
    let bytes = usize::try_from(placed.bytes).unwrap_or(usize::MAX);
    let fits = |dtype: &Dtype| bytes.is_multiple_of(dtype.size);
    let dtype = buffer.dtype.filter(fits).or(Some(Dtype::F32).filter(fits));
    let dtype = dtype.unwrap_or(Dtype::U8);
    (dtype, vec![bytes / dtype.size])
}
