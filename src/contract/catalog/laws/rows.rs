//! Laws of rows that are divided by their norm.

use crate::contract::relation::{Array, Claim, Relation, RunArrays};

/// The largest epsilon under a root. A row whose squares sum to less than 10^4 times the epsilon need not have norm 1.
const EPSILON: f64 = 1e-6;

/// The law that rows have norm 1.
pub const UNIT: Relation = Relation::alone(
    "unit-rows",
    "rows are of norm 1, but for 10^-6 over their squared norm, and as their elements may be off",
    |_, seen| {
        let (x, y, width) = rows(seen)?;
        let mut claim = nothing(y, y.values.len() / width.max(1));
        let rows = x.values.chunks_exact(width).zip(pairs(y, width));
        for (at, (from, (values, allowed))) in rows.enumerate() {
            let length = from.iter().map(|x| x * x).sum::<f64>();
            // The epsilon shortens such a row, and a row of zeros stays zero.
            if length < 1e4 * EPSILON {
                continue;
            }
            let off = |(y, off): (&f64, &f64)| 2.0 * y.abs() * off + off * off;
            claim.left[at] = values.iter().map(|y| y * y).sum();
            claim.right.values[at] = 1.0;
            claim.right.allowed[at] =
                EPSILON / length + values.iter().zip(allowed).map(off).sum::<f64>();
        }
        Some(vec![claim])
    },
);

/// The law that rows keep their direction.
pub const PARALLEL: Relation = Relation::alone(
    "rows-keep-direction",
    "elements of a row have the ratios that they had: each is its own times the largest one's result over the largest",
    |_, seen| {
        let (x, y, width) = rows(seen)?;
        let mut claim = nothing(y, y.values.len());
        claim.right.axes.clone_from(&y.axes);
        claim.left.clone_from(&y.values);
        let rows = x.values.chunks_exact(width).zip(pairs(y, width));
        for (row, (from, (values, allowed))) in rows.enumerate() {
            let larger = |a: usize, b: usize| if from[b].abs() > from[a].abs() { b } else { a };
            let largest = (0..width).reduce(larger)?;
            for at in 0..width {
                let ratio = match from[largest] {
                    0.0 => 0.0,
                    divisor => from[at] / divisor,
                };
                claim.right.values[row * width + at] = ratio * values[largest];
                claim.right.allowed[row * width + at] =
                    allowed[at] + ratio.abs() * allowed[largest];
            }
        }
        Some(vec![claim])
    },
);

fn rows<'a>(seen: &RunArrays<'a>) -> Option<(&'a Array, &'a Array, usize)> {
    let (x, y) = (seen.input("x")?, seen.output("y")?);
    Some((x, y, y.axes.last()?.length.max(1)))
}

fn pairs(y: &Array, width: usize) -> impl Iterator<Item = (&[f64], &[f64])> {
    y.values
        .chunks_exact(width)
        .zip(y.allowed.chunks_exact(width))
}

/// Makes `count` trivial equations: one for each element, or one for each row if `count` is less than the number of elements.
pub(super) fn nothing(y: &Array, count: usize) -> Claim {
    let axes = y.axes.iter().filter(|_| count == y.values.len());
    let whole: Vec<_> = axes.cloned().collect();
    let axes = match whole.is_empty() {
        true => y
            .axes
            .iter()
            .take(y.axes.len().saturating_sub(1))
            .cloned()
            .collect(),
        false => whole,
    };
    Claim {
        left: vec![0.0; count],
        right: Array::exact(&y.name, axes, y.kind, vec![0.0; count]),
    }
}
