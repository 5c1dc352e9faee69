//! Laws of the rule, which every algorithm keeps.

use crate::contract::Values;
use crate::contract::catalog::laws::{TWICE, moved};
use crate::contract::catalog::rule::problem::{GATE_KIND, STATE};
use crate::contract::relation::{Array, Closeness, Relation, Step, reversed};

/// The law that twice the values and states give twice the results.
pub const SCALED: Relation = Relation::twice(
    "scaled-by-two",
    "with v and the state before twice as large, so are the outputs and the state after: the rule is linear in them",
    [
        &[Step::Times(&["v", "initial", "state", "h0"], 2.0)],
        &[Step::Times(RESULTS, 2.0)],
    ],
    Closeness::Bits,
);
/// The law [`SCALED`] for contracts whose snapshots of the state may keep the buffer's previous content.
pub const SCALED_WITH_SNAPSHOTS: Relation = Relation::twice(
    SCALED.name,
    SCALED.says,
    [
        &[Step::Times(&["v", "state", "dst"], 2.0)],
        &[Step::Times(&["o", "states"], 2.0)],
    ],
    Closeness::Bits,
);
/// The law that negated values and states give negated results.
pub const NEGATED: Relation = Relation::twice(
    "negated",
    "with v and the state before negated, so are the outputs and the state after: the rule is linear in them",
    [
        &[Step::Times(&["v", "initial", "state", "h0"], -1.0)],
        &[Step::Times(RESULTS, -1.0)],
    ],
    Closeness::Bits,
);
/// Tensors that depend on v and the state.
const RESULTS: &[&str] = &["o", "final", "states", "ht"];

/// The law that value channels do not depend on each other.
pub const COLUMNS: Relation = moved(
    "columns-reversed",
    "with the value channels in reverse order, the outputs are, too: a value channel knows nothing of the others",
    &[Step::Moved(OF_COLUMNS, reversed)],
)
.when(|case| case.get("V").or(case.get("S")).is_some_and(|n| n > 1));
/// Tensors with an axis of value channels.
const OF_COLUMNS: &[(&str, &str)] = &[
    ("v", "channel"),
    ("gv", "channel"),
    ("beta", "channel"),
    ("o", "channel"),
    ("do", "channel"),
    ("dv", "channel"),
    ("*", "value channel"),
];

/// The law that a token that decays nothing and writes nothing changes nothing.
pub const PADDED: Relation = Relation::twice(
    "padded",
    "with a first token more, whose strength is 0 and which decays nothing, the outputs of the others and the state after are the same",
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
    &[Step::Moved(&[("o", "token")], |_, tokens| (1..tokens).collect())],
);
/// Tensors with an axis of tokens.
const OF_TOKENS: &[(&str, &str)] = &[
    ("q", "token"),
    ("k", "token"),
    ("v", "token"),
    ("g", "token"),
    ("beta", "token"),
];

/// The law that the tokens after a point depend on those before it only by the state.
pub const HANDED_ON: Relation = Relation::twice(
    "handed-on",
    "the tokens, and the same tokens again from the state after them, give what all of them give in one call",
    [
        &[Step::Moved(OF_TOKENS, TWICE)],
        &[
            Step::Joined("o", "o'", "token"),
            Step::Fed("final", "final'"),
            // The state that is handed on has an error, too. No token enlarges the error (|I - beta k k^T| <= 1).
            Step::Loosened(&["o", "final"], 2.0),
        ],
    ],
    Closeness::Tolerance,
)
.after(&[Step::Fed("initial", "final")])
.at(|case| case.with("T", case.get("T").map_or(2, |tokens| 2 * tokens)), &[])
.when(|case| case.word(STATE.0) != Some("zero"));
/// Makes the first token one that decays nothing and writes nothing.
fn neutral(case: &Values, arrays: &mut [Array]) {
    // The sequential rule, which has no HV, takes factors.
    let factor = case.word(GATE_KIND.0) == Some("factor") || case.get("HV").is_none();
    let changed = [("beta", 0.0), ("g", if factor { 1.0 } else { 0.0 })];
    for (name, value) in changed {
        let Some(array) = arrays.iter_mut().find(|array| array.name == name) else {
            continue;
        };
        let Some(axis) = array.axis("token") else {
            continue;
        };
        let (tokens, inner, outer) = array.around(axis);
        for whole in 0..outer {
            let first = whole * tokens * inner;
            array.values[first..first + inner].fill(value);
        }
    }
}
