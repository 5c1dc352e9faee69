use super::{Convention, Readout, StateLayout};
use crate::shape;
use std::ops::Range;

/// Sizes of a call with all heads and sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Number of sequences, B.
    pub sequences: usize,
    /// Tokens of a sequence, T, the same for all sequences.
    pub tokens: usize,
    /// H, the heads of q and k.
    pub key_heads: usize,
    /// HV, the heads of everything else: a multiple of H.
    pub value_heads: usize,
    /// K, the channels of q and k.
    pub key_size: usize,
    /// V, the channels of v and of the output.
    pub value_size: usize,
    /// Number of gates of a token in a head.
    pub gate_kind: GateKind,
}

/// Number of gates of a token in a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateKind {
    /// One gate for the whole state.
    PerHead,
    /// One gate for each key channel, a row of the state ("KDA").
    PerKeyChannel,
}

impl Sizes {
    /// The shape of q and of k: `[B, T, H, K]`.
    #[must_use]
    pub fn key_shape(&self) -> [usize; 4] {
        [self.sequences, self.tokens, self.key_heads, self.key_size]
    }

    /// The shape of v and of the output: `[B, T, HV, V]`.
    #[must_use]
    pub fn value_shape(&self) -> [usize; 4] {
        [
            self.sequences,
            self.tokens,
            self.value_heads,
            self.value_size,
        ]
    }

    /// The shape of g: `[B, T, HV, 1]` or `[B, T, HV, K]`.
    #[must_use]
    pub fn gate_shape(&self) -> [usize; 4] {
        [self.sequences, self.tokens, self.value_heads, self.gates()]
    }

    /// The shape of beta: `[B, T, HV]`.
    #[must_use]
    pub fn beta_shape(&self) -> [usize; 3] {
        [self.sequences, self.tokens, self.value_heads]
    }

    /// The shape of a state: `[B, HV, K, V]` or `[B, HV, V, K]`.
    #[must_use]
    pub fn state_shape(&self, layout: StateLayout) -> [usize; 4] {
        let (rows, columns) = match layout {
            StateLayout::KeyMajor => (self.key_size, self.value_size),
            StateLayout::ValueMajor => (self.value_size, self.key_size),
        };
        [self.sequences, self.value_heads, rows, columns]
    }

    /// Returns sequences and value heads, in the order of memory.
    pub(crate) fn heads(self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.sequences).flat_map(move |b| (0..self.value_heads).map(move |hv| (b, hv)))
    }

    /// Returns the index into `[B, T, HV]`.
    pub(crate) fn scalar(&self, sequence: usize, token: usize, value_head: usize) -> usize {
        (sequence * self.tokens + token) * self.value_heads + value_head
    }

    /// Returns the range of a row of `[B, T, HV, size]`.
    pub(crate) fn row(
        &self,
        sequence: usize,
        token: usize,
        value_head: usize,
        size: usize,
    ) -> Range<usize> {
        let first = self.scalar(sequence, token, value_head) * size;
        first..first + size
    }

    /// Returns the range of a row of `[B, T, H, K]`.
    pub(crate) fn key_row(&self, sequence: usize, token: usize, key_head: usize) -> Range<usize> {
        let first = ((sequence * self.tokens + token) * self.key_heads + key_head) * self.key_size;
        first..first + self.key_size
    }

    /// Returns the range of a head's part of `[B, HV, K, V]`, in either layout.
    pub(super) fn head_state(&self, sequence: usize, value_head: usize) -> Range<usize> {
        let size = self.key_size * self.value_size;
        let first = (sequence * self.value_heads + value_head) * size;
        first..first + size
    }

    pub(super) fn gates(&self) -> usize {
        match self.gate_kind {
            GateKind::PerHead => 1,
            GateKind::PerKeyChannel => self.key_size,
        }
    }

    /// Panics if a head has no channels, or if the value heads are not a multiple of the key heads.
    #[track_caller]
    pub(super) fn check(&self) {
        assert!(
            self.key_size > 0 && self.value_size > 0,
            "sizes: key_size is {}, value_size is {}: a state needs both",
            self.key_size,
            self.value_size
        );
        assert!(
            self.key_heads > 0 && self.value_heads.is_multiple_of(self.key_heads),
            "sizes: {} value heads are not a multiple of {} key heads",
            self.value_heads,
            self.key_heads
        );
    }
}

/// Tensors of a call.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a, R> {
    /// Queries, [`Sizes::key_shape`]; empty if the convention reads with the key ([`Readout::Key`]).
    pub q: &'a [R],
    /// Keys, [`Sizes::key_shape`].
    pub k: &'a [R],
    /// Values, [`Sizes::value_shape`].
    pub v: &'a [R],
    /// Gates, [`Sizes::gate_shape`].
    pub g: &'a [R],
    /// Write strengths in (0,1), [`Sizes::beta_shape`].
    pub beta: &'a [R],
    /// The states before the first token, [`Sizes::state_shape`].
    pub state: &'a [R],
}

impl<R> Inputs<'_, R> {
    /// Panics unless every tensor has its shape.
    #[track_caller]
    pub(super) fn check(&self, function: &str, convention: &Convention, sizes: Sizes) {
        sizes.check();
        match convention.readout {
            Readout::Query => shape::expect(function, "q", self.q.len(), &sizes.key_shape()),
            Readout::Key => shape::expect(function, "q", self.q.len(), &[0]),
        }
        shape::expect(function, "k", self.k.len(), &sizes.key_shape());
        shape::expect(function, "v", self.v.len(), &sizes.value_shape());
        shape::expect(function, "g", self.g.len(), &sizes.gate_shape());
        shape::expect(function, "beta", self.beta.len(), &sizes.beta_shape());
        let state = sizes.state_shape(convention.state);
        shape::expect(function, "state", self.state.len(), &state);
    }
}

/// Results of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Outputs<R> {
    /// Output, [`Sizes::value_shape`].
    pub output: Vec<R>,
    /// The states after the last token, [`Sizes::state_shape`].
    pub state: Vec<R>,
}
