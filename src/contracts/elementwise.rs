//! Element by element.

use deltanet_reference::operators;

use super::{Function, exchanged};
use crate::contract::{Instance, Mistake, Outcome, elements, table};
use crate::references;
use crate::tensor::Distribution::Uniform;

/// The contracts.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "sigmoid",
        title: "1 / (1 + e^-x)",
        dims: &["n"],
        integers: &[],
        words: &[],
        outputs: &["out"],
        largest: &[&["n"]],
        run: sigmoid,
    },
    Function {
        name: "exp",
        title: "e^x",
        dims: &["n"],
        integers: &[],
        words: &[],
        outputs: &["out"],
        largest: &[&["n"]],
        run: exp,
    },
    Function {
        name: "mul",
        title: "a * b",
        dims: &["n"],
        integers: &[],
        words: &[],
        outputs: &["out"],
        largest: &[&["n"]],
        run: mul,
    },
    Function {
        name: "cumsum",
        title: "in[0] + ... + in[i]",
        dims: &["n"],
        integers: &[],
        words: &[],
        outputs: &["out"],
        largest: &[&["n"]],
        run: cumsum,
    },
    Function {
        name: "add",
        title: "a + b",
        dims: &["n"],
        integers: &[],
        words: &[],
        outputs: &["out"],
        largest: &[&["n"]],
        run: add,
    },
    Function {
        name: "sub",
        title: "a - b",
        dims: &["n"],
        integers: &[],
        words: &[],
        outputs: &["out"],
        largest: &[&["n"]],
        run: sub,
    },
    Function {
        name: "neg",
        title: "-x",
        dims: &["n"],
        integers: &[],
        words: &[],
        outputs: &["out"],
        largest: &[&["n"]],
        run: neg,
    },
    Function {
        name: "scale",
        title: "x * s",
        dims: &["n"],
        integers: &[],
        words: &[],
        outputs: &["out"],
        largest: &[&["n"]],
        run: scale,
    },
    Function {
        name: "broadcast_mul",
        title: "a[s][c] * b[c]",
        dims: &["S", "C"],
        integers: &[],
        words: &[],
        outputs: &["out"],
        largest: &[&["S", "C"]],
        run: broadcast_mul,
    },
];

fn sigmoid(t: &mut Instance<'_>) -> Outcome {
    let n = t.dim("n");
    let x = t.input("in", elements(n), Uniform(-6.0, 6.0))?;
    let out = t.output("out", elements(n))?;
    t.check(out, references!(t, |x| operators::sigmoid(x)))
}

fn exp(t: &mut Instance<'_>) -> Outcome {
    let n = t.dim("n");
    let x = t.input("in", elements(n), Uniform(-2.0, 2.0))?;
    let out = t.output("out", elements(n))?;
    t.check(out, references!(t, |x| operators::exp(x)))
}

fn mul(t: &mut Instance<'_>) -> Outcome {
    let n = t.dim("n");
    let a = t.input("a", elements(n), Uniform(-2.0, 2.0))?;
    let b = t.input("b", elements(n), Uniform(-2.0, 2.0))?;
    let out = t.output("out", elements(n))?;
    t.check(out, references!(t, |a, b| operators::mul(a, b)))
}

fn cumsum(t: &mut Instance<'_>) -> Outcome {
    let n = t.dim("n");
    let x = t.input("in", elements(n), Uniform(-1.0, 1.0))?;
    let out = t.output("out", elements(n))?;
    t.check(out, references!(t, |x| operators::cumsum(x)))
}

fn add(t: &mut Instance<'_>) -> Outcome {
    let n = t.dim("n");
    let a = t.input("a", elements(n), Uniform(-2.0, 2.0))?;
    let b = t.input("b", elements(n), Uniform(-2.0, 2.0))?;
    let out = t.output("out", elements(n))?;
    t.check(out, references!(t, |a, b| operators::add(a, b)))
}

fn sub(t: &mut Instance<'_>) -> Outcome {
    let n = t.dim("n");
    let a = t.input("a", elements(n), Uniform(-2.0, 2.0))?;
    let b = t.input("b", elements(n), Uniform(-2.0, 2.0))?;
    let out = t.output("out", elements(n))?;
    let mistakes = exchanged::inputs(t, [a, b], "a and b are exchanged", operators::sub);
    t.check_or(out, references!(t, |a, b| operators::sub(a, b)), mistakes)
}

fn neg(t: &mut Instance<'_>) -> Outcome {
    let n = t.dim("n");
    let x = t.input("in", elements(n), Uniform(-2.0, 2.0))?;
    let out = t.output("out", elements(n))?;
    t.check(out, references!(t, |x| operators::neg(x)))
}

fn scale(t: &mut Instance<'_>) -> Outcome {
    let n = t.dim("n");
    let x = t.input("in", elements(n), Uniform(-2.0, 2.0))?;
    let s = t.draw("s", elements(1), Uniform(0.25, 0.75));
    let out = t.output("out", elements(n))?;
    t.check(out, references!(t, |x, s| operators::scale(x, s[0])))
}

fn broadcast_mul(t: &mut Instance<'_>) -> Outcome {
    let (s, c) = (t.dim("S"), t.dim("C"));
    let a = t.input("a", table(s, c), Uniform(-2.0, 2.0))?;
    let b = t.input("b", elements(c), Uniform(-2.0, 2.0))?;
    let out = t.output("out", table(s, c))?;
    let [wide, factors] = [a, b].map(|buffer| t.wide(buffer));
    let of_rows = move || {
        let places = wide.iter().enumerate();
        places.map(|(at, a)| a * factors[at % s]).collect()
    };
    let sizes = Mistake::new(exchanged::NAME, "S and C are exchanged", of_rows);
    // With more rows than factors, one that is behind their end is read.
    let mistakes = (s < c).then_some(sizes).into_iter().collect();
    let references = references!(t, |a, b| operators::broadcast_mul(a, b, s, c));
    t.check_or(out, references, mistakes)
}
