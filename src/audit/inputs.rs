//! Inputs of the audit: a head for each draw and gate regime.

use deltanet_reference::operators::sigmoid;
use deltanet_reference::rule::Norm;
use deltanet_reference::{Real, widen};

use crate::contract::catalog::rule::problem as gdn;
use crate::tensor::Distribution::{Normal, Uniform};
use crate::tensor::Stream;

/// The number of key channels, and of value channels, of a head.
pub const SIZE: usize = 128;
/// The number of tokens of a head.
pub const TOKENS: usize = 256;
/// The number of tokens of a chunk.
pub const CHUNK: usize = 64;

/// A regime of log gates and write strengths.
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

/// The regimes: those of the tests, and two moderate ones, in which no departure's error is too small or
/// too large to see.
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
    /// Write strengths before their sigmoid. The document's pipeline takes these.
    pub logits: Vec<R>,
    /// Write strengths.
    pub beta: Vec<R>,
}

impl Head<f32> {
    /// Draws a head. The heads of one draw differ between regimes only in their gates, and in beta where
    /// it is 1/2.
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
        let deviation = if regime.beta == EVEN { 0.0 } else { 1.0 };
        Head::new(
            Norm::TORCH.rows(&draw("q", TOKENS * SIZE, Normal(1.0)), SIZE),
            Norm::TORCH.rows(&draw("k", TOKENS * SIZE, Normal(1.0)), SIZE),
            draw("v", TOKENS * SIZE, Normal(1.0)),
            g,
            draw("b", TOKENS, Normal(deviation)),
        )
    }

    /// Widens the same numbers to f64.
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
