use super::gemm_tn;
use crate::{Real, shape};

/// `attn[i][j] = -(K^T K_beta)[i][j] * decay_mask[i][j]` for `j < i`, 0 elsewhere (`kernel_attention_matrix_fused`).
///
/// K and `k_beta` are `s` x `c`, the masks and the result `c` x `c`. Beta belongs to the column, as in the document.
#[must_use]
pub fn attention_matrix<R: Real>(
    k: &[R],
    k_beta: &[R],
    decay_mask: &[R],
    s: usize,
    c: usize,
) -> Vec<R> {
    shape::expect("attention_matrix", "decay_mask", decay_mask.len(), &[c, c]);
    let mut attn = gemm_tn(k, k_beta, c, c, s);
    for (i, (x, &decay)) in attn.iter_mut().zip(decay_mask).enumerate() {
        *x = if i % c < i / c { -*x * decay } else { R::ZERO };
    }
    attn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // two channels, two tokens: k_0 = (1, 2), k_1 = (3, 4), beta = (1/2, 10); below the diagonal <k_1, k_0> beta_0 = 5.5
        let k = [1.0f32, 3.0, 2.0, 4.0];
        let k_beta = [0.5f32, 30.0, 1.0, 40.0];
        assert_eq!(
            attention_matrix(&k, &k_beta, &[1.0, 9.0, 0.25, 1.0], 2, 2),
            [0.0, 0.0, -1.375, 0.0]
        );
    }
}
