//! Functions that kernels have in the place of those that make gates, `g = -e^A_log softplus(a + dt_bias)`, and write strengths,
//! `beta = sigmoid(b)`.

use std::sync::Arc;

use deltanet_reference::operators;
use deltanet_reference::rule::producers::softplus;

use crate::contract::Mistake;

/// A mistake in the gates: its name, its explanation, and the gate for `a + dt_bias` and `A_log`.
type WrongGate = (&'static str, &'static str, fn(f64, f64) -> f64);

/// A mistake in the bias of gates: its name, its explanation, and for a and dt_bias the argument of softplus, and what is added to softplus.
type WrongBias = (&'static str, &'static str, fn(f64, f64) -> [f64; 2]);

const BIASES: &[WrongBias] = &[
    ("bias-missing", "dt_bias is missing", |a, _| [a, 0.0]),
    ("bias-sign", "dt_bias is subtracted from a", |a, bias| {
        [a - bias, 0.0]
    }),
    (
        "bias-outside",
        "dt_bias is added to softplus, not to its argument",
        |a, bias| [a, bias],
    ),
];

/// A mistake in the write strengths: its name, its explanation, and the strength for b.
type WrongStrength = (&'static str, &'static str, fn(f64) -> f64);

const GATES: &[WrongGate] = &[
    (
        "softplus-missing",
        "softplus is missing: a + dt_bias is taken as it is",
        |x, a_log| -a_log.exp() * x,
    ),
    (
        "softplus-relu",
        "softplus is taken as max(x, 0)",
        |x, a_log| -a_log.exp() * x.max(0.0),
    ),
    (
        "softplus-exp",
        "softplus is taken as e^x: ln(1 + e^x) is missing",
        |x, a_log| -a_log.exp() * x.exp(),
    ),
    (
        "softplus-exp2",
        "softplus has 2^x in the place of e^x: ln(1 + 2^x)",
        |x, a_log| -a_log.exp() * x.exp2().ln_1p(),
    ),
    (
        "softplus-log2",
        "softplus has log2 in the place of ln: log2(1 + e^x)",
        |x, a_log| -a_log.exp() * softplus(x) * std::f64::consts::LOG2_E,
    ),
    (
        "softplus-both-base-2",
        "softplus is log2(1 + 2^x), with the base 2 in the place of e",
        |x, a_log| -a_log.exp() * softplus(x * std::f64::consts::LN_2) * std::f64::consts::LOG2_E,
    ),
    (
        "softplus-of-minus",
        "softplus is taken of -x: its argument has the wrong sign",
        |x, a_log| -a_log.exp() * softplus(-x),
    ),
    (
        "softplus-threshold-1",
        "softplus is taken as x above 1 already, not above 20",
        |x, a_log| -a_log.exp() * straight_above(1.0, x),
    ),
    (
        "softplus-threshold-2",
        "softplus is taken as x above 2 already, not above 20",
        |x, a_log| -a_log.exp() * straight_above(2.0, x),
    ),
    (
        "softplus-threshold-5",
        "softplus is taken as x above 5 already, not above 20",
        |x, a_log| -a_log.exp() * straight_above(5.0, x),
    ),
    (
        "softplus-threshold-10",
        "softplus is taken as x above 10 already, not above 20",
        |x, a_log| -a_log.exp() * straight_above(10.0, x),
    ),
    (
        "softplus-sigmoid",
        "the gate has the sigmoid of a + dt_bias in the place of its softplus",
        |x, a_log| -a_log.exp() * sigmoid(x),
    ),
    (
        "rate-missing",
        "A_log is not applied: the gate is -softplus(a + dt_bias)",
        |x, _| -softplus(x),
    ),
    (
        "rate-not-exponential",
        "A_log is taken for A: its exponential is missing",
        |x, a_log| -a_log * softplus(x),
    ),
    (
        "rate-is-log",
        "A_log is taken for -A: its exponential and the sign are missing",
        |x, a_log| a_log * softplus(x),
    ),
    (
        "rate-exp2",
        "A is taken as 2^A_log, not as e^A_log",
        |x, a_log| -a_log.exp2() * softplus(x),
    ),
    (
        "rate-sign",
        "the sign of the gate is missing: e^A_log softplus(a + dt_bias), and states grow",
        |x, a_log| a_log.exp() * softplus(x),
    ),
];

/// The write strength of models that allow negative eigenvalues.
pub const DOUBLED: WrongStrength = (
    "strength-doubled",
    "beta is twice the sigmoid of b, as in models that allow negative eigenvalues; the contract has the sigmoid",
    |b| 2.0 * sigmoid(b),
);

const STRENGTHS: &[WrongStrength] = &[
    DOUBLED,
    (
        "sigmoid-missing",
        "beta is b itself: its sigmoid is missing",
        |b| b,
    ),
    ("sigmoid-sign", "beta is the sigmoid of -b", |b| sigmoid(-b)),
    (
        "sigmoid-exp2",
        "beta is 1 / (1 + 2^-b), with 2 in the place of e",
        |b| 1.0 / (1.0 + (-b).exp2()),
    ),
    (
        "sigmoid-twice",
        "beta is the sigmoid of the sigmoid of b",
        |b| sigmoid(sigmoid(b)),
    ),
    (
        "sigmoid-tanh",
        "beta is tanh(b), not the sigmoid of b",
        f64::tanh,
    ),
    (
        "sigmoid-hard",
        "beta is b / 6 + 1/2 between 0 and 1, and not the sigmoid of b",
        |b| (b / 6.0 + 0.5).clamp(0.0, 1.0),
    ),
];

fn straight_above(bound: f64, x: f64) -> f64 {
    if x > bound { x } else { softplus(x) }
}

fn sigmoid(x: f64) -> f64 {
    operators::sigmoid(&[x])[0]
}

/// The arguments of gates and write strengths. `a` is `[.., HV]`, and so is b; `a_log` and `dt_bias` are `[HV]`.
#[derive(Clone, Default)]
pub struct Arguments {
    pub a: Vec<f64>,
    pub b: Vec<f64>,
    pub a_log: Vec<f64>,
    pub dt_bias: Vec<f64>,
    /// Steepness p and threshold of a softplus `ln(1 + e^(p x)) / p`, and x where p x is above the threshold, if they are not 1 and 20.
    pub softplus: Option<[f64; 2]>,
}

impl Arguments {
    /// Returns the mistakes in the gates: name, explanation and the gates.
    pub fn gates(&self) -> impl Iterator<Item = Wrong<WrongGates>> {
        let own = Arc::new(self.clone());
        let of_biases = Arc::clone(&own);
        let biases = BIASES.iter().map(move |&(name, explanation, bias)| {
            let own = Arc::clone(&of_biases);
            let gates: WrongGates = Box::new(move || own.wrong_gates(right, bias));
            (name, explanation, gates)
        });
        let functions = GATES.iter().map(move |&(name, explanation, wrong)| {
            let own = Arc::clone(&own);
            let gates: WrongGates = Box::new(move || own.wrong_gates(wrong, inside));
            (name, explanation, gates)
        });
        biases.chain(functions)
    }

    fn wrong_gates(&self, wrong: fn(f64, f64) -> f64, bias: fn(f64, f64) -> [f64; 2]) -> Vec<f64> {
        let of_heads = self.a_log.iter().zip(&self.dt_bias).cycle();
        let gates = self.a.iter().zip(of_heads);
        let wrong = |x: f64, a_log: f64| match self.softplus {
            None => wrong(x, a_log),
            Some([steepness, threshold]) => {
                let steep = steepness * x;
                // Above the threshold, the argument whose softplus is the straight line.
                let line = steep + (-(-steep).exp()).ln_1p();
                wrong(if steep > threshold { line } else { steep }, a_log) / steepness
            }
        };
        gates
            .map(|(a, (a_log, dt_bias))| {
                let [x, added] = bias(*a, *dt_bias);
                wrong(x, *a_log) - a_log.exp() * added
            })
            .collect()
    }

    /// Returns the mistakes in the write strengths: name, explanation and the strengths.
    pub fn strengths(&self) -> impl Iterator<Item = Wrong<impl Fn() -> Vec<f64> + use<>>> {
        let b = Arc::new(self.b.clone());
        STRENGTHS.iter().map(move |&(name, explanation, wrong)| {
            let b = Arc::clone(&b);
            let strengths = move || b.iter().map(|&b| wrong(b)).collect();
            (name, explanation, strengths)
        })
    }

    /// Returns the mistakes in the gates as they show in an output. `compute` returns the output that wrong gates leave.
    pub fn gate_mistakes(
        &self,
        compute: impl Fn(Vec<f64>) -> Vec<f64> + Clone + Send + Sync + 'static,
    ) -> impl Iterator<Item = Mistake> {
        self.gates().map(move |(name, explanation, gates)| {
            let compute = compute.clone();
            Mistake::new(name, explanation, move || compute(gates()))
        })
    }

    /// Returns the mistakes in the write strengths as they show in an output. `compute` returns the output that wrong strengths leave.
    pub fn strength_mistakes(
        &self,
        compute: impl Fn(Vec<f64>) -> Vec<f64> + Clone + Send + Sync + 'static,
    ) -> impl Iterator<Item = Mistake> {
        self.strengths().map(move |(name, explanation, strengths)| {
            let compute = compute.clone();
            Mistake::new(name, explanation, move || compute(strengths()))
        })
    }
}

/// A computation of wrong gates.
pub type WrongGates = Box<dyn Fn() -> Vec<f64> + Send + Sync>;

/// Returns the right argument of softplus, and nothing to add.
fn inside(a: f64, bias: f64) -> [f64; 2] {
    [a + bias, 0.0]
}

/// Returns the gate for `a + dt_bias` and `A_log`.
fn right(x: f64, a_log: f64) -> f64 {
    -a_log.exp() * softplus(x)
}

/// A mistake: its name, its explanation and the values that it leaves.
pub type Wrong<F> = (&'static str, &'static str, F);

#[cfg(test)]
mod tests {
    use deltanet_reference::rule::producers::log_gates;

    use super::*;

    /// A softplus of another steepness and threshold is one of other arguments, on both sides of the threshold.
    #[test]
    fn a_steep_softplus_is_that_of_other_arguments() {
        let own = Arguments {
            a: vec![-3.0, 0.2, 2.4, 2.6, 40.0],
            a_log: vec![0.7],
            dt_bias: vec![0.0],
            softplus: Some([2.0, 5.0]),
            ..Arguments::default()
        };
        let right = |x: f64, a_log: f64| -a_log.exp() * softplus(x);
        for (gate, x) in own.wrong_gates(right, inside).iter().zip(&own.a) {
            let steep = if 2.0 * x > 5.0 {
                *x
            } else {
                (2.0 * x).exp().ln_1p() / 2.0
            };
            let expected = -0.7f64.exp() * steep;
            assert!((gate / expected - 1.0).abs() < 1e-9, "{x}");
        }
    }

    /// Each mistake shows for usual arguments, and the names differ.
    #[test]
    fn a_mistake_is_one() {
        let own = Arguments {
            a: vec![-3.0, -0.5, 0.2, 1.5, 3.5, 7.0],
            b: vec![-2.0, -0.3, 0.0, 0.7, 1.0, 4.0],
            a_log: vec![0.7, -0.4],
            dt_bias: vec![0.1, 4.0],
            softplus: None,
        };
        let right = log_gates(&own.a, &own.a_log, &own.dt_bias);
        for (name, _, wrong) in GATES {
            let gates = own.wrong_gates(*wrong, inside);
            assert_ne!(gates, right, "{name}");
        }
        let right = operators::sigmoid(&own.b);
        for (name, _, wrong) in STRENGTHS {
            let strengths: Vec<f64> = own.b.iter().map(|&b| wrong(b)).collect();
            assert_ne!(strengths, right, "{name}");
        }
        let names = GATES.iter().map(|(name, ..)| *name);
        let mut names: Vec<&str> = names
            .chain(STRENGTHS.iter().map(|(name, ..)| *name))
            .collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
