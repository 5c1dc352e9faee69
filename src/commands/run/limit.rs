//! The end of a run after a number of failures (`--max-fail`, `--fail-fast`).

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::trial::FinishedTrial;

/// The number of failures after which a run stops, and the failures so far.
pub(super) struct FailureLimit {
    most: Option<usize>,
    failures: AtomicUsize,
}

impl FailureLimit {
    /// Makes the limit of a run; `None` is no limit.
    pub(super) fn new(most: Option<usize>) -> FailureLimit {
        FailureLimit {
            most,
            failures: AtomicUsize::new(0),
        }
    }

    /// Counts a finished trial, and returns true if the run has as many failures as it may have.
    pub(super) fn is_reached_by(&self, finished: &FinishedTrial) -> bool {
        let new = usize::from(finished.report.verdict.is_bad());
        let failures = self.failures.fetch_add(new, Ordering::SeqCst) + new;
        self.most.is_some_and(|most| failures >= most)
    }

    /// Returns the message after a run that stopped. `left` tests were not run.
    pub(super) fn message(&self, left: usize) -> String {
        let failures = match self.failures.load(Ordering::SeqCst) {
            1 => "1 failure".to_owned(),
            failures => format!("{failures} failures"),
        };
        let left = match left {
            1 => "1 test was".to_owned(),
            left => format!("{left} tests were"),
        };
        format!(
            "error: the run stopped after {failures}; {left} not run\n  \
             leave --max-fail and --fail-fast out to run all tests"
        )
    }
}
