//! The end of a run by a signal: the run reports its results so far, and exits with the signal's code.

use std::sync::Mutex;
#[cfg(unix)]
use std::sync::{
    Arc, PoisonError,
    atomic::{AtomicBool, Ordering},
};
use std::thread::Scope;

use crate::exit::{Exit, Stop};

/// An owner of all results that a run has found so far.
pub trait RunResults: Send {
    /// Prints and writes the results: at the end of the run (`complete`), or when it is interrupted.
    ///
    /// # Errors
    /// The results cannot be printed or written.
    fn end(&mut self, complete: bool) -> Result<(), Stop>;
}

/// Handlers of SIGINT and SIGTERM. They are installed before the first report is written, and wait for [`ArmedSignals::watch`].
pub struct ArmedSignals {
    #[cfg(unix)]
    signals: Option<(signal_hook::iterator::Signals, Arc<AtomicBool>)>,
}

impl ArmedSignals {
    /// Arms the signal handlers. If no waiting thread can be started, a signal ends the program at once, and the
    /// reports written last remain.
    #[cfg(unix)]
    pub fn now() -> ArmedSignals {
        use signal_hook::consts::{SIGINT, SIGTERM};

        if !gfx906::allocation::has_room_for_threads(1) {
            return ArmedSignals { signals: None };
        }
        let ending = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // A second signal ends the program without waiting for reports.
            let again = Arc::clone(&ending);
            let _ = signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, again);
        }
        let signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]);
        ArmedSignals {
            signals: signals.ok().map(|signals| (signals, ending)),
        }
    }

    /// Does nothing, because only Unix has signals.
    #[cfg(not(unix))]
    pub fn now() -> ArmedSignals {
        ArmedSignals {}
    }

    /// Ends the run at the first signal, on a thread of its own.
    #[cfg(unix)]
    pub fn watch<'scope, 'env, T: RunResults>(
        self,
        scope: &'scope Scope<'scope, 'env>,
        ledger: &'env Mutex<T>,
    ) -> Interrupt {
        use std::io::Write as _;

        let Some((mut signals, ending)) = self.signals else {
            return Interrupt { handle: None };
        };
        let handle = signals.handle();
        let (here, arrived) = std::sync::mpsc::channel();
        let wait = move || {
            // The thread has what it allocates at its start, and the caller goes on.
            let _ = here.send(());
            let Some(signal) = signals.forever().next() else {
                return;
            };
            ending.store(true, Ordering::SeqCst);
            // The lock's holder finishes its output first; afterwards the run reports nothing more.
            let mut ledger = ledger.lock().unwrap_or_else(PoisonError::into_inner);
            if let Err(stop) = ledger.end(false) {
                let _ = writeln!(std::io::stderr(), "error: {}", stop.message);
            }
            let number = u8::try_from(signal).unwrap_or(0);
            std::process::exit(Exit::Signal(number).code().into());
        };
        match std::thread::Builder::new().spawn_scoped(scope, wait) {
            Ok(_) => {
                let _ = arrived.recv();
                Interrupt {
                    handle: Some(handle),
                }
            }
            Err(_) => Interrupt { handle: None },
        }
    }

    /// Does nothing, because only Unix has signals.
    #[cfg(not(unix))]
    pub fn watch<'scope, 'env, T: RunResults>(
        self,
        _: &'scope Scope<'scope, 'env>,
        _: &'env Mutex<T>,
    ) -> Interrupt {
        Interrupt {}
    }
}

/// A guard that lets SIGINT and SIGTERM end the run until it is dropped.
pub struct Interrupt {
    #[cfg(unix)]
    handle: Option<signal_hook::iterator::Handle>,
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
