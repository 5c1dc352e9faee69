//! Phase 5: the attention matrix.

use deltanet_reference::operators;

use super::{Function, exchanged};
use crate::contract::{Instance, Outcome, axes, elements, table};
use crate::references;
use crate::tensor::Distribution::{Normal, Walk};

/// The functions of phase 5.
pub const FUNCTIONS: &[Function] = &[Function {
    name: "attention_matrix",
    title: "-(K^T K_beta) * decay, strictly lower",
    dims: &["S", "C"],
    integers: &[],
    words: &[],
    outputs: &["attn"],
    largest: &[&["S", "C"], &["C", "C"]],
    run: attention_matrix,
}];

/// Keys have norm 1 on average; the decay mask is that of small gates.
fn attention_matrix(t: &mut Instance<'_>) -> Outcome {
    let (s, c) = (t.dim("S"), t.dim("C"));
    let unit = Normal((s as f32).sqrt().recip());
    let k = t.input("K", axes([("channel", s), ("token", c)]), unit)?;
    let k_beta = t.input("K_beta", axes([("channel", s), ("token", c)]), unit)?;
    let g = t.draw("g_cumsum", elements(c), Walk(-0.02, 0.0));
    let decay = t.upload(
        "decay_mask",
        table(c, c),
        operators::decay_mask(t.values(g)),
    )?;
    let attn = t.output("attn", table(c, c))?;
    let mask = t.wide(decay);
    let mistakes = exchanged::inputs(t, [k, k_beta], "K and K_beta are exchanged", move |k, b| {
        operators::attention_matrix(k, b, &mask, s, c)
    });
    let references = references!(t, |k, k_beta, decay| operators::attention_matrix(
        k, k_beta, decay, s, c
    ));
    t.check_or(attn, references, mistakes)
}
