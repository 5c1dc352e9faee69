//! `exec`: expectations, tensors, offsets, variables and files of Triton's that are refused before anything runs.

use deltanet_check::tensor::npy::{Dtype, Npy};
use serde_json::{Value, json};

use crate::{DATA, KERNELS, refused, run, scratch};

/// The message where one thing of a right launch is otherwise, after the name of the file.
fn otherwise(name: &str, change: impl FnOnce(&mut Value)) -> String {
    let here = scratch(&format!("exec-expect-refused-{name}"));
    let npy = |value: f32, shape: &[usize], dtype| {
        let count = shape.iter().product();
        let (shape, data) = (shape.to_vec(), value.to_le_bytes().repeat(count));
        Npy { dtype, shape, data }.to_bytes()
    };
    let i64s = Npy {
        dtype: Dtype { kind: 'i', size: 8 },
        shape: vec![50],
        data: (1i64 << 53).to_le_bytes().repeat(50),
    };
    for (file, bytes) in [
        ("in.bin", vec![0; 400]),
        ("empty.bin", Vec::new()),
        ("golden.npy", npy(1.0, &[10, 10], Dtype::F32)),
        ("short.npy", npy(1.0, &[99], Dtype::F32)),
        ("nan.npy", npy(f32::NAN, &[100], Dtype::F32)),
        ("i32.npy", npy(1.0, &[100], Dtype::I32)),
        ("half.npy", npy(1.0, &[25], Dtype::F32)),
        ("void.npy", npy(1.0, &[100], Dtype { kind: 'V', size: 4 })),
        ("i64.npy", i64s.to_bytes()),
        ("bad.safetensors", b"no".to_vec()),
    ] {
        std::fs::write(here.join(file), bytes).expect("written");
    }
    let exported = run(
        &here,
        &["export", "--test", "mul", "--out", "x.safetensors"],
    );
    assert_eq!(exported.code, 0, "{}", exported.err);
    let mut launch = json!({
        "code_object": KERNELS,
        "buffers": { "input": {"file": "in.bin"}, "out": {"bytes": 400} },
        "launches": [ {"kernel": "kernel_scale", "grid": [2, 1, 1], "block": [64, 1, 1],
                       "args": ["$input", "$out", {"i32": 100}, {"f32": 3.0}]} ],
        "expect": { "out": {"file": "golden.npy", "tolerance": 0} },
    });
    change(&mut launch);
    std::fs::write(here.join("launch.json"), launch.to_string()).expect("written");
    let line = refused(&here, &["exec", "launch.json"]);
    line.strip_prefix("launch.json: ")
        .unwrap_or(&line)
        .to_owned()
}

#[test]
fn expectations() {
    let file = |name: &str| otherwise(name, |launch| launch["expect"]["out"]["file"] = json!(name));
    assert!(file("none.npy").starts_with("expect.out: cannot read none.npy: No such file"));
    assert_eq!(
        file("short.npy"),
        "expect.out: short.npy: what type buffer `out` has is not clear: give it a `dtype`: 99 elements of f32 are expected of 400 bytes"
    );
    assert_eq!(
        file("nan.npy"),
        "expect.out: nan.npy holds NaN at element 0, which nothing equals: expect finite values, or compare bits with a `dtype` of the buffer as i32 or u16"
    );
    assert_eq!(
        file("i64.npy"),
        "expect.out: i64.npy holds 9007199254740992 at element 0: whole numbers from 2^53 on are not judged"
    );
    assert_eq!(
        file("void.npy"),
        "expect.out: elements of type |V4 are not judged: give the buffer a `dtype`"
    );
    let typed = |name: &str, dtype: &str, file: &str| {
        otherwise(name, |launch| {
            launch["buffers"]["out"]["dtype"] = json!(dtype);
            launch["expect"]["out"]["file"] = json!(file);
        })
    };
    assert_eq!(
        typed("integers", "f32", "i32.npy"),
        "expect.out: i32.npy holds i32, buffer `out` f32"
    );
    assert_eq!(
        typed("counts", "f32", "short.npy"),
        "expect.out: short.npy has 396 bytes, 99 elements of f32; buffer `out` has 400 bytes, 100 elements of f32"
    );
    let line = otherwise("ulp", |launch| {
        launch["buffers"]["out"]["dtype"] = json!("i64");
        launch["expect"]["out"] = json!({"file": "in.bin", "ulp": 1});
    });
    assert_eq!(
        line,
        "expect.out: `ulp` does not go with elements of type i64: give `tolerance`"
    );
    let empty = |launch: &mut Value| launch["buffers"]["out"] = json!({"bytes": 0, "dtype": "f32"});
    let line = otherwise("empty", |launch| {
        empty(launch);
        launch["expect"]["out"]["file"] = json!("empty.bin");
    });
    assert_eq!(
        line,
        "expect.out: buffer `out` has no elements: there is nothing to judge"
    );
    let line = otherwise("over", |launch| {
        launch["buffers"]["out"]["save"] = json!("golden.npy");
    });
    assert!(
        line.contains("golden.npy is what is expected of buffer `out`: name another file"),
        "{line}"
    );
}

#[test]
fn tensors_and_shapes() {
    let buffer =
        |name: &str, buffer: Value| otherwise(name, |launch| launch["buffers"]["input"] = buffer);
    assert_eq!(
        buffer(
            "tensor",
            json!({"file": "x.safetensors", "tensor": "input.c"})
        ),
        "buffer `input`: cannot read x.safetensors: no tensor `input.c` (did you mean `input.a`?); it has golden.out, input.a, input.b, oracle.out, output.out"
    );
    assert_eq!(
        buffer("which", json!({"file": "x.safetensors"})),
        "buffer `input`: cannot read x.safetensors: name a tensor (\"tensor\"): it has golden.out, input.a, input.b, oracle.out, output.out"
    );
    let line = buffer("damaged", json!({"file": "bad.safetensors", "tensor": "a"}));
    assert!(
        line.starts_with(
            "buffer `input`: cannot read bad.safetensors: not a safetensors file, or cut short: "
        ),
        "{line}"
    );
    assert_eq!(
        buffer("other", json!({"file": "in.bin", "tensor": "a"})),
        "buffers.input.tensor: is for a `file` whose name ends in .safetensors"
    );
    assert_eq!(
        buffer("shape", json!({"file": "in.bin", "shape": [10, 11]})),
        "buffer `input`: shape [10, 11] of f32 does not fit its 400 bytes"
    );
}

#[test]
fn pointers() {
    let arg =
        |name: &str, arg: Value| otherwise(name, |launch| launch["launches"][0]["args"][0] = arg);
    assert_eq!(
        arg("behind", json!("$input + 401")),
        "launches[0]: args[0]: $input + 401 is outside buffer `input` of 400 bytes"
    );
    assert_eq!(
        arg("before", json!("$input - 4")),
        "launches[0]: args[0]: $input - 4 is outside buffer `input` of 400 bytes"
    );
    assert_eq!(
        arg("words", json!("$input + four")),
        "launches[0].args[0]: `+ four` is no offset in bytes, as in \"$input + 4096\""
    );
    assert_eq!(
        arg("parts", json!(["$input"])),
        "launches[0]: args[0]: an array of parts given, but the kernel takes a pointer: give \"$buffer\""
    );
    let line = otherwise("size", |launch| {
        launch["launches"][0]["args"][2] = json!([{"i16": 1}, {"raw": "00"}]);
    });
    assert_eq!(
        line,
        "launches[0]: args[2]: parts of 3 bytes given, but the kernel takes a value of 4 bytes"
    );
}

#[test]
fn variables() {
    let variables = |name: &str, object: &str, variables: Value| {
        let object = format!("{DATA}/{object}");
        otherwise(name, |launch| {
            launch["buffers"] = json!({"out": {"bytes": 400}});
            launch["launches"] = json!([{"kernel": "pointee", "grid": [1, 1, 1], "block": [64, 1, 1], "args": ["$out"]}]);
            launch["code_object"] = json!(object);
            launch["variables"] = variables;
        })
    };
    assert_eq!(
        variables("variable", "v5.co", json!({"tabel": {"file": "in.bin"}})),
        "variables.tabel: the code object has no such variable (did you mean `table`?); there is: first, pointer_to_first, table"
    );
    assert_eq!(
        variables(
            "variable-size",
            "v5.co",
            json!({"table": {"file": "in.bin"}})
        ),
        "variables.table: in.bin has 400 bytes, the variable 256"
    );
    assert_eq!(
        variables("variable-file", "v5.co", json!({"table": {}})),
        "variables.table: needs a `file`, or a value (as {\"i32\": 5})"
    );
    assert_eq!(
        variables("variable-value", "v5.co", json!({"first": {"i64": 1}})),
        "variables.first: its value has 8 bytes, the variable 4"
    );
    assert_eq!(
        variables(
            "variable-outside",
            "v5.co",
            json!({"pointer_to_first": "$out + 404"})
        ),
        "variables.pointer_to_first: $out + 404 is outside buffer `out` of 400 bytes"
    );
}
