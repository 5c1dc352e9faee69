//! The mistakes that kernels of a decode step make.

use std::sync::Arc;

use deltanet_reference::operators::sigmoid;
use deltanet_reference::rule::{HeadMap, Norm};

use super::{Choices, Tensors, compute};
use crate::contract::Mistake;
use crate::contract::catalog::exchanged;
use crate::contract::catalog::gates::{self, Arguments, arguments_of, logits_of};
use crate::contract::catalog::known::{self, HEAD_MAP, KnownMistake, SUMS_DOUBLED};

type Wide = Tensors<f64>;

/// Returns the mistakes as they show in the output, and in the states.
pub(super) fn mistakes(wide: Wide, by: &Choices) -> [Vec<Mistake>; 2] {
    let wide = Arc::new(wide);
    let arguments = Arguments {
        a: wide.a.clone(),
        b: wide.b.clone(),
        a_log: wide.a_log.clone(),
        dt_bias: wide.dt_bias.clone(),
    };
    [false, true].map(|in_states| {
        let part = move |wide: &Wide, by: &Choices| {
            let found = compute(wide, by);
            if in_states { found.states } else { found.o }
        };
        let mut mistakes = known::mistakes(MISTAKES, (&wide, by), part);
        // The formula gives the mistake's gates and strengths from other arguments.
        let (x, own) = (Arc::clone(&wide), by.clone());
        mistakes.extend(arguments.gate_mistakes(move |gates| {
            let mut x = Wide::clone(&x);
            x.a = arguments_of(&gates, &x.a_log);
            x.dt_bias.fill(0.0);
            part(&x, &own)
        }));
        let (x, own) = (Arc::clone(&wide), by.clone());
        mistakes.extend(arguments.strength_mistakes(move |strengths| {
            let mut x = Wide::clone(&x);
            x.b = logits_of(&strengths);
            part(&x, &own)
        }));
        let (x, own) = (Arc::clone(&wide), by.clone());
        mistakes.push(Mistake::new(
            gates::DOUBLED.0,
            gates::DOUBLED.1,
            move || {
                let (mut x, mut own) = (Wide::clone(&x), own.clone());
                // A strength of 2 beta is beta for k and v times the root of 2.
                let rows = own.norm.rows(&x.k, own.at.layout().key_size);
                let grown = |values: &[f64]| values.iter().map(|x| x * 2f64.sqrt()).collect();
                (x.k, x.v) = (grown(&rows), grown(&x.v));
                x.q = own.norm.rows(&x.q, own.at.layout().key_size);
                own.norm = Norm::None;
                part(&x, &own)
            },
        ));
        mistakes
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
        change: |_, by| by.scale = 1.0,
    },
    KnownMistake {
        name: exchanged::NAME,
        explanation: "q and k are exchanged",
        applies: |_, _| true,
        change: |x, _| std::mem::swap(&mut x.q, &mut x.k),
    },
    KnownMistake {
        name: exchanged::NAME,
        explanation: "a and b are exchanged",
        applies: |_, _| true,
        change: |x, _| std::mem::swap(&mut x.a, &mut x.b),
    },
    KnownMistake {
        name: exchanged::NAME,
        explanation: "A_log and dt_bias are exchanged",
        applies: |_, _| true,
        change: |x, _| std::mem::swap(&mut x.a_log, &mut x.dt_bias),
    },
    KnownMistake {
        name: exchanged::NAME,
        explanation: "the softplus's steepness and threshold are exchanged",
        applies: |_, by| by.softplus[0] != 0.0 && by.softplus[1] != 0.0,
        change: |_, by| by.softplus.reverse(),
    },
    KnownMistake {
        name: "sums-doubled",
        explanation: SUMS_DOUBLED,
        applies: |_, _| true,
        // Sums over k count twice and its write counts once, as with 2 k and half the strength.
        change: |x, by| {
            let size = by.at.layout().key_size;
            x.k = by.norm.rows(&x.k, size).iter().map(|k| 2.0 * k).collect();
            x.q = by.norm.rows(&x.q, size).iter().map(|q| 2.0 * q).collect();
            by.norm = Norm::None;
            let halved = |b: &f64| {
                let half = sigmoid(&[*b])[0] / 2.0;
                (half / (1.0 - half)).ln()
            };
            x.b = x.b.iter().map(halved).collect();
        },
    },
    KnownMistake {
        name: "norm-missing",
        explanation: "q and k are not normalised",
        applies: |_, by| by.norm != Norm::None,
        change: |_, by| by.norm = Norm::None,
    },
    KnownMistake {
        name: "norm-epsilon",
        explanation: "the epsilon of the norm does not stand under the root",
        applies: |_, by| by.norm != Norm::None,
        change: |_, by| by.norm = Norm::MaxWith(1e-6),
    },
    KnownMistake {
        name: "bias-missing",
        explanation: "dt_bias is left out of the gate",
        applies: |_, _| true,
        change: |x, _| x.dt_bias.fill(0.0),
    },
    KnownMistake {
        name: "softplus-steepness",
        explanation: "the softplus is that of steepness 1 and threshold 20, not the one asked for",
        applies: |_, by| by.softplus != [1.0, 20.0],
        change: |_, by| by.softplus = [1.0, 20.0],
    },
    KnownMistake {
        name: "slots-ignored",
        explanation: "the slots are not looked up: sequence n takes slot n",
        applies: |_, by| {
            by.slots
                .iter()
                .enumerate()
                .any(|(n, &slot)| usize::try_from(slot) != Ok(n))
        },
        change: |_, by| {
            let own = |(n, slot): (usize, &i32)| {
                if *slot < 0 {
                    *slot
                } else {
                    i32::try_from(n).unwrap_or(-1)
                }
            };
            by.slots = by.slots.iter().enumerate().map(own).collect();
        },
    },
    KnownMistake {
        name: "padding-slot",
        explanation: "a negative slot is taken for slot 0",
        applies: |_, by| by.slots.iter().any(|&slot| slot < 0),
        change: |_, by| by.slots.iter_mut().for_each(|slot| *slot = (*slot).max(0)),
    },
    KnownMistake {
        name: "padding-written",
        explanation: "a negative slot is not read, and written as slot 0",
        applies: |_, by| by.slots.iter().any(|&slot| slot < 0) && !by.slots.contains(&0),
        change: |x, by| {
            let slots = by.at.layout().sequences() + 1;
            let size = x.states.len() / slots;
            x.states[..size].fill(0.0);
            if let Some(last) = by.slots.iter_mut().rfind(|slot| **slot < 0) {
                *last = 0;
            }
        },
    },
    KnownMistake {
        name: "states-unchanged",
        explanation: "the states are left as they were",
        applies: |_, _| true,
        change: |_, by| by.slots.fill(-1),
    },
];
