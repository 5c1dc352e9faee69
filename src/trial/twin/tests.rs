use std::sync::Mutex;

use super::*;
use crate::device::emulator::Emulator;
use crate::device::{Device, Session, Watch};
use crate::program::{BUILT_IN, PLANTED};
use crate::registry::Registry;
use crate::report::model::{DeviceReport, Verdict};
use crate::trial::PlantedKernel;

/// The emulator, and the budget of every session that it opened.
#[derive(Default)]
struct Counting(Mutex<Vec<u64>>);

impl Device for Counting {
    fn describe(&self) -> DeviceReport {
        Emulator::ACROSS_LINES.describe()
    }

    fn open(
        &self,
        threads: usize,
        limits: Limits,
        watch: &Watch,
    ) -> Result<Box<dyn Session>, DeviceError> {
        let instructions = limits.instructions.expect("a limit");
        self.0.lock().expect("no panic").push(instructions);
        Emulator::ACROSS_LINES.open(threads, limits, watch)
    }
}

/// Runs `exp` of `n` elements with kernels that hang or do not, and with a twin or without: budgets, verdict and text.
fn budgets(n: u32, hangs: bool, twin: bool, limits: Limits) -> (Vec<u64>, Verdict, String) {
    let text = format!(
        "schema = 1\npartial = true\n[[phase]]\nnumber = 1\ntitle = \"One\"\n[[phase.test]]\nid = \"exp\"\n\
         contract = \"exp\"\nshape = {{ n = {n} }}\n\
         outputs.out = {{ tolerance = 1e-5, ceiling = 1, reason = \"-\" }}\n\
         planted = [\"never ends\"]\n"
    );
    let registry = Registry::parse("x", &text, None).expect("a good registry");
    let test = registry.tests().next().expect("a test");
    let mut bound = Bound::built_in(test.function).expect("a binding");
    let bug = bound.binding.planted.iter();
    bound.planted = bug
        .filter(|bug| hangs && test.planted.contains(&bug.name))
        .map(|bug| PlantedKernel {
            bug,
            program: &PLANTED,
        })
        .next();
    let device = Counting::default();
    let plan = Plan {
        limits,
        twin: twin.then_some(&*BUILT_IN),
        ..Plan::new(&device, (&BUILT_IN, bound), (1, test, &test.cases[0]), 0)
    };
    let report = plan.run().report;
    let budgets = device.0.lock().expect("no panic").clone();
    (budgets, report.verdict, report.error.unwrap_or_default())
}

/// A kernel that never ends cost a billion wave instructions, twenty seconds, where the built-in one takes some hundred.
#[test]
fn a_hang_costs_what_the_built_in_kernels_say() {
    let built_in = 1_000_000_000;
    let (given, verdict, text) = budgets(1000, true, true, Limits::default());
    assert_eq!((given, verdict), (vec![FIRST, built_in], Verdict::Error));
    assert!(
        text.contains(&format!("hang: the budget of {FIRST} wave instructions")),
        "{text}"
    );
    // A large case: there the built-in kernel takes so much that the first budget is too small to tell.
    let (given, verdict, text) = budgets(18_000, true, true, Limits::default());
    let [first, second, derived] = given[..] else {
        panic!("{given:?}");
    };
    assert_eq!((first, second, verdict), (FIRST, built_in, Verdict::Error));
    assert!((FIRST + 1..3 * FIRST).contains(&derived), "{derived}");
    let honest = (derived - MORE) / TIMES;
    let why = format!("{TIMES} times the {honest} wave instructions of the built-in kernels");
    assert!(text.contains(&why), "{text}");
}

#[test]
fn who_ends_within_the_first_budget_needs_no_twin() {
    let (given, verdict, text) = budgets(1000, false, true, Limits::default());
    assert_eq!((given, verdict), (vec![FIRST], Verdict::Pass), "{text}");
}

#[test]
fn without_a_twin_the_budget_is_what_the_plan_says() {
    let limits = Limits::default().of_instructions(70_000);
    let (given, verdict, text) = budgets(1000, true, false, limits);
    assert_eq!((given, verdict), (vec![70_000], Verdict::Error));
    assert!(
        text.contains("the budget of 70000 wave instructions"),
        "{text}"
    );
}
