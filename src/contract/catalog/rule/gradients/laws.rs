//! Laws of the rule's gradients.

use crate::contract::Values;
use crate::contract::catalog::laws::moved;
use crate::contract::relation::{
    Array, Claim, Closeness, Relation, RunArrays, Step, heads, reversed,
};
use crate::tensor::Axis;

/// All gradients by inputs.
const RESULTS: &[&str] = &["dq", "dk", "dv", "dg", "dbeta", "dinitial"];

/// The law that twice the gradients by the results give twice the gradients by the inputs.
pub const SCALED: Relation = Relation::twice(
    "scaled-by-two",
    "with the gradients by output and final state twice as large, so are all others: the backward pass is linear in them",
    [
        &[Step::Times(&["do", "dfinal"], 2.0)],
        &[Step::Times(RESULTS, 2.0)],
    ],
    Closeness::Bits,
);
/// The law that negated gradients by the results give negated gradients by the inputs.
pub const NEGATED: Relation = Relation::twice(
    "negated",
    "with the gradients by output and final state negated, so are all others: the backward pass is linear in them",
    [
        &[Step::Times(&["do", "dfinal"], -1.0)],
        &[Step::Times(RESULTS, -1.0)],
    ],
    Closeness::Bits,
);
/// The law that the gradients by q, k, g and beta are linear in the values and the initial state, and the others do not depend on them.
pub const VALUES_SCALED: Relation = Relation::twice(
    "values-scaled",
    "with v and the state before twice as large, so are the gradients by q, k, g and beta, and those by v and the state stay",
    [
        &[Step::Times(&["v", "initial"], 2.0)],
        &[Step::Times(&["dq", "dk", "dg", "dbeta"], 2.0)],
    ],
    Closeness::Bits,
);
/// The law that no key channel is special.
pub const ROWS: Relation = moved(
    "rows-reversed",
    "with the key channels in reverse order, the gradients are, too: only sums run over key channels",
    &[Step::Moved(OF_ROWS, reversed)],
)
.when(|case| case.get("K").is_some_and(|n| n > 1));
/// Tensors with an axis of key channels.
const OF_ROWS: &[(&str, &str)] = &[
    ("q", "channel"),
    ("k", "channel"),
    ("g", "channel"),
    ("dq", "channel"),
    ("dk", "channel"),
    ("dg", "channel"),
    ("*", "key channel"),
];

/// The law that a token that decays nothing, writes nothing and whose output counts nothing changes nothing.
pub const PADDED: Relation = Relation::twice(
    "padded",
    "with a first token more that decays nothing, writes nothing and has no gradient, the gradients of the others are the same",
    [
        &[
            Step::Moved(OF_TOKENS, |_, tokens| std::iter::once(0).chain(0..tokens).collect()),
            Step::By(neutral),
        ],
        &[],
    ],
    Closeness::Tolerance,
)
.at(
    |case| case.with("T", case.get("T").map_or(1, |tokens| tokens + 1)),
    &[Step::Moved(RESULTS_OF_TOKENS, |_, tokens| (1..tokens).collect())],
);
/// Inputs with an axis of tokens.
const OF_TOKENS: &[(&str, &str)] = &[
    ("q", "token"),
    ("k", "token"),
    ("v", "token"),
    ("g", "token"),
    ("beta", "token"),
    ("do", "token"),
];
/// Outputs with an axis of tokens.
const RESULTS_OF_TOKENS: &[(&str, &str)] = &[
    ("dq", "token"),
    ("dk", "token"),
    ("dv", "token"),
    ("dg", "token"),
    ("dbeta", "token"),
];

/// Makes the first token one that decays nothing, writes nothing and has no gradient by its output.
fn neutral(_: &Values, arrays: &mut [Array]) {
    let named = |array: &&mut Array| ["beta", "g", "do"].contains(&array.name.as_str());
    for array in arrays.iter_mut().filter(named) {
        let Some(axis) = array.axis("token") else {
            continue;
        };
        let (tokens, inner, outer) = array.around(axis);
        for whole in 0..outer {
            let first = whole * tokens * inner;
            array.values[first..first + inner].fill(0.0);
        }
    }
}

/// The law that follows from the products of states and their gradients.
///
/// With A the gradient by S, `<A_t, S_t>` is the gradient by a factor on S_t. It is `dg_t + <v_t, dv_t>` by the token's own formulas, and
/// `dg_(t+1) + <q_t, dq_t>` by what the state is used for afterwards. A factor on the initial state is the gate of the first token.
pub const PRODUCTS: Relation = Relation::alone(
    "gate-products",
    "of the value heads of a key head, dg of a token and its v dv are dg of the next token and its q dq; the first dg is initial dinitial",
    |case, seen| {
        let steps = steps(case, seen)?;
        Some(vec![steps, starts(seen)?])
    },
);

/// A number, and the most that it may be off by.
type Estimate = (f64, f64);

fn plus(a: Estimate, b: Estimate) -> Estimate {
    (a.0 + b.0, a.1 + b.1)
}

/// Returns the sum of the products of an input's elements and a gradient's.
fn products(input: &[f64], gradient: &Array, first: usize) -> Estimate {
    let places = input.iter().zip(first..);
    let terms = places.map(|(x, at)| (x * gradient.values[at], x.abs() * gradient.allowed[at]));
    terms.fold((0.0, 0.0), plus)
}

/// Returns the sum of the gradients by the gates of a token and value head.
fn gate(dg: &Array, place: usize, gates: usize) -> Estimate {
    let all = place * gates..(place + 1) * gates;
    all.map(|at| (dg.values[at], dg.allowed[at]))
        .fold((0.0, 0.0), plus)
}

/// Returns the number of gates of a token and value head.
fn gates(dg: &Array) -> usize {
    dg.axes.get(3).map_or(1, |axis| axis.length)
}

/// The claim of each token but the last, and key head.
fn steps(case: &Values, seen: &RunArrays<'_>) -> Option<Claim> {
    let (q, v) = (seen.input("q")?, seen.input("v")?);
    let [dq, dv, dg] = ["dq", "dv", "dg"].map(|name| seen.output(name));
    let (dq, dv, dg) = (dq?, dv?, dg?);
    let (key_heads, value_heads) = heads(case)?;
    let [sequences, tokens] = [0, 1].map(|axis| q.axes.get(axis).map_or(1, |axis| axis.length));
    let [keys, columns] = [q, v].map(|x| x.axes.get(3).map_or(1, |axis| axis.length));
    let gates = gates(dg);
    let tiled = case.word("map") == Some("tiled");
    let reads = |value_head: usize| match tiled {
        true => value_head % key_heads,
        false => value_head / (value_heads / key_heads),
    };
    let axes = [
        ("sequence", sequences),
        ("token", tokens),
        ("head", key_heads),
    ];
    let mut claim = nothing(
        "dg",
        axes.map(|(name, length)| Axis::new(name, length)).into(),
    );
    for place in 0..sequences * tokens * key_heads {
        let (token, key_head) = (place / key_heads, place % key_heads);
        if (token + 1).is_multiple_of(tokens) {
            continue;
        }
        let first = place * keys;
        let mut right = products(&q.values[first..first + keys], dq, first);
        let mut left = (0.0, 0.0);
        for value_head in (0..value_heads).filter(|&head| reads(head) == key_head) {
            let own = token * value_heads + value_head;
            let first = own * columns;
            let written = products(&v.values[first..first + columns], dv, first);
            left = plus(left, plus(gate(dg, own, gates), written));
            right = plus(right, gate(dg, own + value_heads, gates));
        }
        claim.left[place] = left.0;
        claim.right.values[place] = right.0;
        claim.right.allowed[place] = left.1 + right.1;
    }
    Some(claim)
}

/// The claim of the first token of each sequence and value head.
fn starts(seen: &RunArrays<'_>) -> Option<Claim> {
    let (dg, dinitial) = (seen.output("dg")?, seen.output("dinitial")?);
    let initial = seen.input("initial").map(|initial| &initial.values);
    let tokens = dg.axes.get(1)?.length;
    let axes: Vec<Axis> = dinitial.axes.iter().take(2).cloned().collect();
    let heads = axes.last()?.length;
    let mut claim = nothing("dg", axes);
    let size = dinitial.values.len() / claim.left.len().max(1);
    for place in 0..claim.left.len() {
        let (sequence, head) = (place / heads, place % heads);
        let left = gate(dg, sequence * tokens * heads + head, gates(dg));
        let zero = vec![0.0; size];
        let own = initial.map_or(&zero[..], |initial| &initial[place * size..][..size]);
        let right = products(own, dinitial, place * size);
        claim.left[place] = left.0;
        claim.right.values[place] = right.0;
        claim.right.allowed[place] = left.1 + right.1;
    }
    Some(claim)
}

/// Makes trivial equations.
fn nothing(name: &str, axes: Vec<Axis>) -> Claim {
    let count = axes.iter().map(|axis| axis.length).product();
    let right = Array::exact(
        name,
        axes,
        crate::tensor::ElementKind::F32,
        vec![0.0; count],
    );
    Claim {
        left: vec![0.0; count],
        right,
    }
}
