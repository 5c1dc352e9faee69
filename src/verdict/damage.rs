//! Where an output is wrong and by how much: what pictures are made of.

use serde::{Deserialize, Serialize};

use super::number::Real;
use super::{Axis, Reference};

/// An output that failed or breaks a law, as pictures show it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Damage {
    /// The reference that it is held against; none of a law, which needs none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub against: Option<Reference>,
    /// The wrong elements; none where none is wrong for itself.
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
    /// The axes that run down, outermost first; none where a tensor of one axis is read like text, line by line.
    pub down: Vec<Axis>,
    /// The axis that runs across.
    pub across: Axis,
    /// Elements of a cell, down and across.
    pub cell: [usize; 2],
    /// Lines of cells, each by the mark of its worst element's level.
    pub cells: Vec<String>,
}

/// By how much the worst element of a cell is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Every element is within its tolerance.
    Within,
    /// Up to twice the tolerance.
    Two,
    /// Up to 10 times.
    Ten,
    /// Up to 100 times.
    Hundred,
    /// Up to 10000 times.
    More,
    /// Further off, or wrong where nothing is allowed.
    Far,
    /// No number.
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

    /// Of the largest error of a cell, as a share of what its element is allowed; 0 where none is wrong.
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

    /// The mark that stands for it.
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
    /// The levels of a line of cells.
    pub fn levels(&self, line: usize) -> Vec<Level> {
        let marks = self.cells.get(line).map_or("", String::as_str).chars();
        let level = |mark| Level::ALL.into_iter().find(|level| level.mark() == mark);
        marks.filter_map(level).collect()
    }
}

/// How many elements have errors of which size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Histogram {
    /// Elements without an error.
    pub exact: usize,
    /// Elements whose error is NaN or infinite.
    pub not_finite: usize,
    /// The first bin is of errors from `10^(first/2)` on.
    pub first: i32,
    /// Elements in each bin, half a power of ten wide.
    pub bins: Vec<usize>,
}

/// Errors along an axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// The axis.
    pub axis: Axis,
    /// Indices that stand together.
    pub step: usize,
    /// The largest absolute error of each step; NaN where one is.
    pub errors: Vec<Real>,
}

/// Neighbours along the last axis, around a wrong one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WrongRow {
    /// Index of the first of them.
    pub index: Vec<usize>,
    /// What the device wrote.
    pub got: Vec<Real>,
    /// What the reference says.
    pub want: Vec<Real>,
    /// The error that each is allowed.
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
