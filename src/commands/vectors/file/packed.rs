//! Packed files: sequences of different lengths one after another in one batch, each with a state of its own.

use deltanet_reference::rule::Sizes;
use safetensors::{Dtype, SafeTensors};

use super::names::{Form, TENSORS};
use super::{Vectors, VectorsError, words};

/// The tensor of the sequences' first tokens.
pub const NAME: &str = "cu_seqlens";
/// Tensors that are the same for a sequence without tokens.
const PAIRS: [(&str, &str, &str); 5] = [
    ("state", "initial_state", "final_state"),
    ("state", "initial_state", "state_block"),
    ("state", "initial_state", "state_tiled"),
    ("state", "initial_state", "hf_state"),
    ("gradient by the state", "dfinal_state", "dinitial_state"),
];

/// Reads the first token of each sequence, and the number of tokens at the end; none if the file is not packed.
pub fn bounds(file: &SafeTensors<'_>, sizes: Sizes) -> Result<Option<Vec<usize>>, VectorsError> {
    let Ok(view) = file.tensor(NAME) else {
        return Ok(None);
    };
    let shape = view.shape();
    if shape.len() != 1 || shape[0] < 2 {
        let wanted =
            "[N + 1] is needed: the first token of each of N sequences, then the number of tokens";
        return Err(VectorsError::shape(NAME, &view, wanted.into()));
    }
    if sizes.sequences != 1 {
        return Err(VectorsError::Shape {
            name: "q",
            shape: sizes.key_shape().to_vec(),
            wanted: format!("with `{NAME}` it is [1, T, H, K], all sequences in one row"),
        });
    }
    let numbers: Vec<i64> = match view.dtype() {
        Dtype::I32 => words(view.data())
            .map(|word| i32::from_le_bytes(word).into())
            .collect(),
        Dtype::I64 => words(view.data()).map(i64::from_le_bytes).collect(),
        dtype => {
            return Err(VectorsError::Dtype {
                name: NAME,
                dtype,
                wanted: "I32 or I64",
            });
        }
    };
    let falls = numbers.windows(2).position(|pair| pair[1] < pair[0]);
    let (first, last) = (numbers[0], numbers[numbers.len() - 1]);
    if let Some(at) = falls {
        return Err(VectorsError::Falls {
            from: numbers[at],
            to: numbers[at + 1],
            at: at + 1,
        });
    }
    if first != 0 || usize::try_from(last) != Ok(sizes.tokens) {
        return Err(VectorsError::Bounds {
            first,
            last,
            tokens: sizes.tokens,
        });
    }
    let bounds = numbers
        .into_iter()
        .filter_map(|at| usize::try_from(at).ok());
    Ok(Some(bounds.collect()))
}

impl Vectors {
    /// Splits a packed file into its sequences that have tokens; a batch has none.
    pub(super) fn split(&self) -> Result<Vec<Vectors>, VectorsError> {
        let Some(bounds) = &self.bounds else {
            return Ok(Vec::new());
        };
        let count = bounds.len() - 1;
        let mut sequences = Vec::new();
        for (number, pair) in bounds.windows(2).enumerate() {
            let (first, end) = (pair[0], pair[1]);
            if first == end {
                self.check_nothing_changes(number, count)?;
                continue;
            }
            let part = |(name, values): (&&'static str, &Vec<f32>)| {
                let (rows, from, to) = match is_state(name) {
                    true => (count, number, number + 1),
                    false => (self.sizes.tokens, first, end),
                };
                let width = values.len() / rows;
                (*name, values[from * width..to * width].to_vec())
            };
            sequences.push(Vectors {
                name: self.name.clone(),
                sequence: Some(format!("sequence {number}, tokens {first} to {}", end - 1)),
                sizes: Sizes {
                    tokens: end - first,
                    ..self.sizes
                },
                bounds: None,
                scale: self.scale,
                layout: self.layout,
                notes: self.notes.clone(),
                halves: self.halves.clone(),
                map: self.map,
                tensors: self.tensors.iter().map(part).collect(),
            });
        }
        Ok(sequences)
    }

    /// Refuses a file whose state, or the gradient by it, changes over a sequence without tokens.
    fn check_nothing_changes(&self, sequence: usize, count: usize) -> Result<(), VectorsError> {
        let row = |name: &str| {
            let values = self.tensors.get(name)?;
            let width = values.len() / count;
            values.get(sequence * width..(sequence + 1) * width)
        };
        for (what, before, after) in PAIRS {
            let Some(values) = row(after) else { continue };
            let same = match row(before) {
                Some(before) => before == values,
                None => values.iter().all(|x| *x == 0.0),
            };
            if !same {
                return Err(VectorsError::ChangedByNothing {
                    sequence,
                    what,
                    after,
                });
            }
        }
        Ok(())
    }
}

/// Returns true for tensors with a row for each sequence; all others have a row for each token.
fn is_state(name: &str) -> bool {
    let mut states = TENSORS.iter().filter(|tensor| tensor.form == Form::States);
    states.any(|tensor| tensor.name == name)
}
