//! ggml's convolution, alone and with the state that it keeps.

use std::sync::Arc;

use deltanet_reference::rule::{ConvSizes, ggml_conv_input, ggml_conv_states, ggml_ssm_conv};

use super::ACTIVATION;
use crate::contract::catalog::laws::TWICE;
use crate::contract::relation::{Closeness, Relation, Step};
use crate::contract::{Buffer, Choice, DeviceResult, Instance, Mistake, Rule, axes};
use crate::references;
use crate::tensor::Axis;
use crate::tensor::Distribution::Normal;

/// Magnitude of the sums: as in a model, or on both sides of the arguments at which e^x and e^-x overflow f32.
pub const REACH: Choice = ("reach", &["usual", "far"]);
/// The exclusion of far reach from cases of few outputs, of which the activation may leave none.
pub const FEW: Rule = Rule {
    of: &["D", REACH.0],
    says: "D < 8 is of usual reach: SiLU may leave nothing of a few sums that are far below 0",
    breaks: &|case| {
        let few = case.get("D").is_some_and(|channels| channels < 8);
        few && case.word(REACH.0) == Some("far")
    },
};

/// The exclusion of cases of one or two outputs.
pub const ALONE: Rule = Rule {
    of: &["D", "T", "N"],
    says: "D = 1 has 3 outputs or more: the sums of one or two may cancel by chance, and what they may be off by is small beside them no more",
    breaks: &|case| {
        let outputs = ["D", "T", "N"].map(|name| case.get(name).unwrap_or(1));
        outputs.iter().product::<i64>() < 3
    },
};
/// The exclusion of cases whose state is a copy of the tokens.
pub const COPIED: Rule = Rule {
    of: &["W", "T"],
    says: "W = 2 has 2 tokens or more: the state after one is that token, and a copy would be right",
    breaks: &|case| case.get("W") == Some(2) && case.get("T") == Some(1),
};
/// The exclusion of cases of one channel whose state is a copy of the tokens.
pub const COPIED_CHANNEL: Rule = Rule {
    of: &["D", "W", "T"],
    says: "D = 1 has no W - 1 tokens: the state after them is those tokens, and a copy would be right",
    breaks: &|case| {
        let fills = case.get("W").zip(case.get("T"));
        case.get("D") == Some(1) && fills.is_some_and(|(width, tokens)| tokens == width - 1)
    },
};

/// The law that later tokens depend on earlier ones only by the state.
pub const HANDED_ON: Relation = Relation::twice(
    "handed-on",
    "the tokens, and the same tokens again from the state after them, give what all of them give in one call",
    [
        &[Step::Moved(&[("qkv", "token")], TWICE)],
        &[
            Step::Joined("y", "y'", "token"),
            Step::Fed("new_conv_states", "new_conv_states'"),
        ],
    ],
    Closeness::Tolerance,
)
.after(&[Step::Fed("conv_states", "new_conv_states")])
.at(
    |case| case.with("T", case.get("T").map_or(2, |tokens| 2 * tokens)),
    &[],
);

fn sizes(t: &Instance<'_>) -> ConvSizes {
    ConvSizes {
        sequences: t.dim("N"),
        tokens: t.dim("T"),
        channels: t.dim("D"),
        width: t.dim("W"),
    }
}

/// Returns the axes of the tokens and of the output.
pub fn of_tokens(s: ConvSizes) -> Vec<Axis> {
    let [sequences, tokens, channels] = s.token_shape();
    axes([
        ("sequence", sequences),
        ("token", tokens),
        ("channel", channels),
    ])
}

/// Returns the axes of the states.
pub fn of_states(s: ConvSizes) -> Vec<Axis> {
    let [sequences, channels, places] = s.state_shape();
    axes([
        ("sequence", sequences),
        ("channel", channels),
        ("place", places),
    ])
}

/// Draws the weights.
pub fn weights(t: &mut Instance<'_>, s: ConvSizes) -> DeviceResult<Buffer> {
    let axes = axes([("channel", s.channels), ("weight", s.width)]);
    t.input("ssm_conv1d", axes, Normal(0.5))
}

fn deviation(t: &Instance<'_>) -> f32 {
    match t.word(REACH.0) {
        "far" => 120.0,
        _ => 1.0,
    }
}

/// Runs ggml's operator, whose input joins the state and the tokens.
pub fn joined(t: &mut Instance<'_>) -> DeviceResult {
    let s = sizes(t);
    let [sequences, channels, elements] = s.joined_shape();
    let of_joined = axes([
        ("sequence", sequences),
        ("channel", channels),
        ("element", elements),
    ]);
    let drawn = Normal(deviation(t));
    let sx = t.input("sx", of_joined, drawn)?;
    let ssm_conv1d = weights(t, s)?;
    let silu = t.word(ACTIVATION.0) == "silu";
    let y = t.output("y", of_tokens(s))?;
    let references = references!(t, |sx, ssm_conv1d| ggml_ssm_conv(s, sx, ssm_conv1d, silu));
    let known = mistakes(t.wide(sx), t.wide(ssm_conv1d), s, silu);
    t.check_or(y, references, known)
}

/// Runs the convolution of a state and tokens, and the state after them.
pub fn apart(t: &mut Instance<'_>) -> DeviceResult {
    let s = sizes(t);
    let drawn = Normal(deviation(t));
    let conv_states = t.input("conv_states", of_states(s), drawn)?;
    let qkv = t.input("qkv", of_tokens(s), drawn)?;
    let ssm_conv1d = weights(t, s)?;
    let silu = t.word(ACTIVATION.0) == "silu";
    let y = t.output("y", of_tokens(s))?;
    let left = t.output("new_conv_states", of_states(s))?;
    let (golden, oracle) = references!(t, |conv_states, qkv, ssm_conv1d| {
        let joined = ggml_conv_input(s, conv_states, qkv);
        let y = ggml_ssm_conv(s, &joined, ssm_conv1d, silu);
        (y, ggml_conv_states(s, &joined))
    });
    let [states, tokens, filter] = [conv_states, qkv, ssm_conv1d].map(|buffer| t.wide(buffer));
    let joined = ggml_conv_input(s, &states, &tokens);
    let mut known = mistakes(joined, filter.clone(), s, silu);
    let fresh = tokens.clone();
    known.push(Mistake::new(
        "history-ignored",
        "the state is taken as zeros",
        move || {
            let zeros = vec![0.0; s.state_shape().iter().product()];
            ggml_ssm_conv(s, &ggml_conv_input(s, &zeros, &fresh), &filter, silu)
        },
    ));
    t.check_or(y, (golden.0, oracle.0), known)?;
    let known = state_mistakes(states, tokens, s);
    t.check_or(left, (golden.1, oracle.1), known)
}

/// Returns mistakes in the convolution itself, for its joined input.
fn mistakes(joined: Vec<f64>, weights: Vec<f64>, s: ConvSizes, silu: bool) -> Vec<Mistake> {
    let joined = Arc::new(joined);
    let (name, explanation) = match silu {
        true => ("activation-missing", "the activation is missing"),
        false => ("activation-added", "SiLU is there, which was not asked for"),
    };
    let reversed = {
        let mut weights = weights.clone();
        weights.chunks_exact_mut(s.width).for_each(<[f64]>::reverse);
        weights
    };
    let own = Arc::clone(&joined);
    vec![
        Mistake::new(name, explanation, move || {
            ggml_ssm_conv(s, &own, &weights, !silu)
        }),
        Mistake::new(
            "weights-reversed",
            "the weights run from the newest token to the oldest",
            move || ggml_ssm_conv(s, &joined, &reversed, silu),
        ),
    ]
}

/// Returns mistakes in the state after the tokens.
pub fn state_mistakes(states: Vec<f64>, tokens: Vec<f64>, s: ConvSizes) -> Vec<Mistake> {
    let (before, places) = (states.clone(), s.width - 1);
    let zeros = vec![0.0; states.len()];
    let of_tokens = ggml_conv_states(s, &ggml_conv_input(s, &zeros, &tokens));
    let joined = ggml_conv_input(s, &states, &tokens);
    let mut known = vec![
        Mistake::new(
            "state-not-shifted",
            "the state is left as it was",
            move || before.clone(),
        ),
        Mistake::new(
            "state-shifted-by-one",
            "the state is shifted by one element, however many tokens there are",
            move || {
                let lines = joined.chunks_exact(places + s.tokens);
                lines.flat_map(|line| &line[1..=places]).copied().collect()
            },
        ),
    ];
    if s.tokens < places {
        known.push(Mistake::new(
            "state-of-tokens-only",
            "the state has the tokens of this call alone: places that older ones should have are 0",
            move || of_tokens.clone(),
        ));
    }
    known
}
