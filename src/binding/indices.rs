//! Tensors of whole numbers that a binding makes of the contract's by formulas.

use std::sync::Arc;

use super::formula::Trouble;
use super::scope::{Elements, Scope, TensorShape};
use super::value::Value;
use super::{Binding, IndexTensor};
use crate::contract::{Numbers, Values};
use crate::files::FileError;

impl Binding {
    /// Adds the index tensors, with their values as far as the values of the contract's tensors are known.
    ///
    /// # Errors
    /// A formula does not fit its tensor, or depends on itself.
    pub(super) fn make_indices(
        &self,
        values: &Values,
        shapes: &mut Vec<TensorShape>,
    ) -> Result<(), FileError> {
        let lets = self.named(values);
        let mut open: Vec<&IndexTensor> = self.indices.iter().collect();
        while !open.is_empty() {
            let is_open =
                |name: &String| open.iter().any(|index| index.declared.name.value == *name);
            let ready = open
                .iter()
                .position(|index| !self.names_of(index).iter().any(is_open));
            let Some(ready) = ready else {
                let names: Vec<&str> = open
                    .iter()
                    .map(|index| index.declared.name.value.as_str())
                    .collect();
                let title = format!("these tensors depend on themselves: {}", names.join(", "));
                let trouble = Trouble::new(
                    &open[0].formula.value.at,
                    title,
                    "make one of them of the contract's tensors alone",
                );
                return Err(self.source.error(&open[0].formula.span, trouble));
            };
            let index = open.remove(ready);
            let scope = Scope::new(self.function, values, shapes, &lets);
            let mut shape = self.declare(&scope, &index.declared, "it")?;
            let numbers = numbers(index, &shape, &scope);
            shape.numbers =
                numbers.map_err(|trouble| self.source.error(&index.formula.span, trouble))?;
            shapes.push(shape);
        }
        Ok(())
    }

    /// Returns the names in the formulas of an index tensor, also those in entries of `let` that they name.
    fn names_of(&self, index: &IndexTensor) -> Vec<String> {
        let mut names = index.declared.sizes();
        index.formula.value.collect_names(&mut names);
        let mut seen = 0;
        while let Some(name) = names.get(seen).cloned() {
            seen += 1;
            let mut mentioned = Vec::new();
            for (_, formula) in self.lets.iter().filter(|(known, _)| known.value == name) {
                formula.value.collect_names(&mut mentioned);
            }
            mentioned.retain(|name| !names.contains(name));
            names.append(&mut mentioned);
        }
        names
    }
}

/// Returns the values of an index tensor.
fn numbers(
    index: &IndexTensor,
    shape: &TensorShape,
    scope: &Scope<'_>,
) -> Result<Numbers, Trouble> {
    let formula = &index.formula.value;
    let Some(Elements { lengths, values }) = scope.elements(formula)? else {
        return Ok(Numbers::Undrawn);
    };
    let own: Vec<usize> = shape.axes.iter().map(|axis| axis.length).collect();
    let values = match &lengths[..] {
        [] => vec![values[0].clone(); shape.count()],
        // The elements of a list fill any tensor of as many, the last axis first.
        lengths if lengths == own || (lengths.len() == 1 && values.len() == shape.count()) => {
            values
        }
        lengths => {
            let title = format!(
                "`{}` is {own:?}, and its formula gives {lengths:?}",
                shape.name
            );
            let help = "make the axes fit the formula, or leave the case out with `when`";
            return Err(Trouble::new(&formula.at, title, help));
        }
    };
    let (low, high) = shape.kind.range().unwrap_or_default();
    let number = |value: &Value| {
        let help = "mend the formula, or leave the case out with `when`";
        let failed = |why: String| Trouble::new(&formula.at, why, help);
        let number = value.integer().map_err(|error| failed(error.to_string()))?;
        match (low..=high).contains(&number) {
            true => Ok(number as f64),
            false => Err(failed(format!(
                "{number} does not fit {}, which holds {low} to {high}",
                shape.kind.name()
            ))),
        }
    };
    let numbers: Vec<f64> = values.iter().map(number).collect::<Result<_, _>>()?;
    Ok(Numbers::Known(Arc::from(numbers)))
}
