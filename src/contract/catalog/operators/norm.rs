//! Rows divided by their L2 norm: gdr_utils's l2_normalize, and l2norm forwards and backwards.

use std::sync::Arc;

use deltanet_reference::gdr::l2norm;

use super::super::Function;
use crate::contract::catalog::{exchanged, laws, values};
use crate::contract::relation::Step;
use crate::contract::{
    Buffer, Choice, DeviceResult, Domain, Factor, Instance, Mistake, axes, table,
};
use crate::references;
use crate::tensor::Distribution::Normal;
use crate::tensor::ElementKind::{self, Bf16, F32};

/// The epsilon under the root.
const EPS: f32 = 1e-6;
/// Magnitude of the elements: around 1, or so small that the epsilon counts.
const SIZE: (&str, &[&str]) = ("size", &["usual", "tiny"]);

/// Elements as drawn, or 2^50 times as large. With larger elements the sum of squares would be infinite.
const LENGTH: Choice = (values::NAME, &[values::ORDINARY, "long"]);
const ROWS: Domain = Domain::of(&[
    Factor::One("rows", &[1, 3, 17]),
    Factor::One("D", &[1, 7, 64, 100, 257, 1000]),
])
.values(&[LENGTH]);

/// The contracts.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "gdr_l2_normalize",
        title: "rows by their L2 norm",
        formulas: &["y[i,j] = x[i,j] / sqrt(sum_j x[i,j]^2 + 1e-6); of each row i"],
        dims: &["rows", "D"],
        integers: &[],
        words: &[SIZE],
        outputs: &["y"],
        largest: &[&["rows", "D"]],
        domain: ROWS.relations(&[laws::UNIT, laws::PARALLEL]),
        run: &|t| normalize(t, F32),
        ..Function::EMPTY
    },
    Function {
        name: "gdr_l2_normalize_bf16",
        title: "rows of bf16 by their L2 norm",
        formulas: &["y[i,j] = x[i,j] / sqrt(sum_j x[i,j]^2 + 1e-6); of each row i"],
        dims: &["rows", "D"],
        integers: &[],
        words: &[SIZE],
        outputs: &["y"],
        largest: &[&["rows", "D"]],
        domain: ROWS.relations(&[laws::UNIT, laws::PARALLEL]),
        run: &|t| normalize(t, Bf16),
        ..Function::EMPTY
    },
    Function {
        name: "gdr_l2norm_fwd",
        title: "rows by their L2 norm, and its reciprocal",
        formulas: &[
            "rstd_i = 1 / sqrt(sum_j x[i,j]^2 + 1e-6); of each row i",
            "y[i,j] = x[i,j] rstd_i",
        ],
        dims: &["T", "D"],
        integers: &[],
        words: &[SIZE],
        outputs: &["y", "rstd"],
        largest: &[&["T", "D"]],
        domain: Domain::of(&[
            // Numbers of rows around the four of a work-group.
            Factor::One("T", &[1, 3, 4, 17]),
            Factor::One("D", &[1, 63, 64, 100, 257]),
        ])
        .values(&[LENGTH])
        .relations(&[laws::UNIT, laws::PARALLEL]),
        run: &forward,
        ..Function::EMPTY
    },
    Function {
        name: "gdr_l2norm_bwd",
        title: "the gradient of rows by their L2 norm",
        formulas: &["dx_i = rstd_i (dy_i - (dy_i . y_i) y_i); of each row i"],
        dims: &["T", "D"],
        integers: &[],
        words: &[SIZE],
        outputs: &["dx"],
        largest: &[&["T", "D"]],
        domain: Domain::of(&[
            Factor::One("T", &[1, 3, 4, 17]),
            // The gradient of one channel is nearly 0, and the gradient of two channels is mostly rounding error.
            Factor::One("D", &[7, 63, 64, 100, 257]),
        ])
        .values(&[LENGTH])
        .relations(&[laws::doubled([
            &[Step::Times(&["dy"], 2.0)],
            &[Step::Times(&["dx"], 2.0)],
        ])]),
        run: &backward,
        ..Function::EMPTY
    },
];

fn deviation(t: &Instance<'_>) -> f32 {
    let size = if t.word(SIZE.0) == "tiny" { 1e-4 } else { 1.0 };
    let long = t.word(LENGTH.0) == "long";
    if long { size * 2.0f32.powi(50) } else { size }
}

fn normalize(t: &mut Instance<'_>, kind: ElementKind) -> DeviceResult {
    let (rows, d) = (t.dim("rows"), t.dim("D"));
    let drawn = t.draw_as(kind, "drawn", table(rows, d), Normal(deviation(t)));
    let mut drawn = t.values(drawn).to_vec();
    values::one_of_zeros(&mut drawn, d);
    let x = t.upload(
        "x",
        table(rows, d),
        crate::tensor::Data::from(drawn).to(kind),
    )?;
    let y = t.output_as(kind, "y", table(rows, d))?;
    let by = |squares: fn(&[f64]) -> f64| {
        let x = t.wide(x);
        move || {
            let rows = x.chunks_exact(d);
            rows.flat_map(|row| {
                let norm = (squares(row) + f64::from(EPS)).sqrt();
                row.iter().map(move |x| x / norm)
            })
            .collect()
        }
    };
    let mistakes = vec![
        Mistake::new(
            "halving-tree",
            "the squares are summed by halves, and an odd one out is dropped: their number is no power of two",
            by(by_halves),
        ),
        Mistake::new(
            "sum-doubled",
            "the sum of squares is counted twice",
            by(|row| 2.0 * row.iter().map(|x| x * x).sum::<f64>()),
        ),
    ];
    let references = references!(t, |x| l2norm::l2_normalize(x, d));
    t.check_or(y, references, mistakes)
}

/// Sums the squares by a tree that halves their number and rounds it down, so that it drops an odd one.
fn by_halves(row: &[f64]) -> f64 {
    let mut squares: Vec<f64> = row.iter().map(|x| x * x).collect();
    while squares.len() > 1 {
        let upper = squares.split_off(squares.len() / 2);
        for (low, high) in squares.iter_mut().zip(upper) {
            *low += high;
        }
    }
    squares[0]
}

fn matrix(t: &Instance<'_>) -> Vec<crate::tensor::Axis> {
    axes([("token", t.dim("T")), ("channel", t.dim("D"))])
}

fn input(t: &mut Instance<'_>, name: &str, deviation: f32) -> DeviceResult<Buffer> {
    let shape = matrix(t);
    t.input(name, shape, Normal(deviation))
}

fn forward(t: &mut Instance<'_>) -> DeviceResult {
    let (tokens, d) = (t.dim("T"), t.dim("D"));
    let shape = matrix(t);
    let x = t.draw_changed(F32, "x", shape, Normal(deviation(t)), |values, _| {
        values::one_of_zeros(values, d);
    });
    t.offer(x);
    let y = t.output("y", matrix(t))?;
    let rstd = t.output("rstd", axes([("token", tokens)]))?;
    let (golden, oracle) = references!(t, |x| l2norm::forward(x, d, EPS.into()));
    t.check(y, (golden.y, oracle.y))?;
    t.check(rstd, (golden.rstd, oracle.rstd))
}

fn backward(t: &mut Instance<'_>) -> DeviceResult {
    let (tokens, d) = (t.dim("T"), t.dim("D"));
    let x = t.draw("x", matrix(t), Normal(deviation(t)));
    let normalized = l2norm::forward(t.values(x), d, EPS.into());
    let y = t.upload("y", matrix(t), normalized.y)?;
    let rstd = t.upload("rstd", axes([("token", tokens)]), normalized.rstd)?;
    let dy = input(t, "dy", 1.0)?;
    let dx = t.output("dx", matrix(t))?;
    let references = references!(t, |y, rstd, dy| l2norm::backward(y, rstd, dy, d));
    let (rstd_in, dy_in) = (rstd, dy);
    let [right, rstd, dy] = [references.1.clone(), t.wide(rstd), t.wide(dy)];
    let rows = Arc::new((right, rstd, dy));
    // dx - rstd dy is the projection's part times rstd, which gets another factor in each row.
    let with_part = |name, explanation, factor: fn(f64) -> f64| {
        let rows = Arc::clone(&rows);
        Mistake::new(name, explanation, move || {
            let (right, rstd, dy) = &*rows;
            let rows = right.chunks_exact(d).zip(dy.chunks_exact(d)).zip(rstd);
            let row = |((dx, dy), rstd): ((&[f64], &[f64]), &f64)| -> Vec<f64> {
                let pairs = dx.iter().zip(dy);
                let values = pairs.map(|(dx, dy)| rstd * dy + factor(*rstd) * (dx - rstd * dy));
                values.collect()
            };
            rows.flat_map(row).collect()
        })
    };
    let along_dy = {
        let (rows, y) = (Arc::clone(&rows), t.wide(y));
        let explanation = "dy is scaled by 1 - dy . y: the part along y is not taken off along y";
        Mistake::new("projection-of-dy", explanation, move || {
            let (_, rstd, dy) = &*rows;
            let rows = dy.chunks_exact(d).zip(y.chunks_exact(d)).zip(rstd);
            let row = |((dy, y), rstd): ((&[f64], &[f64]), &f64)| -> Vec<f64> {
                let dot: f64 = dy.iter().zip(y).map(|(dy, y)| dy * y).sum();
                dy.iter().map(|dy| rstd * (1.0 - dot) * dy).collect()
            };
            rows.flat_map(row).collect()
        })
    };
    let factors = t.wide(rstd_in);
    let exchanged = exchanged::inputs(t, [y, dy_in], "y and dy are exchanged", move |y, dy| {
        l2norm::backward(y, &factors, dy, d)
    });
    let mut mistakes = vec![
        with_part(
            "projection-missing",
            "rstd is taken for a constant: the part of dy along y is still there",
            |_| 0.0,
        ),
        with_part(
            "rstd-once",
            "the part of dy along y is not multiplied by rstd",
            |rstd| 1.0 / rstd,
        ),
        with_part(
            "rstd-twice",
            "the part of dy along y is multiplied by rstd twice",
            |rstd| rstd,
        ),
        with_part(
            "projection-sign",
            "the part of dy along y is added, not taken off",
            |_| -1.0,
        ),
        along_dy,
    ];
    mistakes.extend(exchanged);
    t.check_or(dx, references, mistakes)
}
