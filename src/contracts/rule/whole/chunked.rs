//! The rule chunk by chunk.

use crate::contract::{DeviceResult, Instance};
use crate::contracts::rule::problem::{Chunks, asked};

pub fn run(t: &mut Instance<'_>) -> DeviceResult {
    let convention = asked(t);
    let x = Chunks::new(t, convention)?;
    let [o, last] = x.p.results(t)?;
    x.p.check(t, o, last)
}
