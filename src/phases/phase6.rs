//! Phase 6: the computation within one chunk, launch by launch as the document lists it.

use deltanet_reference::{operators, pipelines};

use super::{Function, exchanged};
use crate::references;
use crate::tensor::Distribution::{Normal, Uniform, Walk};
use crate::trial::{
    Buffer, Mistake, Outcome, Trial, axes, elements, int, line, matrix, sequential, table,
    transposing,
};

/// The functions of phase 6.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "attn_pre",
        title: "-(K^T K_beta) * decay * causal mask",
        kernels: &[
            "kernel_gemm_tn_naive",
            "kernel_mul",
            "kernel_causal_mask",
            "kernel_neg",
        ],
        dims: &["S", "C"],
        integers: &[],
        words: &[],
        outputs: &["attn_pre"],
        largest: &[&["S", "C"], &["C", "C"]],
        run: attn_pre,
    },
    Function {
        name: "solve_causal_identity",
        title: "(I - attn_pre)^-1",
        kernels: &[
            "kernel_solve_tri_sequential",
            "kernel_apply_causal_identity",
        ],
        dims: &["C"],
        integers: &[],
        words: &[],
        outputs: &["attn_solved"],
        largest: &[&["C", "C"]],
        run: solve_causal_identity,
    },
    Function {
        name: "intra_chunk",
        title: "one chunk: attn_solved, V_new, K_cumdecay",
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
        ],
        dims: &["S", "C"],
        integers: &[],
        words: &[],
        outputs: &["attn_solved", "V_new", "K_cumdecay"],
        largest: &[&["S", "C"], &["C", "C"]],
        run: intra_chunk,
    },
];

/// Step 6 alone.
fn attn_pre(t: &mut Trial<'_>) -> Outcome {
    let (s, c) = (t.dim("S"), t.dim("C"));
    let unit = Normal((s as f32).sqrt().recip());
    let k = t.input("K", axes([("channel", s), ("token", c)]), unit)?;
    let k_beta = t.input("K_beta", axes([("channel", s), ("token", c)]), unit)?;
    let g = t.draw("g_cumsum", elements(c), Walk(-0.02, 0.0));
    let decay = t.upload(
        "decay_mask",
        table(c, c),
        operators::decay_mask(t.values(g)),
    )?;
    let attn_pre = attn_pre_launches(t, "", k, k_beta, decay, s, c)?;
    let (golden, oracle) = references!(t, |k, k_beta, decay| pipelines::attn_pre(
        k, k_beta, decay, s, c
    ));
    let mask = t.wide(decay);
    let mistakes = exchanged::inputs(t, [k, k_beta], "K and K_beta are exchanged", move |k, b| {
        pipelines::attn_pre(k, b, &mask, s, c).attn_pre
    });
    t.check_or(attn_pre, (golden.attn_pre, oracle.attn_pre), mistakes)
}

/// Steps 7 and 8 alone: the identity is added in place.
fn solve_causal_identity(t: &mut Trial<'_>) -> Outcome {
    let c = t.dim("C");
    let full = t.draw("full", table(c, c), Normal(0.1));
    let attn_pre = t.upload(
        "attn_pre",
        table(c, c),
        operators::tril(t.values(full), c, -1),
    )?;
    let attn_solved = solve_launches(t, "", attn_pre, c)?;
    let (golden, oracle) = references!(t, |attn_pre| pipelines::solve_causal_identity(attn_pre, c));
    t.check(attn_solved, (golden.attn_solved, oracle.attn_solved))
}

/// Steps 1 to 10.
fn intra_chunk(t: &mut Trial<'_>) -> Outcome {
    let (s, c) = (t.dim("S"), t.dim("C"));
    let k = t.input(
        "K",
        axes([("channel", s), ("token", c)]),
        Normal((s as f32).sqrt().recip()),
    )?;
    let v = t.input("V", axes([("channel", s), ("token", c)]), Normal(1.0))?;
    let g = t.input("G", elements(c), Uniform(-0.02, 0.0))?;
    let beta = t.input("Beta", elements(c), Normal(1.0))?;
    let chunk = intra_chunk_launches(t, "", [k, v, g, beta], s, c)?;
    let (golden, oracle) = references!(t, |k, v, g, beta| pipelines::intra_chunk(
        k, v, g, beta, s, c
    ));
    let inputs = [k, v, g, beta].map(|buffer| t.wide(buffer));
    let exchanged = |part: fn(pipelines::IntraChunk<f64>) -> Vec<f64>| {
        let of = |explanation, [k, v, g, beta]: [usize; 4]| {
            let inputs = inputs.clone();
            Mistake::new(exchanged::NAME, explanation, move || {
                let [k, v, g, beta] = [k, v, g, beta].map(|at| inputs[at].as_slice());
                part(pipelines::intra_chunk(k, v, g, beta, s, c))
            })
        };
        vec![
            of("K and V are exchanged", [1, 0, 2, 3]),
            of("G and Beta are exchanged", [0, 1, 3, 2]),
        ]
    };
    let solved = (golden.attn_solved, oracle.attn_solved);
    t.check_or(chunk.attn_solved, solved, exchanged(|x| x.attn_solved))?;
    let v_new = (golden.v_new, oracle.v_new);
    t.check_or(chunk.v_new, v_new, exchanged(|x| x.v_new))?;
    let k_cumdecay = (golden.k_cumdecay, oracle.k_cumdecay);
    t.check_or(chunk.k_cumdecay, k_cumdecay, exchanged(|x| x.k_cumdecay))
}

/// What a chunk leaves for the steps after it.
pub struct Chunk {
    /// `(I - attn_pre)^-1`, C x C.
    pub attn_solved: Buffer,
    /// S x C.
    pub v_new: Buffer,
    /// S x C.
    pub k_cumdecay: Buffer,
    /// C.
    pub g_cumsum: Buffer,
}

/// The launches of steps 1 to 10 on K, V (S x C), G and Beta (C). `of` is appended to the names of what they write.
pub fn intra_chunk_launches(
    t: &mut Trial<'_>,
    of: &str,
    inputs: [Buffer; 4],
    s: usize,
    c: usize,
) -> Outcome<Chunk> {
    let [k, v, g, beta] = inputs;
    let tokens =
        |t: &mut Trial<'_>, name: &str| t.output(&format!("{name}{of}"), axes([("token", c)]));
    let channels = |t: &mut Trial<'_>, name: &str| {
        t.output(&format!("{name}{of}"), axes([("channel", s), ("token", c)]))
    };

    // Steps 1 and 2: sigmoid and cumsum
    let beta_sig = tokens(t, "beta_sig")?;
    t.launch(
        "kernel_sigmoid",
        line(c),
        &[beta.read(), beta_sig.write(), int(c)],
    )?;
    let g_cumsum = tokens(t, "g_cumsum")?;
    t.launch(
        "kernel_cumsum_sequential",
        sequential(),
        &[g.read(), g_cumsum.write(), int(c)],
    )?;

    // Step 3: decay mask
    let decay = t.output(&format!("decay_mask{of}"), table(c, c))?;
    t.launch(
        "kernel_decay_mask",
        matrix(c, c),
        &[g_cumsum.read(), decay.write(), int(c)],
    )?;

    // Steps 4 and 5: broadcast products
    let k_beta = channels(t, "K_beta")?;
    broadcast_mul(t, k, beta_sig, k_beta, s, c)?;
    let v_beta = channels(t, "V_beta")?;
    broadcast_mul(t, v, beta_sig, v_beta, s, c)?;

    // Steps 6 to 8: attention matrix, triangular solve, identity
    let attn_pre = attn_pre_launches(t, of, k, k_beta, decay, s, c)?;
    let attn_solved = solve_launches(t, of, attn_pre, c)?;

    // Step 9: V_new = V_beta attn_solved^T
    let attn_t = t.output(&format!("attn_T{of}"), table(c, c))?;
    transpose(t, attn_solved, attn_t, c, c)?;
    let v_new = channels(t, "V_new")?;
    let args = [
        v_beta.read(),
        attn_t.read(),
        v_new.write(),
        int(s),
        int(c),
        int(c),
    ];
    t.launch("kernel_gemm_nn_naive", matrix(s, c), &args)?;

    // Step 10: K_cumdecay = (attn_solved (K_beta e^g_cumsum)^T)^T
    let gexp = tokens(t, "gexp")?;
    t.launch(
        "kernel_exp",
        line(c),
        &[g_cumsum.read(), gexp.write(), int(c)],
    )?;
    let kbeta_gexp = channels(t, "kbeta_gexp")?;
    broadcast_mul(t, k_beta, gexp, kbeta_gexp, s, c)?;
    let temp = t.output(&format!("temp{of}"), axes([("token", c), ("channel", s)]))?;
    let args = [
        attn_solved.read(),
        kbeta_gexp.read(),
        temp.write(),
        int(c),
        int(s),
        int(c),
    ];
    t.launch("kernel_gemm_nt_naive", matrix(c, s), &args)?;
    let k_cumdecay = channels(t, "K_cumdecay")?;
    transpose(t, temp, k_cumdecay, c, s)?;
    Ok(Chunk {
        attn_solved,
        v_new,
        k_cumdecay,
        g_cumsum,
    })
}

fn attn_pre_launches(
    t: &mut Trial<'_>,
    of: &str,
    k: Buffer,
    k_beta: Buffer,
    decay: Buffer,
    s: usize,
    c: usize,
) -> Outcome<Buffer> {
    let square = |t: &mut Trial<'_>, name: &str| t.output(&format!("{name}{of}"), table(c, c));
    let kmulkbeta = square(t, "kmulkbeta")?;
    let args = [
        k.read(),
        k_beta.read(),
        kmulkbeta.write(),
        int(c),
        int(c),
        int(s),
    ];
    t.launch("kernel_gemm_tn_naive", matrix(c, c), &args)?;
    let k_decay = square(t, "k_decay")?;
    t.launch(
        "kernel_mul",
        line(c * c),
        &[kmulkbeta.read(), decay.read(), k_decay.write(), int(c * c)],
    )?;
    let causal = square(t, "causal")?;
    t.launch(
        "kernel_causal_mask",
        matrix(c, c),
        &[causal.write(), int(c)],
    )?;
    let attn_pre = square(t, "attn_pre")?;
    t.launch(
        "kernel_mul",
        line(c * c),
        &[k_decay.read(), causal.read(), attn_pre.write(), int(c * c)],
    )?;
    t.launch(
        "kernel_neg",
        line(c * c),
        &[attn_pre.read(), attn_pre.write(), int(c * c)],
    )?;
    Ok(attn_pre)
}

fn solve_launches(t: &mut Trial<'_>, of: &str, attn_pre: Buffer, c: usize) -> Outcome<Buffer> {
    let attn_solved = t.output(&format!("attn_solved{of}"), table(c, c))?;
    let args = [
        attn_pre.read(),
        attn_pre.read(),
        attn_solved.write(),
        int(c),
        int(c),
    ];
    t.launch("kernel_solve_tri_sequential", sequential(), &args)?;
    let args = [attn_solved.read(), attn_solved.write(), int(c)];
    t.launch("kernel_apply_causal_identity", matrix(c, c), &args)?;
    Ok(attn_solved)
}

fn broadcast_mul(
    t: &mut Trial<'_>,
    a: Buffer,
    b: Buffer,
    out: Buffer,
    s: usize,
    c: usize,
) -> Outcome {
    t.launch(
        "kernel_broadcast_mul",
        line(s * c),
        &[a.read(), b.read(), out.write(), int(s), int(c)],
    )
}

fn transpose(t: &mut Trial<'_>, from: Buffer, to: Buffer, rows: usize, cols: usize) -> Outcome {
    t.launch(
        "kernel_transpose",
        transposing(rows, cols),
        &[from.read(), to.write(), int(rows), int(cols)],
    )
}
