//! Threads for the work-groups of kernels. Kernels that run at the same time have pools of their own, so that a kernel which waits for
//! another does not block the other's threads.

use std::sync::{Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::settings;

/// Pools that no kernel uses now.
static FREE: Mutex<Vec<ThreadPool>> = Mutex::new(Vec::new());

fn free() -> std::sync::MutexGuard<'static, Vec<ThreadPool>> {
    FREE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a launch in a pool of its own, or on the calling thread if the host gives no more threads.
pub fn run_in_own_pool<T: Send>(launch: impl FnOnce() -> T + Send) -> T {
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
