//! What a run needs before the first trial: registry, code objects, seed, device, threads.

use std::io::{self, IsTerminal};

use globset::{Glob, GlobSet, GlobSetBuilder};

use super::Bindings;

use crate::binding::Binding;
use crate::cli::{Color, DeviceChoice, Format, RunArgs};
use crate::contract::Test;
use crate::device::{Tracing, Watch};
use crate::exit::Stop;
use crate::program::Program;
use crate::registry::{Known, Registry};
use crate::select::{Selected, select};
use crate::tensor::random_seed;
use crate::text::quoted;
use crate::trial::{Bound, default_jobs};

/// The registry and the code objects.
pub struct Setup {
    /// The tests.
    pub registry: Registry,
    /// The documented kernels, as committed.
    pub built_in: Program,
    /// The planted bugs.
    pub planted: Program,
    /// The user's kernels, where they are to be validated.
    pub user: Option<Program>,
    /// How they are launched, where not as the built-in ones are.
    pub bindings: Bindings,
}

impl Setup {
    /// Reads and checks everything that the flags name.
    pub fn new(args: &RunArgs) -> Result<Setup, Stop> {
        let built_in = Program::built_in()?;
        let planted = Program::planted()?;
        let known = Known {
            kernels: names(&built_in),
            planted: names(&planted),
            base: None,
        };
        let own = Registry::built_in(&known)?;
        let registry = match &args.registry {
            Some(path) => {
                let base = Some(&own);
                Registry::read(path, &Known { base, ..known })?
            }
            None => {
                drop(known);
                own
            }
        };
        let user = args.kernels.as_deref().map(Program::read).transpose()?;
        let bindings = Bindings::read(&args.bind, &registry)?;
        Ok(Setup {
            bindings,
            registry,
            built_in,
            planted,
            user,
        })
    }

    /// The kernels under test.
    pub fn program(&self) -> &Program {
        self.user.as_ref().unwrap_or(&self.built_in)
    }

    /// The built-in kernels where they say how long others may run: not if the flags do.
    pub fn twin(&self, args: &RunArgs) -> Option<&Program> {
        let told = self.user.is_some() && args.limits.budget.is_none();
        told.then_some(&self.built_in)
    }

    /// What the flags want observed.
    pub fn watch(&self, args: &RunArgs) -> Result<Watch, Stop> {
        let kernels = self.program().object.kernels.iter();
        let names = kernels.map(|kernel| kernel.name.as_str());
        let json = args.format == Format::Json;
        Ok(Watch {
            counters: args.counters,
            trace: Tracing::open(&args.trace, names, json)?,
        })
    }

    /// The cases that the flags select.
    pub fn select(&self, args: &RunArgs) -> Result<Vec<Selected<'_>>, Stop> {
        let mut selected = select(&self.registry, &args.phase, &args.test)?;
        if !args.kernel.is_empty() {
            let launches = kernel_globs(&args.kernel)?;
            selected.retain(|one| self.launches(one.test, &launches));
        } else if args.test.is_empty() && args.phase.is_empty() && !self.bindings.is_empty() {
            // Whoever binds kernels asks about their contracts.
            selected.retain(|one| self.bindings.has(one.test.function));
        }
        if selected.is_empty() {
            let title =
                "no selected test launches such a kernel: loosen --kernel, --phase or --test";
            return Err(Stop::nothing(title));
        }
        Ok(selected)
    }

    /// The selected cases that run, and how.
    ///
    /// # Errors
    /// None does, or a binding does not fit.
    pub fn runnable(&self, args: &RunArgs) -> Result<(Vec<Selected<'_>>, Vec<Bound<'_>>), Stop> {
        let selected = self.select(args)?;
        let ways = self.ways(args, &selected)?;
        let pairs = selected.into_iter().zip(ways);
        let (selected, ways): (Vec<_>, Vec<_>) = pairs
            .filter_map(|(one, way)| Some((one, way.ok()?)))
            .unzip();
        if selected.is_empty() {
            return Err(Stop::nothing(format!(
                "no selected test can run with the kernels of {}",
                self.program().report.path
            )));
        }
        Ok((selected, ways))
    }

    /// Whether a test launches a kernel that one of the globs means.
    fn launches(&self, test: &Test, globs: &GlobSet) -> bool {
        let own = self.bindings.iter().map(|(binding, _)| binding);
        let mut own = own
            .filter(|binding| binding.function.name == test.function.name)
            .peekable();
        let hit = |binding: &Binding| {
            binding
                .kernels()
                .iter()
                .any(|kernel| globs.is_match(kernel))
        };
        if own.peek().is_none() {
            return Bound::built_in(test.function).is_ok_and(|bound| hit(bound.binding));
        }
        own.any(hit)
    }

    /// How each selected case runs, or why it does not.
    pub fn ways(
        &self,
        args: &RunArgs,
        selected: &[Selected<'_>],
    ) -> Result<Vec<Result<Bound<'_>, String>>, Stop> {
        let way = |one: &Selected<'_>| {
            let way = self.bindings.way(one.test, one.case, self.program())?;
            let bound = self.bindings.has(one.test.function);
            // What is missing is an error of the test if all is required.
            Ok(match way {
                Err(_) if args.require_all && !bound => Ok(Bound::built_in(one.test.function)?),
                way => way,
            })
        };
        selected.iter().map(way).collect()
    }
}

fn names(program: &Program) -> Vec<&str> {
    program
        .object
        .kernels
        .iter()
        .map(|kernel| kernel.name.as_str())
        .collect()
}

fn kernel_globs(patterns: &[String]) -> Result<GlobSet, Stop> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let glob = Glob::new(pattern).map_err(|error| {
            let shown = pattern.escape_debug();
            Stop::usage(format!("`--kernel {shown}` is no glob: {}", error.kind()))
        })?;
        set.add(glob);
    }
    set.build()
        .map_err(|error| Stop::usage(format!("--kernel: {error}")))
}

/// The seed that `--seed` names. A drawn one is in every report.
pub fn seed(text: &str) -> Result<u64, Stop> {
    if text == "random" {
        return random_seed().map_err(Stop::setup);
    }
    let parsed = text
        .strip_prefix("0x")
        .map_or_else(|| text.parse(), |hex| u64::from_str_radix(hex, 16));
    parsed.map_err(|_| {
        let shown = text.escape_debug();
        Stop::usage(format!(
            "`--seed {shown}` is not a seed: give a number from 0 to {} or `random`",
            u64::MAX
        ))
    })
}

/// The flags that select kernels, registry and device, as one would type them again.
pub fn flags(args: &RunArgs) -> String {
    let files = [("--kernels", &args.kernels), ("--registry", &args.registry)];
    let given = files
        .into_iter()
        .filter_map(|(flag, path)| Some((flag, path.as_ref()?.to_string_lossy())));
    let mut flags: String = given
        .map(|(flag, path)| format!(" {flag} {}", quoted(&path)))
        .collect();
    for path in &args.bind {
        flags.push_str(&format!(" --bind {}", quoted(&path.to_string_lossy())));
    }
    flags.push_str(&args.limits.again());
    if args.device.device == DeviceChoice::Hip {
        flags.push_str(" --device hip");
    }
    if let Some(index) = args.device.hip_device {
        flags.push_str(&format!(" --hip-device {index}"));
    }
    flags
}

/// How many trials run at once: one where a trace shows them one after another, and one on a card, which they would
/// only share, if nobody says.
pub fn jobs(args: &RunArgs) -> usize {
    match (&args.trace.trace, args.jobs) {
        (Some(_), _) => 1,
        (None, Some(jobs)) => jobs.into(),
        (None, None) if args.device.device == DeviceChoice::Hip => 1,
        (None, None) => default_jobs(),
    }
}

/// Host threads of one launch: all of them where trials do not fill the cores already.
pub fn threads(jobs: usize, trials: usize) -> usize {
    if jobs.min(trials) > 1 { 1 } else { 0 }
}

/// Whether standard output is coloured.
pub fn color(choice: Color) -> bool {
    let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    match choice {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => !unwanted && io::stdout().is_terminal(),
    }
}
