//! The shapes of a test.

use std::collections::BTreeMap;

use super::FIRST_SEED;
use super::phase::Reader;
use crate::contract::design::{KernelChoice, design};
use crate::contract::{Case, Function, MAX_ELEMENTS, Value, Values};
use crate::document::{SpannedValue, Table, array, bad, integer, string, unknown};
use crate::tensor::Stream;

/// The word in place of a list of cases that takes the cases from the contract's domain.
pub(super) const DESIGN: &str = "design";

/// Ways to launch that are told apart: a multiple of every small number.
const VARIANTS: usize = 5040;

/// The cases of a test that asks for a design, for a seed.
pub(super) fn designed(
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
        // Every launch form of a binding is equally likely.
        let variant = Stream::new(0, &id, "variant").below(VARIANTS);
        Case {
            values: values.with_variant(variant),
            id,
        }
    };
    design(function, choice, seed)
        .into_iter()
        .map(case)
        .collect()
}

impl Reader<'_> {
    pub(super) fn cases(&mut self, table: &Table<'_>, id: &str, function: &Function) -> Vec<Case> {
        let shape = match table.get("shape") {
            Some(at) => self.sizes(at, function),
            None => BTreeMap::new(),
        };
        let Some(list) = table.get("cases") else {
            let hint = "`shape = { ... }`, or several as `cases = [{ ... }, { ... }]`, or `cases = \"design\"`";
            let values = match names(function).next() {
                // A contract without sizes and choices has one case, and nothing to say about it.
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
            return self.designed(list, id, function);
        }
        let mut cases: Vec<Case> = Vec::new();
        for at in array(list, &mut self.out) {
            let mut sizes = shape.clone();
            for (name, value) in self.sizes(at, function) {
                if sizes.insert(name.clone(), value).is_some() {
                    self.out.push(bad(
                        value,
                        &format!("`{name}` is in the test's `shape` too"),
                        "again",
                        "write it in `shape` where all cases have it, else in each case",
                    ));
                }
            }
            let Some(values) = self.values(at, sizes, function) else {
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
        if cases.is_empty() && self.out.is_empty() {
            self.out.push(bad(
                list,
                "this test has no cases",
                "empty",
                "give it at least one shape",
            ));
        }
        cases
    }

    /// The sizes and words of a table, each with its place.
    fn sizes<'a>(
        &mut self,
        at: SpannedValue<'a>,
        function: &Function,
    ) -> BTreeMap<String, SpannedValue<'a>> {
        let known: Vec<&str> = names(function).collect();
        let Some(table) = Table::of("shape", at, &known, &mut self.out) else {
            return BTreeMap::new();
        };
        let entries = table.entries().into_iter();
        entries
            .map(|(name, value)| (name.get_ref().to_string(), value))
            .collect()
    }

    /// The cases that the contract's domain asks for, instead of a list.
    fn designed(&mut self, word: SpannedValue<'_>, id: &str, function: &Function) -> Vec<Case> {
        if let Some(other) = string(word, &mut self.out).filter(|word| *word != DESIGN) {
            self.out
                .push(unknown(word.span(), "choice of cases", other, &[DESIGN]));
            return Vec::new();
        }
        designed(id, function, None, FIRST_SEED)
    }

    /// The values of one case; `at` is the place of a complaint about what is missing.
    fn values(
        &mut self,
        at: SpannedValue<'_>,
        sizes: BTreeMap<String, SpannedValue<'_>>,
        function: &Function,
    ) -> Option<Values> {
        let before = self.out.len();
        let optional: Vec<&str> = function.domain.open().map(|(name, _)| *name).collect();
        let mut values = Vec::new();
        // In the contract's order, so that an id does not depend on how the file writes the table.
        for name in names(function) {
            let Some(&value) = sizes.get(name) else {
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
                Some((_, choices)) => self.word(value, name, choices),
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

    fn word(
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

    fn number(&mut self, at: SpannedValue<'_>, name: &str, dimension: bool) -> Option<Value> {
        let number = integer(at, &mut self.out)?;
        let least = if dimension { 1 } else { -MAX_ELEMENTS };
        if !(least..=MAX_ELEMENTS).contains(&number) {
            let title = format!("`{name}` is {number}");
            let help = format!("write a whole number from {least} to {MAX_ELEMENTS}");
            self.out.push(bad(at, &title, "out of range", &help));
        }
        Some(Value::Number(number))
    }
}

/// The names of a contract's sizes and choices, in its order.
fn names(function: &Function) -> impl Iterator<Item = &'static str> {
    let numbers = function.dims.iter().chain(function.integers).copied();
    numbers.chain(function.choices().map(|(name, _)| *name))
}
