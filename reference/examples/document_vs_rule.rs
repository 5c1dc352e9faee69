//! How far is the documented pipeline from the gated delta rule?
//!
//! One head, S = 128, 256 tokens, chunks of 64: the documented state (its phase 8) against the token recurrence,
//! both in f64 on the same inputs; as documented, and with the sign of its decay mask mended. Then the gates of an
//! untrained Qwen3-Next, under which the documented mask, which grows where it should fall, overflows.
//!
//! `cargo run --release -p deltanet-reference --example document_vs_rule`

use std::io::{self, Write};

use deltanet_reference::Real;
use deltanet_reference::operators::{cumsum, decay_mask, neg, sigmoid, transpose};
use deltanet_reference::pipelines::{
    DeltanetInputs, deltanet, intra_chunk_with_mask, state_update,
};
use deltanet_reference::rule::{RecurrenceInputs, recurrence};

const S: usize = 128;
const TOKENS: usize = 256;
const CHUNK: usize = 64;
const SEEDS: u64 = 5;
const HEADS: usize = 32;

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "relative error of the final state, ||document - rule|| / ||rule|| (Frobenius, f64)"
    )?;
    writeln!(
        out,
        "S = {S}, {TOKENS} tokens, chunks of {CHUNK}, unit keys, g = -0.05 |N(0,1)|, beta = sigmoid(N(0,1))"
    )?;
    writeln!(
        out,
        "{:>6}  {:>12}  {:>12}",
        "seed", "document", "sign mended"
    )?;
    for seed in 0..SEEDS {
        let mut random = Random::new(seed);
        let head = Head::new(&mut random, |random| -0.05 * random.normal().abs());
        let rule = head.rule();
        let document = relative(&head.document(), &rule);
        let mended = relative(&head.with_mended_sign(), &rule);
        writeln!(out, "{seed:>6}  {document:>12.3}  {mended:>12.3}")?;
    }

    writeln!(out)?;
    writeln!(
        out,
        "Qwen3-Next's initial gates: g = -A softplus(a + 1), A ~ U(0,16) a head, a ~ N(0,1); {HEADS} heads"
    )?;
    let mut random = Random::new(SEEDS);
    let mut tally = [Tally::default(); 2];
    for _ in 0..HEADS {
        let strength = 16.0 * random.unit();
        let head = Head::new(&mut random, |random| {
            -strength * (random.normal() + 1.0).exp().ln_1p()
        });
        tally[0].count(&head.narrowed().document());
        tally[1].count(&head.document());
    }
    for (name, tally) in ["f32, as a kernel has it", "f64"].iter().zip(tally) {
        writeln!(out, "documented state in {name}: {tally}")?;
    }
    Ok(())
}

/// The inputs of one head, tokens as columns.
struct Head<R> {
    k: Vec<R>,
    v: Vec<R>,
    g: Vec<R>,
    beta: Vec<R>,
}

impl Head<f64> {
    fn new(random: &mut Random, gate: impl Fn(&mut Random) -> f64) -> Head<f64> {
        let mut k: Vec<f64> = (0..S * TOKENS).map(|_| random.normal()).collect();
        for token in 0..TOKENS {
            let norm = (0..S)
                .map(|i| k[i * TOKENS + token].powi(2))
                .sum::<f64>()
                .sqrt();
            (0..S).for_each(|i| k[i * TOKENS + token] /= norm);
        }
        Head {
            k,
            v: (0..S * TOKENS).map(|_| random.normal()).collect(),
            g: (0..TOKENS).map(|_| gate(random)).collect(),
            beta: (0..TOKENS).map(|_| random.normal()).collect(),
        }
    }

    fn narrowed(&self) -> Head<f32> {
        let narrow = |m: &[f64]| m.iter().map(|&x| x as f32).collect();
        Head {
            k: narrow(&self.k),
            v: narrow(&self.v),
            g: narrow(&self.g),
            beta: narrow(&self.beta),
        }
    }
}

impl<R: Real> Head<R> {
    /// The state of the rule, `S` x `S`, from a zero state.
    fn rule(&self) -> Vec<R> {
        let k = transpose(&self.k, S, TOKENS);
        let v = transpose(&self.v, S, TOKENS);
        let beta = sigmoid(&self.beta);
        let state = vec![R::ZERO; S * S];
        let inputs = RecurrenceInputs {
            q: &k,
            k: &k,
            v: &v,
            g: &self.g,
            beta: &beta,
            state: &state,
            scale: R::ONE,
        };
        recurrence(inputs, S, S).state
    }

    /// The state of the document's phase 8.
    fn document(&self) -> Vec<R> {
        let state = vec![R::ZERO; S * S];
        let inputs = DeltanetInputs {
            k: &self.k,
            v: &self.v,
            g: &self.g,
            beta: &self.beta,
            state: &state,
        };
        deltanet(inputs, S, CHUNK).state
    }

    /// The same, with the mask e^(g_cumsum[i] - g_cumsum[j]) that falls instead of growing.
    fn with_mended_sign(&self) -> Vec<R> {
        let mut state = vec![R::ZERO; S * S];
        for first in (0..TOKENS).step_by(CHUNK) {
            let tokens = first..first + CHUNK;
            let columns = |m: &[R]| -> Vec<R> {
                m.chunks_exact(TOKENS)
                    .flat_map(|row| &row[tokens.clone()])
                    .copied()
                    .collect()
            };
            let g = &self.g[tokens.clone()];
            let mask = decay_mask(&neg(&cumsum(g)));
            let chunk = intra_chunk_with_mask(
                &columns(&self.k),
                &columns(&self.v),
                g,
                &self.beta[tokens.clone()],
                S,
                mask,
            );
            let exp_g_last = chunk.gexp[CHUNK - 1];
            state = state_update(
                &state,
                exp_g_last,
                &chunk.k_cumdecay,
                &chunk.v_new,
                S,
                CHUNK,
            )
            .state;
        }
        state
    }
}

fn relative(got: &[f64], want: &[f64]) -> f64 {
    let square = |sum: f64, x: f64| sum + x * x;
    let error = got.iter().zip(want).map(|(a, b)| a - b).fold(0.0, square);
    (error / want.iter().copied().fold(0.0, square)).sqrt()
}

/// How many states, and how many of their elements, are not finite.
#[derive(Clone, Copy, Default)]
struct Tally {
    heads: usize,
    broken: usize,
    elements: usize,
    infinite: usize,
    nan: usize,
}

impl Tally {
    fn count<R: Real>(&mut self, state: &[R]) {
        let infinite = state.iter().filter(|x| x.to_f64().is_infinite()).count();
        let nan = state.iter().filter(|x| x.to_f64().is_nan()).count();
        self.heads += 1;
        self.broken += usize::from(infinite + nan > 0);
        self.elements += state.len();
        self.infinite += infinite;
        self.nan += nan;
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let percent = |n: usize| 100.0 * n as f64 / self.elements as f64;
        let Tally {
            heads,
            broken,
            infinite,
            nan,
            ..
        } = *self;
        write!(
            f,
            "not finite in {broken} of {heads} heads (elements: {:.0} % inf, {:.0} % NaN)",
            percent(infinite),
            percent(nan)
        )
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
