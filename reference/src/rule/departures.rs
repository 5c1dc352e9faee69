use super::chunk::{Inverse, invert};
use crate::operators::{cumsum, dot, gemm_nn, gemm_tn, scale};
use crate::{Real, shape};

/// Departure of the documented pipeline from the gated delta rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// The decay mask is `e^(G_j - G_i)`, which grows, in place of `e^(G_i - G_j)`, in L and in the output's attention.
    MaskSign,
    /// L has the beta of its column in place of the beta of its row.
    BetaOfColumn,
    /// The output uses u in place of `vn = u - w h`.
    OutputUncorrected,
    /// The state becomes `e^(G_last) h + w^T u` in place of `e^(G_last) h + sum_i e^(G_last - G_i) k_i (x) vn_i`.
    StateUncorrected,
    /// There is a state and no output.
    NoOutput,
}

impl Departure {
    /// All departures. Together they are the documented pipeline's phase 8.
    pub const ALL: [Departure; 5] = [
        Departure::MaskSign,
        Departure::BetaOfColumn,
        Departure::OutputUncorrected,
        Departure::StateUncorrected,
        Departure::NoOutput,
    ];
}

/// Inputs of one head, tokens as rows.
#[derive(Clone, Copy, Debug)]
pub struct HeadInputs<'a, R> {
    /// Queries, `tokens` x `key_size`.
    pub q: &'a [R],
    /// Keys, `tokens` x `key_size`.
    pub k: &'a [R],
    /// Values, `tokens` x `value_size`.
    pub v: &'a [R],
    /// Log gates, `tokens`.
    pub g: &'a [R],
    /// Write strengths, after the sigmoid, `tokens`.
    pub beta: &'a [R],
    /// The state before the first token, `key_size` x `value_size`.
    pub state: &'a [R],
    /// The factor on the output.
    pub scale: R,
}

/// Results of the rule with departures.
#[derive(Clone, Debug, PartialEq)]
pub struct DepartureResults<R> {
    /// Output, `tokens` x `value_size`; none with [`Departure::NoOutput`].
    pub output: Option<Vec<R>>,
    /// The state after the last token, `key_size` x `value_size`.
    pub state: Vec<R>,
}

/// Computes the gated delta rule by chunks of one head, with the given departures. Without departures it is the rule; with all departures
/// it is the documented [`crate::pipelines::deltanet`].
#[must_use]
pub fn rule_with_departures<R: Real>(
    inputs: HeadInputs<'_, R>,
    key_size: usize,
    value_size: usize,
    chunk: usize,
    departures: &[Departure],
) -> DepartureResults<R> {
    let tokens = inputs.g.len();
    shape::expect(
        "rule_with_departures",
        "q",
        inputs.q.len(),
        &[tokens, key_size],
    );
    shape::expect(
        "rule_with_departures",
        "k",
        inputs.k.len(),
        &[tokens, key_size],
    );
    shape::expect(
        "rule_with_departures",
        "v",
        inputs.v.len(),
        &[tokens, value_size],
    );
    shape::expect("rule_with_departures", "beta", inputs.beta.len(), &[tokens]);
    shape::expect(
        "rule_with_departures",
        "state",
        inputs.state.len(),
        &[key_size, value_size],
    );
    assert!(chunk > 0, "rule_with_departures: a chunk of no tokens");

    let mut state = inputs.state.to_vec();
    let mut output = Vec::with_capacity(inputs.v.len());
    for first in (0..tokens).step_by(chunk) {
        let c = chunk.min(tokens - first);
        let g = cumsum(&inputs.g[first..][..c]);
        let chunk = HeadChunk {
            q: &inputs.q[first * key_size..][..c * key_size],
            k: &inputs.k[first * key_size..][..c * key_size],
            v: &inputs.v[first * value_size..][..c * value_size],
            beta: &inputs.beta[first..][..c],
            from_start: g.iter().map(|g| g.exp()).collect(),
            g,
            key_size,
            value_size,
            departures,
        };
        let (u, w) = chunk.factors();
        let seen = gemm_nn(&w, &state, c, value_size, key_size);
        let vn: Vec<R> = u.iter().zip(&seen).map(|(&u, &seen)| u - seen).collect();
        let unscaled = chunk.output(&state, &u, &vn);
        output.extend(unscaled.into_iter().map(|o| inputs.scale * o));
        state = chunk.next_state(&state, &u, &w, &vn);
    }
    let has_output = !departures.contains(&Departure::NoOutput);
    DepartureResults {
        output: has_output.then_some(output),
        state,
    }
}

/// A chunk of `c` tokens of one head. Its formulas are those of [`super::chunk`], with the departures.
struct HeadChunk<'a, R> {
    /// `c` x `key_size`.
    q: &'a [R],
    /// `c` x `key_size`.
    k: &'a [R],
    /// `c` x `value_size`.
    v: &'a [R],
    /// `c`.
    beta: &'a [R],
    /// G, `c`.
    g: Vec<R>,
    /// `e^G`, `c`.
    from_start: Vec<R>,
    key_size: usize,
    value_size: usize,
    departures: &'a [Departure],
}

impl<R: Real> HeadChunk<'_, R> {
    fn departs(&self, departure: Departure) -> bool {
        self.departures.contains(&departure)
    }

    /// Returns the decay mask's element for a row and a column.
    fn decay(&self, i: usize, j: usize) -> R {
        if self.departs(Departure::MaskSign) {
            (self.g[j] - self.g[i]).exp()
        } else {
            (self.g[i] - self.g[j]).exp()
        }
    }

    /// Returns `<a_i, k_j>` for the rows of `a`, `c` x `key_size`.
    fn product(&self, a: &[R], i: usize, j: usize) -> R {
        let size = self.key_size;
        dot(&a[i * size..][..size], &self.k[j * size..][..size])
    }

    /// Returns u, `c` x `value_size`, and w, `c` x `key_size`.
    fn factors(&self) -> (Vec<R>, Vec<R>) {
        let c = self.g.len();
        let l = lower(c, |i, j| {
            let beta_index = if self.departs(Departure::BetaOfColumn) {
                j
            } else {
                i
            };
            if i == j {
                R::ZERO
            } else {
                self.beta[beta_index] * self.product(self.k, i, j) * self.decay(i, j)
            }
        });
        let inverse = invert(&l, c, Inverse::ForwardSubstitution);
        let u = gemm_nn(&inverse, &rows(self.v, self.beta), c, self.value_size, c);
        let k_beta = rows(self.k, self.beta);
        let k_decayed = rows(&k_beta, &self.from_start);
        (u, gemm_nn(&inverse, &k_decayed, c, self.key_size, c))
    }

    /// Returns the output before its scale, `c` x `value_size`, from the state h before the chunk.
    fn output(&self, h: &[R], u: &[R], vn: &[R]) -> Vec<R> {
        let c = self.g.len();
        let attention = lower(c, |i, j| self.product(self.q, i, j) * self.decay(i, j));
        let values = if self.departs(Departure::OutputUncorrected) {
            u
        } else {
            vn
        };
        let intra = gemm_nn(&attention, values, c, self.value_size, c);
        let q_decayed = rows(self.q, &self.from_start);
        let inter = gemm_nn(&q_decayed, h, c, self.value_size, self.key_size);
        inter.iter().zip(&intra).map(|(&a, &b)| a + b).collect()
    }

    /// Returns the state after the chunk, `key_size` x `value_size`, from the state h before it.
    fn next_state(&self, h: &[R], u: &[R], w: &[R], vn: &[R]) -> Vec<R> {
        let c = self.g.len();
        let g_last = self.g[c - 1];
        let written = if self.departs(Departure::StateUncorrected) {
            gemm_tn(w, u, self.key_size, self.value_size, c)
        } else {
            let to_end: Vec<R> = self.g.iter().map(|&g_i| (g_last - g_i).exp()).collect();
            gemm_tn(
                &rows(self.k, &to_end),
                vn,
                self.key_size,
                self.value_size,
                c,
            )
        };
        let decayed = scale(h, self.from_start[c - 1]);
        decayed.iter().zip(&written).map(|(&a, &b)| a + b).collect()
    }
}

/// Returns the `c` x `c` matrix of `value(i, j)` for j <= i. Above the diagonal it is 0, and `value` is not called.
fn lower<R: Real>(c: usize, value: impl Fn(usize, usize) -> R) -> Vec<R> {
    let value = &value;
    let row = |i| (0..c).map(move |j| if j <= i { value(i, j) } else { R::ZERO });
    (0..c).flat_map(row).collect()
}

/// Multiplies each row by its factor.
fn rows<R: Real>(m: &[R], factors: &[R]) -> Vec<R> {
    let size = m.len() / factors.len();
    let factor = |i: usize| factors[i / size];
    m.iter().enumerate().map(|(i, &x)| x * factor(i)).collect()
}
