//! `fused_recurrent_gated_delta_rule`: a contract for the output, and one for the final state.

mod mistakes;

use deltanet_reference::gdr::fused_recurrent::fused_recurrent;
use deltanet_reference::gdr::recurrent::{RecurrentCall, RecurrentResults};
use deltanet_reference::operators::sigmoid;
use deltanet_reference::rule::{HeadMap, Norm, Order};
use deltanet_reference::{Real, rule::Scale};

use mistakes::mistakes;

use super::sequences::{DIMS, LARGEST, LENGTHS, SIZES, Sequences};
use crate::contract::catalog::Function;
use crate::contract::catalog::laws::{HEADS_REVERSED, HEADS_WITHIN_GROUPS};
use crate::contract::catalog::rule::problem::laws::{COLUMNS, NEGATED, SCALED};
use crate::contract::catalog::rule::problem::{GATES, STATE, gates};
use crate::contract::{Buffer, DeviceResult, Domain, Formula, Instance, elements};
use crate::tensor::Data;
use crate::tensor::Distribution::{Normal, Uniform};
use crate::tensor::ElementKind;

/// The gates: by head, by key channel, by value channel, all three, or none.
const BY: (&str, &[&str]) = ("by", &["head", "key", "value", "all", "none"]);
/// The write strengths of a head: one for the head, or one for each value channel.
const BETA: (&str, &[&str]) = ("beta", &["head", "channel"]);

/// The state before the first token.
const FIRST: Formula =
    "S_0 = h0; a matrix [K, V] of each value head and sequence; 0 where state is zero";
/// The state that the gates leave.
const DECAYED: Formula = "D_t(S)[i,j] = e^(g_t + gk_t[i] + gv_t[j]) S[i,j]; gates that the case does not have are 0; natural logarithms";
/// The error of a token.
const ERROR: Formula = "d_t = beta_t (v_t - D_t(S_(t-1))^T k_t)";
/// The state after a token.
const NEXT: Formula = "S_t = D_t(S_(t-1)) + k_t d_t^T; the gated delta rule; value head hv reads q and k of head floor(hv / (HV / H))";

/// The rule token by token.
const TOKEN_BY_TOKEN: Function = Function {
    dims: DIMS,
    words: &[LENGTHS, BY, GATES, BETA, STATE],
    largest: LARGEST,
    domain: Domain::of(&SIZES).relations(&[
        SCALED,
        NEGATED,
        HEADS_REVERSED,
        HEADS_WITHIN_GROUPS,
        COLUMNS,
    ]),
    ..Function::EMPTY
};

/// The contracts, one for each of the two outputs.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "gdr_fused_recurrent_output",
        title: "the rule token by token: outputs",
        formulas: &[
            FIRST,
            DECAYED,
            ERROR,
            NEXT,
            "o_t = bf16(S_t^T q_t / sqrt(K))",
        ],
        outputs: &["o"],
        run: &|t| run(t, false),
        ..TOKEN_BY_TOKEN
    },
    Function {
        name: "gdr_fused_recurrent_state",
        title: "the rule token by token: the final state",
        formulas: &[
            FIRST,
            DECAYED,
            ERROR,
            NEXT,
            "ht = S_T; the state after each sequence's last token; a sequence without tokens keeps its own",
        ],
        outputs: &["ht"],
        run: &|t| run(t, true),
        ..TOKEN_BY_TOKEN
    },
];

/// The input tensors, as buffers or as numbers.
#[derive(Clone)]
struct Tensors<B> {
    q: B,
    k: B,
    v: B,
    beta: B,
    g: Option<B>,
    gk: Option<B>,
    gv: Option<B>,
    h0: Option<B>,
}

impl Tensors<Buffer> {
    fn read<R>(&self, get: impl Fn(Buffer) -> Vec<R>) -> Tensors<Vec<R>> {
        Tensors {
            q: get(self.q),
            k: get(self.k),
            v: get(self.v),
            beta: get(self.beta),
            g: self.g.map(&get),
            gk: self.gk.map(&get),
            gv: self.gv.map(&get),
            h0: self.h0.map(&get),
        }
    }
}

/// The parameters that are not tensors.
#[derive(Clone)]
struct Choices {
    at: Sequences,
    head_map: HeadMap,
    order: Order,
    scale: Scale,
}

fn compute<R: Real>(x: &Tensors<Vec<R>>, by: &Choices) -> RecurrentResults<R> {
    let call = RecurrentCall {
        layout: by.at.layout(),
        head_map: by.head_map,
        q: &x.q,
        k: &x.k,
        v: &x.v,
        beta: &x.beta,
        g: x.g.as_deref(),
        gk: x.gk.as_deref(),
        gv: x.gv.as_deref(),
        norm: Norm::None,
        order: by.order,
        scale: by.scale.factor(by.at.layout().key_size),
    };
    fused_recurrent(&call, x.h0.as_deref())
}

fn run(t: &mut Instance<'_>, state: bool) -> DeviceResult {
    let at = Sequences::new(t)?;
    let x = draw(t, &at)?;
    let value_size = at.layout().value_size;
    let judged = if state {
        t.output("ht", at.states("sequence", at.bounds.len() - 1))?
    } else {
        t.output_as(ElementKind::Bf16, "o", at.rows(value_size))?
    };
    t.outputs(&[judged])?;
    let by = Choices {
        at,
        head_map: HeadMap::Block,
        order: Order::DecayFirst,
        scale: Scale::InverseSqrtKeySize,
    };
    let golden = compute(&x.read(|buffer| t.values(buffer).to_vec()), &by);
    let wide = x.read(|buffer| t.wide(buffer));
    let oracle = compute(&wide, &by);
    let mistakes = mistakes(wide, &by, state);
    if state {
        return t.check_or(judged, (golden.states, oracle.states), mistakes);
    }
    t.check_or(judged, (golden.o, oracle.o), mistakes)
}

/// Draws the inputs: unit keys, values from N(0, 1), sigmoids of normal numbers as write strengths, gates of the case's regime.
fn draw(t: &mut Instance<'_>, at: &Sequences) -> DeviceResult<Tensors<Buffer>> {
    let layout = at.layout();
    let (keys, values, heads) = (layout.key_size, layout.value_size, layout.value_heads);
    let sequences = layout.sequences();
    let q = at.keys(t, "q", "none")?;
    let k = at.keys(t, "k", "none")?;
    let v = at.values(t)?;
    let by_channel = t.word(BETA.0) == "channel";
    let shape = if by_channel {
        at.rows(values)
    } else {
        at.scalars()
    };
    let raw = t.draw("b", shape.clone(), Normal(1.0));
    let strengths = sigmoid(t.values(raw));
    let beta = t.upload("beta", shape, Data::bf16(strengths))?;
    let by = t.word(BY.0);
    let has = |gate: &str| by == gate || by == "all";
    let a = t.draw_from("A", "gate strength", elements(heads), Uniform(0.01, 16.0));
    let mut gate = |name: &str, shape: Vec<crate::tensor::Axis>, channels: usize| {
        let noise = t.draw(&format!("{name} noise"), shape.clone(), Normal(1.0));
        let share = t.draw(&format!("{name} share"), shape.clone(), Uniform(0.0, 1.0));
        let each = |a: &f32| vec![*a; channels];
        let a: Vec<f32> = t.values(a).iter().flat_map(each).collect();
        let logs = gates(t.word(GATES.0), t.values(noise), t.values(share), &a);
        t.upload(name, shape, logs)
    };
    let g = has("head")
        .then(|| gate("g", at.scalars(), 1))
        .transpose()?;
    let gk = has("key")
        .then(|| gate("gk", at.rows(keys), keys))
        .transpose()?;
    let gv = has("value")
        .then(|| gate("gv", at.rows(values), values))
        .transpose()?;
    let h0 = (t.word(STATE.0) == "random")
        .then(|| t.input("h0", at.states("sequence", sequences), Normal(0.1)))
        .transpose()?;
    Ok(Tensors {
        q,
        k,
        v,
        beta,
        g,
        gk,
        gv,
        h0,
    })
}
