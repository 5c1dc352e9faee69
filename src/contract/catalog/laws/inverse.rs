//! Laws of solved systems: a solution satisfies its equations.
//!
//! The residual of a triangular system that was solved by substitution in any order of the sums is at most `gamma_n |T|
//! |X|`, with `gamma_n = n u / (1 - n u)` and `u = 2^-24` (Higham, "Accuracy and Stability of Numerical Algorithms",
//! 2nd edition, theorem 8.5). Other methods may leave more, at most `|T|` times the output's tolerance. The larger of
//! the two bounds is allowed.

use crate::contract::Values;
use crate::contract::relation::{Array, Claim, Relation, RunArrays};

/// Unit roundoff of f32.
const U: f64 = 1.0 / (1u64 << 24) as f64;

/// The law `(I - A) X = B` of a solution.
pub const SOLVED: Relation = Relation::alone(
    "solves",
    "(I - A) X is B, but for n 2^-24 (|I - A| |X| + |B|) or what X may be off by",
    |_, seen| {
        let (a, b, x) = (seen.input("A")?, seen.input("B")?, seen.output("X")?);
        let n = a.axes.first()?.length;
        let columns = x.values.len() / n.max(1);
        let mut left = Vec::with_capacity(x.values.len());
        let mut allowed = Vec::with_capacity(x.values.len());
        for (row, column) in places(n, columns) {
            // The elements of row `row` of I - A: minus those of A below the diagonal, and 1 on it.
            let factor = |at: usize| {
                if at == row {
                    1.0
                } else {
                    -a.values[row * n + at]
                }
            };
            let side = sum(row + 1, |at| (factor(at), x, at * columns + column));
            let right = b.values[row * columns + column];
            left.push(side.value);
            allowed.push(side.allowed(n, right));
        }
        Some(vec![claim(x, left, b.values.clone(), allowed)])
    },
);

/// The law `X (I - A) = I` of an inverse.
pub const INVERSE_OF_DIFFERENCE: Relation = Relation::alone(
    "inverse",
    "X (I - A) is I, but for n 2^-24 (|X| |I - A| + I) or what X may be off by",
    |_, seen| {
        let (a, x) = (seen.input("attn_pre")?, seen.output("attn_solved")?);
        let n = a.axes.first()?.length;
        let rows: Vec<usize> = (0..n).map(|row| row * n).collect();
        Some(vec![of_matrices(x, a, [n, n], &[rows], -1.0)])
    },
);

/// The law `X (I + L) = I` of every chunk's inverse.
pub const INVERSE_OF_CHUNKS: Relation =
    of_chunks(|case, seen| chunks(case, "C", seen.input("L")?, seen.output("Ai")?));
/// The law of the inverse for the part of A below the diagonal.
pub const INVERSE_OF_SUM: Relation =
    of_chunks(|case, seen| chunks(case, "BT", seen.input("A")?, seen.output("Ai")?));
/// The law of the inverse where A is overwritten.
pub const INVERSE_IN_PLACE: Relation =
    of_chunks(|case, seen| chunks(case, "BT", seen.input("A")?, seen.output("A")?));

const fn of_chunks(law: fn(&Values, &RunArrays<'_>) -> Option<Vec<Claim>>) -> Relation {
    Relation::alone(
        "inverse",
        "X (I + L) is I in every chunk, but for C 2^-24 (|X| |I + L| + I) or what X may be off by",
        law,
    )
}

/// Returns the equations of the chunks of `[B, T, heads, C]`. The axis of tokens may be two, chunks and their rows.
fn chunks(case: &Values, size: &str, l: &Array, x: &Array) -> Option<Vec<Claim>> {
    let chunk = case.dim(size)?.max(1);
    let at = x.axis("head")?;
    let (heads, width, before) = x.around(at);
    let sequences = x.axes.first()?.length;
    let tokens = before / sequences.max(1);
    let mut wholes = Vec::new();
    for sequence in 0..sequences {
        for first in (0..tokens).step_by(chunk) {
            let last = (first + chunk).min(tokens);
            for head in 0..heads {
                let row = |token| ((sequence * tokens + token) * heads + head) * width;
                wholes.push((first..last).map(row).collect());
            }
        }
    }
    Some(vec![of_matrices(x, l, [chunk, width], &wholes, 1.0)])
}

/// Returns the claim `X (I + sign L) = I` for matrices whose rows begin at the positions `wholes`. Only the part of L below the diagonal
/// counts.
fn of_matrices(
    x: &Array,
    l: &Array,
    [n, width]: [usize; 2],
    wholes: &[Vec<usize>],
    sign: f64,
) -> Claim {
    let mut left = x.values.clone();
    let mut right = vec![0.0; left.len()];
    let mut allowed = x.allowed.clone();
    for rows in wholes {
        for (i, &row) in rows.iter().enumerate() {
            for column in 0..width.min(rows.len()) {
                let factor = |at: usize| match at {
                    at if at == column => 1.0,
                    at if at > column => sign * l.values.get(rows[at] + column).unwrap_or(&0.0),
                    _ => 0.0,
                };
                let side = sum(rows.len(), |at| (factor(at), x, row + at));
                right[row + column] = if i == column { 1.0 } else { 0.0 };
                left[row + column] = side.value;
                allowed[row + column] = side.allowed(n, right[row + column]);
            }
        }
    }
    claim(x, left, right, allowed)
}

fn places(rows: usize, columns: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..rows).flat_map(move |row| (0..columns).map(move |column| (row, column)))
}

fn claim(x: &Array, left: Vec<f64>, values: Vec<f64>, allowed: Vec<f64>) -> Claim {
    let right = Array {
        values,
        allowed,
        ..x.clone()
    };
    Claim { left, right }
}

/// A sum of products of factors and elements of X.
#[derive(Default)]
struct Sum {
    value: f64,
    size: f64,
    off: f64,
}

fn sum<'a>(count: usize, product: impl Fn(usize) -> (f64, &'a Array, usize)) -> Sum {
    (0..count).fold(Sum::default(), |sum, at| {
        let (factor, x, place) = product(at);
        let (value, allowed) = match x.values.get(place).zip(x.allowed.get(place)) {
            // A product of 0 and an infinity counts as 0, because the sum has no such product.
            Some((value, allowed)) if factor != 0.0 => (*value, *allowed),
            _ => (0.0, 0.0),
        };
        Sum {
            value: sum.value + factor * value,
            size: sum.size + (factor * value).abs(),
            off: sum.off + factor.abs() * allowed,
        }
    })
}

impl Sum {
    fn allowed(&self, n: usize, right: f64) -> f64 {
        let rounded = n as f64 * U * (self.size + right.abs());
        rounded.max(self.off)
    }
}
