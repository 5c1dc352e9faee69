//! A trial with a planted bug, for unit tests.

use crate::binding::built_in_called;
use crate::contract::{Case, Test};
use crate::device::DeviceId;
use crate::program::{BUILT_IN, PLANTED};
use crate::registry::{REGISTRY, Registry};
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
    with_case(test, &test.cases[0], Some(planted), use_plan).expect("a binding")
}

/// Passes the plan of each case of a built-in test with a planted bug to `use_plan`, until it returns a result.
pub(super) fn with_test<T>(
    id: &str,
    planted: Option<&str>,
    mut use_plan: impl FnMut(Plan<'_>) -> Option<T>,
) -> Option<T> {
    let mut tests = REGISTRY.tests();
    let test = tests.find(|test| test.id == id).expect("the test");
    let mut cases = test.cases.iter();
    cases.find_map(|case| with_case(test, case, planted, &mut use_plan)?)
}

/// Passes the plan of a case to `use_plan`. Returns none if no binding with the planted bug takes the case.
fn with_case<T>(
    test: &Test,
    case: &Case,
    planted: Option<&str>,
    use_plan: impl FnOnce(Plan<'_>) -> T,
) -> Option<T> {
    let bindings = built_in_called(test.function.name, test.binding.as_deref());
    let mut bindings = bindings.expect("good bindings").filter_map(|binding| {
        let takes = matches!(binding.refuses(&case.values), Ok(None));
        let mut bound = Bound {
            binding,
            described: None,
            planted: None,
        };
        if let Some(name) = planted {
            let mut bugs = binding.planted.iter();
            let bug = bugs.find(|bug| {
                let applies = || binding.plants(bug, &case.values).expect("a formula");
                bug.name == name && applies()
            })?;
            bound.planted = Some(PlantedKernel {
                bug,
                program: &PLANTED,
            });
        }
        takes.then_some(bound)
    });
    let bound = bindings.next()?;
    let device = DeviceId::Emulator.find().expect("the emulator");
    let plan = Plan::new(&*device, (&BUILT_IN, bound), (1, test, case), 0);
    Some(use_plan(plan))
}
