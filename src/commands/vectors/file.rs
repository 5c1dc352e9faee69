//! A safetensors file of inputs and expected values: its names, shapes and types are checked, its values converted to f32.

mod metadata;
mod names;
mod packed;

use std::collections::BTreeMap;
use std::path::Path;

use deltanet_reference::rule::{GateKind, HeadMap, Norm, Sizes, StateLayout};
use deltanet_reference::widen;
use half::{bf16, f16};
use safetensors::{Dtype, SafeTensors, tensor::TensorView};

use crate::exit::Stop;
use crate::files;
use crate::tensor::{NotSafetensors, read_safetensors};
use crate::text::shown;

use metadata::Metadata;
use names::{Form, TENSORS, TensorName};
pub use names::{GRADIENTS, RESULTS};

/// Bytes of the largest file that is read.
const MAX_FILE: u64 = 4 << 30;

/// The distance of two neighbours of bf16, as a share of a value, at most.
const BF16_PLACE: f64 = 1.0 / 128.0;
/// The distance of two neighbours of f16, as a share of a value, at most.
const F16_PLACE: f64 = 1.0 / 1024.0;

/// The content of a file.
pub struct VectorFile {
    /// All tensors of the file.
    pub whole: Vectors,
    /// The sequences of a packed file that have tokens; none if the file is one batch.
    pub sequences: Vec<Vectors>,
}

/// Inputs, expected values and sizes of a file, or of a sequence of a packed file.
pub struct Vectors {
    /// The path as the user gave it.
    pub name: String,
    /// The sequence of a packed file; none if this is the whole file.
    pub sequence: Option<String>,
    /// The sizes of the rule; a packed file is one sequence of all tokens.
    pub sizes: Sizes,
    /// The first token of each sequence of a packed file, and the number of tokens.
    pub bounds: Option<Vec<usize>>,
    /// The factor on the output that the metadata names.
    pub scale: Option<f64>,
    /// The layout of states and of their gradients.
    pub layout: StateLayout,
    /// Notes on conversions of the tensors.
    pub notes: Vec<String>,
    /// Tensors of half precision, with the share of a value that the type's rounding may change.
    halves: BTreeMap<&'static str, f64>,
    /// The head map of results and gradients whose names do not tell it.
    map: HeadMap,
    tensors: BTreeMap<&'static str, Vec<f32>>,
}

/// Expected tensors that one run of a kernel gives.
pub struct Expectation {
    /// Map from value heads to query/key heads.
    pub map: HeadMap,
    /// True for the gradients of a backward pass, false for output and state of the rule.
    pub gradients: bool,
    /// The names of the tensors, some of which the file may lack: output and state, or the gradients in the order of [`GRADIENTS`].
    pub names: &'static [&'static str],
    /// The first of the names that the file has.
    pub present: &'static str,
}

/// A reason why a file of vectors cannot be used.
#[derive(Debug, thiserror::Error)]
enum VectorsError {
    #[error(transparent)]
    Format(#[from] NotSafetensors),
    #[error("no tensor `{0}`: q, k [B, T, H, K], v [B, T, HV, V] and beta [B, T, HV] are needed")]
    Missing(&'static str),
    #[error("no tensor `{needed}`, which `{of}` is computed from")]
    Needs {
        needed: &'static str,
        of: &'static str,
    },
    #[error("tensors `{0}` and `{1}` are two names of one input: leave one out")]
    Twice(&'static str, &'static str),
    #[error(
        "no expected tensors: it needs o and final_state, or gradients: dq, dk, dv, dg, dbeta, dinitial_state"
    )]
    NothingExpected,
    #[error(
        "`{0}` is a gradient by a result, and no gradient by an input is expected: dq, dk, dv, dg, dbeta or dinitial_state"
    )]
    NoGradient(&'static str),
    #[error(
        "tensor `{name}` is neither an input nor an expected output that is known here; rename it or leave it out: {known}",
        known = names::known()
    )]
    Unknown { name: String },
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
    #[error("the metadata's {key} `{text}` is not {wanted}")]
    Metadata {
        key: &'static str,
        text: String,
        wanted: &'static str,
    },
    #[error("the metadata says {key}, which no kernel here computes: store {instead}")]
    InKernel {
        key: &'static str,
        instead: &'static str,
    },
    #[error(
        "`{0}` is by q or k before their norm, which no kernel here computes: store normalised q and k, and gradients by them"
    )]
    BeforeNorm(&'static str),
    #[error("tensor `{name}` falls from {from} to {to} at [{at}]: sequences follow one another", name = packed::NAME)]
    Falls { from: i64, to: i64, at: usize },
    #[error("tensor `{name}` goes from {first} to {last}; it goes from 0 to {tokens}, the tokens of q", name = packed::NAME)]
    Bounds {
        first: i64,
        last: i64,
        tokens: usize,
    },
    #[error(
        "sequence {sequence} of `{bounds}` has no token, so that its {what} stays; `{after}` has another there",
        bounds = packed::NAME
    )]
    ChangedByNothing {
        sequence: usize,
        what: &'static str,
        after: &'static str,
    },
}

impl VectorFile {
    /// Reads and checks a file.
    ///
    /// # Errors
    /// The file cannot be read or is not a safetensors file, or a tensor is missing, unknown, of another shape or type, or not finite.
    pub fn read(path: &Path) -> Result<VectorFile, Stop> {
        let bytes = files::read(path, MAX_FILE).map_err(Stop::setup)?;
        let name = shown(path);
        let file = Vectors::parse(&name, &bytes)
            .and_then(|whole| Ok((whole.split()?, whole)))
            .map_err(|error| Stop::setup(format!("{name}: {error}")))?;
        let (sequences, whole) = file;
        Ok(VectorFile { whole, sequences })
    }
}

impl Vectors {
    /// Returns the file's name, with the sequence of a packed file.
    pub fn title(&self) -> String {
        let sequence = self.sequence.as_ref();
        sequence.map_or(self.name.clone(), |sequence| {
            format!("{}, {sequence}", self.name)
        })
    }

    fn parse(name: &str, bytes: &[u8]) -> Result<Vectors, VectorsError> {
        let (header, file) = read_safetensors(bytes)?;
        let metadata = Metadata::read(header.metadata().as_ref())?;
        let sizes = sizes(&file)?;
        let bounds = packed::bounds(&file, sizes)?;
        let count = bounds.as_ref().map_or(sizes.sequences, |at| at.len() - 1);
        let layout = metadata
            .layout
            .unwrap_or_else(|| layout_of(&file, sizes, count));
        let mut vectors = Vectors {
            name: name.to_string(),
            sequence: None,
            sizes,
            bounds,
            scale: metadata.scale,
            layout,
            notes: Vec::new(),
            halves: BTreeMap::new(),
            map: metadata.map,
            tensors: BTreeMap::new(),
        };
        for tensor in TENSORS {
            if let Some((name, view)) = tensor.find(&file)? {
                let (axes, shape) = vectors.shape(tensor.form, count);
                vectors.take((tensor.name, name), &axes, &shape, &view)?;
            }
        }
        vectors.refuse_unknown(&file)?;
        vectors.complete()?;
        if metadata.norm {
            vectors.normalise()?;
        }
        Ok(vectors)
    }

    /// Returns the axes of a tensor, and its shape, in a file of `count` states.
    fn shape(&self, form: Form, count: usize) -> (String, Vec<usize>) {
        let sizes = self.sizes;
        let states = Sizes {
            sequences: count,
            ..sizes
        };
        match form {
            Form::Keys => ("[B, T, H, K]".into(), sizes.key_shape().to_vec()),
            Form::Values => ("[B, T, HV, V]".into(), sizes.value_shape().to_vec()),
            Form::Strengths => ("[B, T, HV]".into(), sizes.beta_shape().to_vec()),
            Form::Gates => match sizes.gate_kind {
                GateKind::PerHead => ("[B, T, HV]".into(), sizes.beta_shape().to_vec()),
                GateKind::PerKeyChannel => ("[B, T, HV, K]".into(), sizes.gate_shape().to_vec()),
            },
            Form::States => {
                let of = if self.bounds.is_some() { "N" } else { "B" };
                let matrix = match self.layout {
                    StateLayout::KeyMajor => "K, V",
                    StateLayout::ValueMajor => "V, K",
                };
                let shape = states.state_shape(self.layout).to_vec();
                (format!("[{of}, HV, {matrix}]"), shape)
            }
        }
    }

    /// Refuses a file with a tensor of an unknown name, because a result that depends on the tensor would be judged without it.
    fn refuse_unknown(&self, file: &SafeTensors<'_>) -> Result<(), VectorsError> {
        let mut names = file.names();
        names.sort_unstable();
        let known = |name: &str| {
            TENSORS
                .iter()
                .any(|tensor| tensor.names().any(|n| n == name))
        };
        let unknown = |name: &&str| *name != packed::NAME && !known(name);
        let Some(name) = names.into_iter().find(unknown) else {
            return Ok(());
        };
        let name = name.escape_debug().to_string();
        Err(VectorsError::Unknown { name })
    }

    /// Checks that the file has everything that its results and gradients are computed from. Gates that the file lacks are 0.
    fn complete(&mut self) -> Result<(), VectorsError> {
        let has = |name: &str| self.tensors.contains_key(name);
        for name in ["q", "k", "v", "beta"] {
            if !has(name) {
                return Err(VectorsError::Missing(name));
            }
        }
        let gradient = GRADIENTS.into_iter().find(|name| has(name));
        let given = ["do", "dfinal_state"].into_iter().find(|name| has(name));
        match (gradient, given) {
            (Some(of), _) if !has("do") => return Err(VectorsError::Needs { needed: "do", of }),
            (None, Some(given)) => return Err(VectorsError::NoGradient(given)),
            _ => {}
        }
        if self.expectations().is_empty() {
            return Err(VectorsError::NothingExpected);
        }
        if !has("g") {
            if has("dg") {
                let (needed, of) = ("g", "dg");
                return Err(VectorsError::Needs { needed, of });
            }
            self.notes.push("no g: nothing decays".into());
            let gates = self.sizes.beta_shape().iter().product();
            self.tensors.insert("g", vec![0.0; gates]);
        }
        Ok(())
    }

    /// Divides q and k by their norms, as FLA's kernels do on request.
    fn normalise(&mut self) -> Result<(), VectorsError> {
        for gradient in ["dq", "dk"] {
            if self.tensors.contains_key(gradient) {
                return Err(VectorsError::BeforeNorm(gradient));
            }
        }
        for name in ["q", "k"] {
            if let Some(values) = self.tensors.get_mut(name) {
                let unit = Norm::FLA.rows(&widen(values), self.sizes.key_size);
                *values = unit.into_iter().map(|x| x as f32).collect();
            }
        }
        let note = format!("q and k normalised, by the metadata's {}", metadata::NORM);
        self.notes.push(note);
        Ok(())
    }

    /// Returns a tensor by its name, if the file has it.
    pub fn get(&self, name: &str) -> Option<&[f32]> {
        self.tensors.get(name).map(Vec::as_slice)
    }

    /// Returns the share of a value that the rounding of a tensor of half precision may change; none for other tensors.
    pub fn rounding(&self, name: &str) -> Option<f64> {
        self.halves.get(name).copied()
    }

    /// Returns the expected tensors: those of each head map, and of each name of a result.
    pub fn expectations(&self) -> Vec<Expectation> {
        let results = RESULTS
            .iter()
            .map(|(map, names)| (map.unwrap_or(self.map), false, &names[..]));
        let all = results.chain([(self.map, true, &GRADIENTS[..])]);
        let all = all.filter_map(|(map, gradients, names)| {
            let has = |name: &&&'static str| self.tensors.contains_key(**name);
            Some(Expectation {
                map,
                gradients,
                names,
                present: names.iter().find(has)?,
            })
        });
        all.collect()
    }

    /// Returns the first token of each sequence, and the number of tokens, with the sequences of a batch one after another.
    pub fn all_bounds(&self) -> Vec<usize> {
        let equal = (0..=self.sizes.sequences).map(|n| n * self.sizes.tokens);
        self.bounds.clone().unwrap_or_else(|| equal.collect())
    }

    /// Returns the states before the first token, or gradients by states: zeros if the file has none.
    pub fn states(&self, name: &str) -> Vec<f32> {
        let count = self
            .bounds
            .as_ref()
            .map_or(self.sizes.sequences, |at| at.len() - 1);
        let (_, shape) = self.shape(Form::States, count);
        self.get(name)
            .map_or_else(|| vec![0.0; shape.iter().product()], <[f32]>::to_vec)
    }

    fn take(
        &mut self,
        (known, name): (&'static str, &'static str),
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
        let rounding = match view.dtype() {
            Dtype::BF16 => Some(BF16_PLACE),
            Dtype::F16 => Some(F16_PLACE),
            _ => None,
        };
        self.halves.extend(rounding.map(|share| (known, share)));
        self.tensors.insert(known, values);
        Ok(())
    }
}

impl TensorName {
    /// Returns the tensor of this name in a file, and the name that the file has for it.
    fn find<'f>(
        &self,
        file: &'f SafeTensors<'_>,
    ) -> Result<Option<(&'static str, TensorView<'f>)>, VectorsError> {
        let mut found = self
            .names()
            .filter_map(|name| Some((name, file.tensor(name).ok()?)));
        let first = found.next();
        match (&first, found.next()) {
            (Some((first, _)), Some((second, _))) => Err(VectorsError::Twice(first, second)),
            _ => Ok(first),
        }
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
    let gate_kind = match file.tensor("g") {
        Ok(gates) if gates.shape().len() == 4 => GateKind::PerKeyChannel,
        _ => GateKind::PerHead,
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

/// Returns the layout of a file's states by their shapes, which tell nothing where K = V.
fn layout_of(file: &SafeTensors<'_>, sizes: Sizes, count: usize) -> StateLayout {
    let states = Sizes {
        sequences: count,
        ..sizes
    };
    let value_major = states.state_shape(StateLayout::ValueMajor);
    let mut names = TENSORS
        .iter()
        .filter(|tensor| tensor.form == Form::States)
        .flat_map(TensorName::names);
    let has = |name: &str| {
        let view = file.tensor(name);
        view.is_ok_and(|view| view.shape() == value_major)
    };
    if sizes.key_size != sizes.value_size && names.any(has) {
        StateLayout::ValueMajor
    } else {
        StateLayout::KeyMajor
    }
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
