//! The mistakes that kernels of the recurrence make.

use std::sync::Arc;

use deltanet_reference::rule::{Convention, GateKind, HeadMap, Order, Scale, Sizes};

use super::{Choices, Tensors, compute};
use crate::contract::Mistake;
use crate::contract::catalog::exchanged;
use crate::contract::catalog::known::{self, HEAD_MAP, KnownMistake, SUMS_DOUBLED};
use crate::contract::catalog::rule::problem::{Call, CallInputs, SequenceCalls};

type Wide = Tensors<Vec<f64>>;

pub(super) fn mistakes(wide: Wide, by: &Choices, state: bool) -> Vec<Mistake> {
    let of_rule = sequences(&wide, by).map(|sequences| sequences.mistakes(None));
    let of_rule = of_rule.into_iter().flatten();
    let of_rule = of_rule.map(|[in_output, in_states]| if state { in_states } else { in_output });
    let mut found = known::mistakes(MISTAKES, (&Arc::new(wide), by), move |wide, by| {
        let found = compute(wide, by);
        if state { found.states } else { found.o }
    });
    found.extend(of_rule);
    found
}

/// Returns the sequences as calls of the rule, which has no gates of value channels, and one write strength for a head.
fn sequences(x: &Wide, by: &Choices) -> Option<SequenceCalls> {
    let (bounds, layout) = (&by.at.bounds, by.at.layout());
    let scalars = layout.tokens() * layout.value_heads;
    if x.gv.is_some() || x.beta.len() != scalars {
        return None;
    }
    let of_heads = x.g.clone().unwrap_or_else(|| vec![0.0; scalars]);
    let (gate_kind, g) = match &x.gk {
        None => (GateKind::PerHead, of_heads),
        Some(gk) => {
            let rows = gk.chunks(layout.key_size).zip(&of_heads);
            let sums = rows.flat_map(|(row, g)| row.iter().map(move |gk| gk + g));
            (GateKind::PerKeyChannel, sums.collect())
        }
    };
    let line = layout.value_heads * layout.key_size * layout.value_size;
    let count = layout.sequences();
    let states = x.h0.clone().unwrap_or_else(|| vec![0.0; count * line]);
    let calls = (0..count).map(|n| {
        let range = bounds[n]..bounds[n + 1];
        let tokens = range.len();
        let tensors = [&x.q[..], &x.k, &x.v, &g, &x.beta];
        let state = (&states[..], line, Some(n));
        Call {
            inputs: CallInputs::of_sequence(tensors, layout.tokens(), range, state),
            convention: Convention {
                head_map: by.head_map,
                scale: by.scale,
                ..Convention::FLA
            },
            sizes: Sizes {
                sequences: 1,
                tokens,
                key_heads: layout.key_heads,
                value_heads: layout.value_heads,
                key_size: layout.key_size,
                value_size: layout.value_size,
                gate_kind,
            },
            given: x.h0.is_some(),
            chunk: None,
        }
    });
    Some(SequenceCalls {
        calls: calls.collect(),
        lines: (0..count).map(|n| vec![Some(n)]).collect(),
        kept: Arc::new(|x| x),
        judged: x.v.len(),
        states,
    })
}

const MISTAKES: &[KnownMistake<Wide, Choices>] = &[
    KnownMistake {
        name: "head-map",
        explanation: HEAD_MAP,
        applies: |_, by| {
            let layout = by.at.layout();
            layout.key_heads > 1 && layout.key_heads < layout.value_heads
        },
        change: |_, by| by.head_map = HeadMap::Tiled,
    },
    KnownMistake {
        name: "scale-missing",
        explanation: "q lacks its scale of 1/sqrt(K)",
        applies: |_, _| true,
        change: |_, by| by.scale = Scale::One,
    },
    KnownMistake {
        name: exchanged::NAME,
        explanation: "q and k are exchanged",
        applies: |x, _| x.q.len() == x.k.len(),
        change: |x, _| std::mem::swap(&mut x.q, &mut x.k),
    },
    KnownMistake {
        name: exchanged::NAME,
        explanation: "the gates and beta are exchanged",
        applies: |x, _| x.g.as_ref().is_some_and(|g| g.len() == x.beta.len()),
        change: |x, _| {
            if let Some(g) = &mut x.g {
                std::mem::swap(g, &mut x.beta);
            }
        },
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
        applies: |x, _| x.g.is_some() || x.gk.is_some() || x.gv.is_some(),
        change: |x, _| {
            let gates = [&mut x.g, &mut x.gk, &mut x.gv].into_iter().flatten();
            gates.flatten().for_each(|g| *g = -*g);
        },
    },
    KnownMistake {
        name: "gk-ignored",
        explanation: "the gates of the key channels are not applied",
        applies: |x, _| x.gk.is_some(),
        change: |x, _| x.gk = None,
    },
    KnownMistake {
        name: "gv-ignored",
        explanation: "the gates of the value channels are not applied",
        applies: |x, _| x.gv.is_some(),
        change: |x, _| x.gv = None,
    },
    KnownMistake {
        name: "beta-on-v-only",
        explanation: "beta scales the value and not the error",
        applies: |_, _| true,
        change: |x, _| {
            let channels = x.v.len() / x.beta.len().max(1);
            let beta = x
                .beta
                .iter()
                .flat_map(|&beta| std::iter::repeat_n(beta, channels));
            x.v = x.v.iter().zip(beta).map(|(v, beta)| v * beta).collect();
            x.beta.fill(1.0);
        },
    },
    KnownMistake {
        name: "sums-doubled",
        explanation: SUMS_DOUBLED,
        applies: |_, _| true,
        // Sums over k count twice and its write counts once, as with 2 k and half the strength.
        change: |x, by| {
            x.k.iter_mut().for_each(|k| *k *= 2.0);
            x.q.iter_mut().for_each(|q| *q *= 2.0);
            x.beta.iter_mut().for_each(|beta| *beta /= 2.0);
            by.order = Order::DecayFirst;
        },
    },
    KnownMistake {
        name: "initial-ignored",
        explanation: "the initial state is taken as zeros",
        applies: |x, _| x.h0.is_some(),
        change: |x, _| x.h0 = None,
    },
    KnownMistake {
        name: "initial-transposed",
        explanation: "the initial state is read in the other layout ([V][K] for [K][V])",
        applies: |x, _| x.h0.is_some(),
        change: |x, by| {
            let (rows, columns) = (by.at.layout().key_size, by.at.layout().value_size);
            let h0 = x.h0.take().unwrap_or_default();
            let heads = h0.chunks_exact(rows * columns);
            let read = heads.flat_map(|head| {
                (0..rows * columns).map(move |at| head[at % columns * rows + at / columns])
            });
            x.h0 = Some(read.collect());
        },
    },
];
