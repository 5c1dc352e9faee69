//! Phase 7: what a chunk does with the state.

use deltanet_reference::pipelines;

use super::{Function, exchanged};
use crate::references;
use crate::tensor::Distribution::{Normal, Uniform, Walk};
use crate::trial::{Buffer, Outcome, Trial, axes, elements, float, int, line, matrix, table};

/// The functions of phase 7.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "state_update",
        title: "state * e^g_last + K_cumdecay V_new^T",
        kernels: &["kernel_scale", "kernel_gemm_nt_tiled", "kernel_add"],
        dims: &["S", "C"],
        integers: &[],
        words: &[],
        outputs: &["state_out"],
        largest: &[&["S", "S"], &["S", "C"]],
        run: state_update,
    },
    Function {
        name: "output_with_state",
        title: "Q_gexp State^T + attn V_new",
        kernels: &[
            "kernel_exp",
            "kernel_broadcast_mul",
            "kernel_gemm_nn_naive",
            "kernel_gemm_nt_naive",
            "kernel_add",
        ],
        dims: &["S", "C"],
        integers: &[],
        words: &[],
        outputs: &["output"],
        largest: &[&["S", "S"], &["S", "C"], &["C", "C"]],
        run: output_with_state,
    },
];

fn state_update(t: &mut Trial<'_>) -> Outcome {
    let (s, c) = (t.dim("S"), t.dim("C"));
    let unit = Normal((c as f32).sqrt().recip());
    let state = t.input("state", table(s, s), Normal(0.5))?;
    let k_cumdecay = t.input("K_cumdecay", axes([("channel", s), ("token", c)]), unit)?;
    let v_new = t.input("V_new", axes([("channel", s), ("token", c)]), Normal(1.0))?;
    let factor = t.draw("exp_g_last", elements(1), Uniform(0.25, 0.75));
    let state_out = t.output("state_out", table(s, s))?;
    let exp_g_last = t.values(factor)[0];
    let chunk = Update {
        k_cumdecay,
        v_new,
        exp_g_last,
    };
    state_update_launches(t, "", [state, state_out], &chunk, s, c)?;
    let (golden, oracle) = references!(t, |state, factor, k_cumdecay, v_new| {
        pipelines::state_update(state, factor[0], k_cumdecay, v_new, s, c)
    });
    let [before, factor] = [state, factor].map(|buffer| t.wide(buffer));
    let exchanged = "K_cumdecay and V_new are exchanged";
    let mistakes = exchanged::inputs(t, [k_cumdecay, v_new], exchanged, move |k, v| {
        pipelines::state_update(&before, factor[0], k, v, s, c).state
    });
    t.check_or(state_out, (golden.state, oracle.state), mistakes)
}

/// The document's formula on its stored layouts: `State Q_gexp + V_new attn^T`, S x C.
fn output_with_state(t: &mut Trial<'_>) -> Outcome {
    let (s, c) = (t.dim("S"), t.dim("C"));
    let unit = Normal((s as f32).sqrt().recip());
    let channels = || axes([("channel", s), ("token", c)]);
    let q = t.input("Q", channels(), unit)?;
    let g_cumsum = t.input("g_cumsum", elements(c), Walk(-0.02, 0.0))?;
    let state = t.input("state", table(s, s), Normal(0.5))?;
    let attn = t.input("attn", table(c, c), Normal((c as f32).sqrt().recip()))?;
    let v_new = t.input("V_new", channels(), Normal(1.0))?;
    let gexp = t.output("gexp", elements(c))?;
    t.launch(
        "kernel_exp",
        line(c),
        &[g_cumsum.read(), gexp.write(), int(c)],
    )?;
    let q_gexp = t.output("Q_gexp", channels())?;
    let args = [q.read(), gexp.read(), q_gexp.write(), int(s), int(c)];
    t.launch("kernel_broadcast_mul", line(s * c), &args)?;
    let inter = t.output("inter", channels())?;
    let args = [
        state.read(),
        q_gexp.read(),
        inter.write(),
        int(s),
        int(c),
        int(s),
    ];
    t.launch("kernel_gemm_nn_naive", matrix(s, c), &args)?;
    let intra = t.output("intra", channels())?;
    let args = [
        v_new.read(),
        attn.read(),
        intra.write(),
        int(s),
        int(c),
        int(c),
    ];
    t.launch("kernel_gemm_nt_naive", matrix(s, c), &args)?;
    let output = t.output("output", channels())?;
    t.launch(
        "kernel_add",
        line(s * c),
        &[inter.read(), intra.read(), output.write(), int(s * c)],
    )?;
    let (golden, oracle) = references!(t, |q, g_cumsum, state, attn, v_new| {
        pipelines::output_with_state(q, g_cumsum, state, attn, v_new, s)
    });
    t.check(output, (golden.output, oracle.output))
}

/// What a chunk adds to the state.
pub struct Update {
    /// S x C.
    pub k_cumdecay: Buffer,
    /// S x C.
    pub v_new: Buffer,
    /// What the state is scaled by.
    pub exp_g_last: f32,
}

/// The launches that take the state from one buffer to another. `of` is appended to the names of what they write.
pub fn state_update_launches(
    t: &mut Trial<'_>,
    of: &str,
    [state, state_out]: [Buffer; 2],
    chunk: &Update,
    s: usize,
    c: usize,
) -> Outcome {
    let scaled = t.output(&format!("state_scaled{of}"), table(s, s))?;
    let args = [
        state.read(),
        scaled.write(),
        int(s * s),
        float(chunk.exp_g_last),
    ];
    t.launch("kernel_scale", line(s * s), &args)?;
    let kv = t.output(&format!("kv{of}"), table(s, s))?;
    let args = [
        chunk.k_cumdecay.read(),
        chunk.v_new.read(),
        kv.write(),
        int(s),
        int(s),
        int(c),
    ];
    t.launch("kernel_gemm_nt_tiled", matrix(s, s), &args)?;
    t.launch(
        "kernel_add",
        line(s * s),
        &[scaled.read(), kv.read(), state_out.write(), int(s * s)],
    )
}
