//! The difference of the responses of kernels and reference, in words.

use std::collections::BTreeSet;

use crate::diagnose::weigh::ranges;
use crate::trial::{ExperimentInput, ExperimentOutput};

/// Axes along which the influence of an input fades.
const ORDERED: [&str; 2] = ["token", "chunk"];

/// The meaning of a response of a token after those of the reference. The influence of a token fades below the precision of f64, by gates that the kernels
/// may have wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Later {
    /// Nothing: only a response of earlier tokens is certain to be wrong.
    Fades,
    /// It is wrong, if none of the other inputs hides the influence.
    Counts,
}

/// The response of one output to one index of an input: the indices of each axis that change.
pub(super) struct Response {
    /// The index of the input.
    pub(super) at: usize,
    /// Indices of the output's axis that change in the kernels' output.
    pub(super) found: BTreeSet<usize>,
    /// Indices that change in the kernels' output by more than roundings.
    pub(super) clear: BTreeSet<usize>,
    /// Indices that change beyond doubt in the reference.
    pub(super) expected: BTreeSet<usize>,
    /// Indices that may change: those that change at all in the reference.
    pub(super) possible: BTreeSet<usize>,
    /// True if no larger change is needed, or if there was work for all of them.
    pub(super) is_known: bool,
    /// True if other inputs were changed as well, and if there was work for all of them.
    pub(super) is_confirmed: bool,
}

impl Response {
    /// Returns the indices that the kernels leave out.
    fn missing(&self) -> BTreeSet<usize> {
        let missing = self.expected.difference(&self.found);
        missing.copied().collect()
    }

    /// Returns true if the kernels respond at other indices in the place of those of the contract. A gate hides a response, and makes none.
    pub(super) fn is_exchanged(&self, from: &str, to: &str) -> bool {
        !self.missing().is_empty() && !self.surplus(from, to, Later::Fades).is_empty()
    }

    /// Returns the indices at which the kernels respond against the contract.
    fn surplus(&self, from: &str, to: &str, later: Later) -> BTreeSet<usize> {
        let fades = [from, to].map(|axis| ORDERED.contains(&axis));
        let surplus = self.clear.difference(&self.possible);
        let first = self.possible.first();
        let itself = (from == to).then_some(&self.at);
        let counts = surplus.filter(|&at| match fades {
            [false, false] => first.is_some() && Some(at) != itself,
            [true, true] => first.is_some_and(|first| at < first || later == Later::Counts),
            _ => false,
        });
        counts.copied().collect()
    }
}

/// Returns the position of the first response that differs.
pub(super) fn differing(
    (input, axis): (&ExperimentInput, usize),
    (output, out_axis): (&ExperimentOutput, usize),
    responses: &[Response],
    later: Later,
) -> Option<usize> {
    let [from, to] = [&input.axes[axis].name, &output.axes[out_axis].name];
    let mut responses = responses.iter();
    responses.position(|response| {
        !response.missing().is_empty() || !response.surplus(from, to, later).is_empty()
    })
}

/// Returns the kind of the difference of the responses and its words, if there is one.
pub(super) fn difference(
    input: &ExperimentInput,
    axis: usize,
    output: &ExperimentOutput,
    out_axis: usize,
    responses: &[Response],
    later: Later,
) -> Option<(&'static str, String)> {
    let [from, to] = [&input.axes[axis].name, &output.axes[out_axis].name];
    let (x, o) = (&input.tensor, &output.name);
    let differing = &responses[differing((input, axis), (output, out_axis), responses, later)?];
    if let Some(text) = never_at_itself((input, axis), (output, out_axis), responses) {
        return Some(("index", text));
    }
    // Each index is used at itself, too, where the contract has others alone.
    let with_others: Vec<&Response> = responses
        .iter()
        .filter(|one| !one.possible.is_empty())
        .collect();
    let at_itself = |one: &&Response| {
        one.missing().is_empty() && one.surplus(from, to, later).iter().eq([&one.at])
    };
    if from == to && with_others.len() > 1 && with_others.iter().all(at_itself) {
        let follow = with_others
            .iter()
            .all(|one| one.possible.iter().all(|at| *at > one.at));
        let others = if follow { "later ones" } else { "others" };
        let text = format!(
            "each {from} of `{x}` is used for its own {to} of `{o}`, too; the contract uses it for {others} alone"
        );
        return Some(("index", text));
    }
    let (missing, surplus) = (differing.missing(), differing.surplus(from, to, later));
    let Response {
        at,
        found,
        expected,
        possible,
        ..
    } = differing;
    let text = match (missing.is_empty(), surplus.is_empty()) {
        (false, _) if found.is_empty() => {
            format!("`{o}` does not respond to {from} {at} of `{x}`")
        }
        (false, false) => format!(
            "{from} {at} of `{x}` is used for {} of `{o}`; the contract uses it for {}",
            ranges(to, found),
            ranges(to, expected)
        ),
        (false, true) => format!(
            "{from} {at} of `{x}` is not used for {} of `{o}`; the contract uses it for {}",
            ranges(to, &missing),
            ranges(to, expected)
        ),
        (true, _) => format!(
            "`{o}` responds to {from} {at} of `{x}` at {}; the contract uses it for {}",
            ranges(to, &surplus),
            ranges(to, possible)
        ),
    };
    let formula = formula(
        responses,
        input.axes[axis].length,
        output.axes[out_axis].length,
    );
    // A tensor that is updated in place responds to another index of itself.
    let is_unread = found.is_empty() && x != o;
    let kind = if is_unread { "unread" } else { "index" };
    Some((kind, text + &formula.unwrap_or_default()))
}

/// Returns the map from an output's indices to an input's, as the kernels and as the contract have it, in words: `: i / 2 instead of i mod
/// 3`. Returns none if an index has several or none, or if no formula fits.
fn formula(responses: &[Response], inputs: usize, outputs: usize) -> Option<String> {
    if responses.len() != inputs || inputs < 2 || outputs < 2 {
        return None;
    }
    let map = |indices: fn(&Response) -> &BTreeSet<usize>| -> Option<Vec<usize>> {
        let sources = (0..outputs).map(|out| {
            let mut sources = responses
                .iter()
                .filter(|found| indices(found).contains(&out));
            let source = sources.next()?;
            sources.next().is_none().then_some(source.at)
        });
        sources.collect()
    };
    let found = named_map(&map(|response| &response.found)?, inputs)?;
    let expected = named_map(&map(|response| &response.expected)?, inputs)?;
    Some(format!(": {found} instead of {expected}"))
}

/// Returns the words for indices that are missing at themselves alone: all of them, or most, where the first of each sequence stands for the one
/// before it, which is not there.
pub(super) fn never_at_itself(
    (input, axis): (&ExperimentInput, usize),
    (output, out_axis): (&ExperimentOutput, usize),
    responses: &[Response],
) -> Option<String> {
    let [from, to] = [&input.axes[axis].name, &output.axes[out_axis].name];
    let own = responses
        .iter()
        .filter(|one| one.expected.contains(&one.at));
    let own: Vec<&Response> = own.collect();
    let at_itself = |one: &&Response| one.missing().iter().eq([&one.at]);
    let (unused, used): (Vec<&Response>, Vec<&Response>) = own.into_iter().partition(at_itself);
    let is_most = unused.len() > 1 && unused.len() > used.len();
    if from != to || !is_most || used.iter().any(|one| !one.missing().is_empty()) {
        return None;
    }
    let unused: BTreeSet<usize> = unused.iter().map(|one| one.at).collect();
    let (x, o) = (&input.tensor, &output.name);
    let text = match used.is_empty() {
        true => format!("no {from} of `{x}` is used for its own {to} of `{o}`"),
        false => {
            let unused = ranges(from, &unused);
            format!("`{x}` at {unused} is not used for the same {to} of `{o}`")
        }
    };
    Some(text + "; the contract uses it there, too")
}

/// Returns the formula of a map of indices: `i / 2` for 0, 0, 1, 1.
fn named_map(map: &[usize], inputs: usize) -> Option<String> {
    let each = map.len() / inputs;
    let is = |formula: &dyn Fn(usize) -> usize| (0..map.len()).all(|at| map[at] == formula(at));
    if is(&|at| at) {
        return Some("i".into());
    }
    if is(&|at| at % inputs) {
        return Some(format!("i mod {inputs}"));
    }
    if each > 1 && is(&|at| at / each) {
        return Some(format!("i / {each}"));
    }
    is(&|at| inputs.wrapping_sub(1 + at)).then(|| format!("{} - i", inputs - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::{Axis, ElementKind};

    fn response(at: usize, found: &[usize], expected: &[usize]) -> Response {
        let set = |indices: &[usize]| indices.iter().copied().collect::<BTreeSet<usize>>();
        Response {
            at,
            found: set(found),
            clear: set(found),
            expected: set(expected),
            possible: set(expected),
            is_known: true,
            is_confirmed: true,
        }
    }

    /// The gate of the token before: the first token has its own, because none is before it.
    #[test]
    fn most_tokens_may_lack_themselves() {
        let axes = vec![Axis {
            name: "token".into(),
            length: 3,
        }];
        let input = ExperimentInput {
            name: "g".into(),
            tensor: "g".into(),
            axes: axes.clone(),
            kind: ElementKind::F32,
            values: vec![-1.0; 3],
        };
        let output = ExperimentOutput {
            name: "G".into(),
            axes,
            kind: ElementKind::F32,
            got: vec![0.0; 3],
            expected: vec![0.0; 3],
            allowed: vec![0.0; 3],
            wrong: vec![true; 3],
        };
        let told = |first: &[usize]| {
            let responses = [
                response(0, first, &[0, 1, 2]),
                response(1, &[2], &[1, 2]),
                response(2, &[], &[2]),
            ];
            never_at_itself((&input, 0), (&output, 0), &responses)
        };
        let all =
            "no token of `g` is used for its own token of `G`; the contract uses it there, too";
        assert_eq!(told(&[1, 2]).as_deref(), Some(all));
        let most = "`g` at tokens 1, 2 is not used for the same token of `G`; the contract uses it there, too";
        assert_eq!(told(&[0, 1, 2]).as_deref(), Some(most));
        assert_eq!(told(&[0]), None);
    }
}
