//! The errors of an output, small enough for a report: a map, a histogram, errors along tokens and chunks, and the worst
//! lines.

use crate::report::model::number::Real;
use crate::report::model::{Damage, DamageMap, Histogram, Level, Reference, Series, WrongRow};
use crate::tensor::Axis;

use super::judge::OutputCase;
use super::metrics::{ReferenceLimits, error, share};
use crate::tensor::{self, Element};

/// The most lines of a map.
const LINES: usize = 24;
/// The most cells of a line of a map, and the most marks of a series.
const CELLS: usize = 64;
/// The most lines of a tensor that are shown in numbers.
const ROWS: usize = 4;
/// The most elements of such a line.
const COLUMNS: usize = 8;
/// Axes that are computed in order.
const ORDERED: [&str; 2] = ["token", "chunk"];

/// A function from an element's position to a number.
type Each<'a> = &'a dyn Fn(usize) -> f64;

/// A tensor compared with its reference, element by element.
pub struct ReferenceComparison<'a> {
    /// The tensor's axes, outermost first.
    pub axes: &'a [Axis],
    /// Marks of the wrong elements.
    pub wrong: &'a [bool],
    /// Values that the device left.
    pub got: Each<'a>,
    /// Values of the reference.
    pub want: Each<'a>,
    /// Allowed error of each element.
    pub allowed: Each<'a>,
    /// Actual error of each element.
    pub error: Each<'a>,
}

/// The damage of an output that failed.
pub(super) fn damage<E: Element>(
    case: &OutputCase<'_, E>,
    limits: &ReferenceLimits,
    wrong: &[bool],
    against: Reference,
) -> Damage {
    let comparison = ReferenceComparison {
        axes: case.axes,
        wrong,
        got: &|at| case.got[at].to_f64(),
        want: &|at| limits.want[at],
        allowed: &|at| limits.allowed(at, case.got[at]),
        error: &|at| error(case.got[at], limits.want[at]),
    };
    Damage {
        against: Some(against),
        ..comparison.damage()
    }
}

impl ReferenceComparison<'_> {
    /// Describes the damage without a reference: the positions and the sizes of the errors.
    pub fn damage(&self) -> Damage {
        let errors: Vec<f64> = (0..self.wrong.len()).map(self.error).collect();
        // The error of every wrong element as a share of its allowed error; 0 for the others.
        let shares: Vec<f64> = (0..self.wrong.len())
            .map(|at| match self.wrong[at] {
                true => share(errors[at], (self.allowed)(at), true),
                false => 0.0,
            })
            .collect();
        Damage {
            against: None,
            map: self.wrong.contains(&true).then(|| map(self.axes, &shares)),
            histogram: histogram(&errors),
            series: series(self.axes, &errors),
            rows: rows(self, &shares),
        }
    }
}

/// Returns the larger number; NaN is larger than every number.
fn worse(most: f64, next: f64) -> f64 {
    if most.is_nan() || next <= most {
        most
    } else {
        next
    }
}

/// Returns how many elements share a cell if `room` cells are available.
fn step(length: usize, room: usize) -> usize {
    length.div_ceil(room).max(1)
}

fn map(axes: &[Axis], shares: &[f64]) -> DamageMap {
    // An axis of length 1 needs no place in the map.
    let telling: Vec<&Axis> = axes.iter().filter(|axis| axis.length > 1).collect();
    let (down, across, cell, width) = match telling.split_last() {
        Some((across, down)) if !down.is_empty() => {
            let lines = shares.len() / across.length;
            let cell = [step(lines, LINES), step(across.length, CELLS)];
            let down = down.iter().copied().cloned().collect();
            (down, Axis::clone(across), cell, across.length)
        }
        _ => {
            let only = telling.first().copied().or(axes.last());
            let across = only.map_or_else(|| Axis::new("element", shares.len()), Axis::clone);
            let cell = step(shares.len(), LINES * CELLS);
            (Vec::new(), across, [1, cell], cell * CELLS)
        }
    };
    let lines = shares.len().div_ceil(width).div_ceil(cell[0]);
    let columns = width.min(shares.len()).div_ceil(cell[1]);
    let mut cells = vec![vec![Real(0.0); columns]; lines];
    for (at, &share) in shares.iter().enumerate() {
        let place = &mut cells[at / width / cell[0]][at % width / cell[1]];
        place.0 = worse(place.0, share);
    }
    if down.is_empty()
        && let Some(last) = cells.last_mut()
    {
        // The last line ends with the tensor.
        last.truncate((shares.len() - (shares.len() - 1) / width * width).div_ceil(cell[1]));
    }
    let marks = |line: Vec<Real>| line.into_iter().map(|cell| Level::of(cell.0).mark());
    DamageMap {
        down,
        across,
        cell,
        cells: cells
            .into_iter()
            .map(|line| marks(line).collect())
            .collect(),
    }
}

fn histogram(errors: &[f64]) -> Histogram {
    let bin = |error: f64| (2.0 * error.log10()).floor() as i32;
    let sized = || {
        errors
            .iter()
            .filter(|error| **error > 0.0 && error.is_finite())
    };
    let first = sized().map(|&error| bin(error)).min().unwrap_or(0);
    let last = sized().map(|&error| bin(error)).max();
    let mut bins = vec![0; last.map_or(0, |last| (last - first) as usize + 1)];
    for &error in sized() {
        bins[(bin(error) - first) as usize] += 1;
    }
    Histogram {
        exact: errors.iter().filter(|error| **error == 0.0).count(),
        not_finite: errors.iter().filter(|error| !error.is_finite()).count(),
        first,
        bins,
    }
}

fn series(axes: &[Axis], errors: &[f64]) -> Vec<Series> {
    let strides = tensor::strides(axes);
    let ordered = axes
        .iter()
        .zip(strides)
        .filter(|(axis, _)| axis.length > 1 && ORDERED.contains(&axis.name.as_str()));
    ordered
        .map(|(axis, stride)| {
            let step = step(axis.length, CELLS);
            let mut most = vec![Real(0.0); axis.length.div_ceil(step)];
            for (at, &error) in errors.iter().enumerate() {
                let place = &mut most[at / stride % axis.length / step];
                place.0 = worse(place.0, error);
            }
            Series {
                axis: axis.clone(),
                step,
                errors: most,
            }
        })
        .collect()
}

fn rows(comparison: &ReferenceComparison<'_>, shares: &[f64]) -> Vec<WrongRow> {
    let length = comparison.axes.last().map_or(1, |axis| axis.length).max(1);
    // The worst element of each line with a wrong element.
    let mut worst: Vec<(usize, f64)> = Vec::new();
    for (at, &share) in shares
        .iter()
        .enumerate()
        .filter(|(_, share)| **share != 0.0)
    {
        match worst.last_mut() {
            Some((known, most)) if *known / length == at / length => {
                if worse(*most, share).to_bits() != most.to_bits() {
                    (*known, *most) = (at, share);
                }
            }
            _ => worst.push((at, share)),
        }
    }
    let rank = |share: f64| if share.is_nan() { f64::INFINITY } else { share };
    worst.sort_by(|a, b| rank(b.1).total_cmp(&rank(a.1)).then(a.0.cmp(&b.0)));
    worst.truncate(ROWS);
    let row = |(at, _): (usize, f64)| {
        let line = at - at % length;
        let shown = length.min(COLUMNS);
        let first = line + (at % length).saturating_sub(shown / 2).min(length - shown);
        let places = first..first + shown;
        let of = |value: Each<'_>| places.clone().map(|at| Real(value(at))).collect();
        WrongRow {
            index: tensor::index(comparison.axes, first),
            got: of(comparison.got),
            want: of(comparison.want),
            allowed: of(comparison.allowed),
        }
    };
    worst.into_iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leading_axes_run_down_and_the_last_across() {
        let axes = [
            Axis::new("head", 2),
            Axis::new("one", 1),
            Axis::new("row", 2),
            Axis::new("column", 3),
        ];
        let mut shares = [0.0; 12];
        (shares[4], shares[11]) = (2.0, f64::INFINITY);
        let map = map(&axes, &shares);
        assert_eq!(map.down, [axes[0].clone(), axes[2].clone()]);
        assert_eq!((map.across, map.cell), (axes[3].clone(), [1, 1]));
        assert_eq!(map.cells, ["...", ".-.", "...", "..#"]);
    }

    #[test]
    fn what_is_larger_than_a_picture_is_put_together_and_the_worst_shows() {
        let axes = [Axis::new("token", 100), Axis::new("channel", 130)];
        let mut shares = vec![0.0; 13_000];
        shares[99 * 130 + 129] = f64::NAN;
        shares[99 * 130 + 128] = 9.0;
        let map = map(&axes, &shares);
        assert_eq!(map.cell, [5, 3]);
        assert_eq!((map.cells.len(), map.cells[0].len()), (20, 44));
        assert!(map.cells[19].ends_with(".+N"), "{:?}", map.cells[19]);
    }

    #[test]
    fn one_axis_is_read_like_text() {
        let mut shares = vec![0.0; 130];
        shares[129] = 3.0;
        let map = map(&[Axis::new("element", 130)], &shares);
        assert_eq!((map.down.len(), map.cell), (0, [1, 1]));
        let lengths: Vec<usize> = map.cells.iter().map(String::len).collect();
        assert_eq!((lengths, map.cells[2].as_str()), (vec![64, 64, 2], ".+"));
        let many = super::map(&[Axis::new("element", 100_000)], &vec![1.0; 100_000]);
        assert_eq!((many.cells.len(), many.cell), (24, [1, 66]));
        assert_eq!(super::map(&[], &[2.0]).cells, ["-"]);
    }

    #[test]
    fn errors_are_counted_by_half_powers_of_ten() {
        let found = histogram(&[0.0, 1.5, 2.0, 4.0, 0.2, f64::NAN, f64::INFINITY]);
        assert_eq!((found.exact, found.not_finite), (1, 2));
        assert_eq!((found.first, found.bins), (-2, vec![1, 0, 2, 1]));
        assert!(histogram(&[0.0]).bins.is_empty());
    }

    #[test]
    fn errors_stand_along_what_is_computed_in_order() {
        let axes = [
            Axis::new("head", 2),
            Axis::new("token", 128),
            Axis::new("channel", 2),
        ];
        let mut errors = vec![0.0; 512];
        (errors[2 * 77], errors[256 + 2 * 76 + 1]) = (0.5, 0.25);
        let found = series(&axes, &errors);
        assert_eq!(
            (found.len(), found[0].step, found[0].errors.len()),
            (1, 2, 64)
        );
        assert_eq!(found[0].errors[38], Real(0.5));
        assert_eq!(found[0].errors.iter().filter(|one| one.0 > 0.0).count(), 1);
    }
}
