//! Reading planted bugs from TOML.

use super::Reader;
use crate::binding::planted::{Change, KernelChange, LaunchChange, PlantedSpec, Reason};
use crate::binding::symbol::Symbol;
use crate::binding::{FileValue, LaunchSpec};
use crate::document::{self, Table, array, bad, integer, string, unknown};
use crate::report::model::CAUSE_KINDS;

/// Keys that change one launch.
const OF_A_LAUNCH: [&str; 5] = ["launch", "symbol", "grid", "block", "args"];
/// Keys that change every launch of a kernel.
const OF_KERNELS: [&str; 2] = ["replace", "swap_grid"];

impl Reader<'_, '_> {
    /// Reads the planted bugs of a binding that makes these launches.
    pub(super) fn planted(
        &mut self,
        list: document::SpannedValue<'_>,
        launches: &[&LaunchSpec],
    ) -> Vec<PlantedSpec> {
        let mut all: Vec<PlantedSpec> = Vec::new();
        for entry in array(list, self.out) {
            let Some(planted) = self.bug(entry, launches) else {
                continue;
            };
            if all.iter().any(|other| other.name == planted.name) {
                let title = format!("`{}` is planted twice", planted.name);
                let help = "tests name it: give each bug of a binding a name of its own";
                self.out.push(bad(entry, &title, "again", help));
            }
            all.push(planted);
        }
        all
    }

    fn bug(
        &mut self,
        value: document::SpannedValue<'_>,
        launches: &[&LaunchSpec],
    ) -> Option<PlantedSpec> {
        let keys: Vec<&str> = ["name", "reason", "when"]
            .into_iter()
            .chain(OF_A_LAUNCH)
            .chain(OF_KERNELS)
            .collect();
        let table = Table::of("planted bug", value, &keys, self.out)?;
        let name = table.need("name", "`name = \"...\"`: what is wrong with it", self.out)?;
        let name = string(name, self.out)?;
        let first =
            |keys: &[&'static str]| keys.iter().find(|key| table.get(key).is_some()).copied();
        let change = match (first(&OF_KERNELS), first(&OF_A_LAUNCH)) {
            (Some(kernels), Some(launch)) => {
                let title = format!("this planted bug has both `{kernels}` and `{launch}`");
                let help = "`replace` and `swap_grid` change every launch of a kernel, the others one launch: write two planted bugs";
                self.out.push(bad(value, &title, "one too many", help));
                return None;
            }
            (Some(_), None) => Change::Kernels(self.of_kernels(&table, launches)?),
            (None, _) => Change::Launch(self.of_a_launch(&table, value, launches)?),
        };
        Some(PlantedSpec {
            name: name.into(),
            span: value.span(),
            reasons: table
                .get("reason")
                .map_or_else(Vec::new, |value| self.reasons(value)),
            change,
            when: table.get("when").and_then(|value| self.formula(value)),
        })
    }

    fn reasons(&mut self, list: document::SpannedValue<'_>) -> Vec<Reason> {
        let mut reasons = Vec::new();
        for value in array(list, self.out) {
            let Some(text) = string(value, self.out) else {
                continue;
            };
            let reason = Reason::parse(text);
            if reason.is_none() {
                let title = format!("`{text}` is no reason");
                let help = format!(
                    "write a kind and a tensor, as in `\"index q\"`, or the name of a known mistake; the kinds are {}",
                    CAUSE_KINDS.join(", ")
                );
                self.out.push(bad(value, &title, "unknown kind", &help));
            }
            reasons.extend(reason);
        }
        reasons
    }

    fn of_a_launch(
        &mut self,
        table: &Table<'_>,
        value: document::SpannedValue<'_>,
        launches: &[&LaunchSpec],
    ) -> Option<LaunchChange> {
        let number = match table.get("launch") {
            Some(at) => {
                let number = integer(at, self.out)?;
                let found = usize::try_from(number)
                    .ok()
                    .filter(|number| *number < launches.len());
                if found.is_none() {
                    let title = format!("this binding has no launch {number}");
                    let help = format!(
                        "its launches are counted from 0 to {}",
                        launches.len().saturating_sub(1)
                    );
                    self.out.push(bad(at, &title, "out of range", &help));
                }
                found?
            }
            None => 0,
        };
        let changes = ["symbol", "grid", "block", "args"];
        if !changes.iter().any(|key| table.get(key).is_some()) {
            let help = "give it `replace = { kernel = \"another\" }`, or another `symbol`, `grid`, `block` or `args`";
            self.out.push(bad(
                value,
                "this planted bug changes nothing",
                "no change",
                help,
            ));
            return None;
        }
        Some(LaunchChange {
            number,
            symbol: table.get("symbol").and_then(|value| self.symbol(value)),
            grid: table
                .get("grid")
                .and_then(|value| self.sides(value, "grid")),
            block: table
                .get("block")
                .and_then(|value| self.sides(value, "block")),
            args: table.get("args").and_then(|value| self.args(value)),
        })
    }

    fn of_kernels(&mut self, table: &Table<'_>, launches: &[&LaunchSpec]) -> Option<KernelChange> {
        let before = self.out.len();
        let mut replace = Vec::new();
        for (kernel, value) in self.entries(table, "replace") {
            let kernel = self.launched(kernel, launches);
            let by = self.symbol(value);
            replace.extend(kernel.zip(by));
        }
        if let Some(value) = table.get("replace")
            && replace.is_empty()
            && self.out.len() == before
        {
            let help = "write `replace = { kernel = \"another\" }`";
            self.out.push(bad(
                value,
                "this planted bug changes nothing",
                "empty",
                help,
            ));
        }
        let swapped = table.get("swap_grid").and_then(|value| {
            let name = FileValue {
                span: value.span(),
                value: string(value, self.out)?.to_owned(),
            };
            self.launched(name, launches)
        });
        (self.out.len() == before).then_some(KernelChange {
            replace,
            swap_grid: swapped,
        })
    }

    /// Finds a kernel that the binding launches, by the name that its launches use.
    fn launched(&mut self, name: FileValue<String>, launches: &[&LaunchSpec]) -> Option<Symbol> {
        let found = launches
            .iter()
            .map(|launch| &launch.symbol)
            .find(|symbol| Symbol::parse(&name.value).as_ref() == Ok(&symbol.value));
        if found.is_none() {
            let mut names: Vec<&str> = Vec::new();
            for launch in launches {
                let written = self.source.text.get(launch.symbol.span.clone());
                let written = written.unwrap_or_default().trim_matches(['"', '\'']);
                if !names.contains(&written) {
                    names.push(written);
                }
            }
            let mut complaint = unknown(name.span, "kernel of this binding", &name.value, &names);
            complaint.label = "no launch has this `symbol`".into();
            self.out.push(complaint);
        }
        found.map(|symbol| symbol.value.clone())
    }
}
