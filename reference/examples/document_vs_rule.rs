//! How far is the documented pipeline from the gated delta rule, and what does each of its departures cost?
//!
//! Heads of S = 128, 256 tokens, chunks of 64, in f64: the rule by chunks, departing from it in one point, in all, and
//! in all but one. The figures are medians over heads of the relative error of the final state and of the output.
//!
//! `cargo run --release -p deltanet-reference --example document_vs_rule`

use std::io::{self, Write};

use deltanet_reference::operators::sigmoid;
use deltanet_reference::rule::producers::{QWEN3_NEXT_A, QWEN3_NEXT_DT_BIAS, log_gates};
use deltanet_reference::rule::{Departed, Departure, HeadInputs, Norm, departed};

const S: usize = 128;
const TOKENS: usize = 256;
const CHUNK: usize = 64;
const HEADS: usize = 9;

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    let betas = "unit q and k, v ~ N(0,1), beta = sigmoid(N(0,1)), no initial state";
    writeln!(
        out,
        "relative error ||departed - rule|| / ||rule|| (Frobenius, f64), median of {HEADS} heads"
    )?;
    writeln!(out, "S = {S}, {TOKENS} tokens, chunks of {CHUNK}; {betas}")?;
    let regimes: Vec<Vec<Head>> = Regime::ALL.map(|regime| heads(regime, 1.0)).into();
    for (title, of) in [("state", 0), ("output", 1)] {
        writeln!(out)?;
        write!(out, "{title:<36}")?;
        for regime in Regime::ALL {
            write!(out, "{:>10}", regime.name())?;
        }
        writeln!(out)?;
        for (name, departures) in variants() {
            write!(out, "{name:<36}")?;
            for heads in &regimes {
                let errors = heads.iter().map(|head| head.errors(&departures)[of]);
                write!(out, "{:>10}", median(errors))?;
            }
            writeln!(out)?;
        }
    }
    writeln!(out)?;
    let even = heads(Regime::Falling, 0.0);
    let mended = &Departure::ALL[1..];
    writeln!(
        out,
        "state, g = -0.05|N|, and beta = 1/2 for all tokens: all departures {}, all but the mask's sign {}",
        median(even.iter().map(|head| head.errors(&Departure::ALL)[0])).trim(),
        median(even.iter().map(|head| head.errors(mended)[0])).trim(),
    )
}

/// The rows of the table.
fn variants() -> Vec<(String, Vec<Departure>)> {
    let name = |departure| match departure {
        Departure::MaskSign => "decay mask that grows",
        Departure::BetaOfColumn => "beta of the column",
        Departure::OutputUncorrected => "output of u, not u - w h",
        Departure::StateUncorrected => "state from w^T u",
        Departure::NoOutput => "no output",
    };
    let alone = Departure::ALL.map(|one| (format!("only: {}", name(one)), vec![one]));
    let all = [("all: as documented".to_owned(), Departure::ALL.to_vec())];
    let mended = Departure::ALL.map(|one| {
        let others = Departure::ALL.into_iter().filter(|&other| other != one);
        (format!("all but: {}", name(one)), others.collect())
    });
    [&alone[..], &all, &mended].concat()
}

/// Where the gates come from.
#[derive(Clone, Copy)]
enum Regime {
    None,
    Slow,
    Falling,
    Untrained,
    Ggml,
    Spikes,
}

impl Regime {
    const ALL: [Regime; 6] = [
        Regime::None,
        Regime::Slow,
        Regime::Falling,
        Regime::Untrained,
        Regime::Ggml,
        Regime::Spikes,
    ];

    fn name(self) -> &'static str {
        match self {
            Regime::None => "g = 0",
            Regime::Slow => "-.01|N|",
            Regime::Falling => "-.05|N|",
            Regime::Untrained => "untrained",
            Regime::Ggml => "U[-20,0]",
            Regime::Spikes => "spikes",
        }
    }

    fn gates(self, random: &mut Random) -> Vec<f64> {
        if let Regime::Untrained = self {
            // Qwen3-Next's initialisation
            let a: Vec<f64> = (0..TOKENS).map(|_| random.normal()).collect();
            let strength = QWEN3_NEXT_A.end * random.unit();
            return log_gates(&a, &[strength.ln()], &[QWEN3_NEXT_DT_BIAS]);
        }
        let mut gate = || match self {
            Regime::None | Regime::Untrained => 0.0,
            Regime::Slow => -0.01 * random.normal().abs(),
            Regime::Falling => -0.05 * random.normal().abs(),
            Regime::Ggml => -20.0 * random.unit(),
            Regime::Spikes if random.unit() < 0.02 => -30.0,
            Regime::Spikes => -0.01 * random.normal().abs(),
        };
        (0..TOKENS).map(|_| gate()).collect()
    }
}

/// One head and what the rule makes of it, tokens as rows.
struct Head {
    q: Vec<f64>,
    k: Vec<f64>,
    v: Vec<f64>,
    g: Vec<f64>,
    beta: Vec<f64>,
    state: Vec<f64>,
    rule: Departed<f64>,
}

/// Heads whose beta is the sigmoid of `spread` N(0,1).
fn heads(regime: Regime, spread: f64) -> Vec<Head> {
    (0..HEADS as u64)
        .map(|seed| Head::new(&mut Random::new(seed), regime, spread))
        .collect()
}

impl Head {
    fn new(random: &mut Random, regime: Regime, spread: f64) -> Head {
        let mut normal = |n, by| (0..n).map(|_| by * random.normal()).collect::<Vec<f64>>();
        let mut head = Head {
            q: Norm::TORCH.rows(&normal(TOKENS * S, 1.0), S),
            k: Norm::TORCH.rows(&normal(TOKENS * S, 1.0), S),
            v: normal(TOKENS * S, 1.0),
            beta: sigmoid(&normal(TOKENS, spread)),
            g: regime.gates(random),
            state: vec![0.0; S * S],
            rule: Departed {
                output: None,
                state: Vec::new(),
            },
        };
        head.rule = head.departed(&[]);
        head
    }

    fn departed(&self, departures: &[Departure]) -> Departed<f64> {
        let inputs = HeadInputs {
            q: &self.q,
            k: &self.k,
            v: &self.v,
            g: &self.g,
            beta: &self.beta,
            state: &self.state,
            scale: 1.0,
        };
        departed(inputs, S, S, CHUNK, departures)
    }

    /// The relative errors of the state and, if there is one, of the output.
    fn errors(&self, departures: &[Departure]) -> [Option<f64>; 2] {
        let got = self.departed(departures);
        let output = got.output.as_ref().zip(self.rule.output.as_ref());
        [
            Some(relative(&got.state, &self.rule.state)),
            output.map(|(got, want)| relative(got, want)),
        ]
    }
}

fn relative(got: &[f64], want: &[f64]) -> f64 {
    let square = |sum: f64, x: f64| sum + x * x;
    let error = got.iter().zip(want).map(|(a, b)| a - b).fold(0.0, square);
    (error / want.iter().copied().fold(0.0, square)).sqrt()
}

/// The median; what is not a number counts as the largest. Rounding is not an error.
fn median(errors: impl Iterator<Item = Option<f64>>) -> String {
    let mut errors: Vec<f64> = errors.flatten().collect();
    errors.sort_by(f64::total_cmp);
    match errors.get(errors.len() / 2) {
        None => "none".to_owned(),
        Some(error) if error.is_nan() => "NaN".to_owned(),
        Some(error) if *error < 1e-12 => "0".to_owned(),
        Some(error) if (1e-3..1e3).contains(error) => format!("{error:.3}"),
        Some(error) => format!("{error:.1e}"),
    }
}

/// xorshift64*, and Box-Muller on top.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Random {
        Random((seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// In (0, 1].
    fn unit(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.unit().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}
