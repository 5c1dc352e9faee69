//! What is recorded of launches, where, and how much of it so far.

mod code;
pub mod files;
pub mod settings;

use std::collections::HashSet;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

pub use code::Code;
use settings::Settings;

/// What the environment says; nothing is recorded without.
pub static SETTINGS: LazyLock<Option<Settings>> = LazyLock::new(Settings::of_environment);

/// What has been recorded so far.
#[derive(Default)]
pub struct Progress {
    /// Bytes written.
    pub written: u64,
    /// The number of the last record.
    pub number: u32,
    /// What was told, and is not told again.
    pub told: HashSet<&'static str>,
    /// Something could not be written: nothing more is.
    pub ended: bool,
}

static PROGRESS: LazyLock<Mutex<Progress>> = LazyLock::new(Mutex::default);

/// What has been recorded so far.
pub fn progress() -> MutexGuard<'static, Progress> {
    PROGRESS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether launches are recorded at all.
pub fn is_on() -> bool {
    SETTINGS.is_some() && !progress().ended
}
