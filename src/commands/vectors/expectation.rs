//! The check that a file's expected values follow the gated delta rule, by comparison with the recurrence in f64.

use deltanet_reference::rule::{Convention, HeadMap, Inputs, StateLayout, recurrence};
use deltanet_reference::widen;

use super::family::{map_word, tolerance};
use super::file::{EXPECTED, Vectors};
use crate::compare::{OutputCase, Unusable, judge_output};
use crate::contract::ExternalTensors;
use crate::report::model::{OutputReport, Problem, Verdict};
use crate::tensor::Axis;

/// Returns a line for each pair of expected tensors that the file has.
pub fn notes(file: &Vectors) -> Vec<String> {
    let maps = EXPECTED.into_iter().filter_map(|(map, names)| {
        let reports = against_the_rule(file, map, names)?;
        let lines: Vec<String> = reports.iter().map(line).collect();
        Some(format!("{} head map: {}", map_word(map), lines.join("; ")))
    });
    maps.collect()
}

fn against_the_rule(
    file: &Vectors,
    map: HeadMap,
    names: [&'static str; 2],
) -> Option<Vec<Result<OutputReport, Unusable>>> {
    if names.iter().all(|name| file.get(name).is_none()) {
        return None;
    }
    let given = ExternalTensors {
        scale: file.scale,
        ..ExternalTensors::default()
    };
    let convention = Convention {
        head_map: map,
        scale: given.scale(),
        ..Convention::FLA
    };
    let sizes = file.sizes;
    let wide = |name: &str| widen(file.get(name).unwrap_or_default());
    let (q, k, v) = (wide("q"), wide("k"), wide("v"));
    let (g, beta, state) = (wide("g"), wide("beta"), widen(&file.initial()));
    let inputs = Inputs {
        q: &q,
        k: &k,
        v: &v,
        g: &g,
        beta: &beta,
        state: &state,
    };
    let oracle = recurrence(&convention, sizes, inputs);
    let state_shape = sizes.state_shape(StateLayout::KeyMajor);
    let shapes = [
        (
            sizes.value_shape(),
            ["sequence", "token", "head", "channel"],
        ),
        (
            state_shape,
            ["sequence", "head", "key channel", "value channel"],
        ),
    ];
    let judged = names
        .into_iter()
        .zip(shapes)
        .zip([&oracle.output, &oracle.state]);
    let judged = judged.filter_map(|((name, (shape, axes)), oracle)| {
        let got = file.get(name)?;
        let axes: Vec<Axis> = axes
            .into_iter()
            .zip(shape)
            .map(|(axis, length)| Axis::new(axis, length))
            .collect();
        let golden: Vec<f32> = oracle.iter().map(|&value| value as f32).collect();
        let case = OutputCase {
            name,
            axes: &axes,
            tolerance: &tolerance(),
            got,
            golden: &golden,
            oracle,
            inputs: &[],
            alternatives: Some(&[]),
            owner: None,
        };
        Some(judge_output(&case))
    });
    Some(judged.collect())
}

fn line(report: &Result<OutputReport, Unusable>) -> String {
    let report = match report {
        Ok(report) => report,
        Err(error) => return error.to_string(),
    };
    let (name, max, rms) = (
        &report.name,
        report.oracle.max_abs,
        report.oracle.relative_rms,
    );
    if report.verdict == Verdict::Pass {
        return format!("{name} is the f64 recurrence within {max:.2e}");
    }
    let place = match &report.problem {
        Some(Problem::Mismatch {
            count,
            total,
            worst,
            pattern,
            ..
        }) => {
            let pattern = pattern
                .as_ref()
                .map_or(String::new(), |text| format!(", {text}"));
            let index: Vec<String> = report
                .axes
                .iter()
                .zip(&worst.index)
                .map(|(axis, at)| format!("{} {at}", axis.name))
                .collect();
            format!(
                ", {count} of {total} elements{pattern}, the worst at {} has {:e} for {:e}",
                index.join(", "),
                worst.got,
                worst.want
            )
        }
        _ => String::new(),
    };
    format!(
        "{name} ITSELF DIFFERS from the f64 recurrence: max {max:.2e}, relative RMS {rms:.2e}{place}"
    )
}
