//! The convolution with histories in lines of a cache.

use std::sync::Arc;

use deltanet_reference::Real;
use deltanet_reference::gdr::packed_conv::{
    HistoryLines, PackedConv, PackedConvDeparture, PackedConvResults, packed_conv_with_departure,
};

use super::{HISTORY, LINES, Layer, PADDING, draw};
use crate::contract::catalog::known::{self, KnownMistake};
use crate::contract::{DeviceResult, Instance, axes};
use crate::tensor::Distribution::Normal;
use crate::tensor::ElementKind::F32;

/// The tensors of floats.
#[derive(Clone)]
struct Tensors<R> {
    x: Vec<R>,
    weights: Vec<R>,
    bias: Option<Vec<R>>,
    cache: Vec<R>,
    /// The content of y before the call.
    before: Vec<R>,
}

/// The parameters that are not tensors of floats.
#[derive(Clone)]
struct Choices {
    bounds: Vec<usize>,
    channels: usize,
    width: usize,
    silu: bool,
    read: Vec<i32>,
    written: Vec<i32>,
    has_initial: Vec<i32>,
    departure: Option<PackedConvDeparture>,
}

fn compute<R: Real>(x: &Tensors<R>, by: &Choices) -> PackedConvResults<R> {
    let conv = PackedConv {
        channels: by.channels,
        width: by.width,
        weights: &x.weights,
        bias: x.bias.as_deref(),
        silu: by.silu,
        bounds: &by.bounds,
    };
    let lines = HistoryLines {
        read: &by.read,
        written: &by.written,
        has_initial: &by.has_initial,
    };
    packed_conv_with_departure(&conv, &x.x, &x.cache, &lines, &x.before, by.departure)
}

/// Returns the lines that sequences read and write, and the number of lines. Line 0 stays unused, so that a kernel that takes -1 for line 0
/// shows. A sequence of padding reads and writes nothing; some others do not keep their history.
fn lines(sequences: usize, other: bool, pads: bool) -> (Vec<i32>, Vec<i32>, usize) {
    let line = |at: usize, absent: bool| match i32::try_from(at) {
        Ok(at) if !absent => at,
        _ => -1,
    };
    let padding = |n: usize| pads && n % 4 == 2;
    let read = (0..sequences).map(|n| line(sequences - n, padding(n)));
    let written = (0..sequences).map(|n| {
        let at = if other {
            sequences + 1 + n
        } else {
            sequences - n
        };
        line(at, padding(n) || pads && n % 4 == 1)
    });
    let count = if other { 2 * sequences } else { sequences } + 1;
    (read.collect(), written.collect(), count)
}

pub(super) fn run(t: &mut Instance<'_>) -> DeviceResult {
    let layer = Layer::new(t)?;
    let n = layer.sequences();
    let pads = t.word(PADDING.0) == "some";
    let (read, written, count) = lines(n, t.word(LINES.0) == "other", pads);
    let every = t.word(HISTORY.0) == "all";
    let flags = t.flags("has_initial", (0..n).map(|n| every || n % 2 == 1));
    let has_initial: Vec<i32> = flags.into_iter().map(i32::from).collect();
    let of_sequences = || axes([("sequence", n)]);
    let _read = t.upload("read", of_sequences(), read.clone())?;
    let _written = t.upload("written", of_sequences(), written.clone())?;
    let _flags = t.upload("has_initial", of_sequences(), has_initial.clone())?;
    let of_cache = layer.histories("line", count);
    let held = draw(t, F32, ("cache before", of_cache.clone()), 1.0);
    let values = t.values(held).to_vec();
    let cache = t.update("cache", of_cache, values)?;
    let stale = t.draw("y before", layer.of_tokens(), Normal(1.0));
    let y = if pads {
        let values = t.values(stale).to_vec();
        t.update("y", layer.of_tokens(), values)?
    } else {
        t.output("y", layer.of_tokens())?
    };

    let by = Choices {
        bounds: layer.bounds,
        channels: layer.channels,
        width: layer.width,
        silu: layer.silu,
        read,
        written,
        has_initial,
        departure: None,
    };
    let golden = Tensors {
        x: t.values(layer.x).to_vec(),
        weights: t.values(layer.weights).to_vec(),
        bias: layer.bias.map(|bias| t.values(bias).to_vec()),
        cache: t.values(held).to_vec(),
        before: t.values(stale).to_vec(),
    };
    let golden = compute(&golden, &by);
    let wide = Arc::new(Tensors {
        x: t.wide(layer.x),
        weights: t.wide(layer.weights),
        bias: layer.bias.map(|bias| t.wide(bias)),
        cache: t.wide(held),
        before: t.wide(stale),
    });
    let oracle = compute(&wide, &by);
    let in_output = known::mistakes(MISTAKES, (&wide, &by), |x, by| compute(x, by).y);
    let in_cache = known::mistakes(MISTAKES, (&wide, &by), |x, by| compute(x, by).cache);
    t.check_or(y, (golden.y, oracle.y), in_output)?;
    t.check_or(cache, (golden.cache, oracle.cache), in_cache)
}

const MISTAKES: &[KnownMistake<Tensors<f64>, Choices>] = &[
    KnownMistake {
        name: "bias-missing",
        explanation: "the bias is missing",
        applies: |x, _| x.bias.is_some(),
        change: |x, _| x.bias = None,
    },
    KnownMistake {
        name: "activation-missing",
        explanation: "the activation is missing",
        applies: |_, by| by.silu,
        change: |_, by| by.silu = false,
    },
    KnownMistake {
        name: "activation-added",
        explanation: "SiLU is there, which was not asked for",
        applies: |_, by| !by.silu,
        change: |_, by| by.silu = true,
    },
    KnownMistake {
        name: "weights-reversed",
        explanation: "the weights run from the newest token to the oldest",
        applies: |_, _| true,
        change: |x, by| {
            let rows = x.weights.chunks_exact_mut(by.width);
            rows.for_each(<[f64]>::reverse);
        },
    },
    KnownMistake {
        name: "history-across",
        explanation: "the history of a sequence's first tokens is the end of the sequence before it",
        applies: |_, _| true,
        change: |_, by| by.departure = Some(PackedConvDeparture::HistoryAcross),
    },
    KnownMistake {
        name: "short-not-shifted",
        explanation: "a sequence shorter than the history leaves the old elements at their places",
        applies: |_, by| {
            let short = |pair: &[usize]| pair[1] - pair[0] + 1 < by.width;
            by.bounds.windows(2).any(short)
        },
        change: |_, by| by.departure = Some(PackedConvDeparture::ShortNotShifted),
    },
    KnownMistake {
        name: "padding-computed",
        explanation: "a sequence whose line is -1 is computed, with the history of line 0",
        applies: |_, by| by.read.contains(&-1),
        change: |_, by| by.read.iter_mut().for_each(|line| *line = (*line).max(0)),
    },
    KnownMistake {
        name: "padding-is-line-0",
        explanation: "line -1 is taken for line 0, which is read and written",
        applies: |_, by| by.written.contains(&-1),
        change: |_, by| {
            let lines = by.read.iter_mut().chain(&mut by.written);
            lines.for_each(|line| *line = (*line).max(0));
        },
    },
    KnownMistake {
        name: "flag-ignored",
        explanation: "the history is read where has_initial is 0",
        applies: |_, by| by.has_initial.contains(&0),
        change: |_, by| by.has_initial.fill(1),
    },
    KnownMistake {
        name: "initial-ignored",
        explanation: "the history before every sequence is taken as zeros",
        applies: |_, by| by.has_initial.contains(&1),
        change: |_, by| by.has_initial.fill(0),
    },
    KnownMistake {
        name: "flag-inverted",
        explanation: "has_initial is taken the other way round",
        applies: |_, by| by.has_initial.contains(&0) && by.has_initial.contains(&1),
        change: |_, by| by.has_initial.iter_mut().for_each(|flag| *flag = 1 - *flag),
    },
    KnownMistake {
        name: "written-to-read-line",
        explanation: "the history after a sequence is written to the line that it was read from",
        applies: |_, by| by.read != by.written,
        change: |_, by| {
            for (written, read) in by.written.iter_mut().zip(&by.read) {
                if *written >= 0 {
                    *written = *read;
                }
            }
        },
    },
    KnownMistake {
        name: "cache-stale",
        explanation: "the cache is left as it was",
        applies: |_, _| true,
        change: |_, by| by.written.fill(-1),
    },
];

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn no_line_is_written_twice_or_read_by_another_sequence() {
        assert_eq!(lines(2, false, false), (vec![2, 1], vec![2, 1], 3));
        assert_eq!(lines(2, true, true), (vec![2, 1], vec![3, -1], 5));
        let (read, written, count) = lines(5, true, true);
        assert_eq!(read, [5, 4, -1, 2, 1]);
        assert_eq!(written, [6, -1, -1, 9, 10]);
        assert_eq!(count, 11);
    }
}
