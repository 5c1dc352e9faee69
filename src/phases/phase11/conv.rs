//! The causal convolution split into q, k and v: a step of decoding, and a prefill.

use deltanet_reference::gdr::conv::{Filter, Prefill, Update, prefill, update};
use deltanet_reference::gdr::index;

use super::super::Function;
use super::lengths::{LENGTHS, lengths};
use crate::compare::ElementKind::{self, Bf16, F32};
use crate::references;
use crate::tensor::Distribution::Normal;
use crate::trial::{Arg, Buffer, Data, Grid, Outcome, Trial, axes, int, null};
use crate::verdict::Axis;

const BIAS: (&str, &[&str]) = ("bias", &["with", "without"]);
const ACTIVATION: (&str, &[&str]) = ("activation", &["silu", "none"]);

/// Convolutions.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "gdr_causal_conv1d_update",
        title: "a step of the convolution, its state kept",
        kernels: &["gdr_causal_conv1d_update_bf16"],
        dims: &["batch", "kd", "vd", "W", "seqlen"],
        integers: &[],
        words: &[BIAS, ACTIVATION, ("padding", &["none", "some"])],
        outputs: &["q", "k", "v", "conv_state"],
        largest: &[&["batch", "kd", "seqlen"], &["batch", "vd", "seqlen"]],
        run: decode,
    },
    Function {
        name: "gdr_causal_conv1d_fwd",
        title: "the convolution of whole sequences",
        kernels: &["gdr_causal_conv1d_fwd_f32"],
        dims: &["kd", "vd", "W"],
        integers: &[],
        words: &[LENGTHS, BIAS, ACTIVATION],
        outputs: &["q", "k", "v"],
        largest: &[&["kd"], &["vd"]],
        run: whole,
    },
];

/// What both launches take of the convolution itself.
struct Layer {
    kd: usize,
    vd: usize,
    width: usize,
    weights: Buffer,
    bias: Option<Buffer>,
    silu: bool,
}

impl Layer {
    fn new(t: &mut Trial<'_>, kind: ElementKind) -> Outcome<Layer> {
        let [kd, vd, width] = ["kd", "vd", "W"].map(|name| t.dim(name));
        let features = 2 * kd + vd;
        let shape = axes([("feature", features), ("weight", width)]);
        let weights = t.input_as(kind, "w", shape, Normal(0.5))?;
        let bias = match t.word(BIAS.0) {
            "with" => Some(t.input_as(kind, "bias", axes([("feature", features)]), Normal(0.5))?),
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

    /// q, k and v by name, with their features.
    fn parts(&self) -> [(&'static str, usize); 3] {
        [("q", self.kd), ("k", self.kd), ("v", self.vd)]
    }

    fn bias(&self) -> Arg {
        self.bias.map_or(null(), Buffer::read)
    }

    fn activation(&self) -> Arg {
        int(i32::from(self.silu))
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
}

/// The rows of the batch have lines of the state in no order, and two lines are nobody's. With padding every third row has
/// none, and q, k and v begin with numbers that must stay there.
fn decode(t: &mut Trial<'_>) -> Outcome {
    let layer = Layer::new(t, Bf16)?;
    let (batch, tokens) = (t.dim("batch"), t.dim("seqlen"));
    let (features, count) = (layer.features(), batch + 2);
    let pads = t.word("padding") == "some";
    let line = |row: usize| match row % 3 {
        1 if pads => -1,
        _ => i32::try_from(count - 1 - row).unwrap_or(-1),
    };
    let lines: Vec<i32> = (0..batch).map(line).collect();
    let of_rows =
        |features: usize| axes([("row", batch), ("feature", features), ("token", tokens)]);
    let x = t.input_as(Bf16, "x", of_rows(features), Normal(1.0))?;
    let state_axes = || {
        axes([
            ("line", count),
            ("feature", features),
            ("place", layer.width - 1),
        ])
    };
    let before = t.draw_as(Bf16, "conv_state before", state_axes(), Normal(1.0));
    let held = Data::bf16(t.values(before).to_vec());
    let state = t.update("conv_state", state_axes(), held)?;
    let indices = t.upload("indices", axes([("row", batch)]), lines.clone())?;
    let mut outputs = Vec::new();
    let mut stale = Vec::new();
    for (name, features) in layer.parts() {
        let shape = of_rows(features);
        let old = t.draw_as(Bf16, &format!("{name} before"), shape.clone(), Normal(1.0));
        outputs.push(if pads {
            let held = Data::bf16(t.values(old).to_vec());
            t.update(name, shape, held)?
        } else {
            t.output_as(Bf16, name, shape)?
        });
        stale.push(old);
    }
    let args = [
        x.read(),
        layer.weights.read(),
        layer.bias(),
        state.write(),
        indices.read(),
        outputs[0].write(),
        outputs[1].write(),
        outputs[2].write(),
        int(batch),
        int(layer.kd),
        int(layer.vd),
        int(layer.width),
        int(tokens),
        layer.activation(),
    ];
    let grid = Grid::of([features.div_ceil(256), batch, 1], 256);
    t.launch("gdr_causal_conv1d_update_bf16", grid, &args)?;

    let (weights, bias) = (layer.weights, layer.bias.unwrap_or(layer.weights));
    let [q, k, v] = [stale[0], stale[1], stale[2]];
    let (golden, oracle) = references!(t, |x, weights, bias, before, q, k, v| {
        let step = Update {
            x,
            tokens,
            state: before,
            lines: &lines,
        };
        let held = [q, k, v].map(<[_]>::to_vec);
        update(&layer.filter(weights, bias), &step, held)
    });
    for (out, pair) in outputs
        .into_iter()
        .zip(golden.qkv.into_iter().zip(oracle.qkv))
    {
        t.check(out, pair)?;
    }
    t.check(state, (golden.state, oracle.state))
}

fn whole(t: &mut Trial<'_>) -> Outcome {
    let layer = Layer::new(t, F32)?;
    let starts = index::cu_seqlens_from_lens(&lengths(t));
    let n = starts.len() - 1;
    let tokens = usize::try_from(starts[n]).unwrap_or(0);
    let features = layer.features();
    let shape = axes([("feature", features), ("token", tokens)]);
    let x = t.input("x", shape, Normal(1.0))?;
    let starts_at = t.upload(
        "query_start_loc",
        axes([("sequence", n + 1)]),
        starts.clone(),
    )?;
    let of_tokens = |features| -> Vec<Axis> { axes([("token", tokens), ("feature", features)]) };
    let mut outputs = Vec::new();
    for (name, features) in layer.parts() {
        outputs.push(t.output(name, of_tokens(features))?);
    }
    let args = [
        x.read(),
        layer.weights.read(),
        layer.bias(),
        starts_at.read(),
        outputs[0].write(),
        outputs[1].write(),
        outputs[2].write(),
        int(layer.kd),
        int(layer.vd),
        int(tokens),
        int(n),
        int(layer.width),
        layer.activation(),
    ];
    let grid = Grid::of([tokens.div_ceil(32), features.div_ceil(32), 1], 256);
    t.launch("gdr_causal_conv1d_fwd_f32", grid, &args)?;

    let (weights, bias) = (layer.weights, layer.bias.unwrap_or(layer.weights));
    let (golden, oracle) = references!(t, |x, weights, bias| {
        let batch = Prefill { x, starts: &starts };
        prefill(&layer.filter(weights, bias), &batch)
    });
    for (out, pair) in outputs.into_iter().zip(golden.into_iter().zip(oracle)) {
        t.check(out, pair)?;
    }
    Ok(())
}
