//! Damage that lies along the diagonal of square matrices, or on one side of it.

use std::cmp::Ordering;

use crate::compare::tensor;
use crate::verdict::Axis;

use super::{present, range};

/// The two axes of a tensor that are the rows and the columns of its square matrices.
#[derive(Clone, Copy)]
pub(in crate::compare) struct Square {
    /// Which axis the rows are.
    pub rows: usize,
    columns: usize,
    row_stride: usize,
    length: usize,
}

/// Where marked elements stand to the diagonal.
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
    /// The last two axes; or the last, if it is called `column`, and the nearest before it that is called `row`: there may be heads
    /// between. Both are of the same length, which is more than 1.
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

    /// Row and column of an element in its matrix.
    pub fn place(&self, flat: usize) -> (usize, usize) {
        (flat / self.row_stride % self.length, flat % self.length)
    }

    fn side_of(&self, flat: usize) -> Diagonal {
        let (row, column) = self.place(flat);
        match row.cmp(&column) {
            Ordering::Less => Diagonal::Above,
            Ordering::Equal => Diagonal::On,
            Ordering::Greater => Diagonal::Below,
        }
    }

    /// The side of the diagonal on which all marked elements lie, where rows and columns alone do not say it better.
    pub(super) fn side(&self, axes: &[Axis], at: &[usize]) -> Option<Diagonal> {
        let present = present(axes, at);
        let (rows, columns) = (&present[self.rows], &present[self.columns]);
        if rows.len() < 2 || columns.len() < 2 {
            return None;
        }
        let first = self.side_of(*at.first()?);
        // Two or three elements are on one side by chance, and a corner block lies there as a whole.
        let chance = first != Diagonal::On && at.len() <= 3;
        let corner = rows.last() < columns.first() || columns.last() < rows.first();
        let telling = !chance && !corner;
        (telling && at.iter().all(|&flat| self.side_of(flat) == first)).then_some(first)
    }

    /// Whether the side says all there is to say about an axis.
    pub(super) fn implies(&self, side: Diagonal, axis: usize, present: &[usize]) -> bool {
        let all_from = |start: usize, end: usize| present.iter().copied().eq(start..end);
        let (row, column) = (axis == self.rows, axis == self.columns);
        match side {
            // What can be above the diagonal lies in rows 0.. but the last and in columns 1..; below, the other way.
            Diagonal::Above if row => all_from(0, self.length - 1),
            Diagonal::Below if column => all_from(0, self.length - 1),
            Diagonal::Above if column => all_from(1, self.length),
            Diagonal::Below if row => all_from(1, self.length),
            Diagonal::On => column,
            _ => false,
        }
    }

    /// The diagonal and what lies beside it, each by itself, where that says more than all together: rows and columns of the one say
    /// nothing of the other. `together` is how much can be said of all together.
    pub fn sides(&self, axes: &[Axis], at: &[usize], together: usize) -> Option<String> {
        let mut said = Vec::new();
        for (side, words) in [
            (Diagonal::On, "on the diagonal"),
            (Diagonal::Below, "below the diagonal"),
            (Diagonal::Above, "above the diagonal"),
        ] {
            let part = at
                .iter()
                .copied()
                .filter(|&flat| self.side_of(flat) == side);
            let part: Vec<usize> = part.collect();
            if part.is_empty() {
                continue;
            }
            let all = present(axes, &part);
            let mut parts = vec![words.to_string()];
            for axis in [self.rows, self.columns] {
                if !self.implies(side, axis, &all[axis]) && all[axis].len() < self.length {
                    parts.push(range(&axes[axis].name, &all[axis])?);
                }
            }
            // Of the other axes (heads, chunks) nothing is said, so each side must be on all of them.
            let inside = |n: usize| n == self.rows || n == self.columns;
            let whole = axes.iter().zip(&all).enumerate();
            let whole = whole
                .into_iter()
                .all(|(n, (axis, all))| inside(n) || all.len() == axis.length);
            said.push((side, parts, whole));
        }
        let beside = |(side, parts, _): &(Diagonal, Vec<String>, bool)| {
            *side == Diagonal::On || parts.len() - 1 > together
        };
        let telling = said.len() > 1
            && said[0].0 == Diagonal::On
            && said.iter().all(|one| one.2 && beside(one));
        telling.then(|| {
            let sides: Vec<String> = said.iter().map(|(_, parts, _)| parts.join(", ")).collect();
            sides.join("; ")
        })
    }
}
