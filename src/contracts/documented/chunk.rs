//! The computation within one chunk.

use deltanet_reference::{operators, pipelines};

use super::{Function, exchanged};
use crate::contract::{Domain, Instance, Mistake, Outcome, axes, elements, table};
use crate::references;
use crate::tensor::Distribution::{Normal, Uniform, Walk};

/// The contracts.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "attn_pre",
        title: "-(K^T K_beta) * decay * causal mask",
        dims: &["S", "C"],
        integers: &[],
        words: &[],
        outputs: &["attn_pre"],
        largest: &[&["S", "C"], &["C", "C"]],
        domain: Domain::of(&[]),
        run: attn_pre,
    },
    Function {
        name: "solve_causal_identity",
        title: "(I - attn_pre)^-1",
        dims: &["C"],
        integers: &[],
        words: &[],
        outputs: &["attn_solved"],
        largest: &[&["C", "C"]],
        domain: Domain::of(&[]),
        run: solve_causal_identity,
    },
    Function {
        name: "intra_chunk",
        title: "one chunk: attn_solved, V_new, K_cumdecay",
        dims: &["S", "C"],
        integers: &[],
        words: &[],
        outputs: &["attn_solved", "V_new", "K_cumdecay"],
        largest: &[&["S", "C"], &["C", "C"]],
        domain: Domain::of(&[]),
        run: intra_chunk,
    },
];

/// Step 6 alone.
fn attn_pre(t: &mut Instance<'_>) -> Outcome {
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
    let attn_pre = t.output("attn_pre", table(c, c))?;
    let (golden, oracle) = references!(t, |k, k_beta, decay| pipelines::attn_pre(
        k, k_beta, decay, s, c
    ));
    let mask = t.wide(decay);
    let mistakes = exchanged::inputs(t, [k, k_beta], "K and K_beta are exchanged", move |k, b| {
        pipelines::attn_pre(k, b, &mask, s, c).attn_pre
    });
    t.check_or(attn_pre, (golden.attn_pre, oracle.attn_pre), mistakes)
}

/// Steps 7 and 8 alone: the identity is added in place.
fn solve_causal_identity(t: &mut Instance<'_>) -> Outcome {
    let c = t.dim("C");
    let full = t.draw("full", table(c, c), Normal(0.1));
    let attn_pre = t.upload(
        "attn_pre",
        table(c, c),
        operators::tril(t.values(full), c, -1),
    )?;
    let attn_solved = t.output("attn_solved", table(c, c))?;
    let (golden, oracle) = references!(t, |attn_pre| pipelines::solve_causal_identity(attn_pre, c));
    t.check(attn_solved, (golden.attn_solved, oracle.attn_solved))
}

/// Steps 1 to 10.
fn intra_chunk(t: &mut Instance<'_>) -> Outcome {
    let (s, c) = (t.dim("S"), t.dim("C"));
    let k = t.input(
        "K",
        axes([("channel", s), ("token", c)]),
        Normal((s as f32).sqrt().recip()),
    )?;
    let v = t.input("V", axes([("channel", s), ("token", c)]), Normal(1.0))?;
    let g = t.input("G", elements(c), Uniform(-0.02, 0.0))?;
    let beta = t.input("Beta", elements(c), Normal(1.0))?;
    let channels = || axes([("channel", s), ("token", c)]);
    let attn_solved = t.output("attn_solved", table(c, c))?;
    let v_new = t.output("V_new", channels())?;
    let k_cumdecay = t.output("K_cumdecay", channels())?;
    let (golden, oracle) = references!(t, |k, v, g, beta| pipelines::intra_chunk(
        k, v, g, beta, s, c
    ));
    let inputs = [k, v, g, beta].map(|buffer| t.wide(buffer));
    let exchanged = |part: fn(pipelines::IntraChunk<f64>) -> Vec<f64>| {
        let of = |explanation, [k, v, g, beta]: [usize; 4]| {
            let inputs = inputs.clone();
            Mistake::new(exchanged::NAME, explanation, move || {
                let [k, v, g, beta] = [k, v, g, beta].map(|at| inputs[at].as_slice());
                part(pipelines::intra_chunk(k, v, g, beta, s, c))
            })
        };
        vec![
            of("K and V are exchanged", [1, 0, 2, 3]),
            of("G and Beta are exchanged", [0, 1, 3, 2]),
        ]
    };
    let solved = (golden.attn_solved, oracle.attn_solved);
    t.check_or(attn_solved, solved, exchanged(|x| x.attn_solved))?;
    let values = (golden.v_new, oracle.v_new);
    t.check_or(v_new, values, exchanged(|x| x.v_new))?;
    let keys = (golden.k_cumdecay, oracle.k_cumdecay);
    t.check_or(k_cumdecay, keys, exchanged(|x| x.k_cumdecay))
}
