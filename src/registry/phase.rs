//! The reader of a registry's files: it parses phases and tests, and checks them.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeString, DeTable};

use super::cases::DESIGN;
use super::{NamedTolerances, Phase, Registry};
use crate::contract::catalog::functions;
use crate::contract::{Case, Function, Test};
use crate::document::{
    Complaint, SpannedValue, Table, array, bad, boolean, integer, string, unknown, wrong_type,
};
use crate::report::model::SourceReport;
use crate::text::file_name;

/// The version of the format.
const SCHEMA: i64 = 1;

type Complaints = Vec<Complaint>;

/// Reads a registry from its files. Returns it with the complaints about each file. Only a user's
/// registry has a base.
pub fn read_registry(
    files: &[(&str, &str)],
    base: Option<&Registry>,
) -> (Registry, Vec<Complaints>) {
    let mut reader = Reader {
        base,
        users: base.is_some(),
        out: Vec::new(),
        ids: HashMap::new(),
        files: HashMap::new(),
        tolerances: base.map_or_else(NamedTolerances::new, |base| base.tolerances.clone()),
        used: BTreeSet::new(),
        numbers: BTreeSet::new(),
    };
    let mut phases = Vec::new();
    let mut complaints = Vec::new();
    let mut partial = false;
    for (_, text) in files {
        partial |= reader.read_file(text, &mut phases);
        complaints.push(std::mem::take(&mut reader.out));
    }
    let missing: Vec<&str> = functions()
        .map(|function| function.name)
        .filter(|name| !reader.used.contains(name))
        .collect();
    if !partial && !missing.is_empty() && complaints.iter().all(Vec::is_empty) {
        complaints[0].push(Complaint {
            span: 0..0,
            title: format!("no test runs these contracts: {}", missing.join(", ")),
            label: "in this registry".into(),
            help: "add a test for each, or write `partial = true` at the top if they are left out \
                   on purpose"
                .into(),
        });
    }
    phases.sort_by_key(|phase: &Phase| phase.number);
    let registry = Registry {
        phases,
        source: SourceReport::default(),
        custom: Vec::new(),
        tolerances: reader.tolerances,
    };
    (registry, complaints)
}

/// Checks the version of a file's format.
fn check_schema(table: &Table<'_>, out: &mut Complaints) {
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

/// The reader of a registry. It collects the names and contracts of tests, across the files of a registry.
pub(super) struct Reader<'k> {
    /// The registry that gives tolerances which a test leaves out, if there is one.
    pub(super) base: Option<&'k Registry>,
    /// True for a user's registry. Its tests may leave out outputs, ceilings, reasons and planted bugs.
    pub(super) users: bool,
    /// The complaints about the file being read.
    pub(super) out: Complaints,
    /// The named tolerances of the base, of the files before and of the file being read.
    pub(super) tolerances: NamedTolerances,
    /// Each id and alias that was read, with the id of its test.
    ids: HashMap<String, String>,
    /// The name of each case's dumped files, with the id of the case.
    files: HashMap<String, String>,
    /// The contracts that tests run.
    used: BTreeSet<&'static str>,
    /// The number of each phase that was read.
    numbers: BTreeSet<u32>,
}

impl Reader<'_> {
    /// Reads a file's phases, and returns true if the file says that the registry is partial.
    fn read_file(&mut self, text: &str, phases: &mut Vec<Phase>) -> bool {
        let root = match DeTable::parse(text) {
            Ok(root) => root,
            Err(error) => {
                let title = format!("this is not TOML: {}", error.message().trim_end());
                let help =
                    "mend the syntax; the top of the built-in phases.toml describes the format"
                        .into();
                self.out.push(Complaint {
                    span: error.span().unwrap_or(0..0),
                    title,
                    label: "here".into(),
                    help,
                });
                return false;
            }
        };
        let table = Table::new("registry", 0..0, root.get_ref());
        let keys: &[&str] = if self.users {
            &[
                "schema",
                "partial",
                "tolerances",
                "phase",
                "extends",
                "test",
            ]
        } else {
            &["schema", "partial", "tolerances", "phase"]
        };
        table.only(keys, &mut self.out);
        check_schema(&table, &mut self.out);
        let partial = table
            .get("partial")
            .and_then(|value| boolean(value, &mut self.out));
        if !extends(&table, &mut self.out) {
            self.base = None;
            self.tolerances.clear();
        }
        self.named_tolerances(&table);
        // A user's tests may stand outside phases.
        if let Some(list) = table.get("test") {
            let tests = array(list, &mut self.out);
            phases.push(Phase {
                number: 0,
                title: "Tests of this registry".into(),
                note: None,
                tests: tests.iter().filter_map(|test| self.test(test)).collect(),
            });
            self.numbers.insert(0);
        }
        let listed = table
            .get("phase")
            .map_or(&[][..], |value| array(value, &mut self.out));
        phases.extend(listed.iter().filter_map(|value| self.phase(value)));
        partial.unwrap_or(self.users)
    }

    fn phase(&mut self, value: SpannedValue<'_>) -> Option<Phase> {
        let table = Table::of(
            "phase",
            value,
            &["number", "title", "note", "test", "domains"],
            &mut self.out,
        )?;
        let number_at = table.need("number", "`number = 1`", &mut self.out)?;
        let number = integer(number_at, &mut self.out)?;
        let Ok(number) = u32::try_from(number) else {
            self.out.push(bad(
                number_at,
                "a phase number from 0 up is needed",
                "out of range",
                "number phases 0, 1, 2 ...",
            ));
            return None;
        };
        if !self.numbers.insert(number) {
            let title = format!("phase {number} is there twice");
            self.out.push(bad(
                number_at,
                &title,
                "used above",
                "give each phase its own number",
            ));
        }
        let title = string(
            table.need("title", "`title = \"...\"`", &mut self.out)?,
            &mut self.out,
        )?;
        let note = table
            .get("note")
            .and_then(|value| string(value, &mut self.out));
        let domains = table.get("domains");
        let listed = match domains {
            Some(_) => table.get("test"),
            None => Some(table.need(
                "test",
                "its tests as [[phase.test]], or lines of [phase.domains]",
                &mut self.out,
            )?),
        };
        let listed = listed.map_or(&[][..], |value| array(value, &mut self.out));
        let mut tests: Vec<Test> = listed.iter().filter_map(|test| self.test(test)).collect();
        tests.extend(domains.map_or_else(Vec::new, |domains| self.domains(domains)));
        Some(Phase {
            number,
            title: title.into(),
            note: note.map(Into::into),
            tests,
        })
    }

    fn test<'a>(&mut self, value: SpannedValue<'a>) -> Option<Test> {
        const KEYS: [&str; 10] = [
            "id",
            "aliases",
            "contract",
            "binding",
            "shape",
            "cases",
            "outputs",
            "planted",
            "unplanted",
            "documented",
        ];
        let table = Table::of("test", value, &KEYS, &mut self.out)?;
        let id_at = table.need(
            "id",
            "`id = \"...\"`, the name that --test takes",
            &mut self.out,
        )?;
        let id = string(id_at, &mut self.out)?;
        self.claim_name(id, id_at, id);
        let aliases = self.aliases(&table, id);
        let hint = "`contract = \"...\"`, the contract that the test runs";
        let contract_at = table.need("contract", hint, &mut self.out)?;
        let contract = string(contract_at, &mut self.out)?;
        let function = self.contract(contract, contract_at.span())?;
        let cases = self.cases(&table, id, function);
        self.claim_files(&cases, id_at);
        let cases_word = table.get("cases").map(|cases| cases.get_ref().as_str());
        let designed = cases_word.flatten() == Some(DESIGN);
        let outputs = self.outputs(&table, function, designed);
        let binding = self.binding(&table, function);
        let planted = self.planted_bugs(
            ["planted", "unplanted"].map(|key| table.get(key)),
            function,
            binding,
        );
        let documented = table
            .get("documented")
            .and_then(|value| boolean(value, &mut self.out))
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

    /// Reads a phase's table of domains, which has the outputs of each contract's test. The test's name is
    /// CONTRACT_domain, and its cases are the contract's design.
    fn domains(&mut self, value: SpannedValue<'_>) -> Vec<Test> {
        let Some(keys) = value.get_ref().as_table() else {
            self.out.push(wrong_type(value, "a table"));
            return Vec::new();
        };
        let contracts = Table::new("phase's domains", value.span(), keys).entries();
        let tests = contracts.into_iter();
        tests
            .filter_map(|(name, outputs)| self.domain_test(name, outputs))
            .collect()
    }

    fn domain_test(
        &mut self,
        name: &Spanned<DeString<'_>>,
        outputs: SpannedValue<'_>,
    ) -> Option<Test> {
        let function = self.contract(name.get_ref(), name.span())?;
        let id = format!("{}_domain", function.name);
        self.claim_name(&id, name, &id);
        Some(Test {
            id,
            aliases: Vec::new(),
            function,
            binding: None,
            title: function.title.into(),
            documented: false,
            designed: true,
            cases: Vec::new(),
            outputs: self.output_tolerances(outputs, function),
            planted: self.planted_bugs([None, None], function, None),
        })
    }

    /// Reads the other names of a test.
    fn aliases(&mut self, table: &Table<'_>, id: &str) -> Vec<String> {
        let mut aliases = Vec::new();
        for alias_at in table
            .get("aliases")
            .map_or(&[][..], |value| array(value, &mut self.out))
        {
            if let Some(alias) = string(alias_at, &mut self.out) {
                self.claim_name(alias, alias_at, id);
                aliases.push(alias.to_string());
            }
        }
        aliases
    }

    /// Returns the contract of a test. `span` is the place of its name.
    fn contract(&mut self, name: &str, span: Range<usize>) -> Option<&'static Function> {
        let function = functions().find(|function| function.name == name);
        match function {
            Some(function) => {
                self.used.insert(function.name);
            }
            None => {
                let names: Vec<&str> = functions().map(|function| function.name).collect();
                self.out.push(unknown(span, "contract", name, &names));
            }
        }
        function
    }

    /// Claims an id or alias for a test. Two tests may not have the same.
    fn claim_name<T>(&mut self, name: &str, at: &Spanned<T>, owner: &str) {
        if let Some((title, label, help)) = name_problem(name) {
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

    /// Claims the names of the files that cases are dumped to. The names of two cases may become the
    /// same name of a file, because a file's name has fewer characters.
    fn claim_files(&mut self, cases: &[Case], at: SpannedValue<'_>) {
        for case in cases {
            let file = file_name(&case.id);
            let Some(other) = self.files.insert(file.clone(), case.id.clone()) else {
                continue;
            };
            // Two cases with one id have a complaint of their own.
            if other != case.id {
                let title = format!("`{}` and `{other}` would be dumped to one file", case.id);
                let help = format!("both are `{file}` there: name them further apart");
                self.out.push(bad(at, &title, "too like the other", &help));
            }
        }
    }
}

/// Returns the title, label and help of a complaint about a test's name. A user types the name after
/// `--test`, where `* ? [ ] { }` make a glob, `:` sets off a shape, and spaces at an end are lost.
fn name_problem(name: &str) -> Option<(String, &'static str, &'static str)> {
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
