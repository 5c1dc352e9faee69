//! The whole rule over packed sequences: states beside the sequences, in lines of a pool, and of draft tokens.

use deltanet_reference::rule::packed::{Rounding, StateType};

use super::STATE_TYPE;
use super::call::{Choices, Tensors, compute, integers, lines_of};
use super::mistakes::mistakes;
use crate::contract::catalog::rule::problem::rounding_of_sums;
use crate::contract::{Buffer, DeviceResult, Instance, axes};

/// The rule with a state before and after each sequence.
pub fn beside(t: &mut Instance<'_>) -> DeviceResult {
    let by = Choices::new(t);
    with_states_beside(t, by)
}

fn with_states_beside(t: &mut Instance<'_>, by: Choices) -> DeviceResult {
    let initial = by.initial(t)?;
    let x = by.draw(t, initial)?;
    let o = t.output("o", by.rows(by.sizes.value_size))?;
    let last = t.output("final", by.states("sequence", by.starts.len()))?;
    judge(t, (&x, by), [o, last])
}

/// The same by chunks.
pub fn chunked(t: &mut Instance<'_>) -> DeviceResult {
    let by = Choices::new(t);
    super::chunk::places(t, &by)?;
    with_states_beside(t, by)
}

/// The rule on states in lines of a pool.
pub fn lines(t: &mut Instance<'_>) -> DeviceResult {
    let by = Choices::new(t);
    on_lines(t, by)
}

/// The same on states of half precision.
pub fn half(t: &mut Instance<'_>, rounding: Rounding) -> DeviceResult {
    let kind = match t.word(STATE_TYPE.0) {
        "bf16" => StateType::Bf16,
        _ => StateType::F16,
    };
    let by = Choices {
        kept: (kind, rounding),
        ..Choices::new(t)
    };
    on_lines(t, by)
}

fn on_lines(t: &mut Instance<'_>, mut by: Choices) -> DeviceResult {
    let sequences = by.starts.len();
    let (lines, count) = lines_of(t, sequences);
    let slots = lines.iter().map(|line| line.map_or(-1, number));
    let slots: Vec<i32> = slots.collect();
    by.flags(t)?;
    t.upload("slots", axes([("sequence", sequences)]), slots)?;
    by.starts = by
        .starts
        .iter()
        .zip(&lines)
        .map(|(start, line)| start.and(*line))
        .collect();
    by.lines = lines.iter().map(|line| vec![*line]).collect();
    let others = lines.iter().filter(|line| line.is_some()).count();
    by.judged = by.bounds[others];
    by.apart = false;
    let [before, pool] = by.pool(t, count)?;
    let x = by.draw(t, before)?;
    let o = t.output("o", by.rows(by.sizes.value_size))?;
    judge(t, (&x, by), [o, pool])
}

/// The rule on draft tokens, each of which leaves its state in a line of its own.
pub fn verify(t: &mut Instance<'_>) -> DeviceResult {
    let mut by = Choices::new(t);
    let (sequences, tokens) = (by.starts.len(), t.dim("T"));
    let (places, count) = lines_of(t, sequences);
    // Tokens of a sequence have lines far from each other.
    let line = |place: usize, token: usize| token * count + (place + token) % count;
    let accepted = |n: usize| 1 + (2 * n + 1) % tokens;
    by.lines = places
        .iter()
        .map(|place| {
            (0..tokens)
                .map(|token| place.map(|place| line(place, token)))
                .collect()
        })
        .collect();
    by.starts = (0..sequences)
        .map(|n| by.lines[n][accepted(n) - 1])
        .collect();
    let slots = by
        .lines
        .iter()
        .flatten()
        .map(|line| line.map_or(-1, number));
    let slots: Vec<i32> = slots.collect();
    t.upload(
        "slots",
        axes([("sequence", sequences), ("token", tokens)]),
        slots,
    )?;
    let counts: Vec<usize> = (0..sequences).map(accepted).collect();
    integers(t, "accepted", axes([("sequence", sequences)]), &counts)?;
    let others = places.iter().filter(|place| place.is_some()).count();
    by.judged = by.bounds[others];
    by.apart = false;
    let [before, pool] = by.pool(t, count * tokens)?;
    let x = by.draw(t, before)?;
    let o = t.output("o", by.rows(by.sizes.value_size))?;
    judge(t, (&x, by), [o, pool])
}

fn number(line: usize) -> i32 {
    i32::try_from(line).unwrap_or(i32::MAX)
}

/// Sets the references of the outputs and of the states.
fn judge(
    t: &mut Instance<'_>,
    (x, by): (&Tensors<Buffer>, Choices),
    [o, states]: [Buffer; 2],
) -> DeviceResult {
    t.outputs(&[o, states])?;
    if t.has("C") {
        let sums = |c| by.chunks(c).cumsum(t.values(x.g));
        let rounding = rounding_of_sums(&sums(t.dim("C")), &sums(1));
        t.allow_rounding(rounding);
    }
    let golden = compute(&x.golden(t), &by);
    let wide = x.oracle(t);
    let oracle = compute(&wide, &by);
    let judged = o.part(0, golden.0.len());
    let mut of_o = by.rows(by.sizes.value_size);
    of_o[0].length = by.judged;
    let [in_output, in_states] = mistakes(wide, by);
    t.check_part(judged, ("o", of_o), (golden.0, oracle.0), in_output)?;
    t.check_or(states, (golden.1, oracle.1), in_states)
}
