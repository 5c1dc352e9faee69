//! A trial with a planted bug, for unit tests.

use crate::device::DeviceId;
use crate::program::{BUILT_IN, PLANTED};
use crate::registry::Registry;
use crate::trial::{Bound, Plan, PlantedKernel};

/// A test of 300 elements.
const EXP: &str = r#"
schema = 1
partial = true
[[phase]]
number = 1
title = "One"
[[phase.test]]
id = "exp"
contract = "exp"
shape = { n = 300 }
outputs.out = { tolerance = 1e-5, ceiling = 1, reason = "-" }
planted = "all"
"#;

/// Passes the plan of a test of `exp` with a planted bug to `use_plan`, and returns the result.
pub(super) fn with_exp<T>(planted: &str, use_plan: impl FnOnce(Plan<'_>) -> T) -> T {
    let registry = Registry::parse("x", EXP, None).expect("a good registry");
    let test = registry.tests().next().expect("a test");
    let mut bound = Bound::built_in(test.function).expect("a binding");
    let mut bugs = bound.binding.planted.iter();
    bound.planted = Some(PlantedKernel {
        bug: bugs.find(|bug| bug.name == planted).expect("a bug"),
        program: &PLANTED,
    });
    let device = DeviceId::Emulator.find().expect("the emulator");
    let case = (1, test, &test.cases[0]);
    use_plan(Plan::new(&*device, (&BUILT_IN, bound), case, 0))
}
