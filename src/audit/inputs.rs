//! Inputs of both sides of the audit: one head a draw, in each regime of gates.

use deltanet_reference::operators::sigmoid;
use deltanet_reference::rule::Norm;
use deltanet_reference::{Real, widen};

use crate::contract::catalog::rule::problem as gdn;
use crate::tensor::Distribution::{Normal, Uniform};
use crate::tensor::Stream;

/// Key channels and value channels of a head.
pub const SIZE: usize = 128;
/// Tokens of a head.
pub const TOKENS: usize = 256;
/// Tokens of a chunk.
pub const CHUNK: usize = 64;

/// A regime of gates and write strengths.
pub struct Regime {
    /// The regime's name.
    pub name: &'static str,
    /// The log gates, as a formula.
    pub gates: &'static str,
    /// The write strengths, as a formula.
    pub beta: &'static str,
}

const SIGMOID: &str = "beta = sigmoid(N(0,1))";
const EVEN: &str = "beta = 1/2";

/// The regimes: the tests' own, and one between slow and fast in which the errors of all departures are
/// in sight.
pub const REGIMES: [Regime; 7] = [
    Regime {
        name: "none",
        gates: "g = 0",
        beta: SIGMOID,
    },
    Regime {
        name: "slow",
        gates: "g = -0.01 |N(0,1)|",
        beta: SIGMOID,
    },
    Regime {
        name: "moderate",
        gates: "g = -0.05 |N(0,1)|",
        beta: SIGMOID,
    },
    Regime {
        name: "moderate-even",
        gates: "g = -0.05 |N(0,1)|",
        beta: EVEN,
    },
    Regime {
        name: "model",
        gates: "g = -A softplus(N(0,1) + 1), A ~ U(0.01, 16) a head: Qwen3-Next untrained",
        beta: SIGMOID,
    },
    Regime {
        name: "fast",
        gates: "g ~ U(-20, -1e-4)",
        beta: SIGMOID,
    },
    Regime {
        name: "spikes",
        gates: "g = -30 for 3 % of the tokens, else -0.01 |N(0,1)|",
        beta: SIGMOID,
    },
];

/// The inputs of a head, tokens as rows.
pub struct Head<R> {
    /// Queries of unit length.
    pub q: Vec<R>,
    /// Keys of unit length.
    pub k: Vec<R>,
    /// Values, N(0,1).
    pub v: Vec<R>,
    /// Log gates.
    pub g: Vec<R>,
    /// Write strengths before the sigmoid, which is where the document begins.
    pub logits: Vec<R>,
    /// Write strengths.
    pub beta: Vec<R>,
}

impl Head<f32> {
    /// The head of a draw. Regimes share all of it but the gates, and beta where it is 1/2.
    pub fn draw(regime: &Regime, seed: u64, draw: u32) -> Head<f32> {
        let trial = format!("audit {draw}");
        let draw = |tensor: &str, count, distribution| {
            Stream::new(seed, &trial, tensor).draw(count, distribution)
        };
        let noise = draw("gate noise", TOKENS, Normal(1.0));
        let g = if regime.name.starts_with("moderate") {
            noise.iter().map(|x| -0.05 * x.abs()).collect()
        } else {
            let share = draw("gate share", TOKENS, Uniform(0.0, 1.0));
            gdn::gates(
                regime.name,
                &noise,
                &share,
                &draw("A", 1, Uniform(0.01, 16.0)),
            )
        };
        let spread = if regime.beta == EVEN { 0.0 } else { 1.0 };
        Head::new(
            Norm::TORCH.rows(&draw("q", TOKENS * SIZE, Normal(1.0)), SIZE),
            Norm::TORCH.rows(&draw("k", TOKENS * SIZE, Normal(1.0)), SIZE),
            draw("v", TOKENS * SIZE, Normal(1.0)),
            g,
            draw("b", TOKENS, Normal(spread)),
        )
    }

    /// The very same numbers in f64.
    pub fn wide(&self) -> Head<f64> {
        let [q, k, v, g, logits] =
            [&self.q, &self.k, &self.v, &self.g, &self.logits].map(|x| widen(x));
        Head::new(q, k, v, g, logits)
    }
}

impl<R: Real> Head<R> {
    fn new(q: Vec<R>, k: Vec<R>, v: Vec<R>, g: Vec<R>, logits: Vec<R>) -> Head<R> {
        let beta = sigmoid(&logits);
        Head {
            q,
            k,
            v,
            g,
            logits,
            beta,
        }
    }
}
