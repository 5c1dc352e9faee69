//! Types and axes of buffers that do not say theirs, by what is expected of them.

use anyhow::anyhow;

use super::array::Layout;
use crate::tensor::Axis;
use crate::tensor::npy::Dtype;

/// The type of a buffer that says nothing of it, by what it should hold: of the same type, or floats rounded to f32.
pub(super) fn guessed(stated: &Layout, have: usize, bytes: usize) -> anyhow::Result<Dtype> {
    if have == bytes {
        return Ok(stated.dtype);
    }
    let count = have / stated.dtype.size;
    let is_f32 = stated.dtype.is_float() && count.checked_mul(4) == Some(bytes);
    is_f32.then_some(Dtype::F32).ok_or_else(|| {
        anyhow!(
            "{count} elements of {} are expected of {bytes} bytes",
            stated.dtype.name()
        )
    })
}

/// The axes by the names that the file of the expected values gives; else rows and columns of the shape that is known.
pub(super) fn axes(expected: Option<&Layout>, buffer: Option<&Layout>, count: usize) -> Vec<Axis> {
    let named = |layout: &&Layout| !layout.axes.is_empty();
    let layouts = [expected, buffer].into_iter().flatten();
    let fits = |layout: &&Layout| {
        layout.shape.iter().product::<usize>() == count && !layout.shape.is_empty()
    };
    let layouts: Vec<&Layout> = layouts.filter(fits).collect();
    if let Some(layout) = layouts.iter().copied().find(named) {
        let axes = layout.axes.iter().zip(&layout.shape);
        return axes
            .map(|(name, &length)| Axis::new(name, length))
            .collect();
    }
    // Of two shapes the one that tells more.
    let shape = layouts
        .iter()
        .map(|layout| &layout.shape)
        .max_by_key(|shape| shape.len());
    match shape.map(Vec::as_slice) {
        Some([outer @ .., rows, columns]) => {
            let outer = outer
                .iter()
                .enumerate()
                .map(|(n, &length)| Axis::new(format!("axis {n}"), length));
            outer
                .chain([Axis::new("row", *rows), Axis::new("column", *columns)])
                .collect()
        }
        _ => vec![Axis::new("element", count)],
    }
}
