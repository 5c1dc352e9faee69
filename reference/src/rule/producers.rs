//! Producers of gates and write strengths in a model. `beta = sigmoid(b)` is [`crate::operators::sigmoid`].

use crate::{Real, shape};

/// Bound above which softplus returns its argument, as in torch. Above the bound the two differ by less than f32 resolves.
pub const SOFTPLUS_THRESHOLD: f64 = 20.0;

/// Range of Qwen3-Next's initial A, which is uniform, one per head; `A_log = ln A`.
pub const QWEN3_NEXT_A: std::ops::Range<f64> = 0.0..16.0;

/// Qwen3-Next's initial `dt_bias` of every head.
pub const QWEN3_NEXT_DT_BIAS: f64 = 1.0;

/// Returns `ln(1 + e^x)`, and x above [`SOFTPLUS_THRESHOLD`].
#[must_use]
pub fn softplus<R: Real>(x: R) -> R {
    if x > R::from_f64(SOFTPLUS_THRESHOLD) {
        x
    } else {
        x.exp().ln_1p()
    }
}

/// Returns the log gates of Gated DeltaNet: `g = -e^(A_log) softplus(a + dt_bias)`.
///
/// `a` is `[.., HV]` with any leading axes; `a_log` and `dt_bias` are `[HV]`. An untrained Qwen3-Next has `A_log = ln A` with A from
/// [`QWEN3_NEXT_A`] and `dt_bias` = [`QWEN3_NEXT_DT_BIAS`], so the states of most heads decay by about e^-10 a token.
#[must_use]
pub fn log_gates<R: Real>(a: &[R], a_log: &[R], dt_bias: &[R]) -> Vec<R> {
    let factors: Vec<R> = a_log.iter().map(|a_log| -a_log.exp()).collect();
    log_gates_of(a, &factors, dt_bias)
}

/// Returns the log gates by their factors, which a model file of llama.cpp has: `g = factor softplus(a + dt_bias)`, with
/// `factor = -e^(A_log)`. The shapes are those of [`log_gates`].
#[must_use]
pub fn log_gates_of<R: Real>(a: &[R], factors: &[R], dt_bias: &[R]) -> Vec<R> {
    let heads = factors.len();
    shape::expect("log_gates", "dt_bias", dt_bias.len(), &[heads]);
    shape::expect(
        "log_gates",
        "a",
        a.len(),
        &[a.len().checked_div(heads).unwrap_or(0), heads],
    );
    let parameters = factors.iter().zip(dt_bias).cycle();
    a.iter()
        .zip(parameters)
        .map(|(&a, (&factor, &dt_bias))| factor * softplus(a + dt_bias))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn softplus_by_hand() {
        assert!((softplus(0.0f64) - 2f64.ln()).abs() < 1e-16);
        // ln(1 + e^ln 3) = ln 4
        assert!((softplus(3f64.ln()) - 4f64.ln()).abs() < 1e-15);
        assert_eq!(softplus(20.5f64), 20.5);
        assert_eq!(softplus(1e30f32), 1e30);
        assert_eq!(softplus(-200.0f32), 0.0);
        // Below the resolution of 1, softplus is e^x and not 0.
        assert!((softplus(-40.0f64) / (-40.0f64).exp() - 1.0).abs() < 1e-15);
        assert!(softplus(f32::NAN).is_nan());
    }

    #[test]
    fn the_threshold_is_no_step() {
        let threshold = SOFTPLUS_THRESHOLD as f32;
        let above = f32::from_bits(threshold.to_bits() + 1);
        assert_eq!(softplus(threshold), threshold);
        assert_eq!(softplus(above), above);
    }

    #[test]
    fn gates_by_hand() {
        // two heads, two tokens: A = (1, 2), dt_bias = (0, ln 3)
        let ln = f64::ln;
        let got = log_gates(
            &[0.0, 0.0, ln(3.0), -ln(3.0)],
            &[0.0, ln(2.0)],
            &[0.0, ln(3.0)],
        );
        let want = [-ln(2.0), -2.0 * ln(4.0), -ln(4.0), -2.0 * ln(2.0)];
        assert!(
            got.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-14),
            "{got:?}"
        );
    }

    #[test]
    fn a_head_that_forgets_nothing() {
        assert_eq!(log_gates(&[5.0f32], &[f32::NEG_INFINITY], &[1.0]), [0.0]);
    }
}
