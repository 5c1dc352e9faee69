//! The check that a file's expected values follow the gated delta rule, by comparison with the recurrence in f64 and its gradients.

use deltanet_reference::rule::packed::{PackedCall, Rounding, StateType, packed};
use deltanet_reference::rule::{
    Convention, GateKind, HeadMap, Inputs, Layout, Norm, Order, OutputGradients, Scale,
    StateLayout, backward,
};
use deltanet_reference::widen;

use super::family::{map_word, tolerance};
use super::file::{Expectation, Vectors};
use crate::compare::{OutputCase, Unusable, judge_output};
use crate::contract::ExternalTensors;
use crate::report::model::{OutputReport, Problem, Tolerance, Verdict};
use crate::tensor::Axis;

/// Queries and keys of a file in f64, and how the rule is computed from them.
#[derive(Clone)]
struct Call {
    map: HeadMap,
    layout: StateLayout,
    scale: Scale,
    q: Vec<f64>,
    k: Vec<f64>,
}

/// A result or a gradient as it should be.
struct Oracle {
    values: Vec<f64>,
    axes: Vec<Axis>,
}

/// A mistake in what a file says of its tensors.
struct Misunderstanding {
    /// The words that name the remedy.
    remedy: &'static str,
    change: fn(&mut Call, usize),
}

/// Misunderstandings that are tried where expected values are not those of the rule.
const MISUNDERSTANDINGS: [Misunderstanding; 4] = [
    Misunderstanding {
        remedy: "there is no difference with q and k normalised: use_qk_l2norm_in_kernel in the metadata says so",
        change: |call, size| {
            call.q = Norm::FLA.rows(&call.q, size);
            call.k = Norm::FLA.rows(&call.k, size);
        },
    },
    Misunderstanding {
        remedy: "there is no difference with the factor 1 on the output: scale in the metadata says so",
        change: |call, _| call.scale = Scale::One,
    },
    Misunderstanding {
        remedy: "there is no difference with the other head map: map in the metadata says so",
        change: |call, _| {
            call.map = call.map.other();
        },
    },
    Misunderstanding {
        remedy: "there is no difference with states [V, K]: state_v_first in the metadata says so",
        change: |call, _| call.layout = StateLayout::ValueMajor,
    },
];

/// The comparison of an expectation with the rule in f64.
pub struct Comparison {
    /// A line that tells how far the expected tensors are off.
    pub note: String,
    /// Expected tensors of half precision that are the rule, rounded: kernels are judged by the rule instead.
    pub rounded: Vec<&'static str>,
}

/// Compares an expectation with the rule in f64.
pub fn compare(file: &Vectors, expectation: &Expectation) -> Comparison {
    let call = Call::new(file, expectation.map);
    let reports = call.judged(file, expectation);
    let mut lines: Vec<String> = reports.iter().map(|(_, report)| line(report)).collect();
    let mut rounded = Vec::new();
    for ((name, report), line) in reports.iter().zip(&mut lines) {
        if file.rounding(name).is_some() && passes(report) {
            line.push_str(", as half precision has it: kernels are judged by the recurrence");
            rounded.push(*name);
        }
    }
    let right = |reports: &[(_, _)]| reports.iter().all(|(_, report)| passes(report));
    if !right(&reports) {
        let remedy = MISUNDERSTANDINGS.iter().find(|wrong| {
            let mut call = call.clone();
            (wrong.change)(&mut call, file.sizes.key_size);
            right(&call.judged(file, expectation))
        });
        lines.extend(remedy.map(|wrong| wrong.remedy.to_string()));
    }
    let map = map_word(expectation.map);
    let note = format!("{map} head map: {}", lines.join("; "));
    Comparison { note, rounded }
}

fn passes(report: &Result<OutputReport, Unusable>) -> bool {
    matches!(report, Ok(report) if report.verdict == Verdict::Pass)
}

impl Call {
    fn new(file: &Vectors, map: HeadMap) -> Call {
        let given = ExternalTensors {
            scale: file.scale,
            ..ExternalTensors::default()
        };
        let wide = |name: &str| widen(file.get(name).unwrap_or_default());
        Call {
            map,
            layout: file.layout,
            scale: given.scale(),
            q: wide("q"),
            k: wide("k"),
        }
    }

    /// Compares the file's expected values with what they should be.
    fn judged(
        &self,
        file: &Vectors,
        expectation: &Expectation,
    ) -> Vec<(&'static str, Result<OutputReport, Unusable>)> {
        let oracles = match expectation.gradients {
            true => Vec::from(self.gradients(file)),
            false => Vec::from(self.results(file)),
        };
        let exact = tolerance(expectation.gradients);
        let pairs = expectation.names.iter().zip(oracles);
        let reports = pairs.filter_map(|(name, oracle)| {
            let rounding = file.rounding(name).unwrap_or(0.0);
            let tolerance = Tolerance {
                relative: rounding,
                relative_rms: exact.relative_rms.map(|rms| rms.max(rounding)),
                ..exact.clone()
            };
            let golden: Vec<f32> = oracle.values.iter().map(|&value| value as f32).collect();
            let case = OutputCase {
                name,
                axes: &oracle.axes,
                tolerance: &tolerance,
                got: file.get(name)?,
                golden: &golden,
                oracle: &oracle.values,
                inputs: &[],
                alternatives: Some(&[]),
                owner: None,
            };
            Some((*name, judge_output(&case)))
        });
        reports.collect()
    }

    /// Computes output and states.
    fn results(&self, file: &Vectors) -> [Oracle; 2] {
        let wide = |name: &str| widen(file.get(name).unwrap_or_default());
        let bounds = file.all_bounds();
        let call = PackedCall {
            layout: Layout {
                bounds: &bounds,
                key_heads: file.sizes.key_heads,
                value_heads: file.sizes.value_heads,
                key_size: file.sizes.key_size,
                value_size: file.sizes.value_size,
            },
            gate_kind: file.sizes.gate_kind,
            head_map: self.map,
            order: Order::DecayFirst,
            state: self.layout,
            kept: (StateType::Whole, Rounding::Launch),
            steps: 1,
            scale: self.scale.factor(file.sizes.key_size),
            q: &self.q,
            k: &self.k,
            v: &wide("v"),
            g: &wide("g"),
            beta: &wide("beta"),
        };
        let mut states = widen(&file.states("initial_state"));
        let starts: Vec<Option<usize>> = (0..bounds.len() - 1).map(Some).collect();
        let last = |n: usize, token: usize| (bounds[n] + token + 1 == bounds[n + 1]).then_some(n);
        let output = packed(&call, &mut states, &starts, last);
        let of = |values, axes| Oracle { values, axes };
        [of(output, value_axes(file)), of(states, state_axes(file))]
    }

    /// Computes the gradients by the inputs, in the order of the expected names.
    fn gradients(&self, file: &Vectors) -> [Oracle; 6] {
        let wide = |name: &str| widen(file.get(name).unwrap_or_default());
        let convention = Convention {
            head_map: self.map,
            scale: self.scale,
            state: self.layout,
            ..Convention::FLA
        };
        let inputs = Inputs {
            q: &self.q,
            k: &self.k,
            v: &wide("v"),
            g: &wide("g"),
            beta: &wide("beta"),
            state: &widen(&file.states("initial_state")),
        };
        let by = OutputGradients {
            output: &wide("do"),
            state: &widen(&file.states("dfinal_state")),
        };
        let found = backward(&convention, file.sizes, inputs, by);
        let sizes = file.sizes;
        let keys = || named(&ROWS, &sizes.key_shape());
        let strengths = || named(&ROWS[..3], &sizes.beta_shape());
        let gates = match sizes.gate_kind {
            GateKind::PerHead => strengths(),
            GateKind::PerKeyChannel => named(&ROWS, &sizes.gate_shape()),
        };
        let of = |values, axes| Oracle { values, axes };
        [
            of(found.q, keys()),
            of(found.k, keys()),
            of(found.v, value_axes(file)),
            of(found.g, gates),
            of(found.beta, strengths()),
            of(found.state, state_axes(file)),
        ]
    }
}

const ROWS: [&str; 4] = ["sequence", "token", "head", "channel"];

fn named(names: &[&str], lengths: &[usize]) -> Vec<Axis> {
    let axes = names.iter().zip(lengths);
    axes.map(|(name, length)| Axis::new(*name, *length))
        .collect()
}

fn value_axes(file: &Vectors) -> Vec<Axis> {
    named(&ROWS, &file.sizes.value_shape())
}

fn state_axes(file: &Vectors) -> Vec<Axis> {
    let [_, heads, first, second] = file.sizes.state_shape(file.layout);
    let names = match file.layout {
        StateLayout::KeyMajor => ["sequence", "head", "key channel", "value channel"],
        StateLayout::ValueMajor => ["sequence", "head", "value channel", "key channel"],
    };
    let count = file.all_bounds().len() - 1;
    named(&names, &[count, heads, first, second])
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
