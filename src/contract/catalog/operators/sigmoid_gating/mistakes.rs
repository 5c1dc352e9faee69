//! The mistakes that kernels of a decode step make.

use std::sync::Arc;

use deltanet_reference::gdr::sigmoid_gating::GatingParameters;
use deltanet_reference::operators::sigmoid;
use deltanet_reference::rule::{Convention, GateKind, Norm, Scale, Sizes};

use super::{Choices, Tensors, compute};
use crate::contract::Mistake;
use crate::contract::catalog::exchanged;
use crate::contract::catalog::gates::Arguments;
use crate::contract::catalog::known::{self, KnownMistake, SUMS_DOUBLED};
use crate::contract::catalog::rule::problem::{Call, CallInputs, SequenceCalls};

type Wide = Tensors<f64>;

/// Returns the mistakes as they show in the output, and in the states.
pub(super) fn mistakes(wide: Wide, by: &Choices) -> [Vec<Mistake>; 2] {
    let of_rule = sequences(&wide, by).mistakes(Some(&Arguments {
        a: wide.a.clone(),
        b: wide.b.clone(),
        a_log: wide.a_log.clone(),
        dt_bias: wide.dt_bias.clone(),
        softplus: Some(by.softplus.map(f64::from)),
    }));
    let padding_read = padding_read(&wide, by);
    let known = known::pairs(MISTAKES, (&Arc::new(wide), by), |wide, by| {
        let found = compute(wide, by);
        (found.o, found.states)
    });
    let (in_output, in_states): (Vec<Mistake>, Vec<Mistake>) = known
        .into_iter()
        .chain(of_rule)
        .chain(padding_read)
        .map(Into::into)
        .unzip();
    [in_output, in_states]
}

/// Returns the mistake of a kernel that begins a sequence without a slot with the first state, and leaves it there.
fn padding_read(x: &Wide, by: &Choices) -> Option<[Mistake; 2]> {
    by.slots.iter().find(|slot| **slot < 0)?;
    let mut read = sequences(x, by);
    let slots = read.calls.iter_mut().zip(&by.slots);
    for (call, _) in slots.filter(|(_, slot)| **slot < 0) {
        let line = call.inputs.state.len();
        call.inputs.state.copy_from_slice(&x.states[..line]);
    }
    let explanation = "a negative slot is read as slot 0, where a sequence should begin with zeros";
    Some(Mistake::pair("padding-read", explanation, move || {
        read.right()
    }))
}

/// Returns the sequences as calls of the rule.
fn sequences(x: &Wide, by: &Choices) -> SequenceCalls {
    let layout = by.at.layout();
    let [softplus_beta, softplus_threshold] = by.softplus.map(f64::from);
    let gating = GatingParameters {
        a_log: &x.a_log,
        dt_bias: &x.dt_bias,
        a: &x.a,
        b: &x.b,
        softplus_beta,
        softplus_threshold,
    };
    let (g, beta) = (gating.gates(), gating.strengths());
    let line = layout.value_heads * layout.key_size * layout.value_size;
    let slots: Vec<Option<usize>> = by
        .slots
        .iter()
        .map(|&slot| usize::try_from(slot).ok())
        .collect();
    let calls = slots
        .iter()
        .zip(by.at.bounds.windows(2))
        .map(|(slot, bounds)| {
            let tensors = [&x.q[..], &x.k, &x.v, &g, &beta];
            let state = (&x.states[..], line, *slot);
            let range = bounds[0]..bounds[1];
            Call {
                inputs: CallInputs::of_sequence(tensors, layout.tokens(), range, state),
                convention: Convention {
                    head_map: by.head_map,
                    norm: by.norm,
                    scale: Scale::Factor(by.scale),
                    ..Convention::FLA
                },
                sizes: Sizes {
                    sequences: 1,
                    tokens: bounds[1] - bounds[0],
                    key_heads: layout.key_heads,
                    value_heads: layout.value_heads,
                    key_size: layout.key_size,
                    value_size: layout.value_size,
                    gate_kind: GateKind::PerHead,
                },
                given: slots.iter().any(Option::is_some),
                chunk: None,
            }
        });
    SequenceCalls {
        calls: calls.collect(),
        lines: slots.iter().map(|slot| vec![*slot]).collect(),
        states: x.states.clone(),
        kept: Arc::new(|state| state),
        steps: 1,
        judged: x.v.len(),
    }
}

const MISTAKES: &[KnownMistake<Wide, Choices>] = &[
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
        name: "softplus-steepness",
        explanation: "the softplus is that of steepness 1 and threshold 20, not the one asked for",
        applies: |_, by| by.softplus != [1.0, 20.0],
        change: |_, by| by.softplus = [1.0, 20.0],
    },
    KnownMistake {
        name: "softplus-threshold",
        explanation: "the threshold of the softplus is compared with its argument, and not with the argument times its steepness",
        applies: |_, by| by.softplus[0] != 1.0,
        change: |_, by| by.softplus[1] *= by.softplus[0],
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
