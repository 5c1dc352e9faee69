//! The outputs of chunks (`gdr_chunk_o_f32`).

use crate::Real;
use crate::rule::chunk::outputs;
use crate::rule::{HeadMap, Sizes};

use super::common::sums_or_zeros;

/// `o_i = scale (e^(G_i) q_i h + sum_{j<=i} <q_i, k_j> e^(G_i - G_j) vn_j)`, `[B, T, HV, V]`.
///
/// `q` and `k` are `[B, T, H, K]`, `vn` is `[B, T, HV, V]`, `h` is `[B, NT, HV, K, V]`, `cumsum` is G, `[B, T, HV]`, or `None` for zeros.
#[must_use]
#[expect(clippy::too_many_arguments, reason = "one a tensor of the launch")]
pub fn chunk_o<R: Real>(
    sizes: Sizes,
    bt: usize,
    scale: R,
    q: &[R],
    k: &[R],
    vn: &[R],
    h: &[R],
    cumsum: Option<&[R]>,
) -> Vec<R> {
    let cumsum = sums_or_zeros(cumsum, sizes.beta_shape().iter().product());
    outputs(sizes, bt, HeadMap::Block, scale, q, k, vn, &cumsum, h)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gdr::common::by_hand;

    /// Two tokens of one channel: q = (1, 2), k = (3, 4), vn = (5, 6), h = 7, scale 1/2.
    #[test]
    fn by_hand_with_and_without_gates() {
        let call = |cumsum| {
            let (q, k, vn) = ([1.0f64, 2.0], [3.0, 4.0], [5.0, 6.0]);
            chunk_o(by_hand(2), 2, 0.5, &q, &k, &vn, &[7.0], cumsum)
        };
        // 7 + 3 * 5, 14 + 6 * 5 + 8 * 6
        assert_eq!(call(None), [11.0, 46.0]);
        // e^G = (1/2, 1/4): 3.5 + 15, 3.5 + 30 / 2 + 48
        let gated = call(Some(&[-(2f64.ln()), -(4f64.ln())]));
        assert!(
            (gated[0] - 9.25).abs() < 1e-14 && (gated[1] - 33.25).abs() < 1e-14,
            "{gated:?}"
        );
    }
}
