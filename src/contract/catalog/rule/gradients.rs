//! The contracts of the rule's backward pass.

mod laws;
mod mistakes;

use deltanet_reference::rule::{Inputs, OutputGradients, backward};

use super::Function;
use super::problem::laws::COLUMNS;
use super::problem::{
    FEW, GATE, GATES, HEADS, KEYS, LAYOUT, MAP, Problem, STATE, STRENGTHS, VALUES, log_gate_axes,
    problem, read_convention, scalars, states, tokens,
};
use crate::contract::catalog::laws::{HEADS_REVERSED, HEADS_WITHIN_GROUPS, SEQUENCES};
use crate::contract::catalog::{sizes, values};
use crate::contract::relation::Relation;
use crate::contract::{Buffer, Choice, DeviceResult, Domain, Factor, Formula, Instance, Rule};
use crate::tensor::Distribution::Normal;

/// The gradient by the final state.
const FINAL_GRADIENT: Choice = ("final_gradient", &["zero", "random"]);

/// The rule, and the gradients of a loss by its inputs. S, D and A are matrices [K, V] of each value head.
const GRADIENTS: &[Formula] = &[
    "S_0 = initial; 0 where state is zero",
    "D_t[i,j] = e^(g_t[i]) S_(t-1)[i,j]; one gate for all i where by is head",
    "e_t = v_t - D_t^T k_t; the error against the decayed state",
    "S_t = D_t + beta_t k_t e_t^T; the gated delta rule, o_t = scale S_t^T q_t with scale = 1 / sqrt(K)",
    "A_t = scale q_t do_t^T + e^(g_(t+1)) (A_(t+1) - k_(t+1) de_(t+1)^T); the gradient by S_t, from the last token to the first; A_T = scale q_T do_T^T + dfinal, which is 0 where final_gradient is zero",
    "de_t = beta_t A_t^T k_t; the gradient by e_t",
    "dq_t = scale S_t do_t; summed over the value heads that read the key head",
    "dk_t = beta_t A_t e_t - D_t de_t; summed over the value heads that read the key head",
    "dv_t = de_t",
    "dg_t[i] = sum_j (A_t - k_t de_t^T)[i,j] D_t[i,j]; the gradient by the log gate; summed over i where by is head",
    "dbeta_t = (A_t^T k_t)^T e_t",
    "dinitial[i,j] = e^(g_1[i]) (A_1 - k_1 de_1^T)[i,j]; also where state is zero",
];

/// The largest tensors.
const LARGEST: &[&[&str]] = &[
    &["B", "T", "HV", "K"],
    &["B", "T", "HV", "V"],
    &["B", "HV", "K", "V"],
];

/// The exclusion of a single token without a state before it, whose gate multiplies zeros.
const NOTHING_DECAYS: Rule = Rule {
    of: &["T", STATE.0],
    says: "T = 1 has a state before the token: a gate that multiplies zeros has no gradient",
    breaks: &|case| case.get("T") == Some(1) && case.word(STATE.0) == Some("zero"),
};

/// The exclusion of strengths at the ends from keys of one channel, where a strength of 1 forgets the state.
const NOTHING_STAYS: Rule = Rule {
    of: &["K", STRENGTHS.0],
    says: "K = 1 has strengths between 0 and 1: its keys are 1 or -1, and a strength of 1 leaves nothing of the state and its gradient",
    breaks: &|case| case.get("K") == Some(1) && case.word(STRENGTHS.0) == Some("ends"),
};

/// The exclusion of keys of one channel from cases of one or two tokens, which have few gradients by keys.
const FEW_KEYS: Rule = Rule {
    of: &["K", "T"],
    says: "K = 1 has 3 tokens or more: the write and the read may cancel by chance in all of few gradients by keys, and what they may be off by \
           is small beside them no more",
    breaks: &|case| case.get("K") == Some(1) && case.get("T").is_some_and(|tokens| tokens < 3),
};

/// The exclusion of great values from cases of one or two tokens, which have few gradients by gates and strengths.
const FEW_GATES: Rule = Rule {
    of: &["T", values::NAME],
    says: "values of 2^60 have 3 tokens or more: the terms of all of few gradients by gates may cancel by chance, and what they may be off by is \
           small beside them no more",
    breaks: &|case| {
        let great = case.word(values::NAME) == Some(values::GREAT);
        great && case.get("T").is_some_and(|tokens| tokens < 3)
    },
};

/// The exclusions of both contracts.
const EXCLUDED: &[Rule] = &[FEW, NOTHING_DECAYS, NOTHING_STAYS, FEW_KEYS, FEW_GATES];

/// Laws that every backward kernel keeps.
const LAWS: &[Relation] = &[
    laws::SCALED,
    laws::NEGATED,
    laws::VALUES_SCALED,
    SEQUENCES,
    HEADS_REVERSED,
    HEADS_WITHIN_GROUPS,
    COLUMNS,
    laws::ROWS,
    laws::PADDED,
    laws::PRODUCTS,
];

/// The backward pass, token by token or in chunks.
const BACKWARD: Function = Function {
    formulas: GRADIENTS,
    words: &[GATES, GATE, MAP, STATE, FINAL_GRADIENT, LAYOUT],
    outputs: &["dq", "dk", "dv", "dg", "dbeta", "dinitial"],
    largest: LARGEST,
    run: &gradients,
    ..Function::EMPTY
};

/// The contracts.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "gdn_backward",
        title: "the gradients of the rule, token by token",
        dims: super::problem::DIMS,
        domain: Domain::of(&[
            sizes::SEQUENCES,
            Factor::One("T", &[1, 2, 17, 65]),
            HEADS,
            sizes::KEY_CHANNELS,
            sizes::VALUE_CHANNELS,
        ])
        .values(&[KEYS, STRENGTHS, VALUES])
        .without(EXCLUDED)
        .relations(LAWS),
        ..BACKWARD
    },
    Function {
        name: "gdn_backward_chunked",
        title: "the gradients of the rule by chunks",
        dims: &["B", "T", "H", "HV", "K", "V", "C"],
        domain: Domain::of(&[
            sizes::TWO_SEQUENCES,
            Factor::Together(
                &["T", "C"],
                &[&[1, 64], &[63, 64], &[129, 64], &[32, 16], &[7, 3]],
            ),
            HEADS,
            sizes::KEY_CHANNELS,
            sizes::VALUE_CHANNELS,
        ])
        .values(&[KEYS, STRENGTHS, VALUES])
        .without(EXCLUDED)
        .relations(LAWS),
        ..BACKWARD
    },
];

/// The inputs of a backward pass.
struct Backward {
    /// The inputs of the rule.
    p: Problem,
    /// The gradient by the output.
    output: Buffer,
    /// The gradient by the final state.
    last: Buffer,
}

/// Gradients of a call: however its tokens are split into launches, they are those of one.
fn gradients(t: &mut Instance<'_>) -> DeviceResult {
    let p = problem(t, read_convention(t))?;
    let (s, layout) = (p.sizes, p.convention.state);
    let output = t.input("do", tokens(s, s.value_heads, s.value_size), Normal(1.0))?;
    let last = match t.word(FINAL_GRADIENT.0) {
        "zero" => t.draw("dfinal", states(s, layout), Normal(0.0)),
        _ => t.input("dfinal", states(s, layout), Normal(1.0))?,
    };
    let keys = tokens(s, s.key_heads, s.key_size);
    let dq = t.output("dq", keys.clone())?;
    let dk = t.output("dk", keys)?;
    let dv = t.output("dv", tokens(s, s.value_heads, s.value_size))?;
    let dg = t.output("dg", log_gate_axes(s))?;
    let dbeta = t.output("dbeta", scalars(s))?;
    let dinitial = t.output("dinitial", states(s, layout))?;
    t.outputs(&[dq, dk, dv, dg, dbeta, dinitial])?;
    if t.has("C") {
        t.allow_rounding(p.rounding_of_sums(t, t.dim("C")));
    }
    let (q, k, v, g, beta, initial) = (p.q, p.k, p.v, p.g, p.beta, p.initial);
    let (golden, oracle) = crate::references!(t, |q, k, v, g, beta, initial, output, last| {
        let inputs = Inputs {
            q,
            k,
            v,
            g,
            beta,
            state: initial,
        };
        let gradients = OutputGradients {
            output,
            state: last,
        };
        backward(&p.convention, s, inputs, gradients)
    });
    let x = Backward { p, output, last };
    let [in_q, in_k, in_v, in_g, in_beta, in_state] = mistakes::mistakes(t, &x);
    t.check_or(dq, (golden.q, oracle.q), in_q)?;
    t.check_or(dk, (golden.k, oracle.k), in_k)?;
    t.check_or(dv, (golden.v, oracle.v), in_v)?;
    t.check_or(dg, (golden.g, oracle.g), in_g)?;
    t.check_or(dbeta, (golden.beta, oracle.beta), in_beta)?;
    t.check_or(dinitial, (golden.state, oracle.state), in_state)
}
