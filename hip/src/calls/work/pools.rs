//! The threads that a kernel's work-groups run on: kernels that run at the same time have threads of their own, so that one which waits for
//! another does not keep it from running.

use std::sync::{Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::settings;

/// Threads that no kernel runs on.
static FREE: Mutex<Vec<ThreadPool>> = Mutex::new(Vec::new());

fn free() -> std::sync::MutexGuard<'static, Vec<ThreadPool>> {
    FREE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a launch among threads that nobody else uses meanwhile; on the calling thread where the host gives none.
pub fn apart<T: Send>(launch: impl FnOnce() -> T + Send) -> T {
    if settings::threads() == 1 {
        return launch();
    }
    let kept = free().pop();
    let pool = kept.or_else(|| {
        let threads = ThreadPoolBuilder::new().num_threads(settings::threads());
        threads.build().ok()
    });
    match pool {
        Some(pool) => {
            let result = pool.install(launch);
            free().push(pool);
            result
        }
        None => launch(),
    }
}
