//! Tests against tensors that Hugging Face transformers' and FLA's own code computed (`tests/data`, see its README).

use super::call::Call;
use crate::common::distance;
use deltanet_reference::rule::chunk::{Inverse, chunked};
use deltanet_reference::rule::*;
use deltanet_reference::widen;
use safetensors::SafeTensors;

/// The tensors of a file of `tests/data`.
struct Vectors {
    call: Call<f32>,
    bytes: Vec<u8>,
}

impl Vectors {
    fn read(name: &str) -> Vectors {
        let path = format!(
            "{}/tests/data/{name}.safetensors",
            env!("CARGO_MANIFEST_DIR")
        );
        let bytes = std::fs::read(path).unwrap();
        let (_, header) = SafeTensors::read_metadata(&bytes).unwrap();
        let shape = |tensor: &str| header.info(tensor).unwrap().shape.clone();
        let (q, v) = (shape("q"), shape("v"));
        let sizes = Sizes {
            sequences: q[0],
            tokens: q[1],
            key_heads: q[2],
            value_heads: v[2],
            key_size: q[3],
            value_size: v[3],
            gate_kind: GateKind::PerHead,
        };
        let call = Call {
            sizes,
            q: tensor(&bytes, "q"),
            k: tensor(&bytes, "k"),
            v: tensor(&bytes, "v"),
            g: tensor(&bytes, "g"),
            beta: tensor(&bytes, "beta"),
            state: tensor(&bytes, "initial_state"),
        };
        Vectors { call, bytes }
    }

    fn tensor(&self, name: &str) -> Vec<f64> {
        widen(&tensor(&self.bytes, name))
    }
}

fn tensor(bytes: &[u8], name: &str) -> Vec<f32> {
    let file = SafeTensors::deserialize(bytes).unwrap();
    let tensor = file.tensor(name).unwrap();
    assert_eq!(tensor.dtype(), safetensors::Dtype::F32);
    let (words, _) = tensor.data().as_chunks();
    words.iter().map(|&word| f32::from_le_bytes(word)).collect()
}

const FILES: [&str; 3] = ["short", "one_chunk", "rect_state"];
const TILED: Convention = Convention {
    head_map: HeadMap::Tiled,
    ..Convention::FLA
};

/// Bound for expected tensors that were computed in f64 and stored as f32.
const HALF_ULP: f64 = 1e-7;

#[test]
fn the_oracle_gives_the_expected_tensors() {
    for name in FILES {
        let vectors = Vectors::read(name);
        let call = super::call::wide(&vectors.call);
        for (convention, map) in [(Convention::FLA, "block"), (TILED, "tiled")] {
            let got = call.run(&convention);
            let (output, state) = (
                vectors.tensor(&format!("o_{map}")),
                vectors.tensor(&format!("state_{map}")),
            );
            let size = state.iter().fold(1.0f64, |max, x| max.max(x.abs()));
            let (o, s) = (distance(&got.output, &output), distance(&got.state, &state));
            assert!(
                o <= HALF_ULP && s <= HALF_ULP * size,
                "{name}, {map}: output {o:e}, state {s:e}"
            );
        }
    }
}

#[test]
fn hugging_face_is_itself() {
    // Hugging Face ran its recurrence in f32. Its keys are normalised already, and a second normalisation changes them by 5e-7.
    for name in FILES {
        let vectors = Vectors::read(name);
        let got = super::call::wide(&vectors.call).run(&Convention::HUGGING_FACE);
        let o = distance(&got.output, &vectors.tensor("hf_o"));
        let s = distance(&got.state, &vectors.tensor("hf_state"));
        assert!(o < 5e-6 && s < 1e-5, "{name}: output {o:e}, state {s:e}");
    }
}

#[test]
fn the_goldens_are_close_to_the_expected_tensors() {
    for name in FILES {
        let vectors = Vectors::read(name);
        let Vectors { call, .. } = &vectors;
        for (convention, map) in [(Convention::FLA, "block"), (TILED, "tiled")] {
            let inputs = call.inputs(&convention);
            let recurrent = recurrence(&convention, call.sizes, inputs);
            let chunks =
                chunked(&convention, call.sizes, inputs, 64, Inverse::BlockMerge).outputs();
            for got in [recurrent, chunks] {
                let o = distance(&widen(&got.output), &vectors.tensor(&format!("o_{map}")));
                let s = distance(&widen(&got.state), &vectors.tensor(&format!("state_{map}")));
                assert!(
                    o < 2e-6 && s < 1e-5,
                    "{name}, {map}: output {o:e}, state {s:e}"
                );
            }
        }
    }
}

#[test]
fn the_expected_tensors_tell_the_head_maps_apart() {
    let vectors = Vectors::read("rect_state");
    assert!(distance(&vectors.tensor("o_block"), &vectors.tensor("o_tiled")) > 0.01);
}
