//! Contracts of a chunk's operations on the state.

use deltanet_reference::pipelines;

use super::attention::{SUMS_OF_FACTORS, sums};
use super::laws;
use super::{Function, exchanged, values};
use crate::contract::relation::Step;
use crate::contract::{DeviceResult, Domain, Factor, Instance, axes, elements, table};
use crate::references;
use crate::tensor::Distribution::{Normal, Uniform};

/// The contracts.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "state_update",
        title: "state * e^g_last + K_cumdecay V_new^T",
        formulas: &[
            "state_out = state * exp_g_last + K_cumdecay V_new^T; exp_g_last is e^(last cumulated gate), given as a factor",
        ],
        dims: &["S", "C"],
        outputs: &["state_out"],
        largest: &[&["S", "S"], &["S", "C"]],
        domain: Domain::of(&[
            Factor::One("S", &[1, 16, 17, 33]),
            Factor::One("C", &[1, 7, 16, 129]),
        ])
        .values(&[
            ("decay", &["between", "zero", "one"]),
            (
                values::NAME,
                &[values::ORDINARY, values::OPPOSED, values::ONE_INFINITE],
            ),
        ])
        .relations(&[laws::doubled([
            &[Step::Times(&["state", "V_new"], 2.0)],
            &[Step::Times(&["state_out"], 2.0)],
        ])]),
        run: &state_update,
        ..Function::EMPTY
    },
    Function {
        name: "output_with_state",
        title: "Q_gexp State^T + attn V_new",
        formulas: &[
            "output = state (Q e^g_cumsum) + V_new attn^T; tokens are columns, e^g_cumsum scales those of Q",
        ],
        dims: &["S", "C"],
        outputs: &["output"],
        largest: &[&["S", "S"], &["S", "C"], &["C", "C"]],
        domain: Domain::of(&[
            Factor::One("S", &[1, 16, 17, 129]),
            Factor::One("C", &[1, 7, 16, 129]),
        ])
        .values(&[
            SUMS_OF_FACTORS,
            (
                values::NAME,
                &[values::ORDINARY, values::ZEROS, values::OPPOSED],
            ),
        ])
        .relations(&[laws::doubled([
            &[Step::Times(&["state", "V_new"], 2.0)],
            &[Step::Times(&["output"], 2.0)],
        ])]),
        run: &output_with_state,
        ..Function::EMPTY
    },
];

fn state_update(t: &mut Instance<'_>) -> DeviceResult {
    let (s, c) = (t.dim("S"), t.dim("C"));
    let unit = Normal((c as f32).sqrt().recip());
    let state = t.input("state", table(s, s), Normal(0.5))?;
    let channels = || axes([("channel", s), ("token", c)]);
    let operands = [("K_cumdecay", channels()), ("V_new", channels())];
    let [k_cumdecay, v_new] = values::matrices(t, operands, [unit, Normal(1.0)])?;
    let factor = match t.word("decay") {
        "zero" => Uniform(0.0, 0.0),
        "one" => Uniform(1.0, 1.0),
        _ => Uniform(0.25, 0.75),
    };
    let factor = t.draw("exp_g_last", elements(1), factor);
    let state_out = t.output("state_out", table(s, s))?;
    let (golden, oracle) = references!(t, |state, factor, k_cumdecay, v_new| {
        pipelines::state_update(state, factor[0], k_cumdecay, v_new, s, c)
    });
    let [before, factor] = [state, factor].map(|buffer| t.wide(buffer));
    let exchanged = "K_cumdecay and V_new are exchanged";
    let mistakes = exchanged::inputs(t, [k_cumdecay, v_new], exchanged, move |k, v| {
        pipelines::state_update(&before, factor[0], k, v, s, c).state
    });
    t.check_or(state_out, (golden.state, oracle.state), mistakes)
}

/// Computes the document's formula in its stored layouts, `State Q_gexp + V_new attn^T`, S x C.
fn output_with_state(t: &mut Instance<'_>) -> DeviceResult {
    let (s, c) = (t.dim("S"), t.dim("C"));
    let unit = Normal((s as f32).sqrt().recip());
    let channels = || axes([("channel", s), ("token", c)]);
    let (of_q, of_state) = (("Q", channels()), ("state", table(s, s)));
    let class = t.word(values::NAME);
    let [of_small, of_great] = values::opposed(class);
    let q = values::input_of(t, of_small, of_q, unit)?;
    let g_cumsum = t.input("g_cumsum", elements(c), sums(t))?;
    let state = values::input_of(t, of_great, of_state, Normal(0.5))?;
    let attn = t.input("attn", table(c, c), Normal((c as f32).sqrt().recip()))?;
    let v_new = t.input("V_new", channels(), Normal(1.0))?;
    let output = t.output("output", channels())?;
    let (golden, oracle) = references!(t, |q, g_cumsum, state, attn, v_new| {
        pipelines::output_with_state(q, g_cumsum, state, attn, v_new, s)
    });
    t.check(output, (golden.output, oracle.output))
}
