//! The gated delta rule by chunks of tokens (the WY form), which equals the recurrence except for rounding.
//!
//! A chunk has up to `C` tokens. With G the sum of the log gates from the chunk's first token on and h the state before the chunk,
//!
//! ```text
//! L_ij   = beta_i <k_i, k_j> e^(G_i - G_j)   for i > j, else 0
//! Ai     = (I + L)^-1
//! u_i    = sum_j Ai_ij beta_j v_j
//! w_i    = sum_j Ai_ij beta_j e^(G_j) k_j
//! vn_i   = u_i - w_i h
//! o_i    = scale (e^(G_i) q_i h + sum_{j<=i} <q_i, k_j> e^(G_i - G_j) vn_j)
//! S_next = e^(G_last) h + sum_i e^(G_last - G_i) k_i (x) vn_i
//! ```
//!
//! Every exponent is `<= 0`, because exponents are computed only on and below the diagonal. The last chunk may be shorter than `C`; its
//! `G_last` is the G of its last token.
//!
//! Each function computes one launch on whole tensors, so that each kernel can be compared alone: [`cumsum`], [`l`], [`inverse`], [`uw`],
//! [`states`], [`outputs`]. [`chunked`] calls them all. A tensor with a scalar for each token is `[B, T, HV]`, a tensor with a row for each
//! token is `[B, T, HV, size]`. L and Ai are `[B, T, HV, C]`: each token has its row of its chunk's matrix, with zeros beyond the last token
//! of a short chunk. h is `[B, chunks, HV, K, V]`.
//!
//! In `f32` each element is summed from index 0 upwards, each product fused, as a plain kernel does. Only G is summed by a scan; G and its
//! differences are in `f64`.

mod cumsum;
mod inverse;
mod l;
mod outputs;
mod states;
mod uw;

pub use cumsum::cumsum;
pub use inverse::{Inverse, invert};
pub use l::l;
pub use outputs::outputs;
pub use states::{States, states};
pub use uw::{Uw, uw};

pub use inverse::inverse;

use super::{Convention, GateKind, Inputs, Order, Outputs, Readout, Sizes};
use crate::Real;
use std::ops::Range;

/// Results of the chunked form, in the order of the launches.
#[derive(Clone, Debug, PartialEq)]
pub struct ChunkResults<R> {
    /// The vectors that read the state, `[B, T, H, K]`: q, normalised if the convention normalises, or k if the convention reads with the
    /// key.
    pub q: Vec<R>,
    /// k, normalised if the convention normalises, `[B, T, H, K]`.
    pub k: Vec<R>,
    /// G, `[B, T, HV]`.
    pub cumsum: Vec<f64>,
    /// L, `[B, T, HV, C]`.
    pub l: Vec<R>,
    /// Ai, `[B, T, HV, C]`.
    pub inverse: Vec<R>,
    /// u and w.
    pub uw: Uw<R>,
    /// The states before the chunks, vn, and the state after the last token.
    pub states: States<R>,
    /// o, `[B, T, HV, V]`.
    pub output: Vec<R>,
}

impl<R: Clone> ChunkResults<R> {
    /// Returns the output and the last state, the results that [`super::recurrence`] has too.
    #[must_use]
    pub fn outputs(&self) -> Outputs<R> {
        Outputs {
            output: self.output.clone(),
            state: self.states.last.clone(),
        }
    }
}

/// Computes [`super::recurrence`] by chunks of `chunk` tokens.
///
/// Panics if the convention takes the error from the undecayed state, or if the gates are per key channel, because neither has a chunked
/// form. Gates that are factors must be above 0.
#[must_use]
pub fn chunked<R: Real>(
    convention: &Convention,
    sizes: Sizes,
    inputs: Inputs<'_, R>,
    chunk: usize,
    inverse_by: Inverse,
) -> ChunkResults<R> {
    inputs.check("chunked", convention, sizes);
    assert!(
        convention.order == Order::DecayFirst,
        "chunked: the error is from the undecayed state: use the recurrence"
    );
    let map = convention.head_map;
    let k = convention.norm.rows(inputs.k, sizes.key_size);
    let q = match convention.readout {
        Readout::Query => convention.norm.rows(inputs.q, sizes.key_size),
        Readout::Key => k.clone(),
    };
    let cumsum = cumsum(sizes, chunk, convention.gate, inputs.g);
    let l = l(sizes, chunk, map, &k, inputs.beta, &cumsum);
    let inverse = inverse(sizes, chunk, &l, inverse_by);
    let uw = uw(
        sizes,
        chunk,
        map,
        &k,
        inputs.v,
        inputs.beta,
        &cumsum,
        &inverse,
    );
    let states = states(
        sizes,
        chunk,
        map,
        convention.state,
        &k,
        &uw,
        &cumsum,
        inputs.state,
    );
    let scale = convention.scale.factor(sizes.key_size);
    let output = outputs(
        sizes, chunk, map, scale, &q, &k, &states.vn, &cumsum, &states.h,
    );
    ChunkResults {
        q,
        k,
        cumsum,
        l,
        inverse,
        uw,
        states,
        output,
    }
}

/// Returns e^difference for a difference of two values of G.
fn decay<R: Real>(difference: f64) -> R {
    R::from_f64(difference).exp()
}

/// A chunk of one value head.
#[derive(Clone)]
struct ChunkIndex {
    sequence: usize,
    value_head: usize,
    /// Index of the chunk in the sequence.
    chunk: usize,
    /// Tokens of the chunk in the sequence.
    tokens: Range<usize>,
}

impl Sizes {
    /// Returns the number of chunks of a sequence. The last may be short.
    #[must_use]
    pub fn chunks(&self, chunk: usize) -> usize {
        self.tokens.div_ceil(chunk)
    }

    /// The shape of L and of Ai: `[B, T, HV, C]`.
    #[must_use]
    pub fn chunk_rows_shape(&self, chunk: usize) -> [usize; 4] {
        [self.sequences, self.tokens, self.value_heads, chunk]
    }

    /// The shape of w: `[B, T, HV, K]`.
    #[must_use]
    pub fn w_shape(&self) -> [usize; 4] {
        [self.sequences, self.tokens, self.value_heads, self.key_size]
    }

    /// The shape of h: `[B, chunks, HV, K, V]`.
    #[must_use]
    pub fn chunk_states_shape(&self, chunk: usize) -> [usize; 5] {
        let chunks = self.chunks(chunk);
        [
            self.sequences,
            chunks,
            self.value_heads,
            self.key_size,
            self.value_size,
        ]
    }

    /// Returns all chunks of all heads; the chunks of a head are in order.
    fn chunk_indices(self, chunk: usize) -> impl Iterator<Item = ChunkIndex> {
        self.heads().flat_map(move |(sequence, value_head)| {
            (0..self.chunks(chunk)).map(move |n| ChunkIndex {
                sequence,
                value_head,
                chunk: n,
                tokens: n * chunk..((n + 1) * chunk).min(self.tokens),
            })
        })
    }

    /// Returns a chunk's scalars from `[B, T, HV]`.
    fn chunk_scalars<R: Copy>(&self, index: &ChunkIndex, tensor: &[R]) -> Vec<R> {
        let ChunkIndex {
            sequence,
            value_head,
            ref tokens,
            ..
        } = *index;
        tokens
            .clone()
            .map(|token| tensor[self.scalar(sequence, token, value_head)])
            .collect()
    }

    /// Returns a chunk's rows from `[B, T, HV, size]`.
    fn chunk_rows<'a, R>(&self, index: &ChunkIndex, tensor: &'a [R], size: usize) -> Vec<&'a [R]> {
        let ChunkIndex {
            sequence,
            value_head,
            ref tokens,
            ..
        } = *index;
        tokens
            .clone()
            .map(|token| &tensor[self.row(sequence, token, value_head, size)])
            .collect()
    }

    /// Returns a chunk's rows from q or k.
    fn chunk_keys<'a, R>(
        &self,
        index: &ChunkIndex,
        key_head: usize,
        tensor: &'a [R],
    ) -> Vec<&'a [R]> {
        let ChunkIndex {
            sequence,
            ref tokens,
            ..
        } = *index;
        tokens
            .clone()
            .map(|token| &tensor[self.key_row(sequence, token, key_head)])
            .collect()
    }

    /// Returns the range of the chunk's i-th token in `[B, T, HV, size]`.
    fn chunk_row(&self, index: &ChunkIndex, i: usize, size: usize) -> Range<usize> {
        self.row(
            index.sequence,
            index.tokens.start + i,
            index.value_head,
            size,
        )
    }

    /// Returns the range of the chunk's state in `[B, chunks, HV, K, V]`.
    fn chunk_state(&self, index: &ChunkIndex, chunk: usize) -> Range<usize> {
        let size = self.key_size * self.value_size;
        let chunks = index.sequence * self.chunks(chunk) + index.chunk;
        let first = (chunks * self.value_heads + index.value_head) * size;
        first..first + size
    }

    #[track_caller]
    fn check_chunk(&self, function: &str, chunk: usize) {
        self.check();
        assert!(chunk > 0, "{function}: a chunk of no tokens");
        assert!(
            self.gate_kind == GateKind::PerHead,
            "{function}: gates per key channel have no chunked form here: use the recurrence"
        );
    }
}
