//! Feature levels of the host.

use std::sync::OnceLock;

/// A feature level of the host, which selects the vector instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Any host.
    Baseline,
    /// x86-64-v3.
    V3,
    /// x86-64-v4.
    V4,
}

impl Level {
    /// Returns the best level that this host supports.
    pub fn host() -> Level {
        static LEVEL: OnceLock<Level> = OnceLock::new();
        *LEVEL.get_or_init(detect)
    }
}

#[cfg(target_arch = "x86_64")]
fn detect() -> Level {
    macro_rules! has { ($($f:tt)*) => { $(std::arch::is_x86_feature_detected!($f))&&* } }
    if !has!("avx2" "fma" "bmi1" "bmi2" "f16c" "lzcnt" "popcnt") {
        Level::Baseline
    } else if has!("avx512f" "avx512bw" "avx512dq" "avx512vl" "avx512cd") {
        Level::V4
    } else {
        Level::V3
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn detect() -> Level {
    Level::Baseline
}
