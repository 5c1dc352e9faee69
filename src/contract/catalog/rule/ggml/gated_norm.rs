//! The gated norm of the layer's output.

use std::sync::Arc;

use deltanet_reference::operators::sigmoid;
use deltanet_reference::rule::ggml_gated_norm;

use super::EPSILON;
use crate::contract::catalog::known::{self, KnownMistake};
use crate::contract::catalog::values;
use crate::contract::{Choice, DeviceResult, Instance, Rule, axes};
use crate::references;
use crate::tensor::Distribution::{Normal, Uniform};
use crate::tensor::{ElementKind, Stream};

/// Magnitude of the rows: around 1, or so short that the epsilon counts.
pub const SIZE: Choice = ("size", &["usual", "tiny"]);
/// Magnitude of z: as in a model, or on both sides of the arguments at which e^x and e^-x overflow f32.
pub const REACH: Choice = ("reach", &["usual", "far"]);
/// The exclusion of far reach from cases of few elements, of which the gate may leave none.
pub const FAR: Rule = Rule {
    of: &["S", REACH.0],
    says: "S = 1 is of usual reach: SiLU may leave nothing of a few elements that are far below 0",
    breaks: &|case| case.get("S") == Some(1) && case.word(REACH.0) == Some("far"),
};

pub fn run(t: &mut Instance<'_>) -> DeviceResult {
    let [channels, heads, tokens, sequences] = ["S", "H", "T", "N"].map(|name| t.dim(name));
    let shape = || {
        axes([
            ("sequence", sequences),
            ("token", tokens),
            ("head", heads),
            ("channel", channels),
        ])
    };
    let tiny = t.word(SIZE.0) == "tiny";
    let squares = EPSILON * channels as f64;
    let short = |values: &mut [f32], _: &mut Stream| {
        if tiny {
            values::shorten(values, channels, squares, 0);
        } else {
            // Heads differ in magnitude, so that a norm over all of them shows.
            for (row, values) in values.chunks_exact_mut(channels).enumerate() {
                let factor = [1.0, 0.05, 30.0][row % 3];
                values.iter_mut().for_each(|x| *x *= factor);
            }
        }
    };
    let x = t.draw_changed(ElementKind::F32, "x", shape(), Normal(1.0), short);
    t.offer(x);
    let weights = axes([("channel", channels)]);
    let ssm_norm = t.input("ssm_norm", weights, Uniform(0.5, 1.5))?;
    let reach = if t.word(REACH.0) == "far" { 60.0 } else { 1.0 };
    let z = t.input("z", shape(), Normal(reach))?;
    let y = t.output("y", shape())?;
    let references = references!(t, |x, ssm_norm, z| ggml_gated_norm(x, ssm_norm, z, EPSILON));
    let wide = NormTensors {
        x: t.wide(x),
        weight: t.wide(ssm_norm),
        z: t.wide(z),
    };
    let by = NormChoices::right(heads);
    let known = known::mistakes(MISTAKES, (&Arc::new(wide), &by), gated_norm);
    t.check_or(y, references, known)
}

/// The tensors of a gated norm in f64.
#[derive(Clone)]
pub struct NormTensors {
    pub x: Vec<f64>,
    pub weight: Vec<f64>,
    pub z: Vec<f64>,
}

/// Place and form of the gate.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Gating {
    /// SiLU of z, after the norm.
    After,
    /// SiLU of z, before the norm.
    Before,
    /// z itself, after the norm.
    Linear,
    /// The sigmoid of z, after the norm.
    Sigmoid,
}

/// Choices that a mistake may change.
#[derive(Clone)]
pub struct NormChoices {
    pub heads: usize,
    /// True if all heads of a token share a norm.
    pub over_heads: bool,
    /// True if the squares are summed, and no mean is taken of them.
    pub of_sum: bool,
    pub gating: Gating,
}

impl NormChoices {
    /// Returns the right choices.
    pub fn right(heads: usize) -> NormChoices {
        NormChoices {
            heads,
            over_heads: false,
            of_sum: false,
            gating: Gating::After,
        }
    }
}

/// Computes the gated norm with the choices.
pub fn gated_norm(x: &NormTensors, by: &NormChoices) -> Vec<f64> {
    let channels = x.weight.len();
    let width = if by.over_heads { by.heads } else { 1 } * channels;
    let gates = sigmoid(&x.z);
    let gates: Vec<f64> = gates
        .iter()
        .zip(&x.z)
        .map(|(gate, z)| match by.gating {
            Gating::After | Gating::Before => gate * z,
            Gating::Linear => *z,
            Gating::Sigmoid => *gate,
        })
        .collect();
    let elements = x.x.iter().zip(&gates);
    let before: Vec<f64> = elements
        .map(|(x, gate)| match by.gating {
            Gating::Before => x * gate,
            _ => *x,
        })
        .collect();
    let factors = before.chunks_exact(width).flat_map(|row| {
        let sum: f64 = row.iter().map(|x| x * x).sum();
        let mean = if by.of_sum { sum } else { sum / width as f64 };
        std::iter::repeat_n(1.0 / (mean + EPSILON).sqrt(), width)
    });
    let elements = before.iter().zip(factors).zip(x.weight.iter().cycle());
    elements
        .zip(&gates)
        .map(|(((x, factor), weight), gate)| match by.gating {
            Gating::Before => x * factor * weight,
            _ => x * factor * weight * gate,
        })
        .collect()
}

const MISTAKES: &[KnownMistake<NormTensors, NormChoices>] = &[
    KnownMistake {
        name: "norm-over-heads",
        explanation: "the norm is that of all heads of a token",
        applies: |_, by| by.heads > 1,
        change: |_, by| by.over_heads = true,
    },
    KnownMistake {
        name: "gate-first",
        explanation: "the gate is applied before the norm",
        applies: |_, _| true,
        change: |_, by| by.gating = Gating::Before,
    },
    KnownMistake {
        name: "gate-linear",
        explanation: "z itself is the gate, without its activation",
        applies: |_, _| true,
        change: |_, by| by.gating = Gating::Linear,
    },
    KnownMistake {
        name: "gate-sigmoid",
        explanation: "the gate is the sigmoid of z, and not z times that",
        applies: |_, _| true,
        change: |_, by| by.gating = Gating::Sigmoid,
    },
    KnownMistake {
        name: "norm-of-sum",
        explanation: "the norm is the root of the sum of squares, and not of their mean",
        applies: |x, _| x.weight.len() > 1,
        change: |_, by| by.of_sum = true,
    },
];
