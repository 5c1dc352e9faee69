//! Reading contracts from TOML.

mod domain;
mod kernel;
mod tensors;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::declaration::{Declaration, FileFormula, TensorSpec};
use super::expected::ExpectedFiles;
use super::function::PythonFunction;
use super::python::Python;
use super::reference::Reference;
use super::relations;
use super::values::Generator;
use super::{CustomContract, KernelRunner};
use crate::binding::Source;
use crate::binding::formula::{Formula, Node, parse};
use crate::contract::catalog::functions;
use crate::contract::design::design;
use crate::contract::{Choice, DerivedSize, Domain, Function, Values};
use crate::document::{
    self, Complaint, SpannedValue, Table, array, bad, diagnostic, integer, string, wrong_type,
};
use crate::files::{self, FileError};
use crate::text::nearest;
use domain::Sizes;

/// The most seconds that one computation of a reference may take, if the file names no other number.
const SECONDS: u64 = 60;
/// The most seconds that a file may allow.
const MAX_SECONDS: i64 = 86_400;

/// Keys of a contract.
const KEYS: [&str; 13] = [
    "name",
    "about",
    "formulas",
    "sizes",
    "choices",
    "scalars",
    "excludes",
    "uncomputed",
    "cases",
    "sums",
    "tensors",
    "relations",
    "reference",
];

/// Reads the contracts of a file.
///
/// # Errors
/// Something in the file is wrong. The error has every complaint, with file, line and caret.
pub(super) fn contracts(
    path: &Path,
    source: Source,
    means: (&Arc<Python>, KernelRunner),
    others: &[CustomContract],
) -> Result<Vec<CustomContract>, FileError> {
    let source = Arc::new(source);
    let mut out = Vec::new();
    let all = read_all(path, &source, means, others, &mut out);
    if out.is_empty() {
        return Ok(all);
    }
    Err(diagnostic(&source.name, &source.text, &out))
}

fn read_all(
    path: &Path,
    source: &Arc<Source>,
    (python, runner): (&Arc<Python>, KernelRunner),
    others: &[CustomContract],
    out: &mut Vec<Complaint>,
) -> Vec<CustomContract> {
    let Some(document) = document::parse(&source.text, out) else {
        return Vec::new();
    };
    let table = Table::new("contract file", 0..0, document.get_ref());
    if let (Some(binding), None) = (table.get("binding"), table.get("contract")) {
        out.push(bad(
            binding,
            "this is a file of bindings",
            "not a contract",
            "give it with --bind, and a file with a [[contract]] with --contract",
        ));
        return Vec::new();
    }
    table.only(&["schema", "contract"], out);
    document::check_schema(&table, out);
    let Some(list) = table.need("contract", "a [[contract]] for each operator", out) else {
        return Vec::new();
    };
    let mut names: BTreeSet<String> = others
        .iter()
        .map(|other| other.function.name.to_owned())
        .chain(functions().map(|function| function.name.to_owned()))
        .collect();
    let mut all = Vec::new();
    for entry in array(list, out) {
        let mut reader = Reader {
            path,
            source,
            python,
            runner,
            out,
            names: BTreeMap::new(),
        };
        all.extend(reader.contract(entry, &mut names));
    }
    all
}

/// State shared by all parts of reading a contract.
pub(super) struct Reader<'s, 'o> {
    path: &'s Path,
    source: &'s Arc<Source>,
    python: &'s Arc<Python>,
    runner: KernelRunner,
    out: &'o mut Vec<Complaint>,
    /// The names that the contract defines, and what each is.
    names: BTreeMap<String, &'static str>,
}

impl<'s> Reader<'s, '_> {
    fn contract(
        &mut self,
        value: SpannedValue<'_>,
        names: &mut BTreeSet<String>,
    ) -> Option<CustomContract> {
        let before = self.out.len();
        let table = Table::of("contract", value, &KEYS, self.out)?;
        let name = self.contract_name(&table, names);
        let about = match table.get("about") {
            Some(text) => string(text, self.out)?.to_owned(),
            None => name.clone().unwrap_or_default(),
        };
        let formulas = self.texts(&table, "formulas");
        let sizes = self.sizes(&table);
        let words = [sizes.lists.clone(), self.choices(&table)].concat();
        let scalars = self.scalars(&table);
        let tensors = self.tensors(&table);
        let reference = self.reference(&table);
        if self.out.len() > before {
            return None;
        }
        let (name, reference) = (name?, reference?);
        let outputs: Vec<&'static str> = tensors
            .iter()
            .filter(|(tensor, _)| tensor.is_compared())
            .map(|(tensor, _)| leaked(&tensor.name))
            .collect();
        if outputs.is_empty() {
            self.out.push(bad(
                table.get("tensors")?,
                "this contract has no output",
                "only inputs",
                "give a tensor `role = \"output\"`, or `role = \"in_place\"`",
            ));
            return None;
        }
        let (mut tensors, tolerances): (Vec<_>, Vec<_>) = tensors.into_iter().unzip();
        if let ReferenceEntry::Known(Reference::Python(function)) = &reference {
            let classes = tensors
                .iter_mut()
                .flat_map(|tensor: &mut TensorSpec| &mut tensor.classes);
            for class in classes {
                if let Generator::Python(values) = &mut class.generator {
                    values.seconds = function.seconds;
                }
            }
        }
        let values: Vec<Choice> = tensors
            .iter()
            .filter(|tensor| tensor.classes.len() > 1)
            .map(|tensor| {
                let words: Vec<_> = tensor.classes.iter().map(|class| class.word).collect();
                (leaked(&tensor.choice), &*words.leak())
            })
            .collect();
        let Sizes {
            dims,
            factors,
            lists,
            derived,
        } = sizes;
        let lists: &'static [&'static str] = lists
            .iter()
            .map(|(name, _)| *name)
            .collect::<Vec<_>>()
            .leak();
        let skeleton = Function {
            name: leaked(&name),
            dims: dims.clone().leak(),
            words: words.clone().leak(),
            lists,
            outputs: outputs.clone().leak(),
            domain: Domain::of(factors.clone().leak()),
            file: Some(Path::new("")),
            ..Function::EMPTY
        };
        let reference = match reference {
            ReferenceEntry::Known(reference) => reference,
            ReferenceEntry::Kernel(entry) => {
                let declaration = Declaration {
                    source: Arc::clone(self.source),
                    derived: derived.clone(),
                    scalars: scalars.clone(),
                    tensors: tensors.clone(),
                    reference: Reference::Nothing,
                };
                self.reference_kernel(entry, declaration, skeleton)?
            }
        };
        let declaration: &'static Declaration = Box::leak(Box::new(Declaration {
            source: Arc::clone(self.source),
            derived,
            scalars,
            tensors,
            reference,
        }));
        let outputs: &'static [&'static str] = outputs.leak();
        let (relations, laws) = self.relations(&table, declaration, outputs);
        let domain = Domain::of(factors.leak())
            .values(values.leak())
            .relations(relations.leak());
        let plain = Function {
            name: leaked(&name),
            title: leaked(&about),
            formulas: formulas
                .iter()
                .map(|text| leaked(text))
                .collect::<Vec<_>>()
                .leak(),
            dims: dims.leak(),
            words: words.leak(),
            lists,
            outputs,
            domain,
            run: Box::leak(Box::new(|t: &mut crate::contract::Instance<'_>| {
                declaration.run(t)
            })),
            file: Some(Box::leak(
                std::path::absolute(self.path)
                    .unwrap_or_else(|_| self.path.to_owned())
                    .into_boxed_path(),
            )),
            ..Function::EMPTY
        };
        let plain: &'static Function = Box::leak(Box::new(plain));
        let rules = self.rules(&table, declaration, plain)?;
        let uncomputed = self.conditions("uncomputed", &table, declaration, plain, &rules)?;
        let function: &'static Function = Box::leak(Box::new(Function {
            domain: plain
                .domain
                .without(rules.leak())
                .uncomputed(uncomputed.leak()),
            derived: derived_sizes(declaration, plain),
            ..*plain
        }));
        let sums = self.sums(&table, declaration, function);
        let tolerances = self.tolerances(declaration, tolerances, sums);
        let cases = self.cases(&table, function);
        self.limit_levels(&table, function);
        if self.out.len() == before && cases.is_none() && design(function, None, 0).is_empty() {
            self.out.push(bad(
                table.get("sizes").unwrap_or(value),
                "this contract has no case",
                "every combination of these is excluded or too large",
                "choose other sizes, or exclude less",
            ));
        }
        (self.out.len() == before).then(|| CustomContract {
            function,
            tolerances,
            cases,
            source: Arc::clone(self.source),
            path: self.path.to_owned(),
            laws: match declaration.reference.takes_any_inputs() {
                true => laws,
                false => Vec::new(),
            },
            files: declaration.files(),
            python: Arc::clone(self.python),
        })
    }

    fn contract_name(&mut self, table: &Table<'_>, names: &mut BTreeSet<String>) -> Option<String> {
        let at = table.need(
            "name",
            "`name = \"...\"`, by which bindings and tests call it",
            self.out,
        )?;
        let name = string(at, self.out)?;
        if !is_name(name) {
            self.out.push(bad(
                at,
                &format!("`{}` is no name of a contract", name.escape_debug()),
                "other characters",
                "use letters, digits and _, and begin with a letter",
            ));
            return None;
        }
        if !names.insert(name.into()) {
            self.out.push(bad(
                at,
                &format!("there is a contract `{name}` already"),
                "taken",
                "give it a name of its own: `deltanet-check contracts` lists the built-in ones",
            ));
            return None;
        }
        Some(name.into())
    }

    /// Defines a name of the contract. Complains if it is no name, or has a meaning already.
    fn define(&mut self, span: Range<usize>, name: &str, what: &'static str) -> bool {
        let (title, label, help) = if !is_name(name) {
            (
                format!("`{}` is no name for {what}", name.escape_debug()),
                "other characters".to_owned(),
                "use letters, digits and _, and begin with a letter",
            )
        } else if ["e", "pi", "null", "true", "false"].contains(&name) {
            (
                format!("`{name}` means something else in every formula"),
                "taken".into(),
                "take another name",
            )
        } else if let Some(other) = self.names.insert(name.into(), what) {
            (
                format!("`{name}` is {other} already"),
                format!("now {what}"),
                "give each size, choice, scalar and tensor a name of its own",
            )
        } else {
            return true;
        };
        self.out.push(Complaint {
            span,
            title,
            label,
            help: help.into(),
        });
        false
    }

    /// Reads a list of texts.
    fn texts(&mut self, table: &Table<'_>, key: &str) -> Vec<String> {
        let Some(list) = table.get(key) else {
            return Vec::new();
        };
        let texts = array(list, self.out).iter();
        texts
            .filter_map(|text| string(text, self.out).map(str::to_owned))
            .collect()
    }

    /// Reads a table of entries.
    fn entries<'a>(&mut self, table: &Table<'a>, key: &'static str) -> Vec<Entry<'a>> {
        let Some(value) = table.get(key) else {
            return Vec::new();
        };
        let Some(keys) = value.get_ref().as_table() else {
            self.out.push(wrong_type(value, "a table"));
            return Vec::new();
        };
        let entries = Table::new(key, value.span(), keys).entries().into_iter();
        entries
            .map(|(name, value)| (name.get_ref().to_string(), name.span(), value))
            .collect()
    }

    /// Reads a formula, or a whole number in its place.
    fn formula(&mut self, value: SpannedValue<'_>) -> Option<FileFormula> {
        let span = value.span();
        if value.get_ref().is_integer() {
            let node = Node::Integer(integer(value, self.out)?.into());
            let formula = Formula { at: 0..0, node };
            return Some(FileFormula { span, formula });
        }
        let text = string(value, self.out)?;
        match parse(text) {
            Ok(formula) => Some(FileFormula { span, formula }),
            Err(trouble) => {
                self.out.push(self.source.complaint(&span, trouble));
                None
            }
        }
    }

    fn reference<'a>(&mut self, table: &Table<'a>) -> Option<ReferenceEntry<'a>> {
        let hint = "[contract.reference] with `python = \"FILE.py:FUNCTION\"`, or `expect = \"FOLDER/{case}.safetensors\"`";
        let value = table.need("reference", hint, self.out)?;
        let table = Table::of(
            "reference",
            value,
            &["python", "seconds", "expect", "kernel"],
            self.out,
        )?;
        if let (Some(kernel), None, None) = (
            table.get("kernel"),
            table.get("python"),
            table.get("expect"),
        ) {
            return Some(ReferenceEntry::Kernel(kernel));
        }
        let (at, pattern) = match (table.get("python"), table.get("expect")) {
            (Some(at), None) => (at, None),
            (None, Some(at)) => (at, Some(string(at, self.out)?)),
            (_, found) => {
                self.out.push(bad(
                    found.unwrap_or(value),
                    "this reference has to be one of three kinds",
                    "give `python`, `expect` or `kernel`, and one of them alone",
                    "write `python = \"FILE.py:FUNCTION\"`, or `expect = \"FOLDER/{case}.safetensors\"`",
                ));
                return None;
            }
        };
        if let Some(pattern) = pattern {
            if let Some(seconds) = table.get("seconds") {
                self.out.push(bad(
                    seconds,
                    "files take no seconds",
                    "for Python alone",
                    "remove it",
                ));
            }
            return Some(ReferenceEntry::Known(Reference::Files(ExpectedFiles {
                source: Arc::clone(self.source),
                span: at.span(),
                folder: self.path.parent().unwrap_or(Path::new("")).to_owned(),
                pattern: pattern.into(),
                read: Mutex::default(),
            })));
        }
        let function = self.python_function(at)?;
        let seconds = match table.get("seconds") {
            None => SECONDS,
            Some(value) => {
                let number = integer(value, self.out)?;
                if !(1..=MAX_SECONDS).contains(&number) {
                    self.out.push(bad(
                        value,
                        &format!("`seconds` is {number}"),
                        "out of range",
                        &format!("write 1 to {MAX_SECONDS}"),
                    ));
                }
                number.unsigned_abs()
            }
        };
        Some(ReferenceEntry::Known(Reference::Python(PythonFunction {
            seconds,
            ..function
        })))
    }

    /// Returns the path of a file that the contract names, if it is within reach.
    fn place(&mut self, at: SpannedValue<'_>, name: &str) -> Option<PathBuf> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        match files::named(folder, name) {
            Ok(path) => Some(path),
            Err(error) => {
                let (title, help) = error.parts();
                self.out.push(bad(at, &title, "out of reach", &help));
                None
            }
        }
    }

    /// Reads `FILE.py:FUNCTION`.
    fn python_function(&mut self, at: SpannedValue<'_>) -> Option<PythonFunction> {
        let text = string(at, self.out)?;
        let named = text
            .rsplit_once(':')
            .filter(|(file, function)| !file.is_empty() && function.split('.').all(is_name));
        let Some((file, function)) = named else {
            self.out.push(bad(
                at,
                "this names no function of a Python file",
                "here",
                "write it as `FILE.py:FUNCTION`",
            ));
            return None;
        };
        let file = self.place(at, file)?;
        let file = std::path::absolute(&file).unwrap_or(file);
        if !file.is_file() {
            self.out.push(bad(
                at,
                &format!("there is no Python file {}", crate::text::shown(&file)),
                "not there",
                &match nearest_file(&file) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "the path starts from the folder of the contract's file".into(),
                },
            ));
            return None;
        }
        Some(PythonFunction {
            source: Arc::clone(self.source),
            span: at.span(),
            python: Arc::clone(self.python),
            file,
            name: function.into(),
            seconds: SECONDS,
        })
    }

    fn relations(
        &mut self,
        table: &Table<'_>,
        declaration: &Declaration,
        outputs: &'static [&'static str],
    ) -> (Vec<crate::contract::relation::Relation>, Vec<Range<usize>>) {
        let Some(list) = table.get("relations") else {
            return (Vec::new(), Vec::new());
        };
        let mut all = Vec::new();
        for value in array(list, self.out) {
            let Some(text) = string(value, self.out) else {
                continue;
            };
            match relations::parse(text, declaration, outputs) {
                Ok(relation) => all.push((relation, value.span())),
                Err((title, help)) => self.out.push(bad(value, &title, "here", &help)),
            }
        }
        all.into_iter().unzip()
    }
}

/// The entry of a reference: a reference, or the launch of a kernel, which is read when the tensors are known.
enum ReferenceEntry<'a> {
    Known(Reference),
    Kernel(SpannedValue<'a>),
}

/// A key of a table, its place, and its value.
type Entry<'a> = (String, Range<usize>, SpannedValue<'a>);

/// Returns true for a name that formulas can use.
fn is_name(text: &str) -> bool {
    let inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && text.chars().all(inside)
}

/// Returns the name of the Python file that a missing file's name is most like, in the same folder.
fn nearest_file(missing: &Path) -> Option<String> {
    let entries = std::fs::read_dir(missing.parent()?).ok()?;
    let names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".py"))
        .collect();
    let missing = missing.file_name()?.to_str()?;
    let near = nearest(missing, names.iter().map(String::as_str), 1);
    near.first().map(|near| (*near).to_owned())
}

/// Returns the sizes that follow from others, as the contract's users see them. `plain` is the contract without them.
pub(super) fn derived_sizes(
    declaration: &'static Declaration,
    plain: &'static Function,
) -> &'static [DerivedSize] {
    let derived = declaration.derived.iter().map(|(name, placed)| {
        let written = declaration.source.text.get(placed.span.clone());
        let value = move |values: &Values| {
            let lets = declaration.lets();
            let scope = declaration.scope(plain, values, &lets);
            let value = scope.number(&placed.formula).ok()?;
            i64::try_from(value.integer().ok()?).ok()
        };
        DerivedSize {
            name,
            formula: written.unwrap_or_default().trim_matches(['"', '\'']),
            value: Box::leak(Box::new(value)),
        }
    });
    derived.collect::<Vec<_>>().leak()
}

/// Keeps a text for the rest of the program's time, as the texts of built-in contracts are.
fn leaked(text: &str) -> &'static str {
    text.to_owned().leak()
}
