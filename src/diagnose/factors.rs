//! Factors of outputs: one number by which all elements are off, or one for each row, and what the number is.

use std::f64::consts::{LN_2, LN_10, LOG2_E, LOG10_E};

use crate::report::model::CauseReport;
use crate::tensor::ElementKind;
use crate::trial::{Changes, Experiment, ExperimentInput, ExperimentOutput, Outputs};

use super::influence::left_out;
use super::last_steps::fits;
use super::observe::is_right;
use super::weigh::{explanation, plural, spacing};

/// Returns a cause if the rows of an output are the reference's times a factor of each row, in this draw and in others.
pub(super) fn row_factors(experiment: &Experiment<'_>) -> Option<CauseReport> {
    let seed = experiment.seed();
    let draws = [1, 2].map(|step| experiment.redrawn(seed.wrapping_add(step)));
    for (number, output) in experiment.outputs().iter().enumerate() {
        let summands = experiment.inputs().iter();
        let summands = summands.filter(|input| is_summand(experiment, input, number));
        let summands: Vec<Option<&str>> = [None]
            .into_iter()
            .chain(summands.map(|input| Some(input.name.as_str())))
            .collect();
        let Some((summand, of_rows, found)) = summands.into_iter().find_map(|summand| {
            let of_rows = factors(output, &offsets(experiment, number, summand))?;
            let scaled = scaled_rows(experiment, number, &of_rows, summand);
            Some((summand, of_rows, explanation(experiment, &scaled)?))
        }) else {
            continue;
        };
        let mut factors = wrong_rows(output, of_rows);
        for draw in draws.iter().flatten() {
            let output = &draw.outputs()[number];
            let of_rows = self::factors(output, &offsets(draw, number, summand))?;
            factors.extend(wrong_rows(output, of_rows));
        }
        let smallest = factors.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = factors.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // The factors of rows of a narrow type differ by the roundings of its elements.
        let share = spacing(output.kind).max(1e-3);
        let mean = factors.iter().sum::<f64>() / factors.len() as f64;
        let range = largest - smallest;
        // Roundings on the way give each row a factor near 1.
        let is_rounding = range > (mean - 1.0).abs();
        let same = range < share * largest.abs().max(smallest.abs()) && !is_rounding;
        // Short rows have one factor together, and another one for each draw would be no row's.
        let is_together = columns(output).is_some_and(|columns| columns < COLUMNS);
        // A factor that is 1 in print is a rounding, and no factor.
        if factors.is_empty()
            || is_together && !same
            || [smallest, largest]
                .iter()
                .all(|&end| words(end) == words(1.0))
        {
            continue;
        }
        let name = &output.name;
        let less = |summand: &str| format!(" less `{summand}`");
        let less = summand.map_or_else(String::new, less);
        let text = match same {
            true => format!(
                "`{name}`{less} is {} times the reference{}",
                words(mean),
                origin(experiment, mean)
            ),
            false => format!(
                "each row of `{name}`{less} has a factor of its own, {} to {}: what is wrong is one number for the row, {}",
                words(smallest),
                words(largest),
                left_out(experiment, number)
                    .or_else(|| power_of_measure(experiment, number, summand))
                    .unwrap_or_else(|| "as a norm, a sum or a gate".into())
            ),
        };
        return Some(CauseReport {
            kind: if same { "scale" } else { "row-factor" }.into(),
            output: Some(name.clone()),
            tensor: None,
            kernel: None,
            text,
            explains: Some(found.elements),
        });
    }
    None
}

/// Powers of a row's norm by which a row may be off, and their words.
const POWERS: [(f64, &str); 6] = [
    (-1.0, "1 / "),
    (-2.0, "1 / the square of "),
    (-0.5, "1 / the root of "),
    (1.0, ""),
    (2.0, "the square of "),
    (0.5, "the root of "),
];

/// The ratio of the longest row to the shortest from which the rows tell a power, and the fewest rows that do.
const UNLIKE: f64 = 1.1;
const FEWEST_ROWS: usize = 3;

/// Returns the power of a measure of an input's rows, such as their norm, that the factors of an output's rows are, up to a number that they share.
fn power_of_measure(
    experiment: &Experiment<'_>,
    number: usize,
    summand: Option<&str>,
) -> Option<String> {
    let output = &experiment.outputs()[number];
    let of_rows = factors(output, &offsets(experiment, number, summand))?;
    let rows = of_rows.len();
    let share = (4.0 * spacing(output.kind)).max(SAME_FACTOR);
    let wrong: Vec<bool> = output
        .wrong
        .chunks(output.wrong.len() / rows)
        .map(|wrong| wrong.contains(&true))
        .collect();
    experiment.inputs().iter().find_map(|input| {
        let length = input.axes.last()?.length;
        if length < COLUMNS || input.values.len() != rows * length {
            return None;
        }
        let measures = measures(experiment, input, length);
        measures.into_iter().find_map(|(measured, of)| {
            let pairs = measured.iter().zip(&of_rows).zip(&wrong);
            let pairs = pairs.filter(|((measure, _), wrong)| **measure > 0.0 && **wrong);
            let pairs: Vec<(f64, f64)> = pairs.map(|((a, b), _)| (*a, *b)).collect();
            let ratio = |of: &dyn Fn(&(f64, f64)) -> f64| {
                let ends = pairs.iter().map(of);
                let (least, largest) = ends.fold((f64::INFINITY, 0.0f64), |(least, largest), x| {
                    (least.min(x.abs()), largest.max(x.abs()))
                });
                largest / least
            };
            let unlike = UNLIKE.max(1.0 + 8.0 * share);
            if pairs.len() < FEWEST_ROWS || ratio(&|(measure, _)| *measure) < unlike {
                return None;
            }
            let (power, words_of) = POWERS.iter().find(|(power, _)| {
                ratio(&|(measure, factor)| factor / measure.powf(*power)) < 1.0 + share
            })?;
            let (measure, factor) = pairs[0];
            let times = factor / measure.powf(*power);
            let times = match (times - 1.0).abs() < share {
                true => String::new(),
                false => format!("{} times ", words(times)),
            };
            Some(format!("which is {times}{words_of}{of}"))
        })
    })
}

/// Returns measures of the rows of an input by which a wrong norm may be off, each with its words.
fn measures(
    experiment: &Experiment<'_>,
    input: &ExperimentInput,
    length: usize,
) -> Vec<(Vec<f64>, String)> {
    let x = &input.tensor;
    let rows = || input.values.chunks(length);
    let norm = |row: &[f64]| product(row, row).sqrt();
    let over_norm = |of: &dyn Fn(&[f64]) -> f64| -> Vec<f64> {
        rows().map(|row| of(row) / norm(row)).collect()
    };
    let mut all = vec![
        (
            rows().map(norm).collect(),
            format!("the norm of its row of `{x}`"),
        ),
        (
            over_norm(&|row| row.iter().map(|x| x.abs()).sum()),
            format!("the sum of the sizes of its row of `{x}` over the norm"),
        ),
        (
            over_norm(&|row| row.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()))),
            format!("the largest size in its row of `{x}` over the norm"),
        ),
    ];
    let weights = experiment.inputs().iter();
    let weights = weights.filter(|of| of.values.len() == length && of.kind.is_float());
    all.extend(weights.map(|weights| {
        let weighted = over_norm(&|row| {
            let times = row.iter().zip(&weights.values).map(|(x, w)| x * w);
            norm(&times.collect::<Vec<f64>>())
        });
        let w = &weights.tensor;
        (
            weighted,
            format!("the norm of its row of `{x}` times `{w}` over that of `{x}`"),
        )
    }));
    all
}

/// Returns a factor in words.
pub(super) fn words(factor: f64) -> String {
    match (1e-3..1e4).contains(&factor.abs()) {
        true => format!("{factor:.4}"),
        false => format!("{factor:.2e}"),
    }
}

/// Factors between logarithms, or between exponents.
const BASES: [(f64, &str); 4] = [
    (LOG2_E, "log2(e), between the bases 2 and e"),
    (LN_2, "ln(2), between the bases e and 2"),
    (LOG10_E, "log10(e), between the bases 10 and e"),
    (LN_10, "ln(10), between the bases e and 10"),
];

/// The origin of a factor in words: the number, such as `sqrt(7)`, and what it is, such as `the root of the number of columns of `x``.
type Origin = (String, String);

/// Lengths to whose multiples a kernel may round the length of an axis up.
const STEPS_OF_LENGTHS: [usize; 6] = [4, 16, 32, 64, 128, 256];

/// Returns the origins that a factor may have: another base, or the length of an axis, its root, for the last axis of an input the root of its
/// ratio to one less, or to the length of another input's rows, or to a multiple of a tile.
fn origins_of(experiment: &Experiment<'_>, factor: f64) -> Vec<Origin> {
    let mut bases = BASES.iter();
    if let Some((_, words)) = bases.find(|(base, _)| (factor / base - 1.0).abs() < 1e-4) {
        let (number, of) = words.split_once(", ").unwrap_or((words, ""));
        return vec![(number.into(), of.into())];
    }
    let square = (factor * factor).max((factor * factor).recip());
    let side = if factor.abs() < 1.0 { "1 / " } else { "" };
    let near = |of: f64| (of - 1.0).abs() < 1e-3;
    let inputs = experiment.inputs().iter();
    let inputs = inputs.map(|input| (&input.tensor, &input.axes, true));
    let outputs = experiment.outputs().iter();
    let outputs = outputs.map(|output| (&output.name, &output.axes, false));
    let axes = inputs.chain(outputs).flat_map(|(tensor, axes, is_input)| {
        let numbered = axes.iter().enumerate();
        numbered.map(move |(at, axis)| (tensor, axis, is_input && at + 1 == axes.len()))
    });
    let padded = axes.clone().filter(|(.., is_last)| *is_last);
    let padded = padded.flat_map(|(tensor, axis, _)| {
        let (names, n) = (plural(&axis.name), axis.length);
        let steps = STEPS_OF_LENGTHS.iter().filter_map(move |step| {
            let up = n.next_multiple_of(*step);
            let is_it = n > 0 && up > n && near(square * n as f64 / up as f64);
            is_it.then_some((step, up))
        });
        steps.map(move |(step, up)| {
            let (above, below) = match factor.abs() < 1.0 {
                true => (n, up),
                false => (up, n),
            };
            let number = format!("sqrt({above} / {below})");
            let of = format!("the number of {names} and its next multiple of {step}");
            (number, format!("of {of} of `{tensor}`"))
        })
    });
    let origins = axes.clone().filter_map(|(tensor, axis, is_last)| {
        let (names, n) = (plural(&axis.name), axis.length);
        let (number, of) = if n > 1 && near(square / (n * n) as f64) {
            (format!("{side}{n}"), format!("the number of {names}"))
        } else if n > 1 && near(square / n as f64) {
            let root = format!("the root of the number of {names}");
            (format!("{side}sqrt({n})"), root)
        } else if is_last && n > 2 && near((square - 1.0) * (n - 1) as f64) {
            let (above, below) = match factor.abs() < 1.0 {
                true => (n - 1, n),
                false => (n, n - 1),
            };
            let number = format!("sqrt({above} / {below})");
            (number, format!("of {n} {names} and one less"))
        } else {
            return None;
        };
        Some((number, format!("{of} of `{tensor}`")))
    });
    // The length of another tensor's rows, taken for that of one's own.
    let rows = axes
        .clone()
        .filter(|(_, axis, is_last)| *is_last && axis.length > 1);
    let exchanged = rows.clone().flat_map(|(tensor, own, _)| {
        let others = rows
            .clone()
            .filter(move |(_, other, _)| other.length != own.length);
        others.filter_map(move |(of, other, _)| {
            let (above, below) = (own.length, other.length);
            let is_it = near(factor * factor * below as f64 / above as f64);
            let (names, others) = (plural(&own.name), plural(&other.name));
            is_it.then(|| {
                let number = format!("sqrt({above} / {below})");
                (
                    number,
                    format!("of the number of {names} of `{tensor}` and of {others} of `{of}`"),
                )
            })
        })
    });
    origins.chain(exchanged).chain(padded).collect()
}

/// Returns the origin of a factor as the end of a sentence, from the lengths of an experiment's axes.
pub(super) fn origin(experiment: &Experiment<'_>, factor: f64) -> String {
    named(&origins_of(experiment, factor))
}

/// Returns the origin of a factor as the end of a sentence. Different lengths may give the factor by chance.
fn named(origins: &[Origin]) -> String {
    match origins.first() {
        Some((number, of)) if origins.iter().all(|(other, _)| other == number) => {
            format!(": {number}, {of}")
        }
        _ => String::new(),
    }
}

/// The factor of an output in two cases of other sizes, in words.
pub(super) enum Elsewhere {
    /// One number in both, or one that follows from the sizes of both.
    Factor(String),
    /// The other case has no factor, a factor of each row, or another number, and no size explains both.
    Unlike(String),
}

/// Compares the factor that an output has with the one that it has in a case of other sizes. Returns none if either is right, or if none of them has
/// one factor.
pub(super) fn factor_elsewhere(
    (here, own_case): (&Experiment<'_>, &str),
    (there, case): (&Experiment<'_>, &str),
    output: &str,
) -> Option<Elsewhere> {
    let own = one_factor(here, output)?;
    if is_right(there) {
        return None;
    }
    let is_times = format!("`{output}` is {} times the reference", words(own));
    let Some(other) = one_factor(there, output) else {
        return Some(Elsewhere::Unlike(format!(
            "{is_times} in {own_case}, and no multiple of it in {case}"
        )));
    };
    let (mut of_own, of_other) = (origins_of(here, own), origins_of(there, other));
    of_own.retain(|(_, of)| of_other.iter().any(|(_, other)| other == of));
    let same = (own / other - 1.0).abs() < SAME_FACTOR;
    let than = match same {
        true => String::new(),
        false => format!(" in {own_case}, and {} times in {case}", words(other)),
    };
    let origin = named(&of_own);
    let text = format!("{is_times}{than}{origin}");
    Some(match !same && origin.is_empty() {
        true => Elsewhere::Unlike(text),
        false => Elsewhere::Factor(text),
    })
}

/// The share by which the factors of two cases may differ, if they are one number.
const SAME_FACTOR: f64 = 2e-3;

/// Returns the one factor of an output, if its wrong elements have one.
fn one_factor(experiment: &Experiment<'_>, output: &str) -> Option<f64> {
    let mut outputs = experiment.outputs().iter();
    let output = outputs.find(|of| of.name == output)?;
    let wrong = (0..output.got.len()).filter(|&at| output.wrong[at]);
    let ratios = wrong.map(|at| output.got[at] / output.expected[at]);
    let mut ratios: Vec<f64> = ratios.filter(|ratio| ratio.is_finite()).collect();
    ratios.sort_by(f64::total_cmp);
    let middle = *ratios.get(ratios.len() / 2)?;
    // Small elements have large errors.
    let quarter = ratios.len() / 4;
    let ends = [ratios[quarter], ratios[ratios.len() - 1 - quarter]];
    let share = SAME_FACTOR.max(2.0 * spacing(output.kind));
    let is_one = |end: f64| (end / middle - 1.0).abs() < share;
    ends.into_iter().all(is_one).then_some(middle)
}

/// The error of a step of 1 that an output takes with an input, above that of the input's roundings.
const MOVED: f64 = 1e-5;

/// Returns true if an output may be a term plus an input: the input has a number for each column or each element, and a change of it moves
/// the output by as much.
pub(super) fn is_summand(
    experiment: &Experiment<'_>,
    input: &ExperimentInput,
    number: usize,
) -> bool {
    let output = &experiment.outputs()[number];
    let moved = || {
        let changed: Vec<f64> = input.values.iter().map(|value| value + 1.0).collect();
        let predicted = experiment.predict(&Changes::from([(input.name.clone(), changed)]))?;
        let mut pairs = predicted[number].iter().zip(&output.expected);
        Some(pairs.all(|(moved, value)| (moved - value - 1.0).abs() < MOVED))
    };
    fits(input, output) && input.kind.is_float() && moved() == Some(true)
}

/// Returns what an input adds to each element of an output.
fn offsets(experiment: &Experiment<'_>, number: usize, summand: Option<&str>) -> Vec<f64> {
    let mut inputs = experiment.inputs().iter();
    let input = summand.and_then(|name| inputs.find(|input| input.name == name));
    let count = experiment.outputs()[number].got.len();
    match input {
        None => vec![0.0; count],
        Some(input) => input.values.iter().copied().cycle().take(count).collect(),
    }
}

/// Returns the factor of each row of an output, if each row is the reference's times a factor, both without the offsets.
fn factors(output: &ExperimentOutput, offsets: &[f64]) -> Option<Vec<f64>> {
    let columns = row_length(output).filter(|&columns| columns >= COLUMNS)?;
    let less = |values: &[f64]| -> Vec<f64> {
        let pairs = values.iter().zip(offsets);
        pairs.map(|(value, offset)| value - offset).collect()
    };
    let (got, expected) = (less(&output.got), less(&output.expected));
    let rows = output.got.chunks(columns).map(|row| product(row, row));
    let pairs = got.chunks(columns).zip(expected.chunks(columns));
    let wrong = output.wrong.chunks(columns);
    let share = spacing(output.kind).powi(2).max(1e-8);
    pairs
        .zip(rows.zip(wrong))
        .map(|((got, expected), (size, wrong))| {
            let factor = factor(got, expected, share * size)?;
            let scaled = expected.iter().map(|expected| factor * expected);
            let leaves_little = || is_explained(output.kind, got, expected, scaled.collect());
            (!wrong.contains(&true) || leaves_little()).then_some(factor)
        })
        .collect()
}

/// The factor by which the squares of a row's errors must become smaller. A few wrong elements of a row that is right but for them are near
/// to any number, and prove no factor.
const REDUCTION: f64 = 16.0;

/// The same for a narrow type, whose roundings remain, in a row of so many elements.
const NARROW_REDUCTION: f64 = 4.0;
const MANY: usize = 32;

/// The roundings of values of a narrow type, as a part of its spacing. A row with little error has no more than these.
const ROUNDED: f64 = 0.3;

/// Returns the sum of the squares of the numbers of a row.
fn product_of_finite(row: &[f64]) -> f64 {
    let finite = row.iter().filter(|value| value.is_finite());
    finite.map(|value| value * value).sum()
}

/// Returns true if the values that a mistake makes of a row of a type leave a small part of its errors, or no more than roundings.
pub(super) fn is_explained(
    kind: ElementKind,
    got: &[f64],
    expected: &[f64],
    predicted: Vec<f64>,
) -> bool {
    let is_narrow = matches!(kind, ElementKind::Bf16 | ElementKind::F16);
    let reduction = match is_narrow && got.len() >= MANY {
        true => NARROW_REDUCTION,
        false => REDUCTION,
    };
    let errors = |values: &[f64]| -> f64 {
        let pairs = got.iter().zip(values).filter(|(got, _)| got.is_finite());
        pairs.map(|(got, value)| (got - value).powi(2)).sum()
    };
    let roundings = match is_narrow {
        true => (ROUNDED * spacing(kind)).powi(2) * product_of_finite(got),
        false => 0.0,
    };
    errors(&predicted) <= roundings.max(errors(expected) / reduction)
}

pub(super) fn columns(output: &ExperimentOutput) -> Option<usize> {
    output.axes.last().map(|axis| axis.length)
}

/// The fewest elements of a row whose factor is looked for.
const COLUMNS: usize = 4;

/// Returns the number of elements that have a factor in common: those of a row, or all where rows are short.
fn row_length(output: &ExperimentOutput) -> Option<usize> {
    let columns = columns(output)?;
    Some(if columns < COLUMNS {
        output.got.len()
    } else {
        columns
    })
}

/// Returns the factors of the rows that have wrong elements.
fn wrong_rows(output: &ExperimentOutput, factors: Vec<f64>) -> Vec<f64> {
    let rows = output.wrong.chunks(row_length(output).unwrap_or(1));
    let wrong = rows.map(|row| row.contains(&true));
    let factors = factors.into_iter().zip(wrong);
    factors
        .filter_map(|(factor, wrong)| wrong.then_some(factor))
        .collect()
}

/// Returns the reference's outputs with the rows of one output, less a summand, multiplied.
fn scaled_rows(
    experiment: &Experiment<'_>,
    number: usize,
    factors: &[f64],
    summand: Option<&str>,
) -> Outputs {
    let outputs = experiment.outputs().iter();
    let mut scaled: Outputs = outputs.map(|output| output.expected.clone()).collect();
    let columns = row_length(&experiment.outputs()[number]).unwrap_or(1);
    let offsets = offsets(experiment, number, summand);
    let rows = scaled[number].chunks_mut(columns);
    for ((row, offsets), factor) in rows.zip(offsets.chunks(columns)).zip(factors) {
        for (value, offset) in row.iter_mut().zip(offsets) {
            *value = (*value - offset) * factor + offset;
        }
    }
    scaled
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Returns the factor between a row and its reference, if all elements have the same up to an error whose square is allowed.
fn factor(got: &[f64], expected: &[f64], allowed: f64) -> Option<f64> {
    let size = product(expected, expected);
    if size == 0.0 {
        return got.iter().all(|&value| value == 0.0).then_some(1.0);
    }
    let factor = product(got, expected) / size;
    let errors = got.iter().zip(expected);
    let errors = errors.map(|(got, expected)| (got - factor * expected).powi(2));
    let alike = factor.is_finite() && factor != 0.0 && errors.sum::<f64>() <= allowed;
    alike.then_some(factor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::Axis;

    #[test]
    fn a_row_with_one_wrong_element_has_no_factor_and_one_with_many_does() {
        let expected = vec![1.0, -2.0, 0.5, 4.0, 1.0, -2.0, 0.5, 4.0];
        let of = |got: Vec<f64>, wrong: Vec<bool>| ExperimentOutput {
            axes: vec![
                Axis {
                    name: "row".into(),
                    length: 2,
                },
                Axis {
                    name: "column".into(),
                    length: 4,
                },
            ],
            expected: expected.clone(),
            allowed: vec![1e-5; 8],
            got,
            wrong,
            kind: ElementKind::F32,
            name: "o".into(),
        };
        let none = [0.0; 8];
        // The last element of the first row is wrong by a rounding on its way.
        let mut got = expected.clone();
        got[3] += 4e-5;
        let mut wrong = vec![false; 8];
        wrong[3] = true;
        assert_eq!(factors(&of(got, wrong), &none), None);
        let scaled: Vec<f64> = expected.iter().map(|x| 1.001 * x).collect();
        let found = factors(&of(scaled, vec![true; 8]), &none).expect("factors");
        assert!(found.iter().all(|factor| (factor - 1.001).abs() < 1e-9));
    }
}
