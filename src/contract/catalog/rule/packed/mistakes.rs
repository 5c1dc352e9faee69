//! The mistakes that kernels make over packed sequences.

use std::sync::Arc;

use deltanet_reference::rule::{GateKind, Inputs, Order, StateLayout};

use super::call::{Choices, Tensors, compute};
use crate::contract::Mistake;
use crate::contract::catalog::exchanged;
use crate::contract::catalog::known::{self, HEAD_MAP, KnownMistake};
use crate::contract::catalog::rule::chunked::{self, Rows, Terms};

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
    let (mut in_output, mut in_states): (Vec<Mistake>, Vec<Mistake>) =
        known.into_iter().map(Into::into).unzip();
    in_output.extend(output);
    in_states.extend(states);
    [in_output, in_states]
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
        name: "head-map",
        explanation: HEAD_MAP,
        applies: |_, by| by.sizes.key_heads > 1 && by.sizes.key_heads < by.sizes.value_heads,
        change: |_, by| {
            by.head_map = by.head_map.other();
        },
    },
    KnownMistake {
        name: "scale-missing",
        explanation: "the output lacks its scale of 1/sqrt(K)",
        applies: |_, by| by.sizes.key_size > 1,
        change: |_, by| by.scale = 1.0,
    },
    KnownMistake {
        name: exchanged::NAME,
        explanation: "q and k are exchanged",
        applies: |x, _| x.q.len() == x.k.len(),
        change: |x, _| std::mem::swap(&mut x.q, &mut x.k),
    },
    KnownMistake {
        name: "undecayed-error",
        explanation: "the error is taken from the state before its decay",
        applies: |_, _| true,
        change: |_, by| by.order = Order::ErrorFirst,
    },
    KnownMistake {
        name: "gate-sign",
        explanation: "the gate has the wrong sign: states grow where they should decay",
        applies: |_, _| true,
        change: |x, _| x.g.iter_mut().for_each(|g| *g = -*g),
    },
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
        name: "beta-on-v-only",
        explanation: "beta scales the value and not the error",
        applies: |_, _| true,
        change: |x, by| {
            for (v, beta) in x.v.chunks_exact_mut(by.sizes.value_size).zip(&mut x.beta) {
                v.iter_mut().for_each(|v| *v *= *beta);
                *beta = 1.0;
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
        name: "initial-ignored",
        explanation: "sequences begin with zeros in place of their states",
        applies: |_, by| by.starts.iter().any(Option::is_some),
        change: |_, by| by.starts.fill(None),
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
        name: "initial-transposed",
        explanation: "states are read in the other layout",
        applies: |_, by| by.starts.iter().any(Option::is_some),
        change: |x, by| {
            let (keys, values) = (by.sizes.key_size, by.sizes.value_size);
            let (rows, columns) = match by.state {
                StateLayout::KeyMajor => (keys, values),
                StateLayout::ValueMajor => (values, keys),
            };
            let heads = x.states.chunks_exact(keys * values);
            let read = heads.flat_map(|head| {
                (0..keys * values).map(move |at| head[at % columns * rows + at / columns])
            });
            x.states = read.collect();
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
