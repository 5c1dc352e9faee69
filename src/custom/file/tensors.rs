//! Reading the tensors of a contract, and the tolerances of its outputs.

use std::collections::BTreeMap;

use super::{Reader, is_name};
use crate::binding::formula::{Trouble, parse_part};
use crate::contract::{Factor, Function, OutputTolerance, list_of};
use crate::custom::declaration::{Declaration, FileFormula, TensorRole, TensorSpec};
use crate::custom::values::{Class, Generator};
use crate::document::{
    SpannedValue, Table, array, bad, integer, magnitude, string, unknown, wrong_type,
};
use crate::report::model::Tolerance;
use crate::tensor::ElementKind;

/// Keys of a tensor.
const KEYS: [&str; 5] = ["axes", "type", "values", "role", "tolerance"];
/// Keys of a tolerance.
const TOLERANCE: [&str; 5] = ["absolute", "scaled", "relative", "rms", "ulp"];
/// The complaint about a tensor without axes, and its remedy.
const NO_AXES: &str = "this tensor has no axes";
const AXES: &str = "name its axes, outermost first; `axes = \"1\"` for a single element";
/// The largest tolerance in ulp, as in a registry.
const MAX_ULP: i64 = 64;
/// Roundings of f32 that an output without a tolerance is allowed, before and for the square root of the terms of a sum.
const ROUNDINGS: f64 = 16.0;

impl TensorSpec {
    /// Returns true if the tensor is compared.
    pub(super) fn is_compared(&self) -> bool {
        self.role != TensorRole::Input
    }
}

impl Reader<'_, '_> {
    /// Reads the tensors, each with the tolerance that the file gives it.
    pub(super) fn tensors(&mut self, table: &Table<'_>) -> Vec<(TensorSpec, Option<Tolerance>)> {
        let hint = "[contract.tensors] with `NAME = { axes = \"...\", type = \"f32\" }` for each";
        if table.need("tensors", hint, self.out).is_none() {
            return Vec::new();
        }
        let mut tensors: Vec<(TensorSpec, Option<Tolerance>)> = Vec::new();
        for (name, span, value) in self.entries(table, "tensors") {
            if !self.define(span, &name, "a tensor") {
                continue;
            }
            let Some((tensor, tolerance)) = self.tensor(&name, value) else {
                continue;
            };
            tensors.push((tensor, tolerance));
        }
        tensors
    }

    fn tensor(
        &mut self,
        name: &str,
        value: SpannedValue<'_>,
    ) -> Option<(TensorSpec, Option<Tolerance>)> {
        let table = Table::of("tensor", value, &KEYS, self.out)?;
        let axes = table.need(
            "axes",
            "`axes = \"T D\"`: its axes, outermost first",
            self.out,
        );
        let axes = axes.map(|axes| self.axes(axes)).unwrap_or_default();
        let kind_at = table.need("type", "`type = \"f32\"`", self.out)?;
        let word = string(kind_at, self.out)?;
        let kinds = ElementKind::ALL.into_iter();
        let Some(kind) = kinds.clone().find(|kind| kind.name() == word) else {
            let names: Vec<&str> = kinds.map(ElementKind::name).collect();
            self.out
                .push(unknown(kind_at.span(), "type of elements", word, &names));
            return None;
        };
        let role = match table.get("role") {
            None => TensorRole::Input,
            Some(value) => match string(value, self.out)? {
                "input" => TensorRole::Input,
                "output" => TensorRole::Output,
                "in_place" => TensorRole::InPlace,
                other => {
                    let known = ["input", "output", "in_place"];
                    self.out.push(unknown(value.span(), "role", other, &known));
                    return None;
                }
            },
        };
        let values_at = table.get("values");
        if let Some(values) = values_at.filter(|_| role == TensorRole::Output) {
            self.out.push(bad(
                values,
                &format!("`{name}` is an output and has `values`"),
                "kernels write it",
                "remove them, or write `role = \"in_place\"`",
            ));
        }
        let classes = match values_at {
            None => vec![Class::usual(kind)],
            Some(values) => self.classes(values),
        };
        let tolerance = match table.get("tolerance") {
            None => None,
            Some(at) if role == TensorRole::Input => {
                self.out.push(bad(
                    at,
                    &format!("`{name}` is an input and has a tolerance"),
                    "nothing compares it",
                    "remove it, or write `role = \"output\"`",
                ));
                None
            }
            Some(at) => Some(self.tolerance(at)?),
        };
        let choice = format!("{name}_values");
        if classes.len() > 1 {
            self.define(values_at?.span(), &choice, "the choice between values");
        }
        let spec = TensorSpec {
            name: name.into(),
            axes,
            kind,
            role,
            classes,
            choice,
            values_span: values_at.unwrap_or(value).span(),
        };
        Some((spec, tolerance))
    }

    /// Reads axes: `"T D"`, or `["T", "D / 2"]`. An axis may have a name of its own: `"T half=D/2"`.
    fn axes(&mut self, value: SpannedValue<'_>) -> Vec<(String, FileFormula)> {
        let Some(text) = value.get_ref().as_str() else {
            if !value.get_ref().is_array() {
                self.out.push(wrong_type(value, "a text in quotes"));
                return Vec::new();
            }
            let list = array(value, self.out);
            if list.is_empty() {
                self.out.push(bad(value, NO_AXES, "empty", AXES));
            }
            let axes: Vec<_> = list
                .iter()
                .filter_map(|axis| {
                    let text = string(axis, self.out)?;
                    self.axis(axis, text, 0)
                })
                .collect();
            return axes;
        };
        let words = text.split_whitespace();
        let axes: Vec<_> = words
            .filter_map(|word| {
                let at = word.as_ptr().addr() - text.as_ptr().addr();
                self.axis(value, word, at)
            })
            .collect();
        if text.trim().is_empty() {
            self.out.push(bad(value, NO_AXES, "empty", AXES));
        }
        axes
    }

    fn axis(
        &mut self,
        value: SpannedValue<'_>,
        text: &str,
        at: usize,
    ) -> Option<(String, FileFormula)> {
        let (name, length, skipped) = match text.split_once('=') {
            Some((name, length)) if is_name(name.trim()) => {
                (name.trim(), length, text.len() - length.len())
            }
            _ => (text.trim(), text, 0),
        };
        match parse_part(length, at + skipped) {
            Ok(formula) => Some((
                name.into(),
                FileFormula {
                    span: value.span(),
                    formula,
                },
            )),
            Err(trouble) => {
                self.out.push(self.source.complaint(&value.span(), trouble));
                None
            }
        }
    }

    /// Reads one class of values, or a list of several.
    fn classes(&mut self, value: SpannedValue<'_>) -> Vec<Class> {
        let list = match value.get_ref().as_array() {
            Some(list) => list.iter().collect(),
            None => vec![value],
        };
        let mut classes: Vec<Class> = Vec::new();
        for value in list {
            let Some(text) = string(value, self.out) else {
                continue;
            };
            let class = match text.contains(".py:") {
                true => match self.python_function(value) {
                    Some(function) => Ok(Class::of(text, Generator::Python(function))),
                    None => continue,
                },
                false => Class::parse(text, &|name| self.names.contains_key(name)),
            };
            match class {
                Ok(class) if classes.iter().any(|known| known.text == class.text) => {
                    self.out.push(bad(
                        value,
                        "these values are there twice",
                        "again",
                        "remove one",
                    ));
                }
                Ok(class) => classes.push(class.distinct_from(&classes)),
                Err(trouble) => self.out.push(self.source.complaint(&value.span(), trouble)),
            }
        }
        if classes.is_empty()
            && value
                .get_ref()
                .as_array()
                .is_some_and(|list| list.is_empty())
        {
            self.out.push(bad(
                value,
                "there are no values",
                "empty",
                "list at least one class",
            ));
        }
        classes
    }

    /// Reads `{ scaled = 1e-5, rms = 2e-6 }`, or an absolute tolerance.
    fn tolerance(&mut self, value: SpannedValue<'_>) -> Option<Tolerance> {
        if !value.get_ref().is_table() {
            let absolute = magnitude(value, "tolerance", self.out)?;
            return Some(Tolerance::absolute(absolute, absolute));
        }
        let table = Table::of("tolerance", value, &TOLERANCE, self.out)?;
        let number = |reader: &mut Self, key: &str| {
            table
                .get(key)
                .map(|value| magnitude(value, key, reader.out))
        };
        let (absolute, scaled) = (number(self, "absolute"), number(self, "scaled"));
        let (relative, rms) = (number(self, "relative"), number(self, "rms"));
        if let (Some(_), Some(_)) = (&absolute, &scaled) {
            self.out.push(bad(
                table.get("scaled")?,
                "this tolerance is absolute and scaled",
                "one too many",
                "`scaled` grows with the largest expected value, and `absolute` does not: keep one",
            ));
            return None;
        }
        let ulp = match table.get("ulp") {
            None => None,
            Some(at) => {
                let number = integer(at, self.out)?;
                if !(1..=MAX_ULP).contains(&number) {
                    let title = format!("`ulp` is {number}");
                    self.out.push(bad(
                        at,
                        &title,
                        "out of range",
                        &format!("write 1 to {MAX_ULP}"),
                    ));
                    return None;
                }
                u32::try_from(number).ok()
            }
        };
        if absolute.is_none() && scaled.is_none() && relative.is_none() && ulp.is_none() {
            self.out.push(bad(
                value,
                "this tolerance allows no element an error",
                "only the output as a whole",
                "add `absolute`, `scaled`, `relative` or `ulp`",
            ));
            return None;
        }
        let size = match (absolute, scaled) {
            (Some(size), _) | (None, Some(size)) => size?,
            (None, None) => 0.0,
        };
        Some(Tolerance {
            relative: relative.unwrap_or(Some(0.0))?,
            scaled: scaled.is_some(),
            ulp,
            relative_rms: match rms {
                Some(rms) => Some(rms?),
                None => None,
            },
            ..Tolerance::absolute(size, size)
        })
    }

    /// Reads the number of terms of the longest sum, at the largest sizes.
    pub(super) fn sums(
        &mut self,
        table: &Table<'_>,
        declaration: &Declaration,
        function: &'static Function,
    ) -> f64 {
        let Some(placed) = table.get("sums").and_then(|value| self.formula(value)) else {
            return 1.0;
        };
        // Of a size of several values, the list with the greatest sum counts.
        let lists = function.words.iter().filter_map(|(name, words)| {
            let words = words.iter().filter(|_| function.lists.contains(name));
            let largest = words.max_by_key(|word| list_of(word).iter().sum::<i64>())?;
            Some(((*name).to_owned(), crate::contract::Value::Word(largest)))
        });
        let pairs = function.domain.factors.iter().filter_map(|factor| {
            let Factor::One(name, levels) = factor else {
                return None;
            };
            let largest = levels.iter().max()?;
            Some(((*name).to_owned(), crate::contract::Value::Number(*largest)))
        });
        let values = crate::contract::Values::new(pairs.chain(lists).collect());
        let lets = declaration.lets();
        let scope = declaration.scope(function, &values, &lets);
        let terms = scope.number(&placed.formula).and_then(|value| {
            let terms = value.integer().ok().filter(|terms| *terms >= 1);
            let help = "write the number of terms of the longest sum: `sums = \"D\"`";
            terms
                .ok_or_else(|| Trouble::new(&placed.formula.at, "this is no number of terms", help))
        });
        match terms {
            Ok(terms) => terms as f64,
            Err(trouble) => {
                self.out.push(self.source.complaint(&placed.span, trouble));
                1.0
            }
        }
    }

    /// Returns the tolerance of each output: the file's, or one for the type and the longest sum.
    pub(super) fn tolerances(
        &mut self,
        declaration: &Declaration,
        given: Vec<Option<Tolerance>>,
        sums: f64,
    ) -> BTreeMap<String, OutputTolerance> {
        let all = declaration.tensors.iter().zip(given);
        let outputs = all.filter(|(tensor, _)| tensor.is_compared());
        outputs
            .map(|(tensor, given)| {
                let output = match given {
                    Some(tolerance) => OutputTolerance {
                        tolerance,
                        reason: String::new(),
                    },
                    None => usual(tensor.kind, sums),
                };
                (tensor.name.clone(), output)
            })
            .collect()
    }
}

/// Rounds a number up to two digits.
fn rounded_up(number: f64) -> f64 {
    let step = 10f64.powf(number.log10().floor() - 1.0);
    let digits = (number / step).ceil();
    format!("{:.1e}", digits * step).parse().unwrap_or(number)
}

/// Returns the tolerance of an output for which the file has none: the roundings of a sum in f32, or in f64 for an output of f64; and a
/// neighbouring number of f16 or bf16.
fn usual(kind: ElementKind, sums: f64) -> OutputTolerance {
    let Some(place) = kind.place() else {
        return OutputTolerance {
            tolerance: Tolerance::absolute(0.0, 0.0),
            reason: "whole numbers are exact".into(),
        };
    };
    // The largest relative error of a rounding in the kernel.
    let inner = match kind {
        ElementKind::F64 => f64::EPSILON / 2.0,
        _ => f64::from(f32::EPSILON) / 2.0,
    };
    let summed = rounded_up(ROUNDINGS * inner * (1.0 + sums.max(1.0).sqrt()));
    let narrow = kind.size() == 2;
    let rms = match narrow {
        true => rounded_up(Tolerance::rounded_rms(summed, place)),
        false => summed,
    };
    OutputTolerance {
        tolerance: Tolerance {
            // A result near the middle of two numbers may be rounded to either.
            ulp: narrow.then_some(1),
            scaled: true,
            relative_rms: Some(rms),
            absolute_rms: ROUNDINGS * inner,
            ..Tolerance::absolute(summed, summed)
        },
        reason: format!(
            "{ROUNDINGS} roundings, and as many for each of the square root of {sums} terms"
        ),
    }
}

#[cfg(test)]
mod tests;
