//! Files that are generated from the command line itself: completions of shells, manual pages.

use clap::CommandFactory as _;

use super::Cli;
use crate::args::{CompletionsArgs, ManArgs};
use crate::exit::{Exit, Stop};
use crate::text::{print, shown};

/// Prints the completions of a shell.
pub(super) fn completions(args: &CompletionsArgs) -> Result<Exit, Stop> {
    let mut script = Vec::new();
    clap_complete::generate(
        args.shell,
        &mut Cli::command(),
        "deltanet-check",
        &mut script,
    );
    let script = String::from_utf8_lossy(&script);
    // clap_complete escapes the hyphen of the program's name in two ways. Without this replacement bash
    // completes no flag of a subcommand.
    print(&script.replace("deltanet__subcmd__check", "deltanet__check"))?;
    Ok(Exit::Passed)
}

/// Writes manual pages.
pub(super) fn man(args: &ManArgs) -> Result<Exit, Stop> {
    let directory = &args.directory;
    let written = std::fs::create_dir_all(directory)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), directory));
    written.map_err(|error| {
        Stop::setup(format!(
            "cannot write manual pages to {}: {error}; name a directory",
            shown(directory)
        ))
    })?;
    Ok(Exit::Passed)
}
