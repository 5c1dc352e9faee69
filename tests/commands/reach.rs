//! Places that files name: nothing outside their own folder is read, written or overwritten, unless a flag allows it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::{Run, ended, scratch};

/// Runs the program with no other folder allowed than by its flags.
fn alone(here: &Path, args: &[&str]) -> Run {
    ended(
        Command::new(env!("CARGO_BIN_EXE_deltanet-check"))
            .args(args)
            .env(crate::ALLOW_PATH, "")
            .current_dir(here),
    )
}

/// A folder with a code object, a link to the folder beside it, and one to a file there.
fn folder(name: &str) -> (PathBuf, PathBuf) {
    let here = scratch(name);
    let (own, beside) = (here.join("own"), here.join("beside"));
    std::fs::create_dir_all(own.join("deep")).expect("made");
    std::fs::create_dir_all(&beside).expect("made");
    std::fs::copy(crate::KERNELS, own.join("x.co")).expect("copied");
    std::fs::copy(crate::KERNELS, beside.join("x.co")).expect("copied");
    std::os::unix::fs::symlink(&beside, own.join("out")).expect("linked");
    std::os::unix::fs::symlink("../beside/new.npy", own.join("link.npy")).expect("linked");
    (own, beside)
}

fn launch(own: &Path, code_object: &str, save: &str) {
    let file: Value = json!({
        "code_object": code_object,
        "buffers": { "input": {"bytes": 256}, "output": {"bytes": 256, "save": save} },
        "launches": [ {"kernel": "kernel_scale", "grid": [1, 1, 1], "block": [64, 1, 1],
                       "args": ["$input", "$output", {"i32": 64}, {"f32": 3.0}]} ],
    });
    std::fs::write(own.join("launch.json"), file.to_string()).expect("written");
}

#[test]
fn a_launch_file_names_files_below_its_folder() {
    let (own, beside) = folder("reach-launch");
    let run = |code_object: &str, save: &str, flags: &[&str]| {
        launch(&own, code_object, save);
        alone(&own, &[&["exec", "launch.json"], flags].concat())
    };
    let far = beside.join("far.npy");
    let far = far.to_str().expect("UTF-8");
    for save in [
        "../far.npy",
        "deep/../../far.npy",
        "out/far.npy",
        "link.npy",
        far,
    ] {
        let run = run("x.co", save, &[]);
        assert_eq!(run.code, 3, "{save}: {}", run.err);
        let told = run.err.contains("buffers.output.save: ") && run.err.contains("is not below");
        assert!(told && run.err.contains("--allow-path DIR"), "{}", run.err);
    }
    let refused = run("../beside/x.co", "new.npy", &[]);
    assert_eq!(refused.code, 3, "{}", refused.err);
    assert!(
        refused
            .err
            .contains("code_object: ../beside/x.co is not below")
    );
    assert_eq!(std::fs::read_dir(&beside).expect("read").count(), 1);

    assert_eq!(run("x.co", "deep/new.npy", &[]).code, 0);
    let again = run("x.co", "deep/new.npy", &[]);
    assert_eq!(again.code, 3, "{}", again.err);
    assert!(
        again
            .err
            .contains("deep/new.npy is there already: delete it"),
        "{}",
        again.err
    );
    assert_eq!(
        run("x.co", "deep/new.npy", &["--allow-path", "deep"]).code,
        0
    );
    let allowed = run(
        "../beside/x.co",
        "out/far.npy",
        &["--allow-path", "../beside"],
    );
    assert_eq!(allowed.code, 0, "{}", allowed.err);
    assert!(beside.join("far.npy").is_file());
    let missing = run("x.co", "other.npy", &["--allow-path", "none"]);
    assert_eq!(missing.code, 3);
    assert!(
        missing.err.contains("cannot allow none: No such file"),
        "{}",
        missing.err
    );
}

/// Names of random parts. A generator of its own, so that a name comes again with its seed.
#[test]
fn no_random_name_leads_out() {
    let (own, beside) = folder("reach-random");
    let parts = ["..", ".", "deep", "out", "link.npy", "a.npy", "/", "in"];
    std::os::unix::fs::symlink("deep", own.join("in")).expect("linked");
    let mut state = 1u64;
    let mut draw = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % below
    };
    let mut written = 0;
    for _ in 0..150 {
        let count = 1 + draw(5);
        let names = (0..count).map(|_| parts[draw(parts.len() as u64) as usize]);
        let save = names.collect::<Vec<_>>().join("/");
        launch(&own, "x.co", &save);
        let run = alone(&own, &["exec", "launch.json"]);
        assert!(matches!(run.code, 0 | 3), "{save}: {}", run.err);
        written += u32::from(run.code == 0);
    }
    assert!(written > 0);
    assert_eq!(std::fs::read_dir(&beside).expect("read").count(), 1);
    let above = own.parent().expect("a folder");
    assert_eq!(std::fs::read_dir(above).expect("read").count(), 2);
}

#[test]
fn bindings_and_contracts_name_files_below_their_folders() {
    let (own, beside) = folder("reach-contract");
    let contract = |python: &str| {
        format!(
            "schema = 1\n[[contract]]\nname = \"mine\"\nsizes = {{ n = [1] }}\n[contract.tensors]\nx = {{ axes = \"n\", type = \"f32\" }}\n\
             y = {{ axes = \"n\", type = \"f32\", role = \"output\" }}\n[contract.reference]\npython = \"{python}:f\"\n"
        )
    };
    std::fs::write(beside.join("f.py"), "def f(x):\n    return {'y': x}\n").expect("written");
    std::fs::write(own.join("far.toml"), contract("../beside/f.py")).expect("written");
    std::fs::write(beside.join("near.toml"), contract("f.py")).expect("written");
    let binding = "schema = 1\ncontracts = [\"../beside/near.toml\"]\n[[binding]]\ncontract = \"mine\"\nsymbol = \"k\"\ngrid = [1]\nblock = [64]\nargs = []\n";
    std::fs::write(own.join("bind.toml"), binding).expect("written");
    for (args, told) in [
        (["--contract", "far.toml"], "far.toml:9:10"),
        (["--bind", "bind.toml"], "bind.toml:2:14"),
    ] {
        let run = alone(&own, &[&args[..], &["--list"]].concat());
        assert_eq!(run.code, 3, "{}", run.err);
        for told in [told, "is not below", "--allow-path DIR"] {
            assert!(run.err.contains(told), "{}", run.err);
        }
        let allowed = [&args[..], &["--list", "--allow-path", "../beside"]].concat();
        let allowed = alone(&own, &allowed);
        assert!(!allowed.err.contains("is not below"), "{}", allowed.err);
    }
}
