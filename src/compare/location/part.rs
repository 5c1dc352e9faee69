//! The region of a tensor that a description names, and the share of it that is marked.

use crate::tensor;
use crate::tensor::Axis;

use super::diagonal::{Diagonal, Square};

/// A region of a tensor: indices along each axis, and possibly one side of the diagonal.
pub(super) struct Part {
    /// Marks of the indices in the region, for each axis.
    pub indices: Vec<Vec<bool>>,
    /// The side of the diagonal, if the region is only one side.
    pub side: Option<(Square, Diagonal)>,
}

impl Part {
    /// Returns the part that is a whole tensor.
    pub fn all(axes: &[Axis]) -> Part {
        Part {
            indices: axes.iter().map(|axis| vec![true; axis.length]).collect(),
            side: None,
        }
    }

    /// Keeps only some indices along an axis.
    pub fn keep(&mut self, axis: usize, indices: impl IntoIterator<Item = usize>) {
        let along = &mut self.indices[axis];
        along.fill(false);
        for index in indices {
            along[index] = true;
        }
    }

    /// Returns the number of elements in the region.
    pub fn count(&self, axes: &[Axis]) -> usize {
        let lengths = self
            .indices
            .iter()
            .map(|along| along.iter().filter(|&&is| is).count());
        let Some((square, side)) = self.side else {
            return lengths.product();
        };
        let strides = tensor::strides(axes);
        let within = |flat: &usize| {
            let along = self.indices.iter().zip(axes.iter().zip(&strides));
            square.side_of(*flat) == side
                && along
                    .into_iter()
                    .all(|(indices, (axis, stride))| indices[flat / stride % axis.length])
        };
        (0..tensor::count(axes)).filter(within).count()
    }

    /// Describes the marked share of the region; empty if all of it is marked.
    pub fn fullness(&self, axes: &[Axis], marked: usize) -> String {
        let word = match (self.side, axes) {
            (Some(_), _) => "part",
            (None, [_]) => "range",
            (None, _) => "box",
        };
        fullness(marked, self.count(axes), word)
    }
}

/// Formats the marked share as " (12 % of that box)"; empty if all is marked.
pub(super) fn fullness(marked: usize, of: usize, word: &str) -> String {
    match 100 * marked / of.max(1) {
        _ if marked >= of => String::new(),
        0 => format!(" (<1 % of that {word})"),
        percent => format!(" ({percent} % of that {word})"),
    }
}
