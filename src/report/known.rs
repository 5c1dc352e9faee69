//! Known failures with their reasons, read from a TOML file. A known failure that does not happen any more is an error, like a new
//! failure.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use serde_json::Value;

use super::saved::{Trial, list, verdict};
use crate::document::{self, Complaint, SpannedValue, Table, array, bad, diagnostic, string};
use crate::files::{self, FileError};
use crate::report::model::Verdict;
use crate::text::{escaped, nearest};

/// Bytes of the largest file of known failures that is read.
const MAX_FILE: u64 = 16 << 20;

/// The known failures of a file.
pub struct KnownFailures {
    name: String,
    text: String,
    entries: Vec<Entry>,
}

/// Tests that fail, and the reason.
struct Entry {
    line: usize,
    span: std::ops::Range<usize>,
    test: Pattern,
    /// The outputs that fail. None means all outputs, and everything else that can be wrong.
    output: Option<Pattern>,
    reason: String,
}

/// A name, or a glob.
struct Pattern {
    text: String,
    glob: Option<GlobMatcher>,
}

/// The effect of known failures on the verdicts of a run.
#[derive(Debug, Default)]
pub struct KnownFailureEffect {
    /// The number of trials whose failures are all known.
    pub known: usize,
    /// Lines to print about them.
    pub lines: Vec<String>,
    /// Lines to print about known failures that did not happen.
    pub stale: Vec<String>,
}

impl KnownFailures {
    /// Reads a file.
    ///
    /// # Errors
    /// The file cannot be read, or something in it is wrong.
    pub fn read(path: &Path) -> Result<KnownFailures, FileError> {
        let (name, text) = files::read_text("", path, MAX_FILE)?;
        KnownFailures::parse(name, text)
    }

    fn parse(name: String, text: String) -> Result<KnownFailures, FileError> {
        let mut out = Vec::new();
        let entries = entries(&text, &mut out);
        if out.is_empty() {
            return Ok(KnownFailures {
                name,
                text,
                entries,
            });
        }
        Err(diagnostic(&name, &text, &out))
    }

    /// Checks that every pattern matches a test of the run.
    ///
    /// # Errors
    /// A pattern matches no test.
    pub fn check(&self, ids: &[&str]) -> Result<(), FileError> {
        let unknown = self
            .entries
            .iter()
            .filter(|entry| !ids.iter().any(|id| entry.test.is(id)));
        let complaints: Vec<Complaint> = unknown
            .map(|entry| {
                let near = nearest(&entry.test.text, ids.iter().copied(), 1);
                Complaint {
                    span: entry.span.clone(),
                    title: format!("no test is `{}`", entry.test.text.escape_debug()),
                    label: "means no test of this run's registry and seed".into(),
                    help: near.first().map_or_else(
                        || "--list prints the tests; remove what is there no more".into(),
                        |near| format!("did you mean `{near}`?"),
                    ),
                }
            })
            .collect();
        if complaints.is_empty() {
            return Ok(());
        }
        Err(diagnostic(&self.name, &self.text, &complaints))
    }

    /// Compares the known failures with trials.
    pub fn hold<'a>(&self, trials: impl IntoIterator<Item = Trial<'a>>) -> KnownFailureEffect {
        let mut outcome = KnownFailureEffect::default();
        for trial in trials {
            let entries: Vec<&Entry> = self
                .entries
                .iter()
                .filter(|entry| entry.test.is(trial.id))
                .collect();
            if entries.is_empty() || trial.verdict == Verdict::Skip {
                continue;
            }
            if trial.verdict != Verdict::Pass {
                let wrong = wrong(trial.value);
                let covers = |what: &WrongPart<'_>| entries.iter().any(|entry| entry.covers(what));
                if wrong.iter().all(covers) {
                    outcome.known += 1;
                    let id = escaped(trial.id);
                    let used = entries
                        .iter()
                        .filter(|entry| wrong.iter().any(|what| entry.covers(what)));
                    let reasons: Vec<String> = used.map(|entry| escaped(&entry.reason)).collect();
                    outcome
                        .lines
                        .push(format!("known  {id}: {}", reasons.join("; ")));
                }
            }
            for entry in entries {
                if let Some(what) = entry.stale(&trial) {
                    outcome.stale.push(format!(
                        "error: {}:{}: known failure `{}` is stale: {what}; remove it ({})",
                        self.name,
                        entry.line,
                        escaped(trial.id),
                        escaped(&entry.reason)
                    ));
                }
            }
        }
        outcome
    }
}

/// A part of a trial that is wrong: an output, or anything else.
enum WrongPart<'a> {
    Output(&'a str),
    Else,
}

/// Lists everything that is wrong with a trial that did not pass.
fn wrong(trial: &Value) -> Vec<WrongPart<'_>> {
    let mut wrong: Vec<WrongPart<'_>> = list(trial, "outputs")
        .filter(|output| verdict(output) != Some(Verdict::Pass))
        .map(|output| {
            output["name"]
                .as_str()
                .map_or(WrongPart::Else, WrongPart::Output)
        })
        .collect();
    let law = |law: &Value| verdict(law) == Some(Verdict::Fail);
    let other = !trial["problem"].is_null()
        || !trial["error"].is_null()
        || list(trial, "findings").any(|finding| finding["severity"] != "hint")
        || list(trial, "relations").any(law);
    if other || wrong.is_empty() {
        wrong.push(WrongPart::Else);
    }
    wrong
}

impl Entry {
    fn covers(&self, wrong: &WrongPart<'_>) -> bool {
        match (&self.output, wrong) {
            (None, _) => true,
            (Some(output), WrongPart::Output(name)) => output.is(name),
            (Some(_), WrongPart::Else) => false,
        }
    }

    /// Returns the reason why the entry is stale, if the trial shows that the failure does not happen any more.
    fn stale(&self, trial: &Trial<'_>) -> Option<String> {
        let Some(pattern) = &self.output else {
            return (trial.verdict == Verdict::Pass).then(|| "the test passes".into());
        };
        let meant = |output: &&Value| output["name"].as_str().is_some_and(|name| pattern.is(name));
        let mut meant = list(trial.value, "outputs").filter(meant).peekable();
        let compared = list(trial.value, "outputs").next().is_some();
        match (compared, meant.peek().is_some()) {
            (false, _) => None,
            (true, false) => Some(format!(
                "the test has no output `{}`",
                escaped(&pattern.text)
            )),
            (true, true) => meant
                .all(|output| verdict(output) == Some(Verdict::Pass))
                .then(|| format!("output `{}` passes", escaped(&pattern.text))),
        }
    }
}

impl Pattern {
    fn read(value: SpannedValue<'_>, out: &mut Vec<Complaint>) -> Option<Pattern> {
        let text = string(value, out)?.to_owned();
        let glob = text.contains(['*', '?', '[', '{']);
        let built = glob.then(|| GlobBuilder::new(&text).build()).transpose();
        match built {
            Ok(glob) => Some(Pattern {
                glob: glob.map(|glob| glob.compile_matcher()),
                text,
            }),
            Err(error) => {
                let title = format!("not a glob: {}", error.kind());
                out.push(bad(
                    value,
                    &title,
                    "here",
                    "close what it opens, or write a name",
                ));
                None
            }
        }
    }

    /// Returns true if the pattern matches a name. The id of a test matches all its cases.
    fn is(&self, name: &str) -> bool {
        let test = name.split_once(':').map_or(name, |(test, _)| test);
        match &self.glob {
            Some(glob) => glob.is_match(name) || glob.is_match(test),
            None => self.text == name || self.text == test,
        }
    }
}

fn entries(text: &str, out: &mut Vec<Complaint>) -> Vec<Entry> {
    let Some(document) = document::parse(text, out) else {
        return Vec::new();
    };
    let table = Table::new("file of known failures", 0..0, document.get_ref());
    table.only(&["schema", "known"], out);
    document::check_schema(&table, out);
    let Some(list) = table.get("known") else {
        return Vec::new();
    };
    let list = array(list, out);
    list.iter()
        .filter_map(|value| entry(text, value, out))
        .collect()
}

fn entry(text: &str, value: SpannedValue<'_>, out: &mut Vec<Complaint>) -> Option<Entry> {
    let table = Table::of("known failure", value, &["test", "output", "reason"], out)?;
    let test = table.need(
        "test",
        "`test = \"...\"`: an id that --list prints, or a glob",
        out,
    );
    let reason = table.need(
        "reason",
        "`reason = \"...\"`: why it fails, and who knows more",
        out,
    );
    let reason = reason.and_then(|reason| string(reason, out));
    let output = match table.get("output") {
        Some(output) => Some(Pattern::read(output, out)?),
        None => None,
    };
    let place = test?;
    Some(Entry {
        line: text[..place.span().start].matches('\n').count() + 1,
        span: place.span(),
        test: Pattern::read(place, out)?,
        output,
        reason: reason?.to_owned(),
    })
}

#[cfg(test)]
mod tests;
