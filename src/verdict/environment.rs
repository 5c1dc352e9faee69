//! Where, when and of what a report was made.

use serde::{Deserialize, Serialize};

/// Where, when and of what.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnvironmentReport {
    /// When the run began: `2026-01-31T12:00:00Z`.
    pub started: String,
    /// The machine it ran on.
    pub host: HostReport,
    /// The command line, word by word.
    pub command: Vec<String>,
    /// The tests; none where they are of no registry.
    pub registry: Option<SourceReport>,
    /// How kernels are launched.
    pub bindings: Vec<SourceReport>,
    /// What the kernels of the code object take of the device, by name.
    pub kernels: Vec<KernelReport>,
    /// Files and flags that decide the verdicts, by which `--failed` runs tests again; none of other commands than a run.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub settings: Option<SettingsReport>,
}

/// The files and flags that decide the verdicts of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingsReport {
    /// The directory that relative paths start from.
    pub directory: String,
    /// The file of `--kernels`, as it was named.
    pub kernels: Option<SourceReport>,
    /// The file of `--registry`.
    pub registry: Option<SourceReport>,
    /// The files of `--bind`, in their order.
    pub bind: Vec<SourceReport>,
    /// The other flags, word by word.
    pub flags: Vec<String>,
}

/// A machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostReport {
    /// Its name in its network; none where it tells none.
    pub name: Option<String>,
    /// `linux`.
    pub os: String,
    /// `x86_64`, `aarch64`.
    pub architecture: String,
    /// Threads that it runs at once.
    pub threads: usize,
}

/// A file that says what is tested, or how.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceReport {
    /// Where it came from: a path, or that of a built-in one in the repository.
    pub path: String,
    /// SHA-256 of its bytes, in lower-case hex.
    pub sha256: String,
}

/// What a kernel of a code object takes of the device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelReport {
    /// Its name.
    pub name: String,
    /// VGPRs of a lane.
    pub vgprs: u32,
    /// SGPRs of a wave.
    pub sgprs: u32,
    /// VGPRs spilled to memory.
    pub vgpr_spills: u32,
    /// SGPRs spilled.
    pub sgpr_spills: u32,
    /// Bytes of static LDS of a work-group.
    pub lds: u32,
    /// Bytes of scratch of a work-item.
    pub scratch: u32,
    /// Bytes of code.
    pub code: u64,
    /// Work-items of a work-group that it was compiled for, at most.
    pub max_work_group: u32,
}
