//! The environment of a run: time, machine, command line and files.

use serde::{Deserialize, Serialize};

/// The time, the machine, the command line and the files of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnvironmentReport {
    /// The time at which the run began: `2026-01-31T12:00:00Z`.
    pub started: String,
    /// The machine that the run was on.
    pub host: HostReport,
    /// The command line, word by word.
    pub command: Vec<String>,
    /// The registry of the tests; none where the tests are of no registry.
    pub registry: Option<SourceReport>,
    /// The files that say how kernels are launched.
    pub bindings: Vec<SourceReport>,
    /// The kernels of the code object and the resources that each of them needs, by name.
    pub kernels: Vec<KernelReport>,
    /// Files and flags that decide the verdicts. `--failed` runs tests again with them. None where the command is not a run of tests.
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
    /// The files of custom contracts; absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contract: Vec<SourceReport>,
    /// The files that the values of custom contracts come from; absent if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<SourceReport>,
    /// The other flags, word by word.
    pub flags: Vec<String>,
}

/// A machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostReport {
    /// The machine's name in its network; none where the machine has none.
    pub name: Option<String>,
    /// The operating system: `linux`.
    pub os: String,
    /// The processor: `x86_64`, `aarch64`.
    pub architecture: String,
    /// Threads that the machine runs at once.
    pub threads: usize,
}

/// A file that selects the tests or their launches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceReport {
    /// The path of the file; for a built-in file its path in the repository.
    pub path: String,
    /// SHA-256 of the file's bytes, in lower-case hex.
    pub sha256: String,
}

/// The resources of the device that a kernel of a code object needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelReport {
    /// The kernel's name.
    pub name: String,
    /// VGPRs that each lane has.
    pub vgprs: u32,
    /// SGPRs that each wave has.
    pub sgprs: u32,
    /// VGPRs spilled to memory.
    pub vgpr_spills: u32,
    /// SGPRs spilled to memory.
    pub sgpr_spills: u32,
    /// Bytes of static LDS that each work-group has.
    pub lds: u32,
    /// Bytes of scratch that each work-item has.
    pub scratch: u32,
    /// Bytes of code.
    pub code: u64,
    /// The largest number of work-items of a work-group that the kernel was compiled for.
    pub max_work_group: u32,
}
