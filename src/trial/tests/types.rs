//! Tensors of other types than f32 from their drawing to the files they are dumped to.

use std::path::{Path, PathBuf};

use safetensors::{Dtype, SafeTensors};

use super::*;
use crate::binding::{Binding, parse_for};
use crate::contract::{
    Case, DeviceResult, Domain, Function, Instance, OutputTolerance, Test, elements,
};
use crate::report::model::{Tolerance, TrialReport};
use crate::tensor::Data;
use crate::tensor::Distribution::Uniform;
use crate::tensor::ElementKind::{Bf16, F64, I32, U16};
use crate::tensor::npy::Npy;

pub(super) const LIKE: Function = Function {
    lists: &[],
    derived: &[],
    name: "copies",
    title: "-",
    formulas: &[],
    dims: &[],
    integers: &[],
    words: &[],
    outputs: &[],
    largest: &[],
    domain: Domain::of(&[]),
    run: &copies,
    file: None,
};
static COPIES: Function = Function {
    outputs: &["y", "h", "at", "word", "kept"],
    ..LIKE
};
static CONFUSED: Function = Function {
    run: &confused,
    outputs: &["at"],
    ..LIKE
};
static MISTAKEN: Function = Function {
    run: &mistaken,
    ..LIKE
};

static UNMOVED: Function = Function {
    name: "unmoved",
    run: &unmoved,
    outputs: &["kept"],
    ..LIKE
};

/// Copies the second half of each input to its output. The last element of `kept` keeps its value.
const BINDINGS: &str = r#"
schema = 1
[[binding]]
contract = "copies"
[[binding.launch]]
symbol = "kernel_mul"
grid = [1]
block = [256]
args = ["x[100]", "x", "y", "i32 200"]
[[binding.launch]]
symbol = "kernel_mul"
grid = [1]
block = [256]
args = ["g[100]", "g", "h", "i32 800"]
[[binding.launch]]
symbol = "kernel_mul"
grid = [1]
block = [256]
args = ["index[100]", "index", "at", "i32 400"]
[[binding.launch]]
symbol = "kernel_mul"
grid = [1]
block = [256]
args = ["bits[100]", "bits", "word", "i32 200"]
[[binding.launch]]
symbol = "kernel_mul"
grid = [1]
block = [256]
args = ["x[100]", "x", "kept", "i32 198"]

[[binding]]
contract = "unmoved"
symbol = "kernel_mul"
grid = [1]
block = [256]
args = ["kept", "kept", "kept", "i32 0"]
"#;

/// Half of how many elements the inputs have.
const N: usize = 100;

/// Copies the second half of each input to an output of its type.
fn copies(t: &mut Instance<'_>) -> DeviceResult {
    let x = t.input_as(Bf16, "x", elements(2 * N), Uniform(0.5, 2.0))?;
    let g = t.input_as(F64, "g", elements(2 * N), Uniform(-20.0, -1.0))?;
    let numbers = (0..2 * N as i32).map(|i| i * i - 5000).collect::<Vec<_>>();
    let index = t.upload("index", elements(2 * N), numbers)?;
    let bits: Vec<u16> = (0..2 * N as u16).map(|i| i * 321 + 1).collect();
    let bits = t.upload("bits", elements(2 * N), bits)?;
    let y = t.output_as(Bf16, "y", elements(N))?;
    let h = t.output_as(F64, "h", elements(N))?;
    let at = t.output_as(I32, "at", elements(N))?;
    let word = t.output_as(U16, "word", elements(N))?;
    let kept = t.update("kept", elements(N), Data::bf16(vec![3.3; N]))?;
    let rounded = t.values(x)[N..].to_vec();
    assert_eq!(
        Data::bf16(rounded.clone()),
        Data::from(rounded.clone()).to(Bf16)
    );
    let mut expected = rounded.clone();
    expected[N - 1] = 3.3;
    let x = x.part(N, N);
    t.check(y, crate::references!(t, |x| x.to_vec()))?;
    let doubles = t.doubles(g)[N..].to_vec();
    t.check(h, (Data::f64(doubles.clone()), doubles))?;
    t.check_exact(at, t.integers(index)[N..].to_vec())?;
    t.check_exact(word, Data::nearest(U16, &t.wide(bits.part(N, N))))?;
    t.check_exact(kept, Data::bf16(expected))
}

/// Gives the bf16 output a reference in floats for one of whole numbers.
fn confused(t: &mut Instance<'_>) -> DeviceResult {
    let at = t.output_as(I32, "at", elements(4))?;
    t.check(at, (vec![0.5f32; 4], vec![0.5; 4]))
}

/// Asks for f64 as if it were f32.
fn mistaken(t: &mut Instance<'_>) -> DeviceResult {
    let g = t.input_as(F64, "g", elements(4), Uniform(0.0, 1.0))?;
    assert!(t.values(g).is_empty());
    Ok(())
}

/// Expects a tensor that is updated in place to keep its values.
fn unmoved(t: &mut Instance<'_>) -> DeviceResult {
    let kept = t.update("kept", elements(N), vec![1.5f32; N])?;
    t.check_exact(kept, vec![1.5f32; N])
}

fn ran(
    function: &'static Function,
    does: FakeBehaviour,
    repeat: u16,
    dump: Option<Dump<'_>>,
) -> TrialReport {
    let bindings = parse_for("types.toml", BINDINGS, &[&COPIES, &UNMOVED]).expect("good ones");
    let found = bindings
        .iter()
        .find(|binding| binding.function.name == function.name);
    let binding = found.unwrap_or(&bindings[0]);
    ran_by(binding, function, does, repeat, dump)
}

/// A test of a function, exact, launched by a binding on a device that does so, `repeat` times.
pub(super) fn ran_by(
    binding: &Binding,
    function: &'static Function,
    does: FakeBehaviour,
    repeat: u16,
    dump: Option<Dump<'_>>,
) -> TrialReport {
    let judged = |name: &&str| {
        let tolerance = Tolerance::absolute(0.0, 0.0);
        let reason = "-".into();
        (name.to_string(), OutputTolerance { tolerance, reason })
    };
    let case = Case {
        id: "types bf16↔f64 (all)".into(),
        values: Values::default(),
    };
    let test = Test {
        binding: None,
        id: case.id.clone(),
        aliases: Vec::new(),
        function,
        title: "-".into(),
        documented: false,
        designed: false,
        cases: vec![case],
        outputs: function.outputs.iter().map(judged).collect(),
        planted: Vec::new(),
    };
    let device = Fake {
        does,
        runs: 0.into(),
    };
    let bound = Bound {
        binding,
        described: None,
        planted: None,
    };
    let plan = Plan {
        repeat,
        dump,
        ..Plan::new(&device, (&BUILT_IN, bound), (11, &test, &test.cases[0]), 5)
    };
    let done = plan.run();
    assert_eq!(done.dump_error, None);
    done.report
}

#[test]
fn tensors_of_every_type_are_judged() {
    let report = ran(&COPIES, FakeBehaviour::Copy, 2, None);
    assert_eq!(report.verdict, Verdict::Pass, "{report:?}");
    let types: Vec<&str> = report.outputs.iter().map(|o| o.element.as_str()).collect();
    assert_eq!(types, ["bf16", "f64", "i32", "u16", "bf16"]);
    assert_eq!(
        report.rerun,
        "deltanet-check --test 'types bf16↔f64 (all)' --seed 5"
    );
}

#[test]
fn an_idle_device_leaves_the_poison_of_every_type() {
    let report = ran(&COPIES, FakeBehaviour::Nothing, 1, None);
    assert_eq!(report.verdict, Verdict::Fail);
    for output in &report.outputs[..4] {
        let Some(Problem::PoisonLeft { count, total, .. }) = output.problem else {
            panic!("{output:?}")
        };
        assert_eq!((count, total), (N, N));
    }
    // The updated tensor still holds its initial values, so it mismatches.
    assert!(matches!(
        report.outputs[4].problem,
        Some(Problem::Mismatch { count: 99, .. })
    ));
}

#[test]
fn a_test_that_mistakes_a_type_is_an_error() {
    let report = ran(&CONFUSED, FakeBehaviour::Nothing, 1, None);
    assert_eq!(report.verdict, Verdict::Error);
    let error = report.error.expect("an explanation");
    assert!(
        error.starts_with("`at` is of i32 and its golden reference of f32"),
        "{error}"
    );
    let report = ran(&MISTAKEN, FakeBehaviour::Nothing, 1, None);
    let error = report.error.expect("an explanation");
    assert!(
        error.contains("`g` is of f64 and no input that `values` can give"),
        "{error}"
    );
}

#[test]
fn what_is_updated_must_not_be_right_already() {
    let report = ran(&UNMOVED, FakeBehaviour::Nothing, 1, None);
    assert_eq!(report.verdict, Verdict::Error);
    let error = report.error.expect("an explanation");
    assert!(
        error.contains("the input `kept` echoed would pass"),
        "{error}"
    );
}

fn scratch(name: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("deltanet-check-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("a directory");
    dir
}

#[test]
fn npy_holds_bf16_as_f32_and_as_bits() {
    let dir = scratch("npy");
    ran(&COPIES, FakeBehaviour::Copy, 1, Some(Dump::Npy(&dir)));
    let read = |name: &str| {
        let path = dir.join("types.bf16.f64..all.").join(name);
        Npy::from_bytes(&std::fs::read(&path).unwrap_or_else(|error| panic!("{name}: {error}")))
            .expect(name)
    };
    for (name, descr, count) in [
        ("input.x.npy", "<f4", 2 * N),
        ("input.x.bits.npy", "<u2", 2 * N),
        ("input.g.npy", "<f8", 2 * N),
        ("input.index.npy", "<i4", 2 * N),
        ("input.bits.npy", "<u2", 2 * N),
        ("output.y.npy", "<f4", N),
        ("golden.y.bits.npy", "<u2", N),
        ("output.h.npy", "<f8", N),
        ("oracle.at.npy", "<f8", N),
        ("golden.at.npy", "<i4", N),
    ] {
        let file = read(name);
        assert_eq!(
            (file.dtype.to_string().as_str(), file.shape),
            (descr, vec![count]),
            "{name}"
        );
    }
    let (floats, bits) = (read("output.y.npy").data, read("output.y.bits.npy").data);
    let (floats, bits) = (floats.chunks_exact(4), bits.chunks_exact(2));
    assert!(
        floats
            .zip(bits)
            .all(|(float, bits)| float[..2] == [0, 0] && float[2..] == *bits)
    );
    std::fs::remove_dir_all(&dir).expect("removed");
}

#[test]
fn safetensors_have_types_of_their_own() {
    let dir = scratch("safetensors");
    let path = dir.join("all.safetensors");
    ran(
        &COPIES,
        FakeBehaviour::Copy,
        1,
        Some(Dump::Safetensors(Path::new(&path))),
    );
    let bytes = std::fs::read(&path).expect("written");
    let file = SafeTensors::deserialize(&bytes).expect("a file");
    for (name, dtype) in [
        ("input.x", Dtype::BF16),
        ("input.g", Dtype::F64),
        ("input.index", Dtype::I32),
        ("output.word", Dtype::U16),
        ("output.y", Dtype::BF16),
        ("golden.h", Dtype::F64),
        ("oracle.y", Dtype::F64),
    ] {
        assert_eq!(file.tensor(name).expect(name).dtype(), dtype, "{name}");
    }
    let tensor = |name| file.tensor(name).expect("there");
    assert_eq!(tensor("output.y").data(), tensor("golden.y").data());
    assert_eq!(
        tensor("output.y").data(),
        &tensor("input.x").data()[2 * N..]
    );
    std::fs::remove_dir_all(&dir).expect("removed");
}
