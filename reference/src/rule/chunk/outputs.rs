use super::decay;
use crate::operators::dot;
use crate::rule::recurrence::read;
use crate::rule::{HeadMap, Sizes};
use crate::{Real, shape};

/// `o_i = scale (e^(G_i) q_i h + sum_{j<=i} <q_i, k_j> e^(G_i - G_j) vn_j)`, `[B, T, HV, V]`.
///
/// `q` and `k` are `[B, T, H, K]`, `vn` is `[B, T, HV, V]`, `cumsum` (G) is `[B, T, HV]`, `h` is
/// `[B, chunks, HV, K, V]`.
#[must_use]
#[expect(clippy::too_many_arguments, reason = "one a tensor of the launch")]
pub fn outputs<R: Real>(
    sizes: Sizes,
    chunk: usize,
    map: HeadMap,
    scale: R,
    q: &[R],
    k: &[R],
    vn: &[R],
    cumsum: &[f64],
    h: &[R],
) -> Vec<R> {
    sizes.check_chunk("outputs", chunk);
    shape::expect("outputs", "q", q.len(), &sizes.key_shape());
    shape::expect("outputs", "k", k.len(), &sizes.key_shape());
    shape::expect("outputs", "vn", vn.len(), &sizes.value_shape());
    shape::expect("outputs", "cumsum", cumsum.len(), &sizes.beta_shape());
    let states = sizes.chunk_states_shape(chunk);
    shape::expect("outputs", "h", h.len(), &states);
    let mut output = vec![R::ZERO; vn.len()];
    for index in sizes.chunk_indices(chunk) {
        let key_head = map.key_head(index.value_head, sizes.key_heads, sizes.value_heads);
        let q = sizes.chunk_keys(&index, key_head, q);
        let k = sizes.chunk_keys(&index, key_head, k);
        let vn = sizes.chunk_rows(&index, vn, sizes.value_size);
        let g = sizes.chunk_scalars(&index, cumsum);
        let h = &h[sizes.chunk_state(&index, chunk)];
        for i in 0..q.len() {
            let whole = decay::<R>(g[i]);
            let decayed: Vec<R> = q[i].iter().map(|&q| whole * q).collect();
            let mut sums = read(h, &decayed, sizes.value_size);
            for j in 0..=i {
                let attention = dot(q[i], k[j]) * decay::<R>(g[i] - g[j]);
                R::add_scaled(&mut sums, attention, vn[j]);
            }
            let row = &mut output[sizes.chunk_row(&index, i, sizes.value_size)];
            for (o, sum) in row.iter_mut().zip(sums) {
                *o = scale * sum;
            }
        }
    }
    output
}
