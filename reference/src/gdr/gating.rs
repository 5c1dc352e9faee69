//! fused_gdn_gating: the gates and write strengths of a prefill.

use crate::Real;
use crate::operators::sigmoid;
use crate::rule::producers::log_gates;

/// Gates and write strengths, both `[tokens, HV]`.
#[derive(Clone, Debug, PartialEq)]
pub struct GatingResults<R> {
    /// `-e^A_log softplus(a + dt_bias)`.
    pub g: Vec<R>,
    /// `1 / (1 + e^-b)`.
    pub beta: Vec<R>,
}

/// Computes `g = -e^A_log softplus(a + dt_bias)` and `beta = sigmoid(b)`; a and b are `[tokens, HV]`, A_log and dt_bias `[HV]`
/// (`gdr_fused_gdn_gating_f32`).
#[must_use]
pub fn gdn_gating<R: Real>(a_log: &[R], dt_bias: &[R], a: &[R], b: &[R]) -> GatingResults<R> {
    GatingResults {
        g: log_gates(a, a_log, dt_bias),
        beta: sigmoid(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // A = (1, 2), dt_bias = (ln 3, 0), one token: softplus(ln 3) = ln 4, and above the threshold
        let (ln2, ln3) = (2f64.ln(), 3f64.ln());
        let got = gdn_gating(&[0.0, ln2], &[ln3, 0.0], &[0.0, 30.0], &[ln3, 0.0]);
        assert!((got.g[0] + 2.0 * ln2).abs() < 1e-15);
        assert!((got.g[1] + 60.0).abs() < 1e-13);
        assert!((got.beta[0] - 0.75).abs() < 1e-15);
        assert_eq!(got.beta[1], 0.5);
    }

    #[test]
    fn far_out_nothing_overflows_and_nothing_is_lost() {
        let got = gdn_gating(&[0.0f32; 2], &[0.0; 2], &[1000.0, -80.0], &[1000.0, -80.0]);
        assert_eq!(got.g[0], -1000.0);
        assert!(got.g[1] < 0.0 && got.g[1] > -1e-34);
        assert_eq!(got.beta[0], 1.0);
        assert!(got.beta[1] > 0.0);
    }
}
