//! The mistakes that kernels of a decode step make, and what each would leave.

use std::rc::Rc;

use deltanet_reference::operators::sigmoid;
use deltanet_reference::rule::{HeadMap, Norm};

use super::{Choices, Tensors, compute};
use crate::trial::Mistake;

type Wide = Tensors<f64>;

/// A mistake that such kernels make: where it shows, and what it makes of a call.
struct Known {
    name: &'static str,
    explanation: &'static str,
    applies: fn(&Choices) -> bool,
    change: fn(&mut Wide, &mut Choices),
}

/// As seen in the output, and in the states.
pub(super) fn mistakes(wide: Wide, by: &Choices) -> [Vec<Mistake>; 2] {
    let wide = Rc::new(wide);
    [false, true].map(|in_states| {
        let known = MISTAKES.iter().filter(|known| (known.applies)(by));
        let mistake = |known: &'static Known| {
            let (wide, by) = (Rc::clone(&wide), by.clone());
            Mistake {
                name: known.name,
                explanation: known.explanation,
                values: Box::new(move || {
                    let (mut wide, mut by) = (Wide::clone(&wide), by.clone());
                    (known.change)(&mut wide, &mut by);
                    let found = compute(&wide, &by);
                    if in_states { found.states } else { found.o }
                }),
            }
        };
        known.map(mistake).collect()
    })
}

const MISTAKES: &[Known] = &[
    Known {
        name: "head-map",
        explanation: "value heads read the query/key heads of the other map (hv % H for hv / (HV / H))",
        applies: |by| {
            let layout = by.at.layout();
            layout.key_heads > 1 && layout.key_heads < layout.value_heads
        },
        change: |_, by| by.head_map = HeadMap::Tiled,
    },
    Known {
        name: "scale-missing",
        explanation: "q lacks its scale of 1/sqrt(K)",
        applies: |_| true,
        change: |_, by| by.scale = 1.0,
    },
    Known {
        name: "sums-doubled",
        explanation: "sums over the key channels are doubled (an exchange at a distance of 64 gives a lane of a wave of 64 its own value)",
        applies: |_| true,
        // k read twice over and written once: 2 k, with half the strength.
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
    Known {
        name: "norm-missing",
        explanation: "q and k are not normalised",
        applies: |by| by.norm != Norm::None,
        change: |_, by| by.norm = Norm::None,
    },
    Known {
        name: "norm-epsilon",
        explanation: "the epsilon of the norm does not stand under the root",
        applies: |by| by.norm != Norm::None,
        change: |_, by| by.norm = Norm::MaxWith(1e-6),
    },
    Known {
        name: "bias-missing",
        explanation: "dt_bias is left out of the gate",
        applies: |_| true,
        change: |x, _| x.dt_bias.fill(0.0),
    },
    Known {
        name: "softplus-steepness",
        explanation: "the softplus is that of steepness 1 and threshold 20, not the one asked for",
        applies: |by| by.softplus != [1.0, 20.0],
        change: |_, by| by.softplus = [1.0, 20.0],
    },
    Known {
        name: "slots-ignored",
        explanation: "the slots are not looked up: sequence n takes slot n",
        applies: |by| {
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
    Known {
        name: "padding-slot",
        explanation: "a negative slot is taken for slot 0",
        applies: |by| by.slots.iter().any(|&slot| slot < 0),
        change: |_, by| by.slots.iter_mut().for_each(|slot| *slot = (*slot).max(0)),
    },
    Known {
        name: "padding-written",
        explanation: "a negative slot is not read, and written as slot 0",
        applies: |by| by.slots.iter().any(|&slot| slot < 0) && !by.slots.contains(&0),
        change: |x, by| {
            let slots = by.at.layout().sequences() + 1;
            let size = x.states.len() / slots;
            x.states[..size].fill(0.0);
            if let Some(last) = by.slots.iter_mut().rfind(|slot| **slot < 0) {
                *last = 0;
            }
        },
    },
    Known {
        name: "states-unchanged",
        explanation: "the states are left as they were",
        applies: |_| true,
        change: |_, by| by.slots.fill(-1),
    },
];
