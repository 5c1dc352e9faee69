//! The flags of `judge`.

use std::path::PathBuf;

use clap::Args;

use super::{ArgError, Format};
use crate::report::model::Tolerance;

/// Judge outputs that another program computed from what `export` wrote.
///
/// The file's metadata names `test` and `seed`, as `export` writes them. The file holds `output.NAME`
/// for at least one output of the test, and may hold inputs (`input.NAME`), which must equal the inputs
/// that the seed draws. An input of bf16 or f16 is the drawn input, rounded, and the references are
/// computed from the rounded input. An output of bf16 or f16 may be off by one value of its type more
/// than the test allows, as with a binding.
#[derive(Debug, Args)]
pub struct JudgeArgs {
    /// Files of tensors
    #[arg(value_name = "FILE.safetensors", required = true)]
    pub files: Vec<PathBuf>,

    /// Take tests, shapes and tolerances from this file instead of the built-in registry
    #[arg(long, value_name = "FILE")]
    pub registry: Option<PathBuf>,

    /// Read custom contracts from this file (docs/custom-contracts.md); may be given several times
    #[arg(long, value_name = "FILE.toml")]
    pub contract: Vec<PathBuf>,

    /// Absolute tolerance of an element, instead of the test's tolerance
    #[arg(long, value_name = "X", value_parser = parse_limit)]
    pub tolerance: Option<f64>,

    /// Relative tolerance, added to --tolerance: this share of an element's right value
    #[arg(long, value_name = "X", value_parser = parse_limit, requires = "tolerance")]
    pub relative: Option<f64>,

    /// Largest relative RMS of an output as a whole, beside --tolerance
    #[arg(long, value_name = "X", value_parser = parse_limit, requires = "tolerance")]
    pub relative_rms: Option<f64>,

    /// Format of the result
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

impl JudgeArgs {
    /// Returns the tolerance that replaces the tolerances of the tests, if the flags give one.
    pub fn own_tolerance(&self) -> Option<Tolerance> {
        let absolute = self.tolerance?;
        Some(Tolerance {
            relative: self.relative.unwrap_or(0.0),
            relative_rms: self.relative_rms,
            ..Tolerance::absolute(absolute, absolute)
        })
    }
}

fn parse_limit(text: &str) -> Result<f64, ArgError> {
    let limit: f64 = text.parse().map_err(|_| ArgError::Number)?;
    if limit.is_finite() && limit >= 0.0 {
        Ok(limit)
    } else {
        Err(ArgError::Limit)
    }
}
