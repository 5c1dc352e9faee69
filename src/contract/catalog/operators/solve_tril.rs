//! The triangular inverse, into another tensor and in place.

use deltanet_reference::gdr::solve_tril::solve_tril;

use super::chunked::{Chunks, OPERATOR, SOLVED, VALUES};
use crate::contract::catalog::rule::problem::FEW;
use crate::contract::catalog::{Function, laws};
use crate::contract::{DeviceResult, Domain, Instance, Mistake};
use crate::tensor::Distribution::Normal;

/// The contracts.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "gdr_solve_tril",
        title: "(I + A)^-1 of the part below the diagonal",
        formulas: &[
            "Ai = (I + A)^-1; of each chunk; only the part of A strictly below its diagonal is read",
        ],
        outputs: &["Ai"],
        domain: Domain::of(&SOLVED)
            .values(VALUES)
            .without(&[FEW])
            .relations(&[laws::INVERSE_OF_SUM, laws::SEQUENCES, laws::HEADS_REVERSED]),
        run: &|t| solve(t, false),
        ..OPERATOR
    },
    Function {
        name: "gdr_chunk_solve_tril",
        title: "the same in place",
        formulas: &[
            "A = (I + A)^-1; of each chunk, in place; only the part strictly below the diagonal is read",
        ],
        outputs: &["A"],
        domain: Domain::of(&SOLVED)
            .values(VALUES)
            .without(&[FEW])
            .relations(&[
                laws::INVERSE_IN_PLACE,
                laws::SEQUENCES,
                laws::HEADS_REVERSED,
            ]),
        run: &|t| solve(t, true),
        ..OPERATOR
    },
];

fn solve(t: &mut Instance<'_>, in_place: bool) -> DeviceResult {
    let x = Chunks::new(t)?;
    let sums = x.sums(t)?;
    // Elements on and above the diagonal hold values that a kernel must neither use nor keep.
    let anything = t.draw("A elsewhere", x.rows(x.bt), Normal(1.0));
    let below = |at: usize| at % x.bt < at / x.bt / x.sizes.value_heads % x.sizes.tokens % x.bt;
    let l = x.l(t, sums).into_iter().zip(t.values(anything)).enumerate();
    let values: Vec<f32> = l
        .map(|(at, (l, &other))| if below(at) { l } else { other })
        .collect();
    let a = match in_place {
        true => t.hold("A at the start", x.matrices(), values),
        false => t.upload("A", x.matrices(), values)?,
    };
    let wide = t.wide(a);
    let references = (
        solve_tril(x.sizes, x.bt, t.values(a)),
        solve_tril(x.sizes, x.bt, &wide),
    );
    let solved = match in_place {
        true => {
            let values = t.values(a).to_vec();
            t.update("A", x.matrices(), values)?
        }
        false => t.output("Ai", x.matrices())?,
    };
    t.check_or(solved, references, mistakes(x, wide))
}

fn mistakes(x: Chunks, a: Vec<f64>) -> Vec<Mistake> {
    let same = a.clone();
    let negated: Vec<f64> = a.iter().map(|a| -a).collect();
    vec![
        Mistake::new(
            "identity-missing",
            "identity missing: it stood on the diagonal from the start, rows 0 and 1 were used with it, and rows from 2 on were overwritten as a whole",
            move || with_identity(x, &a, 0.0),
        ),
        Mistake::new(
            "identity-twice",
            "identity added to a diagonal that still held it in rows 0 and 1, which were used with it",
            move || with_identity(x, &same, 1.0),
        ),
        Mistake::new(
            "inverse-sign",
            "(I - A)^-1: the sign of A is flipped",
            move || solve_tril(x.sizes, x.bt, &negated),
        ),
    ]
}

/// Solves by forward substitution from row 2 on. Rows 0 and 1 start with 1 on the diagonal; `added` is added to the whole
/// diagonal at the end.
fn with_identity(x: Chunks, a: &[f64], added: f64) -> Vec<f64> {
    let (s, bt) = (x.sizes, x.bt);
    let mut solved = vec![0.0; a.len()];
    let place = |sequence: usize, token: usize, head: usize| {
        ((sequence * s.tokens + token) * s.value_heads + head) * bt
    };
    for sequence in 0..s.sequences {
        for head in 0..s.value_heads {
            for first in (0..s.tokens).step_by(bt) {
                let rows: Vec<usize> = (first..(first + bt).min(s.tokens))
                    .map(|token| place(sequence, token, head))
                    .collect();
                for (i, &row) in rows.iter().enumerate() {
                    if i < 2 {
                        solved[row + i] = 1.0;
                    }
                    for column in 0..i {
                        let used = if i < 2 { 0 } else { i };
                        let products = rows[..used].iter().enumerate();
                        let sum: f64 = products
                            .map(|(j, &other)| a[row + j] * solved[other + column])
                            .sum();
                        solved[row + column] = -a[row + column] - sum;
                    }
                }
                for (i, &row) in rows.iter().enumerate() {
                    solved[row + i] += added;
                }
            }
        }
    }
    solved
}
