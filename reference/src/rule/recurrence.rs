use super::{Convention, Inputs, Order, Outputs, Readout, Sizes, StateLayout};
use crate::Real;
use crate::operators::transpose;

/// The gated delta rule, token by token, for every head of every sequence: the definition.
///
/// Row i of the state S is a key channel, column j a value channel:
///
/// ```text
/// S       <- e^(g_t) S                         decay first
/// e_j      = v_t[j] - sum_i S[i][j] k_t[i]     error against the decayed state
/// d_j      = beta_t e_j
/// S[i][j] <- S[i][j] + k_t[i] d_j              rank-1 write
/// o_t[j]   = scale sum_i S[i][j] q_t[i]        read after write
/// ```
///
/// The lines show [`Convention::FLA`]; `convention` makes each choice. In `f32` the order of operations is that of a plain fused kernel with
/// one lane per value column: sums over the key channels from 0 upwards, each product fused. Shapes are those of [`Sizes`].
#[must_use]
pub fn recurrence<R: Real>(
    convention: &Convention,
    sizes: Sizes,
    inputs: Inputs<'_, R>,
) -> Outputs<R> {
    inputs.check("recurrence", convention, sizes);
    let mut state = inputs.state.to_vec();
    let output = tokens(convention, sizes, inputs, |index, head_state| {
        if index.token + 1 == sizes.tokens {
            let head = sizes.head_state(index.sequence, index.value_head);
            state[head].copy_from_slice(&convention.state.store(head_state, sizes));
        }
    });
    Outputs { output, state }
}

/// A token of one value head in the call.
pub(super) struct TokenIndex {
    pub sequence: usize,
    pub value_head: usize,
    pub token: usize,
}

/// Runs all tokens and calls a function with the state, `key_size` x `value_size`, after each. Returns the output.
pub(super) fn tokens<R: Real>(
    convention: &Convention,
    sizes: Sizes,
    inputs: Inputs<'_, R>,
    mut after: impl FnMut(TokenIndex, &[R]),
) -> Vec<R> {
    let k = convention.norm.rows(inputs.k, sizes.key_size);
    let q = match convention.readout {
        Readout::Query => &convention.norm.rows(inputs.q, sizes.key_size),
        Readout::Key => &k,
    };
    let scale: R = convention.scale.factor(sizes.key_size);
    let mut output = vec![R::ZERO; inputs.v.len()];
    for (sequence, value_head) in sizes.heads() {
        let key_head = convention.key_head(value_head, sizes);
        let head = &inputs.state[sizes.head_state(sequence, value_head)];
        let mut state = convention.state.load(head, sizes);
        for token in 0..sizes.tokens {
            let key_row = sizes.key_row(sequence, token, key_head);
            let gates = sizes.row(sequence, token, value_head, sizes.gates());
            let decay: Vec<R> = inputs.g[gates]
                .iter()
                .map(|&g| convention.gate.decay(g))
                .collect();
            let value_row = sizes.row(sequence, token, value_head, sizes.value_size);
            let read = step(
                convention.order,
                &mut state,
                Token {
                    q: &q[key_row.clone()],
                    k: &k[key_row],
                    v: &inputs.v[value_row.clone()],
                    decay: &decay,
                    value_decay: &[],
                    beta: &inputs.beta[sizes.row(sequence, token, value_head, 1)],
                },
            );
            for (o, read) in output[value_row].iter_mut().zip(read) {
                *o = scale * read;
            }
            let index = TokenIndex {
                sequence,
                value_head,
                token,
            };
            after(index, &state);
        }
    }
    output
}

/// Inputs of one token of one head.
pub(crate) struct Token<'a, R> {
    pub q: &'a [R],
    pub k: &'a [R],
    pub v: &'a [R],
    /// Factor on the state: one number, or one per row.
    pub decay: &'a [R],
    /// Additional factor of each column; empty if there is none.
    pub value_decay: &'a [R],
    /// Write strength: one number, or one per column.
    pub beta: &'a [R],
}

/// Computes one token of the rule: changes the state, `[K][V]`, and returns the output before its scale, `[V]`.
pub(crate) fn step<R: Real>(order: Order, state: &mut [R], token: Token<'_, R>) -> Vec<R> {
    let Token {
        q,
        k,
        v,
        decay,
        value_decay,
        beta,
    } = token;
    if order == Order::DecayFirst {
        forget(state, decay, value_decay, v.len());
    }
    let seen = read(state, k, v.len());
    if order == Order::ErrorFirst {
        forget(state, decay, value_decay, v.len());
    }
    let error = v.iter().zip(&seen).map(|(&v, &seen)| v - seen);
    let d: Vec<R> = error
        .zip(beta.iter().cycle())
        .map(|(e, &beta)| beta * e)
        .collect();
    write(state, k, &d);
    read(state, q, v.len())
}

/// Computes `S[i][j] <- decay_i S[i][j]`, and applies the factors of the columns.
fn forget<R: Real>(state: &mut [R], decay: &[R], value_decay: &[R], value_size: usize) {
    for (row, &decay) in state.chunks_exact_mut(value_size).zip(decay.iter().cycle()) {
        row.iter_mut().for_each(|x| *x = decay * *x);
        for (x, &value_decay) in row.iter_mut().zip(value_decay) {
            *x = value_decay * *x;
        }
    }
}

/// Returns `sum_i S[i][j] x[i]` for each column j of the state.
pub(super) fn read<R: Real>(state: &[R], x: &[R], value_size: usize) -> Vec<R> {
    if value_size == 1 {
        return vec![R::dot(x, state)];
    }
    let mut answer = vec![R::ZERO; value_size];
    for (row, &x) in state.chunks_exact(value_size).zip(x) {
        R::add_scaled(&mut answer, x, row);
    }
    answer
}

/// Computes `S[i][j] <- S[i][j] + k[i] d[j]`.
pub(super) fn write<R: Real>(state: &mut [R], k: &[R], d: &[R]) {
    if let [d] = d {
        return R::add_scaled(state, *d, k);
    }
    for (row, &k) in state.chunks_exact_mut(d.len()).zip(k) {
        R::add_scaled(row, k, d);
    }
}

impl Convention {
    pub(super) fn key_head(&self, value_head: usize, sizes: Sizes) -> usize {
        self.head_map
            .key_head(value_head, sizes.key_heads, sizes.value_heads)
    }
}

impl StateLayout {
    /// Converts a head's state from this layout to `key_size` x `value_size`.
    pub(super) fn load<R: Real>(self, state: &[R], sizes: Sizes) -> Vec<R> {
        match self {
            StateLayout::KeyMajor => state.to_vec(),
            StateLayout::ValueMajor => transpose(state, sizes.value_size, sizes.key_size),
        }
    }

    /// Converts a head's state from `key_size` x `value_size` to this layout.
    pub(super) fn store<R: Real>(self, state: &[R], sizes: Sizes) -> Vec<R> {
        match self {
            StateLayout::KeyMajor => state.to_vec(),
            StateLayout::ValueMajor => transpose(state, sizes.key_size, sizes.value_size),
        }
    }
}
