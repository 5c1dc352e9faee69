//! A step of decoding, which updates the state.

use deltanet_reference::gdr::conv::{UpdateBatch, update};

use super::{Layer, draw, summand};
use crate::contract::{DeviceResult, Instance, axes};
use crate::references;
use crate::tensor::Data;
use crate::tensor::Distribution::Normal;
use crate::tensor::ElementKind::Bf16;

/// Runs the decoding step. The rows of the batch use the lines of the state in reverse order, and two lines are unused.
/// Every third row has no line if there is padding, and its part of q, k and v must keep its initial values.
pub(super) fn run(t: &mut Instance<'_>) -> DeviceResult {
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
    let x = summand(t, Bf16, ("x", of_rows(features)), 1.0)?;
    let state_axes = || {
        axes([
            ("line", count),
            ("feature", features),
            ("place", layer.width - 1),
        ])
    };
    let before = draw(t, Bf16, ("conv_state before", state_axes()), 1.0);
    let held = Data::bf16(t.values(before).to_vec());
    let state = t.update("conv_state", state_axes(), held)?;
    let _indices = t.upload("indices", axes([("row", batch)]), lines.clone())?;
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

    let (weights, bias) = (layer.weights, layer.bias.unwrap_or(layer.weights));
    let [q, k, v] = [stale[0], stale[1], stale[2]];
    let (golden, oracle) = references!(t, |x, weights, bias, before, q, k, v| {
        let step = UpdateBatch {
            x,
            tokens,
            state: before,
            lines: &lines,
        };
        let held = [q, k, v].map(<[_]>::to_vec);
        update(&layer.filter(weights, bias), &step, held)
    });
    let wide = [x, before, q, k, v].map(|buffer| t.wide(buffer));
    let known = layer.mistakes(t, move |changed| {
        let [x, state, q, k, v] = &wide;
        let step = UpdateBatch {
            x,
            tokens,
            state,
            lines: &lines,
        };
        let held = [q, k, v].map(Vec::clone);
        update(&changed.filter(), &step, held).qkv
    });
    let pairs = golden.qkv.into_iter().zip(oracle.qkv);
    for (out, (pair, known)) in outputs.into_iter().zip(pairs.zip(known)) {
        t.check_or(out, pair, known)?;
    }
    t.check(state, (golden.state, oracle.state))
}
