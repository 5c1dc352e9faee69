//! The gradients of the convolution.

use std::sync::Arc;

use deltanet_reference::Real;
use deltanet_reference::gdr::packed_conv::{
    PackedConv, PackedConvGradientDeparture as Departure, PackedConvGradients,
    packed_conv_backward_with_departure,
};

use super::{Layer, summand};
use crate::contract::catalog::known::{self, KnownMistake};
use crate::contract::catalog::rule::problem::STATE;
use crate::contract::{DeviceResult, Instance, axes};
use crate::tensor::Distribution::Normal;
use crate::tensor::ElementKind::F32;

/// The tensors of floats.
#[derive(Clone)]
struct Tensors<R> {
    x: Vec<R>,
    weights: Vec<R>,
    bias: Option<Vec<R>>,
    initial: Vec<R>,
    dy: Vec<R>,
    dfinal: Vec<R>,
}

/// The parameters that are not tensors of floats.
#[derive(Clone)]
struct Choices {
    bounds: Vec<usize>,
    channels: usize,
    width: usize,
    silu: bool,
    departure: Option<Departure>,
}

fn compute<R: Real>(x: &Tensors<R>, by: &Choices) -> PackedConvGradients<R> {
    let conv = PackedConv {
        channels: by.channels,
        width: by.width,
        weights: &x.weights,
        bias: x.bias.as_deref(),
        silu: by.silu,
        bounds: &by.bounds,
    };
    let gradients = [&x.dy[..], &x.dfinal];
    packed_conv_backward_with_departure(&conv, &x.x, &x.initial, gradients, by.departure)
}

pub(super) fn run(t: &mut Instance<'_>) -> DeviceResult {
    let layer = Layer::new(t)?;
    let n = layer.sequences();
    let histories = layer.histories("sequence", n);
    let initial = match t.word(STATE.0) {
        "random" => summand(t, F32, ("initial", histories.clone()), 1.0)?,
        _ => t.draw("initial", histories.clone(), Normal(0.0)),
    };
    let dy = t.input("dy", layer.of_tokens(), Normal(1.0))?;
    let dfinal = t.input("dfinal", histories.clone(), Normal(1.0))?;
    let dx = t.output("dx", layer.of_tokens())?;
    let of_weights = axes([("channel", layer.channels), ("weight", layer.width)]);
    let dw = t.output("dw", of_weights)?;
    let dbias = t.output("dbias", axes([("channel", layer.channels)]))?;
    let dinitial = t.output("dinitial", histories)?;

    let golden = Tensors {
        x: t.values(layer.x).to_vec(),
        weights: t.values(layer.weights).to_vec(),
        bias: layer.bias.map(|bias| t.values(bias).to_vec()),
        initial: t.values(initial).to_vec(),
        dy: t.values(dy).to_vec(),
        dfinal: t.values(dfinal).to_vec(),
    };
    let wide = Arc::new(Tensors {
        x: t.wide(layer.x),
        weights: t.wide(layer.weights),
        bias: layer.bias.map(|bias| t.wide(bias)),
        initial: t.wide(initial),
        dy: t.wide(dy),
        dfinal: t.wide(dfinal),
    });
    let by = Choices {
        bounds: layer.bounds,
        channels: layer.channels,
        width: layer.width,
        silu: layer.silu,
        departure: None,
    };
    let (golden, oracle) = (compute(&golden, &by), compute(&wide, &by));
    let parts: [fn(PackedConvGradients<f64>) -> Vec<f64>; 4] =
        [|x| x.x, |x| x.weights, |x| x.bias, |x| x.initial];
    let [in_x, in_w, in_bias, in_initial] = parts
        .map(|part| known::mistakes(MISTAKES, (&wide, &by), move |x, by| part(compute(x, by))));
    t.check_or(dx, (golden.x, oracle.x), in_x)?;
    t.check_or(dw, (golden.weights, oracle.weights), in_w)?;
    t.check_or(dbias, (golden.bias, oracle.bias), in_bias)?;
    t.check_or(dinitial, (golden.initial, oracle.initial), in_initial)
}

const MISTAKES: &[KnownMistake<Tensors<f64>, Choices>] = &[
    KnownMistake {
        name: "bias-missing",
        explanation: "the bias is missing in the sum whose activation is derived",
        applies: |x, by| x.bias.is_some() && by.silu,
        change: |x, _| x.bias = None,
    },
    KnownMistake {
        name: "sigmoid-slope",
        explanation: "the derivative is that of the sigmoid, and not of SiLU",
        applies: |_, by| by.silu,
        change: |_, by| by.departure = Some(Departure::SigmoidDerivative),
    },
    KnownMistake {
        name: "bias-of-dy",
        explanation: "dbias is the sum of dy, without the derivative of the activation",
        applies: |_, by| by.silu,
        change: |_, by| by.departure = Some(Departure::BiasWithoutActivation),
    },
    KnownMistake {
        name: "slope-missing",
        explanation: "the derivative of the activation is missing",
        applies: |_, by| by.silu,
        change: |_, by| by.silu = false,
    },
    KnownMistake {
        name: "weights-reversed",
        explanation: "dx takes the weights from the last to the first",
        applies: |_, _| true,
        change: |_, by| by.departure = Some(Departure::WeightsReversed),
    },
    KnownMistake {
        name: "one-sequence",
        explanation: "dw and dbias are those of the last sequence, and no sum over the sequences",
        applies: |_, by| by.bounds.len() > 2,
        change: |_, by| by.departure = Some(Departure::OneSequence),
    },
    KnownMistake {
        name: "short-not-passed-on",
        explanation: "of a sequence shorter than the history nothing of dfinal reaches dinitial",
        applies: |_, by| {
            let short = |pair: &[usize]| pair[1] - pair[0] + 1 < by.width;
            by.bounds.windows(2).any(short)
        },
        change: |_, by| by.departure = Some(Departure::ShortNotPassedOn),
    },
    KnownMistake {
        name: "initial-ignored",
        explanation: "the history before every sequence is taken as zeros",
        applies: |x, _| x.initial.iter().any(|x| *x != 0.0),
        change: |x, _| x.initial.fill(0.0),
    },
    KnownMistake {
        name: "final-gradient-ignored",
        explanation: "the gradient by the history after every sequence is taken as zeros",
        applies: |_, _| true,
        change: |x, _| x.dfinal.fill(0.0),
    },
];
