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
    let departs = |departure| departures.contains(&departure);

    let mut state = inputs.state.to_vec();
    let mut output = Vec::with_capacity(inputs.v.len());
    for first in (0..tokens).step_by(chunk) {
        let c = chunk.min(tokens - first);
        let q = &inputs.q[first * key_size..][..c * key_size];
        let k = &inputs.k[first * key_size..][..c * key_size];
        let v = &inputs.v[first * value_size..][..c * value_size];
        let beta = &inputs.beta[first..][..c];
        let g = cumsum(&inputs.g[first..][..c]);
        let h = state;

        let decay = |i: usize, j: usize| {
            if departs(Departure::MaskSign) {
                (g[j] - g[i]).exp()
            } else {
                (g[i] - g[j]).exp()
            }
        };
        let product = |a: &[R], i: usize, j: usize| {
            dot(
                &a[i * key_size..][..key_size],
                &k[j * key_size..][..key_size],
            )
        };
        let l = lower(c, |i, j| {
            let beta_index = if departs(Departure::BetaOfColumn) {
                j
            } else {
                i
            };
            if i == j {
                R::ZERO
            } else {
                beta[beta_index] * product(k, i, j) * decay(i, j)
            }
        });
        let inverse = invert(&l, c, Inverse::ForwardSubstitution);
        let from_start: Vec<R> = g.iter().map(|g| g.exp()).collect();
        let to_end: Vec<R> = g.iter().map(|&g_i| (g[c - 1] - g_i).exp()).collect();

        let u = gemm_nn(&inverse, &rows(v, beta), c, value_size, c);
        let k_beta = rows(k, beta);
        let w = gemm_nn(&inverse, &rows(&k_beta, &from_start), c, key_size, c);
        let seen = gemm_nn(&w, &h, c, value_size, key_size);
        let vn: Vec<R> = u.iter().zip(&seen).map(|(&u, &seen)| u - seen).collect();

        let attention = lower(c, |i, j| product(q, i, j) * decay(i, j));
        let values = if departs(Departure::OutputUncorrected) {
            &u
        } else {
            &vn
        };
        let intra = gemm_nn(&attention, values, c, value_size, c);
        let inter = gemm_nn(&rows(q, &from_start), &h, c, value_size, key_size);
        output.extend(
            inter
                .iter()
                .zip(&intra)
                .map(|(&a, &b)| inputs.scale * (a + b)),
        );

        let written = if departs(Departure::StateUncorrected) {
            gemm_tn(&w, &u, key_size, value_size, c)
        } else {
            gemm_tn(&rows(k, &to_end), &vn, key_size, value_size, c)
        };
        let kept = scale(&h, from_start[c - 1]);
        state = kept.iter().zip(&written).map(|(&a, &b)| a + b).collect();
    }
    DepartureResults {
        output: (!departs(Departure::NoOutput)).then_some(output),
        state,
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
