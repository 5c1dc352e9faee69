//! The first infinity or NaN that a kernel stores (`GFX906_FIRST_NONFINITE`).

use std::sync::{LazyLock, Mutex, PoisonError};

use gfx906::machine::{Counters, Gpu, Launch, LaunchError};
use gfx906::observe::{Footprint, NonFinite};

use crate::diagnostics;
use crate::objects::module::Function;
use crate::sanitize::run_counted;

/// The process's observer, and whether it has told the first value. A value is followed from kernel to kernel, so all launches have one
/// observer and run one after another.
static OBSERVER: LazyLock<Mutex<(NonFinite, bool)>> = LazyLock::new(Mutex::default);

/// Runs a kernel to its end. The first non-finite value of the process that is stored to memory is logged once.
pub fn launch(
    gpu: &Gpu,
    function: &Function,
    launch: &Launch<'_>,
    cooperative: bool,
    footprint: &mut Option<Footprint>,
) -> Result<Counters, LaunchError> {
    let mut observer = OBSERVER.lock().unwrap_or_else(PoisonError::into_inner);
    let (non_finite, told) = &mut *observer;
    let (done, _) = run_counted(
        gpu,
        function,
        launch,
        cooperative,
        footprint,
        &mut *non_finite,
    );
    if let Some(lines) = &function.loaded.lines {
        let lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
        non_finite.look_up(&function.name, &lines);
    }
    let origins = non_finite.first_origins();
    if !*told && !origins.is_empty() {
        diagnostics::log("first value that is not finite".to_owned());
        for origin in origins {
            let (kernel, place) = (&origin.kernel, origin.place());
            diagnostics::log(format!("{kernel}: {origin}; {place}"));
        }
        *told = true;
    }
    done
}
