//! The document's whole operator: several chunks, the state carried from one to the next.

use deltanet_reference::pipelines::{self, DeltanetInputs};

use super::chunk::{FEW, GATES, KEYS, STRENGTHS, gates, keys, strengths};
use super::laws;
use super::{Function, mistakes};
use crate::contract::relation::Step;
use crate::contract::{DeviceResult, Domain, Factor, Instance, axes, table};
use crate::references;
use crate::tensor::Distribution::Normal;

/// The contracts.
pub const FUNCTIONS: &[Function] = &[Function {
    name: "deltanet",
    title: "chunks in order, the state carried along",
    formulas: &[
        "b = sigmoid(Beta); of each token",
        "g = cumsum(G); over the C tokens of each chunk, natural logarithms",
        "attn_pre[i,j] = -(K^T (K b))[i,j] e^(g[j] - g[i]); where j < i, else 0; b scales the columns",
        "attn_solved = (I - attn_pre)^-1",
        "V_new = (V b) attn_solved^T",
        "K_cumdecay = (K b e^g) attn_solved^T",
        "states_0 = state e^(g[last]) + K_cumdecay V_new^T; after the first chunk",
        "states_n = states_(n-1) e^(g[last]) + K_cumdecay V_new^T; after chunk n, of that chunk's g, K_cumdecay and V_new",
    ],
    dims: &["S", "C", "chunks"],
    outputs: &["states"],
    largest: &[&["S", "S", "chunks"], &["S", "C", "chunks"], &["C", "C"]],
    domain: Domain::of(&[
        Factor::One("S", &[16, 17, 129]),
        Factor::One("C", &[1, 2, 17, 32]),
        Factor::One("chunks", &[1, 2, 5]),
    ])
    .values(&[GATES, STRENGTHS, KEYS])
    .without(&[FEW])
    .relations(&[laws::doubled([
        &[Step::Times(&["V", "state"], 2.0)],
        &[Step::Times(&["states"], 2.0)],
    ])]),
    run: &deltanet,
    ..Function::EMPTY
}];

/// Compares the state after every chunk, so that a failure shows the chunk in which it begins.
fn deltanet(t: &mut Instance<'_>) -> DeviceResult {
    let (s, c, chunks) = (t.dim("S"), t.dim("C"), t.dim("chunks"));
    let columns = || axes([("channel", s), ("chunk", chunks), ("token", c)]);
    let each = || axes([("chunk", chunks), ("token", c)]);
    let k = keys(t, columns())?;
    let v = t.input("V", columns(), Normal(1.0))?;
    let g = t.input("G", each(), gates(t))?;
    let beta = t.input("Beta", each(), strengths(t))?;
    let state = t.input("state", table(s, s), Normal(0.5))?;
    let states = t.output(
        "states",
        axes([("chunk", chunks), ("row", s), ("column", s)]),
    )?;
    let (golden, oracle) = references!(t, |k, v, g, beta, state| {
        pipelines::deltanet(
            DeltanetInputs {
                k,
                v,
                g,
                beta,
                state,
            },
            s,
            c,
        )
        .states
        .concat()
    });
    let inputs = [k, v, g, beta, state].map(|buffer| t.wide(buffer));
    t.check_or(states, (golden, oracle), mistakes::of_states(inputs, s, c))
}
