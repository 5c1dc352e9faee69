//! A campaign. The honest kernels run first, which gives the instructions that each test executes. Each mutant then runs on the tests that
//! execute its instruction.

mod judge;

use std::collections::{BTreeMap, BTreeSet};

use gfx906::code_object::Lines;
use globset::GlobSet;

use super::coverage::{self, Honest};
use super::operators::Operator;
use super::report::{CampaignSettings, FunctionReport, MutantReport, MutationReport, SCHEMA};
use super::sample::{self, Mutant};
use super::sites::{self, Function};
use crate::device::{Device, Limits, Sanitize, Watch};
use crate::program::Program;
use crate::report::Progress as Bar;
use crate::run::{RunError, SelectedCase, Setup};
use crate::trial::{Bound, FinishedTrial, Plan, PreparedCaseSlot, Progress, not_passed, run_all};

/// The settings of a campaign.
pub struct Options {
    /// The mutation operators.
    pub operators: Vec<Operator>,
    /// Number of mutants of each function; 0 for all.
    pub per_kernel: usize,
    /// Seed of the inputs and of the draw of mutants.
    pub seed: u64,
    /// Number of mutants that run at the same time.
    pub jobs: usize,
    /// The limits of a launch of the honest kernels.
    pub limits: Limits,
    /// Part K of N of the mutants, from 1.
    pub part: Option<(usize, usize)>,
    /// The kernels whose instructions are changed; none: all.
    pub kernels: Option<GlobSet>,
    /// True if equivalent mutants run too. A test that notices one is an error of the rule.
    pub doubt: bool,
    /// The sanitizer's checks of mutants; none without it. A mutant with a finding is killed.
    pub sanitize: Option<Sanitize>,
    /// The user's selection of the cases and kernels: phases, tests, kernels.
    pub words: [Vec<String>; 3],
}

/// The tests that judge mutants.
pub struct Campaign<'a> {
    /// Registry and code objects.
    pub setup: &'a Setup,
    /// The device that runs the kernels.
    pub device: &'a dyn Device,
    /// The cases.
    pub selected: &'a [SelectedCase<'a>],
    /// The binding and launches of each case.
    pub ways: &'a [Bound<'a>],
    /// The settings.
    pub options: &'a Options,
}

/// A mutant and the function that it is in.
type PlacedMutant<'f> = (&'f Function, Mutant);

/// News of a campaign.
pub enum News {
    /// The honest kernels have passed, and the mutants are drawn. The report has everything except the mutants.
    Drawn(Box<MutationReport>),
    /// The report of a mutant, with the position of its function and its own position in the function.
    Judged((usize, usize), Box<MutantReport>),
}

impl Campaign<'_> {
    /// Returns the report of a campaign that has not begun.
    pub fn nothing_yet(&self) -> MutationReport {
        let [phases, tests, kernels] = self.options.words.clone();
        let (k, n) = self.options.part.unwrap_or((1, 1));
        MutationReport {
            schema: SCHEMA.into(),
            complete: false,
            drawn: 0,
            device: self.device.describe().description,
            code_object: self.program().report.clone(),
            asked: CampaignSettings {
                seed: self.options.seed,
                per_kernel: self.options.per_kernel,
                operators: self.options.operators.clone(),
                phases,
                tests,
                kernels,
                cases: self.selected.len(),
            },
            parts: vec![format!("{k}/{n}")],
            seconds: 0.0,
            functions: Vec::new(),
            not_launched: Vec::new(),
            uncovered: Vec::new(),
            mutants: Vec::new(),
        }
    }

    /// Runs the campaign, and passes its news to `told`. Mutants come in any order.
    ///
    /// # Errors
    /// The honest kernels do not pass, there is nothing to change, or the host could not judge a mutant.
    pub fn run(&self, mut told: impl FnMut(News)) -> Result<(), RunError> {
        let mut slots: Vec<PreparedCaseSlot> = self
            .selected
            .iter()
            .map(|_| PreparedCaseSlot::new())
            .collect();
        let honest = self.honest()?;
        let mut functions = sites::functions(&self.program().object);
        for function in &mut functions {
            let mut exchanging = honest.iter().flat_map(|honest| &honest.exchanging);
            // Any kernel may call a function that is not a kernel.
            function.exchanges =
                exchanging.any(|kernel| !function.is_kernel || *kernel == function.name);
        }
        let executed: BTreeSet<u64> = honest
            .iter()
            .flat_map(|honest| honest.executed.keys().copied())
            .collect();
        let ran = |function: &Function| {
            let mut instructions = function.instructions.iter();
            instructions.any(|(address, _)| executed.contains(address))
        };
        let wanted = |function: &&Function| {
            let kernels = self.options.kernels.as_ref().filter(|_| function.is_kernel);
            kernels.is_none_or(|kernels| kernels.is_match(&function.name))
        };
        let not_launched = functions
            .iter()
            .filter(wanted)
            .filter(|function| !ran(function));
        let not_launched = not_launched.filter(|function| function.is_kernel);
        let not_launched = not_launched.map(|function| function.name.clone()).collect();
        let mut changed: Vec<&Function> = functions
            .iter()
            .filter(wanted)
            .filter(|function| ran(function))
            .collect();
        if changed.is_empty() {
            let title = "no selected test launches a kernel that is to be changed: loosen --kernel, --phase or --test";
            return Err(RunError::Nothing(title.into()));
        }
        // Neighbours share tests, whose inputs and references are kept from the first mutant that needs them to the last function.
        changed.sort_by_key(|function| (self.users(function, &honest).next(), function.start));
        let last_use: BTreeMap<usize, usize> = changed
            .iter()
            .enumerate()
            .flat_map(|(at, function)| self.users(function, &honest).map(move |case| (case, at)))
            .collect();
        let drawn: Vec<Vec<PlacedMutant<'_>>> = changed
            .iter()
            .map(|function| self.draw(function, &executed))
            .collect();
        let lines = Lines::read(&self.program().bytes);
        told(News::Drawn(Box::new(MutationReport {
            drawn: drawn.iter().map(Vec::len).sum(),
            functions: changed
                .iter()
                .map(|function| FunctionReport {
                    name: function.name.clone(),
                    sha256: function.sha256.clone(),
                    instructions: function.instructions.len(),
                    covered: function
                        .instructions
                        .iter()
                        .filter(|(address, _)| executed.contains(address))
                        .count(),
                    cases: self.users(function, &honest).count(),
                    listing: sites::listing(function, lines.as_ref()),
                })
                .collect(),
            not_launched,
            uncovered: changed
                .iter()
                .flat_map(|function| {
                    coverage::uncovered(function, |address| executed.contains(&address))
                })
                .collect(),
            ..self.nothing_yet()
        })));
        let bar = Bar::of_steps(drawn.iter().map(Vec::len).sum());
        for (at, placed) in drawn.iter().enumerate() {
            self.judge_all(placed, &honest, &slots, |own, mut report| {
                let (function, mutant) = &placed[own];
                bar.step(&function.name);
                report.source = lines
                    .as_ref()
                    .and_then(|lines| lines.line_at(mutant.address));
                told(News::Judged((at, own), Box::new(report)));
            })?;
            for (&case, _) in last_use.iter().filter(|(_, last)| **last == at) {
                slots[case] = PreparedCaseSlot::new();
            }
        }
        bar.clear();
        Ok(())
    }

    fn program(&self) -> &Program {
        self.setup.program()
    }

    /// Runs every case with the honest kernels. All must pass.
    fn honest(&self) -> Result<Vec<Honest>, RunError> {
        let watches = self.selected.iter().map(|_| Watch::coverage().0);
        let watches: Vec<Watch> = watches.collect();
        let cases = 0..self.selected.len();
        let plans: Vec<Plan<'_>> = cases
            .map(|case| {
                let limits = self.options.limits;
                self.plan(case, None, self.program(), &watches[case], limits)
            })
            .collect();
        let mut done: Vec<Option<FinishedTrial>> = plans.iter().map(|_| None).collect();
        run_all(&plans, self.options.jobs, |at, progress| {
            if let Progress::Finished(finished) = progress {
                done[at] = Some(*finished);
            }
        });
        let mut honest = Vec::new();
        for (done, watch) in done.iter().flatten().zip(&watches) {
            if let Some(what) = not_passed(done) {
                return Err(RunError::Unusable(format!(
                    "the kernels as they are do not pass {}: {what}; mend that first, or leave the test out",
                    done.report.id
                )));
            }
            honest.push(Honest::of(done, watch));
        }
        Ok(honest)
    }

    /// Returns the cases that execute an instruction of a function.
    fn users(&self, function: &Function, honest: &[Honest]) -> impl Iterator<Item = usize> {
        let first = function.start;
        let end = function.instructions.last().map_or(first, |(at, _)| at + 1);
        let cases: Vec<usize> = (0..honest.len())
            .filter(|&case| honest[case].executed.range(first..end).next().is_some())
            .collect();
        cases.into_iter()
    }

    /// Draws the mutants of a function, of this part of the campaign only.
    fn draw<'f>(&self, function: &'f Function, executed: &BTreeSet<u64>) -> Vec<PlacedMutant<'f>> {
        let options = self.options;
        let (count, seed) = (options.per_kernel, options.seed);
        let all = sample::mutants(function, &options.operators, count, seed, |address| {
            executed.contains(&address)
        });
        let (k, n) = options.part.unwrap_or((1, 1));
        let own = all
            .into_iter()
            .enumerate()
            .filter(|(at, _)| at % n == k - 1);
        own.map(|(_, mutant)| (function, mutant)).collect()
    }

    /// Returns the limits of a mutant's launch: many times the instructions of the honest kernels, so that a hang ends soon.
    fn budget(&self, honest: &Honest) -> Limits {
        self.options
            .limits
            .of_instructions(20_000 + 10 * honest.largest)
    }

    fn plan<'s>(
        &'s self,
        case: usize,
        shared: Option<&'s PreparedCaseSlot>,
        program: &'s Program,
        watch: &'s Watch,
        limits: Limits,
    ) -> Plan<'s> {
        Plan {
            limits,
            program,
            watch,
            shared,
            hypotheses: false,
            ..self.setup.plan(
                self.device,
                &self.selected[case],
                self.ways[case],
                self.options.seed,
            )
        }
    }
}
