//! One launch of a launch file as data: what a binding is proposed from. Records of the HIP runtime are such files.

use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use super::argument::{ArgSpec, Part, Pointer};
use super::buffer::{Source, TouchedParts};
use super::launch::{self, LaunchFile};
use crate::text::shown;

/// A launch, its arguments and where they point.
#[derive(Debug)]
pub(in crate::commands) struct RecordedLaunch {
    /// The code object that it names.
    pub(in crate::commands) code_object: PathBuf,
    pub(in crate::commands) kernel: String,
    pub(in crate::commands) grid: [u32; 3],
    pub(in crate::commands) block: [u32; 3],
    /// Bytes.
    pub(in crate::commands) dynamic_lds: u32,
    pub(in crate::commands) args: Vec<Argument>,
    /// The pieces of its buffers that pointers begin, in the order in which arguments name them first.
    pub(in crate::commands) regions: Vec<Region>,
}

/// An argument of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::commands) enum Argument {
    /// The beginning of a region, by its number.
    Pointer(usize),
    /// Its bytes.
    Bytes(Vec<u8>),
    /// A structure by value: its parts one after the other.
    Structure(Vec<Argument>),
}

/// Bytes of a buffer, from where a pointer points to where the next one does, or to the end; of a record, to the last byte that the
/// launch read or wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::commands) struct Region {
    /// The name of the buffer in the file.
    pub(in crate::commands) buffer: String,
    /// Bytes from the buffer's start.
    pub(in crate::commands) offset: u64,
    /// Bytes.
    pub(in crate::commands) size: u64,
    /// True if the launch wrote or changed bytes; nothing if the file does not tell.
    pub(in crate::commands) changed: Option<bool>,
}

/// Reads the one launch of a file.
pub(in crate::commands) fn read(path: &Path) -> anyhow::Result<RecordedLaunch> {
    let file = launch::read(path)?;
    recorded(&file).with_context(|| shown(path))
}

fn recorded(file: &LaunchFile) -> anyhow::Result<RecordedLaunch> {
    let [launch] = file.launches.as_slice() else {
        bail!(
            "launches: there are {}, a binding is proposed from one: leave one in the file",
            file.launches.len()
        );
    };
    let mut places: Vec<Pointer> = Vec::new();
    for place in launch.args.iter().flat_map(ArgSpec::pointers) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    let region = |place: Pointer| places.iter().position(|known| *known == place).unwrap_or(0);
    let part = |part: &Part| match part {
        Part::Pointer(place) => Argument::Pointer(region(*place)),
        Part::Value(value) => Argument::Bytes(value.bytes.clone()),
    };
    let args = launch.args.iter().map(|arg| match arg {
        ArgSpec::One(one) => part(one),
        ArgSpec::Parts(parts) => Argument::Structure(parts.iter().map(part).collect()),
    });
    Ok(RecordedLaunch {
        code_object: file.code_object.clone(),
        kernel: launch.kernel.clone(),
        grid: launch.grid,
        block: launch.block,
        dynamic_lds: launch.dynamic_lds,
        args: args.collect(),
        regions: regions(file, &places)?,
    })
}

/// The regions that these places begin. Buffers are read one after the other: together they may be large.
fn regions(file: &LaunchFile, places: &[Pointer]) -> anyhow::Result<Vec<Region>> {
    let mut found: Vec<(usize, Region)> = Vec::new();
    for (number, buffer) in file.buffers.iter().enumerate() {
        let own: Vec<(usize, i64)> = places
            .iter()
            .enumerate()
            .filter(|(_, place)| place.buffer == number)
            .map(|(at, place)| (at, place.offset))
            .collect();
        if own.is_empty() {
            continue;
        }
        let contents = Contents::of(file, number);
        let contents = contents.with_context(|| format!("buffer `{}`", buffer.name))?;
        let touched = buffer.touched.as_ref();
        let inside = |offset: i64| u64::try_from(offset).ok().filter(|at| *at <= contents.size);
        for &(at, offset) in &own {
            let Some(start) = inside(offset) else {
                bail!(
                    "an argument points to byte {offset} of buffer `{}`, which has {}: no tensor begins there",
                    buffer.name,
                    contents.size
                );
            };
            let others = own.iter().filter_map(|(_, offset)| inside(*offset));
            let end = others.filter(|other| *other > start).min();
            let end = end.unwrap_or(contents.size);
            let (size, changed) = match touched {
                Some(touched) => used(touched, start, end),
                None => (end - start, contents.changed(start, end)),
            };
            let region = Region {
                buffer: buffer.name.clone(),
                offset: start,
                size,
                changed,
            };
            found.push((at, region));
        }
    }
    found.sort_by_key(|(at, _)| *at);
    Ok(found.into_iter().map(|(_, region)| region).collect())
}

/// Returns the bytes from `start` to the last one before `end` that the launch read or wrote, and whether it wrote any.
fn used(touched: &TouchedParts, start: u64, end: u64) -> (u64, Option<bool>) {
    let last = |parts: &[Range<u64>]| {
        let inside = parts
            .iter()
            .filter(|part| part.start < end && part.end > start);
        inside.map(|part| part.end.min(end) - start).max()
    };
    let (read, written) = (last(&touched.read), last(&touched.written));
    (read.max(written).unwrap_or(0), Some(written.is_some()))
}

/// A buffer before and after the launch.
struct Contents {
    /// Bytes.
    size: u64,
    before: Start,
    /// The contents after the launch, if the file has them.
    after: Option<Vec<u8>>,
}

/// The contents of a buffer before the launch.
enum Start {
    Bytes(Vec<u8>),
    /// The contents of some pieces are known.
    Pieces,
    Zero,
    /// Nobody poisons what a kernel only reads.
    Poison,
}

impl Contents {
    fn of(file: &LaunchFile, number: usize) -> anyhow::Result<Contents> {
        let (before, size) = match &file.buffers[number].source {
            Source::File(source) => {
                let bytes = source.read()?.data;
                let size = bytes.len() as u64;
                (Start::Bytes(bytes), size)
            }
            Source::Pieces(source) => {
                return Ok(Contents {
                    size: source.bytes,
                    before: Start::Pieces,
                    after: None,
                });
            }
            Source::Zero(size) => (Start::Zero, *size),
            Source::Poison(size) => (Start::Poison, *size),
        };
        let expected = file.expect.iter().find(|after| after.buffer == number);
        let after = expected.map(|after| after.file.read()).transpose()?;
        let after = after.map(|after| after.data);
        if let Some(after) = &after
            && after.len() as u64 != size
        {
            bail!("{size} bytes before the launch, {} after it", after.len());
        }
        Ok(Contents {
            size,
            before,
            after,
        })
    }

    /// Returns true if the launch changed bytes of a range.
    fn changed(&self, start: u64, end: u64) -> Option<bool> {
        let (start, end) = (usize::try_from(start).ok()?, usize::try_from(end).ok()?);
        match (&self.before, &self.after) {
            (Start::Poison, _) => Some(true),
            (Start::Pieces, _) | (_, None) => None,
            (Start::Bytes(before), Some(after)) => Some(before[start..end] != after[start..end]),
            (Start::Zero, Some(after)) => Some(after[start..end].iter().any(|byte| *byte != 0)),
        }
    }
}

#[cfg(test)]
mod tests;
