//! Reading bindings from TOML.

mod launch;
mod planted;
mod tensors;

use std::ops::Range;
use std::sync::Arc;

use toml::de::DeTable;

use super::formula::{Formula, Trouble, parse};
use super::{Binding, CONTRACT_VERSION, FileValue, Source, launches};
use crate::contract::Function;
use crate::document::{self, Complaint, Table, array, bad, integer, string, unknown, wrong_type};
use launch::LAUNCH;

/// The bindings of a file, as far as they can be read.
pub fn bindings(
    source: &Arc<Source>,
    contracts: &[&'static Function],
    out: &mut Vec<Complaint>,
) -> Vec<Binding> {
    let Some(document) = document::parse(&source.text, out) else {
        return Vec::new();
    };
    let table = Table::new("binding file", 0..0, document.get_ref());
    if let (Some(contract), None) = (table.get("contract"), table.get("binding")) {
        out.push(bad(
            contract,
            "this is a file of contracts",
            "not a binding",
            "give it with --contract, and a file with a [[binding]] with --bind",
        ));
        return Vec::new();
    }
    table.only(&["schema", "binding", "steps", "contracts"], out);
    if let Some(list) = table.get("contracts") {
        for name in array(list, out) {
            string(name, out);
        }
    }
    let shared = table
        .get("steps")
        .map_or(Vec::new(), |value| shared(value, out));
    let mut reader = Reader {
        source,
        contracts,
        shared: &shared,
        out,
    };
    document::check_schema(&table, reader.out);
    let Some(list) = table.need("binding", "a [[binding]] for each contract", reader.out) else {
        return Vec::new();
    };
    let entries = array(list, reader.out);
    entries
        .iter()
        .filter_map(|entry| reader.binding(entry))
        .collect()
}

/// Returns the files of contracts that a text of bindings names, and where. Mistakes in the text are left to [`bindings`].
pub fn contract_files(text: &str) -> Vec<(String, Range<usize>)> {
    let Ok(document) = DeTable::parse(text) else {
        return Vec::new();
    };
    let table = Table::new("binding file", 0..0, document.get_ref());
    let list = table
        .get("contracts")
        .and_then(|list| list.get_ref().as_array());
    let names = list.into_iter().flat_map(|list| list.iter());
    names
        .filter_map(|name| Some((name.get_ref().as_str()?.to_owned(), name.span())))
        .collect()
}

/// Reads the lists of launches that have a name.
fn shared<'a>(
    value: document::SpannedValue<'a>,
    out: &mut Vec<Complaint>,
) -> Vec<(String, document::SpannedValue<'a>)> {
    let Some(keys) = value.get_ref().as_table() else {
        out.push(wrong_type(value, "a table"));
        return Vec::new();
    };
    let named = Table::new("steps", value.span(), keys);
    let entries = named.entries().into_iter();
    entries
        .map(|(key, list)| (key.get_ref().to_string(), list))
        .collect()
}

/// State shared by all parts of reading a file.
pub(super) struct Reader<'s, 'o> {
    pub(super) source: &'s Arc<Source>,
    /// Contracts that a binding may name.
    contracts: &'s [&'static Function],
    /// Lists of launches by name, which several bindings may use.
    shared: &'s [(String, document::SpannedValue<'s>)],
    pub(super) out: &'o mut Vec<Complaint>,
}

impl<'s> Reader<'s, '_> {
    fn binding<'a>(&mut self, value: document::SpannedValue<'a>) -> Option<Binding> {
        let known: Vec<&str> = [
            "contract", "name", "version", "types", "layout", "convert", "start", "let", "vary",
            "scratch", "tensors", "buffers", "launch", "planted",
        ]
        .into_iter()
        .chain(LAUNCH)
        .collect();
        let table = Table::of("binding", value, &known, self.out)?;
        let contract = table.need(
            "contract",
            "`contract = \"...\"`: what the kernels compute",
            self.out,
        )?;
        let name = string(contract, self.out)?;
        let mut known = self.contracts.iter();
        let Some(&function) = known.find(|function| function.name == name) else {
            let names: Vec<&str> = self.contracts.iter().map(|known| known.name).collect();
            let mut complaint = unknown(contract.span(), "contract", name, &names);
            if !complaint.help.starts_with("did you") {
                complaint.help = "`deltanet-check contracts` lists them".into();
            }
            self.out.push(complaint);
            return None;
        };
        if let Some(version) = table.get("version")
            && let Some(number) = integer(version, self.out)
            && number != CONTRACT_VERSION
        {
            let title = format!("this binding is for version {number} of contract `{name}`");
            let help = format!(
                "this program has version {CONTRACT_VERSION}: compare `deltanet-check contracts {name}` and write `version = {CONTRACT_VERSION}`"
            );
            self.out
                .push(bad(version, &title, "another version", &help));
        }
        let before = self.out.len();
        let mut count = 0;
        let steps = self.steps(&table, value.span(), &mut count);
        let planted = match table.get("planted") {
            // Planted bugs refer to launches, so they are read only if every launch was read.
            Some(list) if self.out.len() == before => self.planted(list, &launches(&steps)),
            _ => Vec::new(),
        };
        let mut lets = self.formulas(&table, "let");
        let varied = self.varied(&table, &mut lets);
        self.unheard(function, &lets);
        let called = table.get("name").and_then(|name| string(name, self.out));
        let binding = Binding {
            name: called.map(Into::into),
            source: Arc::clone(self.source),
            span: contract.span(),
            function,
            // If the binding has a list of launches, `when` beside `contract` applies to the whole binding.
            when: table.get("when").and_then(|value| self.formula(value)),
            types: self.types(&table),
            layouts: self.layouts(&table),
            converted: self.formulas(&table, "convert"),
            lets,
            varied,
            starts: self.starts(&table),
            scratch: self.scratch(&table),
            indices: self.indices(&table),
            buffers: self.buffers(&table),
            steps,
            planted,
        };
        (self.out.len() == before).then_some(binding)
    }

    /// Keeps a parsed value, or records the complaint about it.
    fn kept<T>(
        &mut self,
        value: document::SpannedValue<'_>,
        read: Result<T, Trouble>,
    ) -> Option<FileValue<T>> {
        match read {
            Ok(read) => Some(FileValue {
                span: value.span(),
                value: read,
            }),
            Err(trouble) => {
                self.out.push(self.source.complaint(&value.span(), trouble));
                None
            }
        }
    }

    /// Reads a formula; a TOML integer is accepted as a formula too.
    fn formula(&mut self, value: document::SpannedValue<'_>) -> Option<FileValue<Formula>> {
        if value.get_ref().is_integer() {
            let number = integer(value, self.out)?;
            let node = super::formula::Node::Integer(number.into());
            return self.kept(value, Ok(Formula { at: 0..0, node }));
        }
        let text = string(value, self.out)?;
        let formula = parse(text);
        self.kept(value, formula)
    }

    /// Reads the table of names with a list of formulas each, one for each launch form. The first formula of each list
    /// joins `lets`.
    fn varied(
        &mut self,
        table: &Table<'_>,
        lets: &mut Vec<(FileValue<String>, FileValue<Formula>)>,
    ) -> Vec<(String, Vec<FileValue<Formula>>)> {
        let mut varied = Vec::new();
        for (name, value) in self.entries(table, "vary") {
            let list = array(value, self.out);
            if value
                .get_ref()
                .as_array()
                .is_some_and(|list| list.is_empty())
            {
                let help = "list a formula for each way to launch, the usual one first";
                self.out
                    .push(bad(value, "there is no formula", "empty", help));
            }
            let formulas = list.iter().filter_map(|value| self.formula(value));
            let formulas: Vec<FileValue<Formula>> = formulas.collect();
            if let Some(first) = formulas.first() {
                lets.push((name.clone(), first.clone()));
            }
            varied.push((name.value, formulas));
        }
        varied
    }

    /// Complains about `let` names that no formula can reach because the contract already defines them.
    fn unheard(&mut self, function: &Function, lets: &[(FileValue<String>, FileValue<Formula>)]) {
        for (name, _) in lets {
            let has = |names: &[&str]| names.contains(&name.value.as_str());
            let what = if has(function.dims) || has(function.integers) {
                "a size"
            } else if function.choices().any(|(choice, _)| *choice == name.value) {
                "a choice"
            } else {
                continue;
            };
            let FileValue { span, value } = name;
            self.out.push(Complaint {
                span: span.clone(),
                title: format!("`{value}` is {what} of the contract: a case says what it is"),
                label: "another meaning".into(),
                help: "take another name, and use that in the formulas".into(),
            });
        }
    }

    /// Reads a table of names with a formula each.
    fn formulas(
        &mut self,
        table: &Table<'_>,
        key: &'static str,
    ) -> Vec<(FileValue<String>, FileValue<Formula>)> {
        let entries = self.entries(table, key);
        let read = |(name, value)| Some((name, self.formula(value)?));
        entries.into_iter().filter_map(read).collect()
    }

    fn entries<'a>(
        &mut self,
        table: &Table<'a>,
        key: &'static str,
    ) -> Vec<(FileValue<String>, document::SpannedValue<'a>)> {
        let Some(value) = table.get(key) else {
            return Vec::new();
        };
        let Some(keys) = value.get_ref().as_table() else {
            self.out.push(wrong_type(value, "a table"));
            return Vec::new();
        };
        let named = Table::new(key, value.span(), keys);
        let name = |(key, value): (&toml::Spanned<toml::de::DeString<'a>>, _)| {
            let name = FileValue {
                span: key.span(),
                value: key.get_ref().to_string(),
            };
            (name, value)
        };
        named.entries().into_iter().map(name).collect()
    }
}
