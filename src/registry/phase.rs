//! Parsing of a TOML document into phases and tests, with all checks.

use std::collections::{BTreeSet, HashMap};

use toml::de::DeTable;

use super::cases::DESIGN;
use super::{FIRST_SEED, Phase, Registry};
use crate::contract::{Case, Test};
use crate::contracts::functions;
use crate::document::Complaint;
use crate::document::{Placed, Table, array, bad, boolean, integer, string, unknown};
use crate::text::file_name;
use crate::verdict::SourceReport;

/// The version of the format this reads.
const SCHEMA: i64 = 1;

type Complaints = Vec<Complaint>;

/// The whole file. A user's is read with the built-in registry as its base.
pub fn registry(text: &str, base: Option<&Registry>, out: &mut Complaints) -> Registry {
    let mut registry = Registry {
        phases: Vec::new(),
        source: SourceReport::default(),
        seed: FIRST_SEED,
    };
    let root = match DeTable::parse(text) {
        Ok(root) => root,
        Err(error) => {
            let title = format!("this is not TOML: {}", error.message().trim_end());
            let help =
                "mend the syntax; the format is described at the top of the built-in phases.toml"
                    .into();
            out.push(Complaint {
                span: error.span().unwrap_or(0..0),
                title,
                label: "here".into(),
                help,
            });
            return registry;
        }
    };
    let table = Table::new("registry", 0..0, root.get_ref());
    let users = base.is_some();
    let keys: &[&str] = if users {
        &["schema", "partial", "phase", "extends", "test"]
    } else {
        &["schema", "partial", "phase"]
    };
    table.only(keys, out);
    schema(&table, out);
    let partial = table
        .get("partial")
        .and_then(|value| boolean(value, out))
        .unwrap_or(users);
    let extends = extends(&table, out);
    let mut reader = Reader {
        base: base.filter(|_| extends),
        users,
        out,
        ids: HashMap::new(),
        files: HashMap::new(),
        used: BTreeSet::new(),
    };
    let phases = table
        .get("phase")
        .map_or(&[][..], |value| array(value, reader.out));
    let mut numbers = BTreeSet::new();
    // Tests of a user's that are in no phase.
    if let Some(list) = table.get("test") {
        let tests = array(list, reader.out);
        registry.phases.push(Phase {
            number: 0,
            title: "Tests of this registry".into(),
            note: None,
            tests: tests.iter().filter_map(|test| reader.test(test)).collect(),
        });
        numbers.insert(0);
    }
    for value in phases {
        registry.phases.extend(reader.phase(value, &mut numbers));
    }
    let missing: Vec<&str> = functions()
        .map(|function| function.name)
        .filter(|name| !reader.used.contains(name))
        .collect();
    if !partial && !missing.is_empty() && out.is_empty() {
        out.push(Complaint {
            span: 0..0,
            title: format!("no test runs these functions: {}", missing.join(", ")),
            label: "in this registry".into(),
            help: "add a test for each, or write `partial = true` at the top if they are left out on purpose".into(),
        });
    }
    registry
}

fn schema(table: &Table<'_>, out: &mut Complaints) {
    let Some(value) = table.need("schema", "`schema = 1` at the top", out) else {
        return;
    };
    match integer(value, out) {
        Some(SCHEMA) | None => {}
        Some(other) => {
            let title = format!("this registry has schema {other}");
            out.push(bad(
                value,
                &title,
                "not 1",
                "this version reads `schema = 1`",
            ));
        }
    }
}

/// Returns true if the built-in registry supplies tolerances that a test does not give.
fn extends(table: &Table<'_>, out: &mut Complaints) -> bool {
    let Some(value) = table.get("extends") else {
        return true;
    };
    match string(value, out) {
        Some("built-in") | None => true,
        Some("nothing") => false,
        Some(other) => {
            let names = ["built-in", "nothing"];
            out.push(unknown(value.span(), "registry", other, &names));
            true
        }
    }
}

/// The state of reading one file.
pub(super) struct Reader<'k, 'o> {
    /// The registry that gives tolerances, if any.
    pub(super) base: Option<&'k Registry>,
    /// True for a user's registry, which may leave out what only the built-in one must have.
    pub(super) users: bool,
    pub(super) out: &'o mut Complaints,
    /// Every id and alias so far, and whose it is.
    ids: HashMap<String, String>,
    /// Every name of a file so far, and the case whose it is.
    files: HashMap<String, String>,
    /// Functions that some test runs.
    used: BTreeSet<&'static str>,
}

impl Reader<'_, '_> {
    fn phase<'a>(&mut self, value: Placed<'a>, numbers: &mut BTreeSet<u32>) -> Option<Phase> {
        let table = Table::of(
            "phase",
            value,
            &["number", "title", "note", "test"],
            self.out,
        )?;
        let number_at = table.need("number", "`number = 1`", self.out)?;
        let number = integer(number_at, self.out)?;
        let Ok(number) = u32::try_from(number) else {
            self.out.push(bad(
                number_at,
                "a phase number from 0 up is needed",
                "out of range",
                "number phases 0, 1, 2 ...",
            ));
            return None;
        };
        if !numbers.insert(number) {
            let title = format!("phase {number} is there twice");
            self.out.push(bad(
                number_at,
                &title,
                "used above",
                "give each phase its own number",
            ));
        }
        let title = string(
            table.need("title", "`title = \"...\"`", self.out)?,
            self.out,
        )?;
        let note = table.get("note").and_then(|value| string(value, self.out));
        let tests_at = table.need("test", "its tests as [[phase.test]]", self.out)?;
        let tests = array(tests_at, self.out)
            .iter()
            .filter_map(|test| self.test(test))
            .collect();
        Some(Phase {
            number,
            title: title.into(),
            note: note.map(Into::into),
            tests,
        })
    }

    fn test<'a>(&mut self, value: Placed<'a>) -> Option<Test> {
        const KEYS: [&str; 11] = [
            "id",
            "aliases",
            "function",
            "contract",
            "binding",
            "kernels",
            "shape",
            "cases",
            "outputs",
            "planted",
            "documented",
        ];
        let table = Table::of("test", value, &KEYS, self.out)?;
        let id_at = table.need("id", "`id = \"...\"`, the name that --test takes", self.out)?;
        let id = string(id_at, self.out)?;
        self.name(id, id_at, id);
        let mut aliases = Vec::new();
        for alias_at in table
            .get("aliases")
            .map_or(&[][..], |value| array(value, self.out))
        {
            if let Some(alias) = string(alias_at, self.out) {
                self.name(alias, alias_at, id);
                aliases.push(alias.to_string());
            }
        }
        let function_at = match table.get("contract") {
            Some(contract) => contract,
            None => table.need(
                "function",
                "`function = \"...\"`, what the test runs",
                self.out,
            )?,
        };
        let name = string(function_at, self.out)?;
        let Some(function) = functions().find(|function| function.name == name) else {
            let names: Vec<&str> = functions().map(|function| function.name).collect();
            self.out
                .push(unknown(function_at.span(), "function", name, &names));
            return None;
        };
        self.used.insert(function.name);
        let cases = self.cases(&table, id, function);
        self.files(&cases, id_at);
        let word = table.get("cases").map(|cases| cases.get_ref().as_str());
        let designed = word.flatten() == Some(DESIGN);
        let outputs = self.outputs(&table, function, designed);
        let binding = self.binding(&table, function);
        let planted = self.plants(&table, function, binding);
        let documented = table
            .get("documented")
            .and_then(|value| boolean(value, self.out))
            .unwrap_or(false);
        Some(Test {
            id: id.into(),
            aliases,
            function,
            binding: binding.map(Into::into),
            title: function.title.into(),
            documented,
            designed,
            cases,
            outputs,
            planted,
        })
    }

    /// Takes an id or alias, which nobody else may have.
    fn name(&mut self, name: &str, at: Placed<'_>, owner: &str) {
        if let Some((title, label, help)) = unfit(name) {
            self.out.push(bad(at, &title, label, help));
        }
        if let Some(other) = self.ids.insert(name.to_string(), owner.to_string()) {
            let title = format!("`{name}` names two tests");
            let label = if other == owner {
                "already its own name".into()
            } else {
                format!("taken by test `{other}`")
            };
            self.out.push(bad(
                at,
                &title,
                &label,
                "give each test, and each alias, a name of its own",
            ));
        }
    }

    /// Takes the names of the files that cases are dumped to, in which several characters look alike.
    fn files(&mut self, cases: &[Case], at: Placed<'_>) {
        for case in cases {
            let file = file_name(&case.id);
            let Some(other) = self.files.insert(file.clone(), case.id.clone()) else {
                continue;
            };
            // A duplicate name has been complained about already.
            if other != case.id {
                let title = format!("`{}` and `{other}` would be dumped to one file", case.id);
                let help = format!("both are `{file}` there: name them further apart");
                self.out.push(bad(at, &title, "too like the other", &help));
            }
        }
    }
}

/// Returns the title, label and help of a complaint about an unfit name of a test. A name is typed after `--test`,
/// where `* ? [ ] { }` make a glob, `:` sets off a shape, and blanks at an end are lost.
fn unfit(name: &str) -> Option<(String, &'static str, &'static str)> {
    let plain = |c: char| c.is_ascii_alphanumeric() || " ()=↔.,+_-".contains(c);
    let shown = name.escape_debug();
    if !name.chars().all(plain) {
        return Some((
            format!("`{shown}` is not a name for a test"),
            "other characters",
            "use letters, digits, single spaces and ( ) = ↔ . , + _ -",
        ));
    }
    let begins = name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let blanks = name.ends_with(' ') || name.contains("  ");
    (!begins || blanks).then(|| {
        (
            format!("`{shown}` is not a name for a test"),
            "begins with a mark, or has blanks too many",
            "begin with a letter or digit; put one space between words and none at the end",
        )
    })
}
