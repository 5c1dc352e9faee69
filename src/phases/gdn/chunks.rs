//! The chunk pipeline's launches, each as the kernels' README lists its arguments: phase 9 makes them one by one, phase 10
//! all in a row.

use deltanet_reference::rule::Convention;

use super::{Problem, layout_arg, map_arg, problem, tokens};
use crate::trial::{Arg, Buffer, Grid, Outcome, Trial, axes, float, int};
use crate::verdict::Axis;

/// A problem whose tokens are taken in chunks.
pub struct Chunks {
    /// The problem.
    pub p: Problem,
    /// Tokens of a chunk.
    pub c: usize,
    /// Chunks of a sequence.
    pub count: usize,
}

impl Chunks {
    /// All inputs of a case.
    pub fn new(t: &mut Trial<'_>, convention: Convention) -> Outcome<Chunks> {
        let p = problem(t, convention)?;
        let c = t.dim("C");
        let count = p.sizes.tokens.div_ceil(c);
        Ok(Chunks { p, c, count })
    }

    /// Axes of `[B, T, HV, width]`.
    pub fn rows(&self, width: usize) -> Vec<Axis> {
        tokens(self.p.sizes, self.p.sizes.value_heads, width)
    }

    /// Axes of `[B, chunks, HV, K, V]`.
    pub fn state_axes(&self) -> Vec<Axis> {
        let s = self.p.sizes;
        axes([
            ("sequence", s.sequences),
            ("chunk", self.count),
            ("head", s.value_heads),
            ("key channel", s.key_size),
            ("value channel", s.value_size),
        ])
    }

    /// One work-group a chunk, value head and sequence.
    fn grid(&self, items: usize) -> Grid {
        let s = self.p.sizes;
        Grid::of([self.count, s.value_heads, s.sequences], items)
    }

    fn length(&self) -> Arg {
        int(self.c)
    }

    fn map(&self) -> Arg {
        map_arg(self.p.convention.head_map)
    }

    /// G.
    pub fn launch_cumsum(&self, t: &mut Trial<'_>, sums: Buffer) -> Outcome {
        let [b, n, _, hv, ..] = self.p.sizes();
        let args = [
            self.p.g.read(),
            sums.write(),
            b,
            n,
            hv,
            self.length(),
            int(0),
        ];
        t.launch("gdn_chunk_cumsum_f32", self.grid(64), &args)
    }

    /// L of G.
    pub fn launch_l(&self, t: &mut Trial<'_>, sums: Buffer, l: Buffer) -> Outcome {
        let [b, n, h, hv, key, _] = self.p.sizes();
        let args = [
            self.p.k.read(),
            self.p.beta.read(),
            sums.read(),
            l.write(),
            b,
            n,
            h,
            hv,
            key,
            self.length(),
            self.map(),
        ];
        t.launch("gdn_chunk_l_f32", self.grid(256), &args)
    }

    /// Ai of L.
    pub fn launch_solve(&self, t: &mut Trial<'_>, l: Buffer, inverse: Buffer) -> Outcome {
        let [b, n, _, hv, ..] = self.p.sizes();
        let args = [l.read(), inverse.write(), b, n, hv, self.length()];
        t.launch("gdn_chunk_solve_f32", self.grid(64), &args)
    }

    /// u and w of G and Ai.
    pub fn launch_uw(
        &self,
        t: &mut Trial<'_>,
        [sums, inverse]: [Buffer; 2],
        [u, w]: [Buffer; 2],
    ) -> Outcome {
        let [b, n, h, hv, key, value] = self.p.sizes();
        let args = [
            self.p.k.read(),
            self.p.v.read(),
            self.p.beta.read(),
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
            self.length(),
            self.map(),
        ];
        t.launch("gdn_chunk_uw_f32", self.grid(256), &args)
    }

    /// h, vn and the last state of G, u and w.
    pub fn launch_states(
        &self,
        t: &mut Trial<'_>,
        [sums, u, w]: [Buffer; 3],
        [h, vn, last]: [Buffer; 3],
    ) -> Outcome {
        let s = self.p.sizes;
        let [b, n, heads, hv, key, value] = self.p.sizes();
        let args = [
            self.p.k.read(),
            u.read(),
            w.read(),
            sums.read(),
            self.p.initial(),
            h.write(),
            vn.write(),
            last.write(),
            b,
            n,
            heads,
            hv,
            key,
            value,
            self.length(),
            self.map(),
            layout_arg(self.p.convention.state),
        ];
        let grid = Grid::of([s.value_heads, s.sequences, 1], s.value_size);
        t.launch("gdn_chunk_states_f32", grid, &args)
    }

    /// o of G, h and vn.
    pub fn launch_outputs(
        &self,
        t: &mut Trial<'_>,
        [sums, h, vn]: [Buffer; 3],
        o: Buffer,
    ) -> Outcome {
        let [b, n, heads, hv, key, value] = self.p.sizes();
        let args = [
            self.p.q.read(),
            self.p.k.read(),
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
            self.length(),
            float(self.p.scale()),
            self.map(),
        ];
        t.launch("gdn_chunk_outputs_f32", self.grid(256), &args)
    }
}
