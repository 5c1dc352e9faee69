//! The rule token by token.

use crate::contract::catalog::rule::problem::{problem, read_convention};
use crate::contract::{DeviceResult, Instance};

/// Runs the rule. A binding may split the tokens into several launches; the results are the same.
pub fn run(t: &mut Instance<'_>) -> DeviceResult {
    let convention = read_convention(t);
    let p = problem(t, convention)?;
    let [o, last] = p.results(t)?;
    p.check(t, o, last)
}
