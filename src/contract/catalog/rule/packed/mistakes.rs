//! The mistakes that kernels make over packed sequences.

use std::sync::Arc;

use deltanet_reference::rule::{Convention, GateKind, Inputs, Scale, Sizes};

use super::call::{Choices, Tensors, compute};
use crate::contract::Mistake;
use crate::contract::catalog::known::{self, KnownMistake};
use crate::contract::catalog::rule::chunked::{self, Rows, Terms};
use crate::contract::catalog::rule::problem::{Call, CallInputs, SequenceCalls};

type Wide = Tensors<Vec<f64>>;

/// Returns the mistakes that show in a case, as they show in the output and in the states.
pub fn mistakes(wide: Wide, by: Choices) -> [Vec<Mistake>; 2] {
    let shared = Arc::new(wide);
    let known = known::pairs(MISTAKES, (&shared, &by), compute);
    let by_chunks = by.chunk.map(|chunk| {
        let (wide, by) = (Arc::clone(&shared), by.clone());
        chunked::mistakes(move |terms| compute_by_chunks(&wide, &by, chunk, terms))
    });
    let (output, states) = by_chunks.unwrap_or_default();
    let mut of_rule = sequences(&shared, &by, false).mistakes(None);
    if by.steps > 1 {
        let (wide, by) = (Arc::clone(&shared), by.clone());
        let text = "the state is decayed at every step of a token, not at the first alone";
        of_rule.push(Mistake::pair("decay-at-every-step", text, move || {
            sequences(&wide, &by, true).right()
        }));
    }
    let (mut in_output, mut in_states): (Vec<Mistake>, Vec<Mistake>) =
        known.into_iter().chain(of_rule).map(Into::into).unzip();
    in_output.extend(output);
    in_states.extend(states);
    [in_output, in_states]
}

/// Returns the sequences as calls of the rule. Each Householder step is a token, which decays the state if it is the first of several, or else
/// if `each_decays` is true.
fn sequences(x: &Wide, by: &Choices, each_decays: bool) -> SequenceCalls {
    let calls = by.starts.iter().enumerate().map(|(n, start)| {
        let tokens = by.bounds[n]..by.bounds[n + 1];
        let tensors = [&x.q[..], &x.k, &x.v, &x.g, &x.beta];
        let state = (&x.states[..], by.line(), *start);
        let mut inputs = CallInputs::of_sequence(tensors, by.sizes.tokens, tokens.clone(), state);
        let rows = inputs
            .q
            .chunks_exact(by.sizes.key_heads * by.sizes.key_size);
        inputs.q = rows.flat_map(|row| row.repeat(by.steps)).collect();
        let width = x.g.len() / by.sizes.tokens.max(1);
        let rows = inputs.g.chunks_exact(width.max(1));
        let later = vec![0.0; width * (by.steps - 1)];
        let repeated = |row: &[f64]| match each_decays {
            true => row.repeat(by.steps),
            false => [row, &later].concat(),
        };
        inputs.g = rows.flat_map(repeated).collect();
        Call {
            inputs,
            convention: Convention {
                scale: Scale::Factor(by.scale),
                head_map: by.head_map,
                order: by.order,
                state: by.state,
                ..Convention::FLA
            },
            sizes: Sizes {
                tokens: tokens.len() * by.steps,
                ..by.sizes
            },
            given: by.starts.iter().any(Option::is_some),
            chunk: None,
        }
    });
    let (mut states, kind) = (x.states.clone(), by.kept.0);
    let lines = states.chunks_exact_mut(by.line().max(1));
    let emptied = lines
        .zip(&by.starts)
        .filter(|(_, start)| by.apart && start.is_none());
    emptied.for_each(|(line, _)| line.fill(0.0));
    SequenceCalls {
        calls: calls.collect(),
        lines: by.lines.clone(),
        states,
        kept: Arc::new(move |state| state.into_iter().map(|x| kind.round(x)).collect()),
        steps: by.steps,
        judged: by.judged * by.sizes.value_heads * by.sizes.value_size,
    }
}

/// Computes the chunked form with a mistake.
fn compute_by_chunks(x: &Wide, by: &Choices, chunk: usize, terms: Terms) -> (Vec<f64>, Vec<f64>) {
    let mut states = x.states.clone();
    let lines = states.chunks_exact_mut(by.line().max(1));
    for (line, _) in lines.zip(&by.starts).filter(|(_, start)| start.is_none()) {
        line.fill(0.0);
    }
    let rows = Rows {
        bounds: &by.bounds,
        sizes: by.sizes,
        inputs: Inputs {
            q: &x.q,
            k: &x.k,
            v: &x.v,
            g: &x.g,
            beta: &x.beta,
            state: &states,
        },
        head_map: by.head_map,
        chunk,
        scale: by.scale,
        layout: by.state,
    };
    rows.compute(terms)
}

const MISTAKES: &[KnownMistake<Wide, Choices>] = &[
    KnownMistake {
        name: "gate-of-head",
        explanation: "the gate of the first key channel is applied to all channels",
        applies: |_, by| by.sizes.gate_kind == GateKind::PerKeyChannel && by.sizes.key_size > 1,
        change: |x, by| {
            for gates in x.g.chunks_exact_mut(by.sizes.key_size) {
                let first = gates[0];
                gates.fill(first);
            }
        },
    },
    KnownMistake {
        name: "lengths-ignored",
        explanation: "all sequences are taken for equally long",
        applies: |_, by| by.starts.len() > 1,
        change: |_, by| {
            let (count, all) = (by.starts.len(), by.sizes.tokens);
            by.bounds = (0..=count).map(|n| n * all / count).collect();
        },
    },
    KnownMistake {
        name: "state-shared",
        explanation: "a sequence begins with the state after the sequence before it",
        applies: |_, by| by.starts.len() > 1 && by.lines.iter().all(|lines| lines.len() == 1),
        change: |_, by| {
            // One sequence of all tokens, whose states are written at each former end, is nearly it: only its first start counts.
            let ends: Vec<usize> = by.bounds[1..].to_vec();
            let mut lines = vec![None; by.sizes.tokens];
            for (end, line) in ends.iter().zip(&by.lines) {
                if *end > 0 {
                    lines[end - 1] = line[0];
                }
            }
            by.starts.truncate(1);
            by.bounds = vec![0, by.sizes.tokens];
            by.lines = vec![lines];
        },
    },
    KnownMistake {
        name: "flags-ignored",
        explanation: "sequences begin with states where they should begin with zeros",
        applies: |_, by| by.starts.iter().any(Option::is_none),
        change: |_, by| {
            for (start, lines) in by.starts.iter_mut().zip(&by.lines) {
                *start = start.or(lines.first().copied().flatten());
            }
        },
    },
    KnownMistake {
        name: "slots-ignored",
        explanation: "sequence n has line n of the states, whatever its slot says",
        applies: |_, by| {
            by.lines
                .iter()
                .enumerate()
                .any(|(n, lines)| lines[0] != Some(n))
        },
        change: |_, by| {
            for (n, (start, lines)) in by.starts.iter_mut().zip(&mut by.lines).enumerate() {
                *start = start.map(|_| n);
                lines.fill(Some(n));
            }
        },
    },
    KnownMistake {
        name: "padding-written",
        explanation: "a padding leaves its state in line 0",
        applies: |_, by| by.lines.iter().any(|lines| lines[0].is_none()),
        change: |_, by| {
            for lines in by.lines.iter_mut().filter(|lines| lines[0].is_none()) {
                lines.fill(Some(0));
            }
        },
    },
    KnownMistake {
        name: "accepted-ignored",
        explanation: "a sequence begins with the state of its first line, whatever number of tokens was accepted",
        applies: |_, by| by.lines.iter().any(|lines| lines.len() > 1),
        change: |_, by| by.starts = by.lines.iter().map(|lines| lines[0]).collect(),
    },
];
