//! Mutants that somebody has looked at and accepted, each with a reason.

use std::path::Path;

use serde::Deserialize;

use super::operators::Operator;
use super::report::{MutationReport, Outcome};
use crate::exit::Stop;
use crate::text::shown;

/// The largest file of accepted mutants that is read.
const MAX_FILE: u64 = 16 << 20;

/// A file of accepted mutants.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accepted {
    #[serde(default)]
    accepted: Vec<Entry>,
}

/// A mutant that need not be noticed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// The function.
    function: String,
    /// The first 16 digits of the SHA-256 of its code.
    sha256: String,
    /// Bytes from its beginning.
    offset: u64,
    /// The operator.
    operator: Operator,
    /// What is in the instruction's place.
    is: String,
    /// Why nobody need notice.
    reason: String,
}

impl Accepted {
    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be read, or something in it is wrong: with file and line.
    pub fn read(path: &Path) -> Result<Accepted, Stop> {
        let name = shown(path);
        let bytes = crate::files::read(path, MAX_FILE)
            .map_err(|error| Stop::setup(format!("accepted mutants: {error}")))?;
        let text = String::from_utf8(bytes)
            .map_err(|_| Stop::setup(format!("accepted mutants: {name} is not UTF-8")))?;
        let read: Accepted = toml::from_str(&text)
            .map_err(|error| Stop::setup(format!("accepted mutants: {name}: {error}")))?;
        let silent = read
            .accepted
            .iter()
            .find(|entry| entry.reason.trim().is_empty());
        match silent {
            Some(entry) => Err(Stop::setup(format!(
                "accepted mutants: {name}: {}+{:#x} has no reason: say why nobody need notice `{}`",
                entry.function, entry.offset, entry.is
            ))),
            None => Ok(read),
        }
    }
}

/// Marks what is accepted of a report, and says what of the file fits nothing any more.
pub fn apply(report: &mut MutationReport, accepted: &Accepted) {
    for entry in &accepted.accepted {
        let place = format!(
            "{}+{:#x} {} `{}`",
            entry.function, entry.offset, entry.operator, entry.is
        );
        let mut own = report
            .mutants
            .iter_mut()
            .filter(|mutant| mutant.function == entry.function)
            .peekable();
        let Some(any) = own.peek() else { continue };
        if any.sha256 != entry.sha256 {
            let told = format!("{place}: the function's code has changed, look at it again");
            report.stale.push(told);
            continue;
        }
        let found = own.find(|mutant| {
            mutant.offset == entry.offset
                && mutant.operator == entry.operator
                && mutant.is == entry.is
        });
        // Another draw does not have every mutant.
        let Some(mutant) = found else { continue };
        if mutant.outcome.survived() {
            mutant.outcome = Outcome::Accepted {
                reason: entry.reason.clone(),
                instead: mutant.outcome.name().into(),
            };
        } else {
            let told = format!("{place}: it is {} now, take it out", mutant.outcome.name());
            report.stale.push(told);
        }
    }
}

#[cfg(test)]
mod tests;
