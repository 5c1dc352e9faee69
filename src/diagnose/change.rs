//! Changes of an input that stand for mistakes: "the kernel takes X for f(X)".

use std::collections::BTreeSet;

use std::f64::consts::LOG2_E;

use crate::tensor::{Axis, ElementKind, count, index, strides};
use crate::trial::ExperimentInput;

use super::activation::sigmoid;
use super::weigh::plural;

/// A mistake in the use of one input, as a change of its values.
pub(super) struct Change {
    /// The kind of the cause.
    pub(super) kind: &'static str,
    /// The mistake in words: `is taken as its reciprocal`.
    pub(super) says: String,
    effect: Effect,
}

/// The index whose values each index of an axis takes; none for zeros.
type IndexMap = Box<dyn Fn(usize) -> Option<usize>>;

enum Effect {
    /// Each value becomes a function of itself.
    Value(fn(f64) -> f64),
    /// Each value is multiplied.
    Factor(f64),
    /// Each index along an axis takes the values of another index; none for zeros.
    Move(usize, IndexMap),
    /// Two axes are stored in the other order: the first runs faster.
    Order(usize, usize),
    /// An axis has so many elements from one index to the next. What lies beyond the end is 0.
    Step(usize, usize),
    /// The last axis is left out: the first elements in memory stand for whole rows of it.
    Without,
    /// The last two axes are exchanged within square tiles of this many rows.
    Tiles(usize),
    /// A number is added on the diagonal of each matrix of an axis and the last one, or of each square block of rows.
    Diagonal(usize, f64),
    /// This diagonal is 0.
    ZeroDiagonal(usize),
}

impl Change {
    fn of_values(&(kind, says, f): &ValueChange) -> Change {
        Change {
            kind,
            says: says.into(),
            effect: Effect::Value(f),
        }
    }

    /// Makes a change of the index along an axis: `map` has the index whose values each index takes.
    fn of_index(axis: usize, says: String, map: IndexMap) -> Change {
        Change {
            kind: "index",
            says,
            effect: Effect::Move(axis, map),
        }
    }

    /// Returns true if the change concerns indices alone, and keeps the order of axes.
    pub(super) fn is_move(&self) -> bool {
        matches!(self.effect, Effect::Move(..) | Effect::Tiles(_))
    }

    /// Returns the axis whose indices take the values of others.
    pub(super) fn moved_axis(&self) -> Option<usize> {
        match self.effect {
            Effect::Move(axis, _) => Some(axis),
            _ => None,
        }
    }

    /// Returns the changed values of an input.
    pub(super) fn apply(&self, axes: &[Axis], values: &[f64]) -> Vec<f64> {
        match &self.effect {
            Effect::Value(f) => values.iter().map(|&value| f(value)).collect(),
            Effect::Factor(factor) => values.iter().map(|value| value * factor).collect(),
            Effect::Move(axis, map) => {
                let stride = strides(axes)[*axis];
                let moved = (0..values.len()).map(|flat| {
                    let at = flat / stride % axes[*axis].length;
                    let from = map(at).filter(|&from| from < axes[*axis].length)?;
                    Some(values[flat - at * stride + from * stride])
                });
                moved.map(Option::unwrap_or_default).collect()
            }
            Effect::Order(first, second) => {
                let places = places(axes, *first, *second);
                places.into_iter().map(|place| values[place]).collect()
            }
            Effect::Step(axis, step) => {
                let stride = strides(axes)[*axis];
                let read = (0..values.len()).map(|flat| {
                    let at = flat / stride % axes[*axis].length;
                    values.get(flat - at * stride + at * step)
                });
                read.map(|value| value.copied().unwrap_or_default())
                    .collect()
            }
            Effect::Without => {
                let length = axes.last().map_or(1, |axis| axis.length);
                let read = (0..values.len()).map(|flat| values[flat / length]);
                read.collect()
            }
            Effect::Tiles(size) => exchanged_in_tiles(axes, values, *size),
            Effect::Diagonal(row, number) => {
                on_diagonal(axes, *row, values, |value| value + number)
            }
            Effect::ZeroDiagonal(row) => on_diagonal(axes, *row, values, |_| 0.0),
        }
    }

    /// Returns what is stored in memory after values are written as the change would read them. Returns none if the change is no other
    /// order of the elements.
    pub(super) fn store(&self, axes: &[Axis], values: &[f64]) -> Option<Vec<f64>> {
        let Effect::Order(first, second) = self.effect else {
            return None;
        };
        let mut stored = vec![0.0; values.len()];
        for (value, place) in values.iter().zip(places(axes, first, second)) {
            stored[place] = *value;
        }
        Some(stored)
    }

    /// Returns true if the change is another order of axes of different lengths. Its inverse is then another order, too.
    pub(super) fn has_inverse(&self, axes: &[Axis]) -> bool {
        match self.effect {
            Effect::Order(first, second) => axes[first].length != axes[second].length,
            _ => false,
        }
    }
}

/// Applies a function on the diagonal of each matrix of an axis and the last one.
fn on_diagonal(axes: &[Axis], row: usize, values: &[f64], f: impl Fn(f64) -> f64) -> Vec<f64> {
    let columns = axes.last().map_or(1, |axis| axis.length);
    let (stride, rows) = (strides(axes)[row], axes[row].length);
    let values = values.iter().enumerate();
    let values =
        values.map(
            |(flat, &value)| match flat / stride % rows % columns == flat % columns {
                true => f(value),
                false => value,
            },
        );
    values.collect()
}

/// Exchanges rows and columns within each square tile of the last two axes. What lies beyond the ends is 0.
fn exchanged_in_tiles(axes: &[Axis], values: &[f64], size: usize) -> Vec<f64> {
    let [.., rows, columns] = axes else {
        return values.to_vec();
    };
    let (rows, columns) = (rows.length, columns.length);
    let from = (0..values.len()).map(|flat| {
        let (matrix, row, column) = (
            flat / (rows * columns),
            flat / columns % rows,
            flat % columns,
        );
        let from_row = row - row % size + column % size;
        let from_column = column - column % size + row % size;
        let inside = from_row < rows && from_column < columns;
        inside.then(|| values[(matrix * rows + from_row) * columns + from_column])
    });
    from.map(Option::unwrap_or_default).collect()
}

/// Returns the place of each element in memory if two axes are stored in the other order.
fn places(axes: &[Axis], first: usize, second: usize) -> Vec<usize> {
    let mut stored = axes.to_vec();
    stored.swap(first, second);
    let strides = strides(&stored);
    let place = |flat| {
        let mut at = index(axes, flat);
        at.swap(first, second);
        let steps = at.iter().zip(&strides).map(|(at, stride)| at * stride);
        steps.sum()
    };
    (0..count(axes)).map(place).collect()
}

/// The largest numbers of f32 and f16.
const F32_MAX: f64 = f32::MAX as f64;
const F16_MAX: f64 = 65_504.0;

/// Changes of each value, the simplest first.
type ValueChange = (&'static str, &'static str, fn(f64) -> f64);

#[rustfmt::skip]
const VALUES: &[ValueChange] = &[
    ("sign",        "is taken with the opposite sign", |x| -x),
    ("not-applied", "is not applied: the outputs are those of 1", |_| 1.0),
    ("not-applied", "is not applied: the outputs are those of 0", |_| 0.0),
    ("rounded",     "has its sigmoid rounded to bf16", |x| logit(ElementKind::Bf16.rounded(sigmoid(x)))),
    ("rounded",     "has its sigmoid rounded to f16", |x| logit(ElementKind::F16.rounded(sigmoid(x)))),
    ("rounded",     "has its exp rounded to bf16", |x| ElementKind::Bf16.rounded(x.exp()).ln()),
    ("rounded",     "has its exp rounded to f16", |x| ElementKind::F16.rounded(x.exp()).ln()),
    ("function",    "is applied twice: the outputs are those of its square", |x| x * x),
    ("overflow",    "has an exp that overflows f32: values above 88.72 are taken as infinite", |x| if x.exp() > F32_MAX { f64::INFINITY } else { x }),
    ("overflow",    "has an exp that overflows f16: values above 11.09 are taken as infinite", |x| if x.exp() > F16_MAX { f64::INFINITY } else { x }),
    ("function",    "is taken as its reciprocal", f64::recip),
    ("function",    "is taken as exp of it", f64::exp),
    ("function",    "is taken as log of it", f64::ln),
    ("function",    "is taken as 1 minus it", |x| 1.0 - x),
    ("function",    "is taken as 1 plus it", |x| 1.0 + x),
    ("function",    "has its exp taken as 1 minus it", |x| (1.0 - x.exp()).ln()),
    ("function",    "is taken as sigmoid of it", sigmoid),
    ("function",    "is taken as softplus of it", |x| x.exp().ln_1p()),
    ("function",    "is taken as silu of it", |x| x * sigmoid(x)),
    ("function",    "is taken as tanh of it", f64::tanh),
    ("function",    "is taken as its square root", f64::sqrt),
    ("function",    "is taken as its absolute value", f64::abs),
    ("function",    "is taken to base 2: log2(e) is missing", |x| x / LOG2_E),
    ("function",    "is taken to base 2: a factor log2(e) is too many", |x| x * LOG2_E),
    ("function",    "loses its fraction", f64::trunc),
];

/// Mistakes in bytes: small numbers such as the zero points of weights, or pairs of numbers of 4 bits.
#[rustfmt::skip]
const BYTES: &[ValueChange] = &[
    ("not-applied", "is not applied: the outputs are those of 0", |_| 0.0),
    ("not-applied", "is not read: the outputs are those of 8", |_| 8.0),
    ("not-applied", "is not read: the outputs are those of 128", |_| 128.0),
    ("constant",    "is taken as 1 more", |x| x + 1.0),
    ("constant",    "is taken as 1 less", |x| x - 1.0),
    ("index",       "is read with the 4 low and the 4 high bits exchanged", |x| low(x) * 16.0 + high(x)),
    ("index",       "has its 4 low bits read in the place of the 4 high ones, too", |x| low(x) * 17.0),
    ("index",       "has its 4 high bits read in the place of the 4 low ones, too", |x| high(x) * 17.0),
    ("function",    "is read with bit 7 the other way round, as of a signed and an unsigned byte", |x| (x + 128.0).rem_euclid(256.0)),
    ("function",    "is read with bits 3 and 7 the other way round, as of signed and unsigned numbers of 4 bits", |x| (low(x) + 8.0).rem_euclid(16.0) + 16.0 * (high(x) + 8.0).rem_euclid(16.0)),
];

fn low(byte: f64) -> f64 {
    byte.rem_euclid(16.0)
}

fn high(byte: f64) -> f64 {
    (byte.rem_euclid(256.0) / 16.0).floor()
}

/// Roundings of each value of an input to a narrow type.
const ROUNDINGS: &[ValueChange] = &[
    ("rounded", "is rounded to bf16 on its way", |x| {
        ElementKind::Bf16.rounded(x)
    }),
    ("rounded", "is rounded to f16 on its way", |x| {
        ElementKind::F16.rounded(x)
    }),
];

/// The rounding of each value of an f64 input to f32.
const NARROWED: ValueChange = ("rounded", "is rounded to f32 on its way", |x| {
    ElementKind::F32.rounded(x)
});

/// Mistakes in each value of an output. Masked elements stay 0.
#[rustfmt::skip]
const OUTPUT_VALUES: &[ValueChange] = &[
    ("zero",     "is 0", |_| 0.0),
    ("sign",     "has the opposite sign", |x| -x),
    ("rounded",  "is rounded to bf16", |x| ElementKind::Bf16.rounded(x)),
    ("rounded",  "is rounded to f16", |x| ElementKind::F16.rounded(x)),
    ("function", "is twice the right value", |x| 2.0 * x),
    ("function", "is half of the right value", |x| 0.5 * x),
    ("function", "is the square of the right value", |x| x * x),
    ("function", "is the square root of the right value", f64::sqrt),
    ("function", "is the reciprocal of the right value", |x| if x == 0.0 { 0.0 } else { x.recip() }),
    ("function", "is exp of the right value", f64::exp),
    ("function", "is log of the right value: an exp is missing", |x| if x == 0.0 { 0.0 } else { x.ln() }),
    ("function", "is 1 minus the right value", |x| 1.0 - x),
    ("constant", "is the right value plus 1", |x| x + 1.0),
    ("constant", "is the right value minus 1", |x| x - 1.0),
];

/// The rounding of each value of an f64 output to f32.
const OUTPUT_NARROWED: ValueChange = ("rounded", "is rounded to f32", |x| {
    ElementKind::F32.rounded(x)
});

/// Mistakes in each value of an output of whole numbers.
#[rustfmt::skip]
const OUTPUT_INTEGERS: &[ValueChange] = &[
    ("function", "is half of the right value, without its fraction", |x| (0.5 * x).floor()),
    ("function", "has the lowest 8 bits of the right value alone", |x| x.rem_euclid(256.0)),
    ("function", "has the lowest 16 bits of the right value alone", |x| x.rem_euclid(65536.0)),
    ("function", "has the lowest 16 bits of the right value alone, with a sign", |x| (x + 32768.0).rem_euclid(65536.0) - 32768.0),
];

/// Returns the inverse of sigmoid.
fn logit(p: f64) -> f64 {
    (p / (1.0 - p)).ln()
}

/// Returns the changes of each value of an output that stand for mistakes, the simplest first.
pub(super) fn output_values(kind: ElementKind) -> impl Iterator<Item = Change> {
    let integers = OUTPUT_INTEGERS.iter().filter(move |_| !kind.is_float());
    let narrowed = (kind == ElementKind::F64).then_some(&OUTPUT_NARROWED);
    let values = OUTPUT_VALUES.iter().chain(integers).chain(narrowed);
    values.map(Change::of_values)
}

/// Returns the roundings of each value to a narrow type.
pub(super) fn roundings() -> impl Iterator<Item = Change> {
    ROUNDINGS.iter().map(Change::of_values)
}

/// Returns the changes of an input's values that stand for mistakes, the simplest first.
pub(super) fn value_changes(input: &ExperimentInput) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    if input.kind.is_float() {
        if input.kind == ElementKind::F64 {
            changes.push(Change::of_values(&NARROWED));
        }
        changes.extend(roundings());
        changes.extend(VALUES.iter().map(Change::of_values));
        changes.extend(factors(input));
    } else if input.kind.size() == 1 {
        changes.extend(BYTES.iter().map(Change::of_values));
    }
    changes
}

/// Returns the changes of an input's places that stand for mistakes, the simplest first.
pub(super) fn place_changes(input: &ExperimentInput) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    for axis in 0..input.axes.len() {
        changes.extend(moves(input, axis));
    }
    changes.extend(orders(&input.axes, "read"));
    changes.extend(without(&input.axes));
    changes.extend(tiles(&input.axes));
    changes
}

/// Returns the reading of a tensor as one that lacks its last axis.
fn without(axes: &[Axis]) -> Option<Change> {
    let (last, others) = axes.split_last()?;
    let counts = last.length > 1 && others.iter().any(|axis| axis.length > 1);
    let (names, length) = (plural(&last.name), last.length);
    counts.then(|| Change {
        kind: "layout",
        says: format!(
            "is read as if it had no {names}: element i is read for all {length} of row i"
        ),
        effect: Effect::Without,
    })
}

/// Returns wrong steps of an input's axes: those that lack the length of an axis within, or have another length in its place.
pub(super) fn steps(input: &ExperimentInput, lengths: &BTreeSet<usize>) -> Vec<Change> {
    let axes = &input.axes;
    let strides = strides(axes);
    let pairs = (0..axes.len()).flat_map(|outer| (outer + 1..axes.len()).map(move |b| (outer, b)));
    let pairs = pairs.filter(|&(outer, _)| axes[outer].length > 1);
    let steps = pairs.flat_map(|(outer, inner)| {
        let (stride, own) = (strides[outer], axes[inner].length);
        let (name, names) = (&axes[outer].name, plural(&axes[inner].name));
        let others = lengths.iter().filter(move |&&length| length != own);
        let others = others.map(move |length| {
            let of = match length {
                1 => format!("the number of {names} is left out"),
                _ => format!("{length} is taken for the number of {names}, {own}"),
            };
            let step = stride / own * length;
            Change {
                kind: "layout",
                says: format!(
                    "is read {step} elements further on from one {name} to the next, not {stride}: {of}"
                ),
                effect: Effect::Step(outer, step),
            }
        });
        others.collect::<Vec<Change>>()
    });
    steps.collect()
}

/// Returns the exchanges of rows and columns within tiles, as a kernel makes that stages tiles of a matrix the wrong way round.
fn tiles(axes: &[Axis]) -> Vec<Change> {
    let [.., rows, columns] = axes else {
        return Vec::new();
    };
    let longest = rows.length.max(columns.length);
    let sizes = [8, 16, 32, 64]
        .into_iter()
        .filter(|&size| size < 2 * longest);
    let tiles = sizes.map(|size| Change {
        kind: "layout",
        says: format!(
            "is read with {} and {} exchanged within tiles of {size} x {size}",
            rows.name, columns.name
        ),
        effect: Effect::Tiles(size),
    });
    tiles.collect()
}

/// Returns the orders in which a kernel may take a tensor of two or more axes in memory.
pub(super) fn orders(axes: &[Axis], verb: &str) -> Vec<Change> {
    let pairs = (0..axes.len()).flat_map(|first| (first + 1..axes.len()).map(move |b| (first, b)));
    let pairs = pairs.filter(|&(a, b)| axes[a].length > 1 && axes[b].length > 1);
    let order = |(first, second): (usize, usize)| Change {
        kind: "layout",
        says: format!(
            "is {verb} with {} and {} in the other order",
            axes[first].name, axes[second].name
        ),
        effect: Effect::Order(first, second),
    };
    // The last axes come first: they are exchanged most often.
    let mut orders: Vec<Change> = pairs.map(order).collect();
    orders.reverse();
    orders
}

/// Returns factors: 2, and those that follow from the length of the last axis.
fn factors(input: &ExperimentInput) -> Vec<Change> {
    let factor = |says: String, factor: f64| Change {
        kind: "scale",
        says,
        effect: Effect::Factor(factor),
    };
    let mut factors = vec![
        factor("is too large by a factor of 2".into(), 2.0),
        factor("is too small by a factor of 2".into(), 0.5),
    ];
    let Some(last) = input.axes.last().filter(|axis| axis.length > 1) else {
        return factors;
    };
    let n = last.length as f64;
    let (names, length) = (plural(&last.name), last.length);
    factors.extend([
        factor(
            format!(
                "is too large by a factor of sqrt({length}), the root of its number of {names}"
            ),
            n.sqrt(),
        ),
        factor(
            format!(
                "is too small by a factor of sqrt({length}), the root of its number of {names}"
            ),
            1.0 / n.sqrt(),
        ),
        factor(
            format!("is too large by a factor of {length}, its number of {names}"),
            n,
        ),
        factor(
            format!("is too small by a factor of {length}, its number of {names}"),
            1.0 / n,
        ),
    ]);
    factors
}

/// Returns mistakes in the diagonal of an output's matrices.
pub(super) fn diagonals(axes: &[Axis]) -> Vec<Change> {
    let diagonal = |row: usize, says: &str, number: f64| Change {
        kind: "constant",
        says: says.into(),
        effect: Effect::Diagonal(row, number),
    };
    // A head may stand between the rows and the columns.
    let rows = (0..axes.len().saturating_sub(1)).rev();
    let rows = rows.filter(|&row| axes[row].length > 1 || row + 2 == axes.len());
    rows.flat_map(|row| {
        [
            diagonal(row, "lacks the identity: 1 on the diagonal", -1.0),
            diagonal(row, "has an identity too many: 1 on the diagonal", 1.0),
            Change {
                kind: "zero",
                says: "is 0 on the diagonal".into(),
                effect: Effect::ZeroDiagonal(row),
            },
        ]
    })
    .collect()
}

/// Returns mistakes in the index along which an output is written.
pub(super) fn output_moves(axis: &Axis, number: usize) -> Vec<Change> {
    let (name, n) = (&axis.name, axis.length);
    if n < 2 {
        return Vec::new();
    }
    let moved = |says, map| Change::of_index(number, says, map);
    vec![
        moved(
            format!("is written with {} in reverse order", plural(name)),
            Box::new(move |at| Some(n - 1 - at)),
        ),
        moved(
            format!("is written at {name} i + 1 for {name} i"),
            Box::new(|at| at.checked_sub(1)),
        ),
        moved(
            format!("is written at {name} i - 1 for {name} i"),
            Box::new(|at| Some(at + 1)),
        ),
    ]
}

/// Returns mistakes in the index of an axis.
fn moves(input: &ExperimentInput, axis: usize) -> Vec<Change> {
    let Axis { name, length } = &input.axes[axis];
    let (n, names) = (*length, plural(name));
    if n < 2 {
        return Vec::new();
    }
    let moved = |says, map| Change::of_index(axis, says, map);
    // Of two indices, a constant, a shift and a quotient read the same.
    let constant = match n {
        2 => format!("is read at {name} 0 for {name} 1, too"),
        _ => format!("is read at {name} 0 for every {name}"),
    };
    let mut changes = vec![
        moved(constant, Box::new(|_| Some(0))),
        moved(
            format!("is read at {name} i - 1 for {name} i"),
            Box::new(|at| at.checked_sub(1)),
        ),
        moved(
            format!("is read at {name} i + 1 for {name} i"),
            Box::new(|at| Some(at + 1)),
        ),
        moved(
            format!("is read at {name} i - 1 for {name} i, and at {name} 0 for the first"),
            Box::new(|at| Some(at.saturating_sub(1))),
        ),
        moved(
            format!("is read at {name} i + 1 for {name} i, and at the last for the last"),
            Box::new(move |at| Some((at + 1).min(n - 1))),
        ),
        moved(
            format!("is read with {names} in reverse order"),
            Box::new(move |at| Some(n - 1 - at)),
        ),
    ];
    for period in [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
        .into_iter()
        .filter(|&p| p < n)
    {
        if n.is_multiple_of(period) {
            changes.push(moved(
                format!("is read at {name} i / {period} for {name} i"),
                Box::new(move |at| Some(at / period)),
            ));
        }
        changes.push(moved(
            format!("is read at {name} i mod {period} for {name} i"),
            Box::new(move |at| Some(at % period)),
        ));
    }
    let mut ends: Vec<usize> = vec![n / 2, n - 1];
    ends.extend([16, 32, 64, 128, 256].into_iter().filter(|&end| end < n));
    ends.sort_unstable();
    ends.dedup();
    for end in ends {
        let range = match (end, n - 1) {
            (first, last) if first == last => format!("{name} {first}"),
            (first, last) => format!("{names} {first} to {last}"),
        };
        let mut unread = moved(
            format!("is not read at {range}: the outputs are those of 0 there"),
            Box::new(move |at| (at < end).then_some(at)),
        );
        unread.kind = "unread";
        changes.push(unread);
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::axes;

    #[test]
    fn a_tensor_without_its_last_axis_has_one_element_for_a_row() {
        let change = without(&axes([("token", 2), ("channel", 3)])).expect("two axes");
        let read = change.apply(
            &axes([("token", 2), ("channel", 3)]),
            &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0],
        );
        assert_eq!(read, [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        assert!(without(&axes([("token", 1), ("channel", 3)])).is_none());
        assert!(without(&axes([("token", 2), ("channel", 1)])).is_none());
    }
}
