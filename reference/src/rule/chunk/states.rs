use super::{Uw, decay};
use crate::rule::recurrence::{read, write};
use crate::rule::{HeadMap, Sizes, StateLayout};
use crate::{Real, shape};

/// Results that are computed chunk after chunk: the states, and the values that depend on them.
#[derive(Clone, Debug, PartialEq)]
pub struct States<R> {
    /// The state before each chunk, `[B, chunks, HV, K, V]`.
    pub h: Vec<R>,
    /// `vn_i = u_i - w_i h`, `[B, T, HV, V]`.
    pub vn: Vec<R>,
    /// The state after the last token, in the requested layout, [`Sizes::state_shape`].
    pub last: Vec<R>,
}

/// Computes the states from chunk to chunk:
///
/// ```text
/// vn_i   = u_i - w_i h
/// S_next = e^(G_last) h + sum_i e^(G_last - G_i) k_i (x) vn_i
/// ```
///
/// `k` is `[B, T, H, K]`, `uw` has u `[B, T, HV, V]` and w `[B, T, HV, K]`, `cumsum` (G) is `[B, T, HV]`. The initial and the last state have
/// the layout `layout`.
#[must_use]
#[expect(clippy::too_many_arguments, reason = "one a tensor of the launch")]
pub fn states<R: Real>(
    sizes: Sizes,
    chunk: usize,
    map: HeadMap,
    layout: StateLayout,
    k: &[R],
    uw: &Uw<R>,
    cumsum: &[f64],
    initial: &[R],
) -> States<R> {
    sizes.check_chunk("states", chunk);
    shape::expect("states", "k", k.len(), &sizes.key_shape());
    shape::expect("states", "u", uw.u.len(), &sizes.value_shape());
    shape::expect("states", "w", uw.w.len(), &sizes.w_shape());
    shape::expect("states", "cumsum", cumsum.len(), &sizes.beta_shape());
    let state = sizes.state_shape(layout);
    shape::expect("states", "initial", initial.len(), &state);
    let mut h = vec![R::ZERO; sizes.chunk_states_shape(chunk).iter().product()];
    let mut vn = vec![R::ZERO; uw.u.len()];
    let mut last = initial.to_vec();
    let mut state = Vec::new();
    for index in sizes.chunk_indices(chunk) {
        let head = sizes.head_state(index.sequence, index.value_head);
        if index.chunk == 0 {
            state = layout.load(&initial[head.clone()], sizes);
        }
        h[sizes.chunk_state(&index, chunk)].copy_from_slice(&state);

        let key_head = map.key_head(index.value_head, sizes.key_heads, sizes.value_heads);
        let k = sizes.chunk_keys(&index, key_head, k);
        let u = sizes.chunk_rows(&index, &uw.u, sizes.value_size);
        let w = sizes.chunk_rows(&index, &uw.w, sizes.key_size);
        let g = sizes.chunk_scalars(&index, cumsum);
        let g_last = g[g.len() - 1];
        let new: Vec<Vec<R>> = u
            .iter()
            .zip(&w)
            .map(|(u, w)| {
                let seen = read(&state, w, sizes.value_size);
                u.iter().zip(seen).map(|(&u, seen)| u - seen).collect()
            })
            .collect();
        let whole = decay::<R>(g_last);
        state.iter_mut().for_each(|x| *x = whole * *x);
        for (i, new) in new.iter().enumerate() {
            let to_end = decay::<R>(g_last - g[i]);
            let decayed: Vec<R> = new.iter().map(|&new| to_end * new).collect();
            write(&mut state, k[i], &decayed);
            vn[sizes.chunk_row(&index, i, sizes.value_size)].copy_from_slice(new);
        }
        if index.tokens.end == sizes.tokens {
            last[head].copy_from_slice(&layout.store(&state, sizes));
        }
    }
    States { h, vn, last }
}
