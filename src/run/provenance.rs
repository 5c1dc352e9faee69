//! The provenance of a run: host, time, command line, registry, bindings and kernels.

use std::collections::BTreeMap;
use std::time::SystemTime;

use crate::binding::{Binding, built_in};
use crate::files::{FileError, sha256};
use crate::program::Program;
use crate::report::model::{EnvironmentReport, HostReport, KernelReport, SourceReport};

use super::Setup;

/// Describes the environment of a run that begins now. The bindings are a user's; the built-in ones are
/// added.
///
/// # Errors
/// A built-in binding cannot be read, which a test of this crate excludes.
pub fn environment<'a>(
    program: &Program,
    bindings: impl IntoIterator<Item = &'a Binding>,
    registry: Option<SourceReport>,
) -> Result<EnvironmentReport, FileError> {
    Ok(EnvironmentReport {
        started: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        host: host(),
        command: std::env::args_os()
            .map(|word| word.to_string_lossy().into_owned())
            .collect(),
        registry,
        bindings: sources(bindings.into_iter().chain(built_in()?)),
        kernels: kernels(program),
        settings: None,
    })
}

impl Setup {
    /// Describes the environment of a run that begins now.
    ///
    /// # Errors
    /// A built-in binding cannot be read, which a test of this crate excludes.
    pub fn environment(&self) -> Result<EnvironmentReport, FileError> {
        let user = self.bindings.iter().map(|(binding, _)| binding);
        environment(self.program(), user, Some(self.registry.source.clone()))
    }
}

/// Returns the file of each binding once, in the order of the bindings.
fn sources<'a>(bindings: impl Iterator<Item = &'a Binding>) -> Vec<SourceReport> {
    let mut sources: Vec<SourceReport> = Vec::new();
    for binding in bindings {
        let path = &binding.source.name;
        if !sources.iter().any(|known| known.path == *path) {
            sources.push(SourceReport {
                path: path.clone(),
                sha256: sha256(binding.source.text.as_bytes()),
            });
        }
    }
    sources
}

fn host() -> HostReport {
    #[cfg(unix)]
    let name = {
        let names = rustix::system::uname();
        Some(names.nodename().to_string_lossy().into_owned())
    };
    #[cfg(not(unix))]
    let name = std::env::var("COMPUTERNAME").ok();
    HostReport {
        name,
        os: std::env::consts::OS.into(),
        architecture: std::env::consts::ARCH.into(),
        threads: std::thread::available_parallelism().map_or(1, usize::from),
    }
}

fn kernels(program: &Program) -> Vec<KernelReport> {
    let kernels = program.object.kernels.iter().map(|kernel| {
        let report = KernelReport {
            name: kernel.name.clone(),
            vgprs: kernel.vgpr_count,
            sgprs: kernel.sgpr_count,
            vgpr_spills: kernel.vgpr_spill_count,
            sgpr_spills: kernel.sgpr_spill_count,
            lds: kernel.lds_size,
            scratch: kernel.private_segment_size,
            code: kernel.code_size,
            max_work_group: kernel.max_flat_work_group_size,
        };
        (report.name.clone(), report)
    });
    let by_name: BTreeMap<String, KernelReport> = kernels.collect();
    by_name.into_values().collect()
}
