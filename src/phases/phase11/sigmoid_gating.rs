//! `fused_sigmoid_gating_delta_rule_update`: a decode step that makes its gates itself, on states in slots.

use std::rc::Rc;

use deltanet_reference::gdr::recurrent::{Call, Recurrent};
use deltanet_reference::gdr::sigmoid_gating::{Gating, sigmoid_gating_update};
use deltanet_reference::rule::{HeadMap, Norm, Order, Scale};
use deltanet_reference::{Real, operators::sigmoid};

use super::sequences::{DIMS, LENGTHS, Sequences};
use crate::compare::ElementKind;
use crate::phases::Function;
use crate::tensor::Distribution::{Normal, Uniform};
use crate::trial::{Arg, Buffer, Mistake, Outcome, Trial, axes, elements, float, int};

/// How fast states decay: as trained models' slow heads do, or with gates on both sides of the softplus's threshold.
const DECAY: (&str, &[&str]) = ("decay", &["slow", "threshold"]);
/// The steepness of the softplus, and its threshold: the usual ones, or others.
const SOFTPLUS: (&str, &[&str]) = ("softplus", &["usual", "steep"]);
/// Whether the kernel normalises q and k, which may be so short that the epsilon counts.
const NORM: (&str, &[&str]) = ("norm", &["none", "inside", "tiny"]);
/// Which slots the sequences have: their own numbers, others, or others with every fourth sequence a padding, the third first.
const SLOTS: (&str, &[&str]) = ("slots", &["own", "others", "padding"]);

/// The function.
pub const FUNCTIONS: &[Function] = &[Function {
    name: "gdr_sigmoid_gating_update",
    title: "gates made inside, states in slots",
    kernels: &["gdr_sigmoid_gating_update_bf16"],
    dims: DIMS,
    integers: &[],
    words: &[LENGTHS, DECAY, SOFTPLUS, NORM, SLOTS],
    outputs: &["o", "h0_source"],
    // One slot more than there are sequences.
    largest: &[
        &["N", "T", "HV", "V"],
        &["N", "T", "H", "K"],
        &["N", "HV", "K", "V"],
        &["HV", "K", "V"],
    ],
    run,
}];

/// The tensors of a call as numbers.
#[derive(Clone)]
struct Tensors<R> {
    q: Vec<R>,
    k: Vec<R>,
    v: Vec<R>,
    a_log: Vec<R>,
    dt_bias: Vec<R>,
    a: Vec<R>,
    b: Vec<R>,
    states: Vec<R>,
}

/// What is not a tensor of floats.
#[derive(Clone)]
struct Choices {
    at: Sequences,
    slots: Vec<i32>,
    head_map: HeadMap,
    norm: Norm,
    scale: f64,
    softplus: [f32; 2],
}

fn compute<R: Real>(x: &Tensors<R>, by: &Choices) -> Recurrent<R> {
    let [softplus_beta, softplus_threshold] = by.softplus.map(|x| R::from_f64(x.into()));
    let call = Call {
        layout: by.at.layout(),
        head_map: by.head_map,
        q: &x.q,
        k: &x.k,
        v: &x.v,
        beta: &[],
        g: None,
        gk: None,
        gv: None,
        norm: by.norm,
        order: Order::DecayFirst,
        scale: R::from_f64(by.scale),
    };
    let gating = Gating {
        a_log: &x.a_log,
        dt_bias: &x.dt_bias,
        a: &x.a,
        b: &x.b,
        softplus_beta,
        softplus_threshold,
    };
    sigmoid_gating_update(&call, &gating, &x.states, &by.slots)
}

/// Sequence n's slot among one more than there are sequences.
fn slots(word: &str, sequences: usize) -> Vec<i32> {
    let slot = |n: usize| match word {
        "own" => n,
        // Slot 0 is left to those who mistake a padding for it.
        _ => sequences - n,
    };
    let number = |n: usize| i32::try_from(slot(n)).unwrap_or(i32::MAX);
    let padding = |n: usize| word == "padding" && n % 4 == 2;
    (0..sequences)
        .map(|n| if padding(n) { -1 } else { number(n) })
        .collect()
}

fn run(t: &mut Trial<'_>) -> Outcome {
    let at = Sequences::new(t)?;
    let layout = at.layout();
    let (heads, sequences, value_size) =
        (layout.value_heads, layout.sequences(), layout.value_size);
    let scale: f32 = Scale::InverseSqrtKeySize.factor(layout.key_size);
    let a_log = t.input("A_log", elements(heads), Uniform(-4.0, 0.5))?;
    let dt_bias = t.input("dt_bias", elements(heads), Uniform(-1.0, 1.0))?;
    // The threshold is of a + dt_bias, and what is above it forgets all but the slowest heads: their gates are of A = e^-4 and more.
    let deviation = if t.word(DECAY.0) == "slow" { 2.0 } else { 30.0 };
    let a = t.input_as(ElementKind::Bf16, "a", at.scalars(), Normal(deviation))?;
    let norm = t.word(NORM.0);
    let q = at.keys(t, "q", norm)?;
    let k = at.keys(t, "k", norm)?;
    let v = at.values(t)?;
    let b = t.input_as(ElementKind::Bf16, "b", at.scalars(), Normal(1.0))?;
    let indices = slots(t.word(SLOTS.0), sequences);
    let before = t.draw(
        "states before",
        at.states("slot", sequences + 1),
        Normal(0.1),
    );
    let states = t.values(before).to_vec();
    let states = t.update("h0_source", at.states("slot", sequences + 1), states)?;
    let slots = t.upload(
        "h0_indices",
        axes([("sequence", sequences)]),
        indices.clone(),
    )?;
    let o = t.output_as(ElementKind::Bf16, "o", at.rows(value_size))?;
    let softplus = if t.word(SOFTPLUS.0) == "usual" {
        [1.0, 20.0]
    } else {
        [2.0, 5.0]
    };
    let mut args: Vec<Arg> = [a_log, a, dt_bias, q, k, v, b].map(Buffer::read).to_vec();
    args.extend([o.write(), states.write(), slots.read(), at.cu_seqlens()]);
    args.extend(at.sizes());
    args.push(float(scale));
    args.extend(softplus.map(float));
    args.push(int(i32::from(norm != "none")));
    t.launch("gdr_sigmoid_gating_update_bf16", at.grid(), &args)?;

    let by = Choices {
        at,
        slots: indices,
        head_map: HeadMap::Block,
        norm: if norm == "none" {
            Norm::None
        } else {
            Norm::FLA
        },
        scale: scale.into(),
        softplus,
    };
    let inputs = [q, k, v, a_log, dt_bias, a, b, before];
    let golden = compute(
        &tensors(inputs.map(|buffer| t.values(buffer).to_vec())),
        &by,
    );
    let wide = tensors(inputs.map(|buffer| t.wide(buffer)));
    let oracle = compute(&wide, &by);
    let [in_output, in_states] = mistakes(wide, &by);
    t.check_or(o, (golden.o, oracle.o), in_output)?;
    t.check_or(states, (golden.states, oracle.states), in_states)
}

fn tensors<R>([q, k, v, a_log, dt_bias, a, b, states]: [Vec<R>; 8]) -> Tensors<R> {
    Tensors {
        q,
        k,
        v,
        a_log,
        dt_bias,
        a,
        b,
        states,
    }
}

type Wide = Tensors<f64>;

/// A mistake that such kernels make: where it shows, and what it makes of a call.
struct Known {
    name: &'static str,
    explanation: &'static str,
    applies: fn(&Choices) -> bool,
    change: fn(&mut Wide, &mut Choices),
}

/// As seen in the output, and in the states.
fn mistakes(wide: Wide, by: &Choices) -> [Vec<Mistake>; 2] {
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

#[cfg(test)]
mod tests {
    use super::slots;

    #[test]
    fn no_two_sequences_share_a_slot() {
        assert_eq!(slots("own", 3), [0, 1, 2]);
        assert_eq!(slots("others", 3), [3, 2, 1]);
        assert_eq!(slots("padding", 4), [4, 3, -1, 1]);
    }
}
