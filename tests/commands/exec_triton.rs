//! `exec`: the metadata that Triton writes beside a code object.

use std::path::Path;

use serde_json::{Value, json};

use crate::{DATA, KERNELS, Run, refused, run, scratch};

/// Runs a launch of `k.hsaco` beside which Triton's file stands.
fn directory(name: &str, object: &str, triton: &str, launch: &Value) -> std::path::PathBuf {
    let here = scratch(&format!("exec-triton-{name}"));
    std::fs::copy(object, here.join("k.hsaco")).expect("copied");
    std::fs::write(here.join("in.bin"), 1f32.to_le_bytes().repeat(256)).expect("written");
    if !triton.is_empty() {
        std::fs::write(here.join("k.json"), triton).expect("written");
    }
    let launch = json!({
        "code_object": "k.hsaco",
        "buffers": { "input": {"file": "in.bin"}, "out": {"bytes": 1024, "save": "out.bin"} },
        "launches": [ launch ],
    });
    std::fs::write(here.join("launch.json"), launch.to_string()).expect("written");
    here
}

fn exec(here: &Path) -> Run {
    run(here, &["exec", "launch.json", "--format", "json"])
}

/// Returns the metadata that Triton 3.5 writes, without the fields that `exec` does not need.
fn triton(changes: &Value) -> String {
    let mut file = json!({
        "hash": "0a", "target": {"backend": "hip", "arch": "gfx906", "warp_size": 64}, "num_warps": 2, "num_stages": 2, "num_ctas": 1,
        "warp_size": 64, "shared": 1024, "profile_scratch_size": 0, "profile_scratch_align": 1, "name": "kernel_scale",
    });
    for (key, value) in changes.as_object().expect("an object") {
        if value.is_null() {
            file.as_object_mut().expect("an object").remove(key);
        } else {
            file[key] = value.clone();
        }
    }
    file.to_string()
}

fn scale() -> Value {
    json!({"grid": [2, 1, 1], "args": ["$input", "$out", {"i32": 256}, {"f32": 3.0}]})
}

#[test]
fn kernel_block_and_lds_come_from_it() {
    let here = directory("whole", KERNELS, &triton(&json!({})), &scale());
    let run = exec(&here);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    let report: Value = serde_json::from_str(&run.out).expect("JSON");
    let launch = &report["launches"][0];
    assert_eq!(launch["kernel"], "kernel_scale");
    assert_eq!(
        (&launch["block"], &launch["dynamic_lds"]),
        (&json!([128, 1, 1]), &json!(1024))
    );
    assert_eq!(
        std::fs::read(here.join("out.bin")).expect("saved"),
        3f32.to_le_bytes().repeat(256)
    );
    // The values of the launch file take precedence.
    let mut launch = scale();
    launch["block"] = json!([256, 1, 1]);
    launch["dynamic_lds"] = json!(16);
    let run = exec(&directory("said", KERNELS, &triton(&json!({})), &launch));
    let report: Value = serde_json::from_str(&run.out).expect("JSON");
    let launch = &report["launches"][0];
    assert_eq!(
        (&launch["block"], &launch["dynamic_lds"]),
        (&json!([256, 1, 1]), &json!(16))
    );
}

/// `reduce` writes through its second pointer, which is null where it stands for Triton's.
#[test]
fn pointers_to_scratch_are_null() {
    let object = format!("{DATA}/v5.co");
    let launch = json!({"grid": [1, 1, 1], "block": [256, 1, 1], "args": ["$input"]});
    let of_reduce = json!({"name": "reduce"});
    let run = exec(&directory("null", &object, &triton(&of_reduce), &launch));
    assert_eq!(run.code, 1, "{}{}", run.out, run.err);
    let report: Value = serde_json::from_str(&run.out).expect("JSON");
    let trap = &report["launches"][0]["trap"];
    assert_eq!(
        (&trap["kind"], &trap["address"]),
        (&json!("memory_fault"), &json!(0))
    );

    let line = |name: &str, changes: Value| {
        let mut file = of_reduce.clone();
        file.as_object_mut()
            .expect("an object")
            .extend(changes.as_object().expect("an object").clone());
        refused(
            &directory(name, &object, &triton(&file), &launch),
            &["exec", "launch.json"],
        )
    };
    assert_eq!(
        line("scratch", json!({"profile_scratch_size": 64})),
        "launch.json: launches[0]: the kernel uses scratch of Triton's (profile_scratch_size 64 in k.json): give buffers for all 2 arguments"
    );
    // An argument is missing where the file does not mention scratch.
    assert_eq!(
        line("silent", json!({"profile_scratch_size": null})),
        "launch.json: launches[0]: kernel `reduce` takes 2 arguments, 1 given: a pointer, a pointer"
    );
}

#[test]
fn what_it_does_not_say_is_to_be_given() {
    let line = |name: &str, file: &str| {
        refused(
            &directory(name, KERNELS, file, &scale()),
            &["exec", "launch.json"],
        )
    };
    assert_eq!(
        line("warps", &triton(&json!({"num_warps": null}))),
        "launch.json: k.json: has not a count `num_warps`, as Triton writes it: give `block` in the launch file"
    );
    assert_eq!(
        line("name", &triton(&json!({"name": null}))),
        "launch.json: k.json: has not a `name`, as Triton writes it: give `kernel` in the launch file"
    );
    assert_eq!(
        line("shared", &triton(&json!({"shared": "much"}))),
        "launch.json: k.json: has not a count `shared`, as Triton writes it: give `dynamic_lds` in the launch file"
    );
    assert_eq!(
        line("lanes", &triton(&json!({"warp_size": 32}))),
        "launch.json: k.json: compiled for waves of 32 lanes, gfx906 has 64: compile for gfx906"
    );
    assert_eq!(
        line("warps-64", &triton(&json!({"num_warps": 64}))),
        "launch.json: launches[0]: kernel `kernel_scale`: block [4096, 1, 1] is 4096 work-items, a work-group has at most 1024"
    );
    let cut = line("cut", "{");
    assert!(
        cut.starts_with("launch.json: k.json: not what Triton writes: EOF while parsing"),
        "{cut}"
    );
    assert_eq!(
        line("none", ""),
        "launch.json: launches[0]: has no `kernel`"
    );
}
