//! The chunked form of the rule with a mistake in one of its terms, in f64 ([`deltanet_reference::rule::chunk`] has the right form).

use std::ops::Range;

use deltanet_reference::rule::{HeadMap, Inputs, Sizes, StateLayout};

use crate::contract::Mistake;

/// The terms of the chunked form in which kernels make mistakes.
#[derive(Clone, Copy)]
pub struct Terms {
    /// The strength in L: that of the row, of the column, or none.
    l_beta: Strength,
    /// True if L has the gates `e^(G_i - G_j)`.
    l_gate: bool,
    /// The sign of L in the inverse.
    l_sign: f64,
    /// True if w has beta.
    w_beta: bool,
    /// True if w has `e^(G_j)`.
    w_gate: bool,
    /// True if w h is taken off u.
    corrects: bool,
    /// The gate of what a chunk writes to the state.
    write_gate: WriteGate,
    /// True if the state decays by `e^(G_last)` from chunk to chunk.
    state_gate: bool,
    /// True if q reads the state with `e^(G_i)`.
    read_gate: bool,
    /// True if products of q and k have `e^(G_i - G_j)`.
    product_gate: bool,
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

const RIGHT: Terms = Terms {
    l_beta: Strength::Row,
    l_gate: true,
    l_sign: 1.0,
    w_beta: true,
    w_gate: true,
    corrects: true,
    write_gate: WriteGate::ToTheEnd,
    state_gate: true,
    read_gate: true,
    product_gate: true,
};

/// The mistakes: name, explanation and terms.
const MISTAKES: &[(&str, &str, Terms)] = &[
    (
        "chunk-l-beta",
        "L has the beta of its column: L_ij = beta_j <k_i, k_j> e^(G_i - G_j)",
        Terms {
            l_beta: Strength::Column,
            ..RIGHT
        },
    ),
    (
        "chunk-l-beta-missing",
        "L lacks its beta: beta scales v and w alone",
        Terms {
            l_beta: Strength::Missing,
            ..RIGHT
        },
    ),
    (
        "chunk-l-gate-missing",
        "L lacks its gates e^(G_i - G_j)",
        Terms {
            l_gate: false,
            ..RIGHT
        },
    ),
    (
        "chunk-l-sign",
        "the inverse is that of I - L: the sign of L is wrong",
        Terms {
            l_sign: -1.0,
            ..RIGHT
        },
    ),
    (
        "chunk-w-beta-missing",
        "w lacks its beta",
        Terms {
            w_beta: false,
            ..RIGHT
        },
    ),
    (
        "chunk-w-gate-missing",
        "w lacks its gates e^(G_j): the state before the chunk is taken undecayed from the values",
        Terms {
            w_gate: false,
            ..RIGHT
        },
    ),
    (
        "chunk-uncorrected",
        "w h is not taken off u: the values do not know the state before the chunk",
        Terms {
            corrects: false,
            ..RIGHT
        },
    ),
    (
        "chunk-write-gate-missing",
        "what a chunk writes to the state lacks its gates e^(G_last - G_i)",
        Terms {
            write_gate: WriteGate::Missing,
            ..RIGHT
        },
    ),
    (
        "chunk-write-gate-from-start",
        "what a chunk writes to the state has the gates e^(G_i) in the place of e^(G_last - G_i)",
        Terms {
            write_gate: WriteGate::FromTheStart,
            ..RIGHT
        },
    ),
    (
        "chunk-state-gate-missing",
        "the state does not decay from chunk to chunk: e^(G_last) is missing",
        Terms {
            state_gate: false,
            ..RIGHT
        },
    ),
    (
        "chunk-read-gate-missing",
        "the output reads the state before the chunk undecayed: e^(G_i) is missing",
        Terms {
            read_gate: false,
            ..RIGHT
        },
    ),
    (
        "chunk-product-gate-missing",
        "the products of q and k lack their gates e^(G_i - G_j)",
        Terms {
            product_gate: false,
            ..RIGHT
        },
    ),
];

/// Returns the mistakes of the chunked form. `compute` returns the output that one leaves.
pub fn mistakes(
    compute: impl Fn(Terms) -> Vec<f64> + Clone + Send + Sync + 'static,
) -> impl Iterator<Item = Mistake> {
    MISTAKES.iter().map(move |(name, explanation, terms)| {
        let compute = compute.clone();
        Mistake::new(name, explanation, move || compute(*terms))
    })
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
            let mut first = self.bounds[sequence];
            let end = self.bounds[sequence + 1];
            while first < end {
                let range = first..(first + self.chunk).min(end);
                first = range.end;
                let rows = self.chunk(terms, range.clone(), head, &mut own);
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

    /// Computes the outputs of a chunk, and the state after it in the place of that before it, `[K, V]`.
    fn chunk(
        &self,
        terms: Terms,
        range: Range<usize>,
        head: usize,
        state: &mut [f64],
    ) -> Vec<Vec<f64>> {
        let tokens: Vec<Token<'_>> = range.map(|token| self.token(token, head)).collect();
        let key_size = self.sizes.key_size;
        let mut sum = vec![0.0; key_size];
        let sums = tokens.iter().map(|token| {
            for (c, sum) in sum.iter_mut().enumerate() {
                *sum += token.g[c % token.g.len()];
            }
            sum.clone()
        });
        let sums: Vec<Vec<f64>> = sums.collect();
        let factor = |has_gate: bool, exponent: f64| if has_gate { exponent.exp() } else { 1.0 };
        let product = |a: &[f64], has_gate: bool, i: usize, j: usize| -> f64 {
            let gates = (0..key_size).map(|c| factor(has_gate, sums[i][c] - sums[j][c]));
            let products = a.iter().zip(tokens[j].k).zip(gates);
            products.map(|((a, k), gate)| a * k * gate).sum()
        };
        let read = |row: &[f64], state: &[f64]| -> Vec<f64> {
            let columns = state.len() / key_size;
            let column = |x: usize| (0..key_size).map(|c| row[c] * state[c * columns + x]).sum();
            (0..columns).map(column).collect()
        };
        let (mut u, mut w): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        for (i, token) in tokens.iter().enumerate() {
            let mut u_row: Vec<f64> = token.v.iter().map(|v| token.beta * v).collect();
            let w_beta = if terms.w_beta { token.beta } else { 1.0 };
            let gated = token.k.iter().zip(&sums[i]);
            let gated = gated.map(|(k, sum)| w_beta * factor(terms.w_gate, *sum) * k);
            let mut w_row: Vec<f64> = gated.collect();
            for j in 0..i {
                let strength = match terms.l_beta {
                    Strength::Row => token.beta,
                    Strength::Column => tokens[j].beta,
                    Strength::Missing => 1.0,
                };
                let l = terms.l_sign * strength * product(token.k, terms.l_gate, i, j);
                let take_off = |row: &mut [f64], other: &[f64]| {
                    row.iter_mut().zip(other).for_each(|(x, y)| *x -= l * y);
                };
                take_off(&mut u_row, &u[j]);
                take_off(&mut w_row, &w[j]);
            }
            u.push(u_row);
            w.push(w_row);
        }
        if terms.corrects {
            for (u, w) in u.iter_mut().zip(&w) {
                let known = read(w, state);
                u.iter_mut().zip(known).for_each(|(u, known)| *u -= known);
            }
        }
        let outputs = tokens.iter().enumerate().map(|(i, token)| {
            let gated = token.q.iter().zip(&sums[i]);
            let gated = gated.map(|(q, sum)| q * factor(terms.read_gate, *sum));
            let mut row = read(&gated.collect::<Vec<_>>(), state);
            for (j, value) in u.iter().enumerate().take(i + 1) {
                let product = product(token.q, terms.product_gate, i, j);
                row.iter_mut()
                    .zip(value)
                    .for_each(|(o, v)| *o += product * v);
            }
            row.into_iter().map(|o| self.scale * o).collect()
        });
        let outputs: Vec<Vec<f64>> = outputs.collect();
        let columns = state.len() / key_size;
        let last = &sums[tokens.len() - 1];
        for (c, row) in state.chunks_exact_mut(columns.max(1)).enumerate() {
            let kept = factor(terms.state_gate, last[c]);
            row.iter_mut().for_each(|x| *x *= kept);
            for (i, value) in u.iter().enumerate() {
                let gate = match terms.write_gate {
                    WriteGate::ToTheEnd => (last[c] - sums[i][c]).exp(),
                    WriteGate::FromTheStart => sums[i][c].exp(),
                    WriteGate::Missing => 1.0,
                };
                let written = gate * tokens[i].k[c];
                row.iter_mut()
                    .zip(value)
                    .for_each(|(x, v)| *x += written * v);
            }
        }
        outputs
    }
}

#[cfg(test)]
mod tests {
    use deltanet_reference::rule::{Convention, recurrence};

    use super::*;

    fn values(count: usize, from: f64) -> Vec<f64> {
        (0..count)
            .map(|at| (from + at as f64 * 0.7).sin())
            .collect()
    }

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
                for (name, _, terms) in MISTAKES.iter().filter(|_| chunk == 4) {
                    assert!(far(*terms) > 1e-3, "{name}");
                }
            }
        }
    }
}
