//! The rule token by token.

use crate::contract::catalog::rule::problem::{asked, problem};
use crate::contract::{DeviceResult, Instance};

/// Outputs and state of a call: however its tokens are split into launches, they are those of one.
pub fn run(t: &mut Instance<'_>) -> DeviceResult {
    let convention = asked(t);
    let p = problem(t, convention)?;
    let [o, last] = p.results(t)?;
    p.check(t, o, last)
}
