//! Missing barriers in kernels that are not built in, though the outputs are right: another order of waves makes them wrong.

use std::sync::Arc;

use gfx906::machine::Schedule;
use gfx906::observe::sanitize::Check;

use super::{Plan, Trial, judge, run::fail};
use crate::contract::PreparedCase;
use crate::device::{DeviceErrorKind, Limits, Sanitize, Watch};
use crate::report::model::{FindingReport, Severity, TrialReport, Verdict};

/// Wave instructions of the longest trial that is run once more for its barriers. What one case of a contract lacks, most cases lack.
const LONGEST: u64 = 1 << 16;

/// Orders in which waves run if a barrier is missing.
const ORDERS: [Schedule; 7] = [
    Schedule::InOrder,
    Schedule::Reverse,
    Schedule::Random(1),
    Schedule::Random(2),
    Schedule::Random(3),
    Schedule::Random(4),
    Schedule::Random(5),
];

/// Work-items of a wave.
const WAVE: u32 = 64;

impl Plan<'_> {
    /// Fails a short trial if a barrier is missing and another order of waves makes the outputs wrong. If none of the tried orders does, as where the same values
    /// are written again, the missing barrier is a hint.
    pub(super) fn judge_barriers(
        &self,
        limits: Limits,
        first: &Trial<'_>,
        report: &mut TrialReport,
    ) {
        let is_short = report
            .wave_instructions
            .is_some_and(|count| count <= LONGEST);
        let mut launches = report.launches.iter();
        let is_asked = report.verdict == Verdict::Pass
            && self.twin.is_some()
            && self.hypotheses
            && !self.watch.takes_time()
            && is_short
            && launches.any(|launch| launch.block.iter().product::<u32>() > WAVE);
        if !is_asked {
            return;
        }
        let watch = Watch::default().with_sanitizer(Some(Sanitize {
            checks: [Check::Race].into_iter().collect(),
            warn: Severity::Hint,
        }));
        let plan = Plan {
            watch: &watch,
            ..*self
        };
        // A device without observers, such as a card, shows no races.
        let Ok(trial) = plan.launch_prepared(limits, Arc::clone(&first.prepared)) else {
            return;
        };
        let missing = trial
            .session
            .findings()
            .iter()
            .filter(|finding| finding.severity == Severity::Mistake && finding.lacks_barrier());
        let mut missing: Vec<FindingReport> = missing.cloned().collect();
        if missing.is_empty() {
            return;
        }
        let counts = ORDERS
            .into_iter()
            .any(|order| self.fails_in(order, limits, &first.prepared));
        match counts {
            true => fail(report),
            false => {
                let findings = missing.iter_mut();
                findings.for_each(|finding| finding.severity = Severity::Hint);
            }
        }
        FindingReport::gather(&mut report.findings, missing);
    }

    /// Returns true if the outputs are wrong when waves run in an order, or if a kernel faults. A limit of time says nothing of an order.
    fn fails_in(&self, order: Schedule, limits: Limits, prepared: &Arc<PreparedCase>) -> bool {
        let limits = Limits {
            schedule: Some(order),
            ..limits
        };
        match self.launch_prepared(limits, Arc::clone(prepared)) {
            Err((_, error)) => error.kind == DeviceErrorKind::Fault,
            Ok(mut trial) => judge::judge(&mut trial, self.test, false)
                .is_ok_and(|judged| judged.verdict == Verdict::Fail),
        }
    }
}
