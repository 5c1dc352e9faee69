//! Shared parts of the rule's contracts: sizes, conventions, and inputs in the gate regimes.

pub mod chunk_gates;
mod chunks;
mod domain;
pub mod laws;
mod mistakes;

use deltanet_reference::rule::{
    Convention, Gate, GateKind, HeadMap, Inputs, Norm, Outputs, Sizes, StateLayout, producers,
    recurrence,
};
use deltanet_reference::{operators, widen};

use crate::contract::catalog::values;
use crate::contract::{Buffer, DeviceResult, Instance, axes};
use crate::tensor::Axis;
use crate::tensor::Distribution::{Normal, Uniform};

pub use chunks::{Chunks, rounding_of_sums};
pub use domain::{
    CHUNKED, FEW, GATE_KIND, HEADS, KEYS, LAST, LAWS, ONE_PRODUCT, ONE_QUERY, RULE, SEVERAL_CHUNKS,
    STRENGTHS, SUMS, VALUES, WIDE,
};
pub use mistakes::{Call, CallInputs, SequenceCalls, transposed};

/// SequenceCalls, tokens, query/key heads, value heads, key channels, value channels.
pub const DIMS: &[&str] = &["B", "T", "H", "HV", "K", "V"];
/// Gate regimes: none; about 1 % a token; as in a fresh Qwen3-Next; as in llama.cpp's test; slow with rare tokens
/// that forget everything. Such a token is one in 250, because the f32 sum of a chunk's gates loses more digits with
/// each spike, and a correct chunk pipeline must pass with every seed.
pub const GATES: (&str, &[&str]) = ("gates", &["none", "slow", "model", "fast", "spikes"]);
/// The mapping from value heads to query/key heads.
pub const MAP: (&str, &[&str]) = ("map", &["block", "tiled"]);
/// The state before the first token.
pub const STATE: (&str, &[&str]) = ("state", &["zero", "random"]);
/// The layout of states.
pub const LAYOUT: (&str, &[&str]) = ("layout", &["key-major", "value-major"]);

/// The gates: one for each token and head, or one for each key channel, too.
pub const GATE: (&str, &[&str]) = ("gate", &["head", "key"]);

/// The inputs of the rule in a case.
pub struct Problem {
    /// Sizes.
    pub sizes: Sizes,
    /// The conventions of the rule.
    pub convention: Convention,
    /// Queries.
    pub q: Buffer,
    /// Keys.
    pub k: Buffer,
    /// Values.
    pub v: Buffer,
    /// Gates.
    pub g: Buffer,
    /// Write strengths.
    pub beta: Buffer,
    /// The state before the first token, which references always have.
    pub initial: Buffer,
    /// True if the kernel takes the initial state; otherwise it is 0, and its pointer may be null.
    given: bool,
}

/// Reads the sizes of a case.
pub fn sizes(t: &Instance<'_>) -> Sizes {
    Sizes {
        sequences: if t.has("B") { t.dim("B") } else { 1 },
        tokens: t.dim("T"),
        key_heads: t.dim("H"),
        value_heads: t.dim("HV"),
        key_size: t.dim("K"),
        value_size: t.dim("V"),
        gate_kind: gates_of(t),
    }
}

/// Reads the number of gates of a token in a head.
pub fn gates_of(t: &Instance<'_>) -> GateKind {
    match t.chosen(GATE.0) {
        Some("key") => GateKind::PerKeyChannel,
        _ => GateKind::PerHead,
    }
}

/// Reads the head map of a case.
pub fn head_map(t: &Instance<'_>) -> HeadMap {
    match t.chosen(MAP.0) {
        Some("tiled") => HeadMap::Tiled,
        _ => HeadMap::Block,
    }
}

/// Reads the state layout of a case.
pub fn layout(t: &Instance<'_>) -> StateLayout {
    match t.chosen(LAYOUT.0) {
        Some("value-major") => StateLayout::ValueMajor,
        _ => StateLayout::KeyMajor,
    }
}

/// Returns the kind of a case's gates.
pub fn gate_kind(t: &Instance<'_>) -> Gate {
    match t.chosen(GATE_KIND.0) {
        Some("negated") => Gate::NegatedLog,
        Some("factor") => Gate::Factor,
        _ => Gate::Log,
    }
}

/// Reads the convention of a case of the whole rule.
pub fn read_convention(t: &Instance<'_>) -> Convention {
    Convention {
        head_map: head_map(t),
        state: layout(t),
        scale: t.scale(),
        gate: gate_kind(t),
        ..Convention::FLA
    }
}

/// Returns the axes of `[B, T, heads, channels]`.
pub fn tokens(sizes: Sizes, heads: usize, channels: usize) -> Vec<Axis> {
    axes([
        ("sequence", sizes.sequences),
        ("token", sizes.tokens),
        ("head", heads),
        ("channel", channels),
    ])
}

/// Returns the axes of `[B, T, HV]`.
pub fn scalars(sizes: Sizes) -> Vec<Axis> {
    axes([
        ("sequence", sizes.sequences),
        ("token", sizes.tokens),
        ("head", sizes.value_heads),
    ])
}

/// Returns the axes of the log gates: `[B, T, HV]` or `[B, T, HV, K]`.
pub fn log_gate_axes(sizes: Sizes) -> Vec<Axis> {
    match sizes.gate_kind {
        GateKind::PerHead => scalars(sizes),
        GateKind::PerKeyChannel => tokens(sizes, sizes.value_heads, sizes.key_size),
    }
}

/// Returns the axes of the states in a layout.
pub fn states(sizes: Sizes, layout: StateLayout) -> Vec<Axis> {
    let [_, _, rows, columns] = sizes.state_shape(layout);
    let (row, column) = match layout {
        StateLayout::KeyMajor => ("key channel", "value channel"),
        StateLayout::ValueMajor => ("value channel", "key channel"),
    };
    axes([
        ("sequence", sizes.sequences),
        ("head", sizes.value_heads),
        (row, rows),
        (column, columns),
    ])
}

/// Divides rows by their L2 norm and rounds once.
pub fn unit(values: &[f32], channels: usize) -> Vec<f32> {
    narrow(&Norm::RootOfSumPlus(0.0).rows(&widen(values), channels))
}

fn narrow(values: &[f64]) -> Vec<f32> {
    values.iter().map(|&x| x as f32).collect()
}

/// Draws rows of unit length, as models make q and k.
pub fn unit_rows(
    t: &mut Instance<'_>,
    name: &str,
    sizes: Sizes,
    channels: usize,
) -> DeviceResult<Buffer> {
    let axes = tokens(sizes, sizes.key_heads, channels);
    let raw = t.draw(
        &format!("{name} before its norm"),
        axes.clone(),
        Normal(1.0),
    );
    let mut values = t.values(raw).to_vec();
    if name == "k" && t.chosen(KEYS.0) == Some("correlated") {
        let row = sizes.key_heads * channels;
        for sequence in values.chunks_exact_mut((sizes.tokens * row).max(1)) {
            let (first, others) = sequence.split_at_mut(row);
            for token in others.chunks_exact_mut(row) {
                let pairs = token.iter_mut().zip(first.iter());
                pairs.for_each(|(own, first)| *own = first + 0.05 * *own);
            }
        }
    }
    let values = unit(&values, channels);
    t.upload(name, axes, values)
}

/// Draws gates of the case's regime and kind.
pub fn log_gates(t: &mut Instance<'_>, sizes: Sizes) -> DeviceResult<Buffer> {
    let axes = log_gate_axes(sizes);
    let noise = t.draw("gate noise", axes.clone(), Normal(1.0));
    let share = t.draw("gate share", axes.clone(), Uniform(0.0, 1.0));
    let heads = t.draw_from(
        "A",
        "gate strength",
        crate::contract::elements(sizes.value_heads),
        Uniform(0.01, 16.0),
    );
    let [.., channels] = sizes.gate_shape();
    let strengths = t.values(heads).iter();
    let strengths: Vec<f32> = strengths
        .flat_map(|&a| std::iter::repeat_n(a, channels))
        .collect();
    let values = gates(
        t.word(GATES.0),
        t.values(noise),
        t.values(share),
        &strengths,
    );
    let kind = gate_kind(t);
    let values = values.into_iter().map(|g| match kind {
        Gate::Log => g,
        Gate::NegatedLog => -g,
        Gate::Factor => g.exp(),
    });
    t.upload("g", axes, values.collect::<Vec<f32>>())
}

/// Computes log gates `[.., HV]` of a regime of [`GATES`] from numbers N(0,1) and U[0,1) of the same shape and strengths A `[HV]`.
pub fn gates(regime: &str, noise: &[f32], share: &[f32], a: &[f32]) -> Vec<f32> {
    let slow = |x: &f32| -0.01 * x.abs();
    match regime {
        "slow" => noise.iter().map(slow).collect(),
        "model" => {
            let a_log: Vec<f32> = a.iter().map(|a| a.ln()).collect();
            producers::log_gates(noise, &a_log, &vec![1.0; a.len()])
        }
        "fast" => share.iter().map(|x| -20.0 + x * (20.0 - 1e-4)).collect(),
        "spikes" => {
            let spiky = |(x, share): (&f32, &f32)| if *share < 0.004 { -30.0 } else { slow(x) };
            noise.iter().zip(share).map(spiky).collect()
        }
        _ => vec![0.0; noise.len()],
    }
}

/// Draws write strengths: the sigmoid of normal numbers, or with about two of three replaced by 0 or 1.
pub fn strengths(t: &mut Instance<'_>, sizes: Sizes) -> DeviceResult<Buffer> {
    let raw = t.draw("b", scalars(sizes), Normal(1.0));
    let ends = t.chosen(STRENGTHS.0) == Some("ends");
    let clipped = |x: f64| match x {
        _ if !ends => x,
        _ if x < -0.43 => f64::NEG_INFINITY,
        _ if x > 0.43 => f64::INFINITY,
        _ => x,
    };
    let raw: Vec<f64> = t.wide(raw).into_iter().map(clipped).collect();
    let values = narrow(&operators::sigmoid(&raw));
    t.upload("beta", scalars(sizes), values)
}

/// Draws and uploads all inputs of a case.
pub fn problem(t: &mut Instance<'_>, convention: Convention) -> DeviceResult<Problem> {
    let sizes = sizes(t);
    let q = unit_rows(t, "q", sizes, sizes.key_size)?;
    let k = unit_rows(t, "k", sizes, sizes.key_size)?;
    let class = t.chosen(values::NAME).unwrap_or(values::ORDINARY);
    let of_v = tokens(sizes, sizes.value_heads, sizes.value_size);
    let v = values::input_of(t, class, ("v", of_v), Normal(1.0))?;
    let g = log_gates(t, sizes)?;
    let beta = strengths(t, sizes)?;
    t.scalar("scale", convention.scale.factor(sizes.key_size));
    let given = t.chosen(STATE.0) != Some("zero");
    let axes = states(sizes, convention.state);
    let initial = if given {
        values::input_of(t, class, ("initial", axes), Normal(0.1))?
    } else {
        t.draw("initial", axes, Normal(0.0))
    };
    Ok(Problem {
        sizes,
        convention,
        q,
        k,
        v,
        g,
        beta,
        initial,
        given,
    })
}

impl Problem {
    /// Adds the outputs: `o`, and the final state.
    pub fn results(&self, t: &mut Instance<'_>) -> DeviceResult<[Buffer; 2]> {
        let s = self.sizes;
        let o = t.output("o", tokens(s, s.value_heads, s.value_size))?;
        Ok([o, t.output("final", states(s, self.convention.state))?])
    }

    /// Computes the results of the rule in f32 and in f64.
    pub fn references(&self, t: &Instance<'_>) -> (Outputs<f32>, Outputs<f64>) {
        let Problem {
            q,
            k,
            v,
            g,
            beta,
            initial,
            ..
        } = *self;
        crate::references!(t, |q, k, v, g, beta, initial| {
            let inputs = Inputs {
                q,
                k,
                v,
                g,
                beta,
                state: initial,
            };
            recurrence(&self.convention, self.sizes, inputs)
        })
    }

    /// Adds the expected values of the outputs `output` and `state`.
    pub fn check(&self, t: &mut Instance<'_>, output: Buffer, state: Buffer) -> DeviceResult {
        t.outputs(&[output, state])?;
        let (golden, oracle) = self.references(t);
        let [in_output, in_state] = self.mistakes(t);
        t.check_or(output, (golden.output, oracle.output), in_output)?;
        t.check_or(state, (golden.state, oracle.state), in_state)
    }
}
