//! The chunked form of the rule with a mistake in one of its terms, in f64 ([`deltanet_reference::rule::chunk`] has the right form).

use std::ops::Range;

use deltanet_reference::Real;
use deltanet_reference::rule::{HeadMap, Inputs, Sizes, StateLayout};

use crate::contract::Mistake;
use crate::tensor::ElementKind;

/// The terms of the chunked form in which kernels make mistakes. A sign of gates is 1, or 0 where they are missing and -1 where they grow.
#[derive(Clone, Copy)]
pub struct Terms {
    sums: Sums,
    /// The strength in L: that of the row, of the column, or none.
    l_beta: Strength,
    /// The sign of the gates `e^(G_i - G_j)` of L.
    l_gate: f64,
    /// The factor of L in the inverse.
    l_factor: f64,
    /// True if w has beta.
    w_beta: bool,
    /// The sign of the gates `e^(G_j)` of w.
    w_gate: f64,
    /// True if w h is taken off u, for the outputs.
    corrects_output: bool,
    /// True if w h is taken off u, for the state.
    corrects_state: bool,
    /// The gate of what a chunk writes to the state.
    write_gate: WriteGate,
    state: NextState,
    /// The factor of what the output reads of the state, in the place of the scale.
    read: Factor,
    /// The sign of the gates `e^(G_i)` of that.
    read_gate: f64,
    /// The factor of the products of q and k, in the place of the scale.
    product: Factor,
    /// The sign of the gates `e^(G_i - G_j)` of the products.
    product_gate: f64,
    mask: Mask,
    /// A value that is rounded to a narrow type.
    narrow: Option<(Value, ElementKind)>,
}

/// The first and last of the tokens whose gates G sums for a token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sums {
    /// The tokens from the chunk's first token to the token itself.
    OfChunk,
    /// The tokens from the chunk's first token to the one before.
    WithoutOwn,
    /// The tokens from the sequence's first token to the token itself.
    OfSequence,
}

#[derive(Clone, Copy)]
enum Strength {
    Row,
    Column,
    Missing,
}

#[derive(Clone, Copy)]
enum WriteGate {
    /// `e^(G_last - G_i)`.
    ToTheEnd,
    /// `e^(G_i)`.
    FromTheStart,
    Missing,
}

/// The part of the state that is kept from chunk to chunk.
#[derive(Clone, Copy)]
enum NextState {
    /// `e^(G_last)` of it.
    Decays,
    Stays,
    /// `e^(G_last)` of it, with the gate of the first key channel.
    DecaysByFirst,
    Dropped,
}

#[derive(Clone, Copy)]
enum Factor {
    Scale,
    One,
    Zero,
}

/// The tokens j whose values a token i of the same chunk reads.
#[derive(Clone, Copy)]
enum Mask {
    /// `j <= i`.
    Inclusive,
    /// `j < i`.
    Strict,
    /// All.
    Missing,
}

/// A value on the way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    Sums,
    L,
    Factors,
    Products,
    State,
}

const RIGHT: Terms = Terms {
    sums: Sums::OfChunk,
    l_beta: Strength::Row,
    l_gate: 1.0,
    l_factor: 1.0,
    w_beta: true,
    w_gate: 1.0,
    corrects_output: true,
    corrects_state: true,
    write_gate: WriteGate::ToTheEnd,
    state: NextState::Decays,
    read: Factor::Scale,
    read_gate: 1.0,
    product: Factor::Scale,
    product_gate: 1.0,
    mask: Mask::Inclusive,
    narrow: None,
};

/// A mistake: its name, its explanation, and the change of the terms.
type KnownTerms = (&'static str, &'static str, fn(&mut Terms));

const MISTAKES: &[KnownTerms] = &[
    (
        "chunk-l-beta",
        "L has the beta of its column: L_ij = beta_j <k_i, k_j> e^(G_i - G_j)",
        |terms| terms.l_beta = Strength::Column,
    ),
    (
        "chunk-l-beta-missing",
        "L lacks its beta: beta scales v and w alone",
        |terms| terms.l_beta = Strength::Missing,
    ),
    (
        "chunk-l-gate-missing",
        "L lacks its gates e^(G_i - G_j)",
        |terms| terms.l_gate = 0.0,
    ),
    (
        "chunk-l-gate-sign",
        "L has the gates e^(G_j - G_i), which grow, in the place of e^(G_i - G_j)",
        |terms| terms.l_gate = -1.0,
    ),
    (
        "chunk-l-sign",
        "the inverse is that of I - L: the sign of L is wrong",
        |terms| terms.l_factor = -1.0,
    ),
    (
        "chunk-l-missing",
        "the inverse of I + L is not applied: the values do not know the tokens before them in the chunk",
        |terms| terms.l_factor = 0.0,
    ),
    ("chunk-w-beta-missing", "w lacks its beta", |terms| {
        terms.w_beta = false
    }),
    (
        "chunk-w-gate-missing",
        "w lacks its gates e^(G_j): the state before the chunk is taken undecayed from the values",
        |terms| terms.w_gate = 0.0,
    ),
    (
        "chunk-uncorrected",
        "w h is not taken off u: the values do not know the state before the chunk",
        |terms| (terms.corrects_output, terms.corrects_state) = (false, false),
    ),
    (
        "chunk-output-uncorrected",
        "the output has u in the place of u - w h",
        |terms| terms.corrects_output = false,
    ),
    (
        "chunk-state-uncorrected",
        "the state has u in the place of u - w h",
        |terms| terms.corrects_state = false,
    ),
    (
        "chunk-write-gate-missing",
        "what a chunk writes to the state lacks its gates e^(G_last - G_i)",
        |terms| terms.write_gate = WriteGate::Missing,
    ),
    (
        "chunk-write-gate-from-start",
        "what a chunk writes to the state has the gates e^(G_i) in the place of e^(G_last - G_i)",
        |terms| terms.write_gate = WriteGate::FromTheStart,
    ),
    (
        "chunk-state-gate-missing",
        "the state does not decay from chunk to chunk: e^(G_last) is missing",
        |terms| terms.state = NextState::Stays,
    ),
    (
        "chunk-state-gate-of-first",
        "the state decays from chunk to chunk by the gate of the first key channel, in all channels",
        |terms| terms.state = NextState::DecaysByFirst,
    ),
    (
        "chunk-state-dropped",
        "the state is dropped from chunk to chunk: each chunk begins with zeros, or adds nothing to what was before",
        |terms| terms.state = NextState::Dropped,
    ),
    (
        "chunk-read-missing",
        "the output does not read the state before the chunk",
        |terms| terms.read = Factor::Zero,
    ),
    (
        "chunk-read-scale-missing",
        "what the output reads of the state before the chunk lacks the scale",
        |terms| terms.read = Factor::One,
    ),
    (
        "chunk-read-gate-missing",
        "the output reads the state before the chunk undecayed: e^(G_i) is missing",
        |terms| terms.read_gate = 0.0,
    ),
    (
        "chunk-product-missing",
        "the output does not read the values of its own chunk",
        |terms| terms.product = Factor::Zero,
    ),
    (
        "chunk-product-scale-missing",
        "what the output reads of its own chunk lacks the scale",
        |terms| terms.product = Factor::One,
    ),
    (
        "chunk-product-gate-missing",
        "the products of q and k lack their gates e^(G_i - G_j)",
        |terms| terms.product_gate = 0.0,
    ),
    (
        "chunk-product-gate-sign",
        "the products of q and k have the gates e^(G_j - G_i), which grow, in the place of e^(G_i - G_j)",
        |terms| terms.product_gate = -1.0,
    ),
    (
        "chunk-gate-sign",
        "L and the products of q and k have the gates e^(G_j - G_i), which grow, in the place of e^(G_i - G_j)",
        |terms| (terms.l_gate, terms.product_gate) = (-1.0, -1.0),
    ),
    (
        "chunk-mask-strict",
        "a token does not read its own value: the mask of the products of q and k leaves out the diagonal",
        |terms| terms.mask = Mask::Strict,
    ),
    (
        "chunk-mask-missing",
        "a token reads the values of later tokens of its chunk: the causal mask is missing",
        |terms| terms.mask = Mask::Missing,
    ),
    (
        "chunk-sums-exclusive",
        "G does not include the gate of its own token",
        |terms| terms.sums = Sums::WithoutOwn,
    ),
    (
        "chunk-sums-run-on",
        "G is summed from the first token of the sequence on, and not of the chunk",
        |terms| terms.sums = Sums::OfSequence,
    ),
    ("chunk-sums-bf16", "G is rounded to bf16", |terms| {
        terms.narrow = Some((Value::Sums, ElementKind::Bf16))
    }),
    ("chunk-sums-f16", "G is rounded to f16", |terms| {
        terms.narrow = Some((Value::Sums, ElementKind::F16))
    }),
    ("chunk-l-bf16", "L is rounded to bf16", |terms| {
        terms.narrow = Some((Value::L, ElementKind::Bf16))
    }),
    ("chunk-l-f16", "L is rounded to f16", |terms| {
        terms.narrow = Some((Value::L, ElementKind::F16))
    }),
    (
        "chunk-factors-bf16",
        "u and w are rounded to bf16",
        |terms| terms.narrow = Some((Value::Factors, ElementKind::Bf16)),
    ),
    ("chunk-factors-f16", "u and w are rounded to f16", |terms| {
        terms.narrow = Some((Value::Factors, ElementKind::F16))
    }),
    (
        "chunk-products-bf16",
        "the products of q and k are rounded to bf16",
        |terms| terms.narrow = Some((Value::Products, ElementKind::Bf16)),
    ),
    (
        "chunk-products-f16",
        "the products of q and k are rounded to f16",
        |terms| terms.narrow = Some((Value::Products, ElementKind::F16)),
    ),
    (
        "chunk-state-bf16",
        "the state is rounded to bf16 after each chunk",
        |terms| terms.narrow = Some((Value::State, ElementKind::Bf16)),
    ),
    (
        "chunk-state-f16",
        "the state is rounded to f16 after each chunk",
        |terms| terms.narrow = Some((Value::State, ElementKind::F16)),
    ),
];

impl Terms {
    fn with(change: fn(&mut Terms)) -> Terms {
        let mut terms = RIGHT;
        change(&mut terms);
        terms
    }

    fn narrowed(&self, value: Value, number: f64) -> f64 {
        match self.narrow {
            Some((of, kind)) if of == value => kind.rounded(number),
            _ => number,
        }
    }
}

/// Returns the mistakes of the chunked form, as they show in the output and in the states. `compute` returns the two that one leaves.
pub fn mistakes(
    compute: impl Fn(Terms) -> (Vec<f64>, Vec<f64>) + Clone + Send + Sync + 'static,
) -> (Vec<Mistake>, Vec<Mistake>) {
    let pairs = MISTAKES.iter().map(|(name, explanation, change)| {
        let compute = compute.clone();
        Mistake::pair(name, explanation, move || compute(Terms::with(*change)))
    });
    pairs.map(Into::into).unzip()
}

/// A token of a value head. The gates are those of each key channel, or one of all.
struct Token<'a> {
    q: &'a [f64],
    k: &'a [f64],
    v: &'a [f64],
    g: &'a [f64],
    beta: f64,
}

/// Packed sequences: of sequence n the tokens `bounds[n]..bounds[n + 1]`. The gates of the inputs are logarithms, and q and k are used as they are.
pub struct Rows<'a> {
    pub bounds: &'a [usize],
    pub sizes: Sizes,
    pub inputs: Inputs<'a, f64>,
    pub head_map: HeadMap,
    pub chunk: usize,
    pub scale: f64,
    pub layout: StateLayout,
}

impl Rows<'_> {
    fn token(&self, token: usize, head: usize) -> Token<'_> {
        let (sizes, inputs) = (self.sizes, &self.inputs);
        let map = self.head_map;
        let key_head = map.key_head(head, sizes.key_heads, sizes.value_heads);
        let of_key = token * sizes.key_heads + key_head;
        let own = token * sizes.value_heads + head;
        fn row(values: &[f64], row: usize, size: usize) -> &[f64] {
            &values[row * size..(row + 1) * size]
        }
        Token {
            q: row(inputs.q, of_key, sizes.key_size),
            k: row(inputs.k, of_key, sizes.key_size),
            v: row(inputs.v, own, sizes.value_size),
            g: row(inputs.g, own, sizes.gate_shape()[3]),
            beta: inputs.beta[own],
        }
    }

    /// Computes the outputs, `[token, head, V]`, and the states after the sequences, `[sequence, head, K, V]` or `[sequence, head, V, K]`.
    pub fn compute(&self, terms: Terms) -> (Vec<f64>, Vec<f64>) {
        let (heads, key_size) = (self.sizes.value_heads, self.sizes.key_size);
        let value_size = self.sizes.value_size;
        let tokens = self.bounds.last().copied().unwrap_or(0);
        let mut output = vec![0.0; tokens * heads * value_size];
        let mut states = self.inputs.state.to_vec();
        let size = key_size * value_size;
        for (at, state) in states.chunks_exact_mut(size.max(1)).enumerate() {
            let (sequence, head) = (at / heads, at % heads);
            let place = |c: usize, x: usize| match self.layout {
                StateLayout::ValueMajor => x * key_size + c,
                StateLayout::KeyMajor => c * value_size + x,
            };
            let channels = (0..key_size).flat_map(|c| (0..value_size).map(move |x| (c, x)));
            let mut own: Vec<f64> = channels.clone().map(|(c, x)| state[place(c, x)]).collect();
            let bounds = self.bounds[sequence]..self.bounds[sequence + 1];
            let sums = self.sums(terms, bounds.clone(), head);
            for first in bounds.clone().step_by(self.chunk) {
                let range = first..(first + self.chunk).min(bounds.end);
                let sums = &sums[range.start - bounds.start..range.end - bounds.start];
                let rows = self.chunk(terms, (range.clone(), head), sums, &mut own);
                for (token, row) in range.zip(rows) {
                    let at = (token * heads + head) * value_size;
                    output[at..at + value_size].copy_from_slice(&row);
                }
            }
            for ((c, x), value) in channels.zip(own) {
                state[place(c, x)] = value;
            }
        }
        (output, states)
    }

    /// Computes G for the tokens of a sequence, `[token, K]`.
    fn sums(&self, terms: Terms, tokens: Range<usize>, head: usize) -> Vec<Vec<f64>> {
        let start = tokens.start;
        let mut sum = vec![0.0; self.sizes.key_size];
        let sums = tokens.map(|at| {
            if terms.sums != Sums::OfSequence && (at - start).is_multiple_of(self.chunk) {
                sum.fill(0.0);
            }
            let before = sum.clone();
            let gates = self.token(at, head).g.iter().cycle();
            sum.iter_mut().zip(gates).for_each(|(sum, g)| *sum += g);
            let own = match terms.sums {
                Sums::WithoutOwn => before,
                _ => sum.clone(),
            };
            let narrowed = own.into_iter();
            narrowed
                .map(|sum| terms.narrowed(Value::Sums, sum))
                .collect()
        });
        sums.collect()
    }

    fn factor(&self, factor: Factor) -> f64 {
        match factor {
            Factor::Scale => self.scale,
            Factor::One => 1.0,
            Factor::Zero => 0.0,
        }
    }

    /// Computes the outputs of a chunk, and the state after it in the place of that before it, `[K, V]`.
    fn chunk(
        &self,
        terms: Terms,
        (range, head): (Range<usize>, usize),
        sums: &[Vec<f64>],
        state: &mut [f64],
    ) -> Vec<Vec<f64>> {
        let tokens: Vec<Token<'_>> = range.map(|token| self.token(token, head)).collect();
        let key_size = self.sizes.key_size;
        // Of gates that are missing, e^0 is left, even if G is infinite.
        let gate = |sign: f64, exponent: f64| match sign {
            0.0 => 1.0,
            sign => (sign * exponent).exp(),
        };
        // One gate of all key channels is computed once.
        let of_all = tokens.first().is_some_and(|token| token.g.len() == 1);
        let product = |a: &[f64], sign: f64, i: usize, j: usize| -> f64 {
            if of_all {
                return dot(a, tokens[j].k) * gate(sign, sums[i][0] - sums[j][0]);
            }
            let gates = (0..key_size).map(|c| gate(sign, sums[i][c] - sums[j][c]));
            let products = a.iter().zip(tokens[j].k).zip(gates);
            products.map(|((a, k), gate)| a * k * gate).sum()
        };
        let gated = |row: &[f64], factor: f64, sign: f64, i: usize| -> Vec<f64> {
            if of_all {
                let factor = factor * gate(sign, sums[i][0]);
                return row.iter().map(|value| factor * value).collect();
            }
            let pairs = row.iter().zip(&sums[i]);
            pairs
                .map(|(value, sum)| factor * gate(sign, *sum) * value)
                .collect()
        };
        let columns = state.len() / key_size;
        let read = |row: &[f64], state: &[f64]| -> Vec<f64> {
            let mut sums = vec![0.0; columns];
            for (factor, line) in row.iter().zip(state.chunks_exact(columns.max(1))) {
                add(&mut sums, *factor, line);
            }
            sums
        };
        let (mut u, mut w): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        for (i, token) in tokens.iter().enumerate() {
            let mut u_row: Vec<f64> = token.v.iter().map(|v| token.beta * v).collect();
            let w_beta = if terms.w_beta { token.beta } else { 1.0 };
            let mut w_row = gated(token.k, w_beta, terms.w_gate, i);
            for j in 0..i {
                let strength = match terms.l_beta {
                    Strength::Row => token.beta,
                    Strength::Column => tokens[j].beta,
                    Strength::Missing => 1.0,
                };
                let l = strength * product(token.k, terms.l_gate, i, j);
                let l = terms.l_factor * terms.narrowed(Value::L, l);
                add(&mut u_row, -l, &u[j]);
                add(&mut w_row, -l, &w[j]);
            }
            u.push(u_row);
            w.push(w_row);
        }
        if terms.narrow.is_some() {
            let factors = u.iter_mut().chain(&mut w).flatten();
            factors.for_each(|value| *value = terms.narrowed(Value::Factors, *value));
        }
        let mut corrected = u.clone();
        for (value, w) in corrected.iter_mut().zip(&w) {
            add(value, -1.0, &read(w, state));
        }
        let values = if terms.corrects_output {
            &corrected
        } else {
            &u
        };
        let outputs = tokens.iter().enumerate().map(|(i, token)| {
            let q = gated(token.q, self.factor(terms.read), terms.read_gate, i);
            let mut row = read(&q, state);
            let count = match terms.mask {
                Mask::Inclusive => i + 1,
                Mask::Strict => i,
                Mask::Missing => tokens.len(),
            };
            let factor = self.factor(terms.product);
            for (j, value) in values.iter().enumerate().take(count) {
                let product = product(token.q, terms.product_gate, i, j);
                add(
                    &mut row,
                    factor * terms.narrowed(Value::Products, product),
                    value,
                );
            }
            row
        });
        let outputs: Vec<Vec<f64>> = outputs.collect();
        let values = if terms.corrects_state { &corrected } else { &u };
        let last = &sums[tokens.len() - 1];
        let write_gate = |c: usize, i: usize| match terms.write_gate {
            WriteGate::ToTheEnd => (last[c] - sums[i][c]).exp(),
            WriteGate::FromTheStart => sums[i][c].exp(),
            WriteGate::Missing => 1.0,
        };
        let of_first: Vec<f64> = (0..tokens.len()).map(|i| write_gate(0, i)).collect();
        for (c, row) in state.chunks_exact_mut(columns.max(1)).enumerate() {
            let kept = match terms.state {
                NextState::Decays => last[c].exp(),
                NextState::DecaysByFirst => last[0].exp(),
                NextState::Stays => 1.0,
                NextState::Dropped => 0.0,
            };
            row.iter_mut().for_each(|x| *x *= kept);
            for (i, value) in values.iter().enumerate() {
                let gate = if of_all {
                    of_first[i]
                } else {
                    write_gate(c, i)
                };
                add(row, gate * tokens[i].k[c], value);
            }
            if terms.narrow.is_some() {
                let narrowed = row.iter_mut();
                narrowed.for_each(|x| *x = terms.narrowed(Value::State, *x));
            }
        }
        outputs
    }
}

/// Adds a multiple of a row to another.
fn add(row: &mut [f64], factor: f64, other: &[f64]) {
    f64::add_scaled(row, factor, other);
}

/// Returns the product of two rows. The sums of several lanes need no order: the results are compared by tolerances.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    const LANES: usize = 8;
    let (whole, other) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest = whole.remainder().iter().zip(other.remainder());
    let rest: f64 = rest.map(|(a, b)| a * b).sum();
    let lanes = whole.zip(other).fold([0.0; LANES], |mut lanes, (a, b)| {
        for (lane, (a, b)) in lanes.iter_mut().zip(a.iter().zip(b)) {
            *lane += a * b;
        }
        lanes
    });
    rest + lanes.iter().sum::<f64>()
}

#[cfg(test)]
mod tests {
    use crate::contract::catalog::known::values;
    use deltanet_reference::rule::{Convention, recurrence};

    use super::*;

    /// The right terms give the rule, in chunks of any length, and each mistake gives something else.
    #[test]
    fn the_right_terms_are_the_rule_and_the_others_are_not() {
        let sizes = Sizes {
            sequences: 1,
            tokens: 11,
            key_heads: 2,
            value_heads: 2,
            key_size: 3,
            value_size: 4,
            gate_kind: deltanet_reference::rule::GateKind::PerHead,
        };
        let [q, k] = [0.1, 0.9].map(|from| values(11 * 2 * 3, from));
        let v = values(11 * 2 * 4, 0.4);
        let g: Vec<f64> = values(11 * 2, 0.2).iter().map(|g| -g.abs()).collect();
        let beta: Vec<f64> = values(11 * 2, 0.3).iter().map(|beta| beta.abs()).collect();
        let initial = values(2 * 3 * 4, 0.6);
        let inputs = Inputs {
            q: &q,
            k: &k,
            v: &v,
            g: &g,
            beta: &beta,
            state: &initial,
        };
        for layout in [StateLayout::KeyMajor, StateLayout::ValueMajor] {
            let convention = Convention {
                state: layout,
                ..Convention::FLA
            };
            let right = recurrence(&convention, sizes, inputs);
            for chunk in [1, 4, 16] {
                let rows = Rows {
                    bounds: &[0, 11],
                    sizes,
                    inputs,
                    head_map: HeadMap::Block,
                    chunk,
                    scale: 3f64.sqrt().recip(),
                    layout,
                };
                let far = |terms: Terms| {
                    let (output, states) = rows.compute(terms);
                    let pairs = output.iter().zip(&right.output);
                    let pairs = pairs.chain(states.iter().zip(&right.state));
                    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
                };
                assert!(far(RIGHT) < 1e-12, "{chunk}: {}", far(RIGHT));
                for (name, _, change) in MISTAKES.iter().filter(|_| chunk == 4) {
                    let terms = Terms::with(*change);
                    let least = if terms.narrow.is_some() { 1e-5 } else { 1e-3 };
                    // The gates of this call are those of all channels.
                    let shows = *name != "chunk-state-gate-of-first";
                    assert!(!shows || far(terms) > least, "{name}");
                }
            }
        }
    }
}
