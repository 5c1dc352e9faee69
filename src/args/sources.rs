//! The flags that name the files of a run, and select its cases.

use std::path::PathBuf;

use clap::Args;

use super::pair;
use crate::run::{Selection, Sources};

/// The flags that name kernels and how they are launched.
#[derive(Debug, Clone, Args)]
pub struct KernelArgs {
    /// Test this code object instead of the built-in one. Its kernels have the names of the built-in
    /// kernels, or --bind says how to launch them
    #[arg(long, value_name = "FILE")]
    pub kernels: Option<PathBuf>,

    /// Launch the kernels as this file says (docs/bindings.md); may be given several times
    #[arg(long, value_name = "FILE.toml")]
    pub bind: Vec<PathBuf>,

    /// Read custom contracts from this file (docs/custom-contracts.md); may be given several times
    #[arg(long, value_name = "FILE.toml")]
    pub contract: Vec<PathBuf>,
}

/// The flags that name the files of a run of tests.
#[derive(Debug, Clone, Args)]
pub struct SourceArgs {
    /// Flags that name the kernels and their bindings.
    #[command(flatten)]
    pub kernels: KernelArgs,

    /// Take tests, shapes and tolerances from this file instead of the built-in registry
    #[arg(long, value_name = "FILE")]
    pub registry: Option<PathBuf>,
}

/// The flags that select cases.
#[derive(Debug, Clone, Args)]
pub struct SelectionArgs {
    /// Take only these phases: numbers and ranges, as in 6 or 1-3,6
    #[arg(long, value_name = "PHASES")]
    pub phase: Vec<String>,

    /// Take only the tests whose id or alias is this, or matches this glob; may be given several times
    /// [default with --bind, without --phase and --kernel: the tests of the bound contracts]
    #[arg(long, value_name = "ID")]
    pub test: Vec<String>,

    /// Take only the tests that launch a kernel whose name matches this glob; may be given several times
    #[arg(long, value_name = "GLOB")]
    pub kernel: Vec<String>,
}

impl KernelArgs {
    /// Returns the files that the flags name, with the built-in registry.
    pub fn sources(&self) -> Sources<'_> {
        Sources {
            registry: None,
            kernels: self.kernels.as_deref(),
            bind: &self.bind,
            contract: &self.contract,
        }
    }
}

impl SourceArgs {
    /// Returns the files that the flags name.
    pub fn sources(&self) -> Sources<'_> {
        Sources {
            registry: self.registry.as_deref(),
            ..self.kernels.sources()
        }
    }
}

impl SelectionArgs {
    /// Returns the flags as the words of a command line.
    pub fn words(&self) -> Vec<String> {
        let SelectionArgs {
            phase,
            test,
            kernel,
        } = self;
        let flags = [("--phase", phase), ("--test", test), ("--kernel", kernel)];
        let pairs = flags
            .into_iter()
            .flat_map(|(flag, values)| values.iter().map(move |value| (flag, value)));
        pairs.flat_map(|(flag, value)| pair(flag, value)).collect()
    }

    /// Returns true if the flags select nothing.
    pub fn is_empty(&self) -> bool {
        self.selection(false).is_whole()
    }

    /// Returns the selection of cases. With `require_all` it includes cases whose kernels are missing.
    pub fn selection(&self, require_all: bool) -> Selection<'_> {
        Selection {
            phase: &self.phase,
            test: &self.test,
            kernel: &self.kernel,
            require_all,
        }
    }
}
