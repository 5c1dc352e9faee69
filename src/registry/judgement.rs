//! Judgement of a test's outputs, and the planted bugs that the test must catch.

use std::collections::BTreeMap;

use super::phase::Reader;
use crate::contract::{Function, OutputTolerance, Test};
use crate::document::{SpannedValue, Table, bad, boolean, integer, magnitude, string, unknown};
use crate::report::model::Tolerance;

/// More places than this are no tolerance for a type of few bits.
const MAX_ULP: u32 = 64;

impl Reader<'_> {
    pub(super) fn outputs(
        &mut self,
        table: &Table<'_>,
        function: &Function,
        designed: bool,
    ) -> BTreeMap<String, OutputTolerance> {
        let mut outputs = BTreeMap::new();
        let hint = format!(
            "a tolerance for each of its outputs: {}",
            function.outputs.join(", ")
        );
        if let (None, Some(inherited)) = (table.get("outputs"), self.inherited(function, designed))
        {
            return inherited;
        }
        let Some(list) = table.need("outputs", &hint, &mut self.out) else {
            return outputs;
        };
        // One named tolerance may be that of all outputs.
        if list.get_ref().is_str() {
            let judged = self.judged(list);
            let names = function.outputs.iter().map(|&name| name.to_string());
            return names
                .filter_map(|name| Some((name, judged.clone()?)))
                .collect();
        }
        let Some(judged) = Table::of("test's outputs", list, function.outputs, &mut self.out)
        else {
            return outputs;
        };
        for &name in function.outputs {
            let hint = format!("`{name} = {{ tolerance = ..., ceiling = ..., reason = \"...\" }}`");
            let Some(value) = judged.need(name, &hint, &mut self.out) else {
                continue;
            };
            outputs.extend(self.judged(value).map(|judged| (name.to_string(), judged)));
        }
        outputs
    }

    /// Reads the tolerances that a file gives names to.
    pub(super) fn named_tolerances(&mut self, root: &Table<'_>) {
        self.tolerances.clear();
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
        for (name, value) in named {
            if let Some(judged) = self.judged(value) {
                self.tolerances.insert(name.get_ref().to_string(), judged);
            }
        }
    }

    /// Returns the tolerances of a contract in the registry that this one extends: those of the loosest
    /// of its tests. A tolerance for all of a contract's domain is none for cases that somebody names.
    fn inherited(
        &self,
        function: &Function,
        designed: bool,
    ) -> Option<BTreeMap<String, OutputTolerance>> {
        let mut outputs: BTreeMap<String, OutputTolerance> = BTreeMap::new();
        let tests = self.base?.tests();
        let own = |test: &&Test| test.function.name == function.name && test.designed == designed;
        for test in tests.filter(own) {
            for (name, judged) in &test.outputs {
                let looser =
                    |known: &OutputTolerance| judged.tolerance.absolute > known.tolerance.absolute;
                if outputs.get(name).is_none_or(looser) {
                    outputs.insert(name.clone(), judged.clone());
                }
            }
        }
        (!outputs.is_empty()).then_some(outputs)
    }

    fn judged(&mut self, value: SpannedValue<'_>) -> Option<OutputTolerance> {
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
            let name = string(value, &mut self.out)?;
            let known = self.tolerances.get(name).cloned();
            if known.is_none() {
                let names: Vec<&str> = self.tolerances.keys().map(String::as_str).collect();
                self.out
                    .push(unknown(value.span(), "tolerance", name, &names));
            }
            return known;
        }
        let table = Table::of("output", value, &KEYS, &mut self.out)?;
        let ulp = table.get("ulp");
        let absolute = if ulp.is_some() {
            table.get("tolerance")
        } else {
            let hint = "`tolerance = ...`, or `ulp = ...` for an output of few bits";
            Some(table.need("tolerance", hint, &mut self.out)?)
        };
        let absolute = match absolute {
            Some(value) => magnitude(value, "tolerance", &mut self.out)?,
            None => 0.0,
        };
        // A user's tolerance is its own ceiling, and nobody asks where it is from.
        let users = self.users;
        let ceiling_at = match table.get("ceiling") {
            None if users => None,
            _ => {
                let hint = "`ceiling = ...`, the document's own tolerance";
                Some(table.need("ceiling", hint, &mut self.out)?)
            }
        };
        let ceiling = match ceiling_at {
            Some(at) => magnitude(at, "ceiling", &mut self.out)?,
            None => absolute,
        };
        let reason = match table.get("reason") {
            None if users => "",
            _ => {
                let hint = "`reason = \"...\"`: the measured error";
                string(table.need("reason", hint, &mut self.out)?, &mut self.out)?
            }
        };
        if let Some(at) = ceiling_at.filter(|_| absolute > ceiling) {
            let title = format!("the tolerance {absolute:e} is above the ceiling {ceiling:e}");
            self.out.push(bad(
                at,
                &title,
                "lower than the tolerance",
                "the ceiling is the loosest that is allowed",
            ));
        }
        let mut tolerance = Tolerance::absolute(absolute, ceiling);
        if let Some(value) = table.get("relative") {
            tolerance.relative = magnitude(value, "relative", &mut self.out)?;
        }
        if let Some(value) = table.get("relative_rms") {
            tolerance.relative_rms = Some(magnitude(value, "relative_rms", &mut self.out)?);
        }
        if let Some(value) = ulp {
            tolerance.ulp = Some(self.ulp(value)?);
            let hint = "`relative_rms = ...`: within an ulp a result that is truncated looks like one that is rounded";
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

    /// Places of the output's type.
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
