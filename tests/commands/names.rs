//! Names of files with control characters: every command that says one escapes it.

use std::path::{Path, PathBuf};

use crate::{DATA, run, scratch};

/// Clears the screen and goes on in another line, where a terminal obeys it.
const NAME: &str = "a\u{1b}[2J\nb\u{202e}";

/// Runs commands in a directory with a file of that name, which holds this.
fn said(title: &str, contents: &[u8], commands: &[&[&str]]) {
    let here = scratch(&format!("names-{title}"));
    for ending in ["", ".co", ".json", ".toml", ".safetensors", ".hex"] {
        std::fs::write(here.join(format!("{NAME}{ending}")), contents).expect("written");
    }
    for command in commands {
        let args: Vec<String> = command.iter().map(|arg| arg.replace('@', NAME)).collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let run = run(&here, &args);
        let text = run.out + &run.err;
        assert!(
            text.contains("\\u{1b}[2J"),
            "{command:?} does not name the file: {text:?}"
        );
        let obeyed = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(
            !text.contains(obeyed) && !text.contains("2J\n"),
            "{command:?}: {text:?}"
        );
    }
}

#[test]
fn of_files_that_are_not_what_they_should_be() {
    let commands: &[&[&str]] = &[
        &["inspect", "@.co"],
        &["disasm", "@.co"],
        &["lint", "@.co"],
        &["exec", "@.json"],
        &["--kernels", "@.co"],
        &["--registry", "@.toml"],
        &["self-test", "--kernels", "@.co"],
        &["vectors", "@.safetensors"],
        &["vectors", "--kernels", "@.co", "@.safetensors"],
        &["export", "--test", "*", "--out", "@.safetensors"],
        &["export", "--test", "*", "--out", "@.co"],
        &["--dump", "@.co", "--test", "*"],
        &["--trace", "@.co/x", "--test", "*"],
        &["tolerances", "--kernels", "@.co"],
    ];
    said("bad", b"no such thing", commands);
}

#[test]
fn of_files_that_are_not_there() {
    let commands: &[&[&str]] = &[
        &["inspect", "x@"],
        &["disasm", "x@"],
        &["exec", "x@"],
        &["--kernels", "x@"],
        &["--registry", "x@"],
        &["vectors", "x@"],
    ];
    said("none", b"", commands);
}

#[test]
fn of_files_that_are_good() {
    let object = std::fs::read(PathBuf::from(DATA).join("v5.co")).expect("there");
    let commands: &[&[&str]] = &[
        &["inspect", "@.co"],
        &["inspect", "@.co", "--format", "json"],
        &["disasm", "@.co", "--kernel", "none"],
    ];
    said("good", &object, commands);
}

#[test]
fn of_what_a_launch_reads_and_writes() {
    let here = scratch("names-launch");
    let launch = serde_json::json!({
        "code_object": Path::new(DATA).join("v5.co"),
        "buffers": { "out": {"bytes": 256, "save": format!("{NAME}.bin")}, "idle": {"bytes": 4} },
        "launches": [ {"kernel": "pointee", "grid": [1, 1, 1], "block": [64, 1, 1], "args": ["$out"]} ],
    });
    std::fs::write(here.join(format!("{NAME}.json")), launch.to_string()).expect("written");
    for format in ["table", "json"] {
        let run = run(
            &here,
            &["exec", &format!("{NAME}.json"), "--format", format],
        );
        assert_eq!(run.code, 0, "{}", run.err);
        for text in [&run.out, &run.err] {
            assert!(text.contains("u{1b}[2J"), "{text:?}");
            assert!(
                !text.contains(|c: char| c.is_control() && c != '\n'),
                "{text:?}"
            );
        }
    }
}
