//! Checks that launches leave two things unchanged: the guards around buffers, and read-only buffers.

use std::ops::Range;

use super::buffers::{self, PlacedBuffer};
use super::elements::JudgedType;
use super::launch::LaunchFile;
use super::shapes::axes;
use crate::compare::{BufferAfter, judge_buffers};
use crate::device::Session;
use crate::report::model::Problem;
use crate::tensor::guards::Guards;
use crate::tensor::npy::Dtype;
use crate::tensor::{Axis, ElementKind};

/// Reads the contents of the read-only buffers before the launches; nothing for other buffers.
pub(super) fn held(
    session: &mut dyn Session,
    file: &LaunchFile,
    placed: &[PlacedBuffer],
) -> anyhow::Result<Vec<Option<Vec<u8>>>> {
    let buffers = file.buffers.iter().zip(placed);
    buffers
        .map(|(buffer, placed)| {
            let read = || buffers::read(session, placed);
            buffer.read_only.then(read).transpose()
        })
        .collect()
}

/// The first problem of the buffers, as a test's are judged: any guard comes before any buffer that may only be read. Between the pieces of
/// a buffer nothing may be written.
pub(super) fn judge(
    session: &mut dyn Session,
    file: &LaunchFile,
    placed: &[PlacedBuffer],
    held: &[Option<Vec<u8>>],
) -> anyhow::Result<Option<Problem>> {
    // Read one after the other: together they may be large.
    for (buffer, placed) in file.buffers.iter().zip(placed) {
        if placed.guards == Guards::default() {
            continue;
        }
        let (kind, axes) = elements(placed)?;
        let problem = judge_buffers(&[BufferAfter {
            name: &buffer.name,
            kind,
            axes: &axes,
            image: &placed.image(session)?,
            guards: placed.guards,
            unchanged: None,
        }]);
        if problem.is_some() {
            return Ok(problem);
        }
    }
    for ((buffer, placed), held) in file.buffers.iter().zip(placed).zip(held) {
        let mut expected = held.as_deref();
        for part in placed.known_parts() {
            let Some(all) = expected else { break };
            let (own, rest) = all.split_at(usize::try_from(part.end - part.start)?);
            expected = Some(rest);
            if let Some(problem) = judge_part(session, &buffer.name, placed, &part, own)? {
                return Ok(Some(problem));
            }
        }
        let mut zeros = Vec::new();
        for gap in placed.gaps() {
            zeros.resize(usize::try_from(gap.end - gap.start)?, 0);
            if let Some(problem) = judge_part(session, &buffer.name, placed, &gap, &zeros)? {
                return Ok(Some(problem));
            }
        }
    }
    Ok(None)
}

/// The problem of a part of a buffer that launches must leave unchanged.
fn judge_part(
    session: &mut dyn Session,
    name: &str,
    placed: &PlacedBuffer,
    part: &Range<u64>,
    expected: &[u8],
) -> anyhow::Result<Option<Problem>> {
    let mut image = vec![0; expected.len()];
    session.download(placed.address + part.start, &mut image)?;
    if image == expected {
        return Ok(None);
    }
    let (kind, axes) = match placed.pieces {
        Some(_) => {
            let dwords = Axis::new("dword", expected.len().div_ceil(4));
            (ElementKind::I32, vec![dwords])
        }
        None => elements(placed)?,
    };
    Ok(judge_buffers(&[BufferAfter {
        name: &placed.part_name(name, part),
        kind,
        axes: &axes,
        image: &image,
        guards: Guards::default(),
        unchanged: Some(expected),
    }]))
}

/// The elements of a buffer that a message names: f32 where nothing says what they are. Those of a type that the judge does not know
/// are named by the dword.
fn elements(placed: &PlacedBuffer) -> anyhow::Result<(ElementKind, Vec<Axis>)> {
    let bytes = usize::try_from(placed.bytes)?;
    let layout = placed.layout.as_ref();
    let dtype = layout.map_or(Dtype::F32, |layout| layout.dtype);
    let direct = JudgedType::of(dtype).filter(|judged| judged.is_direct());
    Ok(match direct.filter(|_| bytes.is_multiple_of(dtype.size)) {
        Some(judged) => {
            let count = bytes / judged.dtype.size;
            (judged.kind, axes(None, layout, count))
        }
        None => {
            let dwords = Axis::new("dword", bytes.div_ceil(4));
            (ElementKind::I32, vec![dwords])
        }
    })
}
