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
        // The third entry is the results of Hugging Face's code.
        for map in ["block", "tiled", "block"] {
            let families = ["recurrent", "chunked", "ggml", "packed", "packed-chunked"];
            for family in families.iter().filter(|family| ggml || **family != "ggml") {
                all.push(format!("{file} {family} {map}"));
            }
        }
    }
    ran.sort();
    all.sort();
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
    assert_eq!(json(&run)["totals"]["pass"], 5);
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
    for name in ["q", "k", "v", "beta"] {
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
    // Two head maps, each of two families that run on the whole file, and of three that run on each of two sequences.
    assert_eq!(report["totals"]["pass"], 16);
    let title = |n: usize| report["phases"][n]["title"].as_str();
    assert_eq!(title(0), Some("f.safetensors"));
    assert_eq!(title(1), Some("f.safetensors, sequence 0, tokens 0 to 16"));
    assert_eq!(title(2), Some("f.safetensors, sequence 1, tokens 17 to 33"));

    // Outputs of other sequences than `cu_seqlens` names are wrong.
    let run = packed(&[0, 8, 34]).judged("packed-elsewhere", &["--family", "recurrent"]);
    assert_eq!((run.code, run.err.as_str()), (1, ""), "{}", run.out);
    assert!(run.out.contains("ITSELF DIFFERS"), "{}", run.out);
    let run = packed(&[0, 8, 34]).judged("packed-elsewhere", &["--family", "packed"]);
    assert_eq!((run.code, run.err.as_str()), (1, ""), "{}", run.out);
    assert!(run.out.contains("0/2 passed, 2 failed"), "{}", run.out);
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
    // Heads that are larger than any kernel takes.
    let mut file = File::sample("short");
    file.tensors.retain(|name, _| !name.contains("state"));
    for (_, shape, data) in file.tensors.values_mut() {
        if shape.len() == 4 {
            *shape = vec![1, 1, 1, data.len() / 4];
        } else {
            (*shape, *data) = (vec![1, 1, 1], data[..4].to_vec());
        }
    }
    let run = file.judged("too-large", &[]);
    assert_eq!(run.code, 4, "{}{}", run.out, run.err);
    assert!(
        run.err
            .contains("heads of 4352 channels; the kernels take 256 at most"),
        "{}",
        run.err
    );
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
    // There are as many key heads as value heads, so that both head maps are the same to ggml. Kernels of packed sequences have both.
    assert_eq!(report["totals"]["pass"], 6);
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

/// A file with results and gradients, and a code object with kernels for the results alone.
#[test]
fn a_code_object_without_kernels_of_gradients() {
    let bindings = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bindings");
    let file = format!("{SAMPLES}/fla_backward.safetensors");
    let by = ["--kernels", "rule.co", "--bind", "rule.toml"];
    let args = [&["vectors", &file][..], &by].concat();
    let line = refused(Path::new(bindings), &args);
    assert!(
        line.ends_with(
            "nothing can compute what tensor `dq` expects: there is no kernel for it; --family names the one that is judged"
        ),
        "{line}"
    );
}

#[test]
fn a_code_object_with_the_kernels() {
    let built = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/built/deltanet.co");
    let args = ["vectors", "rect_state.safetensors", "--kernels", built];
    let run = run(Path::new(SAMPLES), &args);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    assert!(run.out.contains(built), "{}", run.out);
    assert!(run.out.contains("12/12 passed"), "{}", run.out);
}

/// The families that judged the parts of a file, in the order of the report.
fn families(report: &Value) -> Vec<Vec<String>> {
    let phases = report["phases"].as_array().expect("parts");
    let of_part = |part: &Value| {
        let trials = part["trials"].as_array().expect("trials");
        let ids = trials.iter().filter_map(|trial| trial["id"].as_str());
        ids.filter_map(|id| Some(id.split_once(':')?.0.to_owned()))
            .collect()
    };
    phases.iter().map(of_part).collect()
}

const OF_RESULTS: [&str; 4] = ["recurrent", "chunked", "packed", "packed-chunked"];
const OF_GRADIENTS: [&str; 2] = ["backward", "backward-chunked"];

/// Every result of FLA's own code is judged by every family that can compute it.
#[test]
fn files_of_fla_pass() {
    let all = [&OF_RESULTS[..], &OF_GRADIENTS].concat();
    let per_head: &[&str] = &OF_RESULTS[..2];
    let in_one_launch: &[&str] = &OF_RESULTS[2..];
    let twice = |families: &[&'static str]| [families, families].concat();
    let cases: [(&str, Vec<Vec<&str>>); 7] = [
        // The results of a kernel, and those of the plain function.
        (
            "fla_packed",
            [vec![twice(in_one_launch)], vec![twice(per_head); 4]].concat(),
        ),
        ("fla_kda_packed", vec![twice(in_one_launch)]),
        ("fla_kda", vec![in_one_launch.to_vec()]),
        (
            "fla_normalised",
            vec![in_one_launch.to_vec(), per_head.to_vec(), per_head.to_vec()],
        ),
        ("fla_backward", vec![all.clone()]),
        (
            "fla_kda_backward_packed",
            [vec![in_one_launch.to_vec()], vec![OF_GRADIENTS.to_vec(); 3]].concat(),
        ),
        ("fla_delta_rule", vec![all]),
    ];
    for (name, families_of_parts) in cases {
        let file = format!("{name}.safetensors");
        let run = run(Path::new(SAMPLES), &["vectors", &file, "--format", "json"]);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{name}: {}", run.out);
        let report = json(&run);
        assert_eq!(families(&report), families_of_parts, "{name}");
        for part in report["phases"].as_array().expect("parts") {
            let note = part["note"].as_str().expect("a note");
            assert!(!note.contains("DIFFERS"), "{name}: {note}");
        }
    }
}

/// Every gradient is judged: one element that is another fails.
#[test]
fn one_changed_gradient_fails() {
    for (name, output) in [
        ("dq", "dq"),
        ("dk", "dk"),
        ("dv", "dv"),
        ("dg", "dg"),
        ("dbeta", "dbeta"),
        ("dinitial_state", "dinitial"),
    ] {
        let mut file = File::sample("fla_backward");
        let mut data = file.tensors[name].2.clone();
        let (words, _) = data.as_chunks_mut();
        words[17] = (f64::from_le_bytes(words[17]) + 0.01).to_le_bytes();
        file.put(name, Dtype::F64, data);
        let run = file.judged("gradient", &["--family", "backward", "--format", "json"]);
        assert_eq!((run.code, run.err.as_str()), (1, ""), "{}", run.out);
        let report = json(&run);
        let outputs = &report["phases"][0]["trials"][0]["outputs"];
        let failed = outputs.as_array().expect("outputs").iter();
        let failed = failed.filter(|output| output["verdict"] == "fail");
        let failed: Vec<_> = failed
            .filter_map(|output| output["name"].as_str())
            .collect();
        assert_eq!(failed, [output]);
        let note = report["phases"][0]["note"].as_str().expect("a note");
        assert!(note.contains(&format!("{name} ITSELF DIFFERS")), "{note}");
    }
}

impl File {
    fn rename(&mut self, from: &str, to: &str) {
        let tensor = self.tensors.remove(from).expect("there");
        self.tensors.insert(to.into(), tensor);
    }

    fn says(&mut self, key: &str, text: &str) {
        self.metadata.insert(key.into(), text.into());
    }
}

#[test]
fn fla_has_other_names_of_some_tensors() {
    let mut file = File::sample("fla_backward");
    for (from, to) in [
        ("initial_state", "h0"),
        ("final_state", "ht"),
        ("dfinal_state", "dht"),
        ("dinitial_state", "dh0"),
        ("dbeta", "db"),
    ] {
        file.rename(from, to);
    }
    file.says("scale", "None");
    let run = file.judged("names", &["--format", "json"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    assert_eq!(json(&run)["totals"]["pass"], 6);
    let state = file.tensors["h0"].clone();
    file.tensors.insert("initial_state".into(), state);
    assert_eq!(
        file.refused("two-names"),
        "tensors `initial_state` and `h0` are two names of one input: leave one out"
    );
}

/// Without gates nothing decays, and a state or a gradient that is zeros is judged.
#[test]
fn tensors_that_may_be_missing() {
    let mut file = File::sample("fla_delta_rule");
    assert!(!file.tensors.contains_key("g"));
    for name in ["final_state", "dv", "dk"] {
        file.tensors.remove(name);
    }
    let run = file.judged("fewer", &["--format", "json"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    let note = json(&run)["phases"][0]["note"].to_string();
    assert!(note.contains("no g: nothing decays"), "{note}");

    let strengths = file.tensors["beta"].clone();
    file.tensors.insert("dg".into(), strengths);
    assert_eq!(
        file.refused("no-gate"),
        "no tensor `g`, which `dg` is computed from"
    );
    file.tensors.remove("dg");
    file.tensors.remove("do");
    assert_eq!(
        file.refused("no-do"),
        "no tensor `do`, which `dq` is computed from"
    );
    file.tensors.retain(|name, _| !name.starts_with('d'));
    let output = file.tensors["o"].clone();
    file.tensors.insert("do".into(), output);
    assert!(
        file.refused("no-gradient").starts_with(
            "`do` is a gradient by a result, and no gradient by an input is expected: "
        ),
    );
    // Nothing is written with strengths of 0, so that without a first state everything is 0.
    file.tensors.remove("do");
    file.tensors.remove("initial_state");
    for name in ["beta", "o"] {
        let zeros = vec![0; file.tensors[name].2.len()];
        file.put(name, Dtype::F32, zeros);
    }
    let run = file.judged("zeros", &[]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
}

#[test]
fn a_family_that_computes_nothing_of_a_file() {
    let run = File::sample("short").judged("no-family", &["--family", "backward"]);
    assert_eq!(run.code, 4, "{}{}", run.out, run.err);
    assert!(
        run.err
            .contains("nothing can compute it: it expects nothing that this family computes"),
        "{}",
        run.err
    );
    let run = File::sample("fla_backward").judged("one-family", &["--family", "packed"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    assert!(run.out.contains("1/1 passed"), "{}", run.out);
}

/// The metadata has FLA's arguments. If one is missing, the note names it.
#[test]
fn arguments_in_the_metadata() {
    let family = ["--family", "packed"];
    for (key, remedy) in [
        ("use_qk_l2norm_in_kernel", "with q and k normalised"),
        ("state_v_first", "with states [V, K]"),
        ("scale", "with the factor 1 on the output"),
    ] {
        let mut file = File::sample("fla_normalised");
        file.metadata.remove(key).expect("there");
        let run = file.judged("argument", &family);
        assert_eq!((run.code, run.err.as_str()), (1, ""), "{}", run.out);
        let line = format!("there is no difference {remedy}: {key} in the metadata says so");
        assert!(run.out.contains(&line), "{}", run.out);
    }
    let mut file = File::sample("rect_state");
    file.tensors.retain(|name, _| !name.ends_with("_block"));
    file.rename("o_tiled", "o");
    file.rename("state_tiled", "final_state");
    let run = file.judged("map", &family);
    assert_eq!((run.code, run.err.as_str()), (1, ""), "{}", run.out);
    let line = "with the other head map: map in the metadata says so";
    assert!(run.out.contains(line), "{}", run.out);
    file.says("map", "tiled");
    let run = file.judged("map", &family);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    file.says("map", "strided");
    assert_eq!(
        file.refused("map"),
        "the metadata's map `strided` is not block or tiled"
    );

    let mut file = File::sample("fla_normalised");
    file.says("use_qk_l2norm_in_kernel", "maybe");
    assert_eq!(
        file.refused("flag"),
        "the metadata's use_qk_l2norm_in_kernel `maybe` is not true or false"
    );
    let mut file = File::sample("short");
    file.says("use_gate_in_kernel", "True");
    assert_eq!(
        file.refused("gate"),
        "the metadata says use_gate_in_kernel, which no kernel here computes: store the log gates as g"
    );
    let mut file = File::sample("fla_backward");
    file.says("use_qk_l2norm_in_kernel", "True");
    assert!(
        file.refused("norm")
            .starts_with("`dq` is by q or k before their norm")
    );
}

/// States whose value channels come first are known by their shapes, where K and V differ.
#[test]
fn states_of_the_other_layout() {
    let mut file = File::sample("rect_state");
    for name in ["initial_state", "state_block", "state_tiled"] {
        let (_, shape, data) = file.tensors.get_mut(name).expect("there");
        let [_, _, rows, columns] = shape[..] else {
            panic!("{shape:?}");
        };
        let each = data.chunks_exact(rows * columns * 4);
        let turned = each.flat_map(|state| {
            let word = move |at: usize| state[4 * at..4 * at + 4].to_vec();
            let place = move |at: usize| (at % rows) * columns + at / rows;
            (0..rows * columns).flat_map(move |at| word(place(at)))
        });
        *data = turned.collect();
        shape.swap(2, 3);
    }
    let run = file.judged("value-major", &["--format", "json"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    assert_eq!(json(&run)["totals"]["pass"], 8);
    assert!(run.out.contains("layout=value-major"), "{}", run.out);
}

/// Expected values of half precision are the rule, rounded, or they are wrong.
#[test]
fn expected_values_of_half_precision() {
    let mut file = File::sample("short");
    let halves = file.values("o_block").into_iter();
    let halves = halves.flat_map(|x| half::bf16::from_f32(x).to_le_bytes());
    let halves: Vec<u8> = halves.collect();
    file.put("o_block", Dtype::BF16, halves.clone());
    let run = file.judged("halves", &["--family", "packed"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{}", run.out);
    let line = "as half precision has it: kernels are judged by the recurrence";
    assert!(run.out.contains(line), "{}", run.out);
    let mut wrong = halves;
    let half = half::bf16::from_le_bytes([wrong[80], wrong[81]]).to_f32();
    wrong[80..82].copy_from_slice(&half::bf16::from_f32(half + 0.01).to_le_bytes());
    file.put("o_block", Dtype::BF16, wrong);
    let run = file.judged("halves-wrong", &["--family", "packed"]);
    assert_eq!((run.code, run.err.as_str()), (1, ""), "{}", run.out);
    assert!(run.out.contains("o_block ITSELF DIFFERS"), "{}", run.out);
}

/// The gradient by the state of a sequence without tokens is the one by its final state.
#[test]
fn a_gradient_that_changes_over_no_token_is_refused() {
    let mut file = File::sample("fla_kda_backward_packed");
    let mut data = file.tensors["dinitial_state"].2.clone();
    let (words, _) = data.as_chunks_mut();
    // The first element of sequence 1, whose states have 2 heads of 9 x 12 elements.
    words[2 * 9 * 12] = 0f64.to_le_bytes();
    file.put("dinitial_state", Dtype::F64, data);
    assert_eq!(
        file.refused("gradient-of-nothing"),
        "sequence 1 of `cu_seqlens` has no token, so that its gradient by the state stays; `dinitial_state` has another there"
    );
}
