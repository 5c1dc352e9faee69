//! Common part of the recurrent operators: [`crate::rule::recurrence`] in FLA's layouts, for sequences of different lengths and with every
//! gate that FLA has.

pub use crate::rule::Layout;
use crate::rule::{HeadMap, Norm, Order, Token, step};
use crate::{Real, shape};

use super::bf16;

/// Returns `cu_seqlens` of `sequences` sequences of the same length.
#[must_use]
pub fn equal_bounds(sequences: usize, tokens: usize) -> Vec<usize> {
    (0..=sequences).map(|n| n * tokens).collect()
}

/// Tensors of a call. Log gates that are `None` are 0.
#[derive(Clone, Copy, Debug)]
pub struct RecurrentCall<'a, R> {
    /// Sizes.
    pub layout: Layout<'a>,
    /// Map from value heads to query/key heads: [`HeadMap::Block`] in FLA.
    pub head_map: HeadMap,
    /// Queries, `[tok, H, K]`.
    pub q: &'a [R],
    /// Keys, `[tok, H, K]`.
    pub k: &'a [R],
    /// Values, `[tok, HV, V]`.
    pub v: &'a [R],
    /// Write strengths, `[tok, HV]` or `[tok, HV, V]`: one for each value channel.
    pub beta: &'a [R],
    /// Log gates of whole states, `[tok, HV]`.
    pub g: Option<&'a [R]>,
    /// Log gates of key channels, the state's rows, `[tok, HV, K]`.
    pub gk: Option<&'a [R]>,
    /// Log gates of value channels, the state's columns, `[tok, HV, V]`.
    pub gv: Option<&'a [R]>,
    /// Normalisation of q and k: none, or [`Norm::FLA`].
    pub norm: Norm,
    /// Order of decay and error: [`Order::DecayFirst`] in FLA.
    pub order: Order,
    /// The factor on q.
    pub scale: R,
}

/// Results of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct RecurrentResults<R> {
    /// The output, `[tok, HV, V]`, rounded to bf16.
    pub o: Vec<R>,
    /// The last states of the sequences, `[N, HV, K, V]`, or the states of all slots, `[slots, HV, K, V]`.
    pub states: Vec<R>,
}

/// Computes all sequences and heads. Sequence n begins with the state in slot `slots[n]` and leaves its last state there; without a slot it
/// begins with zeros, and its last state is dropped.
pub(super) fn run<R: Real>(
    call: &RecurrentCall<'_, R>,
    states: &mut [R],
    slots: &[Option<usize>],
) -> Vec<R> {
    let beta_size = call.check();
    let layout = call.layout;
    let (keys, values) = (layout.key_size, layout.value_size);
    let k = call.norm.rows(call.k, keys);
    let q = call.norm.rows(call.q, keys);
    let q: Vec<R> = q.iter().map(|&q| call.scale * q).collect();
    let mut o = vec![R::ZERO; call.v.len()];
    for (n, slot) in slots.iter().enumerate() {
        for hv in 0..layout.value_heads {
            let h = call
                .head_map
                .key_head(hv, layout.key_heads, layout.value_heads);
            let range = slot.map(|slot| {
                let first = (slot * layout.value_heads + hv) * layout.state();
                first..first + layout.state()
            });
            let mut state = match &range {
                Some(range) => states[range.clone()].to_vec(),
                None => vec![R::ZERO; layout.state()],
            };
            for token in layout.bounds[n]..layout.bounds[n + 1] {
                let scalar = token * layout.value_heads + hv;
                let row = |size: usize| scalar * size..(scalar + 1) * size;
                let key_row = (token * layout.key_heads + h) * keys;
                let key_row = key_row..key_row + keys;
                let whole = call.g.map_or(R::ONE, |g| g[scalar].exp());
                let decay: Vec<R> = call.gk.map_or_else(
                    || vec![whole],
                    |gk| gk[row(keys)].iter().map(|gk| whole * gk.exp()).collect(),
                );
                let value_decay: Vec<R> = call.gv.map_or_else(Vec::new, |gv| {
                    gv[row(values)].iter().map(|gv| gv.exp()).collect()
                });
                let token = Token {
                    q: &q[key_row.clone()],
                    k: &k[key_row],
                    v: &call.v[row(values)],
                    decay: &decay,
                    value_decay: &value_decay,
                    beta: &call.beta[row(beta_size)],
                };
                let read = step(call.order, &mut state, token);
                for (o, read) in o[row(values)].iter_mut().zip(read) {
                    *o = bf16::round(read);
                }
            }
            if let Some(range) = range {
                states[range].copy_from_slice(&state);
            }
        }
    }
    o
}

impl<R> RecurrentCall<'_, R> {
    /// Panics unless every tensor has its shape. Returns the number of write strengths of a token in a head.
    #[track_caller]
    fn check(&self) -> usize {
        let Layout {
            key_heads,
            value_heads,
            key_size,
            value_size,
            bounds,
        } = self.layout;
        assert!(
            bounds.is_sorted() && bounds.first() == Some(&0),
            "recurrent: the bounds {bounds:?} do not rise from 0"
        );
        let tokens = self.layout.tokens();
        let check = |name: &str, tensor: &[R], shape: [usize; 3]| {
            shape::expect("recurrent", name, tensor.len(), &shape);
        };
        check("q", self.q, [tokens, key_heads, key_size]);
        check("k", self.k, [tokens, key_heads, key_size]);
        check("v", self.v, [tokens, value_heads, value_size]);
        for (name, gates, size) in [
            ("g", self.g, 1),
            ("gk", self.gk, key_size),
            ("gv", self.gv, value_size),
        ] {
            if let Some(gates) = gates {
                check(name, gates, [tokens, value_heads, size]);
            }
        }
        let beta_size = if self.beta.len() == tokens * value_heads {
            1
        } else {
            value_size
        };
        check("beta", self.beta, [tokens, value_heads, beta_size]);
        beta_size
    }
}
