use super::decay;
use crate::rule::{HeadMap, Sizes};
use crate::{Real, shape};

/// The two factors of a chunk's update, u and w.
#[derive(Clone, Debug, PartialEq)]
pub struct Uw<R> {
    /// `[B, T, HV, V]`.
    pub u: Vec<R>,
    /// `[B, T, HV, K]`.
    pub w: Vec<R>,
}

/// `u_i = sum_{j<=i} Ai_ij beta_j v_j` and `w_i = sum_{j<=i} Ai_ij beta_j e^(G_j) k_j`.
///
/// `k` is `[B, T, H, K]`, `v` is `[B, T, HV, V]`, `beta` and `cumsum` (G) are `[B, T, HV]`, `inverse` (Ai) is
/// `[B, T, HV, C]`.
#[must_use]
#[expect(clippy::too_many_arguments, reason = "one a tensor of the launch")]
pub fn uw<R: Real>(
    sizes: Sizes,
    chunk: usize,
    map: HeadMap,
    k: &[R],
    v: &[R],
    beta: &[R],
    cumsum: &[f64],
    inverse: &[R],
) -> Uw<R> {
    sizes.check_chunk("uw", chunk);
    shape::expect("uw", "k", k.len(), &sizes.key_shape());
    shape::expect("uw", "v", v.len(), &sizes.value_shape());
    shape::expect("uw", "beta", beta.len(), &sizes.beta_shape());
    shape::expect("uw", "cumsum", cumsum.len(), &sizes.beta_shape());
    let rows = sizes.chunk_rows_shape(chunk);
    shape::expect("uw", "inverse", inverse.len(), &rows);
    let (key_size, value_size) = (sizes.key_size, sizes.value_size);
    let mut u = vec![R::ZERO; v.len()];
    let mut w = vec![R::ZERO; cumsum.len() * key_size];
    for index in sizes.chunk_indices(chunk) {
        let key_head = map.key_head(index.value_head, sizes.key_heads, sizes.value_heads);
        let k = sizes.chunk_keys(&index, key_head, k);
        let v = sizes.chunk_rows(&index, v, value_size);
        let inverse = sizes.chunk_rows(&index, inverse, chunk);
        let beta = sizes.chunk_scalars(&index, beta);
        let g = sizes.chunk_scalars(&index, cumsum);
        let v_beta: Vec<Vec<R>> = v
            .iter()
            .zip(&beta)
            .map(|(v, &beta)| scaled(v, beta))
            .collect();
        let k_beta: Vec<Vec<R>> = k
            .iter()
            .zip(beta.iter().zip(&g))
            .map(|(k, (&beta, g))| scaled(k, beta * decay(*g)))
            .collect();
        for i in 0..k.len() {
            let u = &mut u[sizes.chunk_row(&index, i, value_size)];
            let w = &mut w[sizes.chunk_row(&index, i, key_size)];
            for j in 0..=i {
                R::add_scaled(u, inverse[i][j], &v_beta[j]);
                R::add_scaled(w, inverse[i][j], &k_beta[j]);
            }
        }
    }
    Uw { u, w }
}

fn scaled<R: Real>(row: &[R], factor: R) -> Vec<R> {
    row.iter().map(|&x| factor * x).collect()
}
