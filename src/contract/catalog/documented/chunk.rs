//! The computation within one chunk.

use deltanet_reference::{operators, pipelines};

use super::attention::{PRODUCTS, factors};
use super::laws;
use super::triangular::{MATRIX, solved};
use super::{Function, exchanged, mistakes};
use crate::contract::relation::Step;
use crate::contract::{
    Buffer, Choice, DeviceResult, Domain, Factor, Instance, Mistake, Rule, axes, elements, table,
};
use crate::references;
use crate::tensor::Axis;
use crate::tensor::Distribution::{self, Normal, Uniform};
use crate::tensor::{ElementKind, Stream};

/// Classes of gates: of a slow decay, or of either sign.
pub const GATES: Choice = ("gates", &["small", "both"]);
/// Classes of write strengths before their sigmoid: around 0, or so far from 0 that the sigmoid is 0 or 1.
pub const STRENGTHS: Choice = ("strengths", &["between", "ends"]);
/// The exclusion of strengths at the ends from cases of few tokens, where all strengths may be 0 or 1.
pub const FEW: Rule = Rule {
    of: &["C", STRENGTHS.0],
    says: "chunks of fewer than 8 tokens have strengths between 0 and 1: where all are 0 or 1, zeros or the values alone are right",
    breaks: &|case| {
        case.get("C").is_some_and(|tokens| tokens < 8) && case.word(STRENGTHS.0) == Some("ends")
    },
};
/// Classes of keys: independent, or nearly the same.
pub const KEYS: Choice = ("keys", &["independent", "correlated"]);

/// Draws keys `[S, ..]` of the class that a case names. Independent keys have norm 1 on average. Correlated keys have norm 1 exactly,
/// because several longer ones make the documented inverse grow without bounds.
pub fn keys(t: &mut Instance<'_>, shape: Vec<Axis>) -> DeviceResult<Buffer> {
    let s = shape[0].length;
    let correlated = t.word(KEYS.0) == "correlated";
    let change = |values: &mut [f32], _: &mut Stream| {
        if correlated {
            correlate(values, s);
        }
    };
    let unit = Normal((s as f32).sqrt().recip());
    let drawn = t.draw_changed(ElementKind::F32, "K", shape, unit, change);
    Ok(t.offer(drawn))
}

/// Makes every token's key nearly the first token's, with norm 1. A row holds the tokens of a channel.
fn correlate(keys: &mut [f32], channels: usize) {
    let tokens = keys.len() / channels;
    for channel in keys.chunks_exact_mut(tokens) {
        let first = channel[0];
        channel[1..].iter_mut().for_each(|x| *x = first + 0.05 * *x);
    }
    for token in 0..tokens {
        let own = || (0..channels).map(|channel| channel * tokens + token);
        let squares = own().map(|at| f64::from(keys[at]).powi(2)).sum::<f64>();
        own().for_each(|at| keys[at] = (f64::from(keys[at]) / squares.sqrt()) as f32);
    }
}

/// Returns the distribution of gates of the class that a case names.
pub fn gates(t: &Instance<'_>) -> Distribution {
    match t.word(GATES.0) {
        "both" => Uniform(-0.1, 0.1),
        _ => Uniform(-0.02, 0.0),
    }
}

/// Returns the distribution of write strengths before their sigmoid, of the class that a case names.
pub fn strengths(t: &Instance<'_>) -> Distribution {
    match t.word(STRENGTHS.0) {
        "ends" => Normal(200.0),
        _ => Normal(1.0),
    }
}

/// The contracts.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "attn_pre",
        title: "-(K^T K_beta) * decay * causal mask",
        formulas: &[
            "attn_pre[i,j] = -(K^T K_beta)[i,j] decay_mask[i,j]; where j < i, else 0 of either sign",
        ],
        dims: &["S", "C"],
        outputs: &["attn_pre"],
        largest: &[&["S", "C"], &["C", "C"]],
        domain: PRODUCTS.relations(&[laws::doubled([
            &[Step::Times(&["K_beta"], 2.0)],
            &[Step::Times(&["attn_pre"], 2.0)],
        ])]),
        run: &attn_pre,
        ..Function::EMPTY
    },
    Function {
        name: "solve_causal_identity",
        title: "(I - attn_pre)^-1",
        formulas: &["attn_solved = (I - attn_pre)^-1; attn_pre is strictly lower triangular"],
        dims: &["C"],
        outputs: &["attn_solved"],
        largest: &[&["C", "C"]],
        domain: Domain::of(&[Factor::One("C", &[1, 2, 16, 17, 65])])
            .values(&[MATRIX])
            .relations(&[laws::INVERSE_OF_DIFFERENCE]),
        run: &solve_causal_identity,
        ..Function::EMPTY
    },
    Function {
        name: "intra_chunk",
        title: "one chunk: attn_solved, V_new, K_cumdecay",
        formulas: &[
            "b = sigmoid(Beta); of each token",
            "g = cumsum(G); over the C tokens of the chunk, natural logarithms",
            "attn_pre[i,j] = -(K^T (K b))[i,j] e^(g[j] - g[i]); where j < i, else 0; b scales the columns",
            "attn_solved = (I - attn_pre)^-1",
            "V_new = (V b) attn_solved^T",
            "K_cumdecay = (K b e^g) attn_solved^T",
        ],
        dims: &["S", "C"],
        outputs: &["attn_solved", "V_new", "K_cumdecay"],
        largest: &[&["S", "C"], &["C", "C"]],
        domain: Domain::of(&[
            Factor::One("S", &[16, 17, 33, 129]),
            Factor::One("C", &[1, 2, 17, 64]),
        ])
        .values(&[GATES, STRENGTHS, KEYS])
        .without(&[FEW])
        .relations(&[laws::doubled([
            &[Step::Times(&["V"], 2.0)],
            &[Step::Times(&["V_new"], 2.0)],
        ])]),
        run: &intra_chunk,
        ..Function::EMPTY
    },
];

/// Computes step 6 of the document alone.
fn attn_pre(t: &mut Instance<'_>) -> DeviceResult {
    let (s, c) = (t.dim("S"), t.dim("C"));
    let [k, k_beta, decay] = factors(t)?;
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

/// Computes steps 7 and 8 of the document alone.
fn solve_causal_identity(t: &mut Instance<'_>) -> DeviceResult {
    let c = t.dim("C");
    let full = solved(t, c, 0.1);
    let attn_pre = t.upload(
        "attn_pre",
        table(c, c),
        operators::tril(t.values(full), c, -1),
    )?;
    let attn_solved = t.output("attn_solved", table(c, c))?;
    let (golden, oracle) = references!(t, |attn_pre| pipelines::solve_causal_identity(attn_pre, c));
    t.check(attn_solved, (golden.attn_solved, oracle.attn_solved))
}

/// Computes steps 1 to 10 of the document.
fn intra_chunk(t: &mut Instance<'_>) -> DeviceResult {
    let (s, c) = (t.dim("S"), t.dim("C"));
    let k = keys(t, axes([("channel", s), ("token", c)]))?;
    let v = t.input("V", axes([("channel", s), ("token", c)]), Normal(1.0))?;
    let g = t.input("G", elements(c), gates(t))?;
    let beta = t.input("Beta", elements(c), strengths(t))?;
    let channels = || axes([("channel", s), ("token", c)]);
    let attn_solved = t.output("attn_solved", table(c, c))?;
    let v_new = t.output("V_new", channels())?;
    let k_cumdecay = t.output("K_cumdecay", channels())?;
    let (golden, oracle) = references!(t, |k, v, g, beta| pipelines::intra_chunk(
        k, v, g, beta, s, c
    ));
    let inputs = [k, v, g, beta].map(|buffer| t.wide(buffer));
    let exchanged = |part: fn(pipelines::IntraChunkResults<f64>) -> Vec<f64>| {
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
    let [mut in_solved, mut in_values, mut in_keys] = mistakes::of_chunk(inputs.clone());
    in_solved.extend(exchanged(|x| x.attn_solved));
    in_values.extend(exchanged(|x| x.v_new));
    in_keys.extend(exchanged(|x| x.k_cumdecay));
    let solved = (golden.attn_solved, oracle.attn_solved);
    t.check_or(attn_solved, solved, in_solved)?;
    t.check_or(v_new, (golden.v_new, oracle.v_new), in_values)?;
    let keys = (golden.k_cumdecay, oracle.k_cumdecay);
    t.check_or(k_cumdecay, keys, in_keys)
}
