use super::{IntraChunkResults, intra_chunk, state_update};
use crate::{Real, shape};

/// The inputs of phase 8 for one head. The number of tokens is a multiple of the chunk length.
#[derive(Clone, Copy, Debug)]
pub struct DeltanetInputs<'a, R> {
    /// Keys, `s` x `tokens`.
    pub k: &'a [R],
    /// Values, `s` x `tokens`.
    pub v: &'a [R],
    /// Gates, `tokens`.
    pub g: &'a [R],
    /// Write strengths before the sigmoid, `tokens`.
    pub beta: &'a [R],
    /// The state before the first chunk, `s` x `s`.
    pub state: &'a [R],
}

/// Results of phase 8.
#[derive(Clone, Debug, PartialEq)]
pub struct DeltanetResults<R> {
    /// The intermediate results of each chunk.
    pub chunks: Vec<IntraChunkResults<R>>,
    /// The state after each chunk, `s` x `s`.
    pub states: Vec<Vec<R>>,
    /// The state after the last chunk (the initial one if there is none), `s` x `s`.
    pub state: Vec<R>,
}

/// Computes phase 8: chunks of `c` tokens in order, with the state carried from each chunk to the next.
///
/// ```text
/// state = state * e^(g_cumsum[c-1]) + K_cumdecay @ V_new^T
/// ```
///
/// This is the document's loop taken literally, which has a state and no output.
#[must_use]
pub fn deltanet<R: Real>(inputs: DeltanetInputs<'_, R>, s: usize, c: usize) -> DeltanetResults<R> {
    let DeltanetInputs {
        k,
        v,
        g,
        beta,
        state,
    } = inputs;
    let tokens = g.len();
    assert!(
        c > 0 && tokens % c == 0,
        "deltanet: {tokens} tokens are not a whole number of chunks of {c}"
    );
    shape::expect("deltanet", "K", k.len(), &[s, tokens]);
    shape::expect("deltanet", "V", v.len(), &[s, tokens]);
    shape::expect("deltanet", "Beta", beta.len(), &[tokens]);
    shape::expect("deltanet", "State", state.len(), &[s, s]);

    let mut result = DeltanetResults {
        chunks: Vec::new(),
        states: Vec::new(),
        state: state.to_vec(),
    };
    for first in (0..tokens).step_by(c) {
        let columns = |m: &[R]| -> Vec<R> {
            m.chunks_exact(tokens)
                .flat_map(|row| &row[first..first + c])
                .copied()
                .collect()
        };
        let chunk = intra_chunk(
            &columns(k),
            &columns(v),
            &g[first..first + c],
            &beta[first..first + c],
            s,
            c,
        );
        let exp_g_last = chunk.g_cumsum[c - 1].exp();
        result.state = state_update(
            &result.state,
            exp_g_last,
            &chunk.k_cumdecay,
            &chunk.v_new,
            s,
            c,
        )
        .state;
        result.states.push(result.state.clone());
        result.chunks.push(chunk);
    }
    result
}
