//! The end of a launch.

use std::time::Instant;

use gfx906::code_object::Kernel;

use super::buffers::PlacedBuffer;
use super::check;
use super::launch::LaunchSpec;
use crate::device::{DeviceError, DeviceErrorKind, Launch, Session};
use crate::exit::Stop;
use crate::report::model::CountersReport;

/// Lanes of a wave.
const LANES: u64 = 64;

/// The end of a launch.
pub(super) enum Outcome {
    Ran(FinishedLaunch),
    /// It trapped or hung.
    Stopped(DeviceError),
    /// An earlier one did.
    NotRun,
}

/// A launch that came to its end.
pub(super) struct FinishedLaunch {
    pub(super) waves: u64,
    pub(super) work_groups: u64,
    /// Seconds of the kernel as the device reports them, else of the launch by the host's clock.
    pub(super) seconds: f64,
    /// Wave instructions, and what else was counted, where the device counts.
    pub(super) instructions: Option<u64>,
    pub(super) counted: Option<CountersReport>,
}

impl Outcome {
    pub(super) fn word(&self) -> &'static str {
        match self {
            Outcome::Ran(_) => "ran",
            Outcome::Stopped(error) if error.kind == DeviceErrorKind::Hang => "hung",
            Outcome::Stopped(_) => "trapped",
            Outcome::NotRun => "not run",
        }
    }

    pub(super) fn ran(&self) -> Option<&FinishedLaunch> {
        match self {
            Outcome::Ran(ran) => Some(ran),
            _ => None,
        }
    }

    pub(super) fn counted(&self) -> Option<&CountersReport> {
        self.ran()?.counted.as_ref()
    }

    pub(super) fn error(&self) -> Option<&DeviceError> {
        match self {
            Outcome::Stopped(error) => Some(error),
            _ => None,
        }
    }
}

/// Makes a launch of a loaded code object.
///
/// # Errors
/// It could not start.
pub(super) fn launch(
    session: &mut dyn Session,
    module: usize,
    (spec, kernel): (&LaunchSpec, &Kernel),
    placed: &[PlacedBuffer],
) -> Result<Outcome, Stop> {
    let addresses: Vec<u64> = placed.iter().map(|placed| placed.address).collect();
    let kernarg = check::kernarg(spec, kernel, &addresses).map_err(Stop::setup)?;
    let launch = Launch {
        kernel: &kernel.name,
        grid: spec.grid,
        block: spec.block,
        dynamic_lds: spec.dynamic_lds,
        kernarg: &kernarg,
        cooperative: spec.cooperative,
    };
    let started = Instant::now();
    let done = session.launch(module, &launch);
    let seconds = started.elapsed().as_secs_f64();
    let product = |sides: [u32; 3]| sides.into_iter().map(u64::from).product::<u64>();
    match done {
        Ok(done) => {
            let work_groups = product(spec.grid);
            Ok(Outcome::Ran(FinishedLaunch {
                waves: work_groups * product(spec.block).div_ceil(LANES),
                work_groups,
                seconds: done.kernel_seconds.unwrap_or(seconds),
                instructions: done.wave_instructions,
                counted: done.counters,
            }))
        }
        Err(error) => match error.kind {
            DeviceErrorKind::Fault | DeviceErrorKind::Hang => Ok(Outcome::Stopped(error)),
            _ => Err(Stop::setup(error.message)),
        },
    }
}
