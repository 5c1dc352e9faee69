//! Several chunks, the state carried from one to the next.

use deltanet_reference::pipelines::{self, DeltanetInputs};

use super::Function;
use crate::contract::{Domain, Instance, Outcome, axes, table};
use crate::references;
use crate::tensor::Distribution::{Normal, Uniform};

/// The contracts.
pub const FUNCTIONS: &[Function] = &[Function {
    name: "deltanet",
    title: "chunks in order, the state carried along",
    dims: &["S", "C", "chunks"],
    integers: &[],
    words: &[],
    outputs: &["states"],
    largest: &[&["S", "S", "chunks"], &["S", "C", "chunks"], &["C", "C"]],
    domain: Domain::of(&[]),
    run: deltanet,
}];

/// The state after every chunk is compared, so that a fault shows the chunk it begins in.
fn deltanet(t: &mut Instance<'_>) -> Outcome {
    let (s, c, chunks) = (t.dim("S"), t.dim("C"), t.dim("chunks"));
    let columns = || axes([("channel", s), ("chunk", chunks), ("token", c)]);
    let each = || axes([("chunk", chunks), ("token", c)]);
    let k = t.input("K", columns(), Normal((s as f32).sqrt().recip()))?;
    let v = t.input("V", columns(), Normal(1.0))?;
    let g = t.input("G", each(), Uniform(-0.02, 0.0))?;
    let beta = t.input("Beta", each(), Normal(1.0))?;
    let state = t.input("state", table(s, s), Normal(0.5))?;
    let states = t.output(
        "states",
        axes([("chunk", chunks), ("row", s), ("column", s)]),
    )?;
    let (golden, oracle) = references!(t, |k, v, g, beta, state| {
        pipelines::deltanet(
            DeltanetInputs {
                k,
                v,
                g,
                beta,
                state,
            },
            s,
            c,
        )
        .states
        .concat()
    });
    t.check(states, (golden, oracle))
}
