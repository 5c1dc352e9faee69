//! The flags of the commands that describe the command line itself: `completions`, `man`.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

/// Print the completions of a shell
///
/// For bash: deltanet-check completions bash >~/.local/share/bash-completion/completions/deltanet-check
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: Shell,
}

/// Write manual pages: one of the program, one of each command
#[derive(Debug, Args)]
pub struct ManArgs {
    /// The directory to write into, as ~/.local/share/man/man1
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
}
