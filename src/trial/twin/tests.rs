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

/// Budgets, verdict and error of a trial.
type BudgetResult = (Vec<u64>, Verdict, String);

/// Runs `exp` of `n` elements with kernels that hang or do not, and with a twin or without.
fn budgets(n: u32, hangs: bool, twin: bool, limits: Limits) -> BudgetResult {
    with_plan(n, hangs, twin, limits, |plan| {
        let report = plan.run().report;
        (report.verdict, report.error.unwrap_or_default())
    })
}

fn with_plan(
    n: u32,
    hangs: bool,
    twin: bool,
    limits: Limits,
    run: impl Fn(&Plan<'_>) -> (Verdict, String),
) -> BudgetResult {
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
        // Nor is it run for missing barriers.
        hypotheses: false,
        ..Plan::new(&device, (&BUILT_IN, bound), (1, test, &test.cases[0]), 0)
    };
    let (verdict, error) = run(&plan);
    let budgets = device.0.lock().expect("no panic").clone();
    (budgets, verdict, error)
}

/// A kernel that never ends cost a billion wave instructions, twenty seconds, where the built-in one takes some hundred.
#[test]
fn a_hang_costs_what_the_built_in_kernels_say() {
    let built_in = 1_000_000_000;
    let (given, verdict, text) = budgets(500, true, true, Limits::default());
    assert_eq!((given, verdict), (vec![FIRST, built_in], Verdict::Error));
    assert!(
        text.contains(&format!("hang: the budget of {FIRST} wave instructions")),
        "{text}"
    );
    // A larger case: there the built-in kernel takes so much that the first budget is too small to tell.
    let (given, verdict, text) = budgets(2000, true, true, Limits::default());
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

/// A right kernel without optimisation was called a hang.
#[test]
fn a_kernel_that_goes_on_has_the_whole_budget_and_one_that_waits_has_not() {
    let run = |plan: &Plan<'_>| {
        let done = match run_within(plan, 100, |_| 150).1 {
            Ok(_) => return (Verdict::Pass, String::new()),
            Err((_, error)) => error,
        };
        (Verdict::Error, done.message)
    };
    let most = 1_000_000_000;
    let (given, verdict, text) = with_plan(1000, false, true, Limits::default(), run);
    let wanted = (vec![100, most, 150, most], Verdict::Pass);
    assert_eq!((given, verdict), wanted, "{text}");
    let (given, verdict, text) = with_plan(1000, true, true, Limits::default(), run);
    assert_eq!((given, verdict), (vec![100, most, 150], Verdict::Error));
    assert!(text.starts_with("hang: the budget of 150 "), "{text}");
}

#[test]
fn a_budget_that_is_too_small_is_no_hang() {
    let limits = Limits::default().of_instructions(100);
    let (_, verdict, text) = budgets(1000, false, false, limits);
    assert_eq!(verdict, Verdict::Error);
    let title = "the budget of 100 wave instructions is too small\n";
    assert!(text.starts_with(title) && !text.contains("hang"), "{text}");
}

#[test]
fn a_hang_in_a_large_case_costs_a_few_seconds() {
    let dearest = [1, 18_120, 100_000, 200_000].map(derived);
    assert!(dearest.is_sorted(), "{dearest:?}");
    assert_eq!(dearest[0], TIMES + MORE);
    assert!(dearest[2] <= MUCH + MORE, "{dearest:?}");
    // The largest launches keep the factor that they need.
    assert_eq!(derived(1 << 20), (FEWEST_TIMES << 20) + MORE);
}
