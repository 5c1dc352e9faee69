//! Properties of the wrong outputs themselves: steps that are too small for a narrow type, values that overflow.

use half::{bf16, f16};

use crate::report::model::{CauseReport, OriginReport};
use crate::tensor::ElementKind;
use crate::trial::{Changes, Experiment, ExperimentInput, ExperimentOutput};

use super::candidate::responds;
use super::factors::words;
use super::weigh::spacing;

/// Powers of 2 on an input that may keep a value from overflowing.
const SMALLER: [i32; 9] = [-1, -2, -4, -6, -8, -12, -16, -24, -48];

fn is_input(experiment: &Experiment<'_>, tensor: &str) -> bool {
    let mut inputs = experiment.inputs().iter().chain(experiment.data());
    inputs.any(|input| input.tensor == tensor)
}

/// Returns the instruction that made the first value that is not finite as a cause, where no experiment finds another. If an input held the
/// value, the cause is that the kernels use it where the contract does not.
pub(super) fn non_finite(
    experiment: &Experiment<'_>,
    origins: &[OriginReport],
) -> Option<CauseReport> {
    let first = origins.last()?;
    let outputs = experiment.outputs().iter();
    let outputs = outputs.filter(|output| output.overflows());
    let outputs: Vec<String> = outputs.map(|output| format!("`{}`", output.name)).collect();
    let outputs = outputs.join(" and ");
    let (kind, text) = match &first.tensor {
        None => (
            "non-finite",
            format!(
                "a value on the way to {outputs} is not finite: {}",
                first.text
            ),
        ),
        Some(tensor) if !is_input(experiment, tensor) => (
            "non-finite",
            format!(
                "`{tensor}` is read where no launch has written a number: {}",
                first.text
            ),
        ),
        // The contract uses the value, too. The kernels make no number of it.
        Some(tensor) if depends_on_non_finite(experiment, tensor)? => {
            let made = origins.iter().find(|origin| origin.tensor.is_none())?;
            (
                "non-finite",
                format!(
                    "the result of a value of `{tensor}` that is not finite is wrong: {}",
                    made.text
                ),
            )
        }
        Some(tensor) => (
            "index",
            format!(
                "an element of `{tensor}` that is not finite is used where the result is finite: {}",
                first.text
            ),
        ),
    };
    Some(CauseReport {
        kind: kind.into(),
        output: None,
        tensor: first.tensor.clone(),
        kernel: None,
        text: format!("{text}; {}", first.place),
        explains: None,
    })
}

/// Returns true if right values where the kernels left an infinity or no number depend on elements of an input that are not finite.
fn depends_on_non_finite(experiment: &Experiment<'_>, tensor: &str) -> Option<bool> {
    let mut inputs = experiment.inputs().iter();
    let input = inputs.find(|input| input.tensor == tensor)?;
    let finite = |value: &f64| if value.is_finite() { *value } else { 0.5 };
    let changed: Vec<f64> = input.values.iter().map(finite).collect();
    let changes = Changes::from([(input.name.clone(), changed)]);
    let predicted = experiment.predict(&changes)?;
    let mut outputs = experiment.outputs().iter().zip(&predicted);
    Some(outputs.any(|(output, predicted)| {
        let pairs = output.expected.iter().zip(predicted);
        let mut pairs = output.got.iter().zip(pairs);
        pairs.any(|(got, (expected, predicted))| {
            !got.is_finite() && expected.is_finite() && expected != predicted
        })
    }))
}

/// Returns a cause if the values of a narrow output are cut off towards zero, and not rounded to the nearest.
pub(super) fn cut_off(experiment: &Experiment<'_>) -> Option<CauseReport> {
    const MOST: f64 = 0.95;
    const FEWEST: f64 = 0.25;
    let mut outputs = experiment.outputs().iter();
    let output = outputs.find(|output| {
        let narrow = matches!(output.kind, ElementKind::Bf16 | ElementKind::F16);
        let pairs = output.got.iter().zip(&output.expected);
        let pairs = pairs.map(|(got, expected)| (*got, output.kind.rounded(*expected)));
        // Half of the numbers are the same, cut off or rounded. Others differ by a place, towards zero.
        let telling = pairs.filter(|(got, nearest)| got != nearest);
        let telling: Vec<bool> = telling
            .map(|(got, nearest)| {
                let error = (got - nearest).abs();
                got.abs() < nearest.abs() && error <= spacing(output.kind) * nearest.abs()
            })
            .collect();
        let smaller = telling.iter().filter(|smaller| **smaller).count() as f64;
        let enough = telling.len() >= 32 && smaller >= FEWEST * output.got.len() as f64;
        narrow && enough && smaller >= MOST * telling.len() as f64
    })?;
    let kind = output.kind.name();
    Some(CauseReport {
        kind: "rounded".into(),
        output: Some(output.name.clone()),
        tensor: None,
        kernel: None,
        text: format!(
            "`{}` is cut off to {kind}, and not rounded to the nearest",
            output.name
        ),
        explains: None,
    })
}

/// Returns a cause if the kernels do not answer a small step of an input that f32 would show.
pub(super) fn coarse(experiment: &Experiment<'_>) -> Option<CauseReport> {
    let inputs = experiment.inputs().iter();
    let inputs = inputs.filter(|input| input.kind.size() >= 4 && responds(experiment, input));
    let mut causes = inputs.filter_map(|input| coarse_input(experiment, input));
    causes.next()
}

fn coarse_input(experiment: &Experiment<'_>, input: &ExperimentInput) -> Option<CauseReport> {
    if !experiment.outputs().iter().all(is_close) {
        return None;
    }
    // A value that is never read answers no step at all.
    let large = steps(experiment, input, LARGE)?;
    let mut seen: Vec<Vec<Step>> = Vec::new();
    for power in STEPS {
        let steps = steps(experiment, input, 2f64.powi(power))?;
        // Where a mistake makes the kernels' response small, they may well be silent.
        let scale = 2f64.powi(power) / LARGE;
        let answers = steps.into_iter().zip(&large);
        let answers =
            answers.filter(|(_, large)| large.is_some_and(|large| large.moved * scale > VISIBLE));
        seen.push(answers.filter_map(|(step, _)| step).collect());
    }
    let silent = |steps: &mut dyn Iterator<Item = &Step>| -> Option<f64> {
        let steps: Vec<&Step> = steps.collect();
        let silent = steps.iter().filter(|step| step.silent).count();
        (steps.len() >= 3).then_some(silent as f64 / steps.len() as f64)
    };
    if silent(&mut seen[0].iter())? < 0.5 {
        return None;
    }
    // An f16 number answers a change of 2^-10, which is at least its spacing. A bf16 number may not, and neither may the sum of an f16
    // number and others.
    let mut large = seen
        .iter()
        .flatten()
        .filter(|step| step.change >= 2f64.powi(-10));
    let kind = match silent(&mut large)? > 0.01 {
        true => "bf16 or f16",
        false => ElementKind::F16.name(),
    };
    Some(CauseReport {
        kind: "rounded".into(),
        output: None,
        tensor: Some(input.tensor.clone()),
        kernel: None,
        text: format!(
            "steps of `{}` that f32 shows change nothing: a value on its way is rounded to {kind}",
            input.tensor
        ),
        explains: None,
    })
}

/// A step that every value that is read answers, as a share of the input's values.
const LARGE: f64 = 0.5;

/// The share of a value by which it must change for f32 to show it.
const VISIBLE: f64 = 1.0 / (1 << 19) as f64;

/// The steps that an input makes, as powers of 2 of its values.
const STEPS: [i32; 6] = [-15, -13, -11, -10, -9, -8];

/// The answer of an element to a step of an input.
#[derive(Clone, Copy)]
struct Step {
    /// The change of the right value, as a share of it.
    change: f64,
    /// The change of the kernels' value, as a share of it.
    moved: f64,
    /// True if the kernels' value does not change.
    silent: bool,
}

/// Returns the answer of each element of each wide output if an input grows by a share of its values. Returns none for an element if the
/// right value changes by less than its type shows.
fn steps(
    experiment: &Experiment<'_>,
    input: &ExperimentInput,
    share: f64,
) -> Option<Vec<Option<Step>>> {
    let changes = scaled(input, 1.0 + share);
    let (left, predicted) = (experiment.run(&changes)?, experiment.predict(&changes)?);
    let outputs = experiment.outputs().iter().zip(left.iter().zip(&predicted));
    let wide = outputs.filter(|(output, _)| output.kind.size() >= 4);
    let steps = wide.flat_map(|(output, (left, predicted))| {
        (0..output.got.len()).map(move |at| {
            let (got, expected) = (output.got[at], output.expected[at]);
            let change = ((expected - predicted[at]) / expected).abs();
            let visible = change > 16.0 * spacing(output.kind);
            (output.wrong[at] && got.is_finite() && visible).then_some(Step {
                change,
                moved: ((got - left[at]) / got).abs(),
                silent: got == left[at],
            })
        })
    });
    Some(steps.collect())
}

/// Returns true if the errors of an output are as small as roundings to a narrow type make them.
fn is_close(output: &ExperimentOutput) -> bool {
    const SHARE: f64 = 0.1;
    let pairs = output.got.iter().zip(&output.expected);
    let pairs = pairs.filter(|(got, expected)| got.is_finite() && expected.is_finite());
    let sums = pairs.fold((0.0, 0.0), |(errors, values), (got, expected)| {
        (errors + (got - expected).powi(2), values + expected.powi(2))
    });
    sums.0 <= SHARE * SHARE * sums.1
}

/// Returns an input with all values multiplied.
pub(super) fn scaled(input: &ExperimentInput, factor: f64) -> Changes {
    let changed: Vec<f64> = input.values.iter().map(|value| value * factor).collect();
    Changes::from([(input.name.clone(), changed)])
}

/// Returns a cause if values that are infinite or no number become right for smaller values of an input.
pub(super) fn overflow(experiment: &Experiment<'_>) -> Option<CauseReport> {
    let mut outputs = experiment.outputs().iter();
    let output = outputs.find(|output| output.overflows())?;
    if let Some(cause) = too_narrow(output) {
        return Some(cause);
    }
    let inputs = experiment.inputs().iter();
    let inputs: Vec<&ExperimentInput> =
        inputs.filter(|input| responds(experiment, input)).collect();
    // One input alone tells more than all of them.
    let singles = inputs.iter().map(|input| vec![*input]);
    let sets: Vec<Vec<&ExperimentInput>> = singles.chain([inputs.clone()]).collect();
    let (set, power) = sets.iter().find_map(|set| {
        // The first power with which nothing overflows must make the result right: with tiny inputs, many mistakes do not show.
        let mut powers = SMALLER.into_iter();
        let (power, right) = powers.find_map(|power| {
            let changes = set.iter().flat_map(|input| scaled(input, 2f64.powi(power)));
            let smaller = experiment.changed(changes.collect())?;
            let mut outputs = smaller.outputs().iter();
            let overflows = outputs.any(ExperimentOutput::overflows);
            (!overflows).then(|| (power, is_right(&smaller)))
        })?;
        right.then_some((set, power))
    })?;
    // A root or a logarithm of a negative number is no overflow.
    let origins = experiment.origins();
    let first = origins.last();
    if first.is_some_and(|first| first.value == "NaN" && first.tensor.is_none()) {
        return None;
    }
    let (input, subject) = match set.as_slice() {
        [input] => (Some(input.tensor.clone()), format!("`{}`", input.tensor)),
        _ => (None, "the inputs".into()),
    };
    let made = first.filter(|first| first.tensor.is_none());
    let made = made.map_or(String::new(), |made| format!("; {}", made.text));
    Some(CauseReport {
        kind: "overflow".into(),
        output: Some(output.name.clone()),
        tensor: input,
        kernel: None,
        text: format!(
            "a value on the way from {subject} to `{}` overflows: with {subject} times 2^{power} the result is right{made}",
            output.name
        ),
        explains: None,
    })
}

/// Returns a cause if the right values are beyond the largest number of the output's type wherever the kernels left an infinity.
fn too_narrow(output: &ExperimentOutput) -> Option<CauseReport> {
    let pairs = output.got.iter().zip(&output.expected);
    let overflown = pairs.filter(|(got, expected)| !got.is_finite() && expected.is_finite());
    // Right values of a narrow type end at its largest number.
    let largest = match output.kind {
        ElementKind::F16 => f16::MAX.to_f64(),
        ElementKind::Bf16 => bf16::MAX.to_f64(),
        _ => return None,
    };
    let beyond = |&(got, expected): &(&f64, &f64)| got.is_infinite() && expected.abs() >= largest;
    let overflown: Vec<_> = overflown.collect();
    if overflown.is_empty() || !overflown.iter().all(beyond) {
        return None;
    }
    let kind = output.kind.name();
    Some(CauseReport {
        kind: "overflow".into(),
        output: Some(output.name.clone()),
        tensor: None,
        kernel: None,
        text: format!(
            "`{}` is {kind}, and right values are beyond the largest {kind} number, {}",
            output.name,
            words(largest)
        ),
        explains: None,
    })
}

/// Returns true if no element is wrong.
pub(super) fn is_right(experiment: &Experiment<'_>) -> bool {
    let mut outputs = experiment.outputs().iter();
    outputs.all(|output| !output.wrong.contains(&true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::Axis;

    /// Returns an output with one infinity, where the right value is this one.
    fn with_infinity(kind: ElementKind, right: f64) -> ExperimentOutput {
        ExperimentOutput {
            name: "o".into(),
            axes: vec![Axis {
                name: "token".into(),
                length: 3,
            }],
            kind,
            expected: vec![1.0, right, 2.0],
            got: vec![1.0, f64::INFINITY, 2.0],
            allowed: vec![1e-3; 3],
            wrong: vec![false, true, false],
        }
    }

    #[test]
    fn a_type_is_too_narrow_only_where_the_right_value_is_beyond_its_largest_number() {
        let text = |kind, right| Some(too_narrow(&with_infinity(kind, right))?.text);
        let found = text(ElementKind::F16, 7e4).expect("a cause");
        assert!(found.contains("beyond the largest f16 number"), "{found}");
        assert!(text(ElementKind::Bf16, 3.4e38).is_some());
        // A value on the way overflowed, and the result would have fitted.
        assert_eq!(text(ElementKind::F16, 6e4), None);
        assert_eq!(text(ElementKind::F32, 7e4), None);
    }

    #[test]
    fn an_infinity_overflows_only_where_it_is_wrong() {
        let mut output = with_infinity(ElementKind::F16, 7e4);
        assert!(output.overflows());
        output.wrong[1] = false;
        assert!(!output.overflows());
    }
}
