//! Which planted bugs a test must catch: those of its contract's binding, by name.

use super::phase::Reader;
use crate::binding::built_in_of;
use crate::contract::Function;
use crate::document::{Placed, Table, array, bad, string, unknown};

/// How a test says it.
const HINT: &str = "`planted = \"all\"`: it must catch every planted bug of its contract's binding; or name some, as `[\"...\"]`";

impl Reader<'_, '_> {
    /// The names of the bugs that a test must catch.
    pub(super) fn plants(&mut self, table: &Table<'_>, function: &Function) -> Vec<String> {
        if self.users && table.get("planted").is_none() {
            return Vec::new();
        }
        let Some(value) = table.need("planted", HINT, self.out) else {
            return Vec::new();
        };
        let binding = built_in_of(function.name).ok().flatten();
        let bugs = binding.into_iter().flat_map(|binding| &binding.planted);
        let known: Vec<&str> = bugs.map(|bug| bug.name.as_str()).collect();
        if value.get_ref().is_str() {
            return self.all(value, function, &known);
        }
        let elements = array(value, self.out);
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
            if element.get_ref().is_table() {
                self.earlier(element);
                continue;
            }
            let Some(name) = string(element, self.out) else {
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

    /// `planted = "all"`.
    fn all(&mut self, value: Placed<'_>, function: &Function, known: &[&str]) -> Vec<String> {
        match string(value, self.out) {
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

    /// Complains about what earlier versions had in their registries, once a file.
    pub(super) fn earlier(&mut self, value: Placed<'_>) {
        if std::mem::replace(&mut self.told, true) {
            return;
        }
        self.out.push(bad(
            value,
            "kernels and planted bugs stand in bindings, and no longer in the registry",
            "an earlier version's form",
            "remove `kernels` from each test; write `planted = \"all\"`, or `planted = [\"NAME\"]` with names of [[binding.planted]] in the \
             contract's binding, which has `replace` and `swap_grid` (docs/bindings.md)",
        ));
    }
}
