//! The prefill of whole sequences.

use std::sync::Arc;

use deltanet_reference::gdr::conv::{PrefillBatch, prefill};
use deltanet_reference::gdr::index;

use super::super::lengths::lengths;
use super::{Layer, summand};
use crate::contract::{DeviceResult, Instance, Mistake, axes};
use crate::references;
use crate::tensor::ElementKind::F32;

/// Runs the prefill of sequences of the case's lengths, each with a history of zeros.
pub(super) fn run(t: &mut Instance<'_>) -> DeviceResult {
    let layer = Layer::new(t, F32)?;
    let starts = index::cu_seqlens_from_lens(&lengths(t));
    let n = starts.len() - 1;
    let tokens = usize::try_from(starts[n]).unwrap_or(0);
    let features = layer.features();
    let shape = axes([("feature", features), ("token", tokens)]);
    let x = summand(t, F32, ("x", shape), 1.0)?;
    let _starts_at = t.upload(
        "query_start_loc",
        axes([("sequence", n + 1)]),
        starts.clone(),
    )?;
    let of_tokens = |features| axes([("token", tokens), ("feature", features)]);
    let mut outputs = Vec::new();
    for (name, features) in layer.parts() {
        outputs.push(t.output(name, of_tokens(features))?);
    }

    let (weights, bias) = (layer.weights, layer.bias.unwrap_or(layer.weights));
    let (golden, oracle) = references!(t, |x, weights, bias| {
        let batch = PrefillBatch { x, starts: &starts };
        prefill(&layer.filter(weights, bias), &batch)
    });
    let wide = t.wide(x);
    let (at, values) = (starts.clone(), wide.clone());
    let known = layer.mistakes(t, move |changed| {
        let batch = PrefillBatch {
            x: &values,
            starts: &at,
        };
        prefill(&changed.filter(), &batch)
    });
    let honest = layer.changed(t);
    let end = starts[n];
    let across = Arc::new(move || {
        let batch = PrefillBatch {
            x: &wide,
            starts: &[0, end],
        };
        prefill(&honest.filter(), &batch)
    });
    let pairs = golden.into_iter().zip(oracle);
    for (part, (out, (pair, mut known))) in outputs.into_iter().zip(pairs.zip(known)).enumerate() {
        let across = Arc::clone(&across);
        known.push(Mistake::new(
            "history-across",
            "the history of a sequence's first tokens is the end of the sequence before it",
            move || across()[part].clone(),
        ));
        t.check_or(out, pair, known)?;
    }
    Ok(())
}
