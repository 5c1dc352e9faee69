//! The state from chunk to chunk (`gdr_chunk_delta_h_f32`).

use crate::Real;
use crate::rule::chunk::{States, Uw, states};
use crate::rule::{HeadMap, Sizes, StateLayout};

use super::common::{or_zeros, sums_or_zeros};

/// Computes the state before each chunk, the corrected values, and the state after the last token:
///
/// ```text
/// vn_i   = u_i - w_i h
/// h_next = e^(G_last) h + sum_i e^(G_last - G_i) k_i (x) vn_i
/// ```
///
/// `k` is `[B, T, H, K]`, `w` is `[B, T, HV, K]`, `u` is `[B, T, HV, V]`, `cumsum` is G, `[B, T, HV]`, or `None` for zeros, `h0` is
/// `[B, HV, K, V]`, or `None` for zeros, and the last state is `[B, HV, K, V]`. G_last is the G of the chunk's last token, in a short chunk
/// too.
#[must_use]
pub fn chunk_delta_h<R: Real>(
    sizes: Sizes,
    bt: usize,
    k: &[R],
    w: &[R],
    u: &[R],
    cumsum: Option<&[R]>,
    h0: Option<&[R]>,
) -> States<R> {
    let layout = StateLayout::KeyMajor;
    let cumsum = sums_or_zeros(cumsum, sizes.beta_shape().iter().product());
    let h0 = or_zeros(h0, sizes.state_shape(layout).iter().product());
    let uw = Uw {
        u: u.to_vec(),
        w: w.to_vec(),
    };
    states(sizes, bt, HeadMap::Block, layout, k, &uw, &cumsum, &h0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gdr::common::by_hand;

    /// Three tokens of one channel in chunks of two: k = (1, 2, 3), u = (10, 20, 30), w = (1, 1/2, 2), h0 = 4.
    #[test]
    fn the_states_are_those_at_the_chunks_starts() {
        let (k, w, u) = ([1.0f64, 2.0, 3.0], [1.0, 0.5, 2.0], [10.0, 20.0, 30.0]);
        let got = chunk_delta_h(by_hand(3), 2, &k, &w, &u, None, Some(&[4.0]));
        // vn = (10 - 4, 20 - 2), then h = 4 + 6 + 36 = 46; vn = 30 - 92, h = 46 - 186
        assert_eq!(got.h, [4.0, 46.0]);
        assert_eq!(got.vn, [6.0, 18.0, -62.0]);
        assert_eq!(got.last, [-140.0]);
    }

    #[test]
    fn a_chunk_decays_to_its_last_token() {
        // halves at every token: G = -(ln 2, ln 4), then -ln 2 in the short chunk
        let half = 2f64.ln();
        let (k, w, u) = ([1.0, 1.0, 1.0], [0.0, 0.0, 0.0], [8.0, 4.0, 2.0]);
        let gates = [-half, -2.0 * half, -half];
        let got = chunk_delta_h(by_hand(3), 2, &k, &w, &u, Some(&gates), Some(&[16.0]));
        // 16 / 4 + 8 / 2 + 4 = 12, then 12 / 2 + 2 = 8
        let near = |a: f64, b: f64| (a - b).abs() < 1e-13;
        assert!(near(got.h[1], 12.0) && near(got.last[0], 8.0), "{got:?}");
    }

    #[test]
    fn without_an_initial_state_it_is_zero() {
        let got = chunk_delta_h(by_hand(1), 2, &[2.0f32], &[1.0], &[3.0], None, None);
        assert_eq!((got.h, got.vn, got.last), (vec![0.0], vec![3.0], vec![6.0]));
    }
}
