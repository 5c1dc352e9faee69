//! Inputs of the rule whose tokens are divided into chunks.

use deltanet_reference::rule::{Convention, Gate, Sizes};

use super::{Problem, problem, tokens};
use crate::contract::{DeviceResult, Instance, axes};
use crate::report::model::Rounding;
use crate::tensor::Axis;

/// Roundings of f32, each 2^-24 of a sum, that a right kernel may make in a difference of two sums of gates: each sum is the end of a scan, and
/// is multiplied where the kernel takes exponentials to base 2.
const ROUNDINGS: f64 = 5.0 / (1 << 24) as f64;

/// Returns the errors that sums of gates in f32 may leave in factors e^(G_i - G_j), from the sums G and the log gates, in the same order.
///
/// A sum is off by a share of itself, however small the difference is, and so is the factor's relative error. Of all factors of token i with
/// tokens before it, e^(g_i) is the largest.
pub fn rounding_of_sums(sums: &[f64], gates: &[f64]) -> Rounding {
    let most = |errors: &mut dyn Iterator<Item = f64>| {
        let finite = errors.filter(|error| error.is_finite());
        ROUNDINGS * finite.fold(0.0, f64::max)
    };
    let pairs = sums.iter().zip(gates);
    Rounding {
        absolute: most(&mut pairs.map(|(sum, gate)| sum.abs() * gate.min(0.0).exp())),
        relative_rms: most(&mut sums.iter().map(|sum| sum.abs())),
    }
}

impl Problem {
    /// Returns the errors that sums of gates in f32 may leave in the factors of chunks of `c` tokens.
    pub fn rounding_of_sums(&self, t: &Instance<'_>, c: usize) -> Rounding {
        let gates = t
            .wide(self.g)
            .into_iter()
            .map(|g| match self.convention.gate {
                Gate::Log => g,
                Gate::NegatedLog => -g,
                Gate::Factor => g.ln(),
            });
        let gates: Vec<f64> = gates.collect();
        let Sizes {
            sequences, tokens, ..
        } = self.sizes;
        let row = gates.len() / (sequences * tokens).max(1);
        let mut sums = gates.clone();
        for at in row..sums.len() {
            // The first token of a chunk begins a sum.
            if !(at / row % tokens).is_multiple_of(c) {
                sums[at] += sums[at - row];
            }
        }
        rounding_of_sums(&sums, &gates)
    }
}

/// Inputs of the rule whose tokens are divided into chunks.
pub struct Chunks {
    /// The inputs.
    pub p: Problem,
    /// Tokens of a chunk.
    pub c: usize,
    /// Chunks of a sequence.
    pub count: usize,
}

impl Chunks {
    /// Draws and uploads all inputs of a case with chunks of C tokens.
    pub fn new(t: &mut Instance<'_>, convention: Convention) -> DeviceResult<Chunks> {
        let p = problem(t, convention)?;
        let c = t.dim("C");
        let count = p.sizes.tokens.div_ceil(c);
        Ok(Chunks { p, c, count })
    }

    /// Returns the axes of `[B, T, HV, width]`.
    pub fn rows(&self, width: usize) -> Vec<Axis> {
        tokens(self.p.sizes, self.p.sizes.value_heads, width)
    }

    /// Returns the axes of `[B, chunks, HV, K, V]`.
    pub fn state_axes(&self) -> Vec<Axis> {
        let s = self.p.sizes;
        axes([
            ("sequence", s.sequences),
            ("chunk", self.count),
            ("head", s.value_heads),
            ("key channel", s.key_size),
            ("value channel", s.value_size),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::catalog::rule::problem::{GATES, gates};
    use crate::tensor::Distribution::{Normal, Uniform};
    use crate::tensor::Stream;

    /// The tolerance of the rule.
    const FLOOR: f64 = 1e-5;

    /// Sums in f32 in the order of the tokens.
    fn in_order(gates: &[f32]) -> Vec<f32> {
        let sum = |sum: &mut f32, gate: &f32| {
            *sum += gate;
            Some(*sum)
        };
        gates.iter().scan(0.0, sum).collect()
    }

    /// Sums in f32 in the order of a scan by a wave.
    fn by_doubling(gates: &[f32]) -> Vec<f32> {
        let mut sums = gates.to_vec();
        for distance in (0..7).map(|step| 1 << step) {
            for at in (distance..sums.len()).rev() {
                sums[at] += sums[at - distance];
            }
        }
        sums
    }

    /// Kernels that sum the gates of a chunk in f32, as Flash Linear Attention does, failed with some seeds.
    #[test]
    fn factors_of_sums_in_f32_are_within_the_rounding_that_is_allowed() {
        for regime in GATES.1 {
            let mut most = 0.0f64;
            for seed in 0..200 {
                let mut stream = Stream::new(seed, "gates", regime);
                let (count, a) = (64, stream.draw(1, Uniform(0.01, 16.0)));
                let noise = stream.draw(count, Normal(1.0));
                let share = stream.draw(count, Uniform(0.0, 1.0));
                let gates = gates(regime, &noise, &share, &a);
                let wide: Vec<f64> = gates.iter().map(|g| f64::from(*g)).collect();
                let sum = |sum: &mut f64, gate: &f64| {
                    *sum += gate;
                    Some(*sum)
                };
                let sums: Vec<f64> = wide.iter().scan(0.0, sum).collect();
                let allowed = rounding_of_sums(&sums, &wide);
                let scaled = |sums: Vec<f32>| -> Vec<f32> {
                    let to_base_2 = |sum: &f32| sum * std::f32::consts::LOG2_E;
                    sums.iter().map(to_base_2).collect()
                };
                for (own, base) in [
                    (in_order(&gates), 1.0),
                    (by_doubling(&gates), 1.0),
                    (scaled(by_doubling(&gates)), std::f64::consts::LN_2),
                ] {
                    let mut squares = Vec::new();
                    for (i, j) in (0..count).flat_map(|i| (0..i).map(move |j| (i, j))) {
                        let found = f64::from(own[i] - own[j]) * base;
                        let want = sums[i] - sums[j];
                        let error = (found.exp() - want.exp()).abs();
                        let place = format!("{regime}, seed {seed}: {i}, {j}: {error}");
                        assert!(error <= allowed.absolute.max(FLOOR), "{place}");
                        most = most.max(error / allowed.absolute);
                        squares.push((found - want).powi(2));
                    }
                    let rms = (squares.iter().sum::<f64>() / squares.len() as f64).sqrt();
                    let place = format!("{regime}, seed {seed}: relative RMS {rms}");
                    assert!(rms <= allowed.relative_rms.max(FLOOR), "{place}");
                }
            }
            // The allowance is no larger than it must be. Sums of zeros are exact.
            assert!(*regime == "none" || most > 0.1, "{regime}: {most}");
        }
    }

    #[test]
    fn gates_that_are_no_numbers_allow_nothing() {
        let infinite = [-1.0, f64::NEG_INFINITY];
        let finite = rounding_of_sums(&[-1.0], &[-1.0]);
        assert_eq!(rounding_of_sums(&infinite, &infinite), finite);
        let none = rounding_of_sums(&[f64::NAN], &[f64::NAN]);
        assert_eq!(none, Rounding::default());
    }
}
