//! Tolerances of a test's outputs.

use std::collections::BTreeMap;

use super::phase::Reader;
use crate::contract::{Function, OutputTolerance};
use crate::document::{SpannedValue, Table, bad, boolean, integer, magnitude, string, unknown};
use crate::report::model::Tolerance;

/// The largest tolerance in ulp. A larger one would accept almost any value of a type of few bits.
const MAX_ULP: u32 = 64;

impl Reader<'_> {
    /// Reads the tolerance of each output. A test without `outputs` takes those of the registry's base.
    pub(super) fn outputs(
        &mut self,
        table: &Table<'_>,
        function: &Function,
        designed: bool,
    ) -> BTreeMap<String, OutputTolerance> {
        if let Some(list) = table.get("outputs") {
            return self.output_tolerances(list, function);
        }
        self.inherited(function, designed).unwrap_or_else(|| {
            let names = function.outputs.join(", ");
            let hint = format!("a tolerance for each of its outputs: {names}");
            table.need("outputs", &hint, &mut self.out);
            BTreeMap::new()
        })
    }

    /// Reads the tolerances of a contract's outputs: a name for all, or a table with one for each.
    pub(super) fn output_tolerances(
        &mut self,
        list: SpannedValue<'_>,
        function: &Function,
    ) -> BTreeMap<String, OutputTolerance> {
        let mut outputs = BTreeMap::new();
        // The name of a tolerance in place of the table: all outputs have this tolerance.
        if list.get_ref().is_str() {
            let tolerance = self.output_tolerance(list);
            let names = function.outputs.iter().map(|&name| name.to_string());
            return names
                .filter_map(|name| Some((name, tolerance.clone()?)))
                .collect();
        }
        let Some(table) = Table::of("test's outputs", list, function.outputs, &mut self.out) else {
            return outputs;
        };
        for &name in function.outputs {
            let hint = format!("`{name} = {{ tolerance = ..., ceiling = ..., reason = \"...\" }}`");
            let Some(value) = table.need(name, &hint, &mut self.out) else {
                continue;
            };
            let tolerance = self.output_tolerance(value);
            outputs.extend(tolerance.map(|tolerance| (name.to_string(), tolerance)));
        }
        outputs
    }

    /// Reads a file's table of named tolerances.
    pub(super) fn named_tolerances(&mut self, root: &Table<'_>) {
        let Some(value) = root.get("tolerances") else {
            return;
        };
        let Some(named) = value.get_ref().as_table() else {
            self.out.push(bad(
                value,
                "`tolerances` is no table",
                "no table",
                "write `[tolerances.NAME]`, and in it what an output has",
            ));
            return;
        };
        let mut references = BTreeMap::new();
        for (key, value) in named {
            let name = key.get_ref().to_string();
            // A user's file may give a name of the built-in registry another meaning.
            if self.tolerances.remove(&name).is_some() && !self.users {
                self.out.push(bad(
                    key,
                    &format!("the tolerance `{name}` is there twice"),
                    "defined in a file before this one",
                    "remove this one, or give it another name: a name holds for its file and all after it",
                ));
            }
            if value.get_ref().is_str() {
                references.insert(name, value);
            } else {
                let tolerance = self.output_tolerance(value);
                self.tolerances.insert(name, tolerance);
            }
        }
        self.resolve_references(references, |name| {
            named.iter().any(|(known, _)| known.get_ref() == name)
        });
    }

    /// Reads the tolerances that are names of other tolerances, in whatever order the names depend on each
    /// other. `is_defined` returns true for a name in the file's table of tolerances.
    fn resolve_references(
        &mut self,
        mut references: BTreeMap<String, SpannedValue<'_>>,
        is_defined: impl Fn(&str) -> bool,
    ) {
        let target = |value: SpannedValue<'_>| value.get_ref().as_str().map(str::to_owned);
        loop {
            let ready = references.iter().find(|(_, value)| {
                target(value).is_none_or(|target| {
                    self.tolerances.contains_key(&target) || !is_defined(&target)
                })
            });
            let Some(name) = ready.map(|(name, _)| name.clone()) else {
                break;
            };
            let value = references.remove(&name);
            let tolerance = value.and_then(|value| self.named_tolerance(value));
            self.tolerances.insert(name, tolerance);
        }
        // The other references lead into a circle.
        for (name, value) in &references {
            self.tolerances.insert(name.clone(), None);
            let mut reached = target(value);
            for _ in 0..references.len() {
                if reached.as_ref() == Some(name) {
                    self.out.push(bad(
                        value,
                        &format!("the tolerance `{name}` leads back to itself"),
                        "a circle of names",
                        "write a table for one of them: `{ tolerance = ... }`",
                    ));
                    break;
                }
                let next = reached.and_then(|reached| references.get(&reached));
                reached = next.and_then(|value| target(value));
            }
        }
    }

    /// Returns the tolerances of a contract in the base: each output is allowed what any test of the
    /// contract allows it, because the user's case may be like the case of any of these tests. Tolerances
    /// of designs serve designs alone, because they cover a contract's whole domain; and the cases of a contract that has no other test.
    fn inherited(
        &self,
        function: &Function,
        designed: bool,
    ) -> Option<BTreeMap<String, OutputTolerance>> {
        let mut outputs: BTreeMap<String, OutputTolerance> = BTreeMap::new();
        let base = self.base?;
        let of_contract = || {
            let tests = base.tests();
            tests.filter(|test| test.function.name == function.name)
        };
        let designed = designed || of_contract().all(|test| test.designed);
        for test in of_contract().filter(|test| test.designed == designed) {
            for (name, output) in &test.outputs {
                let allowed = match outputs.get(name) {
                    Some(known) => known.union(output),
                    None => output.clone(),
                };
                outputs.insert(name.clone(), allowed);
            }
        }
        (!outputs.is_empty()).then_some(outputs)
    }

    /// Reads the tolerance of an output: the name of a tolerance, or a table.
    fn output_tolerance(&mut self, value: SpannedValue<'_>) -> Option<OutputTolerance> {
        const KEYS: [&str; 8] = [
            "tolerance",
            "ulp",
            "relative",
            "relative_rms",
            "scaled",
            "ceiling",
            "zero_signs_equal",
            "reason",
        ];
        if value.get_ref().is_str() {
            return self.named_tolerance(value);
        }
        let table = Table::of("output", value, &KEYS, &mut self.out)?;
        let (absolute, ceiling) = self.absolute_and_ceiling(&table)?;
        let reason = match table.get("reason") {
            None if self.users => "",
            _ => {
                let hint = "`reason = \"...\"`: the measured error";
                string(table.need("reason", hint, &mut self.out)?, &mut self.out)?
            }
        };
        let mut tolerance = Tolerance::absolute(absolute, ceiling);
        if let Some(value) = table.get("relative") {
            tolerance.relative = magnitude(value, "relative", &mut self.out)?;
        }
        if let Some(value) = table.get("relative_rms") {
            tolerance.relative_rms = Some(magnitude(value, "relative_rms", &mut self.out)?);
        }
        if let Some(value) = table.get("ulp") {
            tolerance.ulp = Some(self.ulp(value)?);
            let hint = "`relative_rms = ...`: within an ulp a result that is truncated looks like one \
                        that is rounded";
            table.need("relative_rms", hint, &mut self.out)?;
        }
        if let Some(value) = table.get("scaled") {
            tolerance.scaled = boolean(value, &mut self.out)?;
        }
        if let Some(value) = table.get("zero_signs_equal") {
            tolerance.zero_signs_equal = boolean(value, &mut self.out)?;
        }
        Some(OutputTolerance {
            tolerance,
            reason: reason.into(),
        })
    }

    /// Reads the name of a tolerance, and returns this tolerance.
    fn named_tolerance(&mut self, value: SpannedValue<'_>) -> Option<OutputTolerance> {
        let name = string(value, &mut self.out)?;
        let known = self.tolerances.get(name).cloned();
        if known.is_none() {
            let names: Vec<&str> = self.tolerances.keys().map(String::as_str).collect();
            self.out
                .push(unknown(value.span(), "tolerance", name, &names));
        }
        known.flatten()
    }

    /// Reads the absolute tolerance of an output, which is 0 if only `ulp` is there, and its ceiling.
    fn absolute_and_ceiling(&mut self, table: &Table<'_>) -> Option<(f64, f64)> {
        let absolute_at = if table.get("ulp").is_some() {
            table.get("tolerance")
        } else {
            let hint = "`tolerance = ...`, or `ulp = ...` for an output of few bits";
            Some(table.need("tolerance", hint, &mut self.out)?)
        };
        let absolute = match absolute_at {
            Some(at) => magnitude(at, "tolerance", &mut self.out)?,
            None => 0.0,
        };
        // A user's tolerance needs no ceiling: it is its own.
        let ceiling_at = match table.get("ceiling") {
            None if self.users => return Some((absolute, absolute)),
            _ => {
                let hint = "`ceiling = ...`, the document's own tolerance";
                table.need("ceiling", hint, &mut self.out)?
            }
        };
        let ceiling = magnitude(ceiling_at, "ceiling", &mut self.out)?;
        if absolute > ceiling {
            let title = format!("the tolerance {absolute:e} is above the ceiling {ceiling:e}");
            self.out.push(bad(
                ceiling_at,
                &title,
                "lower than the tolerance",
                "the ceiling is the loosest that is allowed",
            ));
        }
        Some((absolute, ceiling))
    }

    /// Reads a tolerance in ulp of the output's type.
    fn ulp(&mut self, value: SpannedValue<'_>) -> Option<u32> {
        let number = integer(value, &mut self.out)?;
        let places = u32::try_from(number).ok();
        let places = places.filter(|places| (1..=MAX_ULP).contains(places));
        if places.is_none() {
            let help = format!("write 1 to {MAX_ULP}, or `tolerance = 0` for bit-exact");
            self.out.push(bad(
                value,
                &format!("`ulp` is {number}"),
                "out of range",
                &help,
            ));
        }
        places
    }
}
