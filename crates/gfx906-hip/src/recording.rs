//! Recording of launches: settings, files and progress.

mod code;
pub mod files;
pub mod settings;

use std::collections::HashSet;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

pub use code::RecordedCode;
use settings::RecordingSettings;

/// Settings of the environment. Nothing is recorded without them.
pub static SETTINGS: LazyLock<Option<RecordingSettings>> =
    LazyLock::new(RecordingSettings::of_environment);

/// Progress of the recording.
#[derive(Default)]
pub struct Progress {
    /// Bytes written.
    pub written: u64,
    /// Number of the last record.
    pub number: u32,
    /// Messages that have been logged and are not repeated.
    pub told: HashSet<&'static str>,
    /// True after a failed write: nothing more is written.
    pub ended: bool,
}

static PROGRESS: LazyLock<Mutex<Progress>> = LazyLock::new(Mutex::default);

/// Returns the progress of the recording.
pub fn progress() -> MutexGuard<'static, Progress> {
    PROGRESS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns true if launches are recorded.
pub fn is_on() -> bool {
    SETTINGS.is_some() && !progress().ended
}
