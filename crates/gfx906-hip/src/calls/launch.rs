//! Launches: checks of launch shape and arguments, and submission of the kernel to its stream.

mod arguments;
pub mod cooperative;
pub mod entries;
pub mod extended;
pub mod pending;

use gfx906::code_object::{self, LaunchShape, ShapeProblem};

use crate::boundary::{Address, In};
use crate::calls::{event, submit};
use crate::diagnostics::log;
use crate::diagnostics::trap::demangle_quoted;
use crate::error::{HipError, HipResult};
use crate::generation::{Generation, generation};
use crate::objects::module::Function;
use crate::objects::work::{Kernel, Work};

/// Checks a launch shape and translates each problem to HIP's error code.
fn check(kernel: &code_object::Kernel, shape: &LaunchShape) -> HipResult {
    let Err(error) = shape.check(kernel) else {
        return Ok(());
    };
    log(demangle_quoted(&error.to_string()));
    Err(match error.problem {
        ShapeProblem::Empty { .. } | ShapeProblem::Lds { .. } => HipError::InvalidValue,
        ShapeProblem::Bounds { .. } => HipError::LaunchFailure,
        ShapeProblem::Block { .. }
        | ShapeProblem::Required { .. }
        | ShapeProblem::Grid { .. }
        | ShapeProblem::Scratch { .. } => HipError::InvalidConfiguration,
    })
}

/// Arguments of a launch function besides the kernel.
#[derive(Clone, Copy)]
pub struct LaunchRequest {
    /// Launch shape.
    pub shape: LaunchShape,
    /// Stream.
    pub stream: Address,
    /// Pointers to the arguments.
    pub parameters: In<Address>,
    /// Arguments in their final layout, as an alternative to the pointers.
    pub extra: In<Address>,
    /// Events to record before and after; 0 for none.
    pub events: [Address; 2],
    /// True if all work-groups must be resident.
    pub cooperative: bool,
}

impl LaunchRequest {
    /// Returns a launch of work-groups without arguments.
    pub fn new(
        grid: impl Into<[u32; 3]>,
        block: impl Into<[u32; 3]>,
        dynamic_lds: u64,
        stream: Address,
    ) -> LaunchRequest {
        LaunchRequest {
            shape: LaunchShape {
                grid: grid.into(),
                block: block.into(),
                dynamic_lds,
            },
            stream,
            parameters: In::null(),
            extra: In::null(),
            events: [0; 2],
            cooperative: false,
        }
    }
}

/// Checks a launch and reads the arguments as they are now.
pub fn prepare(function: &Function, named: Address, request: &LaunchRequest) -> HipResult<Kernel> {
    let kernel = function.kernel()?;
    if !request.parameters.is_null() && !request.extra.is_null() {
        return Err(HipError::InvalidValue);
    }
    check(kernel, &request.shape)?;
    if request.cooperative {
        cooperative::check(kernel, &request.shape)?;
    }
    let kernarg = if request.extra.is_null() {
        arguments::gather(kernel, request.parameters)?
    } else {
        arguments::unpack(kernel, request.extra)?
    };
    Ok(Kernel {
        function: function.clone(),
        named,
        shape: request.shape,
        kernarg: kernarg.into(),
        cooperative: request.cooperative,
    })
}

/// Checks the stream. Launches of all groups at a time have HIP's usual error code for a stream that does not exist, others have one of their
/// own from HIP 6 on.
fn check_stream(request: &LaunchRequest) -> HipResult {
    submit::check(request.stream).map_err(|error| match error {
        HipError::ContextIsDestroyed if generation() != Generation::Five => HipError::InvalidValue,
        error => error,
    })
}

/// Submits a kernel to its stream.
pub fn launch(function: &Function, named: Address, request: &LaunchRequest) -> HipResult {
    check_stream(request)?;
    let kernel = prepare(function, named, request)?;
    let [start, stop] = request.events;
    for event in [start, stop] {
        if event != 0 {
            event::check(event).map_err(|_| HipError::InvalidValue)?;
        }
    }
    if start != 0 {
        event::record(start, request.stream)?;
    }
    submit::submit(request.stream, Work::Kernel(kernel))?;
    if stop != 0 {
        event::record(stop, request.stream)?;
    }
    Ok(())
}
