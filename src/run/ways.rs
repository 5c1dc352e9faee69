//! How each selected case runs: by the built-in binding of its contract, by a user's, or not at all.

use std::path::PathBuf;

use crate::binding::{self, Binding, Described, Objects, describe};
use crate::contract::Function;
use crate::contract::{Case, Test};
use crate::document::{Complaint, render};
use crate::exit::Stop;
use crate::program::Program;
use crate::registry::Registry;
use crate::text::shown;
use crate::trial::Bound;

/// Bindings by contract, in the order of their files.
#[derive(Default)]
pub struct Bindings {
    list: Vec<(Binding, Described)>,
}

impl Bindings {
    /// Reads files of bindings.
    ///
    /// # Errors
    /// One cannot be read, or something in it is wrong.
    pub fn read(paths: &[PathBuf], registry: &Registry) -> Result<Bindings, Stop> {
        let mut list: Vec<(Binding, Described)> = Vec::new();
        for path in paths {
            for binding in binding::read(path)? {
                if let Some((first, _)) = list.iter().find(|(known, _)| hides(known, &binding)) {
                    return Err(twice(&binding, first));
                }
                let described = contract(registry, binding.function).ok_or_else(|| {
                    let name = binding.function.name;
                    Stop::setup(format!(
                        "binding {}: no test of the registry runs contract `{name}`: add one with `contract = \"{name}\"` and a shape",
                        shown(path)
                    ))
                })?;
                list.push((binding, described));
            }
        }
        Ok(Bindings { list })
    }

    /// Whether there are any.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether a contract has one.
    pub fn has(&self, function: &Function) -> bool {
        self.of(function).next().is_some()
    }

    /// Every binding.
    pub fn iter(&self) -> impl Iterator<Item = (&Binding, &Described)> {
        self.list
            .iter()
            .map(|(binding, described)| (binding, described))
    }

    fn of(&self, function: &Function) -> impl Iterator<Item = &(Binding, Described)> {
        self.list
            .iter()
            .filter(|(binding, _)| binding.function.name == function.name)
    }

    /// How a case runs on a code object; or why not.
    ///
    /// # Errors
    /// A binding does not fit the case or the code object.
    pub fn way<'a>(
        &'a self,
        test: &Test,
        case: &Case,
        program: &Program,
    ) -> Result<Result<Bound<'a>, String>, Stop> {
        let mut refusal = None;
        for (binding, described) in self.of(test.function) {
            if let Some(reason) = binding.refuses(&case.values)? {
                refusal.get_or_insert(reason);
                continue;
            }
            if let Some(shapes) = described.shapes(&case.values) {
                let shapes = binding.shapes(shapes, &case.values)?;
                let objects = Objects {
                    tested: &program.object,
                    planted: None,
                };
                binding.resolve(objects, &case.values, &shapes, &described.outputs(), None)?;
            }
            return Ok(Ok(Bound {
                binding,
                described: Some(described),
                planted: None,
            }));
        }
        if let Some(reason) = refusal {
            return Ok(Err(reason));
        }
        let bound = Bound::built_in(test.function)?;
        let missing = bound
            .kernels()
            .into_iter()
            .find(|kernel| program.object.kernel(kernel).is_none());
        Ok(match missing {
            Some(kernel) => Err(format!("{kernel} is not in {}", program.report.path)),
            None => Ok(bound),
        })
    }
}

/// What a contract's tensors are, by the shapes of the registry's tests.
pub fn contract(registry: &Registry, function: &'static Function) -> Option<Described> {
    let cases = |designed: bool| -> Vec<_> {
        let tests = registry
            .tests()
            .filter(|test| test.function.name == function.name && test.designed == designed);
        let cases = tests.flat_map(|test| &test.cases);
        cases.map(|case| &case.values).collect()
    };
    describe(function, &cases(false), &cases(true))
}

/// Whether a binding leaves a later one nothing.
fn hides(first: &Binding, later: &Binding) -> bool {
    first.function.name == later.function.name && first.when.is_none()
}

fn twice(binding: &Binding, first: &Binding) -> Stop {
    let complaint = Complaint {
        span: binding.span.clone(),
        title: format!("contract `{}` is bound twice", binding.function.name),
        label: format!("{} binds it for all cases", first.source.name),
        help: "remove one, or tell them apart with `when`".into(),
    };
    Stop::diagnostic(render(
        &binding.source.name,
        &binding.source.text,
        &[complaint],
    ))
}
