//! Phase 10: the gated delta rule, end to end.

use deltanet_reference::rule::{
    Convention, GateKind, Inputs, Sizes, StateLayout, ggml_gated_delta_net, ggml_output_len,
    recurrence,
};

use super::Function;
use super::gdn::{
    DIMS, GATES, LAYOUT, MAP, Problem, STATE, chunk_grid, head_map, layout, layout_arg, map_arg,
    problem, scalars, states, strengths, tokens, unit, unit_rows,
};
use crate::references;
use crate::tensor::Distribution::{Normal, Uniform};
use crate::trial::{Arg, Buffer, Grid, Outcome, Trial, axes, elements, float, int};

/// The tensors whose size counts.
const LARGEST: &[&[&str]] = &[
    &["B", "T", "HV", "K"],
    &["B", "T", "HV", "V"],
    &["B", "HV", "K", "V"],
];

/// The functions of phase 10.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "gdn_recurrent",
        title: "the fused recurrence, all tokens in one launch",
        kernels: &["gdn_recurrent_f32"],
        dims: DIMS,
        integers: &[],
        words: &[GATES, MAP, STATE, LAYOUT],
        outputs: &["o", "final"],
        largest: LARGEST,
        run: recurrent,
    },
    Function {
        name: "gdn_chained",
        title: "the recurrence in two launches, the state handed on: the same as in one",
        kernels: &["gdn_recurrent_f32"],
        dims: &["B", "T", "first", "H", "HV", "K", "V"],
        integers: &[],
        words: &[GATES, MAP, STATE, LAYOUT],
        outputs: &["o", "final"],
        largest: LARGEST,
        run: chained,
    },
    Function {
        name: "gdn_decode",
        title: "the recurrence token by token: the same as a prefill",
        kernels: &["gdn_recurrent_f32"],
        dims: &["T", "H", "HV", "K", "V"],
        integers: &[],
        words: &[GATES, MAP, STATE, LAYOUT],
        outputs: &["o", "final"],
        largest: &[&["T", "HV", "K"], &["T", "HV", "V"], &["HV", "K", "V"]],
        run: decode,
    },
    Function {
        name: "gdn_chunked",
        title: "the chunk pipeline",
        kernels: &[
            "gdn_chunk_cumsum_f32",
            "gdn_chunk_l_f32",
            "gdn_chunk_solve_f32",
            "gdn_chunk_uw_f32",
            "gdn_chunk_states_f32",
            "gdn_chunk_outputs_f32",
        ],
        dims: &["B", "T", "H", "HV", "K", "V", "C"],
        integers: &[],
        words: &[GATES, MAP, STATE, LAYOUT],
        outputs: &["o", "final"],
        largest: LARGEST,
        run: chunked,
    },
    Function {
        name: "gdn_sequential",
        title: "the sequential rule: error from the undecayed state, output read with k",
        kernels: &["gdn_sequential_f32"],
        dims: &["B", "T", "H", "K", "V"],
        integers: &[],
        words: &[STATE],
        outputs: &["o", "final"],
        largest: &[&["B", "T", "H", "V"], &["B", "H", "K", "V"]],
        run: sequential,
    },
    Function {
        name: "gdn_error_correction",
        title: "the sequential rule, the same pair written twice: the second time changes nothing",
        kernels: &["gdn_sequential_f32"],
        dims: &["B", "H", "K", "V"],
        integers: &[],
        words: &[],
        outputs: &["final"],
        largest: &[&["B", "H", "K", "V"]],
        run: error_correction,
    },
    Function {
        name: "ggml_gated_delta_net",
        title: "ggml's GATED_DELTA_NET: its layouts, its inputs, snapshots of the state",
        kernels: &["ggml_gated_delta_net_f32"],
        dims: &["S", "Hk", "H", "T", "N", "snapshots"],
        integers: &[],
        words: &[("gate", &["head", "key"])],
        outputs: &["dst"],
        largest: &[&["S", "H", "T", "N"], &["S", "S", "H", "N", "snapshots"]],
        run: ggml,
    },
];

/// The convention that a case asks for.
fn convention(t: &Trial<'_>) -> Convention {
    Convention {
        head_map: head_map(t),
        state: layout(t),
        scale: t.scale(),
        ..Convention::FLA
    }
}

/// A launch of the recurrence on some of the tokens.
struct Span {
    /// The first token and the count; only calls of one sequence may begin later than with the first.
    first: usize,
    count: usize,
    initial: Arg,
    last: Buffer,
}

fn launch_recurrent(t: &mut Trial<'_>, p: &Problem, o: Buffer, span: Span) -> Outcome {
    let s = p.sizes;
    let part = |buffer: Buffer, width: usize| buffer.part(span.first * width, span.count * width);
    let part = |buffer: Buffer, width: usize| {
        if s.sequences == 1 {
            part(buffer, width)
        } else {
            buffer
        }
    };
    let [b, _, h, hv, key, value] = p.sizes();
    let keys = s.key_heads * s.key_size;
    let args = [
        part(p.q, keys).read(),
        part(p.k, keys).read(),
        part(p.v, s.value_heads * s.value_size).read(),
        part(p.g, s.value_heads).read(),
        part(p.beta, s.value_heads).read(),
        span.initial,
        part(o, s.value_heads * s.value_size).write(),
        span.last.write(),
        b,
        int(span.count),
        h,
        hv,
        key,
        value,
        float(p.scale()),
        map_arg(p.convention.head_map),
        layout_arg(p.convention.state),
        int(0),
    ];
    let grid = Grid::of([s.value_heads, s.sequences, 1], s.value_size);
    t.launch("gdn_recurrent_f32", grid, &args)
}

/// The output of a call, and the state after it.
fn results(t: &mut Trial<'_>, p: &Problem) -> Outcome<[Buffer; 2]> {
    let s = p.sizes;
    let o = t.output("o", tokens(s, s.value_heads, s.value_size))?;
    Ok([o, t.output("final", states(s, p.convention.state))?])
}

fn recurrent(t: &mut Trial<'_>) -> Outcome {
    let convention = convention(t);
    let p = problem(t, convention)?;
    let [o, last] = results(t, &p)?;
    let all = Span {
        first: 0,
        count: p.sizes.tokens,
        initial: p.initial(),
        last,
    };
    launch_recurrent(t, &p, o, all)?;
    p.check(t, o, last)
}

fn chained(t: &mut Trial<'_>) -> Outcome {
    let convention = convention(t);
    let p = problem(t, convention)?;
    let [o, last] = results(t, &p)?;
    let between = t.output("state between", states(p.sizes, p.convention.state))?;
    let first = t.dim("first").min(p.sizes.tokens);
    let spans = [
        (0, first, p.initial(), between),
        (first, p.sizes.tokens - first, between.read(), last),
    ];
    for (first, count, initial, last) in spans {
        launch_recurrent(
            t,
            &p,
            o,
            Span {
                first,
                count,
                initial,
                last,
            },
        )?;
    }
    p.check(t, o, last)
}

fn decode(t: &mut Trial<'_>) -> Outcome {
    let convention = convention(t);
    let p = problem(t, convention)?;
    let [o, last] = results(t, &p)?;
    let other = t.output("other state", states(p.sizes, p.convention.state))?;
    let mut initial = p.initial();
    for token in 0..p.sizes.tokens {
        // The last token writes `last`; those before alternate.
        let left = p.sizes.tokens - 1 - token;
        let into = if left.is_multiple_of(2) { last } else { other };
        launch_recurrent(
            t,
            &p,
            o,
            Span {
                first: token,
                count: 1,
                initial,
                last: into,
            },
        )?;
        initial = into.read();
    }
    p.check(t, o, last)
}

fn chunked(t: &mut Trial<'_>) -> Outcome {
    let convention = convention(t);
    let p = problem(t, convention)?;
    let s = p.sizes;
    let c = t.dim("C");
    let chunks = s.tokens.div_ceil(c);
    let [o, last] = results(t, &p)?;
    let g_sum = t.output("G", scalars(s))?;
    let rows = |width| tokens(s, s.value_heads, width);
    let [l, inverse] = [t.output("L", rows(c))?, t.output("Ai", rows(c))?];
    let [u, vn] = [
        t.output("u", rows(s.value_size))?,
        t.output("vn", rows(s.value_size))?,
    ];
    let w = t.output("w", rows(s.key_size))?;
    let h = t.output(
        "h",
        axes([
            ("sequence", s.sequences),
            ("chunk", chunks),
            ("head", s.value_heads),
            ("key channel", s.key_size),
            ("value channel", s.value_size),
        ]),
    )?;
    let [b, n, heads, hv, key, value] = p.sizes();
    let (length, map) = (int(c), map_arg(p.convention.head_map));
    let layout = layout_arg(p.convention.state);
    let (k, v, beta) = (p.k.read(), p.v.read(), p.beta.read());
    let grid = |items| chunk_grid(s, chunks, items);
    t.launch(
        "gdn_chunk_cumsum_f32",
        grid(64),
        &[p.g.read(), g_sum.write(), b, n, hv, length, int(0)],
    )?;
    t.launch(
        "gdn_chunk_l_f32",
        grid(256),
        &[
            k,
            beta,
            g_sum.read(),
            l.write(),
            b,
            n,
            heads,
            hv,
            key,
            length,
            map,
        ],
    )?;
    t.launch(
        "gdn_chunk_solve_f32",
        grid(64),
        &[l.read(), inverse.write(), b, n, hv, length],
    )?;
    t.launch(
        "gdn_chunk_uw_f32",
        grid(256),
        &[
            k,
            v,
            beta,
            g_sum.read(),
            inverse.read(),
            u.write(),
            w.write(),
            b,
            n,
            heads,
            hv,
            key,
            value,
            length,
            map,
        ],
    )?;
    t.launch(
        "gdn_chunk_states_f32",
        Grid::of([s.value_heads, s.sequences, 1], s.value_size),
        &[
            k,
            u.read(),
            w.read(),
            g_sum.read(),
            p.initial(),
            h.write(),
            vn.write(),
            last.write(),
            b,
            n,
            heads,
            hv,
            key,
            value,
            length,
            map,
            layout,
        ],
    )?;
    t.launch(
        "gdn_chunk_outputs_f32",
        grid(256),
        &[
            p.q.read(),
            k,
            vn.read(),
            g_sum.read(),
            h.read(),
            o.write(),
            b,
            n,
            heads,
            hv,
            key,
            value,
            length,
            float(p.scale()),
            map,
        ],
    )?;
    p.check(t, o, last)
}

/// Sizes of the sequential rule, which has one kind of heads.
fn one_kind_of_heads(t: &Trial<'_>, tokens: usize) -> Sizes {
    Sizes {
        sequences: t.dim("B"),
        tokens,
        key_heads: t.dim("H"),
        value_heads: t.dim("H"),
        key_size: t.dim("K"),
        value_size: t.dim("V"),
        gate_kind: GateKind::PerHead,
    }
}

/// Launches the sequential rule and compares what it leaves.
fn launch_sequential(
    t: &mut Trial<'_>,
    s: Sizes,
    [k, v, beta, g, initial]: [Buffer; 5],
) -> Outcome {
    let o = t.output("o", tokens(s, s.value_heads, s.value_size))?;
    let last = t.output("final", states(s, StateLayout::KeyMajor))?;
    let given = t.word(STATE.0) == "random";
    let args = [
        k.read(),
        v.read(),
        beta.read(),
        g.read(),
        if given {
            initial.read()
        } else {
            crate::trial::null()
        },
        o.write(),
        last.write(),
        int(s.sequences),
        int(s.tokens),
        int(s.key_heads),
        int(s.key_size),
        int(s.value_size),
    ];
    let grid = Grid::of([s.key_heads, s.sequences, 1], s.value_size);
    t.launch("gdn_sequential_f32", grid, &args)?;
    let (golden, oracle) = references!(t, |k, v, beta, g, initial| {
        let inputs = Inputs {
            q: &[],
            k,
            v,
            g,
            beta,
            state: initial,
        };
        recurrence(&Convention::SEED_003, s, inputs)
    });
    // Where the same pair is written twice the output is v itself, which the test of tests rightly does not take for computed.
    if t.dim("T") > 0 {
        t.check(o, (golden.output, oracle.output))?;
    }
    t.check(last, (golden.state, oracle.state))
}

fn sequential(t: &mut Trial<'_>) -> Outcome {
    let s = one_kind_of_heads(t, t.dim("T"));
    let k = unit_rows(t, "k", s, s.key_size)?;
    let v = t.input("v", tokens(s, s.value_heads, s.value_size), Normal(1.0))?;
    let beta = strengths(t, s)?;
    // The notebook's gate: sigmoid(x + 2).
    let raw = t.draw("gate noise", scalars(s), Normal(1.0));
    let factors = t
        .values(raw)
        .iter()
        .map(|x| 1.0 / (1.0 + (-x - 2.0).exp()))
        .collect();
    let g = t.upload("g", scalars(s), factors)?;
    let axes = states(s, StateLayout::KeyMajor);
    let initial = if t.word(STATE.0) == "random" {
        t.input("initial", axes, Normal(0.1))?
    } else {
        t.draw("initial", axes, Normal(0.0))
    };
    launch_sequential(t, s, [k, v, beta, g, initial])
}

fn error_correction(t: &mut Trial<'_>) -> Outcome {
    let s = one_kind_of_heads(t, 2);
    let one = Sizes { tokens: 1, ..s };
    let twice = |values: &[f32], width: usize| -> Vec<f32> {
        let rows = values.chunks_exact(width);
        rows.flat_map(|row| [row, row].concat()).collect()
    };
    let raw = t.draw("pair k", tokens(one, s.key_heads, s.key_size), Normal(1.0));
    let keys = unit(t.values(raw), s.key_size);
    let raw = t.draw(
        "pair v",
        tokens(one, s.value_heads, s.value_size),
        Normal(1.0),
    );
    let values = twice(t.values(raw), s.value_heads * s.value_size);
    let keys = twice(&keys, s.key_heads * s.key_size);
    let ones = vec![1.0; s.sequences * 2 * s.value_heads];
    let k = t.upload("k", tokens(s, s.key_heads, s.key_size), keys)?;
    let v = t.upload("v", tokens(s, s.value_heads, s.value_size), values)?;
    let beta = t.upload("beta", scalars(s), ones.clone())?;
    let g = t.upload("g", scalars(s), ones)?;
    let initial = t.draw("initial", states(s, StateLayout::KeyMajor), Normal(0.0));
    launch_sequential(t, s, [k, v, beta, g, initial])
}

/// llama.cpp's own inputs. Its metric is the square of the relative RMS error, and its limit 1e-7: ours is far below.
fn ggml(t: &mut Trial<'_>) -> Outcome {
    let per_key = t.word("gate") == "key";
    let s = Sizes {
        sequences: t.dim("N"),
        tokens: t.dim("T"),
        key_heads: t.dim("Hk"),
        value_heads: t.dim("H"),
        key_size: t.dim("S"),
        value_size: t.dim("S"),
        gate_kind: if per_key {
            GateKind::PerKeyChannel
        } else {
            GateKind::PerHead
        },
    };
    let snapshots = t.dim("snapshots");
    let q = unit_rows(t, "q", s, s.key_size)?;
    let k = unit_rows(t, "k", s, s.key_size)?;
    let v = t.input(
        "v",
        tokens(s, s.value_heads, s.value_size),
        Uniform(-0.3, 5.0),
    )?;
    let gates = tokens(s, s.value_heads, if per_key { s.key_size } else { 1 });
    let g = t.input("g", gates, Uniform(-20.0, -1e-4))?;
    let beta = t.input("beta", scalars(s), Uniform(0.0, 1.0))?;
    let state = t.input(
        "state",
        states(s, StateLayout::ValueMajor),
        Uniform(-1.0, 1.0),
    )?;
    let length = ggml_output_len(s, snapshots);
    let before = t.draw("dst before", elements(length), Normal(1.0));
    let dst = t.update("dst", elements(length), t.values(before).to_vec())?;
    let args = [
        q.read(),
        k.read(),
        v.read(),
        g.read(),
        beta.read(),
        state.read(),
        dst.write(),
        int(s.key_size),
        int(s.key_heads),
        int(s.value_heads),
        int(s.tokens),
        int(s.sequences),
        int(i32::from(per_key)),
        int(snapshots),
    ];
    let grid = Grid::of([s.value_heads, s.sequences, 1], s.key_size);
    t.launch("ggml_gated_delta_net_f32", grid, &args)?;
    let references = references!(t, |q, k, v, g, beta, state, before| {
        let mut buffer = before.to_vec();
        let inputs = Inputs {
            q,
            k,
            v,
            g,
            beta,
            state,
        };
        ggml_gated_delta_net(s, inputs, snapshots, &mut buffer);
        buffer
    });
    t.check(dst, references)
}
