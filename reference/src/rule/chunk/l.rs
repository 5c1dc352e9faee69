use super::decay;
use crate::operators::dot;
use crate::rule::{HeadMap, Sizes};
use crate::{Real, shape};

/// `L_ij = beta_i <k_i, k_j> e^(G_i - G_j)` for i > j, else 0, with the beta of the row.
///
/// `k` is `[B, T, H, K]`, `beta` and `cumsum` (G) are `[B, T, HV]`, the result is `[B, T, HV, C]`.
#[must_use]
pub fn l<R: Real>(
    sizes: Sizes,
    chunk: usize,
    map: HeadMap,
    k: &[R],
    beta: &[R],
    cumsum: &[f64],
) -> Vec<R> {
    sizes.check_chunk("l", chunk);
    shape::expect("l", "k", k.len(), &sizes.key_shape());
    shape::expect("l", "beta", beta.len(), &sizes.beta_shape());
    shape::expect("l", "cumsum", cumsum.len(), &sizes.beta_shape());
    let mut l = vec![R::ZERO; cumsum.len() * chunk];
    for index in sizes.chunk_indices(chunk) {
        let key_head = map.key_head(index.value_head, sizes.key_heads, sizes.value_heads);
        let k = sizes.chunk_keys(&index, key_head, k);
        let beta = sizes.chunk_scalars(&index, beta);
        let g = sizes.chunk_scalars(&index, cumsum);
        for i in 0..k.len() {
            let row = &mut l[sizes.chunk_row(&index, i, chunk)];
            for j in 0..i {
                row[j] = beta[i] * dot(k[i], k[j]) * decay::<R>(g[i] - g[j]);
            }
        }
    }
    l
}
