//! The registry: the tests, their shapes and tolerances, and the planted bugs that each test must catch.
//!
//! The built-in registry is `phases.toml`, with the document's phases, and a file of `phases/` for each
//! further phase; `--registry` takes another file. The reader checks everything that can be checked
//! without running a kernel. Each complaint points at its place in a file.

mod cases;
mod judgement;
mod phase;
mod planted;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
#[cfg(test)]
use std::sync::LazyLock;

use crate::contract::design::KernelChoice;
use crate::contract::{Function, OutputTolerance, Test};
use crate::custom::CustomContract;
use crate::document;
use crate::files::{self, FileError, sha256};
use crate::report::model::SourceReport;

/// The names and texts of the built-in registry's files: the document's phases, and a file for each further
/// phase.
const BUILT_IN: &[(&str, &str)] = &[
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
    (
        "phases/14-packed.toml",
        include_str!("../phases/14-packed.toml"),
    ),
    (
        "phases/15-gradients.toml",
        include_str!("../phases/15-gradients.toml"),
    ),
    (
        "phases/16-ggml.toml",
        include_str!("../phases/16-ggml.toml"),
    ),
];

/// Tolerances by name. A name whose tolerance has a complaint has none.
type NamedTolerances = BTreeMap<String, Option<OutputTolerance>>;

/// The phases of a run's tests.
#[derive(Debug)]
pub struct Registry {
    /// The phases, by number.
    pub phases: Vec<Phase>,
    /// The name of the first file, and the hash of all files.
    pub source: SourceReport,
    /// The custom contracts, each with a test of its name in the last phase.
    pub custom: Vec<CustomContract>,
    /// The tolerances with a name, which a user's registry can name too.
    tolerances: NamedTolerances,
}

/// The built-in registry, which the tests of this crate read once.
#[cfg(test)]
pub static REGISTRY: LazyLock<Registry> =
    LazyLock::new(|| Registry::built_in().expect("the embedded registry is good"));

/// A phase: tests that belong together.
#[derive(Debug)]
pub struct Phase {
    /// The number, which `--phase` takes.
    pub number: u32,
    /// The title.
    pub title: String,
    /// A note for the reader, if there is one.
    pub note: Option<String>,
    /// The tests, in the order of the file.
    pub tests: Vec<Test>,
}

/// The seed of the designs of a registry outside of a run.
const FIRST_SEED: u64 = 0;

/// The largest size of a registry's file.
const MAX_BYTES: u64 = 16 << 20;

impl Registry {
    /// Reads the built-in registry.
    pub fn built_in() -> Result<Registry, FileError> {
        Ok(Registry::parse_files(BUILT_IN, None)?.drawn())
    }

    /// Reads a user's registry, or the built-in one. The tolerances that the file leaves out are those of the built-in registry. The tests
    /// with a design have no cases until [`Registry::redesign`] draws them.
    pub fn undrawn(path: Option<&Path>) -> Result<Registry, FileError> {
        let base = Registry::parse_files(BUILT_IN, None)?;
        let Some(path) = path else {
            return Ok(base);
        };
        let (name, text) = files::read_text("registry", path, MAX_BYTES)?;
        Registry::parse_files(&[(&name, &text)], Some(&base))
    }

    /// Reads a registry from the text of one file. `name` is the file's name in complaints. Only a user's
    /// registry has a base, which gives the tolerances that the file leaves out.
    pub fn parse(name: &str, text: &str, base: Option<&Registry>) -> Result<Registry, FileError> {
        Ok(Registry::parse_files(&[(name, text)], base)?.drawn())
    }

    /// Draws the designs for the first seed.
    fn drawn(mut self) -> Registry {
        self.redesign(FIRST_SEED, |_, _| true, |_| None);
        self
    }

    /// Reads a registry from the names and texts of its files, without the cases of designs. The first name is that of the registry.
    fn parse_files(files: &[(&str, &str)], base: Option<&Registry>) -> Result<Registry, FileError> {
        // A registry names planted bugs of the built-in bindings: what is wrong with those comes first.
        crate::binding::built_in()?;
        let (mut registry, complaints) = phase::read_registry(files, base);
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

    /// Draws the designs for a seed and for the kernels that each test launches. `wanted` chooses tests by phase; the designs of the others
    /// stay as they are.
    pub fn redesign<'a>(
        &mut self,
        seed: u64,
        wanted: impl Fn(u32, &Test) -> bool,
        kernels_of: impl Fn(&Test) -> Option<KernelChoice<'a>>,
    ) {
        let tests = self.phases.iter_mut().flat_map(|phase| {
            let number = phase.number;
            phase.tests.iter_mut().map(move |test| (number, test))
        });
        let designed = tests.filter(|(phase, test)| test.designed && wanted(*phase, test));
        for (_, test) in designed {
            test.cases =
                cases::design_cases(&test.id, test.function, kernels_of(test).as_ref(), seed);
        }
    }

    /// Adds a phase of custom contracts, with a test for each.
    ///
    /// # Errors
    /// A test of the registry has the name of a contract.
    pub fn add_custom(&mut self, contracts: Vec<CustomContract>) -> Result<(), FileError> {
        if contracts.is_empty() {
            return Ok(());
        }
        let taken = |name: &str| {
            let named = |test: &Test| test.id == name || test.aliases.iter().any(|id| id == name);
            self.tests().any(named)
        };
        if let Some(contract) = contracts.iter().find(|one| taken(one.function.name)) {
            let name = contract.function.name;
            return Err(FileError::Unusable(format!(
                "contract {}: a test is called `{name}`: give the contract another name",
                contract.source.name
            )));
        }
        let last = self.phases.last().map_or(0, |phase| phase.number);
        self.phases.push(Phase {
            number: last + 1,
            title: "custom contracts".into(),
            note: None,
            tests: contracts.iter().map(cases::custom_test).collect(),
        });
        self.custom = contracts;
        Ok(())
    }

    /// Returns the files of the custom contracts, each once.
    pub fn custom_sources(&self) -> Vec<SourceReport> {
        let mut all: Vec<SourceReport> = Vec::new();
        for contract in &self.custom {
            let source = SourceReport {
                path: contract.path.to_string_lossy().into_owned(),
                sha256: sha256(contract.source.text.as_bytes()),
            };
            if !all.contains(&source) {
                all.push(source);
            }
        }
        all
    }

    /// Returns the files that the values of custom contracts come from, each once.
    pub fn custom_files(&self) -> Vec<SourceReport> {
        let files: BTreeSet<PathBuf> = self.custom.iter().flat_map(CustomContract::files).collect();
        let mut all: Vec<SourceReport> = Vec::new();
        for path in files {
            let content = files::read(&path, MAX_BYTES).unwrap_or_default();
            let source = SourceReport {
                path: path.to_string_lossy().into_owned(),
                sha256: sha256(&content),
            };
            if !all.contains(&source) {
                all.push(source);
            }
        }
        all
    }

    /// Returns the custom contracts as functions.
    pub fn custom_functions(&self) -> impl Iterator<Item = &'static Function> {
        self.custom.iter().map(|contract| contract.function)
    }

    /// Returns every test, phase by phase.
    pub fn tests(&self) -> impl Iterator<Item = &Test> {
        self.phases.iter().flat_map(|phase| &phase.tests)
    }
}

#[cfg(test)]
mod tests;
