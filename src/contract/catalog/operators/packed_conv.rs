//! The causal convolution over packed sequences, with histories in lines of a cache, and its gradients.

mod cached;
mod gradients;
mod laws;

use super::super::Function;
use super::conv::{ACTIVATION, BIAS, REACH, draw, summand};
use super::sequences::{LENGTHS, bounds};
use crate::contract::catalog::rule::problem::STATE;
use crate::contract::{Buffer, DeviceResult, Domain, Factor, Instance, Rule, axes};
use crate::tensor::Axis;
use crate::tensor::ElementKind::F32;

/// The line that a sequence writes its history to.
const LINES: (&str, &[&str]) = ("written", &["same", "other"]);
/// The sequences that have a history.
const HISTORY: (&str, &[&str]) = ("history", &["all", "some"]);
/// Rows of padding.
const PADDING: (&str, &[&str]) = ("padding", &["none", "some"]);

/// Sizes: sequences shorter than the history and longer, one channel and more than a work-group of 256, two weights up to eight.
const SIZES: [Factor; 4] = [
    Factor::One("N", &[1, 5]),
    Factor::One("T", &[1, 2, 9, 40]),
    Factor::One("D", &[1, 5, 64, 300]),
    Factor::One("W", &[2, 3, 4, 8]),
];

/// Sizes of the gradients: one channel has one gradient by the bias, a sum that may cancel by chance.
const GRADIENT_SIZES: [Factor; 4] = [
    SIZES[0],
    SIZES[1],
    Factor::One("D", &[2, 5, 64, 300]),
    SIZES[3],
];

/// The exclusion of one token without an activation, whose gradient by the bias is that by the output.
const NOTHING_SUMMED: Rule = Rule {
    of: &["N", "T", ACTIVATION.0],
    says: "one token of one sequence has an activation: without one, dbias is a copy of dy",
    breaks: &|case| {
        let one = case.get("N") == Some(1) && case.get("T") == Some(1);
        one && case.word(ACTIVATION.0) == Some("none")
    },
};

/// The exclusion of one token of one channel, whose output may be 0 or x by chance.
const ALONE: Rule = Rule {
    of: &["N", "T", "D"],
    says: "one token of one sequence has several channels: of one, the only output may be 0 or x by chance, as far as it may be off",
    breaks: &|case| ["N", "T", "D"].iter().all(|size| case.get(size) == Some(1)),
};

/// The exclusion of far reach from cases of few channels, of which the activation may leave none.
const FEW: Rule = Rule {
    of: &["D", REACH.0],
    says: "D < 8 is of usual reach: SiLU may leave nothing of a few sums that are far below 0",
    breaks: &|case| {
        let few = case.get("D").is_some_and(|channels| channels < 8);
        few && case.word(REACH.0) == Some("far")
    },
};

/// A contract of the convolution. T is the number of tokens of a sequence, on average where lengths differ.
const CONVOLUTION: Function = Function {
    dims: &["N", "T", "D", "W"],
    largest: &[&["N", "T", "D"], &["N", "D", "W"]],
    ..Function::EMPTY
};

/// The contracts.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "gdn_conv",
        title: "the convolution of packed sequences, their histories in lines of a cache",
        formulas: &[
            "h = cache[read]; of each sequence its line, W - 1 elements of each channel; 0 where has_initial is 0",
            "s_c = (h_c, x_c); of each sequence and channel c the history, then the tokens",
            "y[t,c] = activation(bias[c] + sum_j w[c,j] s_c[t+j]); silu(x) = x / (1 + e^(-x)); where read is -1 y keeps what it held",
            "cache[written] = s_c[-W+1..]; the last W - 1 elements, also of sequences with fewer tokens or none; nothing where read or written is -1",
        ],
        words: &[LENGTHS, BIAS, ACTIVATION, LINES, HISTORY, PADDING],
        outputs: &["y", "cache"],
        domain: Domain::of(&SIZES)
            .values(&[REACH])
            .without(&[ALONE, FEW])
            .relations(&[laws::LINEAR, laws::CHANNELS]),
        run: &cached::run,
        ..CONVOLUTION
    },
    Function {
        name: "gdn_conv_backward",
        title: "the gradients of the convolution of packed sequences",
        formulas: &[
            "s_c = (initial_c, x_c); of each sequence and channel c the history of W - 1 elements, then the tokens",
            "p[t,c] = bias[c] + sum_j w[c,j] s_c[t+j]; y = activation(p) is the convolution, and the last W - 1 elements of s_c its history",
            "a[t,c] = dy[t,c] activation'(p[t,c]); silu'(x) = f (1 + x (1 - f)) with f = 1 / (1 + e^(-x))",
            "ds_c[i] = sum_j w[c,j] a[i-j,c]; the last W - 1 elements have dfinal, too",
            "dx = ds_c[W-1..]",
            "dinitial = ds_c[..W-1]; of each sequence, also where state is zero",
            "dw[c,j] = sum_t a[t,c] s_c[t+j]; over all sequences",
            "dbias[c] = sum_t a[t,c]; over all sequences, also where bias is without",
        ],
        words: &[LENGTHS, BIAS, ACTIVATION, STATE],
        outputs: &["dx", "dw", "dbias", "dinitial"],
        domain: Domain::of(&GRADIENT_SIZES)
            .values(&[REACH])
            .without(&[NOTHING_SUMMED, FEW])
            .relations(&[laws::SCALED, laws::NEGATED, laws::CHANNELS, laws::PRODUCTS]),
        run: &gradients::run,
        ..CONVOLUTION
    },
];

/// The sizes of a case, and the inputs that both contracts have.
struct Layer {
    bounds: Vec<usize>,
    channels: usize,
    width: usize,
    silu: bool,
    x: Buffer,
    weights: Buffer,
    bias: Option<Buffer>,
}

impl Layer {
    fn new(t: &mut Instance<'_>) -> DeviceResult<Layer> {
        let [n, tokens, channels, width] = ["N", "T", "D", "W"].map(|name| t.dim(name));
        let bounds = bounds(t.word(LENGTHS.0), n, tokens);
        if t.word(LENGTHS.0) != "equal" {
            let starts = bounds
                .iter()
                .map(|&at| i32::try_from(at).unwrap_or(i32::MAX));
            let starts: Vec<i32> = starts.collect();
            t.upload("cu_seqlens", axes([("bound", n + 1)]), starts)?;
        }
        let x = summand(t, F32, ("x", of_tokens(n * tokens, channels)), 1.0)?;
        let shape = axes([("channel", channels), ("weight", width)]);
        let weights = summand(t, F32, ("w", shape), 0.5)?;
        let bias = match t.word(BIAS.0) {
            "with" => Some(summand(
                t,
                F32,
                ("bias", axes([("channel", channels)])),
                0.5,
            )?),
            _ => None,
        };
        Ok(Layer {
            bounds,
            channels,
            width,
            silu: t.word(ACTIVATION.0) == "silu",
            x,
            weights,
            bias,
        })
    }

    fn sequences(&self) -> usize {
        self.bounds.len() - 1
    }

    /// Returns the axes of x, y and their gradients.
    fn of_tokens(&self) -> Vec<Axis> {
        let tokens = self.bounds.last().copied().unwrap_or(0);
        of_tokens(tokens, self.channels)
    }

    /// Returns the axes of so many histories.
    fn histories(&self, of: &str, count: usize) -> Vec<Axis> {
        let (channels, places) = (self.channels, self.width - 1);
        axes([(of, count), ("channel", channels), ("place", places)])
    }
}

fn of_tokens(tokens: usize, channels: usize) -> Vec<Axis> {
    axes([("token", tokens), ("channel", channels)])
}
