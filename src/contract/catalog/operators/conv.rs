//! The causal convolution whose results are split into q, k and v: a step of decoding, and a prefill.

mod decode;
mod prefill;

use std::sync::Arc;

use deltanet_reference::gdr::conv::Filter;

use super::super::Function;
use super::lengths::LENGTHS;
use crate::contract::{
    Buffer, Choice, DeviceResult, Domain, Factor, Instance, Mistake, Rule, axes,
};
use crate::tensor::Axis;
use crate::tensor::Distribution::Normal;
use crate::tensor::{ElementKind, Stream};

pub(super) const BIAS: (&str, &[&str]) = ("bias", &["with", "without"]);
pub(super) const ACTIVATION: (&str, &[&str]) = ("activation", &["silu", "none"]);

/// Magnitude of the sums: as in a model, or on both sides of the arguments at which e^x and e^-x overflow f32.
pub(super) const REACH: Choice = ("reach", &["usual", "far"]);

/// The exclusion of far reach from cases of few features, of which the activation may leave none.
const FEW: Rule = Rule {
    of: &["kd", REACH.0],
    says: "kd < 8 is of usual reach: SiLU may leave nothing of a few sums that are far below 0",
    breaks: &|case| {
        case.get("kd").is_some_and(|features| features < 8) && case.word(REACH.0) == Some("far")
    },
};

/// The contracts.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "gdr_causal_conv1d_update",
        title: "a step of the convolution, its state kept",
        formulas: &[
            "s_c = (conv_state_c, x_c); of each row the W - 1 elements of its line, then its new tokens; the line is indices of the row",
            "y[c,t] = activation(bias[c] + sum_j w[c,j] s_c[t+j]); silu(x) = x / (1 + e^(-x))",
            "q = y; the first kd channels",
            "k = y; the next kd channels",
            "v = y; the last vd channels",
            "conv_state_c = s_c[seqlen..]; the last W - 1 elements; a row of padding (index -1) changes nothing",
        ],
        dims: &["batch", "kd", "vd", "W", "seqlen"],
        integers: &[],
        words: &[BIAS, ACTIVATION, ("padding", &["none", "some"])],
        outputs: &["q", "k", "v", "conv_state"],
        largest: &[&["batch", "kd", "seqlen"], &["batch", "vd", "seqlen"]],
        domain: Domain::of(&[
            Factor::One("batch", &[1, 3, 5]),
            Factor::Together(&["kd", "vd"], &[&[1, 1], &[5, 7], &[64, 128], &[33, 200]]),
            Factor::One("W", &[2, 3, 4]),
            Factor::One("seqlen", &[1, 2, 5]),
        ])
        .values(&[REACH])
        .without(&[FEW]),
        run: &decode::run,
        ..Function::EMPTY
    },
    Function {
        name: "gdr_causal_conv1d_fwd",
        title: "the convolution of whole sequences",
        formulas: &[
            "y[t,c] = activation(bias[c] + sum_j w[c,j] x[c,t-W+1+j]); zeros before each sequence; silu(x) = x / (1 + e^(-x))",
            "q = y; the first kd channels",
            "k = y; the next kd channels",
            "v = y; the last vd channels",
        ],
        dims: &["kd", "vd", "W"],
        integers: &[],
        words: &[LENGTHS, BIAS, ACTIVATION],
        outputs: &["q", "k", "v"],
        largest: &[&["kd"], &["vd"]],
        domain: Domain::of(&[
            Factor::Together(&["kd", "vd"], &[&[1, 1], &[5, 7], &[16, 31]]),
            Factor::One("W", &[2, 3, 4]),
        ])
        .values(&[REACH]),
        run: &prefill::run,
        ..Function::EMPTY
    },
];

/// Draws numbers that are multiplied and summed. In cases of far reach, elements of sequences (deviation 1) become whole numbers, 120
/// times as large, and all others multiples of 1/64. Their sums are then exact in f32: the rounding error of a sum that cancels would
/// be many places of the output.
pub(super) fn draw(
    t: &mut Instance<'_>,
    kind: ElementKind,
    (name, axes): (&str, Vec<Axis>),
    deviation: f32,
) -> Buffer {
    let far = t.word(REACH.0) == "far";
    let (times, unit) = match deviation < 1.0 {
        true => (1.0, 64.0),
        false => (120.0, 1.0),
    };
    let change = |values: &mut [f32], _: &mut Stream| {
        for value in values.iter_mut().filter(|_| far) {
            *value = (*value * times * unit).round().clamp(-255.0, 255.0) / unit;
        }
    };
    t.draw_changed(kind, name, axes, Normal(deviation), change)
}

/// Draws such numbers as an input of the kernels.
pub(super) fn summand(
    t: &mut Instance<'_>,
    kind: ElementKind,
    named: (&str, Vec<Axis>),
    deviation: f32,
) -> DeviceResult<Buffer> {
    let drawn = draw(t, kind, named, deviation);
    Ok(t.offer(drawn))
}

/// The inputs that both convolutions have.
struct Layer {
    kd: usize,
    vd: usize,
    width: usize,
    weights: Buffer,
    bias: Option<Buffer>,
    silu: bool,
}

impl Layer {
    fn new(t: &mut Instance<'_>, kind: ElementKind) -> DeviceResult<Layer> {
        let [kd, vd, width] = ["kd", "vd", "W"].map(|name| t.dim(name));
        let features = 2 * kd + vd;
        let shape = axes([("feature", features), ("weight", width)]);
        let weights = summand(t, kind, ("w", shape), 0.5)?;
        let bias = match t.word(BIAS.0) {
            "with" => Some(summand(
                t,
                kind,
                ("bias", axes([("feature", features)])),
                0.5,
            )?),
            _ => None,
        };
        Ok(Layer {
            kd,
            vd,
            width,
            weights,
            bias,
            silu: t.word(ACTIVATION.0) == "silu",
        })
    }

    fn features(&self) -> usize {
        2 * self.kd + self.vd
    }

    /// Returns the names of q, k and v with their numbers of features.
    fn parts(&self) -> [(&'static str, usize); 3] {
        [("q", self.kd), ("k", self.kd), ("v", self.vd)]
    }

    fn filter<'a, R>(&self, weights: &'a [R], bias: &'a [R]) -> Filter<'a, R> {
        Filter {
            key_features: self.kd,
            value_features: self.vd,
            width: self.width,
            weights,
            bias: self.bias.map(|_| bias),
            silu: self.silu,
        }
    }
    /// Returns the layer in f64, for mistakes to change.
    fn changed(&self, t: &Instance<'_>) -> MistakenLayer {
        MistakenLayer {
            kd: self.kd,
            vd: self.vd,
            width: self.width,
            weights: t.wide(self.weights),
            bias: self.bias.map(|bias| t.wide(bias)),
            silu: self.silu,
        }
    }

    /// Returns mistakes in the convolution itself, as they show in q, k and v. `run` computes the outputs of the changed layer.
    fn mistakes(
        &self,
        t: &Instance<'_>,
        run: impl Fn(&MistakenLayer) -> [Vec<f64>; 3] + Send + Sync + 'static,
    ) -> [Vec<Mistake>; 3] {
        let honest = self.changed(t);
        let mut all: Vec<(&'static str, &'static str, MistakenLayer)> = Vec::new();
        let mut add = |name, explanation, change: fn(&mut MistakenLayer)| {
            let mut changed = honest.clone();
            change(&mut changed);
            all.push((name, explanation, changed));
        };
        if self.bias.is_some() {
            add("bias-missing", "the bias is missing", |layer| {
                layer.bias = None
            });
        }
        if self.silu {
            add("activation-missing", "the activation is missing", |layer| {
                layer.silu = false
            });
        } else {
            add(
                "activation-added",
                "SiLU is there, which was not asked for",
                |layer| layer.silu = true,
            );
        }
        add(
            "weights-reversed",
            "the weights run from the newest token to the oldest",
            |layer| {
                let width = layer.width;
                layer
                    .weights
                    .chunks_exact_mut(width)
                    .for_each(<[f64]>::reverse);
            },
        );
        let (all, run) = (Arc::new(all), Arc::new(run));
        [0, 1, 2].map(|part| {
            let known = (0..all.len()).map(|at| {
                let (name, explanation, _) = all[at];
                let (all, run) = (Arc::clone(&all), Arc::clone(&run));
                Mistake::new(name, explanation, move || run(&all[at].2)[part].clone())
            });
            known.collect()
        })
    }
}

/// A layer in f64 that a mistake may change.
#[derive(Clone)]
struct MistakenLayer {
    kd: usize,
    vd: usize,
    width: usize,
    weights: Vec<f64>,
    bias: Option<Vec<f64>>,
    silu: bool,
}

impl MistakenLayer {
    fn filter(&self) -> Filter<'_, f64> {
        Filter {
            key_features: self.kd,
            value_features: self.vd,
            width: self.width,
            weights: &self.weights,
            bias: self.bias.as_deref(),
            silu: self.silu,
        }
    }
}
