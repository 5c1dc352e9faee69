use super::*;
use crate::rule::{Convention, Inputs, recurrence};

/// The tensors of a call.
struct Tensors {
    bounds: Vec<usize>,
    q: Vec<f64>,
    k: Vec<f64>,
    v: Vec<f64>,
    g: Vec<f64>,
    beta: Vec<f64>,
    pool: Vec<f64>,
}

const KEYS: usize = 5;
const VALUES: usize = 3;
const KEY_HEADS: usize = 2;
const VALUE_HEADS: usize = 4;
const LENGTHS: [usize; 4] = [3, 0, 7, 1];

fn some(count: usize, step: f64) -> Vec<f64> {
    (0..count).map(|n| (n as f64 * step + 0.3).sin()).collect()
}

impl Tensors {
    fn new(kind: GateKind, steps: usize) -> Tensors {
        let bounds = LENGTHS.iter().fold(vec![0], |mut bounds, length| {
            bounds.push(bounds[bounds.len() - 1] + length);
            bounds
        });
        let tokens = bounds[LENGTHS.len()];
        let gates = match kind {
            GateKind::PerHead => 1,
            GateKind::PerKeyChannel => KEYS,
        };
        let positive = |x: Vec<f64>| x.into_iter().map(|x| 0.5 + 0.4 * x).collect();
        let g: Vec<f64> = positive(some(tokens * VALUE_HEADS * gates, 0.77));
        let k = some(tokens * steps * KEY_HEADS * KEYS, 1.3);
        Tensors {
            bounds,
            q: some(tokens * KEY_HEADS * KEYS, 0.7),
            k: k.into_iter().map(|k| 0.5 * k).collect(),
            v: some(tokens * steps * VALUE_HEADS * VALUES, 0.9),
            g: g.into_iter().map(|g| -g).collect(),
            beta: positive(some(tokens * steps * VALUE_HEADS, 0.31)),
            pool: some(6 * VALUE_HEADS * KEYS * VALUES, 2.1),
        }
    }

    fn layout(&self) -> Layout<'_> {
        Layout {
            bounds: &self.bounds,
            key_heads: KEY_HEADS,
            value_heads: VALUE_HEADS,
            key_size: KEYS,
            value_size: VALUES,
        }
    }

    fn call(&self, gate_kind: GateKind, steps: usize) -> PackedCall<'_, f64> {
        PackedCall {
            layout: self.layout(),
            gate_kind,
            head_map: HeadMap::Block,
            order: Order::DecayFirst,
            state: StateLayout::KeyMajor,
            kept: (StateType::Whole, Rounding::Launch),
            steps,
            scale: 0.25,
            q: &self.q,
            k: &self.k,
            v: &self.v,
            g: &self.g,
            beta: &self.beta,
        }
    }
}

const STARTS: [Option<usize>; 4] = [Some(4), Some(2), None, Some(0)];
const SIZE: usize = VALUE_HEADS * KEYS * VALUES;

fn at_the_end(n: usize, token: usize) -> Option<usize> {
    (token + 1 == LENGTHS[n]).then_some(n + 1)
}

fn near(got: &[f64], want: &[f64]) {
    assert_eq!(got.len(), want.len());
    for (got, want) in got.iter().zip(want) {
        assert!((got - want).abs() < 1e-12, "{got} is not {want}");
    }
}

#[test]
fn each_sequence_is_a_call_of_the_recurrence() {
    for gate_kind in [GateKind::PerHead, GateKind::PerKeyChannel] {
        let x = Tensors::new(gate_kind, 1);
        let mut pool = x.pool.clone();
        let output = packed(&x.call(gate_kind, 1), &mut pool, &STARTS, at_the_end);
        let convention = Convention {
            scale: crate::rule::Scale::Factor(0.25),
            ..Convention::FLA
        };
        for (n, length) in LENGTHS.into_iter().enumerate() {
            let part = |tensor: &[f64]| {
                let row = tensor.len() / x.bounds[LENGTHS.len()];
                tensor[x.bounds[n] * row..x.bounds[n + 1] * row].to_vec()
            };
            let sizes = Sizes {
                sequences: 1,
                tokens: length,
                key_heads: KEY_HEADS,
                value_heads: VALUE_HEADS,
                key_size: KEYS,
                value_size: VALUES,
                gate_kind,
            };
            let state = STARTS[n].map_or(vec![0.0; SIZE], |line| {
                x.pool[line * SIZE..][..SIZE].to_vec()
            });
            let want = recurrence(
                &convention,
                sizes,
                Inputs {
                    q: &part(&x.q),
                    k: &part(&x.k),
                    v: &part(&x.v),
                    g: &part(&x.g),
                    beta: &part(&x.beta),
                    state: &state,
                },
            );
            near(&part(&output), &want.output);
            let line = &pool[(n + 1) * SIZE..][..SIZE];
            match length {
                0 => near(line, &x.pool[(n + 1) * SIZE..][..SIZE]),
                _ => near(line, &want.state),
            }
        }
        near(&pool[..SIZE], &x.pool[..SIZE]);
    }
}

#[test]
fn chunks_give_what_the_recurrence_gives() {
    for gate_kind in [GateKind::PerHead, GateKind::PerKeyChannel] {
        for chunk in [1, 2, 3, 8] {
            for order in [StateLayout::KeyMajor, StateLayout::ValueMajor] {
                let x = Tensors::new(gate_kind, 1);
                let call = PackedCall {
                    state: order,
                    ..x.call(gate_kind, 1)
                };
                let initial = &x.pool[..4 * SIZE];
                let mut want = initial.to_vec();
                let own = |n: usize, token: usize| (token + 1 == LENGTHS[n]).then_some(n);
                let starts: Vec<_> = (0..4).map(Some).collect();
                let output = packed(&call, &mut want, &starts, own);
                let by = PackedChunks {
                    layout: x.layout(),
                    gate_kind,
                    head_map: HeadMap::Block,
                    chunk,
                };
                let sums = by.cumsum(&x.g);
                let inverse = by.inverse(&by.l(&x.k, &x.beta, &sums));
                let uw = by.uw((&x.k, &x.v, &x.beta), &sums, &inverse);
                let states = by.states(&x.k, &uw, &sums, (initial, order));
                let attention = by.attention(&x.q, &x.k, &sums, 0.25);
                let got = by.outputs(&x.q, (&attention, &states.vn), &sums, &states.h, 0.25);
                near(&got, &output);
                near(&states.last, &want);
            }
        }
    }
}

#[test]
fn chunks_do_not_cross_sequences() {
    let x = Tensors::new(GateKind::PerHead, 1);
    let by = PackedChunks {
        layout: x.layout(),
        gate_kind: GateKind::PerHead,
        head_map: HeadMap::Block,
        chunk: 2,
    };
    let want = [[0, 0], [0, 1], [2, 0], [2, 1], [2, 2], [2, 3], [3, 0]];
    assert_eq!(by.indices(), want);
}

/// Steps of the product are tokens of the rule whose gates are 0 and whose outputs are not asked for.
#[test]
fn steps_of_a_product_are_tokens_without_a_gate() {
    let x = Tensors::new(GateKind::PerHead, 3);
    let mut pool = x.pool.clone();
    let output = packed(
        &x.call(GateKind::PerHead, 3),
        &mut pool,
        &STARTS,
        at_the_end,
    );
    let tokens = x.bounds[LENGTHS.len()];
    let spread = |tensor: &[f64], other: bool| -> Vec<f64> {
        let row = tensor.len() / tokens;
        let rows = tensor.chunks_exact(row);
        let each = rows.flat_map(|row| {
            let none = vec![0.0; row.len()];
            match other {
                true => [none.clone(), none, row.to_vec()],
                false => [row.to_vec(), none.clone(), none],
            }
        });
        each.flatten().collect()
    };
    let (q, g) = (spread(&x.q, true), spread(&x.g, false));
    let bounds: Vec<usize> = x.bounds.iter().map(|bound| 3 * bound).collect();
    let call = PackedCall {
        layout: Layout {
            bounds: &bounds,
            ..x.layout()
        },
        q: &q,
        g: &g,
        steps: 1,
        ..x.call(GateKind::PerHead, 3)
    };
    let mut other = x.pool.clone();
    let all = packed(&call, &mut other, &STARTS, |n, token| {
        (token + 1 == 3 * LENGTHS[n]).then_some(n + 1)
    });
    let row = VALUE_HEADS * VALUES;
    let last: Vec<f64> = all
        .chunks_exact(3 * row)
        .flat_map(|rows| rows[2 * row..].to_vec())
        .collect();
    near(&output, &last);
    near(&pool, &other);
}

#[test]
fn halves_of_a_sequence_merge() {
    for gate_kind in [GateKind::PerHead, GateKind::PerKeyChannel] {
        let x = Tensors::new(gate_kind, 1);
        let call = x.call(gate_kind, 1);
        let own = |n: usize, token: usize| (token + 1 == LENGTHS[n]).then_some(n);
        let starts: Vec<_> = (0..4).map(Some).collect();
        let first = &x.pool[..4 * SIZE];
        let mut want = first.to_vec();
        packed(&call, &mut want, &starts, own);
        let mut second = vec![0.0; 4 * SIZE];
        packed(&call, &mut second, &[None; 4], own);
        let by = (gate_kind, HeadMap::Block);
        let transition = transition(x.layout(), by, &x.k, &x.g, &x.beta);
        let got = merged_state((KEYS, VALUES), &transition, first, &second);
        near(&got, &want);
    }
}

#[test]
fn states_are_rounded_after_each_token_or_the_last() {
    let x = Tensors::new(GateKind::PerHead, 1);
    let run = |kept| {
        let mut pool = x.pool.clone();
        let call = PackedCall {
            kept,
            ..x.call(GateKind::PerHead, 1)
        };
        let output = packed(&call, &mut pool, &STARTS, at_the_end);
        (output, pool[3 * SIZE..4 * SIZE].to_vec())
    };
    let whole = run((StateType::Whole, Rounding::Token));
    for kind in [StateType::Bf16, StateType::F16] {
        let launch = run((kind, Rounding::Launch));
        assert_eq!(launch.0, whole.0);
        let rounded: Vec<f64> = whole.1.iter().map(|&x| kind.round(x)).collect();
        assert_eq!(launch.1, rounded);
        let token = run((kind, Rounding::Token));
        assert_ne!(token.0, whole.0);
        assert_ne!(token.1, rounded);
    }
}

#[test]
fn halves_are_rounded_once() {
    let tie = 1.0 + 2f64.powi(-11);
    assert_eq!(StateType::F16.round(tie), 1.0);
    assert_eq!(
        StateType::F16.round(tie + 2f64.powi(-40)),
        1.0 + 2f64.powi(-10)
    );
    assert_eq!(StateType::F16.round(1e6), f64::INFINITY);
    assert_eq!(StateType::Bf16.round(1.0 + 2f64.powi(-8)), 1.0);
}
