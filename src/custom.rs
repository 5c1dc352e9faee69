//! Custom contracts: a user's own operators, read from TOML files, with references in Python or expected values in files.
//!
//! A custom contract becomes a [`Function`] like the built-in ones, so that every command works for it. `docs/custom-contracts.md`
//! describes the file.

mod declaration;
mod expected;
mod file;
mod function;
mod kernel;
mod python;
mod reference;
mod relations;
mod results;
mod values;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::binding::Source;
use crate::contract::{Function, OutputTolerance, Values};
use crate::files::{self, FileError};
use python::Python;

pub use kernel::{KernelRun, KernelRunner};

/// The largest file that is read as contracts.
const MAX_BYTES: u64 = 4 << 20;

/// A contract of a user.
#[derive(Clone)]
pub struct CustomContract {
    /// The contract. It lives as long as the program, as the built-in ones do.
    pub function: &'static Function,
    /// The tolerance of each output.
    pub tolerances: BTreeMap<String, OutputTolerance>,
    /// The cases that the file lists; none if they are designed from the domain.
    pub cases: Option<Vec<Values>>,
    /// The file.
    pub source: Arc<Source>,
    /// The path of the file.
    pub path: PathBuf,
    /// Byte range of each law in the file, in the order of the laws of `function`. Empty if the expected values are in files, which hold for
    /// their own inputs alone, so that no law can be tried on them.
    pub laws: Vec<Range<usize>>,
    /// Other files that the contract's values come from: Python files, the code object of a reference kernel.
    files: Vec<PathBuf>,
    python: Arc<Python>,
}

impl CustomContract {
    /// Returns the other files that the contract's values come from: Python files, the modules that they have imported so far, and the
    /// code object of a reference kernel.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut files = self.files.clone();
        files.extend(self.python.modules());
        files.sort();
        files.dedup();
        files
    }
}

impl std::fmt::Debug for CustomContract {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.function.fmt(f)
    }
}

/// Reads files of contracts. All of them share one process of Python, which starts when a reference is first computed. `runner` runs
/// reference kernels.
///
/// # Errors
/// A file cannot be read, or is wrong, or two contracts have the same name.
pub fn read(paths: &[PathBuf], runner: KernelRunner) -> Result<Vec<CustomContract>, FileError> {
    let python = Arc::new(Python::default());
    let mut all: Vec<CustomContract> = Vec::new();
    let mut seen: Vec<PathBuf> = Vec::new();
    for path in paths {
        // A file that both a flag and a binding name is read once.
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        if seen.contains(&real) {
            continue;
        }
        seen.push(real);
        all.extend(read_file(path, (&python, runner), &all)?);
    }
    Ok(all)
}

fn read_file(
    path: &Path,
    means: (&Arc<Python>, KernelRunner),
    others: &[CustomContract],
) -> Result<Vec<CustomContract>, FileError> {
    let (name, text) = files::read_text("contract", path, MAX_BYTES)?;
    file::contracts(path, Source { name, text }, means, others)
}
