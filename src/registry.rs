//! The registry: which tests there are, at which shapes, judged by which tolerances, and what each must
//! catch.
//!
//! The built-in registry is `phases.toml`, the document's phases, and a file of `phases/` for each
//! further one; `--registry` takes another file. Reading it checks everything that can be checked
//! without running a kernel, and every complaint points at its place in a file.

mod cases;
mod judgement;
mod phase;
mod planted;

use std::path::Path;
#[cfg(test)]
use std::sync::LazyLock;

use crate::contract::Test;
use crate::document;
use crate::files::{self, FileError, sha256};
use crate::report::model::SourceReport;

/// The files of the built-in registry: the document's phases, and a file for each further one.
const BUILT_IN: [(&str, &str); 7] = [
    ("phases.toml", include_str!("../phases.toml")),
    (
        "phases/00-uncovered.toml",
        include_str!("../phases/00-uncovered.toml"),
    ),
    (
        "phases/09-rule-steps.toml",
        include_str!("../phases/09-rule-steps.toml"),
    ),
    (
        "phases/10-rule.toml",
        include_str!("../phases/10-rule.toml"),
    ),
    (
        "phases/11-operators.toml",
        include_str!("../phases/11-operators.toml"),
    ),
    (
        "phases/12-optimised.toml",
        include_str!("../phases/12-optimised.toml"),
    ),
    (
        "phases/13-domains.toml",
        include_str!("../phases/13-domains.toml"),
    ),
];

/// Every phase, in order.
#[derive(Debug)]
pub struct Registry {
    /// The phases, as the file orders them.
    pub phases: Vec<Phase>,
    /// The first of its files, and the hash of all.
    pub source: SourceReport,
    /// Seed that the designs are drawn from.
    seed: u64,
}

/// The built-in registry, which the tests of this crate read once.
#[cfg(test)]
pub static REGISTRY: LazyLock<Registry> =
    LazyLock::new(|| Registry::built_in().expect("the embedded registry is good"));

/// A phase: tests that belong together.
#[derive(Debug)]
pub struct Phase {
    /// Its number.
    pub number: u32,
    /// Its title.
    pub title: String,
    /// A note for the reader, if there is one.
    pub note: Option<String>,
    /// Its tests.
    pub tests: Vec<Test>,
}

/// The seed of the designs of a registry as it is read.
const FIRST_SEED: u64 = 0;

/// The largest file that is read as a registry.
const MAX_BYTES: u64 = 16 << 20;

impl Registry {
    /// The built-in registry.
    pub fn built_in() -> Result<Registry, FileError> {
        Registry::parse_files(&BUILT_IN, None)
    }

    /// A user's registry, which takes from the built-in one what it does not say.
    pub fn read(path: &Path, base: &Registry) -> Result<Registry, FileError> {
        let (name, text) = files::read_text("registry", path, MAX_BYTES)?;
        Registry::parse(&name, &text, Some(base))
    }

    /// Reads a registry from the text of one file. `name` is the file's name in complaints. A user's
    /// registry has the built-in one as its base: the base gives the tolerances that the file leaves
    /// out.
    pub fn parse(name: &str, text: &str, base: Option<&Registry>) -> Result<Registry, FileError> {
        Registry::parse_files(&[(name, text)], base)
    }

    /// Reads a registry that stands in several files. It is named after the first.
    fn parse_files(files: &[(&str, &str)], base: Option<&Registry>) -> Result<Registry, FileError> {
        let (mut registry, complaints) = phase::registry(files, base);
        let text: String = files.iter().map(|(_, text)| *text).collect();
        registry.source = SourceReport {
            path: files[0].0.to_owned(),
            sha256: sha256(text.as_bytes()),
        };
        let reports: Vec<String> = files
            .iter()
            .zip(&complaints)
            .filter(|(_, complaints)| !complaints.is_empty())
            .map(|((name, text), complaints)| document::render(name, text, complaints))
            .collect();
        if reports.is_empty() {
            return Ok(registry);
        }
        Err(FileError::Diagnostic(reports.join("\n\n")))
    }

    /// Draws designs for a seed, where they are those of another: it has other cases, and a case is
    /// found again by its id and the seed.
    pub fn redesign(&mut self, seed: u64) {
        if std::mem::replace(&mut self.seed, seed) == seed {
            return;
        }
        let tests = self.phases.iter_mut().flat_map(|phase| &mut phase.tests);
        for test in tests.filter(|test| test.designed) {
            test.cases = cases::designed(&test.id, test.function, seed);
        }
    }

    /// Every test, in order.
    pub fn tests(&self) -> impl Iterator<Item = &Test> {
        self.phases.iter().flat_map(|phase| &phase.tests)
    }
}

#[cfg(test)]
mod tests;
