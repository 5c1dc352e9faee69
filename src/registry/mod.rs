//! The registry: which tests there are, at which shapes, judged by which tolerances, and what each must catch.
//!
//! It is written in `phases.toml` (built in; `--registry` takes another file). Reading it checks everything that
//! can be checked without running a kernel, and every complaint points at its place in the file.

mod cases;
mod judgement;
mod phase;
mod planted;

use std::path::Path;

use crate::contract::Test;
use crate::exit::Stop;
use crate::files::sha256;
use crate::text::shown;
use crate::verdict::SourceReport;

/// The registry that is built in.
const BUILT_IN: &str = include_str!("../../phases.toml");

/// Every phase, in order.
#[derive(Debug)]
pub struct Registry {
    /// The phases, as the file orders them.
    pub phases: Vec<Phase>,
    /// The file.
    pub source: SourceReport,
    /// Seed that the pairwise designs are drawn from.
    seed: u64,
}

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
    pub fn built_in() -> Result<Registry, Stop> {
        Registry::parse("phases.toml", BUILT_IN, None)
    }

    /// A user's registry, which takes from the built-in one what it does not say.
    pub fn read(path: &Path, base: &Registry) -> Result<Registry, Stop> {
        let name = shown(path);
        let bytes = crate::files::read(path, MAX_BYTES)
            .map_err(|error| Stop::setup(format!("registry: {error}")))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            Stop::setup(format!(
                "registry {name} is not UTF-8 (byte {at}): write it as a TOML text file"
            ))
        })?;
        Registry::parse(&name, &text, Some(base))
    }

    /// Reads a registry from its text. `name` is what diagnostics call the file; a user's has the built-in one as its base: it gives
    /// tolerances, and what is demanded of itself alone may be left out.
    pub fn parse(name: &str, text: &str, base: Option<&Registry>) -> Result<Registry, Stop> {
        let mut complaints = Vec::new();
        let mut registry = phase::registry(text, base, &mut complaints);
        registry.source = SourceReport {
            path: name.to_owned(),
            sha256: sha256(text.as_bytes()),
        };
        if complaints.is_empty() {
            return Ok(registry);
        }
        Err(Stop::diagnostic(crate::document::render(
            name,
            text,
            &complaints,
        )))
    }

    /// Draws designs for a seed, where they are those of another: it has other cases, and a case is found again by its id and the seed.
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
