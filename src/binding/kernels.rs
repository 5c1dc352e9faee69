//! The kernels that a binding launches at a case, as far as sizes and choices decide.

use super::formula::Formula;
use super::scope::Scope;
use super::{Binding, Step};
use crate::contract::Values;

impl Binding {
    /// Returns the sizes and choices that decide which kernels the binding launches.
    pub fn kernel_parameters(&self) -> Vec<&'static str> {
        let mut names = Vec::new();
        if let Some(when) = &self.when {
            when.value.collect_names(&mut names);
        }
        self.collect_in_steps(&self.steps, &mut names);
        self.parameters(names)
    }

    /// Returns the sizes and choices that decide whether the binding takes a case.
    pub fn case_parameters(&self) -> Vec<&'static str> {
        let mut names = Vec::new();
        if let Some(when) = &self.when {
            when.value.collect_names(&mut names);
        }
        self.parameters(names)
    }

    /// Returns the sizes and choices among names, also those in entries of `let` and `vary` of these names.
    fn parameters(&self, mut names: Vec<String>) -> Vec<&'static str> {
        let mut seen = 0;
        while let Some(name) = names.get(seen).cloned() {
            seen += 1;
            let formulas = self.lets.iter().filter(|(known, _)| known.value == name);
            let mut mentioned = Vec::new();
            formulas.for_each(|(_, formula)| formula.value.collect_names(&mut mentioned));
            let varied = self.varied.iter().filter(|(known, _)| *known == name);
            let varied = varied.flat_map(|(_, formulas)| formulas);
            varied.for_each(|formula| formula.value.collect_names(&mut mentioned));
            mentioned.retain(|name| !names.contains(name));
            names.append(&mut mentioned);
        }
        let function = self.function;
        let numbers = function.dims.iter().chain(function.integers).copied();
        let parameters = numbers.chain(function.choices().map(|(name, _)| *name));
        parameters
            .filter(|parameter| names.iter().any(|name| name == parameter))
            .collect()
    }

    /// Returns the symbols that the binding launches at a case in its first launch form. Returns `None` if the binding
    /// refuses the case, or if more than sizes and choices decides.
    pub fn kernels_at(&self, values: &Values) -> Option<Vec<String>> {
        if self.refuses(values).ok()?.is_some() {
            return None;
        }
        let lets = self.named(values);
        let scope = Scope::new(self.function, values, &[], &lets);
        let mut symbols = Vec::new();
        self.symbols_of(&self.steps, &scope, &mut symbols)?;
        Some(symbols)
    }

    fn symbols_of(&self, steps: &[Step], scope: &Scope<'_>, out: &mut Vec<String>) -> Option<()> {
        for step in steps {
            let when = match step {
                Step::Launch(launch) => &launch.when,
                Step::Group(group) => &group.when,
            };
            if let Some(when) = when
                && !self.truth(scope, when).ok()?
            {
                continue;
            }
            match step {
                Step::Launch(launch) => out.push(launch.symbol.value.at(scope).ok()?),
                Step::Group(group) => self.symbols_of(&group.steps, scope, out)?,
            }
        }
        Some(())
    }

    fn collect_in_steps(&self, steps: &[Step], out: &mut Vec<String>) {
        for step in steps {
            let when = match step {
                Step::Launch(launch) => {
                    let formulas = launch.symbol.value.formulas();
                    formulas.for_each(|formula: &Formula| formula.collect_names(out));
                    &launch.when
                }
                Step::Group(group) => {
                    self.collect_in_steps(&group.steps, out);
                    &group.when
                }
            };
            if let Some(when) = when {
                when.value.collect_names(out);
            }
        }
    }
}
