//! Reading launches: kernels, grids, arguments, loops, and groups of them.

use std::ops::Range;

use super::Reader;
use crate::binding::formula::{Formula, parse_part};
use crate::binding::symbol::Symbol;
use crate::binding::{ArgSpec, FileValue, GroupSpec, LaunchSpec, Loop, Step, arguments};
use crate::document::{self, Table, array, bad, string, unknown};

/// Keys of a launch table.
pub(super) const LAUNCH: [&str; 8] = [
    "symbol",
    "grid",
    "block",
    "dynamic_lds",
    "args",
    "when",
    "for",
    "owner",
];
/// The most launches that the text of a binding may contain.
const MAX_LAUNCHES: usize = 4096;
/// The maximum nesting depth of groups of launches.
const MAX_GROUPS: u32 = 4;

impl<'s> Reader<'s, '_> {
    /// Reads the launches of a binding: one written in place, or the list under `launch`.
    pub(super) fn steps(
        &mut self,
        table: &Table<'_>,
        span: Range<usize>,
        count: &mut usize,
    ) -> Vec<Step> {
        let own: Vec<&str> = LAUNCH
            .into_iter()
            .filter(|key| *key != "when" && table.get(key).is_some())
            .collect();
        match (table.get("launch"), own.first()) {
            (Some(list), None) => self.list(list, count, 0),
            (Some(list), Some(key)) => {
                let title = format!("this binding has both `{key}` and `launch`");
                self.out.push(bad(list, &title, "one too many", "write every launch as [[binding.launch]], or a single one in the binding itself"));
                Vec::new()
            }
            (None, _) => {
                let launch = self.launch(table, span, false, count);
                launch.map(Step::Launch).into_iter().collect()
            }
        }
    }

    fn list(
        &mut self,
        list: document::SpannedValue<'_>,
        count: &mut usize,
        depth: u32,
    ) -> Vec<Step> {
        if depth > MAX_GROUPS {
            let title = format!("launches nest deeper than {MAX_GROUPS}");
            let help = "write them in a row";
            self.out.push(bad(list, &title, "here", help));
            return Vec::new();
        }
        let mut steps = Vec::new();
        for entry in array(list, self.out) {
            // Lists of steps that name each other multiply the number of launches.
            if *count >= MAX_LAUNCHES {
                let title = format!("more than {MAX_LAUNCHES} launches are written here");
                let help = "make them in loops: `for = \"t in 0..T\"`";
                self.out.push(bad(list, &title, "here", help));
                return steps;
            }
            let before = self.out.len();
            steps.extend(self.step(entry, count, depth));
            if self.out.len() > before {
                return steps;
            }
        }
        steps
    }

    /// Reads a launch, or a group of launches.
    fn step(
        &mut self,
        entry: document::SpannedValue<'_>,
        count: &mut usize,
        depth: u32,
    ) -> Option<Step> {
        let keys = entry.get_ref().as_table();
        let has = |key: &str| keys.is_some_and(|table| table.contains_key(key));
        if !has("launch") && !has("steps") {
            let table = Table::of("launch", entry, &LAUNCH, self.out)?;
            let launch = self.launch(&table, entry.span(), true, count);
            return launch.map(Step::Launch);
        }
        const KEYS: [&str; 4] = ["for", "when", "launch", "steps"];
        let table = Table::of("group of launches", entry, &KEYS, self.out)?;
        let list = match (table.get("launch"), table.get("steps")) {
            (Some(list), None) => list,
            (_, Some(name)) => self.named_steps(name)?,
            (None, None) => return None,
        };
        let steps = self.list(list, count, depth + 1);
        Some(Step::Group(GroupSpec {
            steps,
            when: table.get("when").and_then(|value| self.formula(value)),
            each: table.get("for").and_then(|value| self.each(value)),
        }))
    }

    /// Finds the list of launches that a name refers to.
    fn named_steps(
        &mut self,
        value: document::SpannedValue<'_>,
    ) -> Option<document::SpannedValue<'s>> {
        let name = string(value, self.out)?;
        let found = self.shared.iter().find(|(known, _)| known == name);
        if found.is_none() {
            let names: Vec<&str> = self.shared.iter().map(|(name, _)| name.as_str()).collect();
            self.out
                .push(unknown(value.span(), "list of steps", name, &names));
        }
        found.map(|(_, list)| *list)
    }

    fn launch(
        &mut self,
        table: &Table<'_>,
        span: Range<usize>,
        own: bool,
        count: &mut usize,
    ) -> Option<LaunchSpec> {
        let number = *count;
        *count += 1;
        let symbol = table.need(
            "symbol",
            "`symbol = \"...\"`: the kernel's name, as written or demangled",
            self.out,
        );
        let grid = table.need(
            "grid",
            "`grid = [\"ceil(N / 64)\"]`: work-groups in x, y, z",
            self.out,
        );
        let block = table.need(
            "block",
            "`block = [256]`: work-items of a group in x, y, z",
            self.out,
        );
        let args = table.need(
            "args",
            "`args = [\"A\", \"i32 N\"]`: tensors and numbers in the kernel's order",
            self.out,
        );
        let (symbol, grid, block, args) = (symbol?, grid?, block?, args?);
        Some(LaunchSpec {
            span,
            number,
            symbol: self.symbol(symbol)?,
            grid: self.sides(grid, "grid")?,
            block: self.sides(block, "block")?,
            dynamic_lds: table
                .get("dynamic_lds")
                .and_then(|value| self.formula(value)),
            args: self.args(args)?,
            when: table
                .get("when")
                .filter(|_| own)
                .and_then(|value| self.formula(value)),
            each: table.get("for").and_then(|value| self.each(value)),
            owners: self.owners(table),
            planted: false,
        })
    }

    /// Reads `{ C = ["i % N", "i / N"] }`.
    fn owners(&mut self, table: &Table<'_>) -> Vec<(FileValue<String>, Vec<FileValue<Formula>>)> {
        let entries = self.entries(table, "owner");
        let read = |(name, value)| Some((name, self.sides(value, "owner")?));
        entries.into_iter().filter_map(read).collect()
    }

    pub(super) fn symbol(
        &mut self,
        value: document::SpannedValue<'_>,
    ) -> Option<FileValue<Symbol>> {
        let text = string(value, self.out)?;
        let symbol = Symbol::parse(text);
        self.kept(value, symbol)
    }

    /// Reads one to three formulas.
    pub(super) fn sides(
        &mut self,
        value: document::SpannedValue<'_>,
        what: &str,
    ) -> Option<Vec<FileValue<Formula>>> {
        let list = array(value, self.out);
        if list.is_empty() || list.len() > 3 {
            let title = format!("`{what}` has {} sides", list.len());
            self.out.push(bad(
                value,
                &title,
                "one to three",
                "give x, or x and y, or x, y and z",
            ));
            return None;
        }
        list.iter().map(|side| self.formula(side)).collect()
    }

    pub(super) fn args(
        &mut self,
        value: document::SpannedValue<'_>,
    ) -> Option<FileValue<Vec<FileValue<ArgSpec>>>> {
        let mut args = Vec::new();
        for arg in array(value, self.out) {
            args.push(self.arg(arg, 0)?);
        }
        Some(FileValue {
            span: value.span(),
            value: args,
        })
    }

    fn arg(&mut self, value: document::SpannedValue<'_>, depth: u32) -> Option<FileValue<ArgSpec>> {
        if value.get_ref().is_array() {
            if depth > 4 {
                self.out.push(bad(
                    value,
                    "structs nest deeper than 4",
                    "here",
                    "write the members in a row",
                ));
                return None;
            }
            let members: Option<Vec<_>> = array(value, self.out)
                .iter()
                .map(|member| self.arg(member, depth + 1))
                .collect();
            return self.kept(value, Ok(ArgSpec::Struct(members?)));
        }
        let text = string(value, self.out)?;
        let arg = arguments::parse(text);
        self.kept(value, arg)
    }

    /// Reads `t in 0..T`.
    fn each(&mut self, value: document::SpannedValue<'_>) -> Option<FileValue<Loop>> {
        let text = string(value, self.out)?;
        let parts = text.split_once(" in ").and_then(|(name, range)| {
            let (from, to) = range.split_once("..")?;
            let at = text.len() - range.len();
            Some((name.trim(), (from, at), (to, text.len() - to.len())))
        });
        let name_fits = |name: &str| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        let Some((name, from, to)) = parts.filter(|(name, ..)| name_fits(name)) else {
            self.out.push(bad(
                value,
                "this is no range",
                "here",
                "write it as `t in 0..T`",
            ));
            return None;
        };
        let range = parse_part(from.0, from.1).and_then(|from| {
            let to = parse_part(to.0, to.1)?;
            Ok(Loop {
                name: name.into(),
                from,
                to,
            })
        });
        self.kept(value, range)
    }
}
