//! Each test in a process of its own: here on the emulator, as on a card.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use gfx906::code_object::CodeObject;
use safetensors::SafeTensors;
use serde_json::Value;

use super::{KERNELS, refused, run, scratch};

/// The JSON that the program prints, without times, and without the flag that asks for processes.
fn json(directory: &Path, args: &[&str]) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(map) => {
                for key in ["seconds", "started", "command", "settings"] {
                    map.remove(key);
                }
                map.values_mut().for_each(strip);
            }
            Value::Array(list) => list.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let ran = run(directory, args);
    let mut value = serde_json::from_str(&ran.out.replace(" --isolate", ""))
        .unwrap_or_else(|error| panic!("{error}: {}{}", ran.out, ran.err));
    strip(&mut value);
    value
}

/// The documented kernels, with one that never ends: `s_branch` to itself in place of its first instruction.
fn hanging(directory: &Path, kernel: &str) -> PathBuf {
    const ENDLESS: u32 = 0xbf82_ffff;
    let mut bytes = fs::read(KERNELS).expect("committed");
    let object = CodeObject::parse(&bytes).expect("a code object");
    let kernel = object.kernel(kernel).expect("the kernel");
    let code = object.image.segments.iter().find_map(|segment| {
        let start = usize::try_from(kernel.entry_address.checked_sub(segment.address)?).ok()?;
        segment.data.get(start..start + kernel.code_size as usize)
    });
    let code = code.expect("its code");
    let places: Vec<usize> = (0..bytes.len() - code.len())
        .filter(|&at| &bytes[at..at + code.len()] == code)
        .collect();
    assert_eq!(places.len(), 1, "the kernel begins like another");
    bytes[places[0]..places[0] + 4].copy_from_slice(&ENDLESS.to_le_bytes());
    let path = directory.join("hangs.co");
    fs::write(&path, bytes).expect("written");
    path
}

#[test]
fn reports_are_the_same_to_the_last_bit() {
    let place = scratch("isolate-reports");
    let report = |more: &[&str]| {
        let mut args = vec![
            "--phase", "1-5", "--seed", "5", "--repeat", "2", "--format", "json",
        ];
        args.extend(more);
        json(&place, &args)
    };
    let here = report(&["--dump", "here"]);
    let there = report(&["--isolate", "--dump", "there"]);
    assert_eq!(here["totals"]["fail"], 0);
    assert_eq!(there, here);
    let dumped = |name: &str| {
        let dir = place.join(name).join("solve_tri_64");
        let mut files: Vec<_> = fs::read_dir(dir)
            .expect("dumped")
            .map(|entry| entry.expect("an entry"))
            .map(|entry| (entry.file_name(), fs::read(entry.path()).expect("read")))
            .collect();
        files.sort();
        files
    };
    assert!(dumped("here").len() > 3);
    assert_eq!(dumped("here"), dumped("there"));
}

#[test]
fn the_self_test_is_the_same() {
    let place = scratch("isolate-self-test");
    let tests = ["exp", "neg", "transpose"]
        .map(|test| ["--test", test])
        .concat();
    let result = |more: &[&str]| {
        let mut args = vec!["self-test", "--format", "json"];
        args.extend(&tests);
        args.extend(more);
        json(&place, &args)
    };
    let there = result(&["--isolate"]);
    assert_eq!(there["complaints"], serde_json::json!([]));
    assert_eq!(there, result(&[]));
}

#[test]
fn given_tensors_and_exports_come_through() {
    let place = scratch("isolate-vectors");
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/reference/tests/data");
    let file = fs::read_dir(data)
        .expect("committed")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|end| end == "safetensors"))
        .min_by_key(|path| fs::metadata(path).map_or(u64::MAX, |data| data.len()))
        .expect("one file at least");
    let file = file.to_str().expect("UTF-8");
    let judged = |more: &[&str]| {
        let mut args = vec!["vectors", file, "--format", "json"];
        args.extend(more);
        json(&place, &args)
    };
    assert_eq!(judged(&["--isolate"]), judged(&[]));
    for (out, more) in [
        ("here.safetensors", None),
        ("there.safetensors", Some("--isolate")),
    ] {
        let mut args = vec!["export", "--test", "mul", "--out", out];
        args.extend(more);
        assert_eq!(run(&place, &args).code, 0);
    }
    // The order of the metadata is another one each time.
    let read = |name: &str| {
        let bytes = fs::read(place.join(name)).expect("exported");
        let (_, header) = SafeTensors::read_metadata(&bytes).expect("a header");
        let file = SafeTensors::deserialize(&bytes).expect("tensors");
        let tensors = file.iter().map(|(name, view)| {
            let tensor = (view.dtype(), view.shape().to_vec(), view.data().to_vec());
            (name.to_string(), tensor)
        });
        let tensors: BTreeMap<_, _> = tensors.collect();
        (tensors, header.metadata().clone().expect("metadata"))
    };
    let here = read("here.safetensors");
    assert!(here.0.contains_key("output.out"));
    assert_eq!(here, read("there.safetensors"));
}

#[test]
fn a_hang_is_the_verdict_of_its_test_and_the_others_go_on_where_they_are_to() {
    let place = scratch("isolate-hang");
    let kernels = hanging(&place, "kernel_mul");
    let kernels = kernels.to_str().expect("UTF-8");
    let args = [
        "--isolate",
        "--keep-going",
        "--timeout",
        "2",
        // Longer than the process may take.
        "--budget",
        "1000s",
        "--kernels",
        kernels,
        "--phase",
        "1",
        "--format",
        "json",
    ];
    assert_eq!(run(&place, &args).code, 1);
    let report = json(&place, &args);
    let trials = report["phases"][0]["trials"].as_array().expect("trials");
    for trial in trials {
        let hung = trial["id"] == "mul";
        assert_eq!(
            trial["verdict"],
            if hung { "error" } else { "pass" },
            "{trial:#}"
        );
        if hung {
            let error = trial["error"].as_str().expect("why");
            assert!(
                error.starts_with("the test did not end within 2 s"),
                "{error}"
            );
            assert_eq!(trial["launches"][0]["kernel"], "kernel_mul");
            assert_eq!(trial["launches"].as_array().map(Vec::len), Some(1));
        }
    }
    let rerun = trials[0]["rerun"].as_str().expect("a line");
    assert!(rerun.contains("--kernels"), "{rerun}");
}

#[test]
fn a_run_stops_at_the_first_hang_and_says_what_to_do() {
    let place = scratch("isolate-stops");
    hanging(&place, "kernel_exp");
    // The second of four tests; the other two would pass.
    let common = [
        "--isolate",
        "--timeout",
        "2",
        "--budget",
        "1000s",
        "--kernels",
        "hangs.co",
        "--phase",
        "1",
        "--jobs",
        "1",
    ];
    fs::write(
        place.join("known.toml"),
        "schema = 1\n[[known]]\ntest = \"exp\"\nreason = \"hangs\"\n",
    )
    .expect("written");
    for more in [&["--report", "r.json"][..], &["--known", "known.toml"]] {
        let stopped = run(&place, &[&common[..], more].concat());
        assert_eq!(stopped.code, 1, "{}", stopped.err);
        let last = stopped.out.lines().find(|line| line.starts_with("not run"));
        let last = last.unwrap_or_else(|| panic!("{}", stopped.out));
        assert!(last.contains("2 of 4 tests: `exp` hung"), "{last}");
        for said in [
            "error: the run stopped at `exp`, which hung; 2 tests were not run",
            "deltanet-check --phase 1 --kernels hangs.co --budget 1000s --seed 0 --device emulator",
            "docs/card.md",
            "--keep-going",
        ] {
            assert!(stopped.err.contains(said), "{said}: {}", stopped.err);
        }
        let wide = stopped.err.lines().find(|line| line.len() > 100);
        assert_eq!(wide, None);
    }
    let text = fs::read_to_string(place.join("r.json")).expect("written");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    let verdicts = report["phases"][0]["trials"].as_array().expect("trials");
    let verdicts: Vec<&str> = verdicts
        .iter()
        .map(|trial| trial["verdict"].as_str().expect("a verdict"))
        .collect();
    assert_eq!(verdicts, ["pass", "error", "skip", "skip"]);
    // Many seeds stop in the same way.
    let seeds = run(&place, &[&common[..], &["--seeds", "3"]].concat());
    assert_eq!(seeds.code, 1, "{}", seeds.err);
    assert!(seeds.out.contains("1 seed from 0 on"), "{}", seeds.out);
    assert!(
        seeds.err.contains("the run stopped at `exp`"),
        "{}",
        seeds.err
    );
}

/// Processes that this one started, and that still run.
fn children(parent: u32) -> Vec<u32> {
    let stat = |pid: u32| fs::read_to_string(format!("/proc/{pid}/stat")).ok();
    let of_parent = |pid: &u32| {
        let stat = stat(*pid)?;
        // State and parent stand behind the name, which is in parentheses.
        let mut words = stat.rsplit_once(')')?.1.split_whitespace();
        (words.next()? != "Z" && words.next()?.parse() == Ok(parent)).then_some(())
    };
    let all = fs::read_dir("/proc").expect("Linux");
    all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid| of_parent(pid).is_some())
        .collect()
}

fn runs(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')')
        .is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

/// Waits until it is so.
fn eventually(what: &str, mut so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !so() {
        assert!(started.elapsed() < Duration::from_secs(30), "{what}");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_test_does_not_outlive_the_run() {
    let place = scratch("isolate-orphan");
    let kernels = hanging(&place, "kernel_mul");
    let mut parent: Child = Command::new(env!("CARGO_BIN_EXE_deltanet-check"))
        .args(["--isolate", "--test", "mul", "--kernels"])
        .arg(kernels)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut child = Vec::new();
    eventually("it starts a process", || {
        child = children(parent.id());
        !child.is_empty()
    });
    // Nobody can catch this signal, so that nothing but the child's own watch ends it.
    parent.kill().expect("killed");
    parent.wait().expect("gone");
    eventually("the process ends with its parent", || !runs(child[0]));
}

#[test]
fn what_does_not_go_together_is_refused() {
    let place = scratch("isolate-refused");
    let counted = run(&place, &["--isolate", "--counters", "--test", "mul"]);
    assert_eq!(counted.code, 2, "{}", counted.err);
    assert!(counted.err.contains("`--counters`"), "{}", counted.err);
    let card = run(&place, &["--hip-device", "0"]);
    assert_eq!((card.code, card.out.as_str()), (2, ""));
    assert!(card.err.contains("--device hip"), "{}", card.err);
    let alone = refused(&place, &["run-one-trial"]);
    assert!(
        alone.starts_with("standard input has no test to run"),
        "{alone}"
    );
}

#[cfg(not(feature = "hip"))]
#[test]
fn a_build_without_hip_says_so() {
    let place = scratch("isolate-no-hip");
    for args in [
        &["--device", "hip"][..],
        &["export", "--test", "mul", "--out", "x", "--device", "hip"],
    ] {
        let line = refused(&place, args);
        assert!(line.contains("built without HIP"), "{line}");
    }
}
