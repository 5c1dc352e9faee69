//! The chunk pipeline, every kernel on what those before it left.

use crate::compare::ElementKind;
use crate::phases::gdn::{Chunks, asked, scalars};
use crate::trial::{Outcome, Trial};

pub fn run(t: &mut Trial<'_>) -> Outcome {
    let convention = asked(t);
    let x = Chunks::new(t, convention)?;
    let s = x.p.sizes;
    let [o, last] = x.p.results(t)?;
    let sums = t.output_as(ElementKind::F64, "G", scalars(s))?;
    let l = t.output("L", x.rows(x.c))?;
    let inverse = t.output("Ai", x.rows(x.c))?;
    let u = t.output("u", x.rows(s.value_size))?;
    let vn = t.output("vn", x.rows(s.value_size))?;
    let w = t.output("w", x.rows(s.key_size))?;
    let h = t.output("h", x.state_axes())?;
    x.launch_cumsum(t, sums)?;
    x.launch_l(t, sums, l)?;
    x.launch_solve(t, l, inverse)?;
    x.launch_uw(t, [sums, inverse], [u, w])?;
    x.launch_states(t, [sums, u, w], [h, vn, last])?;
    x.launch_outputs(t, [sums, h, vn], o)?;
    x.p.check(t, o, last)
}
