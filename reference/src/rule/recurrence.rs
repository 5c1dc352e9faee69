use crate::{Real, shape};

/// The inputs of the recurrence: one head, tokens as rows.
#[derive(Clone, Copy, Debug)]
pub struct RecurrenceInputs<'a, R> {
    /// Queries, `tokens` x `key_size`.
    pub q: &'a [R],
    /// Keys, `tokens` x `key_size`.
    pub k: &'a [R],
    /// Values, `tokens` x `value_size`.
    pub v: &'a [R],
    /// Log gates, never positive, `tokens`.
    pub g: &'a [R],
    /// Write strengths in (0, 1), `tokens`.
    pub beta: &'a [R],
    /// The state before the first token, `key_size` x `value_size`.
    pub state: &'a [R],
    /// The factor on the output; `key_size^(-1/2)` by default in the field.
    pub scale: R,
}

/// What the recurrence computes.
#[derive(Clone, Debug, PartialEq)]
pub struct Recurrence<R> {
    /// One row a token, `tokens` x `value_size`.
    pub output: Vec<R>,
    /// The state after the last token, `key_size` x `value_size`.
    pub state: Vec<R>,
}

/// The gated delta rule, token by token (row i of the state S is key channel i, column j value channel j):
///
/// ```text
/// S       <- e^(g_t) S                         decay first
/// e_j      = v_t[j] - sum_i S[i][j] k_t[i]     error against the decayed state
/// S[i][j] <- S[i][j] + k_t[i] beta_t e_j       rank-1 write
/// o_t[j]   = scale sum_i S[i][j] q_t[i]        read after write
/// ```
#[must_use]
pub fn recurrence<R: Real>(
    inputs: RecurrenceInputs<'_, R>,
    key_size: usize,
    value_size: usize,
) -> Recurrence<R> {
    let RecurrenceInputs {
        q,
        k,
        v,
        g,
        beta,
        state,
        scale,
    } = inputs;
    let tokens = g.len();
    shape::expect("recurrence", "q", q.len(), &[tokens, key_size]);
    shape::expect("recurrence", "k", k.len(), &[tokens, key_size]);
    shape::expect("recurrence", "v", v.len(), &[tokens, value_size]);
    shape::expect("recurrence", "beta", beta.len(), &[tokens]);
    shape::expect("recurrence", "state", state.len(), &[key_size, value_size]);

    let mut state = state.to_vec();
    let mut output = Vec::with_capacity(tokens * value_size);
    for t in 0..tokens {
        let q = &q[t * key_size..][..key_size];
        let k = &k[t * key_size..][..key_size];
        let v = &v[t * value_size..][..value_size];
        let decay = g[t].exp();
        for x in &mut state {
            *x = *x * decay;
        }
        let seen = read(&state, k, value_size);
        let write: Vec<R> = v
            .iter()
            .zip(&seen)
            .map(|(&v, &seen)| beta[t] * (v - seen))
            .collect();
        for (i, &k) in k.iter().enumerate() {
            for (x, &d) in state[i * value_size..][..value_size].iter_mut().zip(&write) {
                *x = k.mul_add(d, *x);
            }
        }
        output.extend(read(&state, q, value_size).into_iter().map(|o| scale * o));
    }
    Recurrence { output, state }
}

/// `S^T x`: what the state answers to `x`.
fn read<R: Real>(state: &[R], x: &[R], value_size: usize) -> Vec<R> {
    let mut answer = vec![R::ZERO; value_size];
    for (i, &x) in x.iter().enumerate() {
        for (sum, &s) in answer
            .iter_mut()
            .zip(&state[i * value_size..][..value_size])
        {
            *sum = s.mul_add(x, *sum);
        }
    }
    answer
}
