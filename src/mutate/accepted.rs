//! Mutants that somebody has looked at and accepted, each with a reason.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer};

use super::operators::Operator;
use super::report::{MutantReport, MutationReport, Outcome};
use crate::exit::Stop;
use crate::text::shown;

/// The largest file of accepted mutants that is read.
const MAX_FILE: u64 = 16 << 20;

/// A file of accepted mutants.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Accepted {
    /// The functions that were looked at: the first 16 digits of the SHA-256 of the code of each.
    #[serde(default)]
    functions: BTreeMap<String, String>,
    #[serde(default)]
    accepted: Vec<Entry>,
    #[serde(default)]
    unreachable: Vec<Unreachable>,
}

/// Instructions that no launch comes to, for one reason.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Unreachable {
    /// Why none does.
    reason: String,
    /// Functions, and where in each the first of such instructions in a row are, in bytes from its beginning.
    at: BTreeMap<String, Vec<u64>>,
}

/// Mutants that need not be noticed, for one reason.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// Why nobody need notice.
    reason: String,
    /// The instruction, `*` for anything: or any of several.
    #[serde(deserialize_with = "one_or_more")]
    was: Vec<String>,
    /// What is in its place, or any of several, `*` for anything; none: whatever the operators make.
    #[serde(default, deserialize_with = "one_or_more")]
    is: Vec<String>,
    /// The operators; none: all.
    operators: Option<Vec<Operator>>,
    /// Functions, and where in each the instructions are; none: wherever in any of those that were looked at.
    at: Option<BTreeMap<String, Vec<Place>>>,
}

fn one_or_more<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Patterns {
        One(String),
        More(Vec<String>),
    }
    Ok(match Patterns::deserialize(from)? {
        Patterns::One(one) => vec![one],
        Patterns::More(more) => more,
    })
}

/// Where in a function instructions are that an entry is about, in bytes from its beginning.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
enum Place {
    /// One instruction.
    One(u64),
    /// Those from one place to before another that are what the entry says.
    Part([u64; 2]),
}

impl Place {
    fn has(self, offset: u64) -> bool {
        match self {
            Place::One(at) => at == offset,
            Place::Part([from, to]) => (from..to).contains(&offset),
        }
    }

    fn is_one(self) -> bool {
        matches!(self, Place::One(_))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::One(at) => write!(f, "{at:#x}"),
            Place::Part([from, to]) => write!(f, "{from:#x} to {to:#x}"),
        }
    }
}

impl Accepted {
    /// Reads files, which are as one: none where there are none.
    ///
    /// # Errors
    /// One cannot be read, or something in it is wrong: with file and line. Two of them looked at different code of one function.
    pub fn read(paths: &[PathBuf]) -> Result<Option<Accepted>, Stop> {
        let mut all: Option<Accepted> = None;
        for path in paths {
            let read = Accepted::read_one(path)?;
            let all = all.get_or_insert_default();
            for (name, sha256) in read.functions {
                let old = all.functions.insert(name.clone(), sha256.clone());
                if old.is_some_and(|old| old != sha256) {
                    return Err(Stop::setup(format!(
                        "accepted mutants: {}: another file has another digest of `{name}`: both must have looked at the same code",
                        shown(path)
                    )));
                }
            }
            all.accepted.extend(read.accepted);
            all.unreachable.extend(read.unreachable);
        }
        Ok(all)
    }

    fn read_one(path: &Path) -> Result<Accepted, Stop> {
        let name = shown(path);
        let bytes = crate::files::read(path, MAX_FILE)
            .map_err(|error| Stop::setup(format!("accepted mutants: {error}")))?;
        let text = String::from_utf8(bytes)
            .map_err(|_| Stop::setup(format!("accepted mutants: {name} is not UTF-8")))?;
        let read: Accepted = toml::from_str(&text)
            .map_err(|error| Stop::setup(format!("accepted mutants: {name}: {error}")))?;
        for entry in &read.accepted {
            let why = |what: String| Stop::setup(format!("accepted mutants: {name}: {what}"));
            if entry.reason.trim().is_empty() {
                return Err(why(format!(
                    "`{}` has no reason: say why nobody need notice its mutants",
                    entry.was.join("`, `")
                )));
            }
            if entry.was.is_empty() {
                return Err(why(format!(
                    "`was` of \"{}\" is empty: name the instruction",
                    entry.reason
                )));
            }
        }
        for entry in &read.unreachable {
            if entry.reason.trim().is_empty() {
                return Err(Stop::setup(format!(
                    "accepted mutants: {name}: an unreachable place has no reason: say why no launch comes to it"
                )));
            }
        }
        let of_mutants = read.accepted.iter().filter_map(|entry| entry.at.as_ref());
        let of_mutants = of_mutants.flat_map(BTreeMap::keys);
        let of_places = read.unreachable.iter().flat_map(|entry| entry.at.keys());
        let mut functions = of_mutants.chain(of_places);
        if let Some(unknown) = functions.find(|name| !read.functions.contains_key(*name)) {
            return Err(Stop::setup(format!(
                "accepted mutants: {name}: `{unknown}` is not among its [functions]: give the digest of the code that was looked at"
            )));
        }
        Ok(read)
    }
}

impl Entry {
    fn takes(&self, mutant: &MutantReport) -> bool {
        let operators = self.operators.as_ref();
        operators.is_none_or(|operators| operators.contains(&mutant.operator))
            && (self.is.is_empty() || self.is.iter().any(|is| fits(is, &mutant.is)))
    }

    /// Whether it is about such an instruction.
    fn names(&self, was: &str) -> bool {
        self.was.iter().any(|pattern| fits(pattern, was))
    }

    fn place(&self, function: &str, place: Place) -> String {
        let to = match &self.is[..] {
            [] => String::new(),
            is => format!(" to `{}`", is.join("`, `")),
        };
        format!("{function}+{place} `{}`{to}", self.was.join("`, `"))
    }

    /// Marks these if they are what it takes: how many are, and how many of those go unnoticed.
    fn mark<'a>(&self, mutants: impl Iterator<Item = &'a mut MutantReport>) -> (usize, usize) {
        let (mut found, mut unnoticed) = (0, 0);
        for mutant in mutants.filter(|mutant| self.takes(mutant)) {
            found += 1;
            if mutant.outcome.survived() {
                mutant.outcome = Outcome::Accepted {
                    reason: self.reason.clone(),
                    instead: mutant.outcome.name().into(),
                };
            }
            unnoticed += usize::from(matches!(mutant.outcome, Outcome::Accepted { .. }));
        }
        (found, unnoticed)
    }
}

/// Whether a text is what a pattern says, in which `*` stands for anything.
fn fits(pattern: &str, text: &str) -> bool {
    let Some((begin, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut text) = text.strip_prefix(begin) else {
        return false;
    };
    loop {
        if fits(rest, text) {
            return true;
        }
        let mut left = text.chars();
        if left.next().is_none() {
            return false;
        }
        text = left.as_str();
    }
}

/// What is wrong with an entry that takes so many mutants, of which so many go unnoticed: nothing where not enough of them are known.
fn idle(place: &str, enough: bool, (found, unnoticed): (usize, usize)) -> Option<String> {
    match (found, unnoticed) {
        _ if !enough => None,
        (0, _) => Some(format!("{place}: there is no such mutant, take it out")),
        (_, 0) => Some(format!(
            "{place}: nothing of it goes unnoticed now, take it out"
        )),
        _ => None,
    }
}

/// Marks what is accepted of a report, and says of one that is complete what of the file fits nothing any more.
pub fn apply(report: &mut MutationReport, accepted: &Accepted) {
    let asked = &report.asked;
    let everywhere = asked.phases.is_empty() && asked.tests.is_empty() && asked.kernels.is_empty();
    let mut stale = BTreeSet::new();
    let mut looked_at = BTreeSet::new();
    for (name, sha256) in &accepted.functions {
        match report
            .functions
            .iter()
            .find(|function| function.name == *name)
        {
            Some(function) if function.sha256 == *sha256 => {
                looked_at.insert(name.clone());
            }
            Some(function) => {
                stale.insert(format!(
                    "{name}: the function's code has changed, look at it again; it is {} now",
                    function.sha256
                ));
            }
            None if everywhere => {
                stale.insert(format!(
                    "{name}: no test executes a function of this name, take it out"
                ));
            }
            None => {}
        }
    }
    // A part, or a draw, does not have every mutant.
    let all = everywhere
        && asked.per_kernel == 0
        && asked.operators.len() == Operator::ALL.len()
        && !report.is_part();
    for entry in &accepted.accepted {
        let Some(at) = &entry.at else {
            for pattern in &entry.was {
                let here = report.mutants.iter_mut().filter(|mutant| {
                    looked_at.contains(&mutant.function) && fits(pattern, &mutant.was)
                });
                let place = format!("`{pattern}` in any function");
                stale.extend(idle(&place, all, entry.mark(here)));
            }
            continue;
        };
        let places = at.iter().filter(|(name, _)| looked_at.contains(*name));
        for (name, &at) in places.flat_map(|(name, at)| at.iter().map(move |at| (name, at))) {
            let here = report.mutants.iter_mut();
            let here = here.filter(|mutant| mutant.function == *name && at.has(mutant.offset));
            let mut here: Vec<&mut MutantReport> = here.collect();
            let place = entry.place(name, at);
            if let Place::Part(_) = at {
                here.retain(|mutant| entry.names(&mutant.was));
            }
            if let Some(other) = here.iter().find(|mutant| !entry.names(&mutant.was)) {
                stale.insert(format!("{place}: the instruction there is `{}`", other.was));
                continue;
            }
            let counts = entry.mark(here.into_iter());
            let enough = all || counts.0 > 0 && entry.is.len() == 1 && at.is_one();
            stale.extend(idle(&place, enough, counts));
        }
    }
    for entry in &accepted.unreachable {
        for (name, places) in entry
            .at
            .iter()
            .filter(|(name, _)| looked_at.contains(*name))
        {
            for &place in places {
                let runs = report.uncovered.iter_mut();
                let mut runs = runs.filter(|run| run.function == *name && run.offset == place);
                match runs.next() {
                    Some(run) if run.never && everywhere => {
                        stale.insert(format!(
                            "{name}+{place:#x}: it is proven now that no launch comes there, take it out"
                        ));
                    }
                    Some(run) if !run.never => run.reason = Some(entry.reason.clone()),
                    None if everywhere => {
                        stale.insert(format!(
                            "{name}+{place:#x}: a test comes there now, or to what is before it: take it out, or look at it again"
                        ));
                    }
                    _ => {}
                }
            }
        }
    }
    // Before the end, what fits nothing may still be to come.
    if !report.complete {
        return;
    }
    report.stale.extend(stale);
    report.stale.sort();
    report.stale.dedup();
}

#[cfg(test)]
mod tests;
