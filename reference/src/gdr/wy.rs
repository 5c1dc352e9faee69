//! The two factors of a chunk's update (`gdr_recompute_w_u_f32`).

use crate::Real;
use crate::rule::chunk::uw;
use crate::rule::{HeadMap, Sizes};

use super::common::sums_or_zeros;

/// Factors `w` and `u` of every token.
#[derive(Clone, Debug, PartialEq)]
pub struct WyFactors<R> {
    /// Factor on the state before the chunk, `[B, T, HV, K]`.
    pub w: Vec<R>,
    /// Values without the state's part, `[B, T, HV, V]`.
    pub u: Vec<R>,
}

/// `w_i = sum_{j<=i} Ai_ij beta_j e^(G_j) k_j` and `u_i = sum_{j<=i} Ai_ij beta_j v_j`.
///
/// `k` is `[B, T, H, K]`, `v` is `[B, T, HV, V]`, `beta` is `[B, T, HV]`, `cumsum` is G, `[B, T, HV]`, or `None` for zeros, `inverse` (Ai) is
/// `[B, T, HV, BT]`.
#[must_use]
pub fn recompute_w_u<R: Real>(
    sizes: Sizes,
    bt: usize,
    k: &[R],
    v: &[R],
    beta: &[R],
    cumsum: Option<&[R]>,
    inverse: &[R],
) -> WyFactors<R> {
    let cumsum = sums_or_zeros(cumsum, beta.len());
    let factors = uw(sizes, bt, HeadMap::Block, k, v, beta, &cumsum, inverse);
    WyFactors {
        w: factors.w,
        u: factors.u,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gdr::common::by_hand;

    /// Two tokens of one channel: k = (1, 2), v = (10, 20), beta = (1/2, 1/4), Ai = [1 0; -1 1].
    #[test]
    fn by_hand_with_and_without_gates() {
        let sizes = by_hand(2);
        let ai = [1.0f64, 0.0, -1.0, 1.0];
        let call = |cumsum| {
            recompute_w_u(
                sizes,
                2,
                &[1.0, 2.0],
                &[10.0, 20.0],
                &[0.5, 0.25],
                cumsum,
                &ai,
            )
        };
        let plain = call(None);
        assert_eq!(plain.u, [5.0, 0.0]);
        assert_eq!(plain.w, [0.5, 0.0]);
        // e^G = (1/2, 1/4)
        let gated = call(Some(&[-(2f64.ln()), -(4f64.ln())]));
        assert_eq!(gated.u, plain.u);
        assert!((gated.w[0] - 0.25).abs() < 1e-16 && (gated.w[1] + 0.125).abs() < 1e-16);
    }
}
