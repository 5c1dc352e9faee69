//! How the outputs of a test are judged, and what it must catch.

use std::collections::BTreeMap;

use super::phase::Reader;
use super::{Judged, Plant};
use crate::document::{Placed, Table, array, bad, boolean, integer, magnitude, string, unknown};
use crate::phases::Function;
use crate::verdict::Tolerance;

/// More places than this are no tolerance for a type of few bits.
const MAX_ULP: u32 = 64;

impl Reader<'_, '_> {
    pub(super) fn outputs(
        &mut self,
        table: &Table<'_>,
        function: &Function,
    ) -> BTreeMap<String, Judged> {
        let mut outputs = BTreeMap::new();
        let hint = format!(
            "a tolerance for each of its outputs: {}",
            function.outputs.join(", ")
        );
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
        let ceiling_at = table.need(
            "ceiling",
            "`ceiling = ...`, the document's own tolerance",
            self.out,
        )?;
        let ceiling = magnitude(ceiling_at, "ceiling", self.out)?;
        let reason_at = table.need("reason", "`reason = \"...\"`: the measured error", self.out)?;
        let reason = string(reason_at, self.out)?;
        if absolute > ceiling {
            let title = format!("the tolerance {absolute:e} is above the ceiling {ceiling:e}");
            self.out.push(bad(
                ceiling_at,
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

    pub(super) fn plants(&mut self, table: &Table<'_>, function: &Function) -> Vec<Plant> {
        let hint = "`planted = [{ name = \"...\", replace = { kernel_x = \"planted_y\" } }]`: a bug it must catch";
        let Some(list) = table.need("planted", hint, self.out) else {
            return Vec::new();
        };
        let elements = array(list, self.out);
        if elements.is_empty() {
            self.out.push(bad(
                list,
                "this test catches no planted bug",
                "empty",
                &format!("add {hint}"),
            ));
        }
        let mut plants: Vec<Plant> = Vec::new();
        for value in elements {
            let Some(plant) = self.plant(value, function) else {
                continue;
            };
            if plants.iter().any(|other| other.name == plant.name) {
                self.out.push(bad(
                    value,
                    &format!("`{}` is planted twice", plant.name),
                    "again",
                    "name each once",
                ));
            }
            plants.push(plant);
        }
        plants
    }

    fn plant(&mut self, value: Placed<'_>, function: &Function) -> Option<Plant> {
        let table = Table::of(
            "planted bug",
            value,
            &["name", "replace", "swap_grid"],
            self.out,
        )?;
        let name = string(
            table.need("name", "`name = \"...\"`: what is wrong", self.out)?,
            self.out,
        )?;
        let mut plant = Plant {
            name: name.into(),
            replace: BTreeMap::new(),
            swap_grid: None,
        };
        let what = format!("kernel of function `{}`", function.name);
        if let Some(replace) = table.get("replace") {
            let kernels = Table::of("replacement", replace, function.kernels, self.out)?;
            for (kernel, value) in kernels.entries() {
                let by = string(value, self.out)?;
                if !self.known.planted.contains(&by) {
                    self.out.push(unknown(
                        value.span(),
                        "planted kernel",
                        by,
                        &self.known.planted,
                    ));
                }
                plant
                    .replace
                    .insert(kernel.get_ref().to_string(), by.into());
            }
        }
        if let Some(value) = table.get("swap_grid") {
            let kernel = string(value, self.out)?;
            if !function.kernels.contains(&kernel) {
                self.out
                    .push(unknown(value.span(), &what, kernel, function.kernels));
            }
            plant.swap_grid = Some(kernel.into());
        }
        if plant.replace.is_empty() && plant.swap_grid.is_none() {
            self.out.push(bad(
                value,
                "this planted bug changes nothing",
                "no bug",
                "give it `replace` or `swap_grid`",
            ));
        }
        Some(plant)
    }
}
