use std::ops::Range;

use super::Layout;
use crate::Real;
use crate::rule::chunk::{Inverse, Uw, invert};
use crate::rule::recurrence::{read, write};
use crate::rule::{GateKind, HeadMap, StateLayout};

/// The steps of the chunk pipeline over packed sequences, each with every intermediate result.
///
/// A chunk has up to C tokens of one sequence; `chunks` in shapes is the number of all sequences' chunks, in order. With G the sum of the log
/// gates from the chunk's first token on and h the state before the chunk,
///
/// ```text
/// L_ij   = beta_i sum_c k_i[c] k_j[c] e^(G_i[c] - G_j[c])   for i > j, else 0
/// Ai     = (I + L)^-1
/// u_i    = sum_j Ai_ij beta_j v_j
/// w_i    = sum_j Ai_ij beta_j e^(G_j) k_j
/// vn_i   = u_i - h^T w_i
/// S_next = e^(G_last) h + sum_i (e^(G_last - G_i) k_i) vn_i^T
/// A_ij   = scale sum_c q_i[c] k_j[c] e^(G_i[c] - G_j[c])    for i >= j, else 0
/// o_i    = scale h^T (e^(G_i) q_i) + sum_{j<=i} A_ij vn_j
/// ```
///
/// Gates per head are the same for all channels c. G is `[tok, HV]` or `[tok, HV, K]`, in f64; L, Ai and A are `[tok, HV, C]`: each token has
/// its row of its chunk's matrix, with zeros beyond the last token of a short chunk. h is `[chunks, HV, K, V]`.
#[derive(Clone, Copy, Debug)]
pub struct PackedChunks<'a> {
    /// Sizes.
    pub layout: Layout<'a>,
    /// Number of gates of a token in a head.
    pub gate_kind: GateKind,
    /// Map from value heads to query/key heads.
    pub head_map: HeadMap,
    /// Tokens of a chunk, C.
    pub chunk: usize,
}

/// A part of a chunk's matrix. The rest is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixPart {
    /// The elements below the diagonal: of earlier tokens, as L has them.
    Below,
    /// The diagonal as well, as A has it.
    BelowAndDiagonal,
    /// All elements.
    Whole,
}

/// Results that are computed chunk after chunk.
#[derive(Clone, Debug, PartialEq)]
pub struct PackedStates<R> {
    /// The state before each chunk, `[chunks, HV, K, V]`.
    pub h: Vec<R>,
    /// `vn`, `[tok, HV, V]`.
    pub vn: Vec<R>,
    /// The state after the last token of each sequence, `[N, HV, K, V]` or `[N, HV, V, K]`.
    pub last: Vec<R>,
}

/// A chunk of packed sequences.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Chunk {
    sequence: usize,
    /// Index among the chunks of all sequences.
    index: usize,
    /// Tokens of the chunk.
    tokens: Range<usize>,
}

/// Returns e^difference for differences of values of G, of which the last is of all channels from it on.
fn factor<R: Real>(g: &[f64], channel: usize) -> R {
    R::from_f64(g[channel.min(g.len() - 1)]).exp()
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

fn scaled<R: Real>(row: &[R], g: &[f64]) -> Vec<R> {
    row.iter()
        .enumerate()
        .map(|(channel, &x)| factor::<R>(g, channel) * x)
        .collect()
}

impl<'a> PackedChunks<'a> {
    /// Returns sequence and place in it of every chunk, `[chunks]` (`chunk_indices`).
    #[must_use]
    pub fn indices(&self) -> Vec<[usize; 2]> {
        let place = |chunk: &Chunk| {
            let first = self.layout.bounds[chunk.sequence];
            [
                chunk.sequence,
                (chunk.tokens.start - first) / self.chunk.max(1),
            ]
        };
        self.chunks().iter().map(place).collect()
    }

    fn chunks(&self) -> Vec<Chunk> {
        assert!(self.chunk > 0, "packed chunks: a chunk of no tokens");
        self.layout.check();
        let bounds = self.layout.bounds;
        let firsts = (0..self.layout.sequences()).flat_map(|sequence| {
            let end = bounds[sequence + 1];
            let firsts = (bounds[sequence]..end).step_by(self.chunk);
            firsts.map(move |first| (sequence, first..(first + self.chunk).min(end)))
        });
        let chunk = |(index, (sequence, tokens))| Chunk {
            sequence,
            index,
            tokens,
        };
        firsts.enumerate().map(chunk).collect()
    }

    /// Returns every value head's part of every chunk.
    fn parts(&self) -> impl Iterator<Item = (Chunk, usize)> {
        let heads = self.layout.value_heads;
        let chunks = self.chunks().into_iter();
        chunks.flat_map(move |chunk| (0..heads).map(move |head| (chunk.clone(), head)))
    }

    fn gates(&self) -> usize {
        self.layout.gates(self.gate_kind)
    }

    fn key<'k, R>(&self, tensor: &'k [R], token: usize, value_head: usize) -> &'k [R] {
        let head = self.layout.key_head(self.head_map, value_head);
        &tensor[self.layout.key_row(token, head)]
    }

    fn row<'r, R>(&self, tensor: &'r [R], token: usize, head: usize, size: usize) -> &'r [R] {
        &tensor[self.layout.row(token, head, size)]
    }

    fn sums<'g>(&self, g: &'g [f64], token: usize, head: usize) -> &'g [f64] {
        self.row(g, token, head, self.gates())
    }

    /// Returns `sum_c a[c] b[c] e^(to[c] - from[c])`.
    fn decayed_dot<R: Real>(&self, a: &[R], b: &[R], to: &[f64], from: &[f64]) -> R {
        let between = difference(to, from);
        match self.gate_kind {
            GateKind::PerHead => R::dot(a, b) * factor::<R>(&between, 0),
            GateKind::PerKeyChannel => R::dot(&scaled(a, &between), b),
        }
    }

    /// Returns G of log gates `[tok, HV]` or `[tok, HV, K]`.
    #[must_use]
    pub fn cumsum<R: Real>(&self, g: &[R]) -> Vec<f64> {
        let mut sums: Vec<f64> = g.iter().map(|g| g.to_f64()).collect();
        for (chunk, head) in self.parts() {
            for token in chunk.tokens.clone().skip(1) {
                for channel in 0..self.gates() {
                    let at = |token| self.layout.row(token, head, self.gates()).start + channel;
                    sums[at(token)] += sums[at(token - 1)];
                }
            }
        }
        sums
    }

    /// Returns L of keys `[tok, H, K]` and write strengths `[tok, HV]`.
    #[must_use]
    pub fn l<R: Real>(&self, k: &[R], beta: &[R], cumsum: &[f64]) -> Vec<R> {
        self.l_between((k, beta), [cumsum, cumsum], MatrixPart::Below)
    }

    /// Returns [`PackedChunks::l`] with the G of rows, and that of columns, and a part of the matrix.
    #[must_use]
    pub fn l_between<R: Real>(
        &self,
        (k, beta): (&[R], &[R]),
        [to, from]: [&[f64]; 2],
        part: MatrixPart,
    ) -> Vec<R> {
        self.matrix(part, |i, j, head| {
            let beta = self.row(beta, i, head, 1)[0];
            let (to, from) = (self.sums(to, i, head), self.sums(from, j, head));
            beta * self.decayed_dot(self.key(k, i, head), self.key(k, j, head), to, from)
        })
    }

    /// Returns A of queries and keys `[tok, H, K]`.
    #[must_use]
    pub fn attention<R: Real>(&self, q: &[R], k: &[R], cumsum: &[f64], scale: R) -> Vec<R> {
        let part = MatrixPart::BelowAndDiagonal;
        self.attention_between((q, k), [cumsum, cumsum], scale, part)
    }

    /// Returns [`PackedChunks::attention`] with the G of rows, and that of columns, and a part of the matrix.
    #[must_use]
    pub fn attention_between<R: Real>(
        &self,
        (q, k): (&[R], &[R]),
        [to, from]: [&[f64]; 2],
        scale: R,
        part: MatrixPart,
    ) -> Vec<R> {
        self.matrix(part, |i, j, head| {
            let (to, from) = (self.sums(to, i, head), self.sums(from, j, head));
            scale * self.decayed_dot(self.key(q, i, head), self.key(k, j, head), to, from)
        })
    }

    /// Makes a matrix of every chunk from the elements of a part of it.
    fn matrix<R: Real>(
        &self,
        part: MatrixPart,
        element: impl Fn(usize, usize, usize) -> R,
    ) -> Vec<R> {
        let layout = self.layout;
        let mut all = vec![R::ZERO; layout.tokens() * layout.value_heads * self.chunk];
        for (chunk, head) in self.parts() {
            for i in chunk.tokens.clone() {
                let row = &mut all[layout.row(i, head, self.chunk)];
                let end = match part {
                    MatrixPart::Below => i,
                    MatrixPart::BelowAndDiagonal => i + 1,
                    MatrixPart::Whole => chunk.tokens.end,
                };
                let columns = chunk.tokens.start..end;
                for (x, j) in row.iter_mut().zip(columns) {
                    *x = element(i, j, head);
                }
            }
        }
        all
    }

    /// Returns Ai, the inverse of I + L of every chunk.
    #[must_use]
    pub fn inverse<R: Real>(&self, l: &[R]) -> Vec<R> {
        let mut all = vec![R::ZERO; l.len()];
        for (chunk, head) in self.parts() {
            let c = chunk.tokens.len();
            let rows = chunk.tokens.clone();
            let own: Vec<R> = rows
                .flat_map(|token| &self.row(l, token, head, self.chunk)[..c])
                .copied()
                .collect();
            let inverse = invert(&own, c, Inverse::ForwardSubstitution);
            for (token, row) in chunk.tokens.clone().zip(inverse.chunks_exact(c)) {
                all[self.layout.row(token, head, self.chunk)][..c].copy_from_slice(row);
            }
        }
        all
    }

    /// Returns u `[tok, HV, V]` and w `[tok, HV, K]` of keys, values, write strengths, G and Ai.
    #[must_use]
    pub fn uw<R: Real>(
        &self,
        (k, v, beta): (&[R], &[R], &[R]),
        cumsum: &[f64],
        inverse: &[R],
    ) -> Uw<R> {
        let layout = self.layout;
        let mut u = vec![R::ZERO; v.len()];
        let mut w = vec![R::ZERO; layout.tokens() * layout.value_heads * layout.key_size];
        for (chunk, head) in self.parts() {
            let first = chunk.tokens.start;
            let of_token = |j: usize| {
                let beta = self.row(beta, j, head, 1)[0];
                let v = self.row(v, j, head, layout.value_size);
                let k = scaled(self.key(k, j, head), self.sums(cumsum, j, head));
                let times = |x: &R| beta * *x;
                let v: Vec<R> = v.iter().map(times).collect();
                (v, k.iter().map(times).collect::<Vec<R>>())
            };
            let tokens: Vec<_> = chunk.tokens.clone().map(of_token).collect();
            for i in chunk.tokens.clone() {
                let factors = self.row(inverse, i, head, self.chunk);
                let u = &mut u[layout.row(i, head, layout.value_size)];
                let w = &mut w[layout.row(i, head, layout.key_size)];
                for (factor, (v, k)) in factors.iter().zip(&tokens[..=i - first]) {
                    R::add_scaled(u, *factor, v);
                    R::add_scaled(w, *factor, k);
                }
            }
        }
        Uw { u, w }
    }

    /// Returns the states of keys, u, w, G and the initial states, `[N, HV, K, V]` or `[N, HV, V, K]`, which the last states are too.
    #[must_use]
    pub fn states<R: Real>(
        &self,
        k: &[R],
        uw: &Uw<R>,
        cumsum: &[f64],
        initial: (&[R], StateLayout),
    ) -> PackedStates<R> {
        let mut to_end = vec![0.0; cumsum.len()];
        for (chunk, head) in self.parts() {
            let end = self.sums(cumsum, chunk.tokens.end - 1, head);
            for i in chunk.tokens.clone() {
                let own = self.sums(cumsum, i, head);
                let row = self.layout.row(i, head, self.gates());
                to_end[row].copy_from_slice(&difference(end, own));
            }
        }
        self.states_by(k, uw, [cumsum, &to_end], initial)
    }

    /// Returns [`PackedChunks::states`] with the G by whose last value of a chunk the state decays, and the exponents by which keys decay, for which
    /// the formula has `G_last - G_i`.
    #[must_use]
    pub fn states_by<R: Real>(
        &self,
        k: &[R],
        uw: &Uw<R>,
        [of_state, of_keys]: [&[f64]; 2],
        (initial, order): (&[R], StateLayout),
    ) -> PackedStates<R> {
        let layout = self.layout;
        let chunks = self.chunks();
        let mut h = vec![R::ZERO; chunks.len() * layout.value_heads * layout.state()];
        let mut vn = vec![R::ZERO; uw.u.len()];
        let mut last = vec![R::ZERO; layout.sequences() * layout.value_heads * layout.state()];
        for head in 0..layout.value_heads {
            for sequence in 0..layout.sequences() {
                let place = layout.state_of(sequence, head);
                let sizes = layout.head_sizes();
                let mut state = order.load(&initial[place.clone()], sizes);
                for chunk in chunks.iter().filter(|chunk| chunk.sequence == sequence) {
                    h[layout.state_of(chunk.index, head)].copy_from_slice(&state);
                    for i in chunk.tokens.clone() {
                        let w = self.row(&uw.w, i, head, layout.key_size);
                        let seen = read(&state, w, layout.value_size);
                        let u = self.row(&uw.u, i, head, layout.value_size);
                        let row = &mut vn[layout.row(i, head, layout.value_size)];
                        for (new, (u, seen)) in row.iter_mut().zip(u.iter().zip(seen)) {
                            *new = *u - seen;
                        }
                    }
                    let of_state = self.sums(of_state, chunk.tokens.end - 1, head);
                    let rows = state.chunks_exact_mut(layout.value_size).enumerate();
                    for (channel, row) in rows {
                        let decay = factor::<R>(of_state, channel);
                        row.iter_mut().for_each(|x| *x = decay * *x);
                    }
                    for i in chunk.tokens.clone() {
                        let k = scaled(self.key(k, i, head), self.sums(of_keys, i, head));
                        write(&mut state, &k, self.row(&vn, i, head, layout.value_size));
                    }
                }
                last[place].copy_from_slice(&order.store(&state, sizes));
            }
        }
        PackedStates { h, vn, last }
    }

    /// Returns the output, `[tok, HV, V]`, of queries, A, vn, G and h.
    #[must_use]
    pub fn outputs<R: Real>(
        &self,
        q: &[R],
        (attention, vn): (&[R], &[R]),
        cumsum: &[f64],
        h: &[R],
        scale: R,
    ) -> Vec<R> {
        let layout = self.layout;
        let mut output = vec![R::ZERO; vn.len()];
        for (chunk, head) in self.parts() {
            let state = &h[layout.state_of(chunk.index, head)];
            for i in chunk.tokens.clone() {
                let q = scaled(self.key(q, i, head), self.sums(cumsum, i, head));
                let mut sums = read(state, &q, layout.value_size);
                sums.iter_mut().for_each(|x| *x = scale * *x);
                let row = self.row(attention, i, head, self.chunk);
                let columns = row.iter().zip(chunk.tokens.clone());
                // A without a mask has elements above the diagonal, too.
                let columns = columns.filter(|(a, j)| *j <= i || **a != R::ZERO);
                for (factor, j) in columns {
                    let vn = self.row(vn, j, head, layout.value_size);
                    R::add_scaled(&mut sums, *factor, vn);
                }
                output[layout.row(i, head, layout.value_size)].copy_from_slice(&sums);
            }
        }
        output
    }
}
