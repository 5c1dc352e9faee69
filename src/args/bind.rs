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

    /// Read custom contracts from this file, and describe or list these (docs/custom-contracts.md); may be
    /// given several times
    #[arg(long, value_name = "FILE.toml")]
    pub contract: Vec<PathBuf>,

    /// Format of the result
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// Flags of `bind`.
#[derive(Debug, Clone, Args)]
pub struct BindArgs {
    /// The code object; the command prints a skeleton for each of its kernels
    #[arg(
        value_name = "FILE.co",
        required_unless_present = "from",
        conflicts_with = "from"
    )]
    pub file: Option<PathBuf>,

    /// Propose a binding from this recorded launch instead; GFX906_RECORD records launches
    /// (docs/bindings.md)
    #[arg(
        long,
        value_name = "RECORD.json",
        requires = "contract",
        conflicts_with = "kernel"
    )]
    pub from: Option<PathBuf>,

    /// The code object of the recorded kernel [default: the one that the record names]
    #[arg(long, value_name = "FILE.co", requires = "from")]
    pub kernels: Option<PathBuf>,

    /// Sizes and choices of the recorded launch, if its buffers and numbers do not show them
    #[arg(
        long,
        value_name = "NAME=VALUE",
        requires = "from",
        value_delimiter = ','
    )]
    pub size: Vec<String>,

    /// The contract that the kernels fulfil: its name, or the file of a custom contract, as FILE.toml or
    /// FILE.toml:NAME. Arguments that are named like its tensors and sizes become these tensors and sizes
    #[arg(long, value_name = "NAME")]
    pub contract: Option<String>,

    /// Take only the kernels whose name, mangled or demangled, matches this glob
    #[arg(long, value_name = "GLOB")]
    pub kernel: Option<String>,
}
