//! Launches, and the records of them.

use std::time::Instant;

use super::{DeviceResult, Trial, TrialLaunch};
use crate::binding::Call;
use crate::device::Launch;
use crate::report::model::LaunchReport;

impl Trial<'_> {
    /// Launches a kernel, waits for it, and records its cost and its request.
    pub(super) fn start(
        &mut self,
        module: usize,
        request: &Launch<'_>,
        call: Call,
    ) -> DeviceResult {
        let started = Instant::now();
        let result = self
            .session
            .launch(module, request)
            .and_then(|done| self.session.sync().map(|()| done));
        let seconds = started.elapsed().as_secs_f64();
        let done = result.as_ref().ok().cloned().unwrap_or_default();
        let report = LaunchReport {
            kernel: request.kernel.to_owned(),
            grid: request.grid,
            block: request.block,
            dynamic_lds: request.dynamic_lds,
            wave_instructions: done.wave_instructions,
            counters: done.counters,
            kernel_seconds: done.kernel_seconds,
            seconds,
        };
        self.launches.push(TrialLaunch { report, call });
        result.map(|_| ())
    }
}
