//! Functions that end a layer, with their inverses.

use std::f64::consts::LN_2;

/// The name of the function that changes nothing.
pub(super) const IDENTITY: &str = "identity";

/// The largest size of an argument that an inverse returns.
const LARGEST: f64 = 1e6;

/// Steps of a bisection: enough for the precision of f64.
const STEPS: usize = 120;

/// A function of one value.
pub(super) struct Activation {
    pub(super) name: &'static str,
    pub(super) f: fn(f64) -> f64,
    /// The argument of the least value, where the function falls before it.
    least: Option<f64>,
}

/// Functions that a contract may have.
pub(super) const ACTIVATIONS: &[Activation] = &[
    Activation::rising(IDENTITY, |x| x),
    Activation::with_least("SiLU", silu, -1.278_464_542_761_074),
    Activation::with_least("GELU", gelu, -0.751_791_524_693_564_5),
    Activation::with_least("GELU by tanh", gelu_by_tanh, -0.752_461_415_340_536),
    Activation::rising("sigmoid", sigmoid),
    Activation::rising("tanh", f64::tanh),
    Activation::rising("softplus", softplus),
];

/// Functions that kernels may have in their place.
pub(super) const KERNELS: &[Activation] = &[
    Activation::rising(IDENTITY, |x| x),
    Activation::rising("sigmoid", sigmoid),
    Activation::rising("tanh", f64::tanh),
    Activation::rising("ReLU", |x| x.max(0.0)),
    Activation::rising("SiLU", silu),
    Activation::rising("GELU", gelu),
    Activation::rising("GELU by tanh", gelu_by_tanh),
    Activation::rising("GELU by a sigmoid of 1.702 x", |x| x * sigmoid(1.702 * x)),
    Activation::rising("softplus", softplus),
    Activation::rising("squared ReLU", |x| x.max(0.0).powi(2)),
    Activation::rising("x / (1 + e^x)", |x| x * sigmoid(-x)),
    Activation::rising("1 / (1 + e^x)", |x| sigmoid(-x)),
    Activation::rising("x / (1 + 2^-x)", |x| x * sigmoid(x * LN_2)),
    Activation::rising("1 / (1 + 2^-x)", |x| sigmoid(x * LN_2)),
];

impl Activation {
    const fn rising(name: &'static str, f: fn(f64) -> f64) -> Activation {
        Activation {
            name,
            f,
            least: None,
        }
    }

    const fn with_least(name: &'static str, f: fn(f64) -> f64, least: f64) -> Activation {
        Activation {
            name,
            f,
            least: Some(least),
        }
    }

    /// Returns the arguments with which the function has a value.
    pub(super) fn arguments(&self, value: f64) -> impl Iterator<Item = f64> + use<> {
        let f = self.f;
        let inverse = |from: f64, to: f64| {
            let (mut below, mut above) = (from, to);
            // A function may fall towards `to` < `from`.
            for _ in 0..STEPS {
                let middle = f64::midpoint(below, above);
                match f(middle) <= value {
                    true => below = middle,
                    false => above = middle,
                }
            }
            f64::midpoint(below, above)
        };
        let found = match (self.name == IDENTITY, self.least) {
            (true, _) => [Some(value), None],
            (false, None) => [Some(inverse(-LARGEST, LARGEST)), None],
            (false, Some(least)) if value < 0.0 => {
                [Some(inverse(least, 0.0)), Some(inverse(least, -LARGEST))]
            }
            (false, Some(_)) => [Some(inverse(0.0, LARGEST)), None],
        };
        found.into_iter().flatten()
    }
}

pub(super) fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn silu(x: f64) -> f64 {
    x * sigmoid(x)
}

fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

fn gelu(x: f64) -> f64 {
    0.5 * x * complement(-x / std::f64::consts::SQRT_2)
}

fn gelu_by_tanh(x: f64) -> f64 {
    let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x.powi(3));
    x * sigmoid(2.0 * inner)
}

/// Returns 1 less the error function.
fn complement(x: f64) -> f64 {
    let root = std::f64::consts::PI.sqrt();
    match x {
        x if x < 0.0 => 2.0 - complement(-x),
        x if x < 2.5 => {
            // The series of Maclaurin.
            let (mut term, mut sum) = (x, x);
            for n in 1..80 {
                term *= -x * x / f64::from(n);
                sum += term / f64::from(2 * n + 1);
            }
            1.0 - 2.0 / root * sum
        }
        x => {
            // The continued fraction, from its end.
            let fraction = (1..80)
                .rev()
                .fold(0.0, |rest, n| f64::from(n) / 2.0 / (x + rest));
            (-x * x).exp() / root / (x + fraction)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_of_each_function_has_its_arguments() {
        for function in ACTIVATIONS {
            for x in [-12.0, -3.0, -1.0, -0.3, 0.5, 2.0, 7.0] {
                let value = (function.f)(x);
                let mut found = function.arguments(value);
                let near = found.any(|argument| (argument - x).abs() < 1e-4);
                assert!(near, "{} of {x}", function.name);
            }
        }
    }

    #[test]
    fn the_error_function() {
        for (x, erfc) in [
            (0.5, 0.479_500_122_186_953_5),
            (1.0, 0.157_299_207_050_285_13),
            (3.0, 2.209_049_699_858_544e-5),
            (-1.0, 1.842_700_792_949_715),
        ] {
            assert!((complement(x) - erfc).abs() < 1e-12 * erfc.max(1e-2), "{x}");
        }
    }
}
