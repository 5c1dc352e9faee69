//! Launches: shape and arguments checked, the kernel run to its end, a failure told.

mod arguments;
pub mod entries;
pub mod pending;

use gfx906::code_object::{HiddenArg, Kernel, LaunchShape, ShapeProblem};
use gfx906::machine::{Launch, LaunchError, Nearest, Place, Trap, TrapKind};

use crate::boundary::{Address, In};
use crate::calls::{event, record, stream};
use crate::error::{HipError, Outcome};
use crate::host;
use crate::objects::module::{self, Function};
use crate::runtime::{queue, state};
use crate::settings::SETTINGS;
use crate::tell::tell;

/// Addresses below are null pointers with an offset.
const FIRST_PAGES: u64 = 1 << 16;

/// Checks a shape; each problem has a code in HIP.
fn check(kernel: &Kernel, shape: &LaunchShape) -> Outcome {
    let Err(error) = shape.check(kernel) else {
        return Ok(());
    };
    tell(&error);
    Err(match error.problem {
        ShapeProblem::Empty { .. } | ShapeProblem::Lds { .. } => HipError::InvalidValue,
        ShapeProblem::Bounds { .. } => HipError::LaunchFailure,
        ShapeProblem::Block { .. }
        | ShapeProblem::Required { .. }
        | ShapeProblem::Grid { .. }
        | ShapeProblem::Scratch { .. } => HipError::InvalidConfiguration,
    })
}

/// Runs a kernel to its end.
fn run(function: &Function, shape: &LaunchShape, kernarg: &[u8]) -> Outcome {
    let launch = Launch {
        grid: shape.grid,
        block: shape.block,
        dynamic_lds: shape.dynamic_lds as u32,
        kernarg,
        limits: SETTINGS.limits,
        threads: SETTINGS.threads,
    };
    let (gpu, requests) = {
        let state = state();
        (state.gpu.clone(), state.requests.get())
    };
    let kernel = function.kernel()?;
    let start = || gpu.launch(&function.loaded.module, &function.name, &launch);
    let result = match requests.filter(|_| module::asks_host(kernel)) {
        Some(host) => host.during(start).map_err(|_| HipError::Unknown)?,
        None => start(),
    };
    match result {
        Ok(_) => Ok(()),
        Err(LaunchError::Invalid(what)) => {
            tell(what);
            Err(HipError::InvalidConfiguration)
        }
        Err(LaunchError::NoMemory(what)) => {
            tell(what);
            Err(HipError::OutOfMemory)
        }
        Err(LaunchError::Trap(trap)) => {
            tell(&trap);
            if let Some(hint) = hint(function, &trap) {
                tell(hint);
            }
            state().failure = Some(HipError::LaunchFailure);
            Err(HipError::LaunchFailure)
        }
    }
}

/// What a report leaves open.
fn hint(function: &Function, trap: &Trap) -> Option<String> {
    if trap.is_hang() {
        return Some(
            "GFX906_BUDGET=N allows N wave instructions a launch, Ns as many CPU seconds".into(),
        );
    }
    let (TrapKind::MemoryFault { .. }, Some(address)) = (&trap.kind, trap.address) else {
        return None;
    };
    let has_heap = |kernel| module::takes(kernel, HiddenArg::HeapV1);
    if address < FIRST_PAGES && function.kernel().is_ok_and(has_heap) {
        return Some("malloc in kernels is not supported: there is no heap".into());
    }
    unreached(trap, address, host::is_mapped(address, 1))
}

/// Bytes around an allocation within which a bad address is taken for one of its elements.
const NEAR: u128 = 4096;

/// That a kernel was handed memory of the host which it does not reach: not where it misses an allocation that it does reach.
fn unreached(trap: &Trap, address: Address, mapped: bool) -> Option<String> {
    let place = Place::Outside;
    let outside =
        matches!(&trap.kind, TrapKind::MemoryFault { place: found, .. } if *found == place);
    let near = |nearest: &Nearest| nearest.distance.unsigned_abs() <= NEAR;
    let missed = trap.nearest.as_ref().is_some_and(near);
    (mapped && outside && !missed).then(|| {
        format!(
            "{address:#x} is memory of the host that kernels do not reach: copy it to the device, register it with \
             hipHostRegister, or allocate it with hipHostMalloc or hipMallocManaged"
        )
    })
}

/// Everything that a launch function may be given besides the kernel.
#[derive(Clone, Copy)]
pub struct Request {
    /// The shape.
    pub shape: LaunchShape,
    /// The stream.
    pub stream: Address,
    /// Pointers to arguments.
    pub parameters: In<Address>,
    /// Or arguments laid out.
    pub extra: In<Address>,
    /// Events to record before and after; 0: none.
    pub events: [Address; 2],
}

/// Launches a kernel, and waits for its end.
pub fn launch(function: &Function, request: &Request) -> Outcome {
    let kernel = function.kernel()?;
    stream::check(request.stream)?;
    if !request.parameters.is_null() && !request.extra.is_null() {
        return Err(HipError::InvalidValue);
    }
    check(kernel, &request.shape)?;
    let kernarg = if request.extra.is_null() {
        arguments::gather(kernel, request.parameters)?
    } else {
        arguments::unpack(kernel, request.extra)?
    };
    let _device = queue();
    // Another thread's kernel may have failed meanwhile.
    let failure = state().failure;
    failure.map_or(Ok(()), Err)?;
    let [start, stop] = request.events;
    if start != 0 {
        event::mark(start)?;
    }
    let record = record::begin(function, &request.shape, &kernarg, &SETTINGS.limits);
    let outcome = run(function, &request.shape, &kernarg);
    if let Some(record) = record {
        record.end(outcome.is_ok());
    }
    outcome?;
    if stop != 0 {
        event::mark(stop)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
