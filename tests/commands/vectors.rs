//! `vectors`: tensors from elsewhere, as they come and with one thing changed.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde_json::Value;

use crate::{Run, refused, run, scratch};

/// Tensors that Hugging Face's and FLA's own code made.
const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/reference/tests/data");

/// A file of tensors, to be changed.
struct File {
    tensors: BTreeMap<String, (Dtype, Vec<usize>, Vec<u8>)>,
    metadata: HashMap<String, String>,
}

impl File {
    fn sample(name: &str) -> File {
        let bytes = std::fs::read(format!("{SAMPLES}/{name}.safetensors")).expect("a sample");
        let (_, header) = SafeTensors::read_metadata(&bytes).expect("a header");
        let file = SafeTensors::deserialize(&bytes).expect("a sample");
        let tensors = file.iter().map(|(name, view)| {
            let tensor = (view.dtype(), view.shape().to_vec(), view.data().to_vec());
            (name.to_string(), tensor)
        });
        let mut tensors: BTreeMap<_, _> = tensors.collect();
        // What Hugging Face's code gave is judged where the samples are taken as they are.
        tensors.retain(|name, _| !name.starts_with("hf_"));
        File {
            tensors,
            metadata: header.metadata().clone().unwrap_or_default(),
        }
    }

    fn values(&self, name: &str) -> Vec<f32> {
        let (words, _) = self.tensors[name].2.as_chunks();
        words.iter().map(|&word| f32::from_le_bytes(word)).collect()
    }

    /// Replaces the values and the type of a tensor.
    fn put(&mut self, name: &str, dtype: Dtype, data: Vec<u8>) {
        let tensor = self.tensors.get_mut(name).expect("there");
        (tensor.0, tensor.2) = (dtype, data);
    }

    /// Changes one element of a tensor.
    fn change(&mut self, name: &str, at: usize, change: impl Fn(f32) -> f32) {
        let mut values = self.values(name);
        values[at] = change(values[at]);
        let data = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.put(name, Dtype::F32, data);
    }

    fn bytes(&self) -> Vec<u8> {
        let views = self.tensors.iter().map(|(name, (dtype, shape, data))| {
            let view = TensorView::new(*dtype, shape.clone(), data).expect("a shape that fits");
            (name, view)
        });
        safetensors::serialize(views, Some(self.metadata.clone())).expect("written")
    }

    /// Runs `vectors` on it.
    fn judged(&self, name: &str, flags: &[&str]) -> Run {
        let here = scratch(&format!("vectors-{name}"));
        std::fs::write(here.join("f.safetensors"), self.bytes()).expect("written");
        run(&here, &[&["vectors", "f.safetensors"], flags].concat())
    }

    /// The line with which `vectors` refuses it, after the name of the file.
    fn refused(&self, name: &str) -> String {
        refused_bytes(name, &self.bytes())
    }
}

fn refused_bytes(name: &str, bytes: &[u8]) -> String {
    let here = scratch(&format!("vectors-{name}"));
    std::fs::write(here.join("f.safetensors"), bytes).expect("written");
    let line = refused(&here, &["vectors", "f.safetensors"]);
    line.strip_prefix("f.safetensors: ")
        .expect("the file's name")
        .to_owned()
}

fn json(run: &Run) -> Value {
    serde_json::from_str(&run.out).expect("JSON")
}

/// The report of a test run, beside the table; whether it can be written is found out before anything runs.
#[test]
fn the_report_goes_to_a_file_as_well() {
    let here = scratch("vectors-report");
    let file = format!("{SAMPLES}/short.safetensors");
    let told = run(&here, &["vectors", &file, "--report", "report.json"]);
    assert_eq!((told.code, told.err.as_str()), (0, ""), "{}", told.out);
    assert!(told.out.contains("PASS"), "{}", told.out);
    let text = std::fs::read_to_string(here.join("report.json")).expect("written");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(report["schema"], "deltanet-check/report/1");
    assert_eq!(report["phases"][0]["title"], file.as_str());
    crate::schemas::validate(&report);
    let none = refused(&here, &["vectors", &file, "--report", "none/report.json"]);
    assert!(
        none.starts_with("cannot write none/report.json: "),
        "{none}"
    );
}

#[test]
fn the_samples_pass_under_both_head_maps() {
    let files = ["short", "one_chunk", "rect_state"].map(|name| format!("{name}.safetensors"));
    let mut args = vec!["vectors", "--format", "json"];
    args.extend(files.iter().map(String::as_str));
    let run = run(Path::new(SAMPLES), &args);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    let report = json(&run);
    let mut ran = Vec::new();
    for file in report["phases"].as_array().expect("files") {
        for trial in file["trials"].as_array().expect("trials") {
            let name = trial["id"].as_str().expect("an id");
            let (family, shape) = name.split_once(':').expect("a shape");
            let map = shape.rsplit_once("map=").expect("a map").1;
            let title = file["title"].as_str().expect("a title");
            ran.push(format!("{title} {family} {map}"));
            assert_eq!(trial["outputs"].as_array().expect("outputs").len(), 2);
        }
        let note = file["note"].as_str().expect("a note");
        assert!(!note.contains("DIFFERS"), "{note}");
    }
    let mut all = Vec::new();
    for (file, ggml) in files.iter().zip([true, true, false]) {
        let families = ["recurrent", "chunked", "ggml"];
        for family in &families[..if ggml { 3 } else { 2 }] {
            // The third entry is the results of Hugging Face's code.
            for map in ["block", "tiled", "block"] {
                all.push(format!("{file} {family} {map}"));
            }
        }
    }
    assert_eq!(ran, all);
}

#[test]
fn one_changed_expectation_fails_in_its_map_only() {
    let mut file = File::sample("short");
    file.change("o_tiled", 1000, |x| x + 1e-3);
    let run = file.judged("changed", &["--family", "recurrent"]);
    assert_eq!((run.code, run.err.as_str()), (1, ""), "{}", run.out);
    assert!(run.out.contains("1/2 passed, 1 failed"), "{}", run.out);
    // Element 1000 of [2, 17, 2, 64].
    let place = "o_tiled ITSELF DIFFERS from the f64 recurrence: max 1.00e-3";
    assert!(run.out.contains(place), "{}", run.out);
    let worst = "the worst at sequence 0, token 7, head 1, channel 40";
    assert!(run.out.contains(worst), "{}", run.out);
    assert!(
        run.out
            .contains("deltanet-check vectors f.safetensors --family recurrent"),
        "{}",
        run.out
    );

    let mut file = File::sample("short");
    file.change("state_block", 0, |x| x - 1e-3);
    let run = file.judged("changed-state", &["--family", "ggml", "--format", "json"]);
    assert_eq!(run.code, 1, "{}", run.out);
    let report = json(&run);
    assert_eq!(report["totals"]["fail"], 1);
    // ggml's one buffer is judged by what it holds.
    let outputs = &report["phases"][0]["trials"][0]["outputs"];
    let verdict = |n: usize| (outputs[n]["name"].as_str(), outputs[n]["verdict"].as_str());
    assert_eq!(verdict(0), (Some("o"), Some("pass")));
    assert_eq!(verdict(1), (Some("states"), Some("fail")));
}

/// The kernel is right and the file is not: scale 1 expected by what the metadata says, 1/8 by what it holds.
#[test]
fn the_scale_of_the_metadata_counts() {
    let mut file = File::sample("short");
    file.metadata.insert("scale".into(), "1".into());
    let run = file.judged("scale", &["--family", "chunked", "--format", "json"]);
    assert_eq!(run.code, 1);
    for name in ["o_block", "o_tiled"] {
        let scaled: Vec<u8> = file
            .values(name)
            .iter()
            .flat_map(|x| (x * 8.0).to_le_bytes())
            .collect();
        file.put(name, Dtype::F32, scaled);
    }
    let run = file.judged("scale", &["--format", "json"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    let note = json(&run)["phases"][0]["note"].to_string();
    assert!(
        note.contains("ggml's kernel scales by 1/sqrt(K) only"),
        "{note}"
    );

    file.metadata.insert("scale".into(), "an eighth".into());
    let line = file.refused("scale-word");
    assert_eq!(line, "the metadata's scale `an eighth` is not a number");
}

#[test]
fn other_types_are_converted_and_said() {
    let mut file = File::sample("short");
    let wide = |file: &File, name: &str| -> Vec<u8> {
        let values = file.values(name);
        values
            .iter()
            .flat_map(|&x| f64::from(x).to_le_bytes())
            .collect()
    };
    let data = wide(&file, "v");
    file.put("v", Dtype::F64, data);
    let run = file.judged("f64", &["--family", "recurrent"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    assert!(run.out.contains("v rounded from F64 to f32"), "{}", run.out);
    // In half precision the inputs are others, and so the expectations wrong, of the file and not of the kernel.
    let halves = file.values("k");
    let halves = halves
        .iter()
        .flat_map(|&x| half::bf16::from_f32(x).to_le_bytes());
    file.put("k", Dtype::BF16, halves.collect());
    let run = file.judged("bf16", &["--family", "recurrent"]);
    assert_eq!(run.code, 1);
    assert!(
        run.out.contains("k widened from BF16 to f32"),
        "{}",
        run.out
    );
    assert!(run.out.contains("o_block ITSELF DIFFERS"), "{}", run.out);

    let words = vec![0; file.values("q").len() * 4];
    file.put("q", Dtype::I32, words);
    assert_eq!(
        file.refused("i32"),
        "tensor `q` holds I32: store it as F32 (F16, BF16 and F64 are converted)"
    );
}

#[test]
fn what_a_family_cannot_compute() {
    let sample = Path::new(SAMPLES);
    let asked = run(
        sample,
        &["vectors", "rect_state.safetensors", "--family", "ggml"],
    );
    assert_eq!((asked.code, asked.err.as_str()), (1, ""), "{}", asked.out);
    assert!(asked.out.contains("  ggml's kernel takes K = V only: "));
    assert!(asked.out.contains("0/0 passed, 3 skipped"));

    // One map only, without an initial state.
    let mut file = File::sample("one_chunk");
    let zeros = file.values("initial_state").iter().all(|&x| x == 0.0);
    assert!(zeros, "the sample begins with zeros");
    for name in ["initial_state", "o_tiled", "state_tiled"] {
        file.tensors.remove(name);
    }
    let run = file.judged("one-map", &["--format", "json"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    assert_eq!(json(&run)["totals"]["pass"], 3);
}

#[test]
fn files_that_are_refused() {
    let sample = File::sample("short");
    let whole = sample.bytes();
    for (name, bytes) in [
        ("empty", &[][..]),
        ("text", b"hello, world, this is no file of tensors"),
        ("cut", &whole[..whole.len() / 2]),
        ("header", &whole[..100]),
        ("long", &[&whole[..], b"more"].concat()),
    ] {
        let line = refused_bytes(name, bytes);
        let what = "not a safetensors file, or cut short: ";
        assert!(line.starts_with(what), "{name}: {line}");
    }
    let without = |name: &str| {
        let mut file = File::sample("short");
        file.tensors.remove(name);
        file.refused("without")
    };
    for name in ["q", "k", "v", "g", "beta"] {
        let line = without(name);
        assert!(line.starts_with(&format!("no tensor `{name}`: ")), "{line}");
    }
    let reshaped = |name: &str, shape: &[usize]| {
        let mut file = File::sample("short");
        file.tensors.get_mut(name).expect("there").1 = shape.to_vec();
        file.refused("reshaped")
    };
    assert_eq!(
        reshaped("k", &[2, 17, 1, 128]),
        "tensor `k` has shape [2, 17, 1, 128]; [B, T, H, K] is [2, 17, 2, 64] here, by the shapes of q and v"
    );
    assert_eq!(
        reshaped("v", &[2, 17, 128]),
        "tensor `v` has shape [2, 17, 128]; [B, T, HV, V] is needed"
    );
    assert_eq!(
        reshaped("q", &[2, 17, 4, 32]),
        "v has 2 heads and q has 4: value heads must be a multiple of query/key heads"
    );
    assert!(
        reshaped("state_tiled", &[2, 2, 4096]).contains("[B, HV, K, V] is [2, 2, 64, 64] here")
    );

    let mut file = File::sample("short");
    file.change("beta", 3, |_| f32::NAN);
    assert_eq!(
        file.refused("nan"),
        "tensor `beta` holds NaN at [0, 1, 1]: only finite numbers (as f32) can be judged"
    );
    let mut file = File::sample("short");
    for name in ["o_block", "o_tiled", "state_block", "state_tiled"] {
        file.tensors.remove(name);
    }
    assert!(
        file.refused("nothing-expected")
            .starts_with("no expected tensors: ")
    );

    let here = scratch("vectors-none");
    assert!(refused(&here, &["vectors", "none"]).starts_with("cannot read none: No such file"));
    assert_eq!(run(&here, &["vectors"]).code, 2);
}

#[test]
fn a_code_object_without_the_kernels() {
    let line = refused(
        Path::new(SAMPLES),
        &[
            "vectors",
            "short.safetensors",
            "--kernels",
            &format!("{}/v5.co", crate::DATA),
        ],
    );
    assert!(
        line.contains("has no kernel of the gated delta rule"),
        "{line}"
    );
}

/// The sequences of a batch, one after another in one row.
fn packed(bounds: &[i32]) -> File {
    let mut file = File::sample("short");
    for (name, (_, shape, _)) in &mut file.tensors {
        if !name.contains("state") {
            let tokens = shape.remove(0);
            shape[0] *= tokens;
            shape.insert(0, 1);
        }
    }
    let data: Vec<u8> = bounds.iter().flat_map(|at| at.to_le_bytes()).collect();
    let tensor = (Dtype::I32, vec![bounds.len()], data);
    file.tensors.insert("cu_seqlens".into(), tensor);
    file
}

#[test]
fn sequences_of_a_packed_file_are_judged_one_by_one() {
    let run = packed(&[0, 17, 34]).judged("packed", &["--format", "json"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    let report = json(&run);
    // Two sequences, two head maps, three families.
    assert_eq!(report["totals"]["pass"], 12);
    let title = |n: usize| report["phases"][n]["title"].as_str();
    assert_eq!(title(0), Some("f.safetensors, sequence 0, tokens 0 to 16"));
    assert_eq!(title(1), Some("f.safetensors, sequence 1, tokens 17 to 33"));

    // Outputs of other sequences than `cu_seqlens` names are wrong.
    let run = packed(&[0, 8, 34]).judged("packed-elsewhere", &["--family", "recurrent"]);
    assert_eq!((run.code, run.err.as_str()), (1, ""), "{}", run.out);
    assert!(run.out.contains("ITSELF DIFFERS"), "{}", run.out);
}

#[test]
fn packed_files_that_are_refused() {
    let refused = |bounds: &[i32]| packed(bounds).refused("packed-refused");
    assert_eq!(
        refused(&[0, 20, 17, 34]),
        "tensor `cu_seqlens` falls from 20 to 17 at [2]: sequences follow one another"
    );
    assert_eq!(
        refused(&[0, 17, 33]),
        "tensor `cu_seqlens` goes from 0 to 33; it goes from 0 to 34, the tokens of q"
    );
    assert!(refused(&[1, 17, 34]).contains("goes from 1 to 34"));
    assert!(refused(&[34]).contains("[N + 1] is needed"));
    // One state too few, and a state that changes over no token.
    assert!(refused(&[0, 8, 17, 34]).contains("[N, HV, K, V] is [3, 2, 64, 64] here"));
    assert!(refused(&[0, 34, 34]).starts_with("sequence 1 of `cu_seqlens` has no token"));
    let mut file = packed(&[0, 17, 34]);
    file.tensors.get_mut("cu_seqlens").expect("there").0 = Dtype::F32;
    assert!(
        file.refused("packed-floats")
            .contains("store it as I32 or I64")
    );
    let mut file = File::sample("short");
    let bounds = (Dtype::I32, vec![3], vec![0; 12]);
    file.tensors.insert("cu_seqlens".into(), bounds);
    assert!(file.refused("packed-batch").contains("[1, T, H, K]"));
}

/// A tensor that nothing reads is refused.
#[test]
fn a_tensor_that_nothing_reads_is_refused() {
    let mut file = File::sample("short");
    let gates = file.tensors["g"].clone();
    file.tensors.insert("gk".into(), gates);
    let line = file.refused("unknown");
    assert!(
        line.starts_with("tensor `gk` is neither an input nor an expected output"),
        "{line}"
    );
    // One of two head maps that no kernel computes.
    let mut file = File::sample("rect_state");
    let (dtype, shape, data) = file.tensors["g"].clone();
    let repeated = data.as_chunks::<4>().0.iter().flat_map(|word| [*word; 64]);
    let gates = (
        dtype,
        [shape, vec![64]].concat(),
        repeated.flatten().collect(),
    );
    file.tensors.insert("g".into(), gates);
    let run = file.judged("unjudged", &[]);
    assert_eq!(run.code, 4, "{}{}", run.out, run.err);
}

/// A gate for each key channel, all of a head alike, is the head's gate: the expectations stay.
#[test]
fn gates_of_key_channels() {
    let mut file = File::sample("short");
    let (_, shape, _) = &file.tensors["g"];
    let channels = file.tensors["k"].1[3];
    let shape = [shape.as_slice(), &[channels]].concat();
    let repeat = |x: &f32| std::iter::repeat_n(*x, channels);
    let mut gates: Vec<f32> = file.values("g").iter().flat_map(repeat).collect();
    let bytes = |gates: &[f32]| gates.iter().flat_map(|x| x.to_le_bytes()).collect();
    file.tensors
        .insert("g".into(), (Dtype::F32, shape.clone(), bytes(&gates)));
    let run = file.judged("key-gates", &["--format", "json"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    let report = json(&run);
    // There are as many key heads as value heads, so that both head maps are the same to ggml.
    assert_eq!(report["totals"]["pass"], 2);
    let id = report["phases"][0]["trials"][0]["id"].to_string();
    assert!(id.contains("ggml:") && id.contains("gate=key"), "{id}");
    let note = report["phases"][0]["note"].to_string();
    assert!(note.contains("a gate for each key channel"), "{note}");

    // One channel of one token forgets everything.
    gates[5 * channels + 3] = -30.0;
    file.tensors
        .insert("g".into(), (Dtype::F32, shape, bytes(&gates)));
    let run = file.judged("key-gates-changed", &[]);
    assert_eq!((run.code, run.err.as_str()), (1, ""), "{}", run.out);
}

#[test]
fn a_code_object_with_the_kernels() {
    let built = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/built/deltanet.co");
    let args = ["vectors", "rect_state.safetensors", "--kernels", built];
    let run = run(Path::new(SAMPLES), &args);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    assert!(run.out.contains(built), "{}", run.out);
    assert!(run.out.contains("6/6 passed"), "{}", run.out);
}
