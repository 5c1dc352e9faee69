//! The mistakes that kernels of the recurrence make.

use std::sync::Arc;

use deltanet_reference::rule::{HeadMap, Order, Scale};

use super::{Choices, Tensors, compute};
use crate::contract::Mistake;
use crate::contract::catalog::exchanged;
use crate::contract::catalog::known::{self, HEAD_MAP, KnownMistake, SUMS_DOUBLED};

type Wide = Tensors<Vec<f64>>;

pub(super) fn mistakes(wide: Wide, by: &Choices, state: bool) -> Vec<Mistake> {
    known::mistakes(MISTAKES, (&Arc::new(wide), by), move |wide, by| {
        let found = compute(wide, by);
        if state { found.states } else { found.o }
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
