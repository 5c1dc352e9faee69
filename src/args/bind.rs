//! The flags of `contracts` and `bind`.

use std::path::PathBuf;

use clap::Args;

use super::Format;

/// Flags of `contracts`.
#[derive(Debug, Clone, Args)]
pub struct ContractsArgs {
    /// The contract to describe [default: list all]
    #[arg(value_name = "NAME")]
    pub name: Option<String>,

    /// How it is printed
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// Flags of `bind`.
#[derive(Debug, Clone, Args)]
pub struct BindArgs {
    /// The code object whose kernels get a skeleton each
    #[arg(
        value_name = "FILE.co",
        required_unless_present = "from",
        conflicts_with = "from"
    )]
    pub file: Option<PathBuf>,

    /// Propose a binding from this launch instead, as GFX906_RECORD records them (docs/bindings.md)
    #[arg(
        long,
        value_name = "RECORD.json",
        requires = "contract",
        conflicts_with = "kernel"
    )]
    pub from: Option<PathBuf>,

    /// The code object of the recorded kernel [default: the record's own]
    #[arg(long, value_name = "FILE.co", requires = "from")]
    pub kernels: Option<PathBuf>,

    /// Sizes and choices of the recorded call, where its buffers and numbers do not tell them
    #[arg(
        long,
        value_name = "NAME=VALUE",
        requires = "from",
        value_delimiter = ','
    )]
    pub size: Vec<String>,

    /// What its kernels compute: arguments with names of its tensors and sizes are filled in
    #[arg(long, value_name = "NAME")]
    pub contract: Option<String>,

    /// Only kernels whose name, as written or demangled, matches this glob
    #[arg(long, value_name = "GLOB")]
    pub kernel: Option<String>,
}
