//! A run that is interrupted says what it knows, and leaves with the code of the signal.

use std::sync::{Mutex, PoisonError};
use std::thread::Scope;

use crate::exit::{Exit, Stop};

/// What knows all that a run has found so far.
pub trait Ends: Send {
    /// Tells it and writes it: at the end of the run, or where it was interrupted.
    ///
    /// # Errors
    /// Something cannot be told or written.
    fn end(&mut self, complete: bool) -> Result<(), Stop>;
}

/// Ends the run at SIGINT or SIGTERM as long as it is there.
pub struct Interrupt {
    #[cfg(unix)]
    handle: Option<signal_hook::iterator::Handle>,
}

impl Interrupt {
    /// Waits for signals on a thread of its own. Where there can be none, a signal ends the program at once, and the reports are those
    /// that were written last.
    #[cfg(unix)]
    pub fn watch<'scope, 'env, T: Ends>(
        scope: &'scope Scope<'scope, 'env>,
        ledger: &'env Mutex<T>,
    ) -> Interrupt {
        use std::io::Write as _;
        use std::sync::Arc;
        use std::sync::atomic::{AtomicBool, Ordering};

        use signal_hook::consts::{SIGINT, SIGTERM};
        use signal_hook::flag;

        if !gfx906::allocation::has_room_for_threads(1) {
            return Interrupt { handle: None };
        }
        let ending = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // Whoever asks twice does not wait for reports.
            let _ = flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&ending));
        }
        let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]) else {
            return Interrupt { handle: None };
        };
        let handle = signals.handle();
        let wait = move || {
            let Some(signal) = signals.forever().next() else {
                return;
            };
            ending.store(true, Ordering::SeqCst);
            // Whoever holds it finishes what is being told; then the run tells nothing more.
            let mut ledger = ledger.lock().unwrap_or_else(PoisonError::into_inner);
            if let Err(stop) = ledger.end(false) {
                let _ = writeln!(std::io::stderr(), "error: {}", stop.message);
            }
            let number = u8::try_from(signal).unwrap_or(0);
            std::process::exit(Exit::Signal(number).code().into());
        };
        match std::thread::Builder::new().spawn_scoped(scope, wait) {
            Ok(_) => Interrupt {
                handle: Some(handle),
            },
            Err(_) => Interrupt { handle: None },
        }
    }

    /// Signals are none where there is no Unix.
    #[cfg(not(unix))]
    pub fn watch<'scope, 'env, T: Ends>(
        _: &'scope Scope<'scope, 'env>,
        _: &'env Mutex<T>,
    ) -> Interrupt {
        Interrupt {}
    }
}

/// The thread ends, and the scope with it.
impl Drop for Interrupt {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(handle) = &self.handle {
            handle.close();
        }
    }
}
