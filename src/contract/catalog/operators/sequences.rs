//! Shared parts of the recurrent operators: sequences of any lengths, packed one after another, with bf16 tensors.

use deltanet_reference::gdr::recurrent::Layout;

use crate::contract::catalog::rule::problem::{HEADS, unit};
use crate::contract::catalog::{sizes, values};
use crate::contract::{Buffer, DeviceResult, Factor, Instance, axes};
use crate::tensor::Distribution::Normal;
use crate::tensor::ElementKind;
use crate::tensor::{Axis, Data};

/// Sequences, tokens of each (on average, where lengths differ), query/key heads, value heads, key channels, value channels.
pub const DIMS: &[&str] = &["N", "T", "H", "HV", "K", "V"];
/// Lengths of the sequences: T tokens each, without `cu_seqlens`; growing lengths; growing lengths with every third
/// sequence empty.
pub const LENGTHS: (&str, &[&str]) = ("lengths", &["equal", "unequal", "empty"]);
/// Test sizes: one token, two tokens, and more than two chunks; one to four value heads per key head; numbers of heads
/// and channels that are no power of two; more keys than values, and fewer.
pub const SIZES: [Factor; 5] = [
    Factor::One("N", &[1, 4]),
    Factor::One("T", &[1, 2, 129]),
    HEADS,
    sizes::KEY_CHANNELS,
    sizes::VALUE_CHANNELS,
];

/// The largest tensors.
pub const LARGEST: &[&[&str]] = &[
    &["N", "T", "HV", "K"],
    &["N", "T", "HV", "V"],
    &["N", "HV", "K", "V"],
];

/// The sizes of a case, and the bounds of its sequences.
#[derive(Clone)]
pub struct Sequences {
    /// The first token of each sequence, and the number of tokens.
    pub bounds: Vec<usize>,
    pub(super) key_heads: usize,
    pub(super) value_heads: usize,
    pub(super) key_size: usize,
    pub(super) value_size: usize,
}

impl Sequences {
    /// Computes the sequences of a case, and uploads their bounds if their lengths differ.
    pub fn new(t: &mut Instance<'_>) -> DeviceResult<Sequences> {
        let (n, tokens) = (t.dim("N"), t.dim("T"));
        let bounds = bounds(t.word(LENGTHS.0), n, tokens);
        if t.word(LENGTHS.0) != "equal" {
            let ends = bounds
                .iter()
                .map(|&at| i32::try_from(at).unwrap_or(i32::MAX));
            let places = axes([("bound", n + 1)]);
            t.upload("cu_seqlens", places, ends.collect::<Vec<i32>>())?;
        }
        Ok(Sequences {
            bounds,
            key_heads: t.dim("H"),
            value_heads: t.dim("HV"),
            key_size: t.dim("K"),
            value_size: t.dim("V"),
        })
    }

    /// Returns the sequences' layout for the references.
    pub fn layout(&self) -> Layout<'_> {
        Layout {
            bounds: &self.bounds,
            key_heads: self.key_heads,
            value_heads: self.value_heads,
            key_size: self.key_size,
            value_size: self.value_size,
        }
    }

    /// Returns the axes of `[tok, HV, channels]`.
    pub fn rows(&self, channels: usize) -> Vec<Axis> {
        let tokens = self.layout().tokens();
        axes([
            ("token", tokens),
            ("head", self.value_heads),
            ("channel", channels),
        ])
    }

    /// Returns the axes of `[tok, HV]`.
    pub fn scalars(&self) -> Vec<Axis> {
        axes([
            ("token", self.layout().tokens()),
            ("head", self.value_heads),
        ])
    }

    /// Returns the axes of `[count, HV, K, V]`.
    pub fn states(&self, of: &str, count: usize) -> Vec<Axis> {
        axes([
            (of, count),
            ("head", self.value_heads),
            ("key channel", self.key_size),
            ("value channel", self.value_size),
        ])
    }

    /// Draws queries or keys as rows of bf16. With `norm` `none` they have about unit length, with `inside` they are N(0, 1) for the kernel
    /// to normalise, and with `tiny` their norm is about the root of the epsilon, and some are zeros.
    pub fn keys(&self, t: &mut Instance<'_>, name: &str, norm: &str) -> DeviceResult<Buffer> {
        let tokens = self.layout().tokens();
        let axes = axes([
            ("token", tokens),
            ("head", self.key_heads),
            ("channel", self.key_size),
        ]);
        let raw = t.draw(
            &format!("{name} before its norm"),
            axes.clone(),
            Normal(1.0),
        );
        let raw = t.values(raw);
        let values = match norm {
            "inside" => raw.to_vec(),
            "tiny" => {
                let mut short = raw.to_vec();
                let zeros = if name == "q" { 0 } else { 1 };
                values::shorten(&mut short, self.key_size, 1e-6, zeros);
                short
            }
            _ => unit(raw, self.key_size),
        };
        t.upload(name, axes, Data::bf16(values))
    }

    /// Draws values from N(0, 1).
    pub fn values(&self, t: &mut Instance<'_>) -> DeviceResult<Buffer> {
        t.input_as(
            ElementKind::Bf16,
            "v",
            self.rows(self.value_size),
            Normal(1.0),
        )
    }
}

/// Returns the start of each sequence; the sequences have `sequences * tokens` tokens together.
pub fn bounds(lengths: &str, sequences: usize, tokens: usize) -> Vec<usize> {
    let share = |n: usize| match lengths {
        "equal" => 1,
        "empty" if n % 3 == 1 => 0,
        _ => n + 1,
    };
    let all: usize = (0..sequences).map(share).sum();
    let before = |n: usize| (0..n).map(share).sum::<usize>();
    (0..=sequences)
        .map(|n| sequences * tokens * before(n) / all.max(1))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::bounds;

    #[test]
    fn lengths_differ_and_some_are_0() {
        assert_eq!(bounds("equal", 3, 4), [0, 4, 8, 12]);
        assert_eq!(bounds("unequal", 3, 4), [0, 2, 6, 12]);
        assert_eq!(bounds("empty", 4, 4), [0, 2, 2, 8, 16]);
        assert_eq!(bounds("empty", 1, 5), [0, 5]);
    }
}
