//! The flags of `judge`.

use std::path::PathBuf;

use clap::Args;

use super::Format;
use crate::verdict::Tolerance;

/// Judge outputs that another program computed from what `export` wrote.
///
/// The file's metadata names `test` and `seed`, as `export` writes them. It holds `output.NAME` for one output of the test at least, and may
/// hold inputs (`input.NAME`), which must be those that the seed draws. An input of bf16 or f16 is the drawn one rounded, and the
/// references are made of that; an output of bf16 or f16 may be off by one value of its type more than the test allows, as with a binding.
#[derive(Debug, Args)]
pub struct JudgeArgs {
    /// Files of tensors
    #[arg(value_name = "FILE.safetensors", required = true)]
    pub files: Vec<PathBuf>,

    /// Take tests, shapes and tolerances from this file instead of the built-in phases.toml
    #[arg(long, value_name = "FILE")]
    pub registry: Option<PathBuf>,

    /// Instead of the test's tolerance: an element may be off by this much
    #[arg(long, value_name = "X", value_parser = limit)]
    pub tolerance: Option<f64>,

    /// Beside --tolerance: and by this share of its right value
    #[arg(long, value_name = "X", value_parser = limit, requires = "tolerance")]
    pub relative: Option<f64>,

    /// Beside --tolerance: how far off the output may be as a whole
    #[arg(long, value_name = "X", value_parser = limit, requires = "tolerance")]
    pub relative_rms: Option<f64>,

    /// How the result is printed
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}

impl JudgeArgs {
    /// The tolerance that stands in place of the tests', if any.
    pub fn own(&self) -> Option<Tolerance> {
        let absolute = self.tolerance?;
        Some(Tolerance {
            relative: self.relative.unwrap_or(0.0),
            relative_rms: self.relative_rms,
            ..Tolerance::absolute(absolute, absolute)
        })
    }
}

fn limit(text: &str) -> Result<f64, String> {
    let limit: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if limit.is_finite() && limit >= 0.0 {
        Ok(limit)
    } else {
        Err("not a finite number from 0 up".into())
    }
}
