//! The cases of a test: named cases, which the file lists, or the cases of a design.

use std::collections::BTreeMap;

use super::Registry;
use super::phase::Reader;
use crate::contract::design::{KernelChoice, design};
use crate::contract::{Case, Function, MAX_ELEMENTS, Test, Value, Values};
use crate::custom::CustomContract;
use crate::document::{SpannedValue, Table, array, bad, integer, string, unknown};
use crate::tensor::Stream;

/// The word in place of a list of cases. The cases then come from the contract's domain.
pub(super) const DESIGN: &str = "design";

/// The number of values from which a case draws its launch form. It is a multiple of each number from 1 to
/// 10, so that all launch forms of a binding with up to 10 are equally likely.
const LAUNCH_FORMS: usize = 5040;

/// Returns the cases of a contract's design for a seed.
pub(super) fn design_cases(
    id: &str,
    function: &Function,
    choice: Option<&KernelChoice<'_>>,
    seed: u64,
) -> Vec<Case> {
    let case = |values: Values| {
        let id = match values.suffix() {
            suffix if suffix.is_empty() => id.into(),
            suffix => format!("{id}:{suffix}"),
        };
        drawn_form(id, values)
    };
    design(function, choice, seed)
        .into_iter()
        .map(case)
        .collect()
}

/// Makes the test of a custom contract. It has the contract's name.
pub(super) fn custom_test(contract: &CustomContract) -> Test {
    let function = contract.function;
    let id = function.name;
    let cases = match &contract.cases {
        None => Vec::new(),
        Some(listed) => {
            let named = listed.iter().map(|values| match values.suffix() {
                suffix if suffix.is_empty() || listed.len() == 1 => Case {
                    id: id.into(),
                    values: values.clone(),
                },
                suffix => drawn_form(format!("{id}:{suffix}"), values.clone()),
            });
            named.collect()
        }
    };
    Test {
        id: id.into(),
        aliases: Vec::new(),
        function,
        binding: None,
        title: function.title.into(),
        documented: false,
        designed: contract.cases.is_none(),
        cases,
        outputs: contract.tolerances.clone(),
        planted: Vec::new(),
    }
}

/// Returns a case with a launch form that its id draws.
fn drawn_form(id: String, values: Values) -> Case {
    let variant = Stream::new(0, &id, "variant").below(LAUNCH_FORMS);
    Case {
        values: values.with_variant(variant),
        id,
    }
}

impl Test {
    /// Returns the test's case of these values. It may be one that the registry does not list.
    pub fn case(&self, values: Values) -> Case {
        let mut cases = self.cases.iter();
        let same = |case: &&Case| case.values.iter().eq(values.iter());
        match cases.find(same) {
            Some(case) => case.clone(),
            None => self.other_case(format!("{}:{}", self.id, values.suffix()), values),
        }
    }

    fn other_case(&self, id: String, values: Values) -> Case {
        match self.designed {
            true => drawn_form(id, values),
            false => Case {
                values: values.with_variant(0),
                id,
            },
        }
    }
}

/// Returns the values of a case with others in place of some: `name=value,...`. Returns none if the contract does not take them.
///
/// Choices that a case may leave open are those of the text alone if the text names every other parameter, as the id of a case does.
pub(super) fn described_values(function: &Function, first: &Values, text: &str) -> Option<Values> {
    let is_open = |name: &str| function.domain.open().any(|(open, _)| *open == name);
    let mut named = Vec::new();
    for pair in text.split(',') {
        let (name, value) = pair.split_once('=')?;
        let choice = function.choices().find(|(word, _)| *word == name);
        let value = match choice {
            Some((_, words)) => Value::Word(words.iter().find(|word| **word == value)?),
            None => Value::Number(value.parse().ok()?),
        };
        named.push((name.to_owned(), value));
    }
    let is_named = |name: &str| named.iter().any(|(known, _)| known == name);
    let is_whole = first
        .iter()
        .all(|(name, _)| is_named(name) || is_open(name));
    let mut values: Vec<(String, Value)> = first
        .iter()
        .filter(|(name, _)| !(is_whole && is_open(name)))
        .map(|(name, value)| (name.to_owned(), value.clone()))
        .collect();
    for (name, value) in named {
        match values.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None if is_open(&name) => values.push((name, value)),
            None => return None,
        }
    }
    let place = |name: &str| function.choices().position(|(known, _)| *known == name);
    values.sort_by_key(|(name, _)| is_open(name).then(|| place(name)).flatten());
    let values = Values::new(values);
    let mut sizes = function.dims.iter();
    let too_small = sizes.any(|name| values.get(name).is_some_and(|size| size < 1));
    let refused = function.refuses(&values).is_some();
    let excluded = function.domain.broken(&values).is_some();
    (!too_small && !refused && !excluded).then_some(values)
}

impl Registry {
    /// Adds the cases that lists of names describe and no test has: `ID:name=value,...`. A value that is not named is that of the test's first
    /// case.
    pub fn add_described(&mut self, lists: &[String]) {
        for name in lists.iter().flat_map(|list| described(list)) {
            let Some((id, text)) = name.split_once(':') else {
                continue;
            };
            let mut tests = self.phases.iter_mut().flat_map(|phase| &mut phase.tests);
            let Some(test) = tests.find(|test| test.id == id) else {
                continue;
            };
            if test.cases.iter().any(|case| case.id == name) {
                continue;
            }
            let first = test.cases.first();
            if let Some(values) =
                first.and_then(|first| described_values(test.function, &first.values, text))
            {
                let case = test.other_case(name, values);
                test.cases.push(case);
            }
        }
    }
}

/// Returns the names of a list that describe a case: `ID:name=value,...`. A glob describes none: `ID:M=1,*` is not `ID:M=1` and all tests.
fn described(list: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for part in list.split(',').map(str::trim) {
        match names.last_mut() {
            Some(name) if name.contains(':') && continues(part) => {
                *name = format!("{name},{part}");
            }
            _ => names.push(part.into()),
        }
    }
    names.retain(|name| name.contains(':') && name.contains('=') && !name.contains('*'));
    names
}

/// Returns true if a part of a list belongs to the name of a case before it, not to a name of its own.
fn continues(part: &str) -> bool {
    !part.contains(':') && (part.contains('=') || part.starts_with('*'))
}

impl Reader<'_> {
    /// Reads the cases of a test: its `shape`, its list of `cases`, or its design.
    pub(super) fn cases(&mut self, table: &Table<'_>, id: &str, function: &Function) -> Vec<Case> {
        let shape = match table.get("shape") {
            Some(at) => self.entries(at, function),
            None => BTreeMap::new(),
        };
        let Some(list) = table.get("cases") else {
            let hint = "`shape = { ... }`, or several as `cases = [{ ... }, { ... }]`, \
                        or `cases = \"design\"`";
            let values = match parameter_names(function).next() {
                // A contract without sizes and choices has one case without values.
                None => Some(Values::new(Vec::new())),
                Some(_) => match table.need("shape", hint, &mut self.out) {
                    Some(at) => self.values(at, shape, function),
                    None => return Vec::new(),
                },
            };
            let case = |values| Case {
                id: id.into(),
                values,
            };
            return values.into_iter().map(case).collect();
        };
        if list.get_ref().is_str() {
            if let Some(at) = table.get("shape") {
                self.out.push(bad(
                    at,
                    "this test has a `shape` beside `cases = \"design\"`",
                    "one too many",
                    "remove it: a design takes every value from the contract's domain",
                ));
            }
            self.check_design(list);
            return Vec::new();
        }
        self.named_cases(list, &shape, id, function)
    }

    /// Reads a list of cases. Each has the entries of the test's shape and its own.
    fn named_cases<'a>(
        &mut self,
        list: SpannedValue<'a>,
        shape: &BTreeMap<String, SpannedValue<'a>>,
        id: &str,
        function: &Function,
    ) -> Vec<Case> {
        let mut cases: Vec<Case> = Vec::new();
        for at in array(list, &mut self.out) {
            let mut entries = shape.clone();
            for (name, value) in self.entries(at, function) {
                if entries.insert(name.clone(), value).is_some() {
                    self.out.push(bad(
                        value,
                        &format!("`{name}` is in the test's `shape` too"),
                        "again",
                        "write it in `shape` where all cases have it, else in each case",
                    ));
                }
            }
            let Some(values) = self.values(at, entries, function) else {
                continue;
            };
            let id = format!("{id}:{}", values.suffix());
            if cases.iter().any(|other| other.id == id) {
                self.out.push(bad(
                    at,
                    &format!("the case {id} is there twice"),
                    "again",
                    "remove one",
                ));
            }
            cases.push(Case { id, values });
        }
        let written = list.get_ref().as_array();
        if written.is_some_and(|written| written.is_empty()) {
            self.out.push(bad(
                list,
                "this test has no cases",
                "empty",
                "give it at least one shape",
            ));
        }
        cases
    }

    /// Reads the entries of a shape, each with its place in the file.
    fn entries<'a>(
        &mut self,
        at: SpannedValue<'a>,
        function: &Function,
    ) -> BTreeMap<String, SpannedValue<'a>> {
        let known: Vec<&str> = parameter_names(function).collect();
        let Some(table) = Table::of("shape", at, &known, &mut self.out) else {
            return BTreeMap::new();
        };
        let entries = table.entries().into_iter();
        entries
            .map(|(name, value)| (name.get_ref().to_string(), value))
            .collect()
    }

    /// Reads the word in place of a list of cases. The design is drawn later.
    fn check_design(&mut self, word: SpannedValue<'_>) {
        if let Some(other) = string(word, &mut self.out).filter(|word| *word != DESIGN) {
            self.out
                .push(unknown(word.span(), "choice of cases", other, &[DESIGN]));
        }
    }

    /// Reads the values of a case from the entries of its shape. A complaint about a missing size or choice
    /// points at `at`.
    fn values(
        &mut self,
        at: SpannedValue<'_>,
        entries: BTreeMap<String, SpannedValue<'_>>,
        function: &Function,
    ) -> Option<Values> {
        let before = self.out.len();
        let optional: Vec<&str> = function.domain.open().map(|(name, _)| *name).collect();
        let mut values = Vec::new();
        // The contract's order makes the id independent of the order in the file.
        for name in parameter_names(function) {
            let Some(&value) = entries.get(name) else {
                if !optional.contains(&name) && at.get_ref().is_table() {
                    self.out.push(bad(
                        at,
                        &format!("this shape has no `{name}`"),
                        &format!("`{name}` is missing"),
                        &format!("add `{name} = ...`: contract `{}` needs it", function.name),
                    ));
                }
                continue;
            };
            let choices = function.choices().find(|(word, _)| *word == name);
            let value = match choices {
                Some((_, choices)) => self.choice(value, name, choices),
                None => self.number(value, name, function.dims.contains(&name)),
            };
            values.extend(value.map(|value| (name.to_string(), value)));
        }
        let values = Values::new(values);
        if self.out.len() > before {
            return None;
        }
        if let Some(problem) = function.refuses(&values) {
            self.out
                .push(bad(at, &problem.title, "this shape", &problem.help));
            return None;
        }
        Some(values)
    }

    /// Reads a choice, which is one of the contract's words.
    fn choice(
        &mut self,
        at: SpannedValue<'_>,
        name: &str,
        choices: &[&'static str],
    ) -> Option<Value> {
        let word = string(at, &mut self.out)?;
        let found = choices.iter().find(|choice| **choice == word);
        if found.is_none() {
            let what = format!("value of `{name}`");
            self.out.push(unknown(at.span(), &what, word, choices));
        }
        found.map(|choice| Value::Word(choice))
    }

    /// Reads a size, which is at least 1, or another integer of a contract.
    fn number(&mut self, at: SpannedValue<'_>, name: &str, is_size: bool) -> Option<Value> {
        let number = integer(at, &mut self.out)?;
        let least = if is_size { 1 } else { -MAX_ELEMENTS };
        if !(least..=MAX_ELEMENTS).contains(&number) {
            let title = format!("`{name}` is {number}");
            let help = format!("write a whole number from {least} to {MAX_ELEMENTS}");
            self.out.push(bad(at, &title, "out of range", &help));
        }
        Some(Value::Number(number))
    }
}

/// Returns the names of a contract's sizes, integers and choices, in the contract's order.
fn parameter_names(function: &Function) -> impl Iterator<Item = &'static str> {
    let numbers = function.dims.iter().chain(function.integers).copied();
    numbers.chain(function.choices().map(|(name, _)| *name))
}
