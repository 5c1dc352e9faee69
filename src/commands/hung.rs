//! A run that stops at the first test that hangs: a card that one kernel holds fails every later test.

use crate::args::TrialArgs;
use crate::select::Selected;
use crate::trial::Finished;

/// Returns true where the run stops behind a trial.
pub(super) fn stops(args: &TrialArgs, finished: &Finished) -> bool {
    finished.timed_out && !args.keep_going
}

/// The reason of a test that did not run because an earlier one hung.
pub(super) fn reason(hung: &Selected<'_>) -> String {
    let id = &hung.case.id;
    format!("`{id}` hung and the run stopped there: --keep-going goes on")
}

/// The advice after a test hung. `line` runs the same tests on the emulator.
pub(super) fn advice(hung: &Selected<'_>, left: usize, line: &str) -> String {
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
