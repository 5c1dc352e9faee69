//! The number of tests that must run, and the exit code of a run.

use std::io::Write as _;

use crate::exit::Exit;
use crate::report::model::Totals;

/// Prints warnings on standard error.
pub(in crate::commands) fn warn(warnings: &[String]) {
    for warning in warnings {
        let _ = writeln!(std::io::stderr(), "{warning}");
    }
}

/// Demand on the tests that must run.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::commands) struct Demand {
    /// True if every selected test must run.
    pub(in crate::commands) require_all: bool,
    /// Number of tests that must run at least.
    pub(in crate::commands) min_tests: Option<u32>,
}

impl Demand {
    /// Returns true if enough tests ran, and prints an error if not.
    pub(in crate::commands) fn is_met(self, ran: usize) -> bool {
        match self.min_tests {
            Some(min_tests) if ran < min_tests as usize => {
                let tests = if ran == 1 { "test" } else { "tests" };
                warn(&[format!(
                    "error: {ran} {tests} ran, and --min-tests asks for {min_tests}"
                )]);
                false
            }
            _ => true,
        }
    }
}

/// Returns the exit code of a run. The run has passed if a test ran, and all tests that ran passed; if all tests are required, none is skipped.
pub(in crate::commands) fn exit_code(totals: &Totals, demand: Demand) -> Exit {
    let ran = totals.total() - totals.skip;
    if !demand.is_met(ran) {
        return Exit::Failed;
    }
    match (totals.pass, totals.skip) {
        (pass, skip) if pass == ran && pass > 0 && (skip == 0 || !demand.require_all) => {
            Exit::Passed
        }
        (0, skip) if ran == 0 && (skip == 0 || !demand.require_all) => Exit::NothingSelected,
        _ => Exit::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::model::Verdict;

    const SOME: Demand = Demand {
        require_all: false,
        min_tests: None,
    };
    const ALL: Demand = Demand {
        require_all: true,
        min_tests: None,
    };

    #[test]
    fn only_a_pass_is_a_pass() {
        for verdict in Verdict::ALL {
            let mut totals = Totals::default();
            totals.add(Verdict::Pass);
            totals.add(verdict);
            let fine = matches!(verdict, Verdict::Pass | Verdict::Skip);
            let passed = exit_code(&totals, SOME) == Exit::Passed;
            assert_eq!(passed, fine, "{verdict:?}");
            let passed = exit_code(&totals, ALL) == Exit::Passed;
            assert_eq!(passed, verdict == Verdict::Pass, "{verdict:?}");
        }
    }

    /// A code object that has none of the kernels must not pass.
    #[test]
    fn a_run_of_skips_alone_has_selected_nothing() {
        let mut totals = Totals::default();
        totals.add(Verdict::Skip);
        assert_eq!(exit_code(&totals, SOME), Exit::NothingSelected);
        assert_eq!(exit_code(&totals, ALL), Exit::Failed);
    }

    #[test]
    fn fewer_tests_than_demanded_are_a_failure() {
        let mut totals = Totals::default();
        totals.add(Verdict::Pass);
        totals.add(Verdict::Skip);
        let least = |min_tests| Demand {
            min_tests: Some(min_tests),
            ..SOME
        };
        assert_eq!(exit_code(&totals, least(1)), Exit::Passed);
        assert_eq!(exit_code(&totals, least(2)), Exit::Failed);
        assert_eq!(exit_code(&Totals::default(), least(1)), Exit::Failed);
    }
}
