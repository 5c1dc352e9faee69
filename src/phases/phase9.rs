//! Phase 9: the gated delta rule's building blocks, each kernel alone on what the reference computed before it.

use deltanet_reference::operators;
use deltanet_reference::rule::chunk::{self, Inverse};
use deltanet_reference::rule::{Convention, Gate, Norm, producers};

use super::Function;
use super::gdn::{
    GATES, LAYOUT, MAP, Problem, STATE, chunk_grid, default_scale, head_map, layout, layout_arg,
    map_arg, problem, scalars, states, tokens,
};
use crate::references;
use crate::tensor::Distribution::{Normal, Uniform};
use crate::trial::{
    Arg, Buffer, Grid, Mistake, Outcome, Trial, axes, elements, float, int, line, table,
};

/// Dimensions of a step of the chunk pipeline.
const CHUNK_DIMS: &[&str] = &["B", "T", "H", "HV", "K", "V", "C"];
/// The tensors whose size counts.
const LARGEST: &[&[&str]] = &[
    &["B", "T", "HV", "K"],
    &["B", "T", "HV", "V"],
    &["B", "T", "HV", "C"],
    &["B", "HV", "K", "V"],
];

/// The functions of phase 9.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "gdn_gate",
        title: "-e^A_log softplus(a + dt_bias)",
        kernels: &["gdn_gate_f32"],
        dims: &["T", "HV"],
        integers: &[],
        words: &[],
        outputs: &["g"],
        largest: &[&["T", "HV"]],
        run: gate,
    },
    Function {
        name: "gdn_beta",
        title: "sigmoid(b)",
        kernels: &["gdn_beta_f32"],
        dims: &["n"],
        integers: &[],
        words: &[],
        outputs: &["beta"],
        largest: &[&["n"]],
        run: beta,
    },
    Function {
        name: "gdn_l2norm",
        title: "rows by their L2 norm",
        kernels: &["gdn_l2norm_f32"],
        dims: &["rows", "D"],
        integers: &[],
        words: &[("form", &["root", "max"]), ("size", &["usual", "tiny"])],
        outputs: &["y"],
        largest: &[&["rows", "D"]],
        run: l2norm,
    },
    Function {
        name: "gdn_chunk_cumsum",
        title: "log gates summed within chunks",
        kernels: &["gdn_chunk_cumsum_f32"],
        dims: CHUNK_DIMS,
        integers: &[],
        words: &[GATES],
        outputs: &["G"],
        largest: LARGEST,
        run: cumsum,
    },
    Function {
        name: "gdn_chunk_l",
        title: "beta_i <k_i, k_j> e^(G_i - G_j) below the diagonal",
        kernels: &["gdn_chunk_l_f32"],
        dims: CHUNK_DIMS,
        integers: &[],
        words: &[GATES, MAP],
        outputs: &["L"],
        largest: LARGEST,
        run: l,
    },
    Function {
        name: "gdn_chunk_solve",
        title: "(I + L)^-1",
        kernels: &["gdn_chunk_solve_f32"],
        dims: CHUNK_DIMS,
        integers: &[],
        words: &[GATES],
        outputs: &["Ai"],
        largest: LARGEST,
        run: solve,
    },
    Function {
        name: "gdn_chunk_uw",
        title: "u and w",
        kernels: &["gdn_chunk_uw_f32"],
        dims: CHUNK_DIMS,
        integers: &[],
        words: &[GATES, MAP],
        outputs: &["u", "w"],
        largest: LARGEST,
        run: uw,
    },
    Function {
        name: "gdn_chunk_states",
        title: "the states before chunks, corrected values, the last state",
        kernels: &["gdn_chunk_states_f32"],
        dims: CHUNK_DIMS,
        integers: &[],
        words: &[GATES, MAP, STATE, LAYOUT],
        outputs: &["h", "vn", "final"],
        largest: LARGEST,
        run: chunk_states,
    },
    Function {
        name: "gdn_chunk_outputs",
        title: "outputs of chunks",
        kernels: &["gdn_chunk_outputs_f32"],
        dims: CHUNK_DIMS,
        integers: &[],
        words: &[GATES, MAP, STATE],
        outputs: &["o"],
        largest: LARGEST,
        run: outputs,
    },
];

fn gate(t: &mut Trial<'_>) -> Outcome {
    let (n, heads) = (t.dim("T"), t.dim("HV"));
    let shape = || axes([("token", n), ("head", heads)]);
    // Both sides of softplus's threshold of 20 are reached.
    let a = t.input("a", shape(), Normal(12.0))?;
    let a_log = t.input("A_log", axes([("head", heads)]), Uniform(-4.0, 2.75))?;
    let dt_bias = t.input("dt_bias", axes([("head", heads)]), Uniform(0.5, 1.5))?;
    let g = t.output("g", shape())?;
    let count = n * heads;
    t.launch(
        "gdn_gate_f32",
        line(count),
        &[
            a.read(),
            a_log.read(),
            dt_bias.read(),
            g.write(),
            int(count),
            int(heads),
        ],
    )?;
    let references = references!(t, |a, a_log, dt_bias| producers::log_gates(
        a, a_log, dt_bias
    ));
    t.check(g, references)
}

fn beta(t: &mut Trial<'_>) -> Outcome {
    let n = t.dim("n");
    let b = t.input("b", elements(n), Normal(4.0))?;
    let beta = t.output("beta", elements(n))?;
    t.launch("gdn_beta_f32", line(n), &[b.read(), beta.write(), int(n)])?;
    let references = references!(t, |b| operators::sigmoid(b));
    t.check(beta, references)
}

fn l2norm(t: &mut Trial<'_>) -> Outcome {
    let (rows, d) = (t.dim("rows"), t.dim("D"));
    let deviation = if t.word("size") == "tiny" { 1e-4 } else { 1.0 };
    let x = t.input("x", table(rows, d), Normal(deviation))?;
    let y = t.output("y", table(rows, d))?;
    let root = t.word("form") == "root";
    // Epsilons of the size of tiny rows' norms, so that the form shows.
    let eps = if root { 1e-6f32 } else { 1e-3 };
    let args = [
        x.read(),
        y.write(),
        int(rows),
        int(d),
        float(eps),
        int(i32::from(!root)),
    ];
    t.launch("gdn_l2norm_f32", Grid::of([rows, 1, 1], 64), &args)?;
    let norm = if root {
        Norm::RootOfSumPlus
    } else {
        Norm::MaxWith
    }(eps.into());
    let references = references!(t, |x| norm.rows(x, d));
    t.check(y, references)
}

/// A problem in chunks, and what the reference computes up to a step.
struct Chunks {
    p: Problem,
    c: usize,
    count: usize,
}

impl Chunks {
    fn new(t: &mut Trial<'_>) -> Outcome<Chunks> {
        let convention = Convention {
            head_map: head_map(t),
            state: layout(t),
            ..Convention::FLA
        };
        let p = problem(t, convention)?;
        let c = t.dim("C");
        let count = p.sizes.tokens.div_ceil(c);
        Ok(Chunks { p, c, count })
    }

    fn rows(&self, width: usize) -> Vec<crate::verdict::Axis> {
        tokens(self.p.sizes, self.p.sizes.value_heads, width)
    }

    fn grid(&self, items: usize) -> Grid {
        chunk_grid(self.p.sizes, self.count, items)
    }

    fn length(&self) -> Arg {
        int(self.c)
    }

    fn map(&self) -> Arg {
        map_arg(self.p.convention.head_map)
    }

    fn cumsum(&self, t: &mut Trial<'_>) -> Outcome<Buffer> {
        let sums = chunk::cumsum(self.p.sizes, self.c, Gate::Log, t.values(self.p.g));
        t.upload("G", scalars(self.p.sizes), sums)
    }

    fn l(&self, t: &mut Trial<'_>, sums: Buffer) -> Vec<f32> {
        let map = self.p.convention.head_map;
        let (k, beta) = (t.values(self.p.k), t.values(self.p.beta));
        chunk::l(self.p.sizes, self.c, map, k, beta, t.values(sums))
    }

    fn inverse(&self, t: &mut Trial<'_>, sums: Buffer) -> Outcome<Buffer> {
        let l = self.l(t, sums);
        let inverse = chunk::inverse(self.p.sizes, self.c, &l, Inverse::ForwardSubstitution);
        t.upload("Ai", self.rows(self.c), inverse)
    }

    fn uw(&self, t: &mut Trial<'_>, sums: Buffer, inverse: Buffer) -> Outcome<[Buffer; 2]> {
        let Problem {
            sizes,
            k,
            v,
            beta,
            convention,
            ..
        } = self.p;
        let [k, v, beta, sums, inverse] = [k, v, beta, sums, inverse].map(|b| t.values(b));
        let uw = chunk::uw(
            sizes,
            self.c,
            convention.head_map,
            k,
            v,
            beta,
            sums,
            inverse,
        );
        let u = t.upload("u", self.rows(sizes.value_size), uw.u)?;
        Ok([u, t.upload("w", self.rows(sizes.key_size), uw.w)?])
    }

    fn state_axes(&self) -> Vec<crate::verdict::Axis> {
        let s = self.p.sizes;
        axes([
            ("sequence", s.sequences),
            ("chunk", self.count),
            ("head", s.value_heads),
            ("key channel", s.key_size),
            ("value channel", s.value_size),
        ])
    }
}

fn cumsum(t: &mut Trial<'_>) -> Outcome {
    let x = Chunks::new(t)?;
    let s = x.p.sizes;
    let sums = t.output("G", scalars(s))?;
    let [b, n, _, hv, ..] = x.p.sizes();
    let args = [x.p.g.read(), sums.write(), b, n, hv, x.length(), int(0)];
    t.launch("gdn_chunk_cumsum_f32", x.grid(64), &args)?;
    let g = x.p.g;
    let references = references!(t, |g| chunk::cumsum(s, x.c, Gate::Log, g));
    t.check(sums, references)
}

fn l(t: &mut Trial<'_>) -> Outcome {
    let x = Chunks::new(t)?;
    let sums = x.cumsum(t)?;
    let l = t.output("L", x.rows(x.c))?;
    let [b, n, h, hv, key, _] = x.p.sizes();
    let Problem {
        sizes,
        k,
        beta,
        convention,
        ..
    } = x.p;
    let args = [
        k.read(),
        beta.read(),
        sums.read(),
        l.write(),
        b,
        n,
        h,
        hv,
        key,
        x.length(),
        x.map(),
    ];
    t.launch("gdn_chunk_l_f32", x.grid(256), &args)?;
    let references = references!(t, |k, beta, sums| {
        chunk::l(sizes, x.c, convention.head_map, k, beta, sums)
    });
    t.check(l, references)
}

fn solve(t: &mut Trial<'_>) -> Outcome {
    let x = Chunks::new(t)?;
    let sums = x.cumsum(t)?;
    let values = x.l(t, sums);
    let l = t.upload("L", x.rows(x.c), values)?;
    let inverse = t.output("Ai", x.rows(x.c))?;
    let [b, n, _, hv, ..] = x.p.sizes();
    let args = [l.read(), inverse.write(), b, n, hv, x.length()];
    t.launch("gdn_chunk_solve_f32", x.grid(64), &args)?;
    let references = references!(t, |l| {
        chunk::inverse(x.p.sizes, x.c, l, Inverse::ForwardSubstitution)
    });
    let diagonal = |name, explanation, change: f64| {
        let (right, sizes, c) = (references.1.clone(), x.p.sizes, x.c);
        let values = move || {
            let on_diagonal = |at: usize| at / c / sizes.value_heads % sizes.tokens % c == at % c;
            let element =
                |(at, want): (usize, &f64)| *want + if on_diagonal(at) { change } else { 0.0 };
            right.iter().enumerate().map(element).collect()
        };
        Mistake {
            name,
            explanation,
            values: Box::new(values),
        }
    };
    let mistakes = vec![
        diagonal(
            "identity-missing",
            "the identity is missing: the diagonal is 1 too low",
            -1.0,
        ),
        diagonal(
            "identity-twice",
            "the identity was added to a diagonal that still held it: the diagonal is 1 too high",
            1.0,
        ),
    ];
    t.check_or(inverse, references, mistakes)
}

fn uw(t: &mut Trial<'_>) -> Outcome {
    let x = Chunks::new(t)?;
    let sums = x.cumsum(t)?;
    let inverse = x.inverse(t, sums)?;
    let Problem {
        sizes,
        k,
        v,
        beta,
        convention,
        ..
    } = x.p;
    let u = t.output("u", x.rows(sizes.value_size))?;
    let w = t.output("w", x.rows(sizes.key_size))?;
    let [b, n, h, hv, key, value] = x.p.sizes();
    let args = [
        k.read(),
        v.read(),
        beta.read(),
        sums.read(),
        inverse.read(),
        u.write(),
        w.write(),
        b,
        n,
        h,
        hv,
        key,
        value,
        x.length(),
        x.map(),
    ];
    t.launch("gdn_chunk_uw_f32", x.grid(256), &args)?;
    let (golden, oracle) = references!(t, |k, v, beta, sums, inverse| {
        chunk::uw(sizes, x.c, convention.head_map, k, v, beta, sums, inverse)
    });
    t.check(u, (golden.u, oracle.u))?;
    t.check(w, (golden.w, oracle.w))
}

fn chunk_states(t: &mut Trial<'_>) -> Outcome {
    let x = Chunks::new(t)?;
    let sums = x.cumsum(t)?;
    let inverse = x.inverse(t, sums)?;
    let [u, w] = x.uw(t, sums, inverse)?;
    let Problem {
        sizes,
        k,
        initial,
        convention,
        ..
    } = x.p;
    let h = t.output("h", x.state_axes())?;
    let vn = t.output("vn", x.rows(sizes.value_size))?;
    let last = t.output("final", states(sizes, convention.state))?;
    let [b, n, heads, hv, key, value] = x.p.sizes();
    let args = [
        k.read(),
        u.read(),
        w.read(),
        sums.read(),
        x.p.initial(),
        h.write(),
        vn.write(),
        last.write(),
        b,
        n,
        heads,
        hv,
        key,
        value,
        x.length(),
        x.map(),
        layout_arg(convention.state),
    ];
    let grid = Grid::of([sizes.value_heads, sizes.sequences, 1], sizes.value_size);
    t.launch("gdn_chunk_states_f32", grid, &args)?;
    let (golden, oracle) = references!(t, |k, u, w, sums, initial| {
        let uw = chunk::Uw {
            u: u.to_vec(),
            w: w.to_vec(),
        };
        chunk::states(
            sizes,
            x.c,
            convention.head_map,
            convention.state,
            k,
            &uw,
            sums,
            initial,
        )
    });
    t.check(h, (golden.h, oracle.h))?;
    t.check(vn, (golden.vn, oracle.vn))?;
    t.check(last, (golden.last, oracle.last))
}

fn outputs(t: &mut Trial<'_>) -> Outcome {
    let x = Chunks::new(t)?;
    let sums = x.cumsum(t)?;
    let inverse = x.inverse(t, sums)?;
    let [u, w] = x.uw(t, sums, inverse)?;
    let Problem {
        sizes,
        q,
        k,
        initial,
        convention,
        ..
    } = x.p;
    let uw = chunk::Uw {
        u: t.values(u).to_vec(),
        w: t.values(w).to_vec(),
    };
    let (k_values, sum_values) = (t.values(k), t.values(sums));
    let found = chunk::states(
        sizes,
        x.c,
        convention.head_map,
        convention.state,
        k_values,
        &uw,
        sum_values,
        t.values(initial),
    );
    let h = t.upload("h", x.state_axes(), found.h)?;
    let vn = t.upload("vn", x.rows(sizes.value_size), found.vn)?;
    let o = t.output("o", x.rows(sizes.value_size))?;
    let [b, n, heads, hv, key, value] = x.p.sizes();
    let scale = default_scale(sizes);
    let args = [
        q.read(),
        k.read(),
        vn.read(),
        sums.read(),
        h.read(),
        o.write(),
        b,
        n,
        heads,
        hv,
        key,
        value,
        x.length(),
        float(scale),
        x.map(),
    ];
    t.launch("gdn_chunk_outputs_f32", x.grid(256), &args)?;
    let (golden, oracle) = references!(t, |q, k, vn, sums, h| {
        let scale = convention.scale.factor(sizes.key_size);
        chunk::outputs(sizes, x.c, convention.head_map, scale, q, k, vn, sums, h)
    });
    t.check(o, (golden, oracle))
}
