//! The gated delta rule over packed sequences: sequences of different lengths whose tokens follow one another.
//!
//! - [`packed`]: the recurrence, on states that stand in the lines of a pool;
//! - [`PackedChunks`]: the steps of the chunk pipeline;
//! - [`merged_state`]: the state after two halves of a sequence that were computed apart.
//!
//! Gates are per head or per key channel (Kimi Delta Attention).

mod chunk;
mod merge;

use std::ops::Range;

pub use chunk::{MatrixPart, PackedChunks, PackedStates};
pub use merge::{merged_state, transition};

use half::f16;

use super::{GateKind, HeadMap, Order, Sizes, StateLayout, Token, step};
use crate::gdr::bf16;
use crate::{Real, shape};

/// Sizes of packed sequences. The tokens of all sequences follow one another, and `tok` in shapes is their number.
#[derive(Clone, Copy, Debug)]
pub struct Layout<'a> {
    /// First token of each sequence, and the end of the last (`cu_seqlens`): N + 1 numbers. A sequence may be empty.
    pub bounds: &'a [usize],
    /// H, the heads of q and k.
    pub key_heads: usize,
    /// HV, the heads of everything else: a multiple of H.
    pub value_heads: usize,
    /// K, the channels of q and k.
    pub key_size: usize,
    /// V, the channels of v and of the output.
    pub value_size: usize,
}

/// Type that a state is kept in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateType {
    /// The type of the computation: states are not rounded.
    Whole,
    /// bf16.
    Bf16,
    /// f16.
    F16,
}

/// Tokens after which a state is rounded to the type that it is kept in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// The last token of the call: the state stays unrounded within a launch.
    Launch,
    /// Every token, as if each token were a launch.
    Token,
}

/// Tensors of a call over packed sequences.
#[derive(Clone, Debug)]
pub struct PackedCall<'a, R> {
    /// Sizes.
    pub layout: Layout<'a>,
    /// Number of gates of a token in a head.
    pub gate_kind: GateKind,
    /// Map from value heads to query/key heads.
    pub head_map: HeadMap,
    /// Order of decay and error.
    pub order: Order,
    /// Layout of states.
    pub state: StateLayout,
    /// Type of states, and the tokens after which they are rounded.
    pub kept: (StateType, Rounding),
    /// Householder steps of a token, 1 in the gated delta rule, more in the gated delta product: a token has as many keys, values and
    /// write strengths. The gate applies before the first, and the query reads after the last.
    pub steps: usize,
    /// The factor on the output.
    pub scale: R,
    /// Queries, `[tok, H, K]`.
    pub q: &'a [R],
    /// Keys, `[tok steps, H, K]`.
    pub k: &'a [R],
    /// Values, `[tok steps, HV, V]`.
    pub v: &'a [R],
    /// Log gates, `[tok, HV]` or `[tok, HV, K]`.
    pub g: &'a [R],
    /// Write strengths, `[tok steps, HV]`.
    pub beta: &'a [R],
}

/// Computes all sequences and heads, token by token, and returns the output, `[tok, HV, V]`.
///
/// `pool` has lines of states `[HV, K, V]`, or `[HV, V, K]` if the layout is value-major. Sequence n begins with line `starts[n]` as it was
/// before the call, or with zeros. The state after token t of sequence n, counted from 0, is written to line `line(n, t)`, if there is one.
///
/// ```text
/// S   <- e^(g_t) S               row i by e^(g_t[i]) where gates are per key channel
/// for each step: S <- S + k beta (v - S^T k)^T
/// o_t  = scale S^T q_t
/// ```
///
/// # Panics
/// Panics unless every tensor has its shape, and every line is in the pool.
pub fn packed<R: Real>(
    call: &PackedCall<'_, R>,
    pool: &mut [R],
    starts: &[Option<usize>],
    line: impl Fn(usize, usize) -> Option<usize>,
) -> Vec<R> {
    call.check();
    let layout = call.layout;
    shape::expect("packed", "starts", starts.len(), &[layout.sequences()]);
    let before = pool.to_vec();
    let mut output = vec![R::ZERO; layout.tokens() * layout.value_heads * layout.value_size];
    for (sequence, start) in starts.iter().enumerate() {
        for value_head in 0..layout.value_heads {
            let mut state = match start {
                Some(line) => call.state.load(
                    &before[layout.state_of(*line, value_head)],
                    layout.head_sizes(),
                ),
                None => vec![R::ZERO; layout.state()],
            };
            let tokens = layout.bounds[sequence]..layout.bounds[sequence + 1];
            for token in tokens.clone() {
                let read = call.token(&mut state, token, value_head);
                let row = layout.row(token, value_head, layout.value_size);
                for (o, read) in output[row].iter_mut().zip(read) {
                    *o = call.scale * read;
                }
                let (kind, rounding) = call.kept;
                if rounding == Rounding::Token || token + 1 == tokens.end {
                    state.iter_mut().for_each(|x| *x = kind.round(*x));
                }
                if let Some(line) = line(sequence, token - tokens.start) {
                    let stored: Vec<R> = call
                        .state
                        .store(&state, layout.head_sizes())
                        .into_iter()
                        .map(|x| kind.round(x))
                        .collect();
                    pool[layout.state_of(line, value_head)].copy_from_slice(&stored);
                }
            }
        }
    }
    output
}

impl StateType {
    /// Rounds a number to the type: to nearest, ties to even.
    #[must_use]
    pub fn round<R: Real>(self, x: R) -> R {
        match self {
            StateType::Whole => x,
            StateType::Bf16 => bf16::round(x),
            StateType::F16 => R::from_f64(f16::from_f32(bf16::to_odd(x.to_f64())).to_f64()),
        }
    }
}

impl<R: Real> PackedCall<'_, R> {
    /// Computes one token, changes the state `[K, V]`, and returns the output before its scale.
    fn token(&self, state: &mut [R], token: usize, value_head: usize) -> Vec<R> {
        let layout = self.layout;
        let key_head = layout.key_head(self.head_map, value_head);
        let gates = layout.row(token, value_head, layout.gates(self.gate_kind));
        let decay: Vec<R> = self.g[gates].iter().map(|g| g.exp()).collect();
        let q = &self.q[layout.key_row(token, key_head)];
        let mut read = Vec::new();
        for n in 0..self.steps {
            let row = token * self.steps + n;
            let k = &self.k[layout.key_row(row, key_head)];
            let of_step = Token {
                q,
                k,
                v: &self.v[layout.row(row, value_head, layout.value_size)],
                decay: if n == 0 { &decay } else { &[R::ONE] },
                value_decay: &[],
                beta: &self.beta[layout.row(row, value_head, 1)],
            };
            read = step(self.order, state, of_step);
        }
        read
    }

    /// Panics unless every tensor has its shape.
    #[track_caller]
    fn check(&self) {
        let layout = self.layout;
        layout.check();
        let (tokens, rows) = (layout.tokens(), layout.tokens() * self.steps);
        let check = |name: &str, tensor: &[R], shape: [usize; 3]| {
            shape::expect("packed", name, tensor.len(), &shape);
        };
        check("q", self.q, [tokens, layout.key_heads, layout.key_size]);
        check("k", self.k, [rows, layout.key_heads, layout.key_size]);
        check("v", self.v, [rows, layout.value_heads, layout.value_size]);
        let gates = layout.gates(self.gate_kind);
        check("g", self.g, [tokens, layout.value_heads, gates]);
        check("beta", self.beta, [rows, layout.value_heads, 1]);
    }
}

impl Layout<'_> {
    /// Returns the number of sequences, N.
    #[must_use]
    pub fn sequences(&self) -> usize {
        self.bounds.len().saturating_sub(1)
    }

    /// Returns the tokens of all sequences together.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.bounds.last().copied().unwrap_or(0)
    }

    /// Returns the number of elements of a head's state.
    pub(crate) fn state(&self) -> usize {
        self.key_size * self.value_size
    }

    /// Returns the number of gates of a token in a head.
    #[must_use]
    pub fn gates(&self, kind: GateKind) -> usize {
        match kind {
            GateKind::PerHead => 1,
            GateKind::PerKeyChannel => self.key_size,
        }
    }

    /// Returns the query/key head of a value head.
    fn key_head(&self, map: HeadMap, value_head: usize) -> usize {
        map.key_head(value_head, self.key_heads, self.value_heads)
    }

    /// Returns the sizes of a head's state.
    fn head_sizes(&self) -> Sizes {
        Sizes {
            sequences: 1,
            tokens: 0,
            key_heads: 1,
            value_heads: 1,
            key_size: self.key_size,
            value_size: self.value_size,
            gate_kind: GateKind::PerHead,
        }
    }

    /// Returns the range of a row of `[tok, HV, size]`.
    fn row(&self, token: usize, value_head: usize, size: usize) -> Range<usize> {
        let first = (token * self.value_heads + value_head) * size;
        first..first + size
    }

    /// Returns the range of a row of `[tok, H, K]`.
    fn key_row(&self, token: usize, key_head: usize) -> Range<usize> {
        let first = (token * self.key_heads + key_head) * self.key_size;
        first..first + self.key_size
    }

    /// Returns the range of a head's state in a line of `[lines, HV, K, V]`.
    fn state_of(&self, line: usize, value_head: usize) -> Range<usize> {
        let first = (line * self.value_heads + value_head) * self.state();
        first..first + self.state()
    }

    /// Panics unless the bounds rise from 0 and the value heads are a multiple of the key heads.
    #[track_caller]
    fn check(&self) {
        assert!(
            self.bounds.is_sorted() && self.bounds.first() == Some(&0),
            "packed: the bounds {:?} do not rise from 0",
            self.bounds
        );
        assert!(
            self.key_heads > 0 && self.value_heads.is_multiple_of(self.key_heads),
            "packed: {} value heads are not a multiple of {} key heads",
            self.value_heads,
            self.key_heads
        );
    }
}

#[cfg(test)]
mod tests;
