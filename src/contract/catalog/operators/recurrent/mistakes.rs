//! The mistakes that kernels of the recurrence make.

use std::sync::Arc;

use deltanet_reference::rule::{Convention, GateKind, HeadMap, Order, Scale, Sizes};

use super::{Choices, Tensors, compute};
use crate::contract::Mistake;
use crate::contract::catalog::exchanged;
use crate::contract::catalog::known::{self, HEAD_MAP, KnownMistake, SUMS_DOUBLED};
use crate::contract::catalog::rule::problem::{Call, CallInputs, SequenceCalls, transposed};

type Wide = Tensors<Vec<f64>>;

pub(super) fn mistakes(wide: Wide, by: &Choices, state: bool) -> Vec<Mistake> {
    let of_rule = sequences(&wide, by).mistakes(None).into_iter();
    let of_rule = of_rule.map(|[in_output, in_states]| if state { in_states } else { in_output });
    let mut found = known::mistakes(MISTAKES, (&Arc::new(wide), by), move |wide, by| {
        let found = compute(wide, by);
        if state { found.states } else { found.o }
    });
    found.extend(of_rule);
    found
}

/// Returns the sequences as calls of the rule. Gates of value channels and write strengths by channel make each channel a value head of its own,
/// with the state `[K]`: channels of a head share q and k alone.
fn sequences(x: &Wide, by: &Choices) -> SequenceCalls {
    let (bounds, layout) = (&by.at.bounds, by.at.layout());
    let (keys, values) = (layout.key_size, layout.value_size);
    let scalars = layout.tokens() * layout.value_heads;
    let by_channel = x.gv.is_some() || x.beta.len() != scalars;
    let channels = if by_channel { values } else { 1 };
    let each = |values: &[f64]| -> Vec<f64> {
        let copies = channels * scalars / values.len();
        let all = values.iter().flat_map(|x| std::iter::repeat_n(*x, copies));
        all.collect()
    };
    let zeros = || vec![0.0; scalars];
    let of_heads = each(x.g.as_ref().unwrap_or(&zeros()));
    let of_channels = each(x.gv.as_ref().unwrap_or(&zeros()));
    let whole = of_heads.iter().zip(of_channels).map(|(g, gv)| g + gv);
    let (gate_kind, g): (_, Vec<f64>) = match &x.gk {
        None => (GateKind::PerHead, whole.collect()),
        Some(gk) => {
            let rows = gk.chunks(keys);
            let rows = rows.flat_map(|row| std::iter::repeat_n(row, channels));
            let sums = rows
                .zip(whole)
                .flat_map(|(row, g)| row.iter().map(move |gk| gk + g));
            (GateKind::PerKeyChannel, sums.collect())
        }
    };
    let beta = each(&x.beta);
    let line = layout.value_heads * keys * values;
    let count = layout.sequences();
    let states = x.h0.clone().unwrap_or_else(|| vec![0.0; count * line]);
    let initial = match by_channel {
        true => transposed(&states, [keys, values]),
        false => states.clone(),
    };
    let calls = (0..count).map(|n| {
        let range = bounds[n]..bounds[n + 1];
        let tokens = range.len();
        let tensors = [&x.q[..], &x.k, &x.v, &g, &beta];
        let state = (&initial[..], line, Some(n));
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
                value_heads: layout.value_heads * channels,
                key_size: keys,
                value_size: values / channels,
                gate_kind,
            },
            given: x.h0.is_some(),
            chunk: None,
        }
    });
    SequenceCalls {
        calls: calls.collect(),
        lines: (0..count).map(|n| vec![Some(n)]).collect(),
        kept: Arc::new(move |state| match by_channel {
            true => transposed(&state, [values, keys]),
            false => state,
        }),
        steps: 1,
        judged: x.v.len(),
        states,
    }
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
            let shape = [by.at.layout().value_size, by.at.layout().key_size];
            x.h0 = x.h0.take().map(|h0| transposed(&h0, shape));
        },
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::catalog::operators::sequences::Sequences;

    /// Two sequences of two tokens and one, with two key heads, four value heads, three key channels and two value channels.
    fn call(has: [bool; 4]) -> (Wide, Choices) {
        let at = Sequences {
            bounds: vec![0, 2, 3],
            key_heads: 2,
            value_heads: 4,
            key_size: 3,
            value_size: 2,
        };
        let values = |count: usize, by: f64| -> Vec<f64> {
            (0..count).map(|n| (by * (n as f64 + 1.0)).sin()).collect()
        };
        let gates = |count, by| values(count, by).iter().map(|x| x - 1.0).collect();
        let [by_channel, has_gk, has_gv, has_state] = has;
        let x = Tensors {
            q: values(18, 1.1),
            k: values(18, 0.7),
            v: values(24, 2.3),
            beta: values(if by_channel { 24 } else { 12 }, 1.7),
            g: Some(gates(12, 0.9)),
            gk: has_gk.then(|| gates(36, 0.3)),
            gv: has_gv.then(|| gates(24, 3.1)),
            h0: has_state.then(|| values(48, 0.37)),
        };
        let by = Choices {
            at,
            head_map: HeadMap::Block,
            order: Order::DecayFirst,
            scale: Scale::InverseSqrtKeySize,
        };
        (x, by)
    }

    #[test]
    fn sequences_as_calls_of_the_rule_have_the_same_results() {
        for case in 0..16 {
            let has = [1, 2, 4, 8].map(|bit| case & bit != 0);
            let (x, by) = call(has);
            let expected = compute(&x, &by);
            let (output, states) = sequences(&x, &by).right();
            for (found, expected) in states.iter().zip(&expected.states) {
                assert!((found - expected).abs() < 1e-12, "{has:?}");
            }
            for (found, expected) in output.iter().zip(&expected.o) {
                let error = (found - expected).abs();
                assert!(error <= expected.abs() / 256.0, "{has:?}");
            }
            assert_eq!((output.len(), states.len()), (24, 48));
        }
    }
}
