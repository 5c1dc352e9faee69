//! The flags of the commands that read code: `inspect`, `disasm`, `lint`, `isa`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use gfx906::observe::sanitize::Check;

use super::Format;

/// List the kernels of a code object: arguments, registers, LDS, target.
#[derive(Debug, Args)]
pub struct InspectArgs {
    /// Code object: ELF, offload bundle (compressed or not), or a host program with one bundle in it
    #[arg(value_name = "FILE.co")]
    pub file: PathBuf,

    /// Format of the result
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// Print the code of a code object, or of hex bytes, as text.
#[derive(Debug, Args)]
pub struct DisasmArgs {
    /// Code object: ELF, offload bundle (compressed or not), or a host program with one bundle in it
    #[arg(
        value_name = "FILE.co",
        required_unless_present = "hex",
        conflicts_with = "hex"
    )]
    pub file: Option<PathBuf>,

    /// Print this kernel or function only
    #[arg(long, value_name = "K", conflicts_with = "hex")]
    pub kernel: Option<String>,

    /// Read one instruction per line from this file, as hex bytes in memory order (`-` reads standard
    /// input), and print one line for each instruction: its text, or `invalid` if the bytes are not
    /// exactly one instruction
    #[arg(long, value_name = "FILE")]
    pub hex: Option<PathBuf>,
}

/// Look for missing waits and wait states on every path through the code, without running it.
#[derive(Debug, Args)]
pub struct LintArgs {
    /// Code object: ELF, offload bundle (compressed or not), or a host program with one bundle in it
    #[arg(value_name = "FILE.co")]
    pub file: PathBuf,

    /// Look at this kernel or function only
    #[arg(long, value_name = "K")]
    pub kernel: Option<String>,

    /// Checks to make
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = LintCheck::ALL)]
    pub check: Vec<LintCheck>,

    /// Format of the result
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

/// The checks of `lint`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum LintCheck {
    /// Registers that are used before a load into them, or a store from them, has finished
    Wait,
    /// Instructions that follow each other too closely
    Hazard,
}

impl LintCheck {
    const ALL: [LintCheck; 2] = [LintCheck::Wait, LintCheck::Hazard];

    /// Returns the sanitizer's check of the same name.
    pub fn check(self) -> Check {
        match self {
            LintCheck::Wait => Check::Wait,
            LintCheck::Hazard => Check::Hazard,
        }
    }
}

/// Say how much of the gfx906 instruction set is decoded and runs.
#[derive(Debug, Args)]
pub struct IsaArgs {
    /// Count instructions by encoding: how many are listed, how many are decoded, how many run, and how
    /// many stop with a trap that names them
    #[arg(long, required_unless_present = "missing")]
    pub coverage: bool,

    /// List the instructions that do not run, and why
    #[arg(long)]
    pub missing: bool,
}
