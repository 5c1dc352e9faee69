//! Every file that a command writes is of the format that its name promises, or the command line is refused.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::{run, scratch};

/// Endings that a command with an output may be given.
const ENDINGS: [&str; 9] = [
    "json",
    "xml",
    "md",
    "html",
    "htm",
    "txt",
    "toml",
    "safetensors",
    "npy",
];

/// Returns true if a file has the format that its extension promises.
fn keeps_its_promise(path: &Path, ending: &str) -> bool {
    let bytes = fs::read(path).expect("written");
    let text = String::from_utf8_lossy(&bytes);
    match ending {
        "json" => serde_json::from_slice::<Value>(&bytes).is_ok(),
        "xml" => text.starts_with("<?xml"),
        "md" => text.starts_with("## "),
        "html" | "htm" => text.starts_with("<!doctype html>"),
        "safetensors" => safetensors::SafeTensors::deserialize(&bytes).is_ok(),
        _ => !text.starts_with(['{', '<']),
    }
}

#[test]
fn each_output_of_each_command_goes_by_its_ending_or_is_refused() {
    let here = scratch("outputs");
    assert_eq!(run(&here, &["--test", "mul", "--report", "r.json"]).code, 0);
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/reference/tests/data");
    let vectors = fs::read_dir(data)
        .expect("committed")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|end| end == "safetensors"))
        .min_by_key(|path| fs::metadata(path).map_or(u64::MAX, |data| data.len()))
        .expect("one file at least");
    let vectors = vectors.to_str().expect("UTF-8");
    let commands: [(&[&str], &str, &[&str]); 10] = [
        (
            &["--test", "mul"],
            "--report",
            &["json", "xml", "md", "html", "htm"],
        ),
        (
            &["merge", "r.json"],
            "--output",
            &["json", "xml", "md", "html", "htm"],
        ),
        (
            &["vectors", vectors],
            "--report",
            &["json", "xml", "md", "html", "htm"],
        ),
        (&["--test", "mul", "--seeds", "1"], "--report", &["json"]),
        (
            &["soak", "--minutes", "0.0001", "--test", "mul"],
            "--report",
            &["json"],
        ),
        (&["self-test", "--test", "mul"], "--report", &["json"]),
        (
            &["profile", "--test", "mul"],
            "--report",
            &["json", "html", "htm"],
        ),
        (
            &["mutate", "--test", "mul", "--per-kernel", "1"],
            "--report",
            &["json", "html", "htm"],
        ),
        (&["export", "--test", "mul"], "--out", &["safetensors"]),
        (&["--test", "mul"], "--trace", &["txt", "toml"]),
    ];
    for (number, (command, flag, known)) in commands.iter().enumerate() {
        for ending in ENDINGS {
            let name = format!("{number}.{ending}");
            let done = run(&here, &[command, &[*flag, &name][..]].concat());
            let path = here.join(&name);
            if known.contains(&ending) {
                assert_eq!(done.code, 0, "{command:?} {name}: {}", done.err);
                assert!(keeps_its_promise(&path, ending), "{command:?} {name}");
            } else {
                assert_eq!(done.code, 2, "{command:?} {name}: {}", done.out);
                assert!(!path.exists(), "{command:?} {name}");
                assert!(done.err.contains(&name), "{}", done.err);
            }
        }
    }
    let hip = run(&here, &["hip", "--report", "x.html", "--", "true"]);
    assert_eq!(hip.code, 2, "{}", hip.err);
    assert!(hip.err.contains("must end in .json"), "{}", hip.err);
}

/// A report through a link to standard output stands behind the table, also if standard output is a file.
#[cfg(unix)]
#[test]
fn a_report_to_standard_output_keeps_the_table() {
    let here = scratch("outputs-stdout");
    for (link, stream) in [("out.json", "/dev/stdout"), ("err.json", "/dev/stderr")] {
        std::os::unix::fs::symlink(stream, here.join(link)).expect("linked");
        let file = |name: &str| fs::File::create(here.join(name)).expect("made");
        let status = std::process::Command::new(env!("CARGO_BIN_EXE_deltanet-check"))
            .args(["--test", "mul", "--report", link])
            .current_dir(&here)
            .stdout(file("stdout.txt"))
            .stderr(file("stderr.txt"))
            .status()
            .expect("the program starts");
        let read = |name: &str| fs::read_to_string(here.join(name)).expect("readable");
        assert_eq!(status.code(), Some(0), "{link}: {}", read("stderr.txt"));
        let table = read("stdout.txt");
        assert!(table.contains("1 passed"), "{link}: {table}");
        let whole = table + &read("stderr.txt");
        let json = &whole[whole.find("\n{").map_or(0, |at| at + 1)..];
        let mut values = serde_json::Deserializer::from_str(json).into_iter();
        let report: serde_json::Value = values.next().expect("a report").expect("JSON");
        assert!(
            report.to_string().contains("\"id\":\"mul\""),
            "{link}: {report}"
        );
    }
}

/// A flag that a command would ignore is an error of the command line.
#[test]
fn a_flag_without_an_effect_is_refused() {
    let here = scratch("outputs-ignored");
    let commands: [&[&str]; 10] = [
        &["self-test", "--test", "mul", "--repeat", "2"],
        &["--self-test", "--test", "mul", "--repeat", "2"],
        &["--self-test", "--test", "mul", "--dump", "x"],
        &["self-test", "--test", "mul", "--dump", "x"],
        &["profile", "--constants", "--report", "c.json"],
        &["bench", "--row", "--format", "json", "--test", "mul"],
        &["hip", "--hot", "--", "true"],
        &["mutate", "--merge", "a.json", "--registry", "r.toml"],
        &["mutate", "--merge", "a.json", "--seed", "1"],
        &["mutate", "--merge", "a.json", "--per-kernel", "1"],
    ];
    for command in commands {
        let refused = run(&here, command);
        let said = (refused.code, refused.out.as_str());
        assert_eq!(said, (2, ""), "{command:?}: {}", refused.err);
    }
    assert!(!here.join("x").exists());
}

/// The complaints about a file have colours when the other output has them.
#[test]
fn one_decision_colours_all_output() {
    let here = scratch("outputs-colours");
    fs::write(here.join("bad.toml"), "schema = 7\n").expect("written");
    for (variable, flags, colored) in [
        ("CLICOLOR_FORCE", &[][..], true),
        ("CLICOLOR_FORCE", &["--color", "never"], false),
        ("TERM", &["--color", "always"], true),
        ("NO_COLOR", &["--color", "always"], true),
        ("NO_COLOR", &[], false),
    ] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_deltanet-check"))
            .args(["--registry", "bad.toml"])
            .args(flags)
            .env_remove("NO_COLOR")
            .env(variable, "1")
            .current_dir(&here)
            .output()
            .expect("the program starts");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains("this registry has schema 7"), "{text}");
        assert_eq!(text.contains('\u{1b}'), colored, "{variable} {flags:?}");
    }
}
