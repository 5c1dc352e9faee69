//! The planted bugs that a test must catch, and the binding that plants them.

use super::phase::Reader;
use crate::binding::{built_in, built_in_called};
use crate::contract::Function;
use crate::document::{SpannedValue, Table, array, bad, string, unknown};

/// The ways to name planted bugs, for help texts.
const HINT: &str = "`planted = \"all\"`: it must catch every planted bug of its contract's binding; or name \
                    some, as `[\"...\"]`";

impl Reader<'_> {
    /// Reads the names of the planted bugs that a test must catch: its `planted`, or all but its `unplanted`.
    /// A test of the built-in registry that has neither must catch all planted bugs of its binding.
    pub(super) fn planted_bugs(
        &mut self,
        [planted, unplanted]: [Option<SpannedValue<'_>>; 2],
        function: &Function,
        name: Option<&str>,
    ) -> Vec<String> {
        let bindings = built_in_called(function.name, name);
        let bugs = bindings
            .into_iter()
            .flatten()
            .flat_map(|binding| &binding.planted);
        let mut known: Vec<&str> = Vec::new();
        for bug in bugs {
            if !known.contains(&bug.name.as_str()) {
                known.push(&bug.name);
            }
        }
        let before = self.out.len();
        let (list, caught) = match (planted, unplanted) {
            (None, None) if self.users => return Vec::new(),
            (None, None) => return known.into_iter().map(Into::into).collect(),
            (Some(_), Some(at)) => {
                let title = "this test has `unplanted` beside `planted`";
                let help = "remove one: `unplanted` names what the test need not catch of all planted bugs";
                self.out.push(bad(at, title, "one too many", help));
                return Vec::new();
            }
            (Some(word), None) if word.get_ref().is_str() => {
                return self.all_planted_bugs(word, function, &known);
            }
            (Some(list), None) => (list, self.bugs(list, function, &known)),
            (None, Some(list)) => {
                let left_out = self.bugs(list, function, &known);
                known.retain(|name| !left_out.iter().any(|out| out == name));
                (list, known.into_iter().map(Into::into).collect())
            }
        };
        if caught.is_empty() && self.out.len() == before {
            let title = "this test catches no planted bug";
            let help = format!("write {HINT}");
            self.out.push(bad(list, title, "none to catch", &help));
        }
        caught
    }

    /// Reads a list of planted bugs.
    fn bugs(&mut self, list: SpannedValue<'_>, function: &Function, known: &[&str]) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for element in array(list, &mut self.out) {
            let Some(name) = string(element, &mut self.out) else {
                continue;
            };
            if !known.contains(&name) {
                let what = format!("planted bug of contract `{}`", function.name);
                self.out.push(unknown(element.span(), &what, name, known));
            } else if names.iter().any(|other| other == name) {
                let title = format!("`{name}` is named twice");
                self.out
                    .push(bad(element, &title, "again", "name each once"));
            }
            names.push(name.into());
        }
        names
    }

    /// Reads the name of the binding that a test asks for. A test of the built-in registry can ask for a
    /// built-in binding only.
    pub(super) fn binding<'a>(
        &mut self,
        table: &Table<'a>,
        function: &Function,
    ) -> Option<&'a str> {
        let value = table.get("binding")?;
        let name = string(value, &mut self.out)?;
        let bindings = built_in().into_iter().flatten();
        let names = bindings.filter(|binding| binding.function.name == function.name);
        let names: Vec<&str> = names
            .filter_map(|binding| binding.name.as_deref())
            .collect();
        if !self.users && !names.contains(&name) {
            let what = format!("binding of contract `{}`", function.name);
            self.out.push(unknown(value.span(), &what, name, &names));
        }
        Some(name)
    }

    /// Reads `planted = "all"`, and returns the names of all planted bugs.
    fn all_planted_bugs(
        &mut self,
        value: SpannedValue<'_>,
        function: &Function,
        known: &[&str],
    ) -> Vec<String> {
        match string(value, &mut self.out) {
            Some("all") if known.is_empty() => {
                let title = format!("contract `{}` has no planted bug", function.name);
                let help = "add one to its binding as [[binding.planted]] (docs/bindings.md)";
                self.out.push(bad(value, &title, "all of none", help));
            }
            Some("all") => {}
            Some(other) => {
                let title = format!("`planted` is \"{}\"", other.escape_debug());
                let help = format!("write {HINT}");
                self.out.push(bad(value, &title, "no list", &help));
            }
            None => {}
        }
        known.iter().map(|&name| name.into()).collect()
    }
}
