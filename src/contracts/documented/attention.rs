//! Decay mask and attention matrix, as documented.

use deltanet_reference::operators;

use super::{Function, exchanged};
use crate::contract::{Domain, Instance, Outcome, axes, elements, table};
use crate::references;
use crate::tensor::Distribution::{Normal, Walk};

/// The contracts.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "decay_mask",
        title: "e^(g[j] - g[i]) for j <= i",
        dims: &["n"],
        integers: &[],
        words: &[],
        outputs: &["mask"],
        largest: &[&["n", "n"]],
        domain: Domain::of(&[]),
        run: decay_mask,
    },
    Function {
        name: "attention_matrix",
        title: "-(K^T K_beta) * decay, strictly lower",
        dims: &["S", "C"],
        integers: &[],
        words: &[],
        outputs: &["attn"],
        largest: &[&["S", "C"], &["C", "C"]],
        domain: Domain::of(&[]),
        run: attention_matrix,
    },
];

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

/// Gates are small, because the documented mask grows with the distance.
fn decay_mask(t: &mut Instance<'_>) -> Outcome {
    let n = t.dim("n");
    let g = t.input("g_cumsum", elements(n), Walk(-0.02, 0.0))?;
    let mask = t.output("mask", table(n, n))?;
    t.check(mask, references!(t, |g| operators::decay_mask(g)))
}
