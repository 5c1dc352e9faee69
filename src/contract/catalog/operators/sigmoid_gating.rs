//! `fused_sigmoid_gating_delta_rule_update`: a decode step that computes its gates itself, on states in slots.

mod mistakes;

use deltanet_reference::Real;
use deltanet_reference::gdr::recurrent::{RecurrentCall, RecurrentResults};
use deltanet_reference::gdr::sigmoid_gating::{GatingParameters, sigmoid_gating_update};
use deltanet_reference::rule::{HeadMap, Norm, Order, Scale};

use mistakes::mistakes;

use super::sequences::{DIMS, LENGTHS, SIZES, Sequences};
use crate::contract::catalog::Function;
use crate::contract::{Choice, DeviceResult, Domain, Instance, Rule, axes, elements};
use crate::tensor::Distribution::{Normal, Uniform};
use crate::tensor::ElementKind;

/// Decay of states: as in slow heads of trained models, or with arguments on both sides of softplus's threshold.
const DECAY: (&str, &[&str]) = ("decay", &["slow", "threshold"]);
/// Magnitude of the arguments of write strengths: as in a model, or on both sides of the arguments at which e^x and e^-x overflow f32.
const REACH: Choice = ("reach", &["usual", "far"]);
/// Cases in which a write of strength 1 over a key of 1 or -1 replaces the whole state.
const WRITTEN_ALONE: Rule = Rule {
    of: &["K", "T", REACH.0],
    says: "K = T = 1 of far reach: where a write of strength 1 leaves nothing else in the state, the output is its value",
    breaks: &|case| {
        let one = |name| case.get(name) == Some(1);
        one("K") && one("T") && case.word(REACH.0) == Some("far")
    },
};
/// The steepness and the threshold of the softplus: the usual ones, or others.
const SOFTPLUS: (&str, &[&str]) = ("softplus", &["usual", "steep"]);
/// Normalisation of q and k in the kernel: none, inside, or of vectors so short that the epsilon counts.
const NORM: (&str, &[&str]) = ("norm", &["none", "inside", "tiny"]);
/// State slots of the sequences: their own numbers, other numbers, or other numbers with every fourth sequence a
/// padding (the third sequence is the first padding).
const SLOTS: (&str, &[&str]) = ("slots", &["own", "others", "padding"]);

/// The contract.
pub const FUNCTIONS: &[Function] = &[Function {
    name: "gdr_sigmoid_gating_update",
    title: "gates made inside, states in slots",
    formulas: &[
        "S_0 = h0_source[h0_indices[n]]; of sequence n; 0 where the index is negative",
        "f_t = e^(-e^A_log softplus(a_t + dt_bias)); the factor on the state; softplus(x) = ln(1 + e^(p x)) / p, and x where p x is above its threshold",
        "beta_t = 1 / (1 + e^(-b_t))",
        "d_t = beta_t (v_t - f_t S_(t-1)^T k_t); where norm is not none, q and k are first divided by sqrt(sum x^2 + 1e-6)",
        "S_t = f_t S_(t-1) + k_t d_t^T; the gated delta rule; value head hv reads q and k of head floor(hv / (HV / H))",
        "o_t = bf16(S_t^T q_t / sqrt(K))",
        "h0_source[h0_indices[n]] = S_T; other slots stay as they are",
    ],
    dims: DIMS,
    integers: &[],
    words: &[LENGTHS, DECAY, SOFTPLUS, NORM, SLOTS],
    outputs: &["o", "h0_source"],
    // The state has one slot more than there are sequences.
    largest: &[
        &["N", "T", "HV", "V"],
        &["N", "T", "H", "K"],
        &["N", "HV", "K", "V"],
        &["HV", "K", "V"],
    ],
    domain: Domain::of(&SIZES)
        .values(&[REACH])
        .uncomputed(&[WRITTEN_ALONE]),
    run: &run,
    ..Function::EMPTY
}];

/// The input tensors as numbers.
#[derive(Clone)]
struct Tensors<R> {
    q: Vec<R>,
    k: Vec<R>,
    v: Vec<R>,
    a_log: Vec<R>,
    dt_bias: Vec<R>,
    a: Vec<R>,
    b: Vec<R>,
    states: Vec<R>,
}

/// The parameters that are not float tensors.
#[derive(Clone)]
struct Choices {
    at: Sequences,
    slots: Vec<i32>,
    head_map: HeadMap,
    norm: Norm,
    scale: f64,
    softplus: [f32; 2],
}

fn compute<R: Real>(x: &Tensors<R>, by: &Choices) -> RecurrentResults<R> {
    let [softplus_beta, softplus_threshold] = by.softplus.map(|x| R::from_f64(x.into()));
    let call = RecurrentCall {
        layout: by.at.layout(),
        head_map: by.head_map,
        q: &x.q,
        k: &x.k,
        v: &x.v,
        beta: &[],
        g: None,
        gk: None,
        gv: None,
        norm: by.norm,
        order: Order::DecayFirst,
        scale: R::from_f64(by.scale),
    };
    let gating = GatingParameters {
        a_log: &x.a_log,
        dt_bias: &x.dt_bias,
        a: &x.a,
        b: &x.b,
        softplus_beta,
        softplus_threshold,
    };
    sigmoid_gating_update(&call, &gating, &x.states, &by.slots)
}

/// Returns the slot of each sequence. There is one slot more than there are sequences.
fn slots(word: &str, sequences: usize) -> Vec<i32> {
    let slot = |n: usize| match word {
        "own" => n,
        // Slot 0 stays unused, so that a kernel that takes a padding for slot 0 shows.
        _ => sequences - n,
    };
    let number = |n: usize| i32::try_from(slot(n)).unwrap_or(i32::MAX);
    let padding = |n: usize| word == "padding" && n % 4 == 2;
    (0..sequences)
        .map(|n| if padding(n) { -1 } else { number(n) })
        .collect()
}

fn run(t: &mut Instance<'_>) -> DeviceResult {
    let at = Sequences::new(t)?;
    let layout = at.layout();
    let (heads, sequences, value_size) =
        (layout.value_heads, layout.sequences(), layout.value_size);
    let scale: f32 = Scale::InverseSqrtKeySize.factor(layout.key_size);
    let a_log = t.input("A_log", elements(heads), Uniform(-4.0, 0.5))?;
    let dt_bias = t.input("dt_bias", elements(heads), Uniform(-1.0, 1.0))?;
    // The threshold applies to a + dt_bias. Above it every head forgets its state, except the slowest with A near e^-4.
    let deviation = if t.word(DECAY.0) == "slow" { 2.0 } else { 30.0 };
    let a = t.input_as(ElementKind::Bf16, "a", at.scalars(), Normal(deviation))?;
    let norm = t.word(NORM.0);
    let q = at.keys(t, "q", norm)?;
    let k = at.keys(t, "k", norm)?;
    let v = at.values(t)?;
    let far = t.word(REACH.0) == "far";
    let (usual, beyond) = (Normal(1.0), Normal(90.0));
    let strengths = if far { beyond } else { usual };
    let b = t.input_as(ElementKind::Bf16, "b", at.scalars(), strengths)?;
    let indices = slots(t.word(SLOTS.0), sequences);
    let before = t.draw(
        "states before",
        at.states("slot", sequences + 1),
        Normal(0.1),
    );
    let states = t.values(before).to_vec();
    let states = t.update("h0_source", at.states("slot", sequences + 1), states)?;
    let _slots = t.upload(
        "h0_indices",
        axes([("sequence", sequences)]),
        indices.clone(),
    )?;
    let o = t.output_as(ElementKind::Bf16, "o", at.rows(value_size))?;
    t.outputs(&[o, states])?;
    let softplus = if t.word(SOFTPLUS.0) == "usual" {
        [1.0, 20.0]
    } else {
        [2.0, 5.0]
    };

    let by = Choices {
        at,
        slots: indices,
        head_map: HeadMap::Block,
        norm: if norm == "none" {
            Norm::None
        } else {
            Norm::FLA
        },
        scale: scale.into(),
        softplus,
    };
    let inputs = [q, k, v, a_log, dt_bias, a, b, before];
    let golden = compute(
        &tensors(inputs.map(|buffer| t.values(buffer).to_vec())),
        &by,
    );
    let wide = tensors(inputs.map(|buffer| t.wide(buffer)));
    let oracle = compute(&wide, &by);
    let [in_output, in_states] = mistakes(wide, &by);
    t.check_or(o, (golden.o, oracle.o), in_output)?;
    t.check_or(states, (golden.states, oracle.states), in_states)
}

fn tensors<R>([q, k, v, a_log, dt_bias, a, b, states]: [Vec<R>; 8]) -> Tensors<R> {
    Tensors {
        q,
        k,
        v,
        a_log,
        dt_bias,
        a,
        b,
        states,
    }
}

#[cfg(test)]
mod tests {
    use super::slots;

    #[test]
    fn no_two_sequences_share_a_slot() {
        assert_eq!(slots("own", 3), [0, 1, 2]);
        assert_eq!(slots("others", 3), [3, 2, 1]);
        assert_eq!(slots("padding", 4), [4, 3, -1, 1]);
    }
}
