//! The choice of a binding for each selected case: a built-in one, a user's, or none.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::pointers;
use crate::binding::{self, Binding, ContractTensors, Objects, describe};
use crate::contract::design::{KernelChoice, Refusals, design};
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
    /// No binding takes the case. The text is the reason of the first.
    #[error("{0}")]
    Refused(String),
    /// The code object has no kernel of the binding that the test asks for.
    #[error("the kernels of `{binding}` are not in {path}")]
    NoKernels {
        /// The name of the binding.
        binding: String,
        /// The code object.
        path: String,
    },
    /// The test asks for a binding that does not exist.
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

/// The bindings of a user, and the built-in bindings that tests ask for by name.
#[derive(Default)]
pub struct Bindings {
    /// The user's bindings in the order of their files, each with the tensors of its contract.
    user: Vec<(Binding, ContractTensors)>,
    /// The built-in bindings that have a name.
    named: Vec<&'static Binding>,
    /// The tensors of the named bindings' contracts. A contract's tensors are described when a selected
    /// test needs them.
    named_tensors: BTreeMap<&'static str, OnceLock<Option<ContractTensors>>>,
}

impl Bindings {
    /// Reads files of bindings.
    ///
    /// # Errors
    /// A file cannot be read, or is wrong.
    pub fn read(paths: &[PathBuf], registry: &Registry) -> Result<Bindings, FileError> {
        let mut user: Vec<(Binding, ContractTensors)> = Vec::new();
        let custom: Vec<&'static Function> = registry.custom_functions().collect();
        for path in paths {
            for binding in binding::read(path, &custom)? {
                if let Some((first, _)) = user.iter().find(|(known, _)| hides(known, &binding)) {
                    return Err(bound_twice(&binding, first));
                }
                let tensors = describe_contract(registry, binding.function).ok_or_else(|| {
                    let name = binding.function.name;
                    FileError::Unusable(format!(
                        "binding {}: the tensors of contract `{name}` cannot be described",
                        shown(path)
                    ))
                })?;
                user.push((binding, tensors));
            }
        }
        let built_in = binding::built_in()?.iter();
        let named: Vec<_> = built_in.filter(|binding| binding.name.is_some()).collect();
        let named_tensors = named
            .iter()
            .map(|binding| (binding.function.name, OnceLock::new()));
        Ok(Bindings {
            user,
            named_tensors: named_tensors.collect(),
            named,
        })
    }

    /// Returns the SHA-256 of a file of bindings; none if no binding comes from the file.
    pub fn sha256_of(&self, path: &Path) -> Option<String> {
        let name = shown(path);
        let mut sources = self.user.iter().map(|(binding, _)| &binding.source);
        let source = sources.find(|source| source.name == name)?;
        Some(sha256(source.text.as_bytes()))
    }

    /// Returns true if the user has no bindings.
    pub fn is_empty(&self) -> bool {
        self.user.is_empty()
    }

    /// Returns true if a user's binding is for the contract.
    pub fn binds_contract(&self, function: &Function) -> bool {
        let mut user = self.user.iter();
        user.any(|(binding, _)| binding.function.name == function.name)
    }

    /// Returns true if a user's binding is for the test.
    pub fn binds_test(&self, test: &Test) -> bool {
        self.user_candidates(test).next().is_some()
    }

    /// Returns the user's bindings for a test, or else the built-in bindings that the test asks for by
    /// name.
    pub fn candidates<'a, 't>(
        &'a self,
        test: &'t Test,
    ) -> impl Iterator<Item = &'a Binding> + use<'a, 't> {
        let user = self.user_candidates(test).map(|(binding, _)| binding);
        let named = self.named_candidates(test);
        user.chain(named.map(|binding| -> &'a Binding { binding }))
    }

    /// Returns the kernels that a test launches, as a function of its case.
    pub fn kernel_choice<'a>(&'a self, test: &Test) -> Option<KernelChoice<'a>> {
        let mut bindings: Vec<&'a Binding> = self.candidates(test).collect();
        if bindings.is_empty() && test.binding.is_none() {
            bindings.extend(
                Bound::built_in(test.function)
                    .ok()
                    .map(|bound| bound.binding),
            );
        }
        let parameters = distinct(bindings.iter().flat_map(|one| one.kernel_parameters()));
        let is_users = self.binds_test(test);
        let refusals = (is_users || test.binding.is_some()).then(|| {
            let bindings = bindings.clone();
            let refuses = move |values: &Values| {
                let mut all = bindings.iter();
                all.all(|binding| matches!(binding.refuses(values), Ok(Some(_))))
            };
            Refusals {
                are_told: is_users,
                parameters: distinct(self.candidates(test).flat_map(Binding::case_parameters)),
                refuses: Box::new(refuses),
            }
        });
        let kernels = move |values: &Values| {
            let mut all = bindings.iter();
            all.find_map(|binding| binding.kernels_at(values))
                .map(|all| all.join(" "))
        };
        Some(KernelChoice {
            parameters,
            kernels: Box::new(kernels),
            refusals,
        })
    }

    /// Returns the user's bindings for a test, each with the tensors of its contract.
    fn user_candidates<'a, 't>(
        &'a self,
        test: &'t Test,
    ) -> impl Iterator<Item = &'a (Binding, ContractTensors)> + use<'a, 't> {
        self.user.iter().filter(|(binding, _)| binding.is_for(test))
    }

    /// Returns the built-in bindings that a test asks for by name; none if the user has bindings for the
    /// test.
    fn named_candidates<'a, 't>(
        &'a self,
        test: &'t Test,
    ) -> impl Iterator<Item = &'static Binding> + use<'a, 't> {
        let asks = test.binding.is_some() && !self.binds_test(test);
        let named = self.named.iter().filter(move |_| asks);
        named.copied().filter(|binding| binding.is_for(test))
    }

    /// Returns the tensors of a named binding's contract.
    fn named_tensors(&self, binding: &Binding, registry: &Registry) -> Option<&ContractTensors> {
        let slot = self.named_tensors.get(binding.function.name)?;
        slot.get_or_init(|| describe_contract(registry, binding.function))
            .as_ref()
    }

    /// Returns the user's bindings, each with the tensors of its contract.
    pub fn iter(&self) -> impl Iterator<Item = (&Binding, &ContractTensors)> {
        self.user
            .iter()
            .map(|(binding, tensors)| (binding, tensors))
    }

    /// Returns the binding of a case on a code object, or the reason why the case does not run.
    ///
    /// # Errors
    /// A binding does not fit the case or the code object.
    pub fn bind_case<'a>(
        &'a self,
        test: &Test,
        case: &Case,
        (program, registry): (&Program, &Registry),
    ) -> Result<Result<Bound<'a>, SkipReason>, FileError> {
        let mut refusal = None;
        let user = self
            .user_candidates(test)
            .map(|(binding, tensors)| (binding, tensors, false));
        let named = self
            .named_candidates(test)
            .filter_map(|binding| Some((binding, self.named_tensors(binding, registry)?, true)));
        for (binding, tensors, is_built_in) in user.chain(named) {
            if let Some(reason) = binding.refuses(&case.values)? {
                refusal.get_or_insert(reason);
                continue;
            }
            // Only the built-in code object must have the kernels of the named built-in bindings.
            if is_built_in && lacks_kernels(binding, program) {
                return Ok(Err(SkipReason::NoKernels {
                    binding: binding.name.clone().unwrap_or_default(),
                    path: program.report.path.clone(),
                }));
            }
            check_binding(binding, tensors, case, program)?;
            return Ok(Ok(Bound {
                binding,
                described: Some(tensors),
                planted: None,
            }));
        }
        if let Some(reason) = refusal {
            return Ok(Err(SkipReason::Refused(reason)));
        }
        if let Some(name) = &test.binding {
            return Ok(Err(SkipReason::NoBinding(name.clone())));
        }
        bind_built_in(test, case, program)
    }
}

/// Returns names, each once, in order.
fn distinct(names: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    let mut all: Vec<&str> = Vec::new();
    for name in names {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// Checks that a binding fits a case and a code object.
fn check_binding(
    binding: &Binding,
    tensors: &ContractTensors,
    case: &Case,
    program: &Program,
) -> Result<(), FileError> {
    let Some(contract) = tensors.shapes(&case.values) else {
        return Ok(());
    };
    if program.is_built_in() && lacks_kernels(binding, program) {
        let kernel = binding.kernels().into_iter().next().unwrap_or_default();
        let complaint = Complaint {
            span: binding.span.clone(),
            title: format!("the built-in code object has no kernel `{kernel}`"),
            label: "this binding launches it".into(),
            help: "give the code object that has it: --kernels FILE.co".into(),
        };
        let source = &binding.source;
        return Err(diagnostic(&source.name, &source.text, &[complaint]));
    }
    let shapes = binding.shapes(contract.clone(), &case.values)?;
    let objects = Objects {
        tested: &program.object,
        planted: None,
    };
    let outputs = tensors.outputs(&case.values);
    let outputs: Vec<&str> = outputs.iter().map(String::as_str).collect();
    let resolved = binding.resolve(objects, &case.values, &shapes, &outputs, None)?;
    pointers::check(binding, program, &shapes, &resolved)?;
    let states = tensors.states(&case.values);
    binding.keeps_states((&contract, &states), &resolved)
}

/// Returns the built-in binding of a test's contract, or the reason why the case does not run by it.
fn bind_built_in(
    test: &Test,
    case: &Case,
    program: &Program,
) -> Result<Result<Bound<'static>, SkipReason>, FileError> {
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

/// Describes a contract's tensors. The cases of the registry's tests decide which combination of choices
/// comes first. Returns none if no combination can be described.
pub fn describe_contract(
    registry: &Registry,
    function: &'static Function,
) -> Option<ContractTensors> {
    let tests = |designed: bool| {
        let tests = registry.tests();
        tests.filter(move |test| test.function.name == function.name && test.designed == designed)
    };
    let cases = |designed: bool| -> Vec<&Values> {
        let cases = tests(designed).flat_map(|test| &test.cases);
        cases.map(|case| &case.values).collect()
    };
    // The designs of a registry are drawn after the bindings are read.
    let undrawn = tests(true).any(|test| test.cases.is_empty());
    let drawn = if undrawn {
        design(function, None, 0)
    } else {
        Vec::new()
    };
    let designed = cases(true).into_iter().chain(&drawn);
    describe(function, &cases(false), &designed.collect::<Vec<_>>())
}

/// Returns true if a code object has no kernel that a binding launches. A formula in a kernel's name
/// matches anything.
pub(super) fn lacks_kernels(binding: &Binding, program: &Program) -> bool {
    let kernels = binding.kernels();
    let mut prefixes = kernels
        .iter()
        .map(|name| name.split('*').next().unwrap_or_default());
    !prefixes.any(|prefix| {
        let mut kernels = program.object.kernels.iter();
        kernels.any(|kernel| kernel.name.starts_with(prefix))
    })
}

/// Returns true if the first binding takes every case of the later one.
fn hides(first: &Binding, later: &Binding) -> bool {
    first.function.name == later.function.name && first.name == later.name && first.when.is_none()
}

/// Makes the error for two bindings of a contract that take the same cases.
fn bound_twice(binding: &Binding, first: &Binding) -> FileError {
    let complaint = Complaint {
        span: binding.span.clone(),
        title: format!("contract `{}` is bound twice", binding.function.name),
        label: format!("{} binds it for all cases", first.source.name),
        help: "remove one, or tell them apart with `when`".into(),
    };
    diagnostic(&binding.source.name, &binding.source.text, &[complaint])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Case, Values};
    use crate::run::{Setup, Sources};

    /// The pairs of a design lay in cases that an ordinary binding refuses: of those that it takes, a start or a size never ran.
    #[test]
    fn every_two_values_that_a_users_binding_takes_meet_in_a_case_that_it_takes() {
        let text = r#"
schema = 1
[[binding]]
contract = "gdn_packed"
when = "map == block && layout == 'key-major' && gate == head && K <= 128"
symbol = "mine"
grid = ["HV", "N"]
block = ["V"]
args = ["q", "k", "v", "g", "beta", "initial", "o", "final", "cu_seqlens", "has_initial", "i32 K"]
"#;
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), text).expect("written");
        let bind = [file.path().to_owned()];
        let sources = Sources {
            bind: &bind,
            ..Sources::default()
        };
        for seed in [0, 5] {
            let setup = Setup::new(sources, seed).expect("a binding");
            let test = setup
                .registry
                .tests()
                .find(|test| test.id == "gdn_packed_domain");
            let test = test.expect("a test");
            let takes = |values: &Values| {
                let mut candidates = setup.bindings.candidates(test);
                candidates.any(|one| matches!(one.refuses(values), Ok(None)))
            };
            let (taken, refused): (Vec<&Case>, Vec<&Case>) =
                test.cases.iter().partition(|case| takes(&case.values));
            let pairs = |cases: &[&Case]| -> BTreeSet<String> {
                let of = |case: &&Case| {
                    let named: Vec<String> = case
                        .values
                        .iter()
                        .map(|(name, value)| format!("{name}={value:?}"))
                        .collect();
                    let pair = |at: usize, named: &[String]| -> Vec<String> {
                        named[at + 1..]
                            .iter()
                            .map(|other| format!("{} {other}", named[at]))
                            .collect()
                    };
                    (0..named.len())
                        .flat_map(|at| pair(at, &named))
                        .collect::<Vec<_>>()
                };
                cases.iter().flat_map(of).collect()
            };
            // The taken cases of other seeds have no pair that this seed lacks.
            let mut others = Setup::new(sources, seed).expect("a binding");
            let own = pairs(&taken);
            for other in 10..14 {
                others.redesign(other);
                let test = others
                    .registry
                    .tests()
                    .find(|test| test.id == "gdn_packed_domain");
                let cases: Vec<&Case> = test
                    .expect("a test")
                    .cases
                    .iter()
                    .filter(|case| takes(&case.values))
                    .collect();
                let more: Vec<String> = pairs(&cases).difference(&own).cloned().collect();
                assert_eq!(more, Vec::<String>::new(), "seed {seed}, {other}");
            }
            assert!(
                own.iter()
                    .any(|pair| pair.contains("K=Number(18)") && pair.contains("Word(\"some\")")),
                "{own:?}"
            );
            // A report says what does not run.
            assert!(refused.len() > 10, "{}", refused.len());
        }
    }

    #[test]
    fn designs_of_named_bindings_have_no_case_that_they_refuse() {
        let mut seen = 0;
        for seed in [0, 7] {
            let setup = Setup::new(Sources::default(), seed).expect("the built-in kernels");
            let tests = setup.registry.tests();
            for test in tests.filter(|test| test.designed && test.binding.is_some()) {
                for case in &test.cases {
                    let mut candidates = setup.bindings.candidates(test);
                    let takes = candidates.any(|one| matches!(one.refuses(&case.values), Ok(None)));
                    assert!(takes, "seed {seed}: {}", case.id);
                    seen += 1;
                }
            }
        }
        assert!(seen > 100, "{seen}");
    }
}
