//! The end of a run before its last test: after a number of failures (`--max-fail`, `--fail-fast`) or when time is up (`--max-time`).

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::trial::FinishedTrial;

/// The failures and the time after which a run begins no further test.
pub(super) struct RunLimits {
    failures_allowed: Option<usize>,
    failures: AtomicUsize,
    time_allowed: Option<Duration>,
    begun: Instant,
    time_is_up: AtomicBool,
}

impl RunLimits {
    /// Makes the limits of a run that begins now; `None` is no limit.
    pub(super) fn new(failures_allowed: Option<usize>, time_allowed: Option<Duration>) -> Self {
        RunLimits {
            failures_allowed,
            failures: AtomicUsize::new(0),
            time_allowed,
            begun: Instant::now(),
            time_is_up: AtomicBool::new(false),
        }
    }

    /// Counts a finished trial, and returns true if the run has as many failures as it may have, or its time is up.
    pub(super) fn are_reached_by(&self, finished: &FinishedTrial) -> bool {
        self.are_reached_after(finished.report.verdict.is_bad())
    }

    fn are_reached_after(&self, failed: bool) -> bool {
        let new = usize::from(failed);
        let failures = self.failures.fetch_add(new, Ordering::SeqCst) + new;
        if self.failures_allowed.is_some_and(|most| failures >= most) {
            return true;
        }
        let late = self
            .time_allowed
            .is_some_and(|most| self.begun.elapsed() >= most);
        self.time_is_up.fetch_or(late, Ordering::SeqCst);
        late
    }

    /// Returns the message after a run that stopped. `left` tests were not run.
    pub(super) fn message(&self, left: usize) -> String {
        let (reached, flags) = match (self.time_allowed, self.time_is_up.load(Ordering::SeqCst)) {
            (Some(allowed), true) => (
                count(allowed.as_secs() as usize, "second"),
                "--max-time: raise it",
            ),
            _ => (
                count(self.failures.load(Ordering::SeqCst), "failure"),
                "--max-fail and --fail-fast: leave them out",
            ),
        };
        let verb = if left == 1 { "was" } else { "were" };
        format!(
            "error: the run stopped after {reached}; {} {verb} not run\n  \
             the limit is {flags} to run all tests",
            count(left, "test")
        )
    }
}

fn count(number: usize, thing: &str) -> String {
    match number {
        1 => format!("1 {thing}"),
        _ => format!("{number} {thing}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_whose_time_is_up_begins_no_further_test_and_says_so() {
        let limits = RunLimits::new(Some(2), Some(Duration::ZERO));
        assert!(limits.are_reached_after(false));
        assert_eq!(
            limits.message(1),
            "error: the run stopped after 0 seconds; 1 test was not run\n  \
             the limit is --max-time: raise it to run all tests"
        );
    }

    #[test]
    fn failures_count_before_the_time_does() {
        let hours = Some(Duration::from_secs(7200));
        let limits = RunLimits::new(Some(2), hours);
        let reached = [false, true, false, true].map(|failed| limits.are_reached_after(failed));
        assert_eq!(reached, [false, false, false, true]);
        let message = limits.message(3);
        assert!(
            message.contains("after 2 failures; 3 tests were"),
            "{message}"
        );
        let unlimited = RunLimits::new(None, hours);
        assert!((0..9).all(|_| !unlimited.are_reached_after(true)));
    }
}
