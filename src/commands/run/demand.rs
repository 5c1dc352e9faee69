//! How many tests must run, and the exit code of a run.

use std::io::Write as _;

use crate::exit::Exit;
use crate::verdict::Totals;

/// Tells warnings beside the results.
pub(in crate::commands) fn warn(warnings: &[String]) {
    for warning in warnings {
        let _ = writeln!(std::io::stderr(), "{warning}");
    }
}

/// Says how many tests must run.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::commands) struct Demand {
    /// Every selected test.
    pub(in crate::commands) all: bool,
    /// So many.
    pub(in crate::commands) least: Option<u32>,
}

impl Demand {
    /// Returns true where so many tests are enough, and says on standard error where they are not.
    pub(in crate::commands) fn is_met(self, ran: usize) -> bool {
        match self.least {
            Some(least) if ran < least as usize => {
                let tests = if ran == 1 { "test" } else { "tests" };
                warn(&[format!(
                    "error: {ran} {tests} ran, and --min-tests asks for {least}"
                )]);
                false
            }
            _ => true,
        }
    }
}

/// A run has passed if something ran, and all of it passed; what did not run counts if all is required.
pub(in crate::commands) fn exit(totals: &Totals, demand: Demand) -> Exit {
    let ran = totals.total() - totals.skip;
    if !demand.is_met(ran) {
        return Exit::Failed;
    }
    match (totals.pass, totals.skip) {
        (pass, skip) if pass == ran && pass > 0 && (skip == 0 || !demand.all) => Exit::Passed,
        (0, skip) if ran == 0 && (skip == 0 || !demand.all) => Exit::NothingSelected,
        _ => Exit::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Verdict;

    const SOME: Demand = Demand {
        all: false,
        least: None,
    };
    const ALL: Demand = Demand {
        all: true,
        least: None,
    };

    #[test]
    fn only_a_pass_is_a_pass() {
        for other in Verdict::ALL {
            let mut totals = Totals::default();
            totals.add(Verdict::Pass);
            totals.add(other);
            let fine = matches!(other, Verdict::Pass | Verdict::Skip);
            assert_eq!(exit(&totals, SOME) == Exit::Passed, fine, "{other:?}");
            let all = exit(&totals, ALL) == Exit::Passed;
            assert_eq!(all, other == Verdict::Pass, "{other:?}");
        }
    }

    /// A code object with none of the kernels has not passed.
    #[test]
    fn a_run_of_skips_alone_has_selected_nothing() {
        let mut totals = Totals::default();
        totals.add(Verdict::Skip);
        assert_eq!(exit(&totals, SOME), Exit::NothingSelected);
        assert_eq!(exit(&totals, ALL), Exit::Failed);
    }

    #[test]
    fn fewer_tests_than_demanded_are_a_failure() {
        let mut totals = Totals::default();
        totals.add(Verdict::Pass);
        totals.add(Verdict::Skip);
        let least = |least| Demand {
            least: Some(least),
            ..SOME
        };
        assert_eq!(exit(&totals, least(1)), Exit::Passed);
        assert_eq!(exit(&totals, least(2)), Exit::Failed);
        assert_eq!(exit(&Totals::default(), least(1)), Exit::Failed);
    }
}
