//! Launches: what the planted bug changes, and what is remembered.

use std::time::Instant;

use super::{Launched, Outcome, Trial};
use crate::binding::Call;
use crate::device::{DeviceError, DeviceErrorKind, Launch};
use crate::verdict::LaunchReport;

impl Trial<'_> {
    /// Launches a kernel, waits for it, and remembers what it took and what it was made from.
    pub(super) fn start(&mut self, module: usize, request: &Launch<'_>, call: Call) -> Outcome {
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
        self.launches.push(Launched { report, call });
        result.map(|_| ())
    }

    /// Where a launch goes, after what the planted bug changes: module, kernel and grid.
    pub(super) fn target(&mut self, call: &Call) -> Outcome<(usize, String, [u32; 3])> {
        let honest = (self.module, call.kernel.clone(), call.grid);
        let Some((module, program, plant)) = self.planted else {
            return Ok(honest);
        };
        let swap = plant.swap_grid.as_deref() == Some(call.kernel.as_str());
        let [x, y, z] = call.grid;
        let grid = if swap { [y, x, z] } else { call.grid };
        let replaced = plant.replace.get(&call.kernel);
        self.plant_used |= swap || replaced.is_some();
        let Some(name) = replaced else {
            return Ok((self.module, call.kernel.clone(), grid));
        };
        let takes = |found: &gfx906::code_object::Kernel| {
            let args = found.explicit_args();
            args.map(|arg| (arg.offset, arg.size)).collect::<Vec<_>>()
        };
        let same = program.object.kernel(name).map(takes)
            == self.program.object.kernel(&call.kernel).map(takes);
        if !same {
            let text = format!("`{name}` does not take the arguments of `{}`", call.kernel);
            return Err(DeviceError::of(DeviceErrorKind::Arguments, text));
        }
        Ok((module, name.clone(), grid))
    }
}
