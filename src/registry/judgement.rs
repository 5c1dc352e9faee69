//! Judgement of a test's outputs, and the planted bugs that the test must catch.

use std::collections::BTreeMap;

use super::phase::Reader;
use crate::contract::Function;
use crate::contract::{Judged, Test};
use crate::document::{Placed, Table, bad, boolean, integer, magnitude, string};
use crate::verdict::Tolerance;

/// More places than this are no tolerance for a type of few bits.
const MAX_ULP: u32 = 64;

impl Reader<'_, '_> {
    pub(super) fn outputs(
        &mut self,
        table: &Table<'_>,
        function: &Function,
        designed: bool,
    ) -> BTreeMap<String, Judged> {
        let mut outputs = BTreeMap::new();
        let hint = format!(
            "a tolerance for each of its outputs: {}",
            function.outputs.join(", ")
        );
        if let (None, Some(inherited)) = (table.get("outputs"), self.inherited(function, designed))
        {
            return inherited;
        }
        let Some(list) = table.need("outputs", &hint, self.out) else {
            return outputs;
        };
        let Some(judged) = Table::of("test's outputs", list, function.outputs, self.out) else {
            return outputs;
        };
        for &name in function.outputs {
            let hint = format!("`{name} = {{ tolerance = ..., ceiling = ..., reason = \"...\" }}`");
            let Some(value) = judged.need(name, &hint, self.out) else {
                continue;
            };
            outputs.extend(self.judged(value).map(|judged| (name.to_string(), judged)));
        }
        outputs
    }

    /// Returns the judgement of a function's outputs in the registry that this one extends: the loosest of the
    /// function's tests. A tolerance for a contract's whole domain does not apply to named cases.
    fn inherited(&self, function: &Function, designed: bool) -> Option<BTreeMap<String, Judged>> {
        let mut outputs: BTreeMap<String, Judged> = BTreeMap::new();
        let tests = self.base?.tests();
        let own = |test: &&Test| test.function.name == function.name && test.designed == designed;
        for test in tests.filter(own) {
            for (name, judged) in &test.outputs {
                let looser = |known: &Judged| judged.tolerance.absolute > known.tolerance.absolute;
                if outputs.get(name).is_none_or(looser) {
                    outputs.insert(name.clone(), judged.clone());
                }
            }
        }
        (!outputs.is_empty()).then_some(outputs)
    }

    fn judged(&mut self, value: Placed<'_>) -> Option<Judged> {
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
        let table = Table::of("output", value, &KEYS, self.out)?;
        let ulp = table.get("ulp");
        let absolute = if ulp.is_some() {
            table.get("tolerance")
        } else {
            let hint = "`tolerance = ...`, or `ulp = ...` for an output of few bits";
            Some(table.need("tolerance", hint, self.out)?)
        };
        let absolute = match absolute {
            Some(value) => magnitude(value, "tolerance", self.out)?,
            None => 0.0,
        };
        // A user's tolerance is its own ceiling, and nobody asks where it is from.
        let users = self.users;
        let ceiling_at = match table.get("ceiling") {
            None if users => None,
            _ => {
                let hint = "`ceiling = ...`, the document's own tolerance";
                Some(table.need("ceiling", hint, self.out)?)
            }
        };
        let ceiling = match ceiling_at {
            Some(at) => magnitude(at, "ceiling", self.out)?,
            None => absolute,
        };
        let reason = match table.get("reason") {
            None if users => "",
            _ => {
                let hint = "`reason = \"...\"`: the measured error";
                string(table.need("reason", hint, self.out)?, self.out)?
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
            tolerance.relative = magnitude(value, "relative", self.out)?;
        }
        if let Some(value) = table.get("relative_rms") {
            tolerance.relative_rms = Some(magnitude(value, "relative_rms", self.out)?);
        }
        if let Some(value) = ulp {
            tolerance.ulp = Some(self.ulp(value)?);
            let hint = "`relative_rms = ...`: within an ulp a result that is truncated looks like one that is rounded";
            table.need("relative_rms", hint, self.out)?;
        }
        if let Some(value) = table.get("scaled") {
            tolerance.scaled = boolean(value, self.out)?;
        }
        if let Some(value) = table.get("zero_signs_equal") {
            tolerance.zero_signs_equal = boolean(value, self.out)?;
        }
        Some(Judged {
            tolerance,
            reason: reason.into(),
        })
    }

    /// Places of the output's type.
    fn ulp(&mut self, value: Placed<'_>) -> Option<u32> {
        let number = integer(value, self.out)?;
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
