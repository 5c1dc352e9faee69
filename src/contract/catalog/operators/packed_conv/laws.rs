//! Laws of the convolution over packed sequences.

use super::super::conv::{ACTIVATION, BIAS};
use super::super::sequences::{LENGTHS, bounds};
use crate::contract::Values;
use crate::contract::catalog::laws::moved;
use crate::contract::relation::{Array, Claim, Closeness, Relation, RunArrays, Step, reversed};

/// The law that the convolution itself is linear.
pub const LINEAR: Relation = Relation::twice(
    "scaled-by-two",
    "with tokens and histories twice as large, so are the outputs and the cache: without bias and activation the convolution is linear",
    [
        &[Step::Times(&["x", "cache", "y"], 2.0)],
        &[Step::Times(&["cache", "y"], 2.0)],
    ],
    Closeness::Bits,
)
.when(|case| case.word(BIAS.0) == Some("without") && case.word(ACTIVATION.0) == Some("none"));

/// The law that channels do not depend on each other.
pub const CHANNELS: Relation = moved(
    "channels-reversed",
    "with the channels in reverse order, the outputs are, too: a channel knows nothing of the others",
    &[Step::Moved(&[("*", "channel")], reversed)],
)
.when(|case| case.get("D").is_some_and(|n| n > 1));

/// The gradients by inputs.
const RESULTS: &[&str] = &["dx", "dw", "dbias", "dinitial"];

/// The law that twice the gradients by the results give twice the gradients by the inputs.
pub const SCALED: Relation = Relation::twice(
    "scaled-by-two",
    "with the gradients by outputs and last histories twice as large, so are all others: the backward pass is linear in them",
    [
        &[Step::Times(&["dy", "dfinal"], 2.0)],
        &[Step::Times(RESULTS, 2.0)],
    ],
    Closeness::Bits,
);
/// The law that negated gradients by the results give negated gradients by the inputs.
pub const NEGATED: Relation = Relation::twice(
    "negated",
    "with the gradients by outputs and last histories negated, so are all others: the backward pass is linear in them",
    [
        &[Step::Times(&["dy", "dfinal"], -1.0)],
        &[Step::Times(RESULTS, -1.0)],
    ],
    Closeness::Bits,
);

/// The law that follows from the products of weights and elements.
///
/// The sums of the convolution have a weight and an element in each term, so a factor on a channel's weights and one on its elements
/// change them alike. The last history has a part in the second one alone.
pub const PRODUCTS: Relation = Relation::alone(
    "weight-products",
    "of a channel, the products of tokens and histories with their gradients are those of its weights, and of the last histories",
    |case, seen| Some(vec![products(case, seen)?]),
);

fn products(case: &Values, seen: &RunArrays<'_>) -> Option<Claim> {
    let [x, w, dfinal] = ["x", "w", "dfinal"].map(|name| seen.input(name));
    let [dx, dw, dbias, dinitial] = ["dx", "dw", "dbias", "dinitial"].map(|name| seen.output(name));
    let (x, w, dfinal) = (x?, w?, dfinal?);
    let (dx, dw, dbias, dinitial) = (dx?, dw?, dbias?, dinitial?);
    let [n, tokens, channels, width] = ["N", "T", "D", "W"].map(|name| case.dim(name));
    let (n, channels, past) = (n?, channels?, width?.checked_sub(1)?);
    let bounds = bounds(case.word(LENGTHS.0)?, n, tokens?);
    let initial = seen.input("initial").map(|initial| &initial.values);
    let of = |row: usize, place: usize| initial.map_or(0.0, |all| all[row * past + place]);
    let mut left = Array::exact("dbias", dbias.axes.clone(), dbias.kind, vec![0.0; channels]);
    let mut right = left.clone();
    let add = |to: &mut Array, channel: usize, factor: f64, (gradient, at): (&Array, usize)| {
        to.values[channel] += factor * gradient.values[at];
        to.allowed[channel] += factor.abs() * gradient.allowed[at];
    };
    for channel in 0..channels {
        for at in channel * (past + 1)..(channel + 1) * (past + 1) {
            add(&mut right, channel, w.values[at], (dw, at));
        }
        for (sequence, bound) in bounds.windows(2).enumerate() {
            let row = sequence * channels + channel;
            let own = (bound[0]..bound[1]).map(|token| token * channels + channel);
            for at in own.clone() {
                add(&mut left, channel, x.values[at], (dx, at));
            }
            for place in 0..past {
                let at = row * past + place;
                add(&mut left, channel, of(row, place), (dinitial, at));
            }
            let history = (0..past).map(|place| of(row, place));
            let elements: Vec<f64> = history.chain(own.map(|at| x.values[at])).collect();
            let last = elements[elements.len() - past..].iter();
            let gradients = &dfinal.values[row * past..][..past];
            right.values[channel] += last.zip(gradients).map(|(x, d)| x * d).sum::<f64>();
        }
        right.allowed[channel] += left.allowed[channel];
    }
    Some(Claim {
        left: left.values,
        right,
    })
}
