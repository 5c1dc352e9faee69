//! The stop of a run at the first test that hangs. A kernel that hangs may hold the card, and then every later test fails.

use crate::args::TrialArgs;
use crate::run::SelectedCase;
use crate::trial::FinishedTrial;

/// Returns true if the run stops after a trial.
pub(super) fn stops_run(args: &TrialArgs, finished: &FinishedTrial) -> bool {
    finished.timed_out && !args.keep_going
}

/// Returns the reason of a test that did not run because an earlier test hung.
pub(super) fn reason(hung: &SelectedCase<'_>) -> String {
    let id = &hung.case.id;
    format!("`{id}` hung and the run stopped there: --keep-going goes on")
}

/// Returns the advice after a test hung. `left` tests did not run; the command `line` runs the same tests on the emulator.
pub(super) fn advice(hung: &SelectedCase<'_>, left: usize, line: &str) -> String {
    let id = &hung.case.id;
    let left = match left {
        1 => "1 test was".to_owned(),
        left => format!("{left} tests were"),
    };
    format!(
        "error: the run stopped at `{id}`, which hung; {left} not run\n  \
         a kernel that hangs may hold the card: every later test would fail, whatever it computes\n  \
         1. run the same tests on the emulator first, which says where the kernel hangs:\n     \
         {line}\n  \
         2. see what holds the card, and reset it: docs/card.md, \"After a hang\"\n  \
         3. repair the kernel, or run the other tests too: --keep-going"
    )
}
