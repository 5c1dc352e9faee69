//! Reading bindings from TOML.

mod planted;

use std::ops::Range;
use std::sync::Arc;

use toml::de::DeTable;

use super::formula::{Formula, Trouble, parse, parse_part};
use super::symbol::Symbol;
use super::{
    ArgSpec, Binding, CONTRACT_VERSION, GroupSpec, LaunchSpec, LayoutSpec, Loop, Placed, Scratch,
    Source, Step, arguments, launches,
};
use crate::compare::ElementKind;
use crate::contract::Function;
use crate::document::{self, Complaint, Table, array, bad, integer, string, unknown, wrong_type};

/// What a launch is written with.
const LAUNCH: [&str; 8] = [
    "symbol",
    "grid",
    "block",
    "dynamic_lds",
    "args",
    "when",
    "for",
    "owner",
];
/// The most launches that a binding is written with.
const MAX_LAUNCHES: usize = 4096;
/// How deep launches that are made together nest.
const MAX_GROUPS: u32 = 4;

/// The bindings of a file, as far as they can be read.
pub fn bindings(
    source: &Arc<Source>,
    contracts: &[&'static Function],
    out: &mut Vec<Complaint>,
) -> Vec<Binding> {
    let parsed = DeTable::parse(&source.text);
    let document = match parsed {
        Ok(document) => document,
        Err(error) => {
            out.push(Complaint {
                span: error.span().unwrap_or(0..0),
                title: format!("not TOML: {}", error.message()),
                label: "here".into(),
                help: "see https://toml.io for how a file is written".into(),
            });
            return Vec::new();
        }
    };
    let table = Table::new("binding file", 0..0, document.get_ref());
    table.only(&["schema", "binding", "steps"], out);
    let shared = table
        .get("steps")
        .map_or(Vec::new(), |value| shared(value, out));
    let mut reader = Reader {
        source,
        contracts,
        shared: &shared,
        out,
    };
    if let Some(schema) = table.need("schema", "`schema = 1` at the top", reader.out)
        && let Some(number) = integer(schema, reader.out)
        && number != 1
    {
        let title = format!("this file has schema {number}");
        reader.out.push(bad(
            schema,
            &title,
            "not 1",
            "this version reads `schema = 1`",
        ));
    }
    let Some(list) = table.need("binding", "a [[binding]] for each contract", reader.out) else {
        return Vec::new();
    };
    let entries = array(list, reader.out);
    entries
        .iter()
        .filter_map(|entry| reader.binding(entry))
        .collect()
}

/// Lists of launches by name.
fn shared<'a>(
    value: document::Placed<'a>,
    out: &mut Vec<Complaint>,
) -> Vec<(String, document::Placed<'a>)> {
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

/// What reading a file needs everywhere.
pub(super) struct Reader<'s, 'o> {
    pub(super) source: &'s Arc<Source>,
    /// What may be bound.
    contracts: &'s [&'static Function],
    /// Launches that several bindings make, by name.
    shared: &'s [(String, document::Placed<'s>)],
    pub(super) out: &'o mut Vec<Complaint>,
}

impl<'s> Reader<'s, '_> {
    fn binding<'a>(&mut self, value: document::Placed<'a>) -> Option<Binding> {
        let known: Vec<&str> = [
            "contract", "version", "types", "layout", "convert", "let", "vary", "scratch",
            "buffers", "launch", "planted",
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
            // What launches there are is not known where one of them is wrong.
            Some(list) if self.out.len() == before => self.planted(list, &launches(&steps)),
            _ => Vec::new(),
        };
        let mut lets = self.formulas(&table, "let");
        let varied = self.varied(&table, &mut lets);
        let binding = Binding {
            source: Arc::clone(self.source),
            span: contract.span(),
            function,
            // With several launches, `when` beside `contract` is the binding's.
            when: table.get("when").and_then(|value| self.formula(value)),
            types: self.types(&table),
            layouts: self.layouts(&table),
            converted: self.formulas(&table, "convert"),
            lets,
            varied,
            scratch: self.scratch(&table),
            buffers: self.buffers(&table),
            steps,
            planted,
        };
        (self.out.len() == before).then_some(binding)
    }

    /// The launches of a binding: one of its own, or those under `launch`.
    fn steps(&mut self, table: &Table<'_>, span: Range<usize>, count: &mut usize) -> Vec<Step> {
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

    fn list(&mut self, list: document::Placed<'_>, count: &mut usize, depth: u32) -> Vec<Step> {
        if depth > MAX_GROUPS {
            let title = format!("launches nest deeper than {MAX_GROUPS}");
            let help = "write them in a row";
            self.out.push(bad(list, &title, "here", help));
            return Vec::new();
        }
        let mut steps = Vec::new();
        for entry in array(list, self.out) {
            // Steps that name each other multiply.
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

    /// A launch, or a group of launches.
    fn step(&mut self, entry: document::Placed<'_>, count: &mut usize, depth: u32) -> Option<Step> {
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

    /// The list of launches that a name means.
    fn named_steps(&mut self, value: document::Placed<'_>) -> Option<document::Placed<'s>> {
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

    /// `{ C = ["i % N", "i / N"] }`.
    fn owners(&mut self, table: &Table<'_>) -> Vec<(Placed<String>, Vec<Placed<Formula>>)> {
        let entries = self.entries(table, "owner");
        let read = |(name, value)| Some((name, self.sides(value, "owner")?));
        entries.into_iter().filter_map(read).collect()
    }

    fn symbol(&mut self, value: document::Placed<'_>) -> Option<Placed<Symbol>> {
        let text = string(value, self.out)?;
        let symbol = Symbol::parse(text);
        self.kept(value, symbol)
    }

    /// What was read, or the complaint about it.
    fn kept<T>(
        &mut self,
        value: document::Placed<'_>,
        read: Result<T, Trouble>,
    ) -> Option<Placed<T>> {
        match read {
            Ok(read) => Some(Placed {
                span: value.span(),
                value: read,
            }),
            Err(trouble) => {
                self.out.push(self.source.complaint(&value.span(), trouble));
                None
            }
        }
    }

    /// A formula, or a whole number as it is.
    fn formula(&mut self, value: document::Placed<'_>) -> Option<Placed<Formula>> {
        if value.get_ref().is_integer() {
            let number = integer(value, self.out)?;
            let node = super::formula::Node::Integer(number.into());
            return self.kept(value, Ok(Formula { at: 0..0, node }));
        }
        let text = string(value, self.out)?;
        let formula = parse(text);
        self.kept(value, formula)
    }

    /// One to three formulas.
    fn sides(&mut self, value: document::Placed<'_>, what: &str) -> Option<Vec<Placed<Formula>>> {
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

    fn args(&mut self, value: document::Placed<'_>) -> Option<Placed<Vec<Placed<ArgSpec>>>> {
        let mut args = Vec::new();
        for arg in array(value, self.out) {
            args.push(self.arg(arg, 0)?);
        }
        Some(Placed {
            span: value.span(),
            value: args,
        })
    }

    fn arg(&mut self, value: document::Placed<'_>, depth: u32) -> Option<Placed<ArgSpec>> {
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

    /// `t in 0..T`.
    fn each(&mut self, value: document::Placed<'_>) -> Option<Placed<Loop>> {
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

    /// A table of names with a list of formulas each, one for each way to launch. The first of each joins `lets`.
    fn varied(
        &mut self,
        table: &Table<'_>,
        lets: &mut Vec<(Placed<String>, Placed<Formula>)>,
    ) -> Vec<(String, Vec<Placed<Formula>>)> {
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
            let formulas: Vec<Placed<Formula>> = formulas.collect();
            if let Some(first) = formulas.first() {
                lets.push((name.clone(), first.clone()));
            }
            varied.push((name.value, formulas));
        }
        varied
    }

    /// A table of names with a formula each.
    fn formulas(
        &mut self,
        table: &Table<'_>,
        key: &'static str,
    ) -> Vec<(Placed<String>, Placed<Formula>)> {
        let entries = self.entries(table, key);
        let read = |(name, value)| Some((name, self.formula(value)?));
        entries.into_iter().filter_map(read).collect()
    }

    fn entries<'a>(
        &mut self,
        table: &Table<'a>,
        key: &'static str,
    ) -> Vec<(Placed<String>, document::Placed<'a>)> {
        let Some(value) = table.get(key) else {
            return Vec::new();
        };
        let Some(keys) = value.get_ref().as_table() else {
            self.out.push(wrong_type(value, "a table"));
            return Vec::new();
        };
        let named = Table::new(key, value.span(), keys);
        let name = |(key, value): (&toml::Spanned<toml::de::DeString<'a>>, _)| {
            let name = Placed {
                span: key.span(),
                value: key.get_ref().to_string(),
            };
            (name, value)
        };
        named.entries().into_iter().map(name).collect()
    }

    fn types(&mut self, table: &Table<'_>) -> Vec<(Placed<String>, ElementKind)> {
        let entries = self.entries(table, "types");
        let mut types = Vec::new();
        for (name, value) in entries {
            let kind = string(value, self.out).and_then(|word| self.kind(value, word));
            types.extend(kind.map(|kind| (name, kind)));
        }
        types
    }

    fn kind(&mut self, value: document::Placed<'_>, word: &str) -> Option<ElementKind> {
        const NAMES: [&str; 6] = ["f64", "f32", "f16", "bf16", "i32", "u16"];
        let kind = ElementKind::ALL
            .into_iter()
            .find(|kind| kind.name() == word);
        if kind.is_none() {
            self.out
                .push(unknown(value.span(), "type of elements", word, &NAMES));
        }
        kind
    }

    fn layouts(&mut self, table: &Table<'_>) -> Vec<(Placed<String>, LayoutSpec)> {
        let entries = self.entries(table, "layout");
        let mut layouts = Vec::new();
        for (name, value) in entries {
            let (axes, pitch) = if value.get_ref().is_table() {
                let Some(table) = Table::of("layout", value, &["axes", "pitch"], self.out) else {
                    continue;
                };
                let axes = table.need("axes", "`axes = \"...\"`, the outermost first", self.out);
                (
                    axes,
                    table.get("pitch").and_then(|value| self.formula(value)),
                )
            } else {
                (Some(value), None)
            };
            let Some((axes, text)) = axes.and_then(|axes| Some((axes, string(axes, self.out)?)))
            else {
                continue;
            };
            let words = text.split_whitespace().map(Into::into).collect();
            let axes = Placed {
                span: axes.span(),
                value: words,
            };
            layouts.push((name, LayoutSpec { axes, pitch }));
        }
        layouts
    }

    /// `results = ["o", "final"]`.
    fn buffers(&mut self, table: &Table<'_>) -> Vec<(Placed<String>, Vec<Placed<String>>)> {
        let entries = self.entries(table, "buffers");
        let mut buffers = Vec::new();
        for (name, value) in entries {
            let mut parts = Vec::new();
            for part in array(value, self.out) {
                let text = string(part, self.out);
                parts.extend(text.map(|text| Placed {
                    span: part.span(),
                    value: text.to_owned(),
                }));
            }
            if parts.len() < 2 {
                self.out.push(bad(
                    value,
                    "a buffer holds several tensors",
                    "fewer than two",
                    "name two or more, in the order in which they stand",
                ));
            }
            buffers.push((name, parts));
        }
        buffers
    }

    /// `G = "f64[B, T, HV]"`.
    fn scratch(&mut self, table: &Table<'_>) -> Vec<Scratch> {
        let entries = self.entries(table, "scratch");
        let mut scratch = Vec::new();
        for (name, value) in entries {
            let Some(text) = string(value, self.out) else {
                continue;
            };
            let parts = text
                .trim()
                .strip_suffix(']')
                .and_then(|text| text.split_once('['));
            let Some((kind, sides)) = parts else {
                self.out.push(bad(
                    value,
                    "this is no tensor",
                    "here",
                    "write it as `f32[B, T, K]`",
                ));
                continue;
            };
            let Some(kind) = self.kind(value, kind.trim()) else {
                continue;
            };
            let start = sides.as_ptr().addr() - text.as_ptr().addr();
            let lengths = split(sides).into_iter().map(|side| {
                let within = side.as_ptr().addr() - sides.as_ptr().addr();
                self.kept(value, parse_part(side, start + within))
            });
            if let Some(lengths) = lengths.collect() {
                scratch.push(Scratch {
                    name,
                    kind,
                    lengths,
                });
            }
        }
        scratch
    }
}

/// The parts between commas that stand in no parentheses.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0i32, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}
