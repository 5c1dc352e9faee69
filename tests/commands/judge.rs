//! `judge`: the results of another program are judged by the test that its inputs are from.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use half::bf16;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};

use crate::{run, scratch};

/// A test exported, and its file changed: tensors by name, or `None` to leave one out.
fn changed(
    here: &Path,
    test: &str,
    change: impl FnOnce(
        &mut HashMap<String, String>,
        &mut BTreeMap<String, (Dtype, Vec<usize>, Vec<u8>)>,
    ),
) -> String {
    let exported = run(here, &["export", "--test", test, "--out", "in.safetensors"]);
    assert_eq!((exported.code, exported.err.as_str()), (0, ""));
    let bytes = std::fs::read(here.join("in.safetensors")).expect("written");
    let (_, header) = SafeTensors::read_metadata(&bytes).expect("a header");
    let mut metadata = header.metadata().clone().expect("metadata");
    let file = SafeTensors::deserialize(&bytes).expect("a file");
    let tensors = file.tensors().into_iter();
    let mut tensors = tensors
        .map(|(name, view)| {
            (
                name,
                (view.dtype(), view.shape().to_vec(), view.data().to_vec()),
            )
        })
        .collect();
    change(&mut metadata, &mut tensors);
    let views = tensors.iter().map(|(name, (dtype, shape, data))| {
        let view = TensorView::new(*dtype, shape.clone(), data).expect("as long as its shape");
        (name.as_str(), view)
    });
    let bytes = safetensors::serialize(views, Some(metadata)).expect("a file");
    std::fs::write(here.join("out.safetensors"), bytes).expect("written");
    "out.safetensors".into()
}

fn narrow(data: &[u8]) -> Vec<u8> {
    let (words, _) = data.as_chunks();
    let halves = words
        .iter()
        .map(|&word| bf16::from_f32(f32::from_le_bytes(word)));
    halves.flat_map(bf16::to_le_bytes).collect()
}

#[test]
fn what_a_kernel_left_passes_and_one_wrong_element_is_found() {
    let here = scratch("judge-one");
    let file = changed(&here, "mul", |_, _| {});
    let judged = run(&here, &["judge", &file]);
    assert_eq!((judged.code, judged.err.as_str()), (0, ""));
    assert!(
        judged.out.starts_with("PASS mul (seed 0)\n"),
        "{}",
        judged.out
    );
    let file = changed(&here, "mul", |_, tensors| {
        let (_, _, data) = tensors.get_mut("output.out").expect("exported");
        data[4 * 77 + 3] ^= 0x80;
    });
    let judged = run(&here, &["judge", &file]);
    assert_eq!((judged.code, judged.err.as_str()), (1, ""));
    assert!(
        judged.out.contains("1/1024 elements") && judged.out.contains("(element 77)"),
        "{}",
        judged.out
    );
    let judged = run(&here, &["judge", &file, "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&judged.out).expect("JSON");
    assert_eq!(report["schema"], "deltanet-check/judge/1");
    assert_eq!(
        report["tests"][0]["outputs"][0]["problem"]["worst"]["index"][0],
        77
    );
}

/// References of rounded inputs: against those of the drawn ones the product of two bf16 is off by three of its places and more.
#[test]
fn references_follow_inputs_of_fewer_bits() {
    let here = scratch("judge-bf16");
    let file = changed(&here, "mul", |_, tensors| {
        for name in ["input.a", "input.b"] {
            let (dtype, _, data) = tensors.get_mut(name).expect("exported");
            (*dtype, *data) = (Dtype::BF16, narrow(data));
        }
        let wide = |name: &str| -> Vec<f32> {
            let (halves, _) = tensors[name].2.as_chunks();
            halves
                .iter()
                .map(|&half| bf16::from_le_bytes(half).to_f32())
                .collect()
        };
        let products = wide("input.a").into_iter().zip(wide("input.b"));
        let products = products.map(|(a, b)| bf16::from_f32(a * b));
        let data = products.flat_map(bf16::to_le_bytes).collect();
        let output = tensors.get_mut("output.out").expect("exported");
        (output.0, output.2) = (Dtype::BF16, data);
    });
    let judged = run(&here, &["judge", &file]);
    assert_eq!(
        (judged.code, judged.err.as_str()),
        (0, ""),
        "{}",
        judged.out
    );
}

#[test]
fn what_cannot_be_judged_is_told_in_a_line() {
    let here = scratch("judge-refused");
    type Change =
        fn(&mut HashMap<String, String>, &mut BTreeMap<String, (Dtype, Vec<usize>, Vec<u8>)>);
    let refusals: [(Change, i32, &str); 6] = [
        (
            |metadata, _| drop(metadata.remove("test")),
            3,
            "has no `test`",
        ),
        (
            |metadata, _| drop(metadata.insert("test".into(), "nothing".into())),
            2,
            "nothing",
        ),
        (
            |metadata, _| drop(metadata.insert("seed".into(), "1".into())),
            3,
            "is not what seed 1 of mul draws",
        ),
        (
            |_, tensors| drop(tensors.remove("output.out")),
            3,
            "no output to judge: it needs output.out",
        ),
        (
            |_, tensors| {
                let out = tensors["output.out"].clone();
                tensors.insert("output.other".into(), out);
            },
            3,
            "tensor `output.other` is not of this test",
        ),
        (
            |_, tensors| tensors.get_mut("output.out").expect("exported").1 = vec![32, 32],
            3,
            "has shape [32, 32]; it is [element], [1024] here",
        ),
    ];
    for (change, code, says) in refusals {
        let file = changed(&here, "mul", change);
        let judged = run(&here, &["judge", &file]);
        assert_eq!(judged.code, code, "{says}: {}", judged.err);
        assert!(
            judged.err.contains(says) && judged.err.starts_with("error: out.safetensors: "),
            "{}",
            judged.err
        );
        assert_eq!(judged.out, "");
    }
}
