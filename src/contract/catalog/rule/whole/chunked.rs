//! The rule chunk by chunk.

use crate::contract::catalog::rule::problem::{Chunks, read_convention};
use crate::contract::{DeviceResult, Instance};

pub fn run(t: &mut Instance<'_>) -> DeviceResult {
    let convention = read_convention(t);
    let x = Chunks::new(t, convention)?;
    let [o, last] = x.p.results(t)?;
    x.p.check(t, o, last)
}
