//! `exec`: launch files that are refused before anything runs.

use serde_json::{Value, json};

use crate::{DATA, KERNELS, refused, scratch};

/// The message for this launch file, after the name of the file. Nothing is saved.
fn message(name: &str, launch: &str) -> String {
    let here = scratch(&format!("exec-refused-{name}"));
    std::fs::write(here.join("launch.json"), launch).expect("written");
    std::fs::write(here.join("in.bin"), [0; 400]).expect("written");
    let line = refused(&here, &["exec", "launch.json"]);
    assert!(!here.join("out.bin").exists(), "saved all the same");
    line.strip_prefix("launch.json: ")
        .unwrap_or(&line)
        .to_owned()
}

/// The message where one thing of a launch of `kernel_scale` is otherwise.
fn otherwise(pointer: &str, value: Value) -> String {
    let mut launch = json!({
        "code_object": KERNELS,
        "buffers": { "input": {"file": "in.bin"}, "output": {"bytes": 400, "fill": "poison", "save": "out.bin"} },
        "launches": [ {"kernel": "kernel_scale", "grid": [2, 1, 1], "block": [64, 1, 1], "dynamic_lds": 0,
                       "args": ["$input", "$output", {"i32": 100}, {"f32": 3.0}]} ],
    });
    *launch.pointer_mut(pointer).expect("there") = value;
    message(&pointer.replace('/', "-"), &launch.to_string())
}

#[test]
fn the_file_itself() {
    assert!(
        message("empty", "").starts_with("not a launch file: EOF while parsing a value at line 1")
    );
    assert!(
        message("cut", "{\"code_object\": \"x.co\"")
            .starts_with("not a launch file: EOF while parsing an object")
    );
    assert!(message("binary", "\u{1}").starts_with("not a launch file: expected value at line 1"));
    assert!(
        message("deep", &"[".repeat(100_000))
            .starts_with("not a launch file: recursion limit exceeded")
    );
    let here = scratch("exec-refused-none");
    assert!(
        refused(&here, &["exec", "none.json"]).starts_with("cannot read none.json: No such file")
    );
    assert_eq!(
        refused(&here, &["exec", "."]),
        "cannot read .: it is a directory, name a file in it"
    );
}

#[test]
fn the_code_object() {
    assert!(
        otherwise("/code_object", json!("none.co"))
            .starts_with("cannot read none.co: No such file")
    );
    assert!(
        otherwise("/code_object", json!("launch.json"))
            .contains("not a code object (it starts with")
    );
    assert!(
        otherwise("/code_object", json!(format!("{DATA}/gfx90a.co")))
            .contains("built for gfx90a, not gfx906")
    );
    assert_eq!(
        otherwise("/code_object", json!(5)),
        "code_object: should be a string, is a number"
    );
    let unknown = otherwise("/launches/0/kernel", json!("kernel_scal"));
    assert!(unknown.starts_with(
        "launches[0]: no kernel `kernel_scal` (did you mean `kernel_scale`?); there is: "
    ));
}

#[test]
fn sizes() {
    assert_eq!(
        otherwise("/launches/0/block", json!([1025, 1, 1])),
        "launches[0]: kernel `kernel_scale`: block [1025, 1, 1] is 1025 work-items, a work-group has at most 1024"
    );
    assert!(
        otherwise(
            "/launches/0/block",
            json!([4_294_967_295u32, 4_294_967_295u32, 2])
        )
        .contains("at most 1024")
    );
    assert_eq!(
        otherwise("/launches/0/dynamic_lds", json!(65537)),
        "launches[0]: kernel `kernel_scale`: 65537 bytes of LDS (0 of its own, 65537 dynamic), a work-group has at most 65536"
    );
    assert!(
        otherwise("/launches/0/grid", json!([4_294_967_295u32, 1, 1]))
            .contains("along x are more than the 4294967295")
    );
    let reduce = json!({"code_object": format!("{DATA}/v5.co"), "buffers": {"b": {"bytes": 4096}},
        "launches": [{"kernel": "reduce", "grid": [1, 1, 1], "block": [512, 1, 1], "args": ["$b", "$b"]}]});
    assert_eq!(
        message("compiled-for", &reduce.to_string()),
        "launches[0]: kernel `reduce`: block [512, 1, 1] is 512 work-items, it was compiled for at most 256"
    );
}

#[test]
fn arguments() {
    assert_eq!(
        otherwise("/launches/0/args", json!(["$input"])),
        "launches[0]: kernel `kernel_scale` takes 4 arguments, 1 given: a pointer, a pointer, a value of 4 bytes, a value of 4 bytes"
    );
    assert_eq!(
        otherwise("/launches/0/args/2", json!("$input")),
        "launches[0]: args[2]: buffer `$input` given, but the kernel takes a value of 4 bytes"
    );
    assert_eq!(
        otherwise("/launches/0/args/0", json!({"f64": 1})),
        "launches[0]: args[0]: a value of type f64 given, but the kernel takes a pointer: give \"$buffer\""
    );
    assert_eq!(
        otherwise("/launches/0/args/3", json!({"i64": 1})),
        "launches[0]: args[3]: 8 bytes given as i64, but the kernel takes a value of 4 bytes"
    );
    assert_eq!(
        otherwise("/launches/0/args/3", json!({"i31": 1})),
        "launches[0].args[3].i31: unknown type `i31` (did you mean `i32`?); there is: i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64 raw"
    );
    for address in [json!(null), json!(5)] {
        assert_eq!(
            otherwise("/launches/0/args/2", address),
            "launches[0]: args[2]: null or a number without a type is an address, but the kernel takes a value of 4 bytes: give {\"i32\": 5}, with the right type"
        );
    }
    assert_eq!(
        otherwise("/launches/0/args/0", json!(-1)),
        "launches[0].args[0]: -1 does not fit u64, which goes from 0 to 18446744073709551615"
    );
    assert_eq!(
        otherwise("/launches/0/args/0", json!(true)),
        "launches[0].args[0]: should be \"$buffer\", a value (as {\"i32\": 5}) or null, is a boolean"
    );
    assert_eq!(
        message(
            "untyped",
            r#"{"code_object": "x.co", "variables": {"count": 5}, "launches": []}"#
        ),
        "variables.count: needs a type, as in {\"i32\": 5}"
    );
}

#[test]
fn buffers() {
    assert!(
        otherwise("/buffers/input/file", json!("none.bin"))
            .starts_with("buffer `input`: cannot read none.bin: No such file")
    );
    assert_eq!(
        otherwise("/buffers/output/save", json!("none/out.bin")),
        "buffer `output`: cannot save to none/out.bin: make the directory none first"
    );
    assert_eq!(
        otherwise("/buffers/output/save", json!(".")),
        "buffer `output`: cannot save to .: it is a directory, name a file in it"
    );
    assert!(
        otherwise("/buffers/output/bytes", json!(1u64 << 62))
            .contains("are over the limit of 4294967296")
    );
    let here = scratch("exec-refused-npy");
    let launch = json!({"code_object": KERNELS, "buffers": {"b": {"file": "b.npy"}},
        "launches": [{"kernel": "kernel_eye", "grid": [1, 1, 1], "block": [1, 1, 1], "args": ["$b", {"i32": 1}]}]});
    std::fs::write(here.join("launch.json"), launch.to_string()).expect("written");
    std::fs::write(here.join("b.npy"), b"\x93NUMPY\x01\x00\xff\xff{").expect("written");
    let line = refused(&here, &["exec", "launch.json"]);
    assert_eq!(
        line,
        "buffer `b`: cannot read b.npy: not a .npy file, or cut short within its header"
    );
}

/// `save` must not replace a file that the launch reads. It replaced the launch file, the code object and inputs.
#[cfg(unix)]
#[test]
fn what_the_launch_reads_is_not_written_over() {
    let here = scratch("exec-refused-over");
    let (object, input) = (here.join("x.co"), here.join("in.bin"));
    std::fs::copy(KERNELS, &object).expect("copied");
    std::fs::write(&input, [0; 400]).expect("written");
    std::fs::create_dir_all(here.join("sub")).expect("made");
    std::os::unix::fs::symlink("../in.bin", here.join("sub/link")).expect("linked");
    std::os::unix::fs::symlink("..", here.join("sub/up")).expect("linked");
    std::os::unix::fs::symlink("later.bin", here.join("early.bin")).expect("linked");
    std::fs::hard_link(&object, here.join("other.co")).expect("linked");
    let launch = |save: &str, second: Option<&str>| {
        json!({
            "code_object": "x.co",
            "buffers": { "input": {"file": "in.bin", "save": second},
                         "output": {"bytes": 400, "fill": "poison", "save": save} },
            "launches": [ {"kernel": "kernel_scale", "grid": [2, 1, 1], "block": [64, 1, 1], "dynamic_lds": 0,
                           "args": ["$input", "$output", {"i32": 100}, {"f32": 3.0}]} ],
        })
    };
    let write = |launch: Value| {
        let mut launch = launch;
        let input = launch["buffers"]["input"]
            .as_object_mut()
            .expect("a buffer");
        input.retain(|_, value| !value.is_null());
        std::fs::write(here.join("launch.json"), launch.to_string()).expect("written");
    };
    for (save, second, what) in [
        ("launch.json", None, "the launch file"),
        ("sub/../launch.json", None, "the launch file"),
        ("./x.co", None, "the code object"),
        ("other.co", None, "the code object"),
        ("in.bin", None, "the input of buffer `input`"),
        ("sub/link", None, "the input of buffer `input`"),
        ("sub/up/in.bin", None, "the input of buffer `input`"),
        (
            "early.bin",
            Some("sub/../later.bin"),
            "where buffer `input` is written",
        ),
    ] {
        write(launch(save, second));
        let line = refused(&here, &["exec", "launch.json"]);
        assert!(
            line.contains(&format!(" is {what}: name another file")),
            "{save}: {line}"
        );
    }
    write(launch("out.bin", None));
    let line = refused(&here, &["exec", "launch.json", "--trace", "sub/up/x.co"]);
    assert!(
        line.contains("`--trace`: sub/up/x.co is the code object"),
        "{line}"
    );
    assert_eq!(
        std::fs::read(&object).expect("there"),
        std::fs::read(KERNELS).expect("there")
    );
    assert_eq!(std::fs::read(&input).expect("there"), [0; 400]);
}
