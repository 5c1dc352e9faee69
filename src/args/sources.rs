//! The flags that say what runs: of which files, and which cases of them.

use std::path::PathBuf;

use clap::Args;

use super::pair;
use crate::run::{Selection, Sources};

/// The flags that name kernels and how they are launched.
#[derive(Debug, Clone, Args)]
pub struct KernelArgs {
    /// Take this code object instead of the built-in one; its kernels bear the same names, or --bind says how they are launched
    #[arg(long, value_name = "FILE")]
    pub kernels: Option<PathBuf>,

    /// Launch the kernels as this file says (docs/bindings.md); may be given several times
    #[arg(long, value_name = "FILE.toml")]
    pub bind: Vec<PathBuf>,
}

/// The flags that name the files of a run of tests.
#[derive(Debug, Clone, Args)]
pub struct SourceArgs {
    /// What is launched.
    #[command(flatten)]
    pub kernels: KernelArgs,

    /// Take tests, shapes and tolerances from this file instead of the built-in phases.toml
    #[arg(long, value_name = "FILE")]
    pub registry: Option<PathBuf>,
}

/// The flags that choose cases.
#[derive(Debug, Clone, Args)]
pub struct SelectionArgs {
    /// Take only these phases: numbers and ranges, as in 6 or 1-3,6
    #[arg(long, value_name = "PHASES")]
    pub phase: Vec<String>,

    /// Take only the tests with this id or alias, or matching this glob; may be given several times [default with --bind, without --phase:
    /// those of its contracts]
    #[arg(long, value_name = "ID")]
    pub test: Vec<String>,

    /// Take only the tests that launch a kernel whose name matches this glob; may be given several times
    #[arg(long, value_name = "GLOB", value_delimiter = ',')]
    pub kernel: Vec<String>,
}

impl KernelArgs {
    /// The files, with the built-in registry.
    pub fn sources(&self) -> Sources<'_> {
        Sources {
            registry: None,
            kernels: self.kernels.as_deref(),
            bind: &self.bind,
        }
    }
}

impl SourceArgs {
    /// The files.
    pub fn sources(&self) -> Sources<'_> {
        Sources {
            registry: self.registry.as_deref(),
            ..self.kernels.sources()
        }
    }
}

impl SelectionArgs {
    /// Returns the flags as one would type them again, word by word.
    pub fn words(&self) -> Vec<String> {
        let SelectionArgs {
            phase,
            test,
            kernel,
        } = self;
        let all = [("--phase", phase), ("--test", test), ("--kernel", kernel)];
        let each = all
            .into_iter()
            .flat_map(|(flag, values)| values.iter().map(move |value| (flag, value)));
        each.flat_map(|(flag, value)| pair(flag, value)).collect()
    }

    /// Returns true where they choose nothing.
    pub fn is_empty(&self) -> bool {
        self.phase.is_empty() && self.test.is_empty() && self.kernel.is_empty()
    }

    /// The cases; those whose kernels are missing, too, where `require_all`.
    pub fn selection(&self, require_all: bool) -> Selection<'_> {
        Selection {
            phase: &self.phase,
            test: &self.test,
            kernel: &self.kernel,
            require_all,
        }
    }
}
