//! Launches: arguments, the planted bug's changes, what is remembered.

use std::time::Instant;

use super::{Arg, Buffer, Grid, Launched, Mode, Outcome, Trial, Variant};
use crate::device::{ArgValue, DeviceError, DeviceErrorKind, Launch, lay_out};
use crate::program::Program;
use crate::text::nearest;
use crate::verdict::LaunchReport;

impl<'a> Trial<'a> {
    /// Launches a documented kernel.
    pub fn launch(&mut self, kernel: &str, grid: Grid, args: &[Arg]) -> Outcome {
        if !matches!(self.mode, Mode::Coded) {
            return Ok(());
        }
        let mut values = Vec::with_capacity(args.len());
        let mut written = Vec::new();
        for arg in args {
            values.push(match *arg {
                Arg::Tensor {
                    buffer,
                    written: writes,
                } => {
                    if writes {
                        written.push(buffer);
                    }
                    ArgValue::Pointer(self.address(buffer)?)
                }
                Arg::Value(value) => value,
            });
        }
        if matches!(self.variant, Variant::Silent) {
            return Ok(());
        }
        let (module, program, name, grid) = self.target(kernel, grid);
        let Some(program) = program else {
            return Err(DeviceError::invalid("there is no code object to launch"));
        };
        let Some(found) = program.object.kernel(&name) else {
            return Err(missing(program, &name));
        };
        let kernarg = lay_out(found, &values)?;
        let request = Launch {
            kernel: &name,
            grid: grid.grid,
            block: grid.block,
            dynamic_lds: 0,
            kernarg: &kernarg,
        };
        self.start(module, &request, grid, written)
    }

    /// Launches a kernel, waits for it, and remembers what it took and which tensors it was to write.
    pub(super) fn start(
        &mut self,
        module: usize,
        request: &Launch<'_>,
        grid: Grid,
        written: Vec<Buffer>,
    ) -> Outcome {
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
        self.launches.push(Launched {
            report,
            grid,
            written,
        });
        result.map(|_| ())
    }

    /// Where a launch goes, after what the planted bug changes.
    fn target(&mut self, kernel: &str, grid: Grid) -> (usize, Option<&'a Program>, String, Grid) {
        let honest = (self.module, self.program, kernel.to_string(), grid);
        let Some((module, program, plant)) = self.planted else {
            return honest;
        };
        let swap = plant.swap_grid.as_deref() == Some(kernel);
        let grid = if swap { grid.swapped() } else { grid };
        let replaced = plant.replace.get(kernel);
        self.plant_used |= swap || replaced.is_some();
        match replaced {
            Some(name) => (module, Some(program), name.clone(), grid),
            None => (self.module, self.program, kernel.to_string(), grid),
        }
    }
}

/// A kernel that a code object does not have, with the nearest name it has.
fn missing(program: &Program, name: &str) -> DeviceError {
    let names = program
        .object
        .kernels
        .iter()
        .map(|kernel| kernel.name.as_str());
    let near = nearest(name, names, 1);
    let hint = near.first().map_or_else(
        || "give it the kernel under this name, `extern \"C\"`".to_string(),
        |near| {
            format!(
                "the nearest it has is `{near}`; kernels need the documented names, `extern \"C\"`"
            )
        },
    );
    DeviceError::of(
        DeviceErrorKind::MissingKernel,
        format!(
            "code object {} has no kernel `{name}`: {hint}",
            program.report.path
        ),
    )
}
