//! Choice of the binding for each selected case: the built-in one, a user's, or none.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::binding::{self, Binding, ContractTensors, Objects, describe};
use crate::contract::design::KernelChoice;
use crate::contract::{Case, Function, Test, Values};
use crate::document::{Complaint, diagnostic};
use crate::files::{FileError, sha256};
use crate::program::Program;
use crate::registry::Registry;
use crate::text::shown;
use crate::trial::Bound;

/// A reason why a case does not run.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SkipReason {
    /// The bindings do not take the case, for the reason that one of them gives.
    #[error("{0}")]
    Refused(String),
    /// The code object has none of the kernels of the binding that the test asks for.
    #[error("the kernels of `{binding}` are not in {path}")]
    NoKernels {
        /// The name of the binding.
        binding: String,
        /// The code object.
        path: String,
    },
    /// There is no binding of the name that the test asks for.
    #[error("there is no binding `{0}`")]
    NoBinding(String),
    /// The code object lacks a kernel.
    #[error("{kernel} is not in {path}")]
    NoKernel {
        /// The kernel.
        kernel: String,
        /// The code object.
        path: String,
    },
}

/// Bindings by contract, in the order of their files.
#[derive(Default)]
pub struct Bindings {
    list: Vec<(Binding, ContractTensors)>,
    /// Named bindings of the built-in kernels, for the tests that ask for them.
    named: Vec<&'static Binding>,
    /// Described tensors of the named bindings' contracts, filled in when a selected test asks for them.
    described: BTreeMap<&'static str, OnceLock<Option<ContractTensors>>>,
}

impl Bindings {
    /// Reads files of bindings.
    ///
    /// # Errors
    /// One cannot be read, or something in it is wrong.
    pub fn read(paths: &[PathBuf], registry: &Registry) -> Result<Bindings, FileError> {
        let mut list: Vec<(Binding, ContractTensors)> = Vec::new();
        for path in paths {
            for binding in binding::read(path)? {
                if let Some((first, _)) = list.iter().find(|(known, _)| hides(known, &binding)) {
                    return Err(twice(&binding, first));
                }
                let described = contract(registry, binding.function).ok_or_else(|| {
                    let name = binding.function.name;
                    FileError::Unusable(format!(
                        "binding {}: no test of the registry runs contract `{name}`: add one with `contract = \"{name}\"` and a shape",
                        shown(path)
                    ))
                })?;
                list.push((binding, described));
            }
        }
        let all = binding::built_in()?.iter();
        let named: Vec<_> = all.filter(|of| of.name.is_some()).collect();
        let described = named.iter().map(|of| (of.function.name, OnceLock::new()));
        Ok(Bindings {
            list,
            described: described.collect(),
            named,
        })
    }

    /// Returns the SHA-256 of a file that bindings were read from; none where it has no binding.
    pub fn sha256_of(&self, path: &Path) -> Option<String> {
        let name = shown(path);
        let mut all = self.list.iter().map(|(binding, _)| &binding.source);
        let source = all.find(|source| source.name == name)?;
        Some(sha256(source.text.as_bytes()))
    }

    /// Returns true if there are no user's bindings.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns true if a contract has a user's binding.
    pub fn has(&self, function: &Function) -> bool {
        let mut all = self.list.iter();
        all.any(|(binding, _)| binding.function.name == function.name)
    }

    /// Returns true if a test has a user's binding.
    pub fn has_for(&self, test: &Test) -> bool {
        self.own(test).next().is_some()
    }

    /// Every binding that a test may run by, a user's or one that it asks for.
    pub fn of<'a, 't>(&'a self, test: &'t Test) -> impl Iterator<Item = &'a Binding> + use<'a, 't> {
        let own = self.own(test).map(|(binding, _)| binding);
        own.chain(self.built_in(test).map(|named| -> &'a Binding { named }))
    }

    /// Returns the kernels that a test launches, as a function of its case.
    pub fn kernel_choice<'a>(&'a self, test: &Test) -> Option<KernelChoice<'a>> {
        let mut bindings: Vec<&'a Binding> = self.of(test).collect();
        if bindings.is_empty() && test.binding.is_none() {
            bindings.extend(
                Bound::built_in(test.function)
                    .ok()
                    .map(|bound| bound.binding),
            );
        }
        let mut parameters: Vec<&str> = Vec::new();
        for name in bindings
            .iter()
            .flat_map(|binding| binding.kernel_parameters())
        {
            if !parameters.contains(&name) {
                parameters.push(name);
            }
        }
        let kernels = move |values: &Values| {
            let mut all = bindings.iter();
            all.find_map(|binding| binding.kernels_at(values))
                .map(|all| all.join(" "))
        };
        Some(KernelChoice {
            parameters,
            kernels: Box::new(kernels),
        })
    }

    /// Returns a user's bindings of a test.
    fn own<'a, 't>(
        &'a self,
        test: &'t Test,
    ) -> impl Iterator<Item = &'a (Binding, ContractTensors)> + use<'a, 't> {
        self.list.iter().filter(|(binding, _)| binding.is_for(test))
    }

    /// Returns the named built-in bindings that a test asks for, if the user has none.
    fn built_in<'a, 't>(
        &'a self,
        test: &'t Test,
    ) -> impl Iterator<Item = &'static Binding> + use<'a, 't> {
        let asks = test.binding.is_some() && !self.has_for(test);
        let named = self.named.iter().filter(move |_| asks);
        named.copied().filter(|binding| binding.is_for(test))
    }

    /// The tensors of a named binding's contract.
    fn described(&self, binding: &Binding, registry: &Registry) -> Option<&ContractTensors> {
        let known = self.described.get(binding.function.name)?;
        let found = known.get_or_init(|| contract(registry, binding.function));
        found.as_ref()
    }

    /// Every binding.
    pub fn iter(&self) -> impl Iterator<Item = (&Binding, &ContractTensors)> {
        self.list
            .iter()
            .map(|(binding, described)| (binding, described))
    }

    /// Returns the binding by which a case runs on a code object, or the reason why it does not run.
    ///
    /// # Errors
    /// A binding does not fit the case or the code object.
    pub fn way<'a>(
        &'a self,
        test: &Test,
        case: &Case,
        (program, registry): (&Program, &Registry),
    ) -> Result<Result<Bound<'a>, SkipReason>, FileError> {
        let mut refusal = None;
        let own = self
            .own(test)
            .map(|(binding, described)| (binding, described, false));
        let named = self
            .built_in(test)
            .filter_map(|binding| Some((binding, self.described(binding, registry)?, true)));
        for (binding, described, built_in) in own.chain(named) {
            if let Some(reason) = binding.refuses(&case.values)? {
                refusal.get_or_insert(reason);
                continue;
            }
            // Another code object need not have the kernels that only a test of the built-in ones asks for.
            if built_in && lacks(binding, program) {
                return Ok(Err(SkipReason::NoKernels {
                    binding: binding.name.clone().unwrap_or_default(),
                    path: program.report.path.clone(),
                }));
            }
            if let Some(contract) = described.shapes(&case.values) {
                let shapes = binding.shapes(contract.clone(), &case.values)?;
                let objects = Objects {
                    tested: &program.object,
                    planted: None,
                };
                let outputs = described.outputs(&case.values);
                let outputs: Vec<&str> = outputs.iter().map(String::as_str).collect();
                let resolved = binding.resolve(objects, &case.values, &shapes, &outputs, None)?;
                let states = described.states(&case.values);
                binding.keeps_states((&contract, &states), &resolved)?;
            }
            return Ok(Ok(Bound {
                binding,
                described: Some(described),
                planted: None,
            }));
        }
        if let Some(reason) = refusal {
            return Ok(Err(SkipReason::Refused(reason)));
        }
        if let Some(name) = &test.binding {
            return Ok(Err(SkipReason::NoBinding(name.clone())));
        }
        let bound = Bound::built_in(test.function)?;
        if let Some(reason) = bound.binding.refuses(&case.values)? {
            return Ok(Err(SkipReason::Refused(reason)));
        }
        let missing = bound
            .kernels()
            .into_iter()
            .find(|kernel| program.object.kernel(kernel).is_none());
        Ok(match missing {
            Some(kernel) => Err(SkipReason::NoKernel {
                kernel,
                path: program.report.path.clone(),
            }),
            None => Ok(bound),
        })
    }
}

/// Describes a contract's tensors at the shapes of the registry's tests.
pub fn contract(registry: &Registry, function: &'static Function) -> Option<ContractTensors> {
    let cases = |designed: bool| -> Vec<_> {
        let tests = registry
            .tests()
            .filter(|test| test.function.name == function.name && test.designed == designed);
        let cases = tests.flat_map(|test| &test.cases);
        cases.map(|case| &case.values).collect()
    };
    describe(function, &cases(false), &cases(true))
}

/// Returns true if a code object has no kernel of a binding.
pub(super) fn lacks(binding: &Binding, program: &Program) -> bool {
    let kernels = binding.kernels();
    let mut fixed = kernels
        .iter()
        .map(|name| name.split('*').next().unwrap_or_default());
    !fixed.any(|start| {
        let mut there = program.object.kernels.iter();
        there.any(|kernel| kernel.name.starts_with(start))
    })
}

/// Returns true if the first binding takes every case of the later one.
fn hides(first: &Binding, later: &Binding) -> bool {
    first.function.name == later.function.name && first.name == later.name && first.when.is_none()
}

fn twice(binding: &Binding, first: &Binding) -> FileError {
    let complaint = Complaint {
        span: binding.span.clone(),
        title: format!("contract `{}` is bound twice", binding.function.name),
        label: format!("{} binds it for all cases", first.source.name),
        help: "remove one, or tell them apart with `when`".into(),
    };
    diagnostic(&binding.source.name, &binding.source.text, &[complaint])
}
