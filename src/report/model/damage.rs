//! The locations and sizes of an output's errors, from which pictures are drawn.

use serde::{Deserialize, Serialize};

use super::Reference;
use super::number::Real;
use crate::tensor::Axis;

/// The errors of an output that failed or that breaks a law, as pictures show them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Damage {
    /// The reference that the output is compared with; none for a law, which needs no reference.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub against: Option<Reference>,
    /// The wrong elements; none where no single element is wrong.
    pub map: Option<DamageMap>,
    /// The errors of all elements.
    pub histogram: Histogram,
    /// The largest errors along each axis that is computed in order: `token`, `chunk`.
    pub series: Vec<Series>,
    /// The worst lines along the last axis, worst first.
    pub rows: Vec<WrongRow>,
}

/// The wrong elements of an output, on the tensor's own axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DamageMap {
    /// The axes that run down, outermost first; none if a tensor of one axis is broken into lines, like text.
    pub down: Vec<Axis>,
    /// The axis that runs across.
    pub across: Axis,
    /// Elements of one cell, down and across.
    pub cell: [usize; 2],
    /// Lines of cells. Each cell is the mark of its worst element's level.
    pub cells: Vec<String>,
}

/// The error of the worst element of a cell, by its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Every element is within its tolerance.
    Within,
    /// The error is at most twice the tolerance.
    Two,
    /// The error is at most 10 times the tolerance.
    Ten,
    /// The error is at most 100 times the tolerance.
    Hundred,
    /// The error is at most 10000 times the tolerance.
    More,
    /// The error is larger still, or the tolerance allows none.
    Far,
    /// The element is not a number.
    NoNumber,
}

impl Level {
    /// Every level, the mildest first.
    pub const ALL: [Level; 7] = [
        Level::Within,
        Level::Two,
        Level::Ten,
        Level::Hundred,
        Level::More,
        Level::Far,
        Level::NoNumber,
    ];

    /// Returns the level of an error, given as a share of the allowed error; 0 if no element is wrong.
    pub fn of(share: f64) -> Level {
        match share {
            share if share.is_nan() => Level::NoNumber,
            share if share <= 0.0 => Level::Within,
            share if share <= 2.0 => Level::Two,
            share if share <= 10.0 => Level::Ten,
            share if share <= 100.0 => Level::Hundred,
            share if share <= 1e4 => Level::More,
            _ => Level::Far,
        }
    }

    /// Returns the mark of the level.
    pub fn mark(self) -> char {
        match self {
            Level::Within => '.',
            Level::Two => '-',
            Level::Ten => '+',
            Level::Hundred => 'x',
            Level::More => 'X',
            Level::Far => '#',
            Level::NoNumber => 'N',
        }
    }
}

impl DamageMap {
    /// Returns the levels of a line of cells.
    pub fn levels(&self, line: usize) -> Vec<Level> {
        let marks = self.cells.get(line).map_or("", String::as_str).chars();
        let level = |mark| Level::ALL.into_iter().find(|level| level.mark() == mark);
        marks.filter_map(level).collect()
    }
}

/// The counts of elements, by the size of their errors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram {
    /// Elements without an error.
    pub exact: usize,
    /// Elements whose error is NaN or infinite.
    pub not_finite: usize,
    /// The first bin begins at an error of `10^(first/2)`.
    pub first: i32,
    /// Elements in each bin. A bin is half a power of ten wide.
    pub bins: Vec<usize>,
}

/// Errors along an axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// The axis.
    pub axis: Axis,
    /// Neighbouring indices that share one value of `errors`.
    pub step: usize,
    /// The largest absolute error of each step; NaN where the step has a NaN.
    pub errors: Vec<Real>,
}

/// Neighbouring elements along the last axis, around a wrong element.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WrongRow {
    /// Index of the first element.
    pub index: Vec<usize>,
    /// The values that the device wrote.
    pub got: Vec<Real>,
    /// The values of the reference.
    pub want: Vec<Real>,
    /// The error that each element is allowed.
    pub allowed: Vec<Real>,
}

#[cfg(test)]
mod tests {
    use super::Level;

    #[test]
    fn levels_are_by_excess() {
        let shares = [0.0, 1.5, 10.0, 11.0, 1e4, f64::INFINITY, f64::NAN];
        assert_eq!(shares.map(Level::of), Level::ALL);
    }
}
