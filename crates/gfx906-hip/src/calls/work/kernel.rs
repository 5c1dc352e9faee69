//! Execution of kernels, and messages about failed ones.

use std::sync::PoisonError;

use gfx906::machine::{AddressProblem, Launch, LaunchError, Nearest, Trap, TrapKind};
use gfx906::observe::Footprint;
use gfx906::observe::sanitize::find_argument;

use super::pools;
use crate::boundary::Address;
use crate::calls::record::{self, Record};
use crate::diagnostics::{self, log, messages, summary, trap};
use crate::error::{HipError, HipResult};
use crate::host;
use crate::non_finite;
use crate::objects::module;
use crate::objects::work::Kernel;
use crate::runtime::state;
use crate::sanitize;
use crate::settings::{self, LaunchSettings};

/// Runs a kernel to its end. Records the launch if recording is on.
pub fn run(kernel: &Kernel) -> HipResult {
    let settings = settings::launches();
    let record = record::begin(kernel, &settings.limits);
    let mut footprint = record.as_ref().map(Record::footprint);
    let outcome = launch(kernel, &settings, &mut footprint);
    if let (Some(record), Some(footprint)) = (record, footprint) {
        record.end(&footprint, outcome.is_ok());
    }
    if outcome == Err(HipError::LaunchFailure) && settings::ABORT.is_on() {
        diagnostics::abort(settings::ABORT.name());
    }
    outcome
}

fn launch(
    work: &Kernel,
    settings: &LaunchSettings,
    footprint: &mut Option<Footprint>,
) -> HipResult {
    let function = &work.function;
    let launch = Launch {
        grid: work.shape.grid,
        block: work.shape.block,
        dynamic_lds: work.shape.dynamic_lds as u32,
        kernarg: &work.kernarg,
        limits: settings.limits,
        threads: settings.threads,
    };
    let (gpu, requests) = {
        let state = state();
        (state.gpu.clone(), state.requests.get())
    };
    let kernel = function.kernel()?;
    let mut start = || {
        let mut run = || match settings::FIRST_NONFINITE.is_on() {
            true => non_finite::launch(&gpu, function, &launch, work.cooperative, footprint),
            false => sanitize::launch(&gpu, function, &launch, work.cooperative, footprint),
        };
        // A single work-group runs on the calling thread.
        match launch.grid {
            [1, 1, 1] => run(),
            _ => pools::run_in_own_pool(run),
        }
    };
    let result = match requests.filter(|_| module::asks_host(kernel)) {
        Some(host) => host.run_and_serve(start)?,
        None => start(),
    };
    let instructions = result.as_ref().ok().map(|counters| counters.instructions);
    summary::count_launch(&function.name, instructions);
    match result {
        Ok(_) => Ok(()),
        Err(LaunchError::Invalid(what)) => {
            log(trap::demangle_quoted(&what));
            Err(HipError::InvalidConfiguration)
        }
        Err(LaunchError::NoMemory(what)) => {
            log(what);
            Err(HipError::OutOfMemory)
        }
        Err(LaunchError::Trap(mut found)) => {
            // Nobody would answer the requests of a second run.
            let in_freed = |address| state().memory.freed_at(address).is_some();
            if !module::asks_host(kernel) && !found.address.is_some_and(in_freed) {
                let module = &function.loaded.module;
                pools::run_in_own_pool(|| {
                    find_argument(&gpu, module, &launch, work.cooperative, &mut found);
                });
            }
            if let (TrapKind::MemoryFault { .. }, Some(address)) = (&found.kind, found.address) {
                found.freed = state().memory.freed_at(address).cloned();
            }
            messages::keep_trap(&found);
            if found.freed.is_some() && sanitize::has_told(&function.name, found.pc) {
                let kernel = trap::demangle(&function.name);
                log(format!("`{kernel}` ends there: {}", found.title()));
                return Err(HipError::LaunchFailure);
            }
            let lines = function.loaded.lines.as_ref();
            let lines = lines.map(|lines| lines.lock().unwrap_or_else(PoisonError::into_inner));
            trap::log_trap(&found, lines.as_deref());
            if let Some(hint) = hint(&found) {
                log(hint);
            }
            Err(HipError::LaunchFailure)
        }
    }
}

/// Returns advice for a trap whose report does not say what the user can do.
fn hint(trap: &Trap) -> Option<String> {
    if matches!(trap.kind, TrapKind::Hang { .. }) {
        return Some(format!(
            "{}N allows N wave instructions a launch, Ns as many CPU seconds",
            settings::budget_flag()
        ));
    }
    let (TrapKind::MemoryFault { .. }, Some(address)) = (&trap.kind, trap.address) else {
        return None;
    };
    unreached(trap, address, host::is_mapped(address, 1))
}

/// Bytes around an allocation within which a bad address is taken for an index beyond its end.
const NEAR: u128 = 4096;

/// Returns a hint for a kernel that got host memory which kernels cannot reach. An address near an allocation that kernels do reach gives
/// no hint.
pub(super) fn unreached(trap: &Trap, address: Address, mapped: bool) -> Option<String> {
    let place = AddressProblem::Outside;
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
