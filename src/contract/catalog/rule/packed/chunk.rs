//! The steps of the chunk pipeline over packed sequences. Inputs that are results of earlier steps come from the reference.

use deltanet_reference::Real;
use deltanet_reference::rule::chunk::Uw;

use super::START;
use super::call::{Choices, Tensors, integers};
use crate::contract::catalog::rule::problem::chunk_gates::GatedChunks;
use crate::contract::catalog::rule::problem::log_gate_axes;
use crate::contract::{Buffer, DeviceResult, Instance, axes};
use crate::references;
use crate::tensor::{Data, ElementKind};

/// A case of a step.
struct Step {
    by: Choices,
    x: Tensors<Buffer>,
    c: usize,
}

/// Hands the kernels sequence and place of each chunk, and the chunks before each sequence.
pub fn places(t: &mut Instance<'_>, by: &Choices) -> DeviceResult {
    let indices = by.chunks(t.dim("C")).indices();
    let before = |n: usize| indices.iter().filter(|[sequence, _]| *sequence < n).count();
    let offsets: Vec<usize> = (0..by.bounds.len()).map(before).collect();
    let shape = axes([("chunk", indices.len()), ("sequence, place", 2)]);
    integers(t, "chunk_indices", shape, &indices.concat())?;
    integers(
        t,
        "chunk_offsets",
        axes([("sequence", offsets.len())]),
        &offsets,
    )?;
    Ok(())
}

impl Step {
    fn new(t: &mut Instance<'_>) -> DeviceResult<Step> {
        let by = Choices::new(t);
        places(t, &by)?;
        let states = by.states("sequence", by.starts.len());
        let initial = match t.chosen(START.0) {
            Some(_) => by.initial(t)?,
            None => t.draw("initial", states, crate::tensor::Distribution::Normal(0.0)),
        };
        let x = by.draw(t, initial)?;
        let c = t.dim("C");
        Ok(Step { by, x, c })
    }

    /// Returns the chunks, for mistakes in their gates.
    fn gated(&self) -> GatedChunks {
        GatedChunks {
            bounds: self.by.bounds.clone(),
            sizes: self.by.sizes,
            head_map: self.by.head_map,
            chunk: self.c,
        }
    }

    /// Returns G as an input.
    fn sums(&self, t: &mut Instance<'_>) -> DeviceResult<Buffer> {
        let sums = self.by.chunks(self.c).cumsum(t.values(self.x.g));
        t.upload("G", log_gate_axes(self.by.sizes), Data::f64(sums))
    }

    /// Returns the values of L in f32.
    fn l(&self, t: &Instance<'_>, sums: Buffer) -> Vec<f32> {
        if !t.computes() {
            return vec![0.0; self.by.sizes.tokens * self.by.sizes.value_heads * self.c];
        }
        let (k, beta) = (t.values(self.x.k), t.values(self.x.beta));
        self.by.chunks(self.c).l(k, beta, t.doubles(sums))
    }

    /// Returns Ai as an input.
    fn inverse(&self, t: &mut Instance<'_>, sums: Buffer) -> DeviceResult<Buffer> {
        let l = self.l(t, sums);
        let inverse = match t.computes() {
            true => self.by.chunks(self.c).inverse(&l),
            false => l,
        };
        t.upload("Ai", self.by.rows(self.c), inverse)
    }

    /// Returns u and w in f32.
    fn uw(&self, t: &Instance<'_>, sums: Buffer) -> Uw<f32> {
        if !t.computes() {
            let rows = self.by.sizes.tokens * self.by.sizes.value_heads;
            return Uw {
                u: vec![0.0; rows * self.by.sizes.value_size],
                w: vec![0.0; rows * self.by.sizes.key_size],
            };
        }
        let chunks = self.by.chunks(self.c);
        let inverse = chunks.inverse(&self.l(t, sums));
        let [k, v, beta] = [self.x.k, self.x.v, self.x.beta].map(|buffer| t.values(buffer));
        chunks.uw((k, v, beta), t.doubles(sums), &inverse)
    }

    /// Returns h, vn and A in f32.
    fn before_outputs(&self, t: &Instance<'_>, sums: Buffer) -> [Vec<f32>; 3] {
        let (s, chunks) = (self.by.sizes, self.by.chunks(self.c));
        if !t.computes() {
            let rows = s.tokens * s.value_heads;
            let states = chunks.indices().len() * self.by.line();
            return [states, rows * s.value_size, rows * self.c].map(|count| vec![0.0; count]);
        }
        let made = self.uw(t, sums);
        let initial = self.started(t.values(self.x.states));
        let (q, k, sums) = (t.values(self.x.q), t.values(self.x.k), t.doubles(sums));
        let found = chunks.states(k, &made, sums, (&initial, self.by.state));
        let a = chunks.attention(q, k, sums, self.by.scale as f32);
        [found.h, found.vn, a]
    }

    /// Returns the states before the sequences, with zeros where a sequence has none.
    fn started<R: Real>(&self, initial: &[R]) -> Vec<R> {
        let lines = initial.chunks_exact(self.by.line()).zip(&self.by.starts);
        lines
            .flat_map(|(line, start)| match start {
                Some(_) => line.to_vec(),
                None => vec![R::ZERO; line.len()],
            })
            .collect()
    }
}

pub fn cumsum(t: &mut Instance<'_>) -> DeviceResult {
    let step = Step::new(t)?;
    let out = t.output_as(ElementKind::F64, "G", log_gate_axes(step.by.sizes))?;
    t.outputs(&[out])?;
    let g = step.x.g;
    let (golden, oracle) = references!(t, |g| step.by.chunks(step.c).cumsum(g));
    t.check(out, (Data::f64(golden), oracle))
}

pub fn l(t: &mut Instance<'_>) -> DeviceResult {
    let step = Step::new(t)?;
    let sums = step.sums(t)?;
    let out = t.output("L", step.by.rows(step.c))?;
    t.outputs(&[out])?;
    let (k, beta) = (step.x.k, step.x.beta);
    let references = references!(t, |k, beta; sums| step.by.chunks(step.c).l(k, beta, sums));
    let mistakes = step.gated().of_l(t, "L", [k, beta, sums]);
    t.check_or(out, references, mistakes)
}

pub fn solve(t: &mut Instance<'_>) -> DeviceResult {
    let step = Step::new(t)?;
    let sums = step.sums(t)?;
    let values = step.l(t, sums);
    let l = t.upload("L", step.by.rows(step.c), values)?;
    let out = t.output("Ai", step.by.rows(step.c))?;
    t.outputs(&[out])?;
    let references = references!(t, |l| step.by.chunks(step.c).inverse(l));
    t.check(out, references)
}

pub fn uw(t: &mut Instance<'_>) -> DeviceResult {
    let step = Step::new(t)?;
    let sums = step.sums(t)?;
    let inverse = step.inverse(t, sums)?;
    let s = step.by.sizes;
    let u = t.output("u", step.by.rows(s.value_size))?;
    let w = t.output("w", step.by.rows(s.key_size))?;
    t.outputs(&[u, w])?;
    let (k, v, beta) = (step.x.k, step.x.v, step.x.beta);
    let (golden, oracle) = references!(t, |k, v, beta, inverse; sums| {
        step.by.chunks(step.c).uw((k, v, beta), sums, inverse)
    });
    t.check(u, (golden.u, oracle.u))?;
    let mistakes = step.gated().of_w(t, [k, v, beta, inverse, sums]);
    t.check_or(w, (golden.w, oracle.w), mistakes)
}

/// Returns the axes of `[chunks, HV, K, V]`.
fn chunk_states(step: &Step) -> Vec<crate::tensor::Axis> {
    let count = step.by.chunks(step.c).indices().len();
    axes([
        ("chunk", count),
        ("head", step.by.sizes.value_heads),
        ("key channel", step.by.sizes.key_size),
        ("value channel", step.by.sizes.value_size),
    ])
}

pub fn states(t: &mut Instance<'_>) -> DeviceResult {
    let step = Step::new(t)?;
    let sums = step.sums(t)?;
    let made = step.uw(t, sums);
    let s = step.by.sizes;
    let u = t.upload("u", step.by.rows(s.value_size), made.u)?;
    let w = t.upload("w", step.by.rows(s.key_size), made.w)?;
    let h = t.output("h", chunk_states(&step))?;
    let vn = t.output("vn", step.by.rows(s.value_size))?;
    let last = t.output("final", step.by.states("sequence", step.by.starts.len()))?;
    t.outputs(&[h, vn, last])?;
    let (k, initial) = (step.x.k, step.x.states);
    let (golden, oracle) = references!(t, |k, u, w, initial; sums| {
        let uw = Uw { u: u.to_vec(), w: w.to_vec() };
        let initial = step.started(initial);
        step.by.chunks(step.c).states(k, &uw, sums, (&initial, step.by.state))
    });
    let start = (step.started(&t.wide(initial)), step.by.state);
    let [in_h, in_vn, in_last] = step.gated().of_states(t, [k, u, w, sums], start);
    t.check_or(h, (golden.h, oracle.h), in_h)?;
    t.check_or(vn, (golden.vn, oracle.vn), in_vn)?;
    t.check_or(last, (golden.last, oracle.last), in_last)
}

pub fn attention(t: &mut Instance<'_>) -> DeviceResult {
    let step = Step::new(t)?;
    let sums = step.sums(t)?;
    let out = t.output("A", step.by.rows(step.c))?;
    t.outputs(&[out])?;
    let (q, k) = (step.x.q, step.x.k);
    let references = references!(t, |q, k; sums| {
        let scale = Real::from_f64(step.by.scale);
        step.by.chunks(step.c).attention(q, k, sums, scale)
    });
    let gated = step.gated();
    let mistakes = gated.of_attention(t, [q, k, sums], step.by.scale);
    t.check_or(out, references, mistakes)
}

pub fn outputs(t: &mut Instance<'_>) -> DeviceResult {
    let step = Step::new(t)?;
    let sums = step.sums(t)?;
    let s = step.by.sizes;
    let [h, vn, a] = step.before_outputs(t, sums);
    let h = t.upload("h", chunk_states(&step), h)?;
    let vn = t.upload("vn", step.by.rows(s.value_size), vn)?;
    let a = t.alternative("A", step.by.rows(step.c), a)?;
    let out = t.output("o", step.by.rows(s.value_size))?;
    t.outputs(&[out])?;
    let (q, k) = (step.x.q, step.x.k);
    let chunks = step.by.chunks(step.c);
    let references = match a {
        Some(a) => references!(t, |q, vn, h, a; sums| {
            let scale = Real::from_f64(step.by.scale);
            chunks.outputs(q, (a, vn), sums, h, scale)
        }),
        None => references!(t, |q, k, vn, h; sums| {
            let scale = Real::from_f64(step.by.scale);
            let attention = chunks.attention(q, k, sums, scale);
            chunks.outputs(q, (&attention, vn), sums, h, scale)
        }),
    };
    let gated = step.gated();
    let mistakes = gated.of_outputs(t, [q, k, vn, h, sums], step.by.scale);
    t.check_or(out, references, mistakes)
}
