//! `export`: the files have the tensors that the test drew and computed.

use deltanet_check::tensor::{Distribution, Stream};
use safetensors::{Dtype, SafeTensors};

use crate::{run, scratch};

fn floats(file: &SafeTensors<'_>, name: &str) -> Vec<f32> {
    let tensor = file.tensor(name).expect(name);
    assert_eq!(tensor.dtype(), Dtype::F32);
    let (words, _) = tensor.data().as_chunks();
    words.iter().map(|&word| f32::from_le_bytes(word)).collect()
}

#[test]
fn inputs_references_and_outputs_come_back() {
    let here = scratch("export-one");
    let export = [
        "export",
        "--test",
        "mul",
        "--seed",
        "7",
        "--out",
        "mul.safetensors",
    ];
    let run = run(&here, &export);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert_eq!(run.out, "mul.safetensors: mul, PASS\n");
    let bytes = std::fs::read(here.join("mul.safetensors")).expect("written");
    let (_, header) = SafeTensors::read_metadata(&bytes).expect("a header");
    let metadata = header.metadata().as_ref().expect("metadata");
    for (key, value) in [
        ("schema", "deltanet-check/export/1"),
        ("test", "mul"),
        ("seed", "7"),
        ("shape", "n=1024"),
        ("axes.input.a", "element"),
    ] {
        assert_eq!(metadata[key], value);
    }
    let file = SafeTensors::deserialize(&bytes).expect("a file");
    let mut names = file.names();
    names.sort_unstable();
    let all = [
        "golden.out",
        "input.a",
        "input.b",
        "oracle.out",
        "output.out",
    ];
    assert_eq!(names, all);
    for name in ["a", "b"] {
        let drawn = Stream::new(7, "mul", name).draw(1024, Distribution::Uniform(-2.0, 2.0));
        assert_eq!(floats(&file, &format!("input.{name}")), drawn);
    }
    let (a, b) = (floats(&file, "input.a"), floats(&file, "input.b"));
    let products: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a * b).collect();
    assert_eq!(floats(&file, "golden.out"), products);
    assert_eq!(floats(&file, "output.out"), products);
    let oracle = file.tensor("oracle.out").expect("there");
    assert_eq!((oracle.dtype(), oracle.shape()), (Dtype::F64, &[1024][..]));
    let (words, _) = oracle.data().as_chunks();
    let exact = a.iter().zip(&b).map(|(&a, &b)| f64::from(a) * f64::from(b));
    assert!(words.iter().map(|&word| f64::from_le_bytes(word)).eq(exact));
}

#[test]
fn several_tests_go_into_a_directory() {
    let here = scratch("export-several");
    let both = [
        "export",
        "--test",
        "decay_mask_small",
        "--test",
        "decay_mask_64",
    ];
    let into = |out: &str| run(&here, &[&both[..], &["--out", out]].concat());
    let refused = into("one.safetensors");
    assert_eq!(refused.code, 2);
    let why = "2 tests are selected and `--out one.safetensors` is one file: name a directory, or one test";
    assert!(refused.err.contains(why), "{}", refused.err);
    assert_eq!(into("all").code, 0);
    for name in ["decay_mask_small", "decay_mask_64"] {
        assert!(here.join(format!("all/{name}.safetensors")).is_file());
    }
    assert_eq!(
        run(
            &here,
            &["export", "--test", "mul", "--out", "no/such/a.safetensors"]
        )
        .code,
        3
    );
    assert_eq!(
        run(&here, &["export", "--test", "mull", "--out", "x"]).code,
        2
    );
}

/// A tensor that is updated in place is an input too: without its first values, nobody could compute the output elsewhere.
#[test]
fn tensors_updated_in_place_have_what_they_held() {
    let here = scratch("export-updated");
    let test = "ggml:S=64,Hk=4,H=8,T=2,N=2,snapshots=4,gate=key";
    let run = run(&here, &["export", "--test", test, "--out", "f.safetensors"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let bytes = std::fs::read(here.join("f.safetensors")).expect("written");
    let file = SafeTensors::deserialize(&bytes).expect("a file");
    let before = floats(&file, "before.dst");
    assert_eq!(before, floats(&file, "input.dst before"));
    // Two of the four snapshots have no token, and keep it.
    let states = floats(&file, "output.states");
    let kept = states.len() / 2;
    assert_eq!(states[kept..], before[before.len() - kept..]);
}

/// Every test at once is asked for by name, not by leaving the names out.
#[test]
fn what_is_to_be_written_must_be_said() {
    let here = scratch("export-nothing");
    let nothing = run(&here, &["export", "--out", "all"]);
    assert_eq!((nothing.code, nothing.out.as_str()), (2, ""));
    assert!(
        nothing
            .err
            .contains("--phase <PHASES>|--test <ID>|--kernel <GLOB>"),
        "{}",
        nothing.err
    );
    assert!(!here.join("all").exists());
    let launching = [
        "export",
        "--phase",
        "1",
        "--kernel",
        "kernel_mul",
        "--out",
        "some",
    ];
    let some = run(&here, &launching);
    assert_eq!((some.code, some.err.as_str()), (0, ""));
    let files: Vec<_> = std::fs::read_dir(here.join("some"))
        .expect("made")
        .collect();
    assert_eq!(files.len(), some.out.lines().count());
    assert!(
        some.out.contains("mul.safetensors: mul, PASS\n"),
        "{}",
        some.out
    );
}
