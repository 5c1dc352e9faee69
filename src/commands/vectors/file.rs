//! A safetensors file of inputs and expected values: its names, shapes and types are checked, its values converted to f32.

mod packed;

use std::collections::BTreeMap;
use std::path::Path;

use deltanet_reference::rule::{GateKind, HeadMap, Sizes, StateLayout};
use half::{bf16, f16};
use safetensors::{Dtype, SafeTensors, tensor::TensorView};

use crate::exit::Stop;
use crate::files;
use crate::tensor::{NotSafetensors, read_safetensors};
use crate::text::shown;

/// Bytes of the largest file that is read.
const MAX_FILE: u64 = 4 << 30;

/// Inputs, expected values and sizes of a file, or of a sequence of a packed file.
pub struct Vectors {
    /// The path as the user gave it.
    pub name: String,
    /// The sequence of a packed file; none if the file is one batch.
    pub sequence: Option<String>,
    /// The sizes of the rule.
    pub sizes: Sizes,
    /// The factor on the output that the metadata names.
    pub scale: Option<f64>,
    /// Notes on conversions of the tensors.
    pub notes: Vec<String>,
    tensors: BTreeMap<&'static str, Vec<f32>>,
}

/// A reason why a file of vectors cannot be used.
#[derive(Debug, thiserror::Error)]
enum VectorsError {
    #[error(transparent)]
    Format(#[from] NotSafetensors),
    #[error(
        "no tensor `{0}`: q, k [B, T, H, K], v [B, T, HV, V], g and beta [B, T, HV] are needed"
    )]
    Missing(&'static str),
    #[error("no expected tensors: it needs o_block and state_block, or o_tiled and state_tiled")]
    NothingExpected,
    #[error(
        "tensor `{0}` is neither an input nor an expected output that is known here; rename it or leave it out: {KNOWN}"
    )]
    Unknown(String),
    #[error("tensor `{name}` has shape {shape:?}; {wanted}")]
    Shape {
        name: &'static str,
        shape: Vec<usize>,
        wanted: String,
    },
    #[error("tensor `{name}` holds {dtype:?}: store it as {wanted}")]
    Dtype {
        name: &'static str,
        dtype: Dtype,
        wanted: &'static str,
    },
    #[error(
        "tensor `{name}` holds {value} at {index:?}: only finite numbers (as f32) can be judged"
    )]
    NotFinite {
        name: &'static str,
        value: f32,
        index: Vec<usize>,
    },
    #[error("q or v has an axis of length 0: there is nothing to compute")]
    Empty,
    #[error(
        "v has {value_heads} heads and q has {key_heads}: value heads must be a multiple of query/key heads"
    )]
    Heads {
        value_heads: usize,
        key_heads: usize,
    },
    #[error("the metadata's scale `{0}` is not a number")]
    Scale(String),
    #[error("tensor `{name}` falls from {from} to {to} at [{at}]: sequences follow one another", name = packed::NAME)]
    Falls { from: i64, to: i64, at: usize },
    #[error("tensor `{name}` goes from {first} to {last}; it goes from 0 to {tokens}, the tokens of q", name = packed::NAME)]
    Bounds {
        first: i64,
        last: i64,
        tokens: usize,
    },
    #[error(
        "sequence {sequence} of `{bounds}` has no token, so that its state stays the first one; `{state}` has another there",
        bounds = packed::NAME
    )]
    StateOfNothing {
        sequence: usize,
        state: &'static str,
    },
}

/// The tensors that a file may have.
const KNOWN: &str = "q, k, v, g, beta, initial_state, cu_seqlens, \
                     o_block, state_block, o_tiled, state_tiled, hf_o, hf_state";

/// Pairs of an expected output and state that a file may have, with their head map.
pub const EXPECTED: [(HeadMap, [&str; 2]); 3] = [
    (HeadMap::Block, ["o_block", "state_block"]),
    (HeadMap::Tiled, ["o_tiled", "state_tiled"]),
    // The results of Hugging Face's own code.
    (HeadMap::Block, ["hf_o", "hf_state"]),
];

impl Vectors {
    /// Reads and checks a file. A packed file, which has `cu_seqlens`, is split into its sequences; those without tokens are left out.
    ///
    /// # Errors
    /// The file cannot be read or is not a safetensors file, or a tensor is missing, unknown, of another shape or type, or not finite.
    pub fn read(path: &Path) -> Result<Vec<Vectors>, Stop> {
        let bytes = files::read(path, MAX_FILE).map_err(Stop::setup)?;
        let name = shown(path);
        Vectors::parse(&name, &bytes).map_err(|error| Stop::setup(format!("{name}: {error}")))
    }

    /// Returns the file's name, with the sequence of a packed file.
    pub fn title(&self) -> String {
        let sequence = self.sequence.as_ref();
        sequence.map_or(self.name.clone(), |sequence| {
            format!("{}, {sequence}", self.name)
        })
    }

    fn parse(name: &str, bytes: &[u8]) -> Result<Vec<Vectors>, VectorsError> {
        let (header, file) = read_safetensors(bytes)?;
        let sizes = sizes(&file)?;
        let bounds = packed::bounds(&file, sizes)?;
        let mut vectors = Vectors {
            name: name.to_string(),
            sequence: None,
            sizes,
            scale: scale(header.metadata().as_ref())?,
            notes: Vec::new(),
            tensors: BTreeMap::new(),
        };
        let (key, value, beta) = (sizes.key_shape(), sizes.value_shape(), sizes.beta_shape());
        let sequences = bounds.as_ref().map_or(sizes.sequences, |at| at.len() - 1);
        let states = Sizes { sequences, ..sizes };
        let state = states.state_shape(StateLayout::KeyMajor);
        let of_states = match &bounds {
            Some(_) => "[N, HV, K, V]",
            None => "[B, HV, K, V]",
        };
        let gate: &[usize] = match sizes.gate_kind {
            GateKind::PerHead => &beta,
            GateKind::PerKeyChannel => &sizes.gate_shape(),
        };
        for (name, axes, shape, needed) in [
            ("q", "[B, T, H, K]", &key[..], true),
            ("k", "[B, T, H, K]", &key, true),
            ("v", "[B, T, HV, V]", &value, true),
            ("g", "[B, T, HV]", gate, true),
            ("beta", "[B, T, HV]", &beta, true),
            ("initial_state", of_states, &state, false),
            ("o_block", "[B, T, HV, V]", &value, false),
            ("o_tiled", "[B, T, HV, V]", &value, false),
            ("state_block", of_states, &state, false),
            ("state_tiled", of_states, &state, false),
            ("hf_o", "[B, T, HV, V]", &value, false),
            ("hf_state", of_states, &state, false),
        ] {
            match file.tensor(name) {
                Ok(view) => vectors.take(name, axes, shape, &view)?,
                Err(_) if needed => return Err(VectorsError::Missing(name)),
                Err(_) => {}
            }
        }
        vectors.refuse_unknown(&file)?;
        let none = EXPECTED
            .iter()
            .flat_map(|(_, names)| names)
            .all(|name| vectors.get(name).is_none());
        if none {
            return Err(VectorsError::NothingExpected);
        }
        match bounds {
            Some(bounds) => vectors.split(&bounds),
            None => Ok(vec![vectors]),
        }
    }

    /// Refuses a file with a tensor of an unknown name, because a result that depends on the tensor would be judged without it.
    fn refuse_unknown(&self, file: &SafeTensors<'_>) -> Result<(), VectorsError> {
        let mut names = file.names();
        names.sort_unstable();
        let unknown = |name: &&str| *name != packed::NAME && !self.tensors.contains_key(*name);
        let Some(name) = names.into_iter().find(unknown) else {
            return Ok(());
        };
        Err(VectorsError::Unknown(name.escape_debug().to_string()))
    }

    /// Returns a tensor by its name, if the file has it.
    pub fn get(&self, name: &str) -> Option<&[f32]> {
        self.tensors.get(name).map(Vec::as_slice)
    }

    /// Returns the states before the first token: zeros if the file has none.
    pub fn initial(&self) -> Vec<f32> {
        let shape = self.sizes.state_shape(StateLayout::KeyMajor);
        self.get("initial_state")
            .map_or_else(|| vec![0.0; shape.iter().product()], <[f32]>::to_vec)
    }

    fn take(
        &mut self,
        name: &'static str,
        axes: &str,
        want: &[usize],
        view: &TensorView<'_>,
    ) -> Result<(), VectorsError> {
        if view.shape() != want {
            let wanted = format!("{axes} is {want:?} here, by the shapes of q and v");
            return Err(VectorsError::shape(name, view, wanted));
        }
        let values = values(name, view)?;
        if let Some(at) = values.iter().position(|value| !value.is_finite()) {
            let (value, index) = (values[at], index(want, at));
            return Err(VectorsError::NotFinite { name, value, index });
        }
        if view.dtype() != Dtype::F32 {
            let how = if view.dtype() == Dtype::F64 {
                "rounded"
            } else {
                "widened"
            };
            self.notes
                .push(format!("{name} {how} from {:?} to f32", view.dtype()));
        }
        self.tensors.insert(name, values);
        Ok(())
    }
}

impl VectorsError {
    fn shape(name: &'static str, view: &TensorView<'_>, wanted: String) -> VectorsError {
        let shape = view.shape().to_vec();
        VectorsError::Shape {
            name,
            shape,
            wanted,
        }
    }
}

/// Reads the sizes off the shapes of q, v and g.
fn sizes(file: &SafeTensors<'_>) -> Result<Sizes, VectorsError> {
    let shape = |name: &'static str, axes: &str| -> Result<[usize; 4], VectorsError> {
        let view = file.tensor(name).map_err(|_| VectorsError::Missing(name))?;
        <[usize; 4]>::try_from(view.shape())
            .map_err(|_| VectorsError::shape(name, &view, format!("{axes} is needed")))
    };
    let [sequences, tokens, key_heads, key_size] = shape("q", "[B, T, H, K]")?;
    let [_, _, value_heads, value_size] = shape("v", "[B, T, HV, V]")?;
    let gates = file.tensor("g").map_err(|_| VectorsError::Missing("g"))?;
    let gate_kind = if gates.shape().len() == 4 {
        GateKind::PerKeyChannel
    } else {
        GateKind::PerHead
    };
    if [
        sequences,
        tokens,
        key_heads,
        key_size,
        value_heads,
        value_size,
    ]
    .contains(&0)
    {
        return Err(VectorsError::Empty);
    }
    if !value_heads.is_multiple_of(key_heads) {
        return Err(VectorsError::Heads {
            value_heads,
            key_heads,
        });
    }
    Ok(Sizes {
        sequences,
        tokens,
        key_heads,
        value_heads,
        key_size,
        value_size,
        gate_kind,
    })
}

fn scale(
    metadata: Option<&std::collections::HashMap<String, String>>,
) -> Result<Option<f64>, VectorsError> {
    let Some(text) = metadata.and_then(|metadata| metadata.get("scale")) else {
        return Ok(None);
    };
    let scale = text.trim().parse().ok().filter(|x: &f64| x.is_finite());
    let wrong = || VectorsError::Scale(text.escape_debug().to_string());
    scale.map(Some).ok_or_else(wrong)
}

/// Converts the values to f32.
fn values(name: &'static str, view: &TensorView<'_>) -> Result<Vec<f32>, VectorsError> {
    let data = view.data();
    Ok(match view.dtype() {
        Dtype::F32 => words(data).map(f32::from_le_bytes).collect(),
        Dtype::F64 => words(data).map(|w| f64::from_le_bytes(w) as f32).collect(),
        Dtype::F16 => words(data)
            .map(|w| f16::from_le_bytes(w).to_f32())
            .collect(),
        Dtype::BF16 => words(data)
            .map(|w| bf16::from_le_bytes(w).to_f32())
            .collect(),
        dtype => {
            let wanted = "F32 (F16, BF16 and F64 are converted)";
            return Err(VectorsError::Dtype {
                name,
                dtype,
                wanted,
            });
        }
    })
}

fn words<const N: usize>(data: &[u8]) -> impl Iterator<Item = [u8; N]> {
    data.as_chunks().0.iter().copied()
}

/// Converts a flat position to an index along each axis.
fn index(shape: &[usize], flat: usize) -> Vec<usize> {
    let mut left = flat;
    let mut index: Vec<usize> = shape
        .iter()
        .rev()
        .map(|length| {
            let at = left % length;
            left /= length;
            at
        })
        .collect();
    index.reverse();
    index
}
