//! Element-wise operators: the differences of gdr_utils, and the eight functions of op.

use deltanet_reference::gdr::{op, utils};

use super::super::Function;
use crate::contract::catalog::laws;
use crate::contract::catalog::values::{
    self, ALONE, N, NAME, OF_ELEMENTS, OPERANDS, ORDINARY, TINY, ZEROS,
};
use crate::contract::relation::Step;
use crate::contract::{Buffer, Choice, DeviceResult, Domain, Instance, Mistake, elements};
use crate::references;
use crate::tensor::Distribution::Normal;

/// Arguments besides the drawn ones: both ends of the exponential's range, both sides of softplus's threshold, zeros of a logarithm,
/// zeros, and numbers that an exponential or a sum loses. The first argument alone has eight results that are not 0.
const CORNERS: [f32; 29] = [
    -2.0, -1.0, -200.0, -104.0, -100.0, -88.0, -87.0, -20.0, -17.0, -16.0, -0.999, -1e-3, -1e-20,
    -1e-41, -0.0, 0.0, 1e-30, 1e-20, 1e-3, 0.999, 1.0, 16.0, 19.999, 20.0, 20.001, 88.0, 89.0,
    100.0, 1000.0,
];

/// The outputs of op, in the kernel's order.
const OPS: &[&str] = &[
    "exp", "exp2", "log", "log2", "safe_exp", "softplus", "sigmoid", "silu",
];

/// Input classes of the functions of op. Infinities are absent because silu(-inf) is NaN.
const ARGUMENTS: Choice = (NAME, &[ORDINARY, ZEROS, TINY]);

/// The contracts.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "gdr_abs_diff",
        title: "|x - y|",
        formulas: &["out[i] = abs(x[i] - y[i])"],
        domain: Domain::of(&[N])
            .values(&[OPERANDS])
            .without(&[ALONE])
            .relations(&[laws::commutes([&[Step::Exchanged("x", "y")], &[]])]),
        run: &abs_diff,
        ..OF_ELEMENTS
    },
    Function {
        name: "gdr_squared_diff",
        title: "(x - y)^2",
        formulas: &["out[i] = (x[i] - y[i])^2"],
        domain: Domain::of(&[N])
            .values(&[OPERANDS])
            .without(&[ALONE])
            .relations(&[laws::commutes([&[Step::Exchanged("x", "y")], &[]])]),
        run: &squared_diff,
        ..OF_ELEMENTS
    },
    Function {
        name: "gdr_op",
        title: "eight element-wise functions",
        formulas: &[
            "exp[i] = e^(x[i])",
            "exp2[i] = 2^(x[i])",
            "log[i] = ln(abs(x[i]) + 0.001); base e",
            "log2[i] = ln(abs(x[i]) + 0.001) / ln(2); base 2",
            "safe_exp[i] = e^(x[i]); where x[i] <= 0, else 0",
            "softplus[i] = ln(1 + e^(x[i])); and x[i] above 20",
            "sigmoid[i] = 1 / (1 + e^(-x[i]))",
            "silu[i] = x[i] / (1 + e^(-x[i]))",
        ],
        outputs: OPS,
        domain: Domain::of(&[N]).values(&[ARGUMENTS]).without(&[ALONE]),
        run: &ops,
        ..OF_ELEMENTS
    },
];

/// Draws two tensors, and adds the output that combines them.
fn pair(t: &mut Instance<'_>) -> DeviceResult<[Buffer; 3]> {
    let n = t.dim("n");
    let operands = [("x", elements(n)), ("y", elements(n))];
    let [x, y] = values::factors(t, operands, Normal(1.0))?;
    Ok([x, y, t.output("out", elements(n))?])
}

fn abs_diff(t: &mut Instance<'_>) -> DeviceResult {
    let [x, y, out] = pair(t)?;
    t.check(out, references!(t, |x, y| utils::abs_diff(x, y)))
}

fn squared_diff(t: &mut Instance<'_>) -> DeviceResult {
    let [x, y, out] = pair(t)?;
    t.check(out, references!(t, |x, y| utils::squared_diff(x, y)))
}

fn ops(t: &mut Instance<'_>) -> DeviceResult {
    let n = t.dim("n");
    let class = t.word(values::NAME);
    let drawn = values::draw_of(t, class, ("drawn", elements(n)), Normal(8.0));
    let mut values = t.values(drawn).to_vec();
    // Corners are placed from the end, so that they do not all fall into one wave's first lanes.
    for (value, corner) in values.iter_mut().rev().zip(CORNERS) {
        *value = corner;
    }
    let x = t.upload("x", elements(n), values)?;
    let outputs = OPS.iter().map(|name| t.output(name, elements(n)));
    let outputs: Vec<Buffer> = outputs.collect::<DeviceResult<_>>()?;
    let (golden, oracle) = references!(t, |x| op::ops(x));
    let not_negated = oracle.sigmoid.iter().map(|sigmoid| 1.0 - sigmoid).collect();
    // Each result with its likely mistake: name, explanation and values.
    let results = [
        (golden.exp, &oracle.exp, None),
        (
            golden.exp2,
            &oracle.exp2,
            Some(("base-e", "e^x, not 2^x", &oracle.exp)),
        ),
        (
            golden.log,
            &oracle.log,
            Some(("base-2", "the logarithm to base 2, not e", &oracle.log2)),
        ),
        (
            golden.log2,
            &oracle.log2,
            Some(("base-e", "the logarithm to base e, not 2", &oracle.log)),
        ),
        (golden.safe_exp, &oracle.safe_exp, None),
        (golden.softplus, &oracle.softplus, None),
        (
            golden.sigmoid,
            &oracle.sigmoid,
            Some((
                "not-negated",
                "e^x in place of e^-x: 1 - sigmoid",
                &not_negated,
            )),
        ),
        (
            golden.silu,
            &oracle.silu,
            Some((
                "sigmoid-alone",
                "the sigmoid, not multiplied by x",
                &oracle.sigmoid,
            )),
        ),
    ];
    for (out, (golden, right, likely)) in outputs.into_iter().zip(results) {
        let known = likely.map(|(name, explanation, values): (_, _, &Vec<f64>)| {
            let values = values.clone();
            Mistake::new(name, explanation, move || values.clone())
        });
        t.check_or(out, (golden, right.clone()), known.into_iter().collect())?;
    }
    Ok(())
}
