//! The kernel that is wrong: of several kernels of a trial, the one that fails a test of its own.

use crate::report::model::{CauseReport, DiagnosisReport, SmallestCase, Verdict};
use crate::trial::{Plan, how};

use super::{Depth, KernelTests, diagnose, is_explainable};

/// No tests: a test of one kernel is diagnosed by itself.
struct NoTests;

impl KernelTests for NoTests {
    fn of<'p>(&'p self, _: &Plan<'p>) -> Vec<(String, Plan<'p>)> {
        Vec::new()
    }
}

/// Returns the diagnosis of the first test of one kernel that fails.
pub(super) fn find(tests: &[(String, Plan<'_>)], depth: Depth) -> Option<DiagnosisReport> {
    tests.iter().find_map(|(kernel, plan)| {
        let finished = plan.bare()?.run();
        // A run that ends in an error has perhaps only met the limit of an experiment.
        let failure = how(&finished).filter(|_| finished.report.verdict == Verdict::Fail)?;
        let report = finished.report;
        let found = is_explainable(&report).then(|| diagnose(plan, &report, depth, &NoTests));
        let mut found = found.flatten().unwrap_or_default();
        let place = format!("`{kernel}` is wrong by itself, in test `{}`", plan.test.id);
        let first = found.causes.pop();
        found.causes = vec![match first {
            Some(cause) => CauseReport {
                kernel: Some(kernel.clone()),
                text: format!("{place}: {}", cause.text),
                ..cause
            },
            None => CauseReport {
                kind: "kernel".into(),
                output: None,
                tensor: None,
                kernel: Some(kernel.clone()),
                text: format!("{place}: {failure}"),
                explains: None,
            },
        }];
        found.smallest.get_or_insert(SmallestCase {
            case: plan.case.id.clone(),
            rerun: report.rerun,
        });
        Some(found)
    })
}
