//! Tests against tensors that Flash Linear Attention's own code computed: packed sequences, gates per key channel, and gradients
//! (`tests/data/fla_*.safetensors`, written by `scripts/fla-vectors.py`).

use crate::common::distance;
use deltanet_reference::rule::packed::{PackedCall, PackedChunks, Rounding, StateType, packed};
use deltanet_reference::rule::*;
use safetensors::{Dtype, SafeTensors};

/// Bound for tensors that FLA computed in f64, as a share of the largest value, which counts as at least 1.
const WIDE: f64 = 1e-13;
/// The same for tensors that FLA computed in f32.
const NARROW: f64 = 5e-7;

/// A file of FLA's tensors, and what its inputs are in f64.
struct File {
    name: &'static str,
    bytes: Vec<u8>,
    sizes: Sizes,
    bounds: Vec<usize>,
    scale: Scale,
    layout: StateLayout,
    q: Vec<f64>,
    k: Vec<f64>,
    v: Vec<f64>,
    g: Vec<f64>,
    beta: Vec<f64>,
    initial: Vec<f64>,
}

impl File {
    fn read(name: &'static str) -> File {
        let path = format!(
            "{}/tests/data/{name}.safetensors",
            env!("CARGO_MANIFEST_DIR")
        );
        let bytes = std::fs::read(path).unwrap();
        let (_, header) = SafeTensors::read_metadata(&bytes).unwrap();
        let metadata = header.metadata().clone().unwrap();
        let shape = |tensor: &str| header.info(tensor).unwrap().shape.clone();
        let (q, v) = (shape("q"), shape("v"));
        let gates = header.info("g").map(|info| info.shape.len());
        let sizes = Sizes {
            sequences: q[0],
            tokens: q[1],
            key_heads: q[2],
            value_heads: v[2],
            key_size: q[3],
            value_size: v[3],
            gate_kind: match gates {
                Some(4) => GateKind::PerKeyChannel,
                _ => GateKind::PerHead,
            },
        };
        let says = |key: &str| metadata.get(key).is_some_and(|text| text == "True");
        let layout = match says("state_v_first") {
            true => StateLayout::ValueMajor,
            false => StateLayout::KeyMajor,
        };
        let scale = metadata.get("scale");
        let equal = (0..=q[0]).map(|n| n * q[1]);
        let mut file = File {
            name,
            sizes,
            bounds: bounds(&bytes).unwrap_or_else(|| equal.collect()),
            scale: scale.map_or(Scale::InverseSqrtKeySize, |text| {
                Scale::Factor(text.parse().unwrap())
            }),
            layout,
            q: Vec::new(),
            k: Vec::new(),
            v: Vec::new(),
            g: vec![0.0; q[0] * q[1] * v[2]],
            beta: Vec::new(),
            initial: Vec::new(),
            bytes,
        };
        let of = |name: &str| file.find(name).map(|(_, values)| values);
        let (q, k, v, beta) = (of("q"), of("k"), of("v"), of("beta"));
        let (g, initial) = (of("g"), of("initial_state"));
        (file.q, file.k, file.v) = (q.unwrap(), k.unwrap(), v.unwrap());
        file.beta = beta.unwrap();
        if let Some(g) = g {
            file.g = g;
        }
        let states = file.sequences() * sizes.value_heads * sizes.key_size * sizes.value_size;
        file.initial = initial.unwrap_or_else(|| vec![0.0; states]);
        if says("use_qk_l2norm_in_kernel") {
            file.q = Norm::FLA.rows(&file.q, sizes.key_size);
            file.k = Norm::FLA.rows(&file.k, sizes.key_size);
        }
        file
    }

    fn sequences(&self) -> usize {
        self.bounds.len() - 1
    }

    /// Returns a tensor in f64, and its type in the file.
    fn find(&self, name: &str) -> Option<(Dtype, Vec<f64>)> {
        let file = SafeTensors::deserialize(&self.bytes).unwrap();
        let tensor = file.tensor(name).ok()?;
        let (data, dtype) = (tensor.data(), tensor.dtype());
        let values = match dtype {
            Dtype::F32 => {
                let (words, _) = data.as_chunks();
                words
                    .iter()
                    .map(|&x| f32::from_le_bytes(x).into())
                    .collect()
            }
            Dtype::F64 => {
                let (words, _) = data.as_chunks();
                words.iter().map(|&x| f64::from_le_bytes(x)).collect()
            }
            other => panic!("{name} holds {other:?}"),
        };
        Some((dtype, values))
    }

    /// Compares values with a tensor of the file; a file without the tensor is not compared. Returns true if it has the tensor.
    fn agrees(&self, tensor: &str, got: &[f64]) -> bool {
        let Some((dtype, want)) = self.find(tensor) else {
            return false;
        };
        let largest = want.iter().fold(1.0f64, |max, x| max.max(x.abs()));
        let bound = if dtype == Dtype::F64 { WIDE } else { NARROW };
        let off = distance(got, &want) / largest;
        assert!(off <= bound, "{}, {tensor}: off by {off:e}", self.name);
        true
    }

    /// Compares output and final states with all tensors of the file that hold them. Returns their number.
    fn results_agree(&self, output: &[f64], states: &[f64]) -> usize {
        let outputs = ["o", "o_block"].map(|name| self.agrees(name, output));
        let states = ["final_state", "state_block"].map(|name| self.agrees(name, states));
        let all = outputs.into_iter().chain(states);
        all.filter(|there| *there).count()
    }

    fn layout(&self) -> Layout<'_> {
        Layout {
            bounds: &self.bounds,
            key_heads: self.sizes.key_heads,
            value_heads: self.sizes.value_heads,
            key_size: self.sizes.key_size,
            value_size: self.sizes.value_size,
        }
    }

    /// Returns output and final states by the recurrence.
    fn recurrence(&self) -> (Vec<f64>, Vec<f64>) {
        let call = PackedCall {
            layout: self.layout(),
            gate_kind: self.sizes.gate_kind,
            head_map: HeadMap::Block,
            order: Order::DecayFirst,
            state: self.layout,
            kept: (StateType::Whole, Rounding::Launch),
            steps: 1,
            scale: self.scale.factor(self.sizes.key_size),
            q: &self.q,
            k: &self.k,
            v: &self.v,
            g: &self.g,
            beta: &self.beta,
        };
        let mut states = self.initial.clone();
        let starts: Vec<_> = (0..self.sequences()).map(Some).collect();
        let last = |n: usize, token: usize| {
            (self.bounds[n] + token + 1 == self.bounds[n + 1]).then_some(n)
        };
        let output = packed(&call, &mut states, &starts, last);
        (output, states)
    }

    /// Returns the gradients of each sequence, packed as the inputs are, in the order of [`GRADIENTS`].
    fn gradients(&self) -> [Vec<f64>; 6] {
        let convention = Convention {
            state: self.layout,
            scale: self.scale,
            ..Convention::FLA
        };
        let (_, by_output) = self.find("do").unwrap();
        let (_, by_state) = self.find("dfinal_state").unwrap();
        let mut all: [Vec<f64>; 6] = Default::default();
        let tokens = self.bounds[self.sequences()];
        for n in 0..self.sequences() {
            let (first, end) = (self.bounds[n], self.bounds[n + 1]);
            let rows = |x: &'_ [f64]| {
                let width = x.len() / tokens;
                x[first * width..end * width].to_vec()
            };
            let state = |x: &[f64]| {
                let width = x.len() / self.sequences();
                x[n * width..(n + 1) * width].to_vec()
            };
            let sizes = Sizes {
                sequences: 1,
                tokens: end - first,
                ..self.sizes
            };
            let inputs = Inputs {
                q: &rows(&self.q),
                k: &rows(&self.k),
                v: &rows(&self.v),
                g: &rows(&self.g),
                beta: &rows(&self.beta),
                state: &state(&self.initial),
            };
            let by = OutputGradients {
                output: &rows(&by_output),
                state: &state(&by_state),
            };
            let found = backward(&convention, sizes, inputs, by);
            let found = [found.q, found.k, found.v, found.g, found.beta, found.state];
            all.iter_mut().zip(found).for_each(|(all, x)| all.extend(x));
        }
        all
    }
}

/// Returns the bounds of a packed file.
fn bounds(bytes: &[u8]) -> Option<Vec<usize>> {
    let file = SafeTensors::deserialize(bytes).unwrap();
    let tensor = file.tensor("cu_seqlens").ok()?;
    assert_eq!(tensor.dtype(), Dtype::I64);
    let (words, _) = tensor.data().as_chunks();
    let numbers = words.iter().map(|&x| i64::from_le_bytes(x));
    Some(numbers.map(|x| usize::try_from(x).unwrap()).collect())
}

const GRADIENTS: [&str; 6] = ["dq", "dk", "dv", "dg", "dbeta", "dinitial_state"];

/// The files, with the number of tensors of results.
const FILES: [(&str, usize); 7] = [
    ("fla_packed", 4),
    ("fla_kda_packed", 4),
    ("fla_kda", 1),
    ("fla_normalised", 2),
    ("fla_backward", 2),
    ("fla_kda_backward_packed", 2),
    ("fla_delta_rule", 2),
];

#[test]
fn the_recurrence_gives_the_results() {
    for (name, count) in FILES {
        let file = File::read(name);
        let (output, states) = file.recurrence();
        assert_eq!(file.results_agree(&output, &states), count, "{name}");
    }
}

#[test]
fn chunks_give_the_results() {
    for ((name, count), chunk) in FILES.into_iter().flat_map(|file| [(file, 64), (file, 5)]) {
        let file = File::read(name);
        let by = PackedChunks {
            layout: file.layout(),
            gate_kind: file.sizes.gate_kind,
            head_map: HeadMap::Block,
            chunk,
        };
        let scale = file.scale.factor(file.sizes.key_size);
        let sums = by.cumsum(&file.g);
        let inverse = by.inverse(&by.l(&file.k, &file.beta, &sums));
        let uw = by.uw((&file.k, &file.v, &file.beta), &sums, &inverse);
        let states = by.states(&file.k, &uw, &sums, (&file.initial, file.layout));
        let attention = by.attention(&file.q, &file.k, &sums, scale);
        let output = by.outputs(&file.q, (&attention, &states.vn), &sums, &states.h, scale);
        assert_eq!(file.results_agree(&output, &states.last), count, "{name}");
    }
}

#[test]
fn the_backward_pass_gives_the_gradients() {
    for (name, count) in [
        ("fla_backward", 6),
        ("fla_kda_backward_packed", 6),
        // Without gates there is no gradient by them.
        ("fla_delta_rule", 5),
    ] {
        let file = File::read(name);
        let found = file.gradients();
        let agree = GRADIENTS.iter().zip(&found);
        let agree = agree.filter(|(name, values)| file.agrees(name, values));
        assert_eq!(agree.count(), count, "{name}");
    }
}
