//! The chunk pipeline step by step.

use deltanet_reference::Real;
use deltanet_reference::rule::Convention;
use deltanet_reference::rule::chunk::{self, Inverse, States};

use crate::contract::catalog::rule::problem::chunk_gates::GatedChunks;
use crate::contract::catalog::rule::problem::{
    Chunks, Problem, gate_kind, head_map, layout, scalars, states,
};
use crate::contract::{Buffer, DeviceResult, Instance, Mistake};
use crate::references;
use crate::tensor::{Data, ElementKind};

fn chunks(t: &mut Instance<'_>) -> DeviceResult<Chunks> {
    let convention = Convention {
        head_map: head_map(t),
        state: layout(t),
        gate: gate_kind(t),
        ..Convention::FLA
    };
    Chunks::new(t, convention)
}

/// Returns the chunks of a case, for mistakes in their gates.
fn gated(x: &Chunks) -> GatedChunks {
    GatedChunks::of_equal(x.p.sizes, x.p.convention.head_map, x.c)
}

// Inputs that are results of earlier steps come from the reference.

fn given_sums(x: &Chunks, t: &mut Instance<'_>) -> DeviceResult<Buffer> {
    let sums = chunk::cumsum(x.p.sizes, x.c, x.p.convention.gate, t.values(x.p.g));
    t.upload("G", scalars(x.p.sizes), Data::f64(sums))
}

fn l_values(x: &Chunks, t: &Instance<'_>, sums: Buffer) -> Vec<f32> {
    let map = x.p.convention.head_map;
    let (k, beta) = (t.values(x.p.k), t.values(x.p.beta));
    chunk::l(x.p.sizes, x.c, map, k, beta, t.doubles(sums))
}

fn given_inverse(x: &Chunks, t: &mut Instance<'_>, sums: Buffer) -> DeviceResult<Buffer> {
    let l = l_values(x, t, sums);
    let inverse = chunk::inverse(x.p.sizes, x.c, &l, Inverse::ForwardSubstitution);
    t.upload("Ai", x.rows(x.c), inverse)
}

fn given_uw(
    x: &Chunks,
    t: &mut Instance<'_>,
    sums: Buffer,
    inverse: Buffer,
) -> DeviceResult<[Buffer; 2]> {
    let Problem {
        sizes,
        k,
        v,
        beta,
        convention,
        ..
    } = x.p;
    let [k, v, beta, inverse] = [k, v, beta, inverse].map(|b| t.values(b));
    let sums = t.doubles(sums);
    let uw = chunk::uw(sizes, x.c, convention.head_map, k, v, beta, sums, inverse);
    let u = t.upload("u", x.rows(sizes.value_size), uw.u)?;
    Ok([u, t.upload("w", x.rows(sizes.key_size), uw.w)?])
}

/// Computes the states of a case from k, u, w, the sums G and the initial state.
fn states_of<R: Real>(
    x: &Chunks,
    k: &[R],
    [u, w]: [&[R]; 2],
    sums: &[f64],
    initial: &[R],
) -> States<R> {
    let Problem {
        sizes, convention, ..
    } = x.p;
    let (u, w) = (u.to_vec(), w.to_vec());
    chunk::states(
        sizes,
        x.c,
        convention.head_map,
        convention.state,
        k,
        &chunk::Uw { u, w },
        sums,
        initial,
    )
}

pub fn cumsum(t: &mut Instance<'_>) -> DeviceResult {
    let x = chunks(t)?;
    let s = x.p.sizes;
    let sums = t.output_as(ElementKind::F64, "G", scalars(s))?;
    let g = x.p.g;
    let (golden, oracle) = references!(t, |g| chunk::cumsum(s, x.c, x.p.convention.gate, g));
    t.check(sums, (Data::f64(golden), oracle))
}

pub fn l(t: &mut Instance<'_>) -> DeviceResult {
    let x = chunks(t)?;
    let sums = given_sums(&x, t)?;
    let l = t.output("L", x.rows(x.c))?;
    let Problem {
        sizes,
        k,
        beta,
        convention,
        ..
    } = x.p;
    let references = references!(t, |k, beta; sums| {
        chunk::l(sizes, x.c, convention.head_map, k, beta, sums)
    });
    let mistakes = gated(&x).of_l(t, "L", [k, beta, sums]);
    t.check_or(l, references, mistakes)
}

pub fn solve(t: &mut Instance<'_>) -> DeviceResult {
    let x = chunks(t)?;
    let sums = given_sums(&x, t)?;
    let values = l_values(&x, t, sums);
    let l = t.upload("L", x.rows(x.c), values)?;
    let inverse = t.output("Ai", x.rows(x.c))?;
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
        Mistake::new(name, explanation, values)
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

pub fn uw(t: &mut Instance<'_>) -> DeviceResult {
    let x = chunks(t)?;
    let sums = given_sums(&x, t)?;
    let inverse = given_inverse(&x, t, sums)?;
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
    let (golden, oracle) = references!(t, |k, v, beta, inverse; sums| {
        chunk::uw(sizes, x.c, convention.head_map, k, v, beta, sums, inverse)
    });
    t.check(u, (golden.u, oracle.u))?;
    let mistakes = gated(&x).of_w(t, [k, v, beta, inverse, sums]);
    t.check_or(w, (golden.w, oracle.w), mistakes)
}

pub fn chunk_states(t: &mut Instance<'_>) -> DeviceResult {
    let x = chunks(t)?;
    let sums = given_sums(&x, t)?;
    let inverse = given_inverse(&x, t, sums)?;
    let [u, w] = given_uw(&x, t, sums, inverse)?;
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
    t.outputs(&[h, vn, last])?;
    let (golden, oracle) = references!(t, |k, u, w, initial; sums| {
        states_of(&x, k, [u, w], sums, initial)
    });
    let start = (t.wide(initial), convention.state);
    let [in_h, in_vn, in_last] = gated(&x).of_states(t, [k, u, w, sums], start);
    t.check_or(h, (golden.h, oracle.h), in_h)?;
    t.check_or(vn, (golden.vn, oracle.vn), in_vn)?;
    t.check_or(last, (golden.last, oracle.last), in_last)
}

pub fn outputs(t: &mut Instance<'_>) -> DeviceResult {
    let x = chunks(t)?;
    let sums = given_sums(&x, t)?;
    let inverse = given_inverse(&x, t, sums)?;
    let [u, w] = given_uw(&x, t, sums, inverse)?;
    let Problem {
        sizes,
        q,
        k,
        initial,
        convention,
        ..
    } = x.p;
    let [k_values, u, w, initial] = [k, u, w, initial].map(|b| t.values(b));
    let found = states_of(&x, k_values, [u, w], t.doubles(sums), initial);
    let h = t.upload("h", x.state_axes(), found.h)?;
    let vn = t.upload("vn", x.rows(sizes.value_size), found.vn)?;
    let o = t.output("o", x.rows(sizes.value_size))?;
    let (golden, oracle) = references!(t, |q, k, vn, h; sums| {
        let scale = convention.scale.factor(sizes.key_size);
        chunk::outputs(sizes, x.c, convention.head_map, scale, q, k, vn, sums, h)
    });
    let scale = convention.scale.factor(sizes.key_size);
    let mistakes = gated(&x).of_outputs(t, [q, k, vn, h, sums], scale);
    t.check_or(o, (golden, oracle), mistakes)
}
