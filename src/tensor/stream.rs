//! Seeded random numbers: one stream for each tensor, the same on every machine and in every version.
//!
//! The stream of a tensor is ChaCha20 with the key
//! `SHA-256("deltanet-check/input/1" 0 seed 0 trial-id 0 tensor-name)`, the seed as eight little-endian bytes.
//! The stream depends on nothing else, so adding a tensor or reordering tests changes no other tensor. Bits become
//! floats by hand, because the distributions of libraries change between versions.

use std::fmt;

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

/// The distribution of an input's elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// Uniform in `[low, high)`, on a grid of 2^-24 of the range.
    Uniform(f32, f32),
    /// Normal with mean 0 and this standard deviation.
    Normal(f32),
    /// Running sum of uniform steps in `[low, high)`, like a cumulated gate.
    Walk(f32, f32),
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Distribution::Uniform(low, high) => write!(f, "uniform in [{low}, {high})"),
            Distribution::Normal(deviation) => write!(f, "normal, deviation {deviation}"),
            Distribution::Walk(low, high) => {
                write!(f, "running sum of steps uniform in [{low}, {high})")
            }
        }
    }
}

/// The stream of one tensor.
pub struct Stream {
    bits: ChaCha20Rng,
}

impl Stream {
    /// Makes the stream of a tensor of a trial at a seed.
    pub fn new(seed: u64, trial: &str, tensor: &str) -> Stream {
        let mut hash = Sha256::new();
        for part in [
            b"deltanet-check/input/1",
            &seed.to_le_bytes()[..],
            trial.as_bytes(),
        ] {
            hash.update(part);
            hash.update([0]);
        }
        hash.update(tensor.as_bytes());
        Stream {
            bits: ChaCha20Rng::from_seed(hash.finalize().into()),
        }
    }

    /// Draws `count` elements.
    pub fn draw(&mut self, count: usize, distribution: Distribution) -> Vec<f32> {
        match distribution {
            Distribution::Uniform(low, high) => {
                (0..count).map(|_| self.uniform(low, high)).collect()
            }
            Distribution::Normal(deviation) => {
                let mut values = Vec::with_capacity(count + 1);
                while values.len() < count {
                    values.extend(
                        self.normal_pair()
                            .map(|z| (z * f64::from(deviation)) as f32),
                    );
                }
                values.truncate(count);
                values
            }
            Distribution::Walk(low, high) => {
                let mut at = 0.0f32;
                let mut step = || {
                    at += self.uniform(low, high);
                    at
                };
                (0..count).map(|_| step()).collect()
            }
        }
    }

    /// Draws a whole number below `count`. The probabilities differ by at most 2^-32.
    pub fn below(&mut self, count: usize) -> usize {
        let scaled = (u128::from(self.bits.next_u32()) * count as u128) >> 32;
        usize::try_from(scaled).unwrap_or(0)
    }

    /// Draws a number of a range, by the upper 24 bits of a word.
    fn uniform(&mut self, low: f32, high: f32) -> f32 {
        let fraction = (self.bits.next_u32() >> 8) as f32 / (1u32 << 24) as f32;
        low + (high - low) * fraction
    }

    /// Draws two normal numbers by Box-Muller in f64, on fractions of 53 bits. The first fraction is never 0.
    fn normal_pair(&mut self) -> [f64; 2] {
        let scale = 1.0 / (1u64 << 53) as f64;
        let radius = ((self.bits.next_u64() >> 11) + 1) as f64 * scale;
        let angle = (self.bits.next_u64() >> 11) as f64 * scale * std::f64::consts::TAU;
        let length = (-2.0 * radius.ln()).sqrt();
        [length * angle.cos(), length * angle.sin()]
    }
}

/// An error: the host has no random numbers.
#[derive(Debug, thiserror::Error)]
#[error("cannot draw a random seed: {0}; give one with --seed N")]
pub struct NoRandomness(rand::rngs::SysError);

/// Draws a seed for `--seed random`, small enough to be typed again.
pub fn random_seed() -> Result<u64, NoRandomness> {
    use rand::TryRng;
    let word = rand::rngs::SysRng.try_next_u32();
    word.map(u64::from).map_err(NoRandomness)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(values: Vec<f32>) -> Vec<u32> {
        values.into_iter().map(f32::to_bits).collect()
    }

    /// Reports name a seed, so the numbers behind it may never change. These come from another implementation of
    /// SHA-256, ChaCha20 and Box-Muller.
    #[test]
    fn the_first_values_are_pinned() {
        let draw = |distribution| bits(Stream::new(7, "mul", "a").draw(3, distribution));
        assert_eq!(
            draw(Distribution::Uniform(-2.0, 2.0)),
            [3220691780, 1051194864, 1024020224]
        );
        assert_eq!(
            draw(Distribution::Normal(1.0)),
            [3211364988, 3204453166, 1075040982]
        );
    }

    #[test]
    fn every_part_of_the_name_matters_and_parts_do_not_run_together() {
        let first = |seed, trial, tensor| {
            bits(Stream::new(seed, trial, tensor).draw(4, Distribution::Uniform(0.0, 1.0)))
        };
        let base = first(0, "mul", "a");
        assert_eq!(base, first(0, "mul", "a"));
        for other in [
            first(1, "mul", "a"),
            first(0, "exp", "a"),
            first(0, "mul", "b"),
            first(0, "mula", ""),
        ] {
            assert_ne!(base, other);
        }
    }

    #[test]
    fn a_longer_tensor_begins_with_the_shorter_one() {
        for distribution in [
            Distribution::Uniform(0.0, 1.0),
            Distribution::Normal(2.0),
            Distribution::Walk(-1.0, 0.0),
        ] {
            let long = Stream::new(3, "t", "x").draw(11, distribution);
            assert_eq!(long[..6], Stream::new(3, "t", "x").draw(6, distribution));
        }
    }

    #[test]
    fn draws_have_the_range_and_the_moments_asked_for() {
        let uniform = Stream::new(0, "t", "u").draw(100_000, Distribution::Uniform(-2.0, 3.0));
        assert!(uniform.iter().all(|x| (-2.0..3.0).contains(x)));
        let normal = Stream::new(0, "t", "n").draw(100_000, Distribution::Normal(2.0));
        let mean = |values: &[f32]| {
            values.iter().map(|&x| f64::from(x)).sum::<f64>() / values.len() as f64
        };
        let square: Vec<f32> = normal.iter().map(|x| x * x).collect();
        assert!((mean(&uniform) - 0.5).abs() < 0.02);
        assert!(mean(&normal).abs() < 0.03);
        assert!((mean(&square) - 4.0).abs() < 0.1);
    }
}
