//! Element-wise operators and running sums.

use deltanet_reference::operators;

use super::laws;
use super::values::{
    ALONE, COPIED, INFINITE, N, NAME, OF_ELEMENTS, ONE_ELEMENT, OPERANDS, ORDINARY, SUMMANDS, TINY,
    not_ordinary,
};
use super::{Function, exchanged, values};
use crate::contract::relation::{Closeness, Relation, Step};
use crate::contract::{
    Buffer, Choice, DeviceResult, Domain, Factor, Instance, Mistake, Rule, elements, table,
};
use crate::references;
use crate::tensor::Distribution::{self, Uniform};

/// Input classes of an exponential: results beyond f32, zeros of both signs, the ends of the range.
const FUNCTION: Choice = (NAME, &[ORDINARY, FAR, TINY, INFINITE]);
/// Class of arguments so far from 0 that some results are infinite, subnormal or 0.
const FAR: &str = "far";
/// The exclusion of special values from cases of one element.
const LONE_ROW: Rule = Rule {
    of: &["S", "C", NAME],
    says: "S = C = 1 has ordinary values: one zero, or one element that is its own result, would be right without being computed",
    breaks: &|case| case.get("S") == Some(1) && case.get("C") == Some(1) && not_ordinary(case),
};

/// The contracts.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "sigmoid",
        title: "1 / (1 + e^-x)",
        formulas: &["out[i] = 1 / (1 + e^(-in[i]))"],
        domain: Domain::of(&[N])
            .values(&[FUNCTION])
            .without(&[ALONE])
            .relations(&[Relation::twice(
                "reflected",
                "sigmoid(x) and sigmoid(-x) sum to 1",
                [
                    &[Step::Times(&["in"], -1.0)],
                    &[Step::Each(&["out"], |y| 1.0 - y)],
                ],
                Closeness::Tolerance,
            )]),
        run: &sigmoid,
        ..OF_ELEMENTS
    },
    Function {
        name: "exp",
        title: "e^x",
        formulas: &["out[i] = e^(in[i])"],
        domain: Domain::of(&[N])
            .values(&[FUNCTION])
            .without(&[ALONE])
            .relations(&[Relation::twice(
                "reciprocal",
                "e^x and e^-x multiply to 1",
                [
                    &[Step::Times(&["in"], -1.0)],
                    &[Step::Each(&["out"], f64::recip)],
                ],
                Closeness::Tolerance,
            )]),
        run: &exp,
        ..OF_ELEMENTS
    },
    Function {
        name: "mul",
        title: "a * b",
        formulas: &["out[i] = a[i] * b[i]"],
        domain: Domain::of(&[N])
            .values(&[OPERANDS])
            .without(&[ALONE])
            .relations(&[laws::commutes([&[Step::Exchanged("a", "b")], &[]])]),
        run: &mul,
        ..OF_ELEMENTS
    },
    Function {
        name: "cumsum",
        title: "in[0] + ... + in[i]",
        formulas: &["out[i] = sum_(j<=i) in[j]"],
        domain: Domain::of(&[N])
            .values(&[SUMMANDS])
            .without(&[ALONE])
            .uncomputed(&[ONE_ELEMENT])
            .relations(&[laws::SUMS]),
        run: &cumsum,
        ..OF_ELEMENTS
    },
    Function {
        name: "add",
        title: "a + b",
        formulas: &["out[i] = a[i] + b[i]"],
        domain: Domain::of(&[N])
            .values(&[OPERANDS])
            .without(&[ALONE])
            .relations(&[laws::commutes([&[Step::Exchanged("a", "b")], &[]])]),
        run: &add,
        ..OF_ELEMENTS
    },
    Function {
        name: "sub",
        title: "a - b",
        formulas: &["out[i] = a[i] - b[i]"],
        domain: Domain::of(&[N])
            .values(&[OPERANDS])
            .without(&[ALONE])
            .relations(&[laws::commutes([
                &[Step::Exchanged("a", "b")],
                &[Step::Times(&["out"], -1.0)],
            ])]),
        run: &sub,
        ..OF_ELEMENTS
    },
    Function {
        name: "neg",
        title: "-x",
        formulas: &["out[i] = -in[i]"],
        domain: Domain::of(&[N])
            .values(&[COPIED])
            .without(&[ALONE])
            .relations(&[laws::again(
                "undone-by-itself",
                "done twice, it gives the input",
                [&[Step::Fed("in", "out")], &[Step::Fed("out", "in")]],
            )]),
        run: &neg,
        ..OF_ELEMENTS
    },
    Function {
        name: "scale",
        title: "x * s",
        formulas: &["out[i] = in[i] * s"],
        domain: Domain::of(&[N])
            .values(&[OPERANDS])
            .without(&[ALONE])
            .relations(&[laws::doubled([
                &[Step::Times(&["in"], 2.0)],
                &[Step::Times(&["out"], 2.0)],
            ])]),
        run: &scale,
        ..OF_ELEMENTS
    },
    Function {
        name: "broadcast_mul",
        title: "a[s][c] * b[c]",
        formulas: &["out[i,j] = a[i,j] * b[j]"],
        dims: &["S", "C"],
        largest: &[&["S", "C"]],
        domain: Domain::of(&[
            Factor::One("S", &[1, 3, 17, 64]),
            Factor::One("C", &[1, 33, 63, 65]),
        ])
        .values(&[OPERANDS])
        .without(&[LONE_ROW])
        .relations(&[laws::doubled([
            &[Step::Times(&["a"], 2.0)],
            &[Step::Times(&["out"], 2.0)],
        ])]),
        run: &broadcast_mul,
        ..OF_ELEMENTS
    },
];

/// Draws the argument `in` from the distribution for far arguments in a case of that class, and from `near` otherwise.
fn argument(t: &mut Instance<'_>, near: Distribution, far: Distribution) -> DeviceResult<Buffer> {
    let n = t.dim("n");
    let drawn = if t.word(NAME) == FAR { far } else { near };
    values::input(t, "in", elements(n), drawn)
}

/// The operands of a contract and its output.
fn operands(t: &mut Instance<'_>) -> DeviceResult<[Buffer; 3]> {
    let n = t.dim("n");
    let operands = [("a", elements(n)), ("b", elements(n))];
    let [a, b] = values::factors(t, operands, Uniform(-2.0, 2.0))?;
    Ok([a, b, t.output("out", elements(n))?])
}

fn sigmoid(t: &mut Instance<'_>) -> DeviceResult {
    let n = t.dim("n");
    let x = argument(t, Uniform(-6.0, 6.0), Uniform(-120.0, 120.0))?;
    let out = t.output("out", elements(n))?;
    t.check(out, references!(t, |x| operators::sigmoid(x)))
}

fn exp(t: &mut Instance<'_>) -> DeviceResult {
    let n = t.dim("n");
    let x = argument(t, Uniform(-2.0, 2.0), Uniform(-110.0, 95.0))?;
    let out = t.output("out", elements(n))?;
    t.check(out, references!(t, |x| operators::exp(x)))
}

fn mul(t: &mut Instance<'_>) -> DeviceResult {
    let [a, b, out] = operands(t)?;
    t.check(out, references!(t, |a, b| operators::mul(a, b)))
}

fn cumsum(t: &mut Instance<'_>) -> DeviceResult {
    let n = t.dim("n");
    let x = values::input(t, "in", elements(n), Uniform(-1.0, 1.0))?;
    let out = t.output("out", elements(n))?;
    t.check(out, references!(t, |x| operators::cumsum(x)))
}

fn add(t: &mut Instance<'_>) -> DeviceResult {
    let [a, b, out] = operands(t)?;
    t.check(out, references!(t, |a, b| operators::add(a, b)))
}

fn sub(t: &mut Instance<'_>) -> DeviceResult {
    let [a, b, out] = operands(t)?;
    let mistakes = exchanged::inputs(t, [a, b], "a and b are exchanged", operators::sub);
    t.check_or(out, references!(t, |a, b| operators::sub(a, b)), mistakes)
}

fn neg(t: &mut Instance<'_>) -> DeviceResult {
    let n = t.dim("n");
    let x = values::input(t, "in", elements(n), Uniform(-2.0, 2.0))?;
    let out = t.output("out", elements(n))?;
    t.check(out, references!(t, |x| operators::neg(x)))
}

fn scale(t: &mut Instance<'_>) -> DeviceResult {
    let n = t.dim("n");
    let x = values::input(t, "in", elements(n), Uniform(-2.0, 2.0))?;
    let s = t.draw("s", elements(1), Uniform(0.25, 0.75));
    let out = t.output("out", elements(n))?;
    t.check(out, references!(t, |x, s| operators::scale(x, s[0])))
}

fn broadcast_mul(t: &mut Instance<'_>) -> DeviceResult {
    let (s, c) = (t.dim("S"), t.dim("C"));
    let operands = [("a", table(s, c)), ("b", elements(c))];
    let [a, b] = values::factors(t, operands, Uniform(-2.0, 2.0))?;
    let out = t.output("out", table(s, c))?;
    let [wide, factors] = [a, b].map(|buffer| t.wide(buffer));
    let of_rows = move || {
        let places = wide.iter().enumerate();
        places.map(|(at, a)| a * factors[at % s]).collect()
    };
    let sizes = Mistake::new(exchanged::NAME, "S and C are exchanged", of_rows);
    // If there are more rows than factors, a wrong kernel reads factors beyond their end.
    let mistakes = (s < c).then_some(sizes).into_iter().collect();
    let references = references!(t, |a, b| operators::broadcast_mul(a, b, s, c));
    t.check_or(out, references, mistakes)
}
