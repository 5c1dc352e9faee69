//! The document's chunks with a mistake in one of their terms, in f64 ([`deltanet_reference::pipelines`] has the right form).

use std::sync::{Arc, LazyLock};

use deltanet_reference::operators::{broadcast_mul, gemm_nn, gemm_nt, gemm_tn, sigmoid, transpose};
use deltanet_reference::pipelines::{DeltanetInputs, solve_causal_identity};

use crate::contract::Mistake;
use crate::tensor::ElementKind;

/// The terms in which kernels make mistakes. A sign of gates is 1, or 0 where they are missing and -1 where they have the other sign.
#[derive(Clone, Copy)]
struct Terms {
    sums: Sums,
    /// The sign of the gates `e^(g[j] - g[i])` of attn_pre.
    mask: f64,
    /// The strength in attn_pre: that of the column, of the row, or none.
    strength: Strength,
    /// The factor of attn_pre in the inverse.
    inverse: f64,
    /// True if V_new and K_cumdecay have attn_solved itself, and not its transpose.
    transposed: bool,
    /// True if V_new has the strengths.
    v_strength: bool,
    /// True if K_cumdecay has the strengths.
    k_strength: bool,
    /// The sign of the gates `e^g` of K_cumdecay.
    k_gate: f64,
    state: Decay,
    /// True if the chunks add to the state.
    writes: bool,
    /// A type to which attn_solved is rounded.
    narrow: Option<ElementKind>,
}

/// The tokens whose gates g sums.
#[derive(Clone, Copy)]
enum Sums {
    /// The tokens from the chunk's first to the token itself.
    Inclusive,
    /// The tokens from the chunk's first to the one before.
    Exclusive,
    /// The token itself.
    Missing,
    /// The tokens from the first chunk's first to the token itself.
    OfAll,
}

#[derive(Clone, Copy)]
enum Strength {
    Column,
    Row,
    Missing,
}

/// The factor on the state.
#[derive(Clone, Copy)]
enum Decay {
    /// `e^(g[last])`.
    Last,
    /// `e^(g[0])`.
    First,
    Missing,
    /// 0: the state is dropped.
    Dropped,
}

const RIGHT: Terms = Terms {
    sums: Sums::Inclusive,
    mask: 1.0,
    strength: Strength::Column,
    inverse: 1.0,
    transposed: false,
    v_strength: true,
    k_strength: true,
    k_gate: 1.0,
    state: Decay::Last,
    writes: true,
    narrow: None,
};

/// A mistake: its name, its explanation, and the change of the terms.
type KnownTerms = (&'static str, &'static str, fn(&mut Terms));

const MISTAKES: &[KnownTerms] = &[
    (
        "inverse-sign",
        "attn_solved is (I + attn_pre)^-1, not (I - attn_pre)^-1",
        |terms| terms.inverse = -1.0,
    ),
    (
        "inverse-missing",
        "attn_solved is the identity: attn_pre is 0, or the triangular system is not solved",
        |terms| terms.inverse = 0.0,
    ),
    (
        "inverse-transposed",
        "V_new and K_cumdecay have attn_solved in the place of its transpose",
        |terms| terms.transposed = true,
    ),
    (
        "mask-sign",
        "attn_pre has the gates e^(g[i] - g[j]), not e^(g[j] - g[i])",
        |terms| terms.mask = -1.0,
    ),
    (
        "mask-gates-missing",
        "attn_pre lacks its gates e^(g[j] - g[i])",
        |terms| terms.mask = 0.0,
    ),
    (
        "strength-of-row",
        "attn_pre has the strength of its row, not of its column",
        |terms| terms.strength = Strength::Row,
    ),
    (
        "strength-missing",
        "attn_pre lacks the strengths",
        |terms| terms.strength = Strength::Missing,
    ),
    (
        "values-without-strength",
        "V_new lacks the strengths",
        |terms| terms.v_strength = false,
    ),
    (
        "keys-without-strength",
        "K_cumdecay lacks the strengths",
        |terms| terms.k_strength = false,
    ),
    (
        "keys-without-gates",
        "K_cumdecay lacks its gates e^g",
        |terms| terms.k_gate = 0.0,
    ),
    (
        "keys-gate-sign",
        "K_cumdecay has the gates e^-g, not e^g",
        |terms| terms.k_gate = -1.0,
    ),
    (
        "sums-exclusive",
        "g does not include the gate of its own token",
        |terms| terms.sums = Sums::Exclusive,
    ),
    (
        "sums-missing",
        "G is not summed over the tokens: g is the gate of the token alone",
        |terms| terms.sums = Sums::Missing,
    ),
    (
        "sums-run-on",
        "G is summed from the first chunk on, and not anew in each chunk",
        |terms| terms.sums = Sums::OfAll,
    ),
    (
        "state-decay-missing",
        "the state does not decay from chunk to chunk: e^(g[last]) is missing",
        |terms| terms.state = Decay::Missing,
    ),
    (
        "state-decay-of-first",
        "the state decays by e^(g[0]), the chunk's first gate, not by e^(g[last])",
        |terms| terms.state = Decay::First,
    ),
    (
        "state-dropped",
        "the state is dropped: each chunk begins with zeros",
        |terms| terms.state = Decay::Dropped,
    ),
    (
        "state-without-chunks",
        "the chunks add nothing to the state: K_cumdecay V_new^T is missing",
        |terms| terms.writes = false,
    ),
    ("inverse-bf16", "attn_solved is rounded to bf16", |terms| {
        terms.narrow = Some(ElementKind::Bf16)
    }),
    ("inverse-f16", "attn_solved is rounded to f16", |terms| {
        terms.narrow = Some(ElementKind::F16)
    }),
];

/// The outputs of a chunk, and its factor on the state.
struct ChunkOutputs {
    attn_solved: Vec<f64>,
    v_new: Vec<f64>,
    k_cumdecay: Vec<f64>,
    decay: f64,
}

/// Inputs of a chunk in f64: K and V are `s` x `c`; `before` is the sum of all gates of earlier chunks.
struct ChunkInputs<'a> {
    k: &'a [f64],
    v: &'a [f64],
    g: &'a [f64],
    beta: &'a [f64],
    before: f64,
}

fn compute(terms: Terms, inputs: &ChunkInputs<'_>) -> ChunkOutputs {
    let c = inputs.g.len();
    let s = inputs.k.len() / c.max(1);
    let strengths = sigmoid(inputs.beta);
    let start = match terms.sums {
        Sums::OfAll => inputs.before,
        _ => 0.0,
    };
    let sums = inputs.g.iter().scan(start, |sum, gate| {
        let before = *sum;
        *sum += gate;
        Some(match terms.sums {
            Sums::Inclusive | Sums::OfAll => *sum,
            Sums::Exclusive => before,
            Sums::Missing => *gate,
        })
    });
    let sums: Vec<f64> = sums.collect();
    let products = gemm_tn(inputs.k, inputs.k, c, c, s);
    let element = |(at, product): (usize, &f64)| {
        let (i, j) = (at / c, at % c);
        let strength = match terms.strength {
            Strength::Column => strengths[j],
            Strength::Row => strengths[i],
            Strength::Missing => 1.0,
        };
        let gate = (terms.mask * (sums[j] - sums[i])).exp();
        match j < i {
            true => -terms.inverse * product * strength * gate,
            false => 0.0,
        }
    };
    let attn_pre: Vec<f64> = products.iter().enumerate().map(element).collect();
    let mut attn_solved = solve_causal_identity(&attn_pre, c).attn_solved;
    if let Some(kind) = terms.narrow {
        let rounded = |value: &mut f64| *value = kind.rounded(*value);
        attn_solved.iter_mut().for_each(rounded);
    }
    let factors = |has: bool, gate: f64| -> Vec<f64> {
        let tokens = strengths.iter().zip(&sums);
        let factors = tokens.map(|(strength, sum)| {
            let strength = if has { *strength } else { 1.0 };
            strength * (gate * sum).exp()
        });
        factors.collect()
    };
    let right = match terms.transposed {
        true => attn_solved.clone(),
        false => transpose(&attn_solved, c, c),
    };
    let product = |rows: &[f64], factors: Vec<f64>| {
        gemm_nn(&broadcast_mul(rows, &factors, s, c), &right, s, c, c)
    };
    ChunkOutputs {
        v_new: product(inputs.v, factors(terms.v_strength, 0.0)),
        k_cumdecay: product(inputs.k, factors(terms.k_strength, terms.k_gate)),
        decay: match terms.state {
            Decay::Last => sums.last().map_or(1.0, |sum| sum.exp()),
            Decay::First => sums.first().map_or(1.0, |sum| sum.exp()),
            Decay::Missing => 1.0,
            Decay::Dropped => 0.0,
        },
        attn_solved,
    }
}

/// Returns the states after each chunk with a mistake.
fn states(terms: Terms, inputs: &DeltanetInputs<'_, f64>, s: usize, c: usize) -> Vec<f64> {
    let tokens = inputs.g.len();
    let mut state = inputs.state.to_vec();
    let mut states = Vec::new();
    for first in (0..tokens).step_by(c) {
        let columns = |matrix: &[f64]| -> Vec<f64> {
            let rows = matrix.chunks_exact(tokens);
            rows.flat_map(|row| &row[first..first + c])
                .copied()
                .collect()
        };
        let chunk = compute(
            terms,
            &ChunkInputs {
                k: &columns(inputs.k),
                v: &columns(inputs.v),
                g: &inputs.g[first..first + c],
                beta: &inputs.beta[first..first + c],
                before: inputs.g[..first].iter().sum(),
            },
        );
        let written = gemm_nt(&chunk.k_cumdecay, &chunk.v_new, s, s, c);
        for (value, written) in state.iter_mut().zip(written) {
            *value = *value * chunk.decay + if terms.writes { written } else { 0.0 };
        }
        states.extend_from_slice(&state);
    }
    states
}

/// The outputs of one chunk in the order of the contract: attn_solved, V_new and K_cumdecay.
type Outputs = [Vec<f64>; 3];

/// Returns the mistakes of one chunk as they show in each output, from K, V, G and Beta.
pub fn of_chunk(inputs: [Vec<f64>; 4]) -> [Vec<Mistake>; 3] {
    let inputs = Arc::new(inputs);
    let mut mistakes = [const { Vec::new() }; 3];
    for (name, explanation, change) in MISTAKES {
        let inputs = Arc::clone(&inputs);
        let outputs = move || -> Outputs {
            let [k, v, g, beta] = &*inputs;
            let before = 0.0;
            let own = ChunkInputs {
                k,
                v,
                g,
                beta,
                before,
            };
            let found = compute(with(*change), &own);
            [found.attn_solved, found.v_new, found.k_cumdecay]
        };
        let outputs: LazyLock<Outputs, Box<dyn FnOnce() -> Outputs + Send + Sync>> =
            LazyLock::new(Box::new(outputs));
        let outputs = Arc::new(outputs);
        for (at, list) in mistakes.iter_mut().enumerate() {
            let outputs = Arc::clone(&outputs);
            list.push(Mistake::new(name, *explanation, move || {
                outputs[at].clone()
            }));
        }
    }
    mistakes
}

/// Returns the mistakes of chunks in order as they show in the states, from K, V, G, Beta and the state before, with S and C.
pub fn of_states(inputs: [Vec<f64>; 5], s: usize, c: usize) -> Vec<Mistake> {
    let inputs = Arc::new(inputs);
    let mistakes = MISTAKES.iter().map(|(name, explanation, change)| {
        let inputs = Arc::clone(&inputs);
        Mistake::new(name, *explanation, move || {
            let [k, v, g, beta, state] = &*inputs;
            let own = DeltanetInputs {
                k,
                v,
                g,
                beta,
                state,
            };
            states(with(*change), &own, s, c)
        })
    });
    mistakes.collect()
}

fn with(change: fn(&mut Terms)) -> Terms {
    let mut terms = RIGHT;
    change(&mut terms);
    terms
}

#[cfg(test)]
mod tests {
    use crate::contract::catalog::known::values;
    use deltanet_reference::pipelines;

    use super::*;

    /// The right terms give the document's states, and each mistake gives others.
    #[test]
    fn the_right_terms_are_the_documents_and_the_others_are_not() {
        let (s, c, tokens) = (3, 4, 12);
        let [k, v] = [0.1, 0.9].map(|from| values(s * tokens, from));
        let g: Vec<f64> = values(tokens, 0.2).iter().map(|g| -g.abs()).collect();
        let (beta, state) = (values(tokens, 0.3), values(s * s, 0.6));
        let inputs = DeltanetInputs {
            k: &k,
            v: &v,
            g: &g,
            beta: &beta,
            state: &state,
        };
        let right = pipelines::deltanet(inputs, s, c).states.concat();
        let far = |terms: Terms| {
            let found = states(terms, &inputs, s, c);
            let pairs = found.iter().zip(&right);
            pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        assert!(far(RIGHT) < 1e-12, "{}", far(RIGHT));
        for (name, _, change) in MISTAKES {
            let terms = with(*change);
            let least = if terms.narrow.is_some() { 1e-5 } else { 1e-3 };
            assert!(far(terms) > least, "{name}");
        }
        let one = of_chunk([&k, &v, &g, &beta].map(|tensor| tensor.clone()));
        assert!(one.iter().all(|list| list.len() == MISTAKES.len()));
    }
}
