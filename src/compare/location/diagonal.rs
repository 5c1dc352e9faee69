//! Locations on the diagonal of square matrices, or on one side of it.

use std::cmp::Ordering;

use crate::tensor;
use crate::tensor::Axis;

use super::part::{self, Part};
use super::{present, range};

/// The two axes of a tensor that are the rows and the columns of its square matrices.
#[derive(Clone, Copy)]
pub(in crate::compare) struct Square {
    /// The axis of the rows.
    pub rows: usize,
    columns: usize,
    row_stride: usize,
    length: usize,
}

/// A side of the diagonal, or the diagonal itself.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Diagonal {
    Above,
    On,
    Below,
}

impl Diagonal {
    pub fn words(self) -> &'static str {
        match self {
            Diagonal::Above => "above the diagonal",
            Diagonal::On => "on the diagonal only",
            Diagonal::Below => "below the diagonal",
        }
    }
}

impl Square {
    /// Finds the axes of square matrices: `column` as the last axis and the nearest `row` before it, with other axes such as heads between
    /// them, or else the last two axes. Both must have the same length, which is more than 1.
    pub fn of(axes: &[Axis]) -> Option<Square> {
        let columns = axes.len().checked_sub(1)?;
        let named = axes[..columns].iter().rposition(|axis| axis.name == "row");
        let named = named.filter(|_| axes[columns].name == "column");
        let rows = named.or(columns.checked_sub(1))?;
        let length = axes[columns].length;
        (axes[rows].length == length && length > 1).then(|| Square {
            rows,
            columns,
            row_stride: tensor::strides(axes)[rows],
            length,
        })
    }

    /// Returns the row and the column of an element in its matrix.
    pub fn place(&self, flat: usize) -> (usize, usize) {
        (flat / self.row_stride % self.length, flat % self.length)
    }

    pub(super) fn side_of(&self, flat: usize) -> Diagonal {
        let (row, column) = self.place(flat);
        match row.cmp(&column) {
            Ordering::Less => Diagonal::Above,
            Ordering::Equal => Diagonal::On,
            Ordering::Greater => Diagonal::Below,
        }
    }

    /// Returns the side of the diagonal on which all marked elements lie, unless ranges of rows and columns describe them better.
    pub(super) fn side(&self, axes: &[Axis], at: &[usize]) -> Option<Diagonal> {
        let present = present(axes, at);
        let (rows, columns) = (&present[self.rows], &present[self.columns]);
        if rows.len() < 2 || columns.len() < 2 {
            return None;
        }
        let first = self.side_of(*at.first()?);
        // Two or three elements may be on one side by chance, and a block in a corner always is.
        let chance = first != Diagonal::On && at.len() <= 3;
        let corner = rows.last() < columns.first() || columns.last() < rows.first();
        let telling = !chance && !corner;
        (telling && at.iter().all(|&flat| self.side_of(flat) == first)).then_some(first)
    }

    /// Returns true if the side of the diagonal already implies the range along an axis.
    pub(super) fn implies(&self, side: Diagonal, axis: usize, present: &[usize]) -> bool {
        let all_from = |start: usize, end: usize| present.iter().copied().eq(start..end);
        let (row, column) = (axis == self.rows, axis == self.columns);
        match side {
            // Elements above the diagonal lie in all rows but the last and in columns from 1 on. Below the diagonal
            // rows and columns change roles.
            Diagonal::Above if row => all_from(0, self.length - 1),
            Diagonal::Below if column => all_from(0, self.length - 1),
            Diagonal::Above if column => all_from(1, self.length),
            Diagonal::Below if row => all_from(1, self.length),
            Diagonal::On => column,
            _ => false,
        }
    }

    /// Describes the diagonal and a block on one side of it separately, if no marked element of the diagonal lies in the block's rows and
    /// columns.
    pub(super) fn sides(&self, axes: &[Axis], at: &[usize]) -> Option<String> {
        let on_side = |side: Diagonal| -> Vec<usize> {
            let part = at.iter().copied();
            part.filter(|&flat| self.side_of(flat) == side).collect()
        };
        let on = on_side(Diagonal::On);
        let (side, block, words) = match [Diagonal::Below, Diagonal::Above].map(on_side) {
            [below, above] if above.is_empty() => (Diagonal::Below, below, "below the diagonal"),
            [below, above] if below.is_empty() => (Diagonal::Above, above, "above the diagonal"),
            _ => return None,
        };
        if on.is_empty() || block.is_empty() {
            return None;
        }
        let beside = present(axes, &block);
        let within =
            |at: usize| beside[self.rows].contains(&at) && beside[self.columns].contains(&at);
        let along = present(axes, &on);
        if along[self.rows].len() < 2 || along[self.rows].iter().any(|&at| within(at)) {
            return None;
        }
        let (first, diagonal) = self.described(axes, Diagonal::On, &along, "on the diagonal")?;
        let (second, block) = self.described(axes, side, &beside, words)?;
        let named = diagonal.count(axes) + block.count(axes);
        let filled = part::fullness(at.len(), named, "part");
        Some(format!("{first}; {second}{filled}"))
    }

    /// Describes ranges of rows and columns that the side does not imply. All indices of the other axes (heads, chunks) must be marked.
    fn described(
        &self,
        axes: &[Axis],
        side: Diagonal,
        present: &[Vec<usize>],
        words: &str,
    ) -> Option<(String, Part)> {
        let mut parts = vec![words.to_string()];
        let mut named = Part::all(axes);
        named.side = Some((*self, side));
        for (n, (axis, present)) in axes.iter().zip(present).enumerate() {
            if present.len() == axis.length || self.implies(side, n, present) {
                continue;
            }
            if n != self.rows && n != self.columns {
                return None;
            }
            parts.push(range(&axis.name, present)?);
            named.keep(n, present.iter().copied());
        }
        Some((parts.join(", "), named))
    }
}
