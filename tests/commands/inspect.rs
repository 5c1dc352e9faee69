//! `inspect`: the table and the JSON, whole.

use std::collections::BTreeSet;
use std::path::Path;

use crate::{DATA, KERNELS, kernels_of_the_sources, refused, run, scratch};

#[test]
fn the_table() {
    let run = run(Path::new(DATA), &["inspect", "v5.co"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    insta::assert_snapshot!(run.out);
}

#[test]
fn the_json() {
    let run = run(Path::new(DATA), &["inspect", "v4.co", "--format", "json"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    insta::assert_snapshot!(run.out);
}

#[test]
fn every_kernel_is_listed() {
    let run = run(Path::new(DATA), &["inspect", KERNELS, "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(report["schema"], "deltanet-check/inspect/1");
    let kernels = report["kernels"].as_array().expect("kernels");
    let names: BTreeSet<String> = kernels
        .iter()
        .map(|kernel| kernel["name"].as_str().expect("a name").to_owned())
        .collect();
    assert_eq!(names, kernels_of_the_sources());
    let tiled = kernels
        .iter()
        .find(|kernel| kernel["name"] == "kernel_gemm_nt_tiled")
        .expect("tiled");
    assert!(tiled["lds_bytes"].as_u64().expect("a number") > 0);
}

#[test]
fn unusable_files() {
    let here = scratch("inspect-unusable");
    let write = |name: &str, bytes: &[u8]| std::fs::write(here.join(name), bytes).expect("written");
    write("empty.co", b"");
    write("text.co", b"hello, world");
    let whole = std::fs::read(KERNELS).expect("the kernels");
    write("cut.co", &whole[..whole.len() / 2]);
    let inspect = |name: &str| refused(&here, &["inspect", name]);
    assert_eq!(
        inspect("empty.co"),
        "empty.co: the code object is empty (0 bytes): build it again"
    );
    assert!(inspect("text.co").starts_with(
        "text.co: not a code object (it starts with \"hello, world\"): give the file"
    ));
    assert!(inspect("cut.co").starts_with("cut.co: ELF section headers: "));
    assert_eq!(
        inspect("."),
        "cannot read .: it is a directory, name a file in it"
    );
    assert!(inspect("none.co").starts_with("cannot read none.co: No such file"));
    let foreign = format!("{DATA}/gfx90a.co");
    assert!(
        inspect(&foreign).ends_with(
            "gfx90a.co: built for gfx90a, not gfx906: rebuild with --offload-arch=gfx906"
        )
    );
    if cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        assert!(
            inspect(env!("CARGO_BIN_EXE_deltanet-check"))
                .contains("is an x86-64 program, not a GPU code object")
        );
    }
}
