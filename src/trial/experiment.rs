//! A trial that can be repeated with other inputs: its kernels and its reference as two functions of the same tensors.

use std::cell::{Cell, OnceCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use gfx906::machine::Schedule;
use gfx906::observe::sanitize::Checks;
use gfx906::observe::{Cause, Origin};

use super::judge::{read_outputs, tolerance};
use super::{Launching, Plan, Trial};
use crate::compare::{OutputCase, OutputLimits, compare_elements};
use crate::contract::{Check, ExternalTensors, Instance, Kinds, PreparedCase, Role, Tensor};
use crate::device::{self, Limits, NOTHING, Sanitize, Watch};
use crate::panics;
use crate::report::model::{FindingReport, OriginReport, Severity, Tolerance};
use crate::tensor::{Axis, Data, ElementKind, decode, with_element};

/// Wave instructions that one launch of an experiment may take.
const BUDGET: u64 = 1 << 24;

/// Wave instructions that all launches of a diagnosis may take: about 2 s.
const WORK: u64 = 1 << 26;

/// The part of the work that is kept for the last method. Each other one gets half of the rest.
const KEPT: u64 = WORK / 8 * 3;

/// The work of a computation by the reference of a custom contract, which runs in another process: of each, and of each element.
const REFERENCE_WORK: [u64; 2] = [1 << 12, 2];

/// The work that these references may take in one diagnosis.
const REFERENCES_WORK: u64 = 1 << 27;

/// The time that they may take. A function in Python may be slow.
const REFERENCES_TIME: Duration = Duration::from_secs(4);

/// The cost of a computation by the reference in wave instructions: of each, of each element, and as a part of a run by the kernels.
const REFERENCE: [u64; 2] = [512, 1];
const REFERENCES: u64 = 32;

/// Wave instructions of the longest run whose non-finite values are followed, which takes microseconds for each.
const FOLLOWED: u64 = 1 << 18;

/// Tensors in place of drawn ones, by name.
pub type Changes = BTreeMap<String, Vec<f64>>;

/// The values of each output, in the order of the contract's checks.
pub type Outputs = Vec<Vec<f64>>;

/// An input that an experiment can change.
#[derive(Clone, Debug, PartialEq)]
pub struct ExperimentInput {
    /// The name by which it is changed.
    pub name: String,
    /// The name of the kernels' tensor: another, if a tensor that is updated in place starts from the input.
    pub tensor: String,
    /// Its axes, outermost first.
    pub axes: Vec<Axis>,
    /// The type of its elements.
    pub kind: ElementKind,
    /// Its values.
    pub values: Vec<f64>,
}

/// An output of a trial, with the values that it has and should have.
#[derive(Clone, Debug, PartialEq)]
pub struct ExperimentOutput {
    /// Its name.
    pub name: String,
    /// Its axes, outermost first.
    pub axes: Vec<Axis>,
    /// The type of its elements.
    pub kind: ElementKind,
    /// The values that the kernels left.
    pub got: Vec<f64>,
    /// The values of the oracle, which are not rounded to the output's type.
    pub expected: Vec<f64>,
    /// The error that each element is allowed.
    pub allowed: Vec<f64>,
    /// True for each wrong element.
    pub wrong: Vec<bool>,
}

impl ExperimentOutput {
    /// Returns true if the kernels left an infinity or no number where the right value is finite, and where that is an error: the nearest
    /// number of a narrow type may be infinite.
    pub fn overflows(&self) -> bool {
        self.first_overflow().is_some()
    }

    /// Returns the first wrong element that is infinite or no number though the right value is finite.
    fn first_overflow(&self) -> Option<usize> {
        let mut elements = 0..self.got.len();
        elements.find(|&at| {
            self.wrong[at] && !self.got[at].is_finite() && self.expected[at].is_finite()
        })
    }
}

/// A finished run of a trial, and the means to repeat it with changed inputs.
pub struct Experiment<'a> {
    plan: Plan<'a>,
    /// The changes that this experiment starts from.
    start: Changes,
    inputs: Vec<ExperimentInput>,
    integers: Vec<ExperimentInput>,
    outputs: Vec<ExperimentOutput>,
    launches: Cell<u64>,
    /// The contract's tensors that the first run handed over.
    placed: OnceCell<BTreeSet<String>>,
    /// Wave instructions of one run.
    run_work: Cell<u64>,
    /// Wave instructions that are left to the method.
    work_left: Cell<u64>,
    /// Wave instructions that are left to later methods.
    reserve: Cell<u64>,
    /// The limits that this experiment and those that it was started from share.
    shared: Rc<ReferenceUse>,
}

/// The limits of an experiment and of those that start from it.
#[derive(Default)]
struct ReferenceUse {
    /// The time that references have taken.
    reference_time: Cell<Duration>,
    /// The work that references have taken.
    reference_work: Cell<u64>,
    /// True once something was not computed because it would take too long.
    cut_short: Cell<bool>,
}

impl<'a> Plan<'a> {
    /// Returns the plan of one short run that nobody observes. Returns none if the device runs trials in another process, or if the tensors
    /// are external.
    pub fn bare(&self) -> Option<Plan<'a>> {
        if self.device.isolation().is_some() || self.given.is_some() {
            return None;
        }
        Some(Plan {
            limits: self.limits.of_instructions(BUDGET),
            launching: Launching::Enabled,
            repeat: 1,
            relations: false,
            watch: &NOTHING,
            dump: None,
            shared: None,
            ..*self
        })
    }

    /// Runs the trial as the start of an experiment. Returns none if the kernels do not run to their end, or if there is no bare plan.
    pub fn experiment(&self) -> Option<Experiment<'a>> {
        Experiment::start(self.bare()?, Changes::new(), WORK, (Rc::default(), None))
    }
}

impl<'a> Experiment<'a> {
    fn start(
        plan: Plan<'a>,
        start: Changes,
        work: u64,
        (shared, names): (Rc<ReferenceUse>, Option<Vec<String>>),
    ) -> Option<Experiment<'a>> {
        let mut experiment = Experiment {
            plan,
            start,
            inputs: Vec::new(),
            integers: Vec::new(),
            outputs: Vec::new(),
            launches: Cell::new(0),
            placed: OnceCell::new(),
            run_work: Cell::new(0),
            work_left: Cell::new(work),
            reserve: Cell::new(0),
            shared,
        };
        let mut prepared = experiment.prepare(&Changes::new())?;
        let alternatives = alternatives(&prepared);
        let taken = alternatives
            .iter()
            .filter(|(name, _)| experiment.hands_over(name));
        let taken: Changes = taken
            .map(|(name, values)| (name.clone(), values.clone()))
            .collect();
        if !taken.is_empty() {
            experiment.start.extend(taken);
            prepared = experiment.prepare(&Changes::new())?;
        }
        let (outputs, tolerances) = experiment.launch(Arc::clone(&prepared))?;
        let judged = prepared.checks.iter().zip(outputs).zip(&tolerances);
        experiment.outputs = judged
            .map(|((check, got), tolerance)| judge(&prepared, check, got, tolerance))
            .collect::<Option<_>>()?;
        experiment.inputs = changeable(&prepared);
        experiment.integers = integers(&prepared);
        let expected = oracles(&prepared);
        // A tensor that follows from others cannot be changed alone: the contract does not take it, or computes something else from it.
        let mut inputs = experiment.inputs.clone();
        inputs.retain(|input| {
            let name = &input.name;
            if alternatives.contains_key(name) && !experiment.hands_over(name) {
                return false;
            }
            if let Some(names) = &names {
                return names.contains(name);
            }
            let same = Changes::from([(input.name.clone(), input.values.clone())]);
            experiment.predict(&same).as_ref() == Some(&expected)
        });
        experiment.inputs = inputs;
        experiment.pin(&expected);
        Some(experiment)
    }

    /// Starts from the values of all inputs that the reference reads, so that a change of one does not change others that the contract computes
    /// of it, such as sums.
    fn pin(&mut self, expected: &Outputs) {
        // A tensor that the reference does not read follows from others, which kernels may take in its place.
        let is_read = |input: &&ExperimentInput| {
            let values = input.values.iter().enumerate();
            let changed = values.map(|(at, value)| value * if at % 2 == 0 { 0.75 } else { 0.625 });
            let changes = Changes::from([(input.name.clone(), changed.collect())]);
            self.predict(&changes).as_ref() != Some(expected)
        };
        let inputs = self.inputs.iter().filter(is_read);
        let mut start: Changes = inputs
            .map(|input| (input.name.clone(), input.values.clone()))
            .collect();
        start.extend(self.start.clone());
        let free = std::mem::replace(&mut self.start, start);
        let pinned = self.unchanged();
        if pinned.map(|prepared| oracles(&prepared)).as_ref() != Some(expected) {
            self.start = free;
        }
    }

    /// The plan of one run.
    pub(super) fn plan(&self) -> &Plan<'a> {
        &self.plan
    }

    /// Prepares the case with the inputs of this experiment.
    pub(super) fn unchanged(&self) -> Option<Arc<PreparedCase>> {
        self.prepare(&Changes::new())
    }

    /// The inputs of floats that can be changed.
    pub fn inputs(&self) -> &[ExperimentInput] {
        let floats = self.inputs.iter().take_while(|input| input.kind.is_float());
        &self.inputs[..floats.count()]
    }

    /// All inputs that an experiment can change: those of floats, then those of bytes. A byte may be a part of a packed number: experiments
    /// move bytes, or set them to 0.
    pub fn data(&self) -> &[ExperimentInput] {
        &self.inputs
    }

    /// The tensors of whole numbers that the kernels get, such as the bounds of sequences. The references of few contracts follow their changes.
    pub fn integers(&self) -> &[ExperimentInput] {
        &self.integers
    }

    /// Returns true if a launch gets a tensor, or if the binding takes values of it.
    pub fn hands_over(&self, tensor: &str) -> bool {
        self.plan.bound.binding.uses(tensor)
    }

    /// Returns true if the binding hands over a tensor in other cases, and not in this one.
    pub fn is_withheld(&self, tensor: &str) -> bool {
        let placed = self.placed.get();
        let placed = placed.is_none_or(|placed| placed.contains(tensor));
        !placed && self.plan.bound.binding.points_at(tensor)
    }

    /// The outputs of the trial.
    pub fn outputs(&self) -> &[ExperimentOutput] {
        &self.outputs
    }

    /// Sets the values that the kernels left.
    #[cfg(test)]
    pub fn set_outputs(&mut self, outputs: Outputs) {
        for (output, got) in self.outputs.iter_mut().zip(outputs) {
            output.got = got;
        }
    }

    /// The number of launches so far.
    pub fn launches(&self) -> u64 {
        self.launches.get()
    }

    /// Gives a method a part of the work that is left.
    pub fn begin_method(&self) {
        let left = self.reserve.get() + self.work_left.get();
        let part = left.saturating_sub(KEPT) / 2;
        self.work_left.set(part);
        self.reserve.set(left - part);
    }

    /// Gives all work to a question that is no part of a diagnosis.
    pub fn begin_alone(&self) {
        self.reserve.set(0);
        self.work_left.set(WORK);
    }

    /// Gives the last method all work that is left.
    pub fn begin_last_method(&self) {
        let left = self.reserve.replace(0) + self.work_left.get();
        self.work_left.set(left);
    }

    /// Gives work to a method that is asked again, as much as the last method has.
    pub fn begin_again(&self) {
        self.reserve.set(0);
        self.work_left.set(KEPT);
    }

    /// The number of runs by the kernels for which there is work left.
    pub fn runs_left(&self) -> usize {
        let left = self.work_left.get() / self.run_work.get().max(1);
        usize::try_from(left).unwrap_or(usize::MAX)
    }

    /// Wave instructions of one run.
    pub fn run_work(&self) -> u64 {
        self.run_work.get()
    }

    /// The work of an experiment that starts from this one, and of one prediction in it.
    pub fn restart_work(&self) -> u64 {
        let predictions = self.inputs.len() as u64 + 3;
        self.run_work.get() + predictions * self.reference_cost()
    }

    /// The work that is left to the method.
    pub fn work_left(&self) -> u64 {
        self.work_left.get()
    }

    /// Returns true if too little work is left for a run by the kernels or a computation by the reference.
    pub fn is_exhausted(&self) -> bool {
        self.work_left.get() < self.run_work.get().max(self.reference_cost())
    }

    /// Notes that something is not computed because it would take too long.
    pub fn leave_out(&self) {
        self.shared.cut_short.set(true);
    }

    /// Takes the work of one run by the kernels. Returns none if too little is left.
    fn work(&self) -> Option<()> {
        self.take(self.run_work.get())
    }

    /// Takes the work of one computation by the reference. Returns none if too little is left.
    fn reference_work(&self) -> Option<()> {
        self.take(self.reference_cost())
    }

    fn reference_cost(&self) -> u64 {
        let inputs = self.inputs.iter().map(|input| input.values.len());
        let outputs = self.outputs.iter().map(|output| output.got.len());
        let elements = inputs.chain(outputs).sum::<usize>() as u64;
        let [each, of_element] = REFERENCE;
        each + of_element * elements + self.run_work.get() / REFERENCES
    }

    fn take(&self, work: u64) -> Option<()> {
        let left = self.work_left.get();
        let left = left.checked_sub(work);
        let left = self.or_cut_short(left)?;
        self.work_left.set(left);
        Some(())
    }

    /// Returns true if something was not computed because it would take too long.
    pub fn is_cut_short(&self) -> bool {
        self.shared.cut_short.get()
    }

    fn or_cut_short<T>(&self, found: Option<T>) -> Option<T> {
        let cut_short = &self.shared.cut_short;
        cut_short.set(cut_short.get() || found.is_none());
        found
    }

    /// Returns what the oracle computes from changed inputs. Returns none if it refuses them, or if no work is left.
    pub fn predict(&self, changes: &Changes) -> Option<Outputs> {
        self.reference_work()?;
        // A changed value need not be a number of the input's type: a candidate may round what follows from it.
        let wide = |name: &str| {
            let mut inputs = self.inputs.iter().chain(&self.integers);
            let kind = inputs.find(|input| input.name == name)?.kind;
            let wide = match kind {
                ElementKind::F64 | ElementKind::I32 | ElementKind::I64 => kind,
                _ => ElementKind::F32,
            };
            changes.contains_key(name).then_some(wide)
        };
        self.prepare_as(changes, &wide)
            .map(|prepared| oracles(&prepared))
    }

    /// Returns what the kernels compute from changed inputs. Returns none if they do not run to their end, or if no work is left.
    pub fn run(&self, changes: &Changes) -> Option<Outputs> {
        self.work()?;
        let prepared = self.prepare(changes)?;
        self.launch(prepared).map(|(outputs, _)| outputs)
    }

    /// Returns what the kernels compute from the same inputs if groups and waves run in another order. Returns none if they do not run to
    /// their end, or if no work is left.
    pub fn run_in_order(&self, schedule: Schedule) -> Option<Outputs> {
        self.work()?;
        let limits = Limits {
            schedule: Some(schedule),
            ..self.plan.limits
        };
        let plan = Plan {
            limits,
            ..self.plan
        };
        self.launch_as(&plan, self.unchanged()?)
            .map(|(outputs, _)| outputs)
    }

    /// Returns the sanitizer's findings of some checks in one run. Returns none if the kernels do not run to their end, or if no work is left.
    pub fn findings(&self, checks: Checks) -> Option<Vec<FindingReport>> {
        self.work()?;
        let watch = Watch::default().with_sanitizer(Some(Sanitize {
            checks,
            warn: Severity::Hint,
        }));
        let plan = Plan {
            watch: &watch,
            ..self.plan
        };
        let trial = plan.launch_prepared(plan.limits, self.unchanged()?).ok()?;
        self.launches
            .set(self.launches.get() + trial.launches.len() as u64);
        Some(trial.session.findings().to_vec())
    }

    /// Returns what the kernels compute from changed tensors of whole numbers, with which they may leave their buffers: in an experiment they
    /// then only fault.
    pub fn run_changed(&self, changes: &Changes) -> Option<Outputs> {
        let same_shapes = |outputs: &Outputs| {
            let pairs = self.outputs.iter().zip(outputs);
            pairs
                .into_iter()
                .all(|(old, new)| old.got.len() == new.len())
        };
        self.run(changes).filter(same_shapes)
    }

    /// Starts the same experiment from changed inputs.
    pub fn changed(&self, changes: Changes) -> Option<Experiment<'a>> {
        let mut start = self.start.clone();
        start.extend(changes);
        self.started(self.plan, start)
    }

    /// Starts the same experiment with inputs of another seed.
    pub fn redrawn(&self, seed: u64) -> Option<Experiment<'a>> {
        self.started(Plan { seed, ..self.plan }, Changes::new())
    }

    /// Starts an experiment that takes its work from this one.
    fn started(&self, plan: Plan<'a>, start: Changes) -> Option<Experiment<'a>> {
        self.work()?;
        let shared = Rc::clone(&self.shared);
        let names = self.inputs.iter().map(|input| input.name.clone()).collect();
        let with = (shared, Some(names));
        let experiment = Experiment::start(plan, start, self.work_left.get(), with)?;
        self.launches
            .set(self.launches.get() + experiment.launches.get());
        self.work_left.set(experiment.work_left.get());
        Some(experiment)
    }

    /// The seed of the inputs.
    pub fn seed(&self) -> u64 {
        self.plan.seed
    }

    fn prepare(&self, changes: &Changes) -> Option<Arc<PreparedCase>> {
        self.prepare_as(changes, &|_| None)
    }

    /// Prepares the case with changed inputs. `kinds` gives inputs another type than the binding's. Returns none once custom references have
    /// taken their time.
    fn prepare_as(&self, changes: &Changes, kinds: Kinds<'_>) -> Option<Arc<PreparedCase>> {
        let is_custom = self.plan.test.function.is_custom();
        let (time, work) = (&self.shared.reference_time, &self.shared.reference_work);
        if is_custom && (time.get() > REFERENCES_TIME || work.get() > REFERENCES_WORK) {
            return self.or_cut_short(None);
        }
        let began = Instant::now();
        let prepared = self.prepare_now(changes, kinds);
        if let (true, Some(prepared)) = (is_custom, &prepared) {
            let elements = prepared.tensors.iter().map(Tensor::count);
            let [each, of_element] = REFERENCE_WORK;
            let cost = each + of_element * elements.sum::<usize>() as u64;
            work.set(work.get() + cost);
            self.work_left
                .set(self.work_left.get().saturating_sub(cost));
        }
        time.set(time.get() + began.elapsed());
        prepared
    }

    fn prepare_now(&self, changes: &Changes, kinds: Kinds<'_>) -> Option<Arc<PreparedCase>> {
        let mut inputs = self.start.clone();
        inputs.extend(changes.clone());
        let inputs = inputs.into_iter();
        let given = ExternalTensors {
            inputs: inputs
                .map(|(name, values)| (name, Data::f64(values)))
                .collect(),
            ..ExternalTensors::default()
        };
        let (test, case) = (self.plan.test, self.plan.case);
        let binding = self.plan.bound.binding;
        // A reference may refuse inputs that no case has.
        let prepared = panics::caught(|| {
            Instance::make(
                test.function,
                (&case.id, &case.values),
                self.plan.seed,
                Some(&given),
                &|name| kinds(name).or_else(|| binding.kind(name)),
            )
        });
        prepared.ok()?.ok().map(Arc::new)
    }

    /// Returns the instruction that made the first wrong value that is not finite, then those of the values that it was made of. The list is
    /// empty if all wrong values are finite, or if the run is long.
    pub fn origins(&self) -> Vec<OriginReport> {
        if self.run_work.get() > FOLLOWED {
            return Vec::new();
        }
        let mut outputs = self.outputs.iter().enumerate();
        let found = outputs.find_map(|(number, output)| Some((number, output.first_overflow()?)));
        found
            .and_then(|(output, element)| self.origins_of(output, element))
            .unwrap_or_default()
    }

    fn origins_of(&self, output: usize, element: usize) -> Option<Vec<OriginReport>> {
        let prepared = self.unchanged()?;
        let watch = Watch::default().with_non_finite(true);
        let plan = Plan {
            watch: &watch,
            ..self.plan
        };
        let trial = plan
            .launch_prepared(plan.limits, Arc::clone(&prepared))
            .ok()?;
        self.launches
            .set(self.launches.get() + trial.launches.len() as u64);
        let buffer = &prepared.checks.get(output)?.buffer;
        let (at, bytes) = trial.element(buffer.tensor, buffer.first + element)?;
        let non_finite = watch.non_finite.as_ref()?;
        let non_finite = non_finite.lock().unwrap_or_else(PoisonError::into_inner);
        let origins = non_finite.origins_at(at, bytes).into_iter();
        Some(
            origins
                .map(|origin| origin_report(&trial, origin))
                .collect(),
        )
    }

    fn launch(&self, prepared: Arc<PreparedCase>) -> Option<(Outputs, Vec<Tolerance>)> {
        self.launch_as(&self.plan, prepared)
    }

    fn launch_as(
        &self,
        plan: &Plan<'a>,
        prepared: Arc<PreparedCase>,
    ) -> Option<(Outputs, Vec<Tolerance>)> {
        let mut trial = plan
            .launch_prepared(plan.limits, Arc::clone(&prepared))
            .ok()?;
        self.launches
            .set(self.launches.get() + trial.launches.len() as u64);
        self.placed.get_or_init(|| {
            let names = prepared.tensors.iter().map(|tensor| &tensor.name);
            let placed = names.filter(|name| trial.has_placed(name));
            placed.cloned().collect()
        });
        let work = trial
            .launches
            .iter()
            .map(|launch| launch.report.wave_instructions);
        self.run_work.set(work.flatten().sum());
        let bytes = read_outputs(&mut trial).ok()?.outputs;
        let mut tolerances = Vec::new();
        let mut outputs = Vec::new();
        for (check, bytes) in prepared.checks.iter().zip(bytes) {
            let contract = tolerance(self.plan.test, check).ok()?;
            tolerances.push(trial.bound_tolerance(check, &contract));
            let kind = prepared.tensors[check.buffer.tensor].kind;
            outputs.push(with_element!(kind, E => {
                let values = decode::<E>(&bytes);
                values.iter().map(|value| crate::tensor::Element::to_f64(*value)).collect()
            }));
        }
        Some((outputs, tolerances))
    }
}

fn origin_report(trial: &Trial<'_>, origin: &Origin) -> OriginReport {
    let mut report = device::origin_report(origin);
    if let Cause::Loaded { address } = origin.cause
        && let Some((name, distance)) = trial.tensor_at(address)
    {
        report.text += &format!(": byte {distance} of `{name}`");
        report.tensor = Some(name.to_owned());
    }
    report
}

/// Returns the tensors that kernels may take in the place of others, with their values.
fn alternatives(prepared: &PreparedCase) -> Changes {
    let tensors = prepared.tensors.iter();
    let alternatives = tensors.filter(|tensor| tensor.alternative);
    let values =
        alternatives.filter_map(|tensor| Some((tensor.name.clone(), tensor.data.as_ref()?.wide())));
    values.collect()
}

/// Returns the tensors that an experiment may change: inputs of floats and bytes that kernels are offered, and drawn tensors from which
/// an updated tensor starts.
fn changeable(prepared: &PreparedCase) -> Vec<ExperimentInput> {
    let updated = |tensor: &Tensor| {
        let mut updated = prepared.tensors.iter();
        updated.find(|other| {
            let same = other.bytes().is_some() && other.bytes() == tensor.bytes();
            other.role == Role::Updated && same
        })
    };
    // Wider integers may be indices, with which a kernel leaves its buffers.
    let is_data =
        |kind: ElementKind| kind.is_float() || matches!(kind, ElementKind::I8 | ElementKind::U8);
    let inputs = prepared.tensors.iter().filter(|tensor| {
        tensor.role == Role::Input && is_data(tensor.kind) && tensor.data.is_some()
    });
    let inputs = inputs.filter_map(|tensor| {
        let seen = match tensor.offered {
            true => tensor,
            false => updated(tensor)?,
        };
        Some(ExperimentInput {
            name: tensor.name.clone(),
            tensor: seen.name.clone(),
            axes: tensor.axes.clone(),
            kind: tensor.kind,
            values: tensor.data.as_ref().map(Data::wide).unwrap_or_default(),
        })
    });
    let mut inputs: Vec<ExperimentInput> = inputs.collect();
    inputs.sort_by_key(|input| !input.kind.is_float());
    inputs
}

/// Returns the tensors of wider integers that kernels are offered.
fn integers(prepared: &PreparedCase) -> Vec<ExperimentInput> {
    let wide = |kind: ElementKind| matches!(kind, ElementKind::I32 | ElementKind::I64);
    let tensors = prepared.tensors.iter().filter(|tensor| {
        let input = tensor.role == Role::Input && tensor.offered;
        input && wide(tensor.kind) && tensor.data.is_some()
    });
    let input = |tensor: &Tensor| ExperimentInput {
        name: tensor.name.clone(),
        tensor: tensor.name.clone(),
        axes: tensor.axes.clone(),
        kind: tensor.kind,
        values: tensor.data.as_ref().map(Data::wide).unwrap_or_default(),
    };
    tensors.map(input).collect()
}

/// Returns the oracle's values of each output.
fn oracles(prepared: &PreparedCase) -> Outputs {
    let checks = prepared.checks.iter();
    checks.map(|check| check.oracle.clone()).collect()
}

fn judge(
    prepared: &PreparedCase,
    check: &Check,
    got: Vec<f64>,
    tolerance: &Tolerance,
) -> Option<ExperimentOutput> {
    let kind = prepared.tensors[check.buffer.tensor].kind;
    let golden = &check.golden;
    let (allowed, wrong) = with_element!(kind, E => {
        let nearest = |values: &[f64]| -> Vec<E> {
            values.iter().map(|&value| crate::tensor::Element::nearest(value)).collect()
        };
        let (left, golden) = (nearest(&got), golden.elements::<E>());
        let case = OutputCase {
            name: &check.name,
            axes: &check.axes,
            tolerance,
            got: &left,
            golden: &golden,
            oracle: &check.oracle,
            inputs: &[],
            alternatives: None,
            owner: None,
        };
        compare_elements(&case, &OutputLimits::of(&case).ok()?)
    });
    Some(ExperimentOutput {
        name: check.name.clone(),
        axes: check.axes.clone(),
        kind,
        expected: check.oracle.clone(),
        got,
        allowed,
        wrong,
    })
}
