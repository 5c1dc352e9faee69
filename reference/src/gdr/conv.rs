//! The causal convolution of each feature over its tokens. The features are split into q, k and v.

mod prefill;
mod update;

pub use prefill::{PrefillBatch, prefill};
pub use update::{UpdateBatch, UpdateResults, update};

use super::op::silu;
use crate::Real;

/// Parameters of the convolution that all tokens share.
#[derive(Clone, Copy, Debug)]
pub struct Filter<'a, R> {
    /// Number of features of q, which k has too.
    pub key_features: usize,
    /// Number of features of v.
    pub value_features: usize,
    /// Number of weights of a feature, W.
    pub width: usize,
    /// `[dim, W]` with dim = 2 kd + vd; the last weight is that of the newest element.
    pub weights: &'a [R],
    /// Bias `[dim]`, or none.
    pub bias: Option<&'a [R]>,
    /// True if SiLU follows.
    pub silu: bool,
}

impl<R: Real> Filter<'_, R> {
    /// Returns the features of q, k and v together.
    #[must_use]
    pub fn features(&self) -> usize {
        2 * self.key_features + self.value_features
    }

    /// Returns `act(bias + sum_j w[j] window[j])`. The window has the oldest element first; elements before a sequence are absent, and count
    /// as zeros.
    fn apply(&self, feature: usize, window: &[R]) -> R {
        let weights = &self.weights[feature * self.width..][..self.width];
        let weights = &weights[self.width - window.len()..];
        let bias = self.bias.map_or(R::ZERO, |bias| bias[feature]);
        let sum = weights
            .iter()
            .zip(window)
            .fold(bias, |sum, (&w, &x)| w.mul_add(x, sum));
        if self.silu { silu(sum) } else { sum }
    }

    /// Returns the part of a feature (0 for q, 1 for k, 2 for v) and the feature's index within the part.
    fn part(&self, feature: usize) -> (usize, usize) {
        let keys = self.key_features;
        match feature {
            _ if feature < keys => (0, feature),
            _ if feature < 2 * keys => (1, feature - keys),
            _ => (2, feature - 2 * keys),
        }
    }

    /// Returns the number of features of each part.
    fn parts(&self) -> [usize; 3] {
        [self.key_features, self.key_features, self.value_features]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILTER: Filter<'_, f64> = Filter {
        key_features: 1,
        value_features: 2,
        width: 3,
        weights: &[1.0, 2.0, 4.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0],
        bias: Some(&[0.5, 0.0, 0.0, 0.0]),
        silu: false,
    };

    #[test]
    fn the_newest_element_has_the_last_weight() {
        assert_eq!(FILTER.features(), 4);
        assert_eq!(FILTER.apply(0, &[1.0, 10.0, 100.0]), 421.5);
        assert_eq!(FILTER.apply(0, &[100.0]), 400.5);
        assert_eq!(FILTER.apply(2, &[3.0, 10.0, 100.0]), 3.0);
        assert_eq!(FILTER.apply(2, &[10.0, 100.0]), 0.0);
    }

    #[test]
    fn the_activation_comes_last() {
        let active = Filter {
            silu: true,
            ..FILTER
        };
        // ln 3 - 1/2 and the bias of 1/2: 3/4 of ln 3
        let x = (3f64.ln() - 0.5) / 4.0;
        assert!((active.apply(0, &[x]) - 0.75 * 3f64.ln()).abs() < 1e-15);
    }

    #[test]
    fn features_are_split_in_order() {
        let parts = [0, 1, 2, 3].map(|feature| FILTER.part(feature));
        assert_eq!(parts, [(0, 0), (1, 0), (2, 0), (2, 1)]);
    }
}
