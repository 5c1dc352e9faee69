//! The flags of `explain`.

use std::path::PathBuf;

use clap::Args;

use super::{Format, SourceArgs};

/// Say what one element of an output came from: the instructions behind its value, back to the inputs, and
/// where this departs from the reference.
///
/// The test runs once under observation. From the element's bytes every value is followed back through the
/// instructions that made it, lane by lane, through LDS, scratch and memory, to elements of tensors. Addresses,
/// EXEC and branches are not followed: they choose values, and are no part of them.
#[derive(Debug, Clone, Args)]
pub struct ExplainArgs {
    /// The test
    #[arg(long, value_name = "ID")]
    pub test: String,

    /// The element, as in `o[0,5,1,17]` [default: the one with the largest error for what it is allowed]
    #[arg(long, value_name = "NAME[I,…]")]
    pub element: Option<String>,

    /// Flags that name the files of the test.
    #[command(flatten)]
    pub sources: SourceArgs,

    /// Seed of the test's inputs
    #[arg(long, value_name = "N", default_value = "0")]
    pub seed: String,

    /// Format of the result
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,

    /// Write the result to this file as well, in the format of its extension: .json, or .html with a picture
    /// of the graph; may be given several times
    #[arg(long, value_name = "FILE")]
    pub report: Vec<PathBuf>,
}
