//! The registry and the code objects of a run, and the cases that are selected.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use globset::{Glob, GlobSet, GlobSetBuilder};

use super::ways::lacks;
use super::{Bindings, SkipReason};

use crate::binding::{Binding, built_in};
use crate::contract::{Case, Test};
use crate::device::{Budget, Device};
use crate::files::FileError;
use crate::program::Program;
use crate::registry::Registry;
use crate::run::{RunError, SelectedCase, select};
use crate::tensor::random_seed;
use crate::trial::{Bound, Plan};

/// The files that a run reads, where not the built-in ones.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sources<'a> {
    /// The tests.
    pub registry: Option<&'a Path>,
    /// The kernels under test.
    pub kernels: Option<&'a Path>,
    /// Files of bindings.
    pub bind: &'a [PathBuf],
}

/// The cases that are to run: those that all three lists mean, where an empty one means every case.
#[derive(Clone, Copy, Debug, Default)]
pub struct Selection<'a> {
    /// Numbers and ranges of phases, as in `1-3,6`.
    pub phase: &'a [String],
    /// Ids, aliases and globs of tests.
    pub test: &'a [String],
    /// Globs of kernels that a test launches.
    pub kernel: &'a [String],
    /// A case whose kernels are missing runs all the same, into an error.
    pub require_all: bool,
}

/// The registry and the code objects.
pub struct Setup {
    /// The tests.
    pub registry: Registry,
    /// The documented kernels, as committed.
    pub built_in: Program,
    /// The planted bugs. They are parsed when they are needed, because their file is large and only a
    /// self-test launches them.
    pub planted: LazyLock<Program>,
    /// The user's kernels, if the run tests them instead of the built-in ones.
    pub user: Option<Program>,
    /// The bindings that replace the built-in ones.
    pub bindings: Bindings,
}

impl Setup {
    /// Reads and checks everything. Designs are those of the seed.
    ///
    /// # Errors
    /// A file cannot be read, or something in it is wrong.
    pub fn new(sources: Sources<'_>, seed: u64) -> Result<Setup, RunError> {
        let built_in = Program::built_in()?;
        let own = Registry::built_in()?;
        let mut registry = match sources.registry {
            Some(path) => Registry::read(path, &own)?,
            None => own,
        };
        let user = sources.kernels.map(Program::read).transpose()?;
        let bindings = Bindings::read(sources.bind, &registry)?;
        registry.redesign(seed);
        Ok(Setup {
            bindings,
            registry,
            built_in,
            planted: LazyLock::new(|| Program::planted().expect("embedded kernels are good")),
            user,
        })
    }

    /// The kernels under test.
    pub fn program(&self) -> &Program {
        self.user.as_ref().unwrap_or(&self.built_in)
    }

    /// The built-in kernels where they say how long others may run: not if a budget does.
    pub fn twin(&self, budget: Option<Budget>) -> Option<&Program> {
        let told = self.user.is_some() && budget.is_none();
        told.then_some(&self.built_in)
    }

    /// True if the code object under test has none of the kernels that built-in bindings launch, and
    /// nothing binds others.
    ///
    /// # Errors
    /// A built-in binding is wrong, which a test would have shown.
    pub fn is_foreign(&self) -> Result<bool, FileError> {
        let Some(user) = self.user.as_ref().filter(|_| self.bindings.is_empty()) else {
            return Ok(false);
        };
        Ok(built_in()?.iter().all(|binding| lacks(binding, user)))
    }

    /// The names of the kernels under test.
    pub fn kernels(&self) -> impl Iterator<Item = &str> + Clone {
        let kernels = self.program().object.kernels.iter();
        kernels.map(|kernel| kernel.name.as_str())
    }

    /// The cases that are selected.
    ///
    /// # Errors
    /// There are none, or something that selects is not known.
    pub fn select(&self, wanted: Selection<'_>) -> Result<Vec<SelectedCase<'_>>, RunError> {
        let mut selected = select(&self.registry, wanted.phase, wanted.test)?;
        if !wanted.kernel.is_empty() {
            let launches = kernel_globs(wanted.kernel)?;
            selected.retain(|one| self.launches(one.test, &launches));
        } else if wanted.test.is_empty() && wanted.phase.is_empty() && !self.bindings.is_empty() {
            // A user's bindings select the tests of their contracts.
            selected.retain(|one| self.bindings.has_for(one.test));
        }
        if selected.is_empty() {
            let title =
                "no selected test launches such a kernel: loosen --kernel, --phase or --test";
            return Err(RunError::Nothing(title.into()));
        }
        Ok(selected)
    }

    /// The selected cases that run, and how.
    ///
    /// # Errors
    /// None does, or a binding does not fit.
    pub fn runnable(
        &self,
        wanted: Selection<'_>,
    ) -> Result<(Vec<SelectedCase<'_>>, Vec<Bound<'_>>), RunError> {
        let selected = self.select(wanted)?;
        let ways = self.ways(wanted, &selected)?;
        let pairs = selected.into_iter().zip(ways);
        let (selected, ways): (Vec<_>, Vec<_>) = pairs
            .filter_map(|(one, way)| Some((one, way.ok()?)))
            .unzip();
        if selected.is_empty() {
            return Err(self.nothing_runs());
        }
        Ok((selected, ways))
    }

    /// Returns the binding by which a case runs on a code object, or the reason why it does not run.
    ///
    /// # Errors
    /// A binding does not fit the case or the code object.
    pub fn way<'a>(
        &'a self,
        test: &Test,
        case: &Case,
        program: &Program,
    ) -> Result<Result<Bound<'a>, SkipReason>, FileError> {
        self.bindings.way(test, case, (program, &self.registry))
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
        one: &SelectedCase<'a>,
        bound: Bound<'a>,
        seed: u64,
    ) -> Plan<'a> {
        let place = (one.phase.number, one.test, one.case);
        Plan::new(device, (self.program(), bound), place, seed)
    }

    /// Returns true if a test launches a kernel that matches one of the globs.
    fn launches(&self, test: &Test, globs: &GlobSet) -> bool {
        let mut own = self.bindings.of(test).peekable();
        let meant: Vec<&str> = self.kernels().filter(|name| globs.is_match(name)).collect();
        // A kernel's name may depend on the case, and a kernel that is missing is meant all the same.
        let hit = |binding: &Binding| {
            binding.launches().iter().any(|launch| {
                let symbol = &launch.symbol.value;
                globs.is_match(symbol.text()) || meant.iter().any(|kernel| symbol.may_be(kernel))
            })
        };
        if own.peek().is_none() {
            return Bound::built_in(test.function).is_ok_and(|bound| hit(bound.binding));
        }
        own.any(hit)
    }

    /// Returns the binding of each selected case, or the reason why the case does not run.
    pub fn ways(
        &self,
        wanted: Selection<'_>,
        selected: &[SelectedCase<'_>],
    ) -> Result<Vec<Result<Bound<'_>, SkipReason>>, FileError> {
        let way = |one: &SelectedCase<'_>| {
            let way = self.way(one.test, one.case, self.program())?;
            let bound = self.bindings.has_for(one.test) || one.test.binding.is_some();
            // A missing kernel is an error of the test if all kernels are required.
            Ok(match way {
                Err(reason) if wanted.require_all && !bound => {
                    let own = Bound::built_in(one.test.function)?;
                    // Kernels that are not for a size are not missing.
                    match own.binding.refuses(&one.case.values)? {
                        Some(_) => Err(reason),
                        None => Ok(own),
                    }
                }
                way => way,
            })
        };
        selected.iter().map(way).collect()
    }
}

/// The kernels that `--kernel` means.
///
/// # Errors
/// A pattern is no glob.
pub fn kernel_globs(patterns: &[String]) -> Result<GlobSet, RunError> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let glob = Glob::new(pattern).map_err(|error| {
            let shown = pattern.escape_debug();
            RunError::Flag(format!("`--kernel {shown}` is no glob: {}", error.kind()))
        })?;
        set.add(glob);
    }
    set.build()
        .map_err(|error| RunError::Flag(format!("--kernel: {error}")))
}

/// The seed that `--seed` names. A drawn one is in every report.
pub fn seed(text: &str) -> Result<u64, RunError> {
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

/// Host threads of one launch: all of them where trials do not fill the cores already.
pub fn threads(jobs: usize, trials: usize) -> usize {
    if jobs.min(trials) > 1 { 1 } else { 0 }
}
