//! A ledger of the costs of launches, in order.

use std::sync::{Mutex, MutexGuard, PoisonError};

use gfx906::observe::Costs;
use gfx906::observe::costs::Latencies;

use crate::device::Launch;

/// A finished launch and its costs.
pub struct LaunchCosts {
    /// The kernel.
    pub kernel: String,
    /// Work-groups in x, y, z.
    pub grid: [u32; 3],
    /// Work-items of a work-group in x, y, z.
    pub block: [u32; 3],
    /// Bytes of dynamic LDS.
    pub dynamic_lds: u32,
    /// The costs of the launch.
    pub costs: Costs,
}

/// The launches of a run, in the order in which they ended.
pub struct Ledger {
    latencies: Latencies,
    launches: Mutex<Vec<LaunchCosts>>,
}

impl Ledger {
    /// Makes an empty ledger; dependency chains are charged with `latencies`.
    pub fn new(latencies: Latencies) -> Ledger {
        Ledger {
            latencies,
            launches: Mutex::default(),
        }
    }

    /// Takes out all launches so far.
    pub fn take(&self) -> Vec<LaunchCosts> {
        std::mem::take(&mut *self.lock())
    }

    /// Makes an observer for a launch.
    pub(in crate::device) fn open(&self) -> Costs {
        Costs::new(self.latencies)
    }

    /// Enters a launch that came to its end.
    pub(in crate::device) fn enter(&self, launch: &Launch<'_>, mut costs: Costs) {
        costs.finish();
        self.lock().push(LaunchCosts {
            kernel: launch.kernel.to_owned(),
            grid: launch.grid,
            block: launch.block,
            dynamic_lds: launch.dynamic_lds,
            costs,
        });
    }

    fn lock(&self) -> MutexGuard<'_, Vec<LaunchCosts>> {
        self.launches.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
