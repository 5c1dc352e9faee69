//! The subcommands, run as a user runs them.

mod again;
mod audit;
mod bars;
mod bench;
mod bindings;
mod ci_docs;
mod custom;
mod debug;
mod diagnosis;
mod disasm;
mod documents;
mod exec;
mod exec_around;
mod exec_expect;
mod exec_expect_refused;
mod exec_refused;
mod exec_triton;
mod explain;
mod export;
mod fleet;
mod generate;
mod hip;
mod indices;
mod inspect;
mod io_faults;
mod isa;
mod isolate;
mod judge;
mod killed;
mod lint;
mod mutate;
mod names;
mod outputs;
mod profile;
mod proposals;
mod reach;
mod readers;
mod record;
mod relations;
mod reports;
mod resources;
mod sanitize;
mod schemas;
mod self_test;
mod signals;
mod sizes;
mod soak;
mod sources;
mod states;
mod terminal;
mod trace;
mod unwritten;
mod vectors;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Small code objects that compilers made.
const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/gfx906/tests/data");
/// The kernels of the document.
const KERNELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/built/deltanet.co");

/// The folders below which files may name places.
const ALLOW_PATH: &str = "DELTANET_CHECK_ALLOW_PATH";

/// The exit code and the output of a run.
struct Run {
    code: i32,
    out: String,
    err: String,
}

/// Returns the names of the built-in kernels, as their sources in `kernels/*.hip` have them.
fn kernels_of_the_sources() -> BTreeSet<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/kernels");
    let mut names = BTreeSet::new();
    for entry in std::fs::read_dir(folder).expect("kernels/") {
        let path = entry.expect("an entry").path();
        let other_code_object = ["planted.hip", "sanitizer.hip"];
        if path.extension() != Some("hip".as_ref())
            || other_code_object.iter().any(|file| path.ends_with(file))
        {
            continue;
        }
        for line in std::fs::read_to_string(&path).expect("a source").lines() {
            // A kernel is written out, or a macro NAME_KERNEL defines it.
            let written_out = line.strip_prefix("extern \"C\" __global__ void ");
            let by_macro = line.split_once("_KERNEL(").map(|(_, rest)| rest);
            if let Some(rest) = written_out.or(by_macro) {
                let name = rest.split(['(', ',']).next().expect("a part");
                names.insert(name.to_owned());
            }
        }
    }
    assert!(names.len() > 100, "{names:?}");
    names
}

/// Runs the program in `directory`.
fn run(directory: &Path, args: &[&str]) -> Run {
    let program = env!("CARGO_BIN_EXE_deltanet-check");
    ended(Command::new(program).args(args).current_dir(directory))
}

/// An interpreter that has NumPy: the first on the path, or Debian's.
fn interpreter() -> Option<&'static str> {
    let has_numpy = |python: &&str| {
        let run = Command::new(python).args(["-c", "import numpy"]).output();
        run.is_ok_and(|run| run.status.success())
    };
    ["python3", "/usr/bin/python3"].into_iter().find(has_numpy)
}

/// Runs a command to its end. Files may name places anywhere, unless the command says otherwise: the kernels are not below the tests' folders.
fn ended(command: &mut Command) -> Run {
    let said = command.get_envs().any(|(name, _)| name == ALLOW_PATH);
    if !said {
        command.env(ALLOW_PATH, "/");
    }
    let output = command.output().expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Run {
        code: output.status.code().expect("not killed"),
        out: text(output.stdout),
        err: text(output.stderr),
    }
}

/// Runs the program where it must refuse: exit code 3 and one line, which is returned.
fn refused(directory: &Path, args: &[&str]) -> String {
    let run = run(directory, args);
    assert_eq!((run.code, run.out.as_str()), (3, ""), "{}", run.err);
    let line = run
        .err
        .strip_prefix("error: ")
        .and_then(|text| text.strip_suffix('\n'))
        .expect("an error");
    assert!(!line.contains('\n'), "more than one line: {line}");
    line.to_owned()
}

/// An empty directory of this name.
fn scratch(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("commands")
        .join(name);
    if directory.exists() {
        std::fs::remove_dir_all(&directory).expect("removed");
    }
    std::fs::create_dir_all(&directory).expect("made");
    directory
}
