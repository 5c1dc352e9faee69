//! The shapes of a test.

use super::FIRST_SEED;
use super::phase::Reader;
use crate::contract::design::design;
use crate::contract::{Case, Function, MAX_ELEMENTS, Value, Values};
use crate::document::{Placed, Table, array, bad, integer, string, unknown};
use crate::tensor::Stream;

/// The word in place of a list of cases that takes the cases from the contract's domain.
pub(super) const DESIGN: &str = "design";

/// Ways to launch that are told apart: a multiple of every small number.
const VARIANTS: usize = 5040;

/// The key of a case that selects a launch form of the binding's `vary`.
const WAY: &str = "way";

/// The cases of a test that asks for a design, for a seed.
pub(super) fn designed(id: &str, function: &Function, seed: u64) -> Vec<Case> {
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
    design(function, seed).into_iter().map(case).collect()
}

impl Reader<'_, '_> {
    pub(super) fn cases(&mut self, table: &Table<'_>, id: &str, function: &Function) -> Vec<Case> {
        let hint = "`shape = { ... }`, or several as `cases = [{ ... }, { ... }]`, or `cases = \"design\"`";
        match (table.get("shape"), table.get("cases")) {
            (Some(shape), None) => {
                let values = self.values(shape, function);
                values
                    .into_iter()
                    .map(|values| Case {
                        id: id.into(),
                        values,
                    })
                    .collect()
            }
            (None, Some(word)) if word.get_ref().is_str() => self.designed(word, id, function),
            (None, Some(list)) => {
                let mut cases: Vec<Case> = Vec::new();
                for value in array(list, self.out) {
                    let Some(values) = self.values(value, function) else {
                        continue;
                    };
                    let way = match values.variant() {
                        0 => String::new(),
                        way => format!(",{WAY}={way}"),
                    };
                    let case = Case {
                        id: format!("{id}:{}{way}", values.suffix()),
                        values,
                    };
                    if cases.iter().any(|other| other.id == case.id) {
                        self.out.push(bad(
                            value,
                            &format!("the case {} is there twice", case.id),
                            "again",
                            "remove one",
                        ));
                    }
                    cases.push(case);
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
            (Some(_), Some(both)) => {
                self.out.push(bad(
                    both,
                    "this test has both `shape` and `cases`",
                    "one too many",
                    "keep one of them",
                ));
                Vec::new()
            }
            (None, None) => {
                table.need("shape", hint, self.out);
                Vec::new()
            }
        }
    }

    /// The cases that the contract's domain asks for, instead of a list.
    fn designed(&mut self, word: Placed<'_>, id: &str, function: &Function) -> Vec<Case> {
        if let Some(other) = string(word, self.out).filter(|word| *word != DESIGN) {
            self.out
                .push(unknown(word.span(), "choice of cases", other, &[DESIGN]));
            return Vec::new();
        }
        designed(id, function, FIRST_SEED)
    }

    fn values(&mut self, value: Placed<'_>, function: &Function) -> Option<Values> {
        let before = self.out.len();
        let words = function.choices().map(|(name, _)| name);
        let numbers = function.dims.iter().chain(function.integers);
        let known: Vec<&str> = numbers.chain(words).copied().collect();
        let options = function.domain.open().map(|(name, _)| *name);
        let options: Vec<&str> = options.collect();
        let keys: Vec<&str> = known.iter().copied().chain([WAY]).collect();
        let table = Table::of("shape", value, &keys, self.out)?;
        let way = table.get(WAY).and_then(|at| self.way(at));
        let mut values = Vec::new();
        // Values follow the function's order, so that an id does not depend on the order in the file.
        for &name in &known {
            if options.contains(&name) && table.get(name).is_none() {
                continue;
            }
            let Some(at) = table.need(
                name,
                &format!("`{name} = ...`: function `{}` needs it", function.name),
                self.out,
            ) else {
                continue;
            };
            let choices = function.choices().find(|(word, _)| *word == name);
            let value = match choices {
                Some((_, choices)) => self.word(at, name, choices),
                None => self.number(at, name, function.dims.contains(&name)),
            };
            values.extend(value.map(|value| (name.to_string(), value)));
        }
        let values = Values::new(values).with_variant(way.unwrap_or(0));
        if self.out.len() > before {
            return None;
        }
        if let Some(problem) = function.refuses(&values) {
            self.out
                .push(bad(value, &problem.title, "this shape", &problem.help));
            return None;
        }
        Some(values)
    }

    fn word(&mut self, at: Placed<'_>, name: &str, choices: &[&'static str]) -> Option<Value> {
        let word = string(at, self.out)?;
        let found = choices.iter().find(|choice| **choice == word);
        if found.is_none() {
            let what = format!("value of `{name}`");
            self.out.push(unknown(at.span(), &what, word, choices));
        }
        found.map(|choice| Value::Word(choice))
    }

    fn way(&mut self, at: Placed<'_>) -> Option<usize> {
        let number = integer(at, self.out)?;
        let way = usize::try_from(number).ok().filter(|way| *way < VARIANTS);
        if way.is_none() {
            let title = format!("`{WAY}` is {number}");
            let help = format!(
                "write which of the ways of the binding's `vary` it is: from 0, the first, to {}",
                VARIANTS - 1
            );
            self.out.push(bad(at, &title, "out of range", &help));
        }
        way
    }

    fn number(&mut self, at: Placed<'_>, name: &str, dimension: bool) -> Option<Value> {
        let number = integer(at, self.out)?;
        let least = if dimension { 1 } else { -MAX_ELEMENTS };
        if !(least..=MAX_ELEMENTS).contains(&number) {
            let title = format!("`{name}` is {number}");
            let help = format!("write a whole number from {least} to {MAX_ELEMENTS}");
            self.out.push(bad(at, &title, "out of range", &help));
        }
        Some(Value::Number(number))
    }
}
