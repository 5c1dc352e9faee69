//! The families of kernels that can compute a file's tensors, and the test of each family.

use std::collections::BTreeMap;

use deltanet_reference::rule::{GateKind, HeadMap, StateLayout};

use super::file::Vectors;
use crate::contract::catalog::functions;
use crate::contract::{Case, OutputTolerance, Test, Value, Values};
use crate::contract::{ExternalTensors, Function};
use crate::program::Program;
use crate::report::model::Tolerance;
use crate::run::Bindings;
use crate::trial::Bound;

/// A family of kernels that computes the gated delta rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// The fused recurrence, `gdn_recurrent_f32`
    Recurrent,
    /// The chunk pipeline, `gdn_chunk_*_f32`
    Chunked,
    /// `ggml_gated_delta_net_f32`
    Ggml,
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

/// Returns the tolerance of an output of the rule.
pub fn tolerance() -> Tolerance {
    Tolerance {
        scaled: true,
        relative_rms: Some(TOLERANCE),
        ..Tolerance::absolute(TOLERANCE, TOLERANCE)
    }
}

impl Family {
    /// All of them.
    pub const ALL: [Family; 3] = [Family::Recurrent, Family::Chunked, Family::Ggml];

    /// The name of the family's contract.
    fn function(self) -> &'static str {
        match self {
            Family::Recurrent => "gdn_recurrent",
            Family::Chunked => "gdn_chunked",
            Family::Ggml => "ggml_gated_delta_net",
        }
    }

    /// The family as a value of `--family`.
    pub fn word(self) -> &'static str {
        match self {
            Family::Recurrent => "recurrent",
            Family::Chunked => "chunked",
            Family::Ggml => "ggml",
        }
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

    /// Returns the family's test of a file's expected values under a head map.
    pub fn of(
        self,
        file: &Vectors,
        map: HeadMap,
        expected: [Option<&[f32]>; 2],
    ) -> Option<ExternalTest> {
        let function = find(self)?;
        let values = self.values(file, map);
        let refusal = function.refuses(&values);
        let skip = self
            .unfit(file, map)
            .or(refusal.map(|refusal| format!("{}: {}", refusal.title, refusal.help)));
        let judged = |name: &&str| {
            let reason = "the rule for pipelines".to_string();
            let tolerance = tolerance();
            (name.to_string(), OutputTolerance { tolerance, reason })
        };
        let id = format!("{}:{}", self.word(), values.suffix());
        let given = if skip.is_some() {
            ExternalTensors::default()
        } else {
            self.given(file, expected)
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
        if self != Family::Ggml {
            return (sizes.gate_kind == GateKind::PerKeyChannel).then(|| {
                "g has a gate for each key channel; only ggml's kernel takes that".into()
            });
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
        let mut values: Vec<(&str, Value)> = match self {
            Family::Ggml => vec![
                ("S", number(sizes.key_size)),
                ("Hk", number(sizes.key_heads)),
                ("H", number(sizes.value_heads)),
                ("T", number(sizes.tokens)),
                ("N", number(sizes.sequences)),
                ("snapshots", Value::Number(1)),
            ],
            _ => vec![
                ("B", number(sizes.sequences)),
                ("T", number(sizes.tokens)),
                ("H", number(sizes.key_heads)),
                ("HV", number(sizes.value_heads)),
                ("K", number(sizes.key_size)),
                ("V", number(sizes.value_size)),
            ],
        };
        if self == Family::Chunked {
            values.push(("C", Value::Number(CHUNK)));
        }
        let word = |word| Value::Word(word);
        if self == Family::Ggml {
            let per_key = sizes.gate_kind == GateKind::PerKeyChannel;
            values.push(("gate", word(if per_key { "key" } else { "head" })));
        } else {
            let given = file.get("initial_state").is_some();
            values.push(("state", word(if given { "given" } else { "zero" })));
        }
        values.push(("map", word(map_word(map))));
        let named = values.into_iter().map(|(name, value)| (name.into(), value));
        Values::new(named.collect())
    }

    /// Returns the tensors under the contract's names and in its layouts.
    fn given(self, file: &Vectors, [o, state]: [Option<&[f32]>; 2]) -> ExternalTensors {
        let mut inputs = BTreeMap::new();
        for name in ["q", "k", "v", "g", "beta"] {
            inputs.insert(
                name.to_string(),
                file.get(name).unwrap_or_default().to_vec().into(),
            );
        }
        let mut expected = BTreeMap::new();
        let mut expect = |name: &str, values: Option<Vec<f32>>| {
            expected.extend(values.map(|values| (name.to_string(), values)));
        };
        if self == Family::Ggml {
            let flip = |state: &[f32]| value_major(file, state);
            inputs.insert("state".into(), flip(&file.initial()).into());
            expect("o", o.map(<[f32]>::to_vec));
            expect("states", state.map(flip));
        } else {
            inputs.insert("initial".into(), file.initial().into());
            expect("o", o.map(<[f32]>::to_vec));
            expect("final", state.map(<[f32]>::to_vec));
        }
        ExternalTensors {
            inputs,
            expected,
            scale: file.scale,
        }
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
