//! Buffers read back after the launches, and judged: guards first, then inputs, then outputs.

use super::{DeviceResult, Trial, TrialError};
use crate::compare::{
    Alternative, BufferAfter, NamedInput, OutputCase, OutputLimits, OwnerOf, POISON_LEFT,
    accepted_trivially_by, check_between, judge_buffers, judge_by,
};
use crate::contract::{Check, Role, Tensor, Test};
use crate::report::model::{
    Hypothesis, OutputReport, Owner, Problem, Tolerance, TrialReport, Verdict,
};
use crate::tensor::{Data, Element, decode, guards, with_element};

/// The judgement of a trial.
pub(super) struct Judgement {
    pub verdict: Verdict,
    /// An overwritten guard or a changed input.
    pub problem: Option<Problem>,
    pub outputs: Vec<OutputReport>,
    /// The reason why an output could not be judged.
    pub error: Option<String>,
    /// The bytes that the device left in each output.
    pub images: Vec<Vec<u8>>,
}

/// The tensors that the launches left.
pub(super) struct OutputBytes {
    /// An overwritten guard or a changed input.
    pub problem: Option<Problem>,
    /// The bytes of each output.
    pub outputs: Vec<Vec<u8>>,
}

/// Reads the buffers back after the launches, and judges the guards and the inputs.
pub(super) fn read_outputs(trial: &mut Trial<'_>) -> DeviceResult<OutputBytes> {
    let (images, between) = read_back(trial)?;
    // An input that the binding has converted is compared with the converted values.
    let sent = trial.placed.iter().map(|placed| placed.sent.as_ref());
    let sent: Vec<Option<Vec<u8>>> = sent.map(|sent| sent.map(Data::bytes)).collect();
    let buffers: Vec<BufferAfter<'_>> = trial
        .all()
        .zip(images.iter().zip(&sent))
        .filter(|((_, placed), _)| placed.address.is_some())
        .map(|((tensor, placed), (image, sent))| BufferAfter {
            name: &tensor.name,
            kind: tensor.kind,
            axes: &tensor.axes,
            image,
            guards: placed.guards,
            unchanged: match tensor.role {
                Role::Input => sent.as_deref().or_else(|| tensor.bytes()),
                Role::Written | Role::Updated => None,
            },
        })
        .collect();
    // An overwritten guard goes before overwritten bytes between rows, and these before a changed input.
    let problem = match judge_buffers(&buffers) {
        Some(guard @ Problem::GuardOverwritten { .. }) => Some(guard),
        other => between.or(other),
    };
    let output = |check: &Check| {
        let at = check.buffer.tensor;
        let size = trial.tensor(at).kind.size();
        let payload = guards::payload(&images[at], trial.placed[at].guards);
        payload[check.buffer.first * size..][..check.buffer.count * size].to_vec()
    };
    let outputs = trial.prepared.checks.iter().map(output).collect();
    Ok(OutputBytes { problem, outputs })
}

/// Judges a trial whose launches are all done. With `hypotheses`, a problem names the mistakes that explain it.
pub(super) fn judge(
    trial: &mut Trial<'_>,
    test: &Test,
    hypotheses: bool,
) -> DeviceResult<Judgement> {
    let left = read_outputs(trial)?;
    let mut judged = Judgement {
        verdict: Verdict::Pass,
        problem: left.problem,
        outputs: Vec::new(),
        error: find_unchecked(trial, test).map(|error| error.to_string()),
        images: left.outputs,
    };
    let mut skipped = None;
    for (check, got) in trial.prepared.checks.iter().zip(&judged.images) {
        let kind = trial.tensor(check.buffer.tensor).kind;
        match with_element!(kind, E => judge_output::<E>(trial, (test, hypotheses), check, &decode(got)))
        {
            Ok(report) => judged.outputs.push(report),
            Err(error @ TrialError::TooFew { .. }) => {
                skipped.get_or_insert_with(|| error.to_string());
            }
            Err(error) => {
                judged.error.get_or_insert_with(|| error.to_string());
            }
        }
    }
    if hypotheses {
        drop_contradicted(trial, test, &mut judged.outputs);
    }
    let failed = judged.problem.is_some()
        || judged
            .outputs
            .iter()
            .any(|output| output.verdict != Verdict::Pass);
    judged.verdict = match (&judged.error, failed) {
        (Some(_), _) => Verdict::Error,
        (None, true) => Verdict::Fail,
        (None, false) if skipped.is_some() => Verdict::Skip,
        (None, false) => Verdict::Pass,
    };
    if judged.verdict == Verdict::Skip {
        judged.error = skipped;
    }
    Ok(judged)
}

/// Removes the contract's mistakes that explain a wrong output and would make wrong what another output has right. A mistake that several
/// outputs share has the same words for all of them.
fn drop_contradicted(trial: &Trial<'_>, test: &Test, outputs: &mut [OutputReport]) {
    let problems = outputs
        .iter_mut()
        .filter_map(|output| output.problem.as_mut());
    let supposed = problems.filter_map(hypotheses_of).flatten();
    let supposed: Vec<String> = supposed.map(|one| one.explanation.clone()).collect();
    if supposed.is_empty() {
        return;
    }
    let right = outputs
        .iter()
        .filter(|output| output.verdict == Verdict::Pass);
    let right: Vec<&str> = right.map(|output| output.name.as_str()).collect();
    let checks = trial.prepared.checks.iter();
    let checks = checks.filter(|check| right.contains(&check.name.as_str()));
    let is_contradicted = |check: &Check, values: &[f64]| {
        let kind = trial.tensor(check.buffer.tensor).kind;
        let judged = with_element!(kind, E => {
            let got: Vec<E> = values.iter().map(|value| E::nearest(*value)).collect();
            judge_output::<E>(trial, (test, false), check, &got)
        });
        judged.is_ok_and(|report| report.verdict != Verdict::Pass)
    };
    let contradicted: Vec<&str> = checks
        .flat_map(|check| check.mistakes.iter().map(move |mistake| (check, mistake)))
        .filter(|(_, mistake)| supposed.iter().any(|one| *one == mistake.explanation))
        .filter(|(check, mistake)| is_contradicted(check, mistake.values()))
        .map(|(_, mistake)| &*mistake.explanation)
        .collect();
    let problems = outputs
        .iter_mut()
        .filter_map(|output| output.problem.as_mut());
    for hypotheses in problems.filter_map(hypotheses_of) {
        hypotheses.retain(|one| !contradicted.contains(&one.explanation.as_str()));
    }
}

fn hypotheses_of(problem: &mut Problem) -> Option<&mut Vec<Hypothesis>> {
    match problem {
        Problem::Mismatch { hypotheses, .. } | Problem::NonFinite { hypotheses, .. } => {
            Some(hypotheses)
        }
        _ => None,
    }
}

/// Returns the bytes of every tensor with its guards, empty for tensors that are not on the device, and the problem of the first tensor
/// that has a write between its rows.
fn read_back(trial: &mut Trial<'_>) -> DeviceResult<(Vec<Vec<u8>>, Option<Problem>)> {
    let mut images = Vec::with_capacity(trial.placed.len());
    let mut problem = None;
    for at in 0..trial.placed.len() {
        let (tensor, placed) = (trial.tensor(at), &trial.placed[at]);
        let Some(address) = placed.address else {
            images.push(Vec::new());
            continue;
        };
        let guards = placed.guards;
        let size = tensor.kind.size();
        let layout = placed.layout.clone();
        let element_count = layout
            .as_ref()
            .map_or(tensor.count(), |layout| layout.count);
        let mut image = vec![0; guards.before + element_count * size + guards.after];
        trial
            .session
            .download(address - guards.before as u64, &mut image)?;
        if let Some(layout) = &layout {
            // The output is rearranged into the contract's order, between the guards as they were found.
            let (before, rest) = image.split_at(guards.before);
            let (rows, after) = rest.split_at(element_count * size);
            problem = problem.or_else(|| {
                let tensor = trial.tensor(at);
                check_between(&tensor.name, rows, tensor.kind, &layout.between())
            });
            image = [before, &layout.gather(rows, size), after].concat();
        }
        images.push(image);
    }
    Ok((images, problem))
}

/// Returns an error for an output with a tolerance in the registry that the contract does not check.
fn find_unchecked(trial: &Trial<'_>, test: &Test) -> Option<TrialError> {
    let checked = |name: &str| trial.prepared.checks.iter().any(|check| check.name == name);
    let name = test.outputs.keys().find(|name| !checked(name))?;
    Some(TrialError::Unchecked {
        output: name.clone(),
        function: test.function.name,
    })
}

fn judge_output<E: Element>(
    trial: &Trial<'_>,
    (test, hypotheses): (&Test, bool),
    check: &Check,
    got: &[E],
) -> Result<OutputReport, TrialError> {
    let tolerance = trial.bound_tolerance(check, &tolerance(test, check)?);
    let tensors = trial.all().map(|(tensor, _)| tensor);
    let owner = |index: &[usize]| owner(trial, check, index);
    judge_values(tensors, check, &tolerance, (Some(&owner), hypotheses), got)
}

/// Returns the tolerance for an output: the registry's, or the rounding that the contract knows of the case if that is more.
pub(super) fn tolerance(test: &Test, check: &Check) -> Result<Tolerance, TrialError> {
    let judged = test.outputs.get(&check.name);
    let judged = judged.map(|judged| judged.tolerance.with_rounding(check.rounding));
    judged.ok_or_else(|| TrialError::NoTolerance(check.name.clone()))
}

/// Judges the values of an output, among the tensors of its trial. With `hypotheses`, a problem names the mistakes that explain it.
pub(super) fn judge_values<'t, E: Element>(
    tensors: impl Iterator<Item = &'t Tensor>,
    check: &Check,
    tolerance: &Tolerance,
    (owner, hypotheses): (Option<&OwnerOf<'_>>, bool),
    got: &[E],
) -> Result<OutputReport, TrialError> {
    // A tensor that is updated in place and keeps its initial values is an echo, too.
    let echo = |(at, input)| echo(check, at, input);
    let echoes: Vec<(&Tensor, Vec<E>)> = tensors.enumerate().filter_map(echo).collect();
    let inputs: Vec<NamedInput<'_, E>> = echoes
        .iter()
        .map(|(input, values)| NamedInput {
            name: &input.name,
            values,
            converted: input.kind != E::KIND,
        })
        .collect();
    let golden = check.golden.elements();
    let values: Vec<_> = check
        .mistakes
        .iter()
        .map(|mistake| || mistake.values().to_vec())
        .collect();
    let alternatives: Vec<Alternative<'_>> = check
        .mistakes
        .iter()
        .zip(&values)
        .map(|(mistake, values)| Alternative {
            name: mistake.name,
            explanation: &mistake.explanation,
            values,
        })
        .collect();
    let case = OutputCase {
        name: &check.name,
        axes: &check.axes,
        tolerance,
        got,
        golden: &golden,
        oracle: &check.oracle,
        inputs: &inputs,
        alternatives: hypotheses.then_some(&alternatives),
        owner,
    };
    let made = check.limits.get_or_init(|| OutputLimits::of(&case));
    let limits = made.as_ref().map_err(Clone::clone)?;
    let report = judge_by(&case, limits)?;
    let trivial = check.trivial.get_or_init(|| {
        let accepted = accepted_trivially_by(&case, limits);
        let tells = |what: &String| !check.uncomputed || what == POISON_LEFT;
        accepted.into_iter().find(tells)
    });
    if let Some(trivial) = trivial.as_ref().filter(|_| check.few) {
        // A wrong kernel is a failure all the same.
        return match report.verdict {
            Verdict::Pass => Err(TrialError::TooFew {
                output: check.name.clone(),
                count: check.buffer.count,
                trivial: trivial.clone(),
            }),
            _ => Ok(report),
        };
    }
    if let Some(trivial) = trivial {
        return Err(TrialError::TrivialPasses {
            output: check.name.clone(),
            trivial: trivial.clone(),
        });
    }
    Ok(report)
}

/// Returns the values that a kernel might copy into an output: an input of the same length, or the initial values of a
/// tensor that is updated in place.
fn echo<'t, E: Element>(
    check: &Check,
    at: usize,
    input: &'t Tensor,
) -> Option<(&'t Tensor, Vec<E>)> {
    let values = || Some(input.data.as_ref()?.elements::<E>());
    if at == check.buffer.tensor {
        let held = values()?;
        let part = held.get(check.buffer.first..)?.get(..check.buffer.count)?;
        return Some((input, part.to_vec()));
    }
    let alike = input.role == Role::Input && input.count() == check.buffer.count;
    alike.then(values).flatten().map(|values| (input, values))
}

/// Returns the work-item that should have written an element, in the last launch that writes it.
fn owner(trial: &Trial<'_>, check: &Check, index: &[usize]) -> Option<Owner> {
    let places = check.axes.iter().zip(index);
    let within = places.fold(0, |flat, (axis, at)| flat * axis.length + at);
    let flat = check.buffer.first + within;
    let name = &trial.tensor(check.buffer.tensor).name;
    let binding = trial.bound.binding;
    let launches = trial.launches.iter().enumerate().rev();
    let mut owners = launches.filter_map(|(number, launch)| {
        let item = binding.owner(trial.values, &trial.shapes, &launch.call, name, flat)?;
        let block = launch.report.block;
        let of = |f: fn(u32, u32) -> u32| std::array::from_fn(|axis| f(item[axis], block[axis]));
        Some(Owner {
            launch: number,
            work_group: of(|item, block| item / block),
            work_item: of(|item, block| item % block),
        })
    });
    owners.next()
}

impl Trial<'_> {
    /// Adds the launches made to a report.
    pub(super) fn describe_launches(&self, report: &mut TrialReport) {
        report.launches = self
            .launches
            .iter()
            .map(|launch| launch.report.clone())
            .collect();
        let counted = report
            .launches
            .iter()
            .map(|launch| launch.wave_instructions);
        report.wave_instructions = counted.sum();
        report.findings = self.session.findings().to_vec();
    }
}
