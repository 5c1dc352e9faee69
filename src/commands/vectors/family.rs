//! The families of kernels that can compute a file's tensors, and the test of each family.

use std::collections::BTreeMap;

use deltanet_reference::rule::{GateKind, HeadMap, StateLayout};

use super::file::{Expectation, GRADIENTS, Vectors};
use crate::contract::catalog::functions;
use crate::contract::{Case, OutputTolerance, Test, Value, Values};
use crate::contract::{ExternalTensors, Function};
use crate::program::Program;
use crate::report::model::Tolerance;
use crate::run::Bindings;
use crate::trial::Bound;

/// A family of kernels that computes the gated delta rule or its gradients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// The fused recurrence, `gdn_recurrent_f32`
    Recurrent,
    /// The chunk pipeline, `gdn_chunk_*_f32`
    Chunked,
    /// `ggml_gated_delta_net_f32`
    Ggml,
    /// The recurrence over packed sequences, `gdn_packed_f32`
    Packed,
    /// The chunk pipeline over packed sequences, `gdn_packed_*_f32`
    PackedChunked,
    /// The gradients, token by token, `gdn_backward_f32`
    Backward,
    /// The gradients by chunks, `gdn_backward_f32`
    BackwardChunked,
}

/// A test that a file's tensors run through.
pub struct ExternalTest {
    /// The contract with its tolerances and one case.
    pub test: Test,
    /// The file's tensors under the contract's names; empty if the test cannot run.
    pub given: ExternalTensors,
    /// The reason why the test cannot run.
    pub skip: Option<String>,
}

/// Tokens of a chunk.
const CHUNK: i64 = 64;
/// The largest key or value size that the kernels take.
const MAX_CHANNELS: usize = 256;
/// The tolerance for pipelines: of the relative RMS, and of each element as a share of the largest value, which counts as at least 1.
const TOLERANCE: f64 = 1e-5;
/// The tolerance for gradients of an element, as the registry has it for sizes of any kind.
const GRADIENT_TOLERANCE: f64 = 2e-5;
/// The tolerance for the relative RMS of gradients.
const GRADIENT_RMS: f64 = 2e-4;

/// Returns the tolerance of an output of the rule, or of a gradient.
pub fn tolerance(gradients: bool) -> Tolerance {
    let (element, rms) = match gradients {
        true => (GRADIENT_TOLERANCE, GRADIENT_RMS),
        false => (TOLERANCE, TOLERANCE),
    };
    Tolerance {
        scaled: true,
        relative_rms: Some(rms),
        ..Tolerance::absolute(element, element)
    }
}

impl Family {
    /// All of them.
    pub const ALL: [Family; 7] = [
        Family::Recurrent,
        Family::Chunked,
        Family::Ggml,
        Family::Packed,
        Family::PackedChunked,
        Family::Backward,
        Family::BackwardChunked,
    ];

    /// The name of the family's contract.
    fn function(self) -> &'static str {
        match self {
            Family::Recurrent => "gdn_recurrent",
            Family::Chunked => "gdn_chunked",
            Family::Ggml => "ggml_gated_delta_net",
            Family::Packed => "gdn_packed",
            Family::PackedChunked => "gdn_packed_chunked",
            Family::Backward => "gdn_backward",
            Family::BackwardChunked => "gdn_backward_chunked",
        }
    }

    /// The family as a value of `--family`.
    pub fn word(self) -> &'static str {
        match self {
            Family::Recurrent => "recurrent",
            Family::Chunked => "chunked",
            Family::Ggml => "ggml",
            Family::Packed => "packed",
            Family::PackedChunked => "packed-chunked",
            Family::Backward => "backward",
            Family::BackwardChunked => "backward-chunked",
        }
    }

    /// Returns true if one launch of the family computes sequences of different lengths.
    pub fn is_packed(self) -> bool {
        matches!(self, Family::Packed | Family::PackedChunked)
    }

    /// Returns true if the family computes gradients, false if it computes output and state.
    pub fn has_gradients(self) -> bool {
        matches!(self, Family::Backward | Family::BackwardChunked)
    }

    fn is_chunked(self) -> bool {
        matches!(
            self,
            Family::Chunked | Family::PackedChunked | Family::BackwardChunked
        )
    }

    /// Returns true if the code object has a kernel of this family, or there is a binding for its contract.
    pub fn is_in(self, program: &Program, bindings: &Bindings) -> bool {
        find(self).is_some_and(|function| {
            let has = |kernel: &str| program.object.kernel(kernel).is_some();
            let built_in = Bound::built_in(function);
            bindings.binds_contract(function)
                || built_in.is_ok_and(|bound| bound.kernels().iter().any(|kernel| has(kernel)))
        })
    }

    /// Returns the family's test of a file's expected values, but for those that are `rounded`.
    pub fn of(
        self,
        file: &Vectors,
        expectation: &Expectation,
        rounded: &[&str],
    ) -> Option<ExternalTest> {
        let function = find(self)?;
        let values = self.values(file, expectation.map);
        let refusal = function.refuses(&values);
        let skip = self
            .unfit(file, expectation.map)
            .or(refusal.map(|refusal| format!("{}: {}", refusal.title, refusal.help)));
        let judged = |name: &&str| {
            let reason = match self.has_gradients() {
                true => "the rule for gradients".to_string(),
                false => "the rule for pipelines".to_string(),
            };
            let tolerance = tolerance(self.has_gradients());
            (name.to_string(), OutputTolerance { tolerance, reason })
        };
        let id = format!("{}:{}", self.word(), values.suffix());
        let given = if skip.is_some() {
            ExternalTensors::default()
        } else {
            self.given(file, expectation, rounded)
        };
        Some(ExternalTest {
            test: Test {
                id: id.clone(),
                aliases: Vec::new(),
                function,
                binding: None,
                title: function.title.into(),
                documented: false,
                designed: false,
                cases: vec![Case { id, values }],
                outputs: function.outputs.iter().map(judged).collect(),
                planted: Vec::new(),
            },
            given,
            skip,
        })
    }

    /// Returns the reason why the family cannot compute the file under this head map.
    fn unfit(self, file: &Vectors, map: HeadMap) -> Option<String> {
        let sizes = &file.sizes;
        let channels = sizes.key_size.max(sizes.value_size);
        if channels > MAX_CHANNELS {
            return Some(format!(
                "heads of {channels} channels; the kernels take {MAX_CHANNELS} at most"
            ));
        }
        if matches!(self, Family::Recurrent | Family::Chunked) {
            let per_key = sizes.gate_kind == GateKind::PerKeyChannel;
            return per_key.then(|| {
                "g has a gate for each key channel; only ggml's kernel and those of packed sequences take that".into()
            });
        }
        if self != Family::Ggml {
            return None;
        }
        let default = 1.0 / (sizes.key_size as f64).sqrt();
        let alike = sizes.key_heads == 1 || sizes.key_heads == sizes.value_heads;
        let other_scale = |scale: &f64| (scale / default - 1.0).abs() > 1e-6;
        if sizes.key_size != sizes.value_size {
            Some("ggml's kernel takes K = V only".into())
        } else if map == HeadMap::Block && !alike {
            Some("ggml's kernel has the tiled head map only".into())
        } else if file.scale.as_ref().is_some_and(other_scale) {
            Some("ggml's kernel scales by 1/sqrt(K) only".into())
        } else {
            None
        }
    }

    fn values(self, file: &Vectors, map: HeadMap) -> Values {
        let sizes = &file.sizes;
        let number = |n: usize| Value::Number(i64::try_from(n).unwrap_or(i64::MAX));
        let word = |word| Value::Word(word);
        let given = |name: &str, none: &'static str| {
            let there = file.get(name).is_some();
            word(if there { "given" } else { none })
        };
        let bounds = file.all_bounds();
        let sequences = bounds.len() - 1;
        let mut values: Vec<(&str, Value)> = match self {
            Family::Ggml => vec![
                ("S", number(sizes.key_size)),
                ("Hk", number(sizes.key_heads)),
                ("H", number(sizes.value_heads)),
                ("T", number(sizes.tokens)),
                ("N", number(sizes.sequences)),
                ("snapshots", Value::Number(1)),
            ],
            // T is the average length, rounded up.
            Family::Packed | Family::PackedChunked => vec![
                ("N", number(sequences)),
                ("T", number(bounds[sequences].div_ceil(sequences))),
            ],
            _ => vec![("B", number(sizes.sequences)), ("T", number(sizes.tokens))],
        };
        if self != Family::Ggml {
            values.extend([
                ("H", number(sizes.key_heads)),
                ("HV", number(sizes.value_heads)),
                ("K", number(sizes.key_size)),
                ("V", number(sizes.value_size)),
            ]);
        }
        if self.is_chunked() {
            values.push(("C", Value::Number(CHUNK)));
        }
        if self.is_packed() {
            values.push(("lengths", word(lengths_word(&bounds))));
        }
        if !matches!(self, Family::Recurrent | Family::Chunked) {
            let per_key = sizes.gate_kind == GateKind::PerKeyChannel;
            values.push(("gate", word(if per_key { "key" } else { "head" })));
        }
        match self {
            Family::Ggml => {}
            Family::Packed | Family::PackedChunked => {
                values.push(("start", given("initial_state", "none")));
            }
            _ => values.push(("state", given("initial_state", "zero"))),
        }
        if self.has_gradients() {
            values.push(("final_gradient", given("dfinal_state", "zero")));
        }
        if self != Family::Ggml && file.layout == StateLayout::ValueMajor {
            values.push(("layout", word("value-major")));
        }
        values.push(("map", word(map_word(map))));
        let named = values.into_iter().map(|(name, value)| (name.into(), value));
        Values::new(named.collect())
    }

    /// Returns the tensors under the contract's names and in its layouts.
    fn given(self, file: &Vectors, expectation: &Expectation, rounded: &[&str]) -> ExternalTensors {
        let of_file = |name: &str| file.get(name).unwrap_or_default().to_vec();
        let in_layout = |states: Vec<f32>| match (self, file.layout) {
            (Family::Ggml, StateLayout::KeyMajor) => value_major(file, &states),
            _ => states,
        };
        let mut inputs = BTreeMap::new();
        for name in ["q", "k", "v", "g", "beta"] {
            inputs.insert(name.to_string(), of_file(name).into());
        }
        let initial = in_layout(file.states("initial_state"));
        if self.has_gradients() {
            inputs.insert("do".into(), of_file("do").into());
            inputs.insert("dfinal".into(), file.states("dfinal_state").into());
        }
        let (before, outputs): (&str, &[&str]) = match self {
            Family::Ggml => ("state", &["o", "states"]),
            Family::Backward | Family::BackwardChunked => ("initial", &GRADIENT_OUTPUTS),
            _ => ("initial", &["o", "final"]),
        };
        inputs.insert(before.into(), initial.into());
        let mut expected = BTreeMap::new();
        for (output, name) in outputs.iter().zip(expectation.names) {
            let exact = file.get(name).filter(|_| !rounded.contains(name));
            let values = exact.map(<[f32]>::to_vec);
            let values = match *output {
                "states" => values.map(in_layout),
                _ => values,
            };
            expected.extend(values.map(|values| ((*output).to_string(), values)));
        }
        ExternalTensors {
            inputs,
            expected,
            scale: file.scale,
            bounds: self.is_packed().then(|| file.all_bounds()),
        }
    }
}

/// The contract's names of [`GRADIENTS`].
const GRADIENT_OUTPUTS: [&str; GRADIENTS.len()] = ["dq", "dk", "dv", "dg", "dbeta", "dinitial"];

/// Returns the lengths of sequences as a word of the choice `lengths`.
fn lengths_word(bounds: &[usize]) -> &'static str {
    let lengths: Vec<usize> = bounds.windows(2).map(|pair| pair[1] - pair[0]).collect();
    if lengths.contains(&0) {
        "empty"
    } else if lengths.iter().all(|length| *length == lengths[0]) {
        "same"
    } else {
        "unequal"
    }
}

/// Returns a head map as a word of the choice `map`.
pub fn map_word(map: HeadMap) -> &'static str {
    match map {
        HeadMap::Block => "block",
        HeadMap::Tiled => "tiled",
    }
}

fn find(family: Family) -> Option<&'static Function> {
    functions().find(|function| function.name == family.function())
}

/// Transposes states from `[K][V]` to `[V][K]`.
fn value_major(file: &Vectors, states: &[f32]) -> Vec<f32> {
    let [_, _, rows, columns] = file.sizes.state_shape(StateLayout::KeyMajor);
    let each = states.chunks_exact(rows * columns);
    each.flat_map(|state| deltanet_reference::operators::transpose(state, rows, columns))
        .collect()
}
