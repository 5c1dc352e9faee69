//! The mistakes that backward kernels make.

use std::sync::Arc;

use deltanet_reference::rule::{
    BackwardDeparture, Convention, InputGradients, Inputs, OutputGradients, Scale, Sizes,
    StateLayout, backward_with_departure,
};

use BackwardDeparture as D;

use super::Backward;
use crate::contract::catalog::exchanged;
use crate::contract::catalog::known::{self, HEAD_MAP, KnownMistake};
use crate::contract::catalog::rule::problem::transposed;
use crate::contract::{Instance, Mistake};

/// The inputs in f64.
#[derive(Clone)]
struct Wide {
    q: Vec<f64>,
    k: Vec<f64>,
    v: Vec<f64>,
    g: Vec<f64>,
    beta: Vec<f64>,
    initial: Vec<f64>,
    output: Vec<f64>,
    last: Vec<f64>,
}

/// The parameters that are not tensors.
#[derive(Clone)]
struct Choices {
    convention: Convention,
    sizes: Sizes,
    departure: Option<BackwardDeparture>,
    /// True if the gradient by the initial state is written in the other layout.
    transposed: bool,
}

/// Returns the mistakes that show in this case, as they show in dq, dk, dv, dg, dbeta and dinitial.
pub(super) fn mistakes(t: &Instance<'_>, x: &Backward) -> [Vec<Mistake>; 6] {
    let wide = Arc::new(Wide {
        q: t.wide(x.p.q),
        k: t.wide(x.p.k),
        v: t.wide(x.p.v),
        g: t.wide(x.p.g),
        beta: t.wide(x.p.beta),
        initial: t.wide(x.p.initial),
        output: t.wide(x.output),
        last: t.wide(x.last),
    });
    let choices = Choices {
        convention: x.p.convention,
        sizes: x.p.sizes,
        departure: None,
        transposed: false,
    };
    let parts: [fn(InputGradients<f64>) -> Vec<f64>; 6] =
        [|x| x.q, |x| x.k, |x| x.v, |x| x.g, |x| x.beta, |x| x.state];
    parts.map(|part| {
        known::mistakes(MISTAKES, (&wide, &choices), move |wide, choices| {
            part(compute(wide, choices))
        })
    })
}

fn compute(wide: &Wide, choices: &Choices) -> InputGradients<f64> {
    let inputs = Inputs {
        q: &wide.q,
        k: &wide.k,
        v: &wide.v,
        g: &wide.g,
        beta: &wide.beta,
        state: &wide.initial,
    };
    let gradients = OutputGradients {
        output: &wide.output,
        state: &wide.last,
    };
    let (convention, sizes) = (&choices.convention, choices.sizes);
    let mut found =
        backward_with_departure(convention, sizes, inputs, gradients, choices.departure);
    if choices.transposed {
        found.state = turned(&found.state, convention.state, sizes);
    }
    found
}

/// Returns the states in the other layout.
fn turned(states: &[f64], layout: StateLayout, sizes: Sizes) -> Vec<f64> {
    let [.., rows, columns] = sizes.state_shape(layout);
    transposed(states, [rows, columns])
}

/// Returns the states of the other layout that the same elements are.
fn misread(states: &[f64], layout: StateLayout, sizes: Sizes) -> Vec<f64> {
    let other = layout.other();
    turned(states, other, sizes)
}

fn always(_: &Wide, _: &Choices) -> bool {
    true
}

/// Makes a mistake of one term of the gradients.
const fn term(
    name: &'static str,
    explanation: &'static str,
    change: fn(&mut Wide, &mut Choices),
) -> KnownMistake<Wide, Choices> {
    KnownMistake {
        name,
        explanation,
        applies: always,
        change,
    }
}

const MISTAKES: &[KnownMistake<Wide, Choices>] = &[
    term(
        "query-unscaled",
        "dq lacks the scale of the output",
        |_, by| by.departure = Some(D::QueriesUnscaled),
    ),
    term(
        "query-before-write",
        "dq reads the state before the token is written",
        |_, by| by.departure = Some(D::QueriesBeforeWrite),
    ),
    term(
        "key-without-write",
        "dk lacks the part of the write: it has only that of the read through the error",
        |_, by| by.departure = Some(D::KeysWithoutWrite),
    ),
    term(
        "key-without-read",
        "dk lacks the part of the read through the error: it has only that of the write",
        |_, by| by.departure = Some(D::KeysWithoutRead),
    ),
    term(
        "gate-without-error",
        "dg lacks the part of the decay through the error: the gradient by the state before its correction is multiplied",
        |_, by| by.departure = Some(D::GatesWithoutError),
    ),
    term(
        "state-without-error",
        "the gradient by the state lacks the part through the error",
        |_, by| by.departure = Some(D::StatesWithoutError),
    ),
    term(
        "strength-by-value",
        "dbeta multiplies the value and not the error",
        |_, by| by.departure = Some(D::StrengthsByValue),
    ),
    term(
        "value-without-strength",
        "dv lacks the write strength",
        |_, by| by.departure = Some(D::ValuesWithoutStrength),
    ),
    term(
        "initial-undecayed",
        "dinitial lacks the decay of the first token",
        |_, by| by.departure = Some(D::InitialUndecayed),
    ),
    KnownMistake {
        name: "one-head-of-group",
        explanation: "dq and dk are those of the last value head that reads the key head, and no sum over these heads",
        applies: |_, by| by.sizes.key_heads < by.sizes.value_heads,
        change: |_, by| by.departure = Some(D::OneHeadOfGroup),
    },
    KnownMistake {
        name: "gradient-dropped",
        explanation: "the gradient by the state is dropped at every boundary of 64 tokens",
        applies: |_, by| by.sizes.tokens > 64,
        change: |_, by| by.departure = Some(D::DroppedEvery(64)),
    },
    KnownMistake {
        name: "gradient-dropped",
        explanation: "the gradient by the state is dropped at every boundary of 16 tokens",
        applies: |_, by| by.sizes.tokens > 16,
        change: |_, by| by.departure = Some(D::DroppedEvery(16)),
    },
    KnownMistake {
        name: "final-gradient-ignored",
        explanation: "the gradient by the final state is taken as zeros",
        applies: |x, _| x.last.iter().any(|x| *x != 0.0),
        change: |x, _| x.last.fill(0.0),
    },
    KnownMistake {
        name: "final-gradient-transposed",
        explanation: "the gradient by the final state is read in the other layout ([K][V] for [V][K])",
        applies: |x, _| x.last.iter().any(|x| *x != 0.0),
        change: |x, by| x.last = misread(&x.last, by.convention.state, by.sizes),
    },
    term(
        "initial-gradient-transposed",
        "dinitial is written in the other layout ([K][V] for [V][K])",
        |_, by| by.transposed = true,
    ),
    KnownMistake {
        name: "initial-ignored",
        explanation: "the initial state is taken as zeros",
        applies: |x, _| x.initial.iter().any(|x| *x != 0.0),
        change: |x, _| x.initial.fill(0.0),
    },
    KnownMistake {
        name: "initial-transposed",
        explanation: "the initial state is read in the other layout ([K][V] for [V][K])",
        applies: |x, _| x.initial.iter().any(|x| *x != 0.0),
        change: |x, by| x.initial = misread(&x.initial, by.convention.state, by.sizes),
    },
    KnownMistake {
        name: "head-map",
        explanation: HEAD_MAP,
        applies: |_, by| by.sizes.key_heads > 1 && by.sizes.key_heads < by.sizes.value_heads,
        change: |_, by| {
            by.convention.head_map = by.convention.head_map.other();
        },
    },
    term(
        "scale-missing",
        "the output has no scale: dq and all that do reaches is too large",
        |_, by| by.convention.scale = Scale::One,
    ),
    KnownMistake {
        name: "gate-sign",
        explanation: "the gate has the wrong sign: states grow where they should decay",
        applies: |x, _| x.g.iter().any(|g| *g != 0.0),
        change: |x, _| x.g.iter_mut().for_each(|g| *g = -*g),
    },
    KnownMistake {
        name: exchanged::NAME,
        explanation: "q and k are exchanged",
        applies: always,
        change: |x, _| std::mem::swap(&mut x.q, &mut x.k),
    },
    KnownMistake {
        name: exchanged::NAME,
        explanation: "the gates and beta are exchanged",
        applies: |x, _| x.g.len() == x.beta.len(),
        change: |x, _| std::mem::swap(&mut x.g, &mut x.beta),
    },
];
