//! A call of the rule: sizes and random tensors.

use crate::common::Random;
use deltanet_reference::operators::{exp, neg};
use deltanet_reference::rule::*;
use deltanet_reference::widen;
use proptest::prelude::*;

/// Owned tensors of a call.
#[derive(Clone, Debug)]
pub struct Call<R> {
    pub sizes: Sizes,
    pub q: Vec<R>,
    pub k: Vec<R>,
    pub v: Vec<R>,
    pub g: Vec<R>,
    pub beta: Vec<R>,
    pub state: Vec<R>,
}

impl<R> Call<R> {
    /// Borrows the tensors as the functions take them, without q if the convention has none.
    pub fn inputs(&self, convention: &Convention) -> Inputs<'_, R> {
        Inputs {
            q: match convention.readout {
                Readout::Query => &self.q,
                Readout::Key => &[],
            },
            k: &self.k,
            v: &self.v,
            g: &self.g,
            beta: &self.beta,
            state: &self.state,
        }
    }
}

impl Call<f64> {
    pub fn run(&self, convention: &Convention) -> Outputs<f64> {
        recurrence(convention, self.sizes, self.inputs(convention))
    }
}

fn length(shape: &[usize]) -> usize {
    shape.iter().product()
}

/// Returns random unit q and k, and gates of the convention's kind with logs from `lowest` to 0.
pub fn random(sizes: Sizes, gate: Gate, lowest: f32, seed: u64) -> Call<f32> {
    let mut random = Random::new(seed);
    let mut units = || {
        let x = random.fill(length(&sizes.key_shape()), -1.0, 1.0);
        Norm::TORCH.rows(&x, sizes.key_size)
    };
    let (q, k) = (units(), units());
    let logs = random.fill(length(&sizes.gate_shape()), lowest, 0.0);
    Call {
        sizes,
        q,
        k,
        v: random.fill(length(&sizes.value_shape()), -1.0, 1.0),
        g: match gate {
            Gate::Log => logs,
            Gate::NegatedLog => neg(&logs),
            Gate::Factor => exp(&logs),
        },
        beta: random.fill(length(&sizes.beta_shape()), 0.0, 1.0),
        state: random.fill(length(&sizes.state_shape(StateLayout::KeyMajor)), -1.0, 1.0),
    }
}

/// Returns the same values in f64.
pub fn wide(call: &Call<f32>) -> Call<f64> {
    Call {
        sizes: call.sizes,
        q: widen(&call.q),
        k: widen(&call.k),
        v: widen(&call.v),
        g: widen(&call.g),
        beta: widen(&call.beta),
        state: widen(&call.state),
    }
}

/// Generates small sizes of every kind.
pub fn sizes() -> impl Strategy<Value = Sizes> {
    let gates = prop_oneof![Just(GateKind::PerHead), Just(GateKind::PerKeyChannel)];
    (
        1usize..3,
        1usize..14,
        1usize..4,
        1usize..4,
        1usize..7,
        1usize..7,
        gates,
    )
        .prop_map(
            |(sequences, tokens, key_heads, ratio, key_size, value_size, gate_kind)| Sizes {
                sequences,
                tokens,
                key_heads,
                value_heads: key_heads * ratio,
                key_size,
                value_size,
                gate_kind,
            },
        )
}

/// Generates every combination of choices.
pub fn conventions() -> impl Strategy<Value = Convention> {
    (
        prop_oneof![Just(Order::DecayFirst), Just(Order::ErrorFirst)],
        prop_oneof![Just(Gate::Log), Just(Gate::NegatedLog), Just(Gate::Factor)],
        prop_oneof![Just(HeadMap::Block), Just(HeadMap::Tiled)],
        prop_oneof![
            Just(Scale::InverseSqrtKeySize),
            Just(Scale::One),
            Just(Scale::Factor(-0.3))
        ],
        prop_oneof![Just(StateLayout::KeyMajor), Just(StateLayout::ValueMajor)],
        prop_oneof![
            Just(Norm::None),
            Just(Norm::FLA),
            Just(Norm::MaxWith(0.9)),
            Just(Norm::MLX)
        ],
        prop_oneof![Just(Readout::Query), Just(Readout::Key)],
    )
        .prop_map(
            |(order, gate, head_map, scale, state, norm, readout)| Convention {
                order,
                gate,
                head_map,
                scale,
                state,
                norm,
                readout,
            },
        )
}

/// Generates a convention, and a call with gates in the convention's form.
pub fn calls() -> impl Strategy<Value = (Convention, Call<f64>)> {
    (conventions(), sizes(), any::<u64>()).prop_map(|(convention, sizes, seed)| {
        (
            convention,
            wide(&random(sizes, convention.gate, -3.0, seed)),
        )
    })
}
