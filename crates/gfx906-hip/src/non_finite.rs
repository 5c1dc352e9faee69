//! The first infinity or NaN of each kernel that is stored (`GFX906_FIRST_NONFINITE`).

use std::sync::{LazyLock, Mutex, PoisonError};

use gfx906::machine::{Counters, Gpu, Launch, LaunchError};
use gfx906::observe::{Footprint, NonFinite};

use crate::diagnostics::log;
use crate::diagnostics::trap::demangle;
use crate::objects::module::Function;
use crate::sanitize::run_counted;

/// The process's observer, and the number of kernels whose first value has been told. A value is followed from kernel to kernel, so all launches have one
/// observer and run one after another.
static OBSERVER: LazyLock<Mutex<(NonFinite, usize)>> = LazyLock::new(Mutex::default);

/// Runs a kernel to its end. The first non-finite value of each kernel that is stored to memory is logged once.
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
    for origins in non_finite.first_of_each_kernel().skip(*told) {
        log("first value that is not finite");
        for origin in origins {
            let (kernel, place) = (demangle(&origin.kernel), origin.place());
            log(format!("{kernel}: {origin}; {place}"));
        }
    }
    *told = non_finite.first_of_each_kernel().count();
    done
}
