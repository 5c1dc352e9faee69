//! The planted bugs that a test must catch, and the binding that plants them.

use super::phase::Reader;
use crate::binding::{built_in, built_in_called};
use crate::contract::Function;
use crate::document::{SpannedValue, Table, array, bad, string, unknown};

/// The ways to name planted bugs, for help texts.
const HINT: &str = "`planted = \"all\"`: it must catch every planted bug of its contract's binding; or name \
                    some, as `[\"...\"]`";

impl Reader<'_> {
    /// Reads the names of the planted bugs that a test must catch. A test of the built-in registry that
    /// names none must catch all planted bugs of its binding.
    pub(super) fn planted_bugs(
        &mut self,
        table: &Table<'_>,
        function: &Function,
        name: Option<&str>,
    ) -> Vec<String> {
        let value = table.get("planted");
        if self.users && value.is_none() {
            return Vec::new();
        }
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
        let Some(value) = value else {
            return known.iter().map(|&name| name.into()).collect();
        };
        if value.get_ref().is_str() {
            return self.all_planted_bugs(value, function, &known);
        }
        let elements = array(value, &mut self.out);
        if value.get_ref().is_array() && elements.is_empty() {
            let help = format!("write {HINT}");
            self.out.push(bad(
                value,
                "this test catches no planted bug",
                "empty",
                &help,
            ));
        }
        let mut names: Vec<String> = Vec::new();
        for element in elements {
            let Some(name) = string(element, &mut self.out) else {
                continue;
            };
            if !known.contains(&name) {
                let what = format!("planted bug of contract `{}`", function.name);
                self.out.push(unknown(element.span(), &what, name, &known));
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
