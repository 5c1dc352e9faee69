//! Operations: an output that is right but for an input that is added to it, or that another operation makes of two inputs, or of an input in
//! the place of another.

use crate::report::model::CauseReport;
use crate::tensor::Axis;
use crate::trial::{Changes, Experiment, ExperimentInput, ExperimentOutput, Outputs};

use super::candidate::{is_confirmed, responds};
use super::weigh::{Explanation, explanation};

/// An operation on two values, with the kind of the cause and the words for it.
type Words = (&'static str, &'static str, fn(f64, f64) -> f64);

/// Operations on the right values and an input.
const ON_OUTPUT: [Words; 4] = [
    ("function", "is copied to", |_, x| x),
    ("operation", "is added to", |right, x| right + x),
    ("operation", "is subtracted from", |right, x| right - x),
    ("operation", "is multiplied with", |right, x| right * x),
];

/// Operations on two inputs.
#[rustfmt::skip]
const ON_INPUTS: [Words; 7] = [
    ("operation", "sum", |a, b| a + b),
    ("operation", "difference", |a, b| a - b),
    ("operation", "product", |a, b| a * b),
    ("operation", "quotient", |a, b| a / b),
    ("operation", "maximum", f64::max),
    ("operation", "minimum", f64::min),
    ("operation", "negative difference", |a, b| b - a),
];

/// A wrong operation that makes one output. The numbers are those of outputs and inputs of the experiment.
enum Operation {
    OnOutput(usize, usize, Words),
    OnInputs(usize, [usize; 2], Words),
    /// The second input is used in the place of the first.
    InPlaceOf([usize; 2]),
    /// Each of two inputs is used in the place of the other.
    Exchanged([usize; 2]),
}

impl Operation {
    fn predict(&self, experiment: &Experiment<'_>) -> Option<Outputs> {
        let right = experiment.outputs().iter();
        let mut outputs: Outputs = right.map(|output| output.expected.clone()).collect();
        let values = |input: usize| &experiment.inputs()[input].values;
        let combined = |a: &[f64], b: &[f64], f: fn(f64, f64) -> f64| -> Vec<f64> {
            a.iter().zip(b).map(|(a, b)| f(*a, *b)).collect()
        };
        match self {
            Operation::OnOutput(output, input, (_, _, f)) => {
                outputs[*output] = combined(&outputs[*output], values(*input), *f);
            }
            Operation::OnInputs(output, [a, b], (_, _, f)) => {
                outputs[*output] = combined(values(*a), values(*b), *f);
            }
            Operation::InPlaceOf([a, b]) | Operation::Exchanged([a, b]) => {
                let name = |input: usize| experiment.inputs()[input].name.clone();
                let mut changes = Changes::from([(name(*a), values(*b).to_vec())]);
                if let Operation::Exchanged(_) = self {
                    changes.insert(name(*b), values(*a).to_vec());
                }
                return experiment.predict(&changes);
            }
        }
        Some(outputs)
    }

    fn explained(&self, experiment: &Experiment<'_>) -> Option<Explanation> {
        explanation(experiment, &self.predict(experiment)?)
    }

    /// Returns true for a tensor that stays as it was. It may do so in a part.
    fn is_left(&self, experiment: &Experiment<'_>) -> bool {
        match self {
            Operation::OnOutput(output, input, ("function", ..)) => {
                experiment.inputs()[*input].tensor == experiment.outputs()[*output].name
            }
            _ => false,
        }
    }

    fn cause(&self, experiment: &Experiment<'_>, found: Explanation) -> CauseReport {
        let name = |input: usize| &experiment.inputs()[input].tensor;
        let part = found.part.as_ref();
        let part = part.map_or_else(String::new, |part| format!(" {part}"));
        let (kind, output, input, text) = match self {
            Operation::InPlaceOf([a, b]) => {
                let (a, b) = (name(*a), name(*b));
                let text = format!("`{b}` is used in the place of `{a}`");
                ("operation", None, a, text)
            }
            Operation::Exchanged([a, b]) => {
                let (a, b) = (name(*a), name(*b));
                let text = format!("`{a}` and `{b}` are exchanged");
                ("operation", None, a, text)
            }
            Operation::OnOutput(output, input, (kind, words, _)) => {
                let name = name(*input);
                let output = &experiment.outputs()[*output].name;
                match self.is_left(experiment) {
                    true => (
                        "step",
                        Some(output),
                        name,
                        format!("`{output}` stays as it was{part}"),
                    ),
                    false => (
                        *kind,
                        Some(output),
                        name,
                        format!("`{name}` {words} `{output}`"),
                    ),
                }
            }
            Operation::OnInputs(output, [a, b], (kind, words, _)) => {
                let (a, b) = (name(*a), name(*b));
                let output = &experiment.outputs()[*output].name;
                (
                    *kind,
                    Some(output),
                    b,
                    format!("`{output}` is the {words} of `{a}` and `{b}`"),
                )
            }
        };
        CauseReport {
            kind: kind.into(),
            output: output.cloned(),
            tensor: Some(input.clone()),
            kernel: None,
            text,
            explains: Some(found.elements),
        }
    }
}

/// Returns the first operation that explains the wrong elements.
pub(super) fn find(experiment: &Experiment<'_>) -> Option<CauseReport> {
    operations(experiment).into_iter().find_map(|operation| {
        let found = operation.explained(experiment)?;
        let explained = |other: &Experiment<'_>| operation.explained(other).is_some();
        let whole = found.part.is_none() || operation.is_left(experiment);
        let whole = whole && found.elements.right == found.elements.wrong;
        (whole && is_confirmed(experiment, "", explained))
            .then(|| operation.cause(experiment, found))
    })
}

fn operations(experiment: &Experiment<'_>) -> Vec<Operation> {
    let mut all = Vec::new();
    let inputs = experiment.inputs();
    let pairs = (0..inputs.len()).flat_map(|a| (a + 1..inputs.len()).map(move |b| [a, b]));
    let used = inputs.iter().map(|input| responds(experiment, input));
    let used: Vec<bool> = used.collect();
    let alike = |&[a, b]: &[usize; 2]| {
        let (one, other) = (&inputs[a], &inputs[b]);
        lengths(&one.axes) == lengths(&other.axes) && one.kind == other.kind && used[a] && used[b]
    };
    for [a, b] in pairs.filter(alike) {
        let in_place_of = [[a, b], [b, a]].map(Operation::InPlaceOf);
        all.extend(
            in_place_of
                .into_iter()
                .chain([Operation::Exchanged([a, b])]),
        );
    }
    for (number, output) in experiment.outputs().iter().enumerate() {
        let inputs = experiment.inputs().iter().enumerate();
        let fits = inputs.filter(|(_, input)| has_shape_of(input, output));
        let fits: Vec<usize> = fits.map(|(input, _)| input).collect();
        // A copy is simpler than a sum.
        for f in ON_OUTPUT {
            all.extend(fits.iter().map(|&a| Operation::OnOutput(number, a, f)));
        }
        for &a in &fits {
            for &b in fits.iter().filter(|&&b| b > a) {
                all.extend(ON_INPUTS.map(|f| Operation::OnInputs(number, [a, b], f)));
            }
        }
    }
    all
}

fn has_shape_of(input: &ExperimentInput, output: &ExperimentOutput) -> bool {
    lengths(&input.axes) == lengths(&output.axes)
}

fn lengths(axes: &[Axis]) -> Vec<usize> {
    axes.iter().map(|axis| axis.length).collect()
}
