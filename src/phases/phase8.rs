//! Phase 8: several chunks, the state carried from one to the next.

use deltanet_reference::pipelines::{self, DeltanetInputs};

use super::Function;
use super::phase6::intra_chunk_launches;
use super::phase7::{Update, state_update_launches};
use crate::references;
use crate::tensor::Distribution::{Normal, Uniform};
use crate::trial::{Buffer, Outcome, Trial, axes, table};

/// The functions of phase 8.
pub const FUNCTIONS: &[Function] = &[Function {
    name: "deltanet",
    title: "chunks in order, the state carried along",
    kernels: &[
        "kernel_sigmoid",
        "kernel_cumsum_sequential",
        "kernel_decay_mask",
        "kernel_broadcast_mul",
        "kernel_gemm_tn_naive",
        "kernel_mul",
        "kernel_causal_mask",
        "kernel_neg",
        "kernel_solve_tri_sequential",
        "kernel_apply_causal_identity",
        "kernel_transpose",
        "kernel_gemm_nn_naive",
        "kernel_exp",
        "kernel_gemm_nt_naive",
        "kernel_scale",
        "kernel_gemm_nt_tiled",
        "kernel_add",
    ],
    dims: &["S", "C", "chunks"],
    integers: &[],
    words: &[],
    outputs: &["states"],
    largest: &[&["S", "S", "chunks"], &["S", "C", "chunks"], &["C", "C"]],
    run: deltanet,
}];

/// The state after every chunk is compared, so that a fault shows the chunk it begins in.
fn deltanet(t: &mut Trial<'_>) -> Outcome {
    let (s, c, chunks) = (t.dim("S"), t.dim("C"), t.dim("chunks"));
    let tokens = c * chunks;
    let k = t.draw(
        "K",
        axes([("channel", s), ("token", tokens)]),
        Normal((s as f32).sqrt().recip()),
    );
    let v = t.draw("V", axes([("channel", s), ("token", tokens)]), Normal(1.0));
    let g = t.draw("G", axes([("token", tokens)]), Uniform(-0.02, 0.0));
    let beta = t.draw("Beta", axes([("token", tokens)]), Normal(1.0));
    let state = t.input("state", table(s, s), Normal(0.5))?;
    let states = t.output(
        "states",
        axes([("chunk", chunks), ("row", s), ("column", s)]),
    )?;
    let mut before = state;
    for chunk in 0..chunks {
        let of = format!("[{chunk}]");
        let mut columns = |tensor: Buffer, name: &str, rows: usize| {
            let name = format!("{name}{of}");
            let values = slice(t.values(tensor), rows, chunk * c, c);
            t.upload(&name, axes([("channel", rows), ("token", c)]), values)
        };
        let inputs = [
            columns(k, "K", s)?,
            columns(v, "V", s)?,
            columns(g, "G", 1)?,
            columns(beta, "Beta", 1)?,
        ];
        let done = intra_chunk_launches(t, &of, inputs, s, c)?;
        let g_last = t.fetch(done.g_cumsum.part(c - 1, 1))?;
        let exp_g_last = deltanet_reference::Real::exp(g_last[0]);
        let update = Update {
            k_cumdecay: done.k_cumdecay,
            v_new: done.v_new,
            exp_g_last,
        };
        let after = states.part(chunk * s * s, s * s);
        state_update_launches(t, &of, [before, after], &update, s, c)?;
        before = after;
    }
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

/// Columns `first` to `first + count` of a matrix of so many rows.
fn slice(values: &[f32], rows: usize, first: usize, count: usize) -> Vec<f32> {
    let width = values.len() / rows;
    values
        .chunks_exact(width)
        .flat_map(|row| &row[first..first + count])
        .copied()
        .collect()
}
