//! The registry, code objects and bindings of a run, and the selection of its cases.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use globset::{Glob, GlobSet, GlobSetBuilder};

use super::bindings::lacks_kernels;
use super::selection::{may_select, split_list};
use super::{Bindings, SkipReason};

use crate::binding::{Binding, built_in, contract_files};
use crate::contract::{Case, Instance, Test};
use crate::custom::{self, CustomContract};
use crate::device::{Budget, Device};
use crate::diagnose::{self, KernelTests};
use crate::document::{Complaint, render};
use crate::files::FileError;
use crate::program::Program;
use crate::registry::Registry;
use crate::run::{RunError, SelectedCase, select};
use crate::tensor::random_seed;
use crate::trial::{Bound, LawMistake, Plan, law_mistake, run_reference};

/// The time after which no further case's laws are tried on references. A slow reference would else double the time of a run.
const LAWS_TIME: Duration = Duration::from_secs(30);

/// The files that a run reads in place of the built-in ones.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sources<'a> {
    /// The registry.
    pub registry: Option<&'a Path>,
    /// The code object under test.
    pub kernels: Option<&'a Path>,
    /// The files of bindings.
    pub bind: &'a [PathBuf],
    /// The files of custom contracts.
    pub contract: &'a [PathBuf],
}

/// The selection of the cases that run. A case is selected if it is in all three lists; an empty list
/// has every case.
#[derive(Clone, Copy, Debug, Default)]
pub struct Selection<'a> {
    /// The phases: numbers and ranges, as in `1-3,6`.
    pub phase: &'a [String],
    /// The tests: ids, aliases and globs.
    pub test: &'a [String],
    /// The kernels that a test launches: globs.
    pub kernel: &'a [String],
    /// True if a case whose kernels are missing runs and ends in an error; else it is skipped.
    pub require_all: bool,
}

impl Selection<'_> {
    /// Returns true if every case is selected.
    pub fn is_whole(&self) -> bool {
        self.phase.is_empty() && self.test.is_empty() && self.kernel.is_empty()
    }
}

/// The registry, the code objects and the bindings of a run.
pub struct Setup {
    /// The registry.
    pub registry: Registry,
    /// The built-in kernels.
    pub built_in: Program,
    /// The kernels of planted bugs. They are parsed when a self-test launches the first, because their
    /// code object is large.
    pub planted: LazyLock<Program>,
    /// The user's kernels, if the run tests them instead of the built-in ones.
    pub user: Option<Program>,
    /// The bindings that replace the built-in ones.
    pub bindings: Bindings,
    /// The seed of the designs, which is that of the inputs unless a command chooses others.
    seed: u64,
}

impl Setup {
    /// Reads and checks the files, and draws the designs for a seed.
    ///
    /// # Errors
    /// A file cannot be read, or is wrong.
    pub fn new(sources: Sources<'_>, seed: u64) -> Result<Setup, RunError> {
        let mut setup = Setup::undrawn(sources, seed)?;
        setup.redesign(seed);
        Ok(setup)
    }

    /// Reads and checks the files, and draws the designs that a selection may need. If it selects nothing, all are drawn, because the
    /// error names what there is.
    ///
    /// # Errors
    /// A file cannot be read, or is wrong.
    pub fn for_selection(
        sources: Sources<'_>,
        seed: u64,
        selection: Selection<'_>,
    ) -> Result<Setup, RunError> {
        let mut setup = Setup::undrawn(sources, seed)?;
        let bound_alone = setup.selects_bound_tests(selection);
        let may_select = may_select(&setup.registry, selection.phase, selection.test);
        let bindings = &setup.bindings;
        let wanted = |phase: u32, test: &Test| {
            may_select(phase, test) && (!bound_alone || bindings.binds_test(test))
        };
        let kernels = |test: &Test| bindings.kernel_choice(test);
        setup.registry.redesign(seed, wanted, kernels);
        setup.registry.add_described(selection.test);
        if setup.select(selection).is_err() {
            setup.redesign(seed);
            setup.registry.add_described(selection.test);
        }
        Ok(setup)
    }

    /// Returns true if a user's bindings select their tests, because no flag does.
    fn selects_bound_tests(&self, selection: Selection<'_>) -> bool {
        let flags = [selection.phase, selection.test, selection.kernel];
        flags.iter().all(|flag| flag.is_empty()) && !self.bindings.is_empty()
    }

    /// Reads and checks the files. The tests with a design have no cases.
    ///
    /// # Errors
    /// A file cannot be read, or is wrong.
    pub fn undrawn(sources: Sources<'_>, seed: u64) -> Result<Setup, RunError> {
        let built_in = Program::built_in()?;
        let mut registry = Registry::undrawn(sources.registry)?;
        let mut contracts = sources.contract.to_vec();
        for path in sources.bind {
            contracts.extend(contract_files(path)?);
        }
        registry.add_custom(custom::read(&contracts, run_reference)?)?;
        let user = sources.kernels.map(Program::read).transpose()?;
        let bindings = Bindings::read(sources.bind, &registry)?;
        Ok(Setup {
            bindings,
            registry,
            built_in,
            planted: LazyLock::new(|| Program::planted().expect("embedded kernels are good")),
            user,
            seed,
        })
    }

    /// Draws the designs for another seed.
    pub fn redesign(&mut self, seed: u64) {
        let bindings = &self.bindings;
        let kernels = |test: &Test| bindings.kernel_choice(test);
        self.registry.redesign(seed, |_, _| true, kernels);
        self.seed = seed;
    }

    /// Computes the references of the selected cases of custom contracts, so that a wrong reference ends the run before anything runs.
    /// The references keep their results for the run.
    ///
    /// If the laws of contracts are checked too, each law is tried on the reference first, as long as that takes no more than its time.
    ///
    /// # Errors
    /// A reference has no results in a case, or wrong ones, or it breaks a law.
    pub fn check_references<'a>(
        &self,
        cases: impl Iterator<Item = (&'a SelectedCase<'a>, &'a Bound<'a>)>,
        relations: bool,
    ) -> Result<(), FileError> {
        let mut laws_time = Duration::ZERO;
        for (entry, bound) in cases {
            let function = entry.test.function;
            if !function.is_custom() {
                continue;
            }
            let case = (entry.case.id.as_str(), &entry.case.values);
            let kinds = |name: &str| bound.binding.kind(name);
            Instance::make(function, case, self.seed, None, &kinds)
                .map_err(|error| FileError::Diagnostic(error.message))?;
            if relations && laws_time < LAWS_TIME {
                let began = Instant::now();
                self.check_laws(entry)?;
                laws_time += began.elapsed();
            }
        }
        Ok(())
    }

    /// Tries the laws of a custom contract on its reference, in a case.
    fn check_laws(&self, entry: &SelectedCase<'_>) -> Result<(), FileError> {
        let (test, case) = (entry.test, entry.case);
        let mut contracts = self.registry.custom.iter();
        let named = |contract: &&CustomContract| contract.function.name == test.function.name;
        let Some(contract) = contracts.find(named) else {
            return Ok(());
        };
        let (source, name) = (&contract.source, contract.function.name);
        for (position, span) in contract.laws.iter().enumerate() {
            let mistake = law_mistake((test, case), self.seed, position);
            let (title, label, help, more) = match mistake {
                Ok(None) => continue,
                Ok(Some(LawMistake { law, numbers })) => (
                    format!(
                        "`{law}` is no law of `{name}`: its own reference breaks it in case {}",
                        case.id
                    ),
                    numbers,
                    "correct or remove this declaration: no kernel was run",
                    String::new(),
                ),
                Err(error) => (
                    format!(
                        "this law of `{name}` gives the reference inputs that it does not take, in case {}",
                        case.id
                    ),
                    "this declaration".into(),
                    "correct or remove it, or mend the reference: no kernel was run",
                    format!("\n\n{}", error.message),
                ),
            };
            let complaint = Complaint {
                span: span.clone(),
                title,
                label,
                help: help.into(),
            };
            let text = render(&source.name, &source.text, &[complaint]);
            return Err(FileError::Diagnostic(text + &more));
        }
        Ok(())
    }

    /// Returns the kernels under test.
    pub fn program(&self) -> &Program {
        self.user.as_ref().unwrap_or(&self.built_in)
    }

    /// Returns the built-in kernels, whose instructions limit those of a user's kernels in the same
    /// case. There are none if no user's kernels are under test, or if `--budget` sets the limit.
    pub fn twin(&self, budget: Option<Budget>) -> Option<&Program> {
        let limits_user = self.user.is_some() && budget.is_none();
        limits_user.then_some(&self.built_in)
    }

    /// Returns true if the code object under test has none of the kernels that built-in bindings launch,
    /// and the user has no bindings.
    ///
    /// # Errors
    /// A built-in binding cannot be read, which a test of this crate excludes.
    pub fn is_foreign(&self) -> Result<bool, FileError> {
        let Some(user) = self.user.as_ref().filter(|_| self.bindings.is_empty()) else {
            return Ok(false);
        };
        Ok(built_in()?
            .iter()
            .all(|binding| lacks_kernels(binding, user)))
    }

    /// Returns the names of the kernels under test.
    pub fn kernels(&self) -> impl Iterator<Item = &str> + Clone {
        let kernels = self.program().object.kernels.iter();
        kernels.map(|kernel| kernel.name.as_str())
    }

    /// Returns the selected cases.
    ///
    /// # Errors
    /// No case is selected, or the selection has an unknown phase or test, or a bad glob.
    pub fn select(&self, selection: Selection<'_>) -> Result<Vec<SelectedCase<'_>>, RunError> {
        let mut selected = select(&self.registry, selection.phase, selection.test)?;
        if !selection.kernel.is_empty() {
            let globs = kernel_globs(selection.kernel)?;
            selected.retain(|entry| self.launches(entry.test, &globs));
        } else if self.selects_bound_tests(selection) {
            selected.retain(|entry| self.bindings.binds_test(entry.test));
        }
        if selected.is_empty() {
            let message = match selection.kernel {
                [] => {
                    "no test of the registry takes a binding of --bind: \
                     add a test of its contract, or change its `name`"
                }
                _ => "no selected test launches such a kernel: loosen --kernel, --phase or --test",
            };
            return Err(RunError::Nothing(message.into()));
        }
        Ok(selected)
    }

    /// Returns the selected cases that can run, and the binding of each.
    ///
    /// # Errors
    /// No case is selected or can run, or a binding does not fit a case.
    pub fn runnable(
        &self,
        selection: Selection<'_>,
    ) -> Result<(Vec<SelectedCase<'_>>, Vec<Bound<'_>>), RunError> {
        let selected = self.select(selection)?;
        let bindings = self.bind_cases(selection, &selected)?;
        let pairs = selected.into_iter().zip(bindings);
        let (selected, bindings): (Vec<_>, Vec<_>) = pairs
            .filter_map(|(entry, binding)| Some((entry, binding.ok()?)))
            .unzip();
        if selected.is_empty() {
            return Err(self.nothing_runs());
        }
        self.check_references(selected.iter().zip(&bindings), false)?;
        Ok((selected, bindings))
    }

    /// Returns the binding of a case on a code object, or the reason why the case does not run.
    ///
    /// # Errors
    /// A binding does not fit the case or the code object.
    pub fn bind_case<'a>(
        &'a self,
        test: &Test,
        case: &Case,
        program: &Program,
    ) -> Result<Result<Bound<'a>, SkipReason>, FileError> {
        self.bindings
            .bind_case(test, case, (program, &self.registry))
    }

    /// Makes the error for a run in which no selected case runs.
    pub fn nothing_runs(&self) -> RunError {
        RunError::Nothing(format!(
            "no selected test can run with the kernels of {}",
            self.program().report.path
        ))
    }

    /// Makes the plan of a selected case with the inputs of a seed. Callers change the parts that are
    /// their own.
    pub fn plan<'a>(
        &'a self,
        device: &'a dyn Device,
        entry: &SelectedCase<'a>,
        bound: Bound<'a>,
        seed: u64,
    ) -> Plan<'a> {
        let place = (entry.phase.number, entry.test, entry.case);
        Plan::new(device, (self.program(), bound), place, seed)
    }

    /// Returns true if a test launches a kernel that matches one of the globs.
    fn launches(&self, test: &Test, globs: &GlobSet) -> bool {
        let mut candidates = self.bindings.candidates(test).peekable();
        let matching: Vec<&str> = self.kernels().filter(|name| globs.is_match(name)).collect();
        // A formula may give a kernel's name, so the kernels of the code object are tried as well. The
        // symbol alone counts too, because the code object may lack the kernel.
        let hit = |binding: &Binding| {
            binding.launches().iter().any(|launch| {
                let symbol = &launch.symbol.value;
                globs.is_match(symbol.text()) || matching.iter().any(|kernel| symbol.may_be(kernel))
            })
        };
        if candidates.peek().is_none() {
            return Bound::built_in(test.function).is_ok_and(|bound| hit(bound.binding));
        }
        candidates.any(hit)
    }

    /// Returns the binding of each selected case, or the reason why the case does not run.
    ///
    /// # Errors
    /// A binding does not fit a case.
    pub fn bind_cases(
        &self,
        selection: Selection<'_>,
        selected: &[SelectedCase<'_>],
    ) -> Result<Vec<Result<Bound<'_>, SkipReason>>, FileError> {
        let bind = |entry: &SelectedCase<'_>| {
            let bound = self.bind_case(entry.test, entry.case, self.program())?;
            let asks = self.bindings.binds_test(entry.test) || entry.test.binding.is_some();
            // With `require_all` the case runs by the built-in binding, into the error of a missing kernel.
            Ok(match bound {
                Err(reason) if selection.require_all && !asks => {
                    let built_in = Bound::built_in(entry.test.function)?;
                    // The built-in binding may not take the case. Then no kernel is missing.
                    match built_in.binding.refuses(&entry.case.values)? {
                        Some(_) => Err(reason),
                        None => Ok(built_in),
                    }
                }
                bound => bound,
            })
        };
        selected.iter().map(bind).collect()
    }
}

/// The number of a test's cases that are tried in search of the kernel that makes a trial of several fail.
const KERNEL_CASES: usize = 8;

impl KernelTests for Setup {
    /// A planted bug that replaces the kernel is in these tests, too.
    fn of<'p>(&'p self, plan: &Plan<'p>) -> Vec<(String, Plan<'p>)> {
        let kernels = plan.bound.kernels();
        if kernels.len() < 2 {
            return Vec::new();
        }
        let tests = self.registry.tests().filter(|test| !test.designed);
        let plans = tests.flat_map(|test| {
            let mut cases: Vec<&Case> = test.cases.iter().collect();
            cases.sort_by_key(|case| diagnose::dullness(test.function, case));
            cases.into_iter().take(KERNEL_CASES).filter_map(|case| {
                let bound = self.bind_case(test, case, plan.program).ok()?.ok()?;
                let [kernel] = &bound.kernels()[..] else {
                    return None;
                };
                let bound = Bound {
                    planted: plan.bound.planted,
                    ..bound
                };
                kernels.contains(kernel).then(|| {
                    let plan = Plan {
                        test,
                        case,
                        bound,
                        shared: None,
                        ..*plan
                    };
                    (kernel.clone(), plan)
                })
            })
        });
        plans.collect()
    }
}

/// Parses the globs of `--kernel`, which commas may separate.
///
/// # Errors
/// A pattern is no glob.
pub fn kernel_globs(patterns: &[String]) -> Result<GlobSet, RunError> {
    let mut set = GlobSetBuilder::new();
    let globs = patterns.iter().flat_map(|list| split_list(list));
    for pattern in globs.map(str::trim) {
        let glob = Glob::new(pattern).map_err(|error| {
            let shown = pattern.escape_debug();
            RunError::Flag(format!("`--kernel {shown}` is no glob: {}", error.kind()))
        })?;
        set.add(glob);
    }
    set.build()
        .map_err(|error| RunError::Flag(format!("--kernel: {error}")))
}

/// Parses the value of `--seed`. The word `random` draws a seed, which every report names.
///
/// # Errors
/// The text is no seed, or the host has no random numbers.
pub fn parse_seed(text: &str) -> Result<u64, RunError> {
    if text == "random" {
        return random_seed().map_err(|error| RunError::Unusable(error.to_string()));
    }
    let parsed = text
        .strip_prefix("0x")
        .map_or_else(|| text.parse(), |hex| u64::from_str_radix(hex, 16));
    parsed.map_err(|_| {
        let shown = text.escape_debug();
        RunError::Flag(format!(
            "`--seed {shown}` is not a seed: give a number from 0 to {} or `random`",
            u64::MAX
        ))
    })
}

/// Returns the number of host threads for each launch: 1 if several trials run at the same time, else 0,
/// which is one for each core.
pub fn threads(jobs: usize, trials: usize) -> usize {
    if jobs.min(trials) > 1 { 1 } else { 0 }
}
