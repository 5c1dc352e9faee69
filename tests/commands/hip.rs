//! `hip`: the environment that a program gets, and the summary of its run. The programs here are shell scripts that stand in for programs
//! with kernels; scripts/hip-programs.sh runs real ones.

use std::path::Path;
use std::process::{Command, Output};

use crate::scratch;

/// The text by which `hip` knows the library of its own version.
const MARK: &str = concat!("gfx906-hip version ", env!("CARGO_PKG_VERSION"), "\0");

/// Runs `hip FLAGS -- sh -c SCRIPT`; the library is a file with nothing but its version.
fn hip(here: &Path, flags: &[&str], script: &str) -> Output {
    std::fs::write(here.join("library"), MARK).expect("written");
    Command::new(env!("CARGO_BIN_EXE_deltanet-check"))
        .arg("hip")
        .args(flags)
        .args(["--", "sh", "-c", script])
        .current_dir(here)
        .env(crate::ALLOW_PATH, "/")
        .env("DELTANET_CHECK_LIBHIP", here.join("library"))
        .env("LD_LIBRARY_PATH", "/before")
        .output()
        .expect("it starts")
}

fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    (text(&output.stdout), text(&output.stderr))
}

/// A line as the runtime writes it.
const LINE: &str = r#"echo '{"process":1,"launches":2,"failed":0,"refused":0,"instructions":9,"findings":FOUND,"portability":0,"kernels":[{"kernel":"k","launches":2,"instructions":9}]}' >> "$GFX906_SUMMARY""#;

/// The fields that `--counters` adds to a kernel of that line.
const COUNTERS: &str = r#""instructions":9,"counters":{"by_kind":{"salu":3,"valu":6},"vector_instructions":6,"active_lanes":192,"lane_utilisation":0.5,"bytes":{"memory":{"read":64,"written":32}},"barriers":1,"branches_taken":2}"#;

#[test]
fn flags_reach_the_runtime_and_the_library_its_names() {
    let here = scratch("hip-flags");
    let flags = [
        "--sanitize=race,init",
        "--abort",
        "--counters",
        "--record",
        "rec",
        "--schedule",
        "reverse",
        "--budget",
        "5,2s",
        "--threads",
        "3",
    ];
    let script = "env | grep ^GFX906 | grep -v SUMMARY | sort; echo ${LD_LIBRARY_PATH#*:}; \
                  cd ${LD_LIBRARY_PATH%%:*}; echo lib*; realpath libamdhip64.so.7; pwd";
    let output = hip(&here, &flags, script);
    let (out, err) = texts(&output);
    let lines: Vec<&str> = out.lines().collect();
    let library = std::fs::canonicalize(here.join("library")).expect("there");
    // Libraries beside the runtime are found, too: hipBLAS.
    let behind = format!(
        "{}:/before",
        library.parent().expect("a directory").display()
    );
    // The directory is where the command was given, wherever the program goes.
    let record = format!("GFX906_RECORD={}", here.join("rec").display());
    let wanted = [
        "GFX906_ABORT=1",
        "GFX906_BUDGET=5,2s",
        "GFX906_COUNTERS=1",
        &record,
        "GFX906_SANITIZE=init,race",
        "GFX906_SANITIZE_ABORT=1",
        "GFX906_SCHEDULE=reverse",
        "GFX906_THREADS=3",
        &behind,
        "libamdhip64.so libamdhip64.so.5 libamdhip64.so.6 libamdhip64.so.7",
        library.to_str().expect("UTF-8"),
    ];
    assert_eq!(lines[..wanted.len()], wanted, "{err}");
    assert!(!Path::new(lines[wanted.len()]).exists(), "it is taken away");
    assert_eq!(
        err,
        "deltanet-check hip: no kernel was launched, or the program was killed\n"
    );
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn commands_and_files_name_the_card() {
    let here = scratch("hip-machine");
    let script =
        "amdgpu-arch; offload-arch; rocm_agent_enumerator; rocminfo | grep -m1 -o 'Name: *gfx.*'";
    let (out, err) = texts(&hip(&here, &[], script));
    assert_eq!(
        out, "gfx906\ngfx906\ngfx000\ngfx906\nName:                    gfx906\n",
        "{err}"
    );
    // Without stand-ins beside the library a line says so.
    for (flag, missing) in [
        ("--stand-ins", "stand-ins: not there"),
        ("--rocm-view", "stand-ins/libgfx906_rocm_view.so: not there"),
    ] {
        let refused = hip(&here, &[flag], "true");
        assert_eq!(refused.status.code(), Some(3));
        let (_, err) = texts(&refused);
        assert!(err.contains(missing), "{err}");
    }
    // A preloaded library that is none is reported by the loader, and does no harm.
    let folder = here.join("stand-ins");
    std::fs::create_dir(&folder).expect("made");
    std::fs::write(folder.join("libgfx906_rocm_view.so"), "").expect("written");
    let script = "echo $LD_LIBRARY_PATH; cat $GFX906_ROCM_VIEW/sys/class/kfd/kfd/topology/nodes/*/properties";
    let (out, err) = texts(&hip(&here, &["--stand-ins", "--rocm-view"], script));
    let folder = std::fs::canonicalize(&folder).expect("there");
    let first = out.lines().next().expect("a line");
    assert!(
        first.contains(&format!(":/before:{}:", folder.display())),
        "{out} {err}"
    );
    assert!(out.contains("\ngfx_target_version 90006\n"), "{out}");
}

#[test]
fn the_origin_of_a_value_that_is_not_finite_is_asked_for() {
    let here = scratch("hip-nonfinite");
    let script = "env | grep ^GFX906_FIRST";
    let (out, _) = texts(&hip(&here, &["--first-nonfinite"], script));
    assert_eq!(out, "GFX906_FIRST_NONFINITE=1\n");
    let both = hip(&here, &["--first-nonfinite", "--sanitize"], script);
    assert_eq!(both.status.code(), Some(2));
}

#[test]
fn the_programs_code_is_passed_on() {
    let here = scratch("hip-codes");
    for (script, code) in [
        ("exit 0", 0),
        ("exit 7", 7),
        ("exit 255", 255),
        ("kill -9 $$", 137),
    ] {
        let output = hip(&here, &[], script);
        assert_eq!(output.status.code(), Some(code), "{script}");
        let ended = texts(&output).1.contains("sh was ended by signal 9");
        assert_eq!(ended, code == 137);
    }
}

#[test]
fn what_ran_is_told_and_findings_count_as_a_failure() {
    let here = scratch("hip-summary");
    for (flags, found, end, code) in [
        (&["--report", "ran.json"][..], "0", "exit 0", 0),
        (&["--sanitize", "--report", "ran.json"], "3", "exit 0", 1),
        (&["--sanitize", "--report", "ran.json"], "3", "exit 9", 9),
        (
            &["--sanitize", "--sanitize-warn", "--report", "ran.json"],
            "3",
            "exit 0",
            0,
        ),
    ] {
        let line = LINE.replace("FOUND", found);
        let output = hip(
            &here,
            flags,
            &format!("{line}; {line}; echo its own; {end}"),
        );
        assert_eq!(output.status.code(), Some(code), "{flags:?}");
        let (out, err) = texts(&output);
        assert_eq!(out, "its own\n");
        let sum = 2 * found.parse::<u64>().expect("a number");
        let told = format!(
            "deltanet-check hip: 1 kernel, 4 launches in 2 processes, 18 wave instructions, {sum} findings\n"
        );
        assert!(err.starts_with(&told), "{err}");
        let report = std::fs::read_to_string(here.join("ran.json")).expect("written");
        let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
        crate::schemas::validate(&report);
        assert_eq!(
            (&report["launches"], &report["findings"]),
            (&4.into(), &sum.into())
        );
        assert_eq!(report["kernels"][0]["instructions"], 18);
    }
}

#[test]
fn launches_that_were_lost_are_told_and_fail_under_the_sanitizer() {
    let here = scratch("hip-lost");
    for (flags, end, code, consequence) in [
        (
            &["--report", "ran.json"][..],
            "exit 0",
            0,
            "; --sanitize makes that exit code 1\n",
        ),
        (
            &["--report", "ran.json", "--sanitize"],
            "exit 0",
            1,
            ", which --sanitize makes 1\n",
        ),
        (
            &["--report", "ran.json", "--sanitize", "--sanitize-warn"],
            "exit 0",
            0,
            "\n",
        ),
        (&["--report", "ran.json", "--sanitize"], "exit 4", 4, ""),
    ] {
        let line = LINE.replace("FOUND", "0");
        let line = line.replace(r#""failed":0,"refused":0"#, r#""failed":1,"refused":2"#);
        let output = hip(&here, flags, &format!("{line}; {end}"));
        assert_eq!(output.status.code(), Some(code), "{flags:?}");
        let (_, err) = texts(&output);
        let told = "deltanet-check hip: 1 kernel, 2 launches (1 failed, 2 refused), 9 wave instructions, 0 findings\n";
        assert!(err.starts_with(told), "{err}");
        let last = match end {
            "exit 0" => format!(
                "deltanet-check hip: 1 launch failed and 2 launches were refused, and the program ended with exit code 0{consequence}"
            ),
            _ => "k\n".to_owned(),
        };
        assert!(err.ends_with(&last), "{err}");
        let report = std::fs::read_to_string(here.join("ran.json")).expect("written");
        let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
        crate::schemas::validate(&report);
        assert_eq!(
            (&report["failed"], &report["refused"]),
            (&1.into(), &2.into())
        );
    }
}

#[test]
fn what_cannot_start_is_told_in_a_line() {
    let here = scratch("hip-refused");
    let run = |library: &str, program: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_deltanet-check"))
            .args(["hip", "--", program])
            .current_dir(&here)
            .env("DELTANET_CHECK_LIBHIP", library)
            .output()
            .expect("it starts");
        assert_eq!(output.status.code(), Some(3));
        texts(&output).1
    };
    std::fs::write(here.join("library"), MARK).expect("written");
    assert!(
        run("nowhere", "true").starts_with("error: DELTANET_CHECK_LIBHIP=nowhere: not there\n")
    );
    assert!(
        run("library", "./no such program").starts_with("error: cannot run ./no such program: ")
    );
}

/// `cargo install` builds the program alone: a copy of it in a folder stands for that.
#[test]
fn without_the_library_the_message_says_how_to_build_it_and_where_it_is_looked_for() {
    let here = scratch("hip-nowhere");
    let here = std::fs::canonicalize(here).expect("there");
    let program = here.join("bin/deltanet-check");
    std::fs::create_dir(here.join("bin")).expect("made");
    // A copy would be busy while another test starts a program: its writer is inherited.
    std::fs::hard_link(env!("CARGO_BIN_EXE_deltanet-check"), &program).expect("linked");
    let run = |library: Option<&Path>| {
        let mut command = Command::new(&program);
        command.args(["hip", "--", "true"]).current_dir(&here);
        match library {
            Some(library) => command.env("DELTANET_CHECK_LIBHIP", library),
            None => command.env_remove("DELTANET_CHECK_LIBHIP"),
        };
        let output = command.output().expect("it starts");
        let (out, err) = texts(&output);
        let err = err.replace(&here.display().to_string(), "HERE");
        assert_eq!(out, "");
        (output.status.code(), err)
    };
    let told = |library: Option<&Path>, start: &str, places: &[&str]| {
        let (code, err) = run(library);
        let end = places.iter().map(|place| format!("\n  {place}"));
        let looked = if places.is_empty() {
            ""
        } else {
            "\nlooked at, in this order:"
        };
        let wanted = format!(
            "error: {start}\n\
             build it once, from the sources of this program: deltanet-check hip --install\n\
             or install the wheel of deltanet-check, which has the runtime\n\
             or name the file of a build by scripts/build-hip.sh in a clone:\n  \
             DELTANET_CHECK_LIBHIP=CLONE/target/hip/libamdhip64.so{looked}{}\n",
            end.collect::<String>()
        );
        assert_eq!((code, err), (Some(3), wanted.clone()));
        assert!(wanted.lines().all(|line| line.len() < 100), "{wanted}");
    };
    let version = env!("CARGO_PKG_VERSION");
    let nowhere = format!("there is no HIP runtime of deltanet-check {version} near the program");
    told(
        None,
        &nowhere,
        &[
            "DELTANET_CHECK_LIBHIP: not set",
            "HERE/bin/libamdhip64.so.5: not there",
            "HERE/lib/deltanet-check/libamdhip64.so.5: not there",
            "HERE/hip/libamdhip64.so.5: not there",
        ],
    );
    // A library of another version, and one that is not ours, as ROCm's may lie in ../lib.
    let (old, foreign) = (
        here.join("bin/libamdhip64.so.5"),
        here.join("lib/deltanet-check/libamdhip64.so.5"),
    );
    std::fs::write(&old, "gfx906-hip version 0.0.1\0").expect("written");
    std::fs::create_dir_all(here.join("lib/deltanet-check")).expect("made");
    std::fs::write(&foreign, "\x7fELF").expect("written");
    std::fs::create_dir_all(here.join("hip/libamdhip64.so.5")).expect("made");
    let other = format!("HERE/bin/libamdhip64.so.5: has version 0.0.1, not {version}");
    told(
        None,
        &nowhere,
        &[
            "DELTANET_CHECK_LIBHIP: not set",
            &other,
            "HERE/lib/deltanet-check/libamdhip64.so.5: another HIP runtime",
            "HERE/hip/libamdhip64.so.5: not a file",
        ],
    );
    told(Some(&old), &format!("DELTANET_CHECK_LIBHIP={other}"), &[]);
    let other =
        "DELTANET_CHECK_LIBHIP=HERE/lib/deltanet-check/libamdhip64.so.5: another HIP runtime";
    told(Some(&foreign), other, &[]);
    // The first folder with the right library is taken, whatever lies in the folders before it.
    std::fs::remove_dir(here.join("hip/libamdhip64.so.5")).expect("removed");
    std::fs::write(here.join("hip/libamdhip64.so.5"), MARK).expect("written");
    assert_eq!(run(None).0, Some(0));
}

/// A wheel has no links: a list beside the library has their names.
#[test]
fn names_of_a_list_are_links_to_files_beside_the_library() {
    let here = scratch("hip-links");
    let links = "libhipblas.so.0 libhipblas.so.2\nstand-ins/librccl.so librccl.so.1\n";
    std::fs::write(here.join("links"), links).expect("written");
    std::fs::create_dir(here.join("stand-ins")).expect("made");
    let script = "cd ${LD_LIBRARY_PATH%%:*}; readlink libhipblas.so.0; \
                  cd ${LD_LIBRARY_PATH##*:}; readlink librccl.so";
    let (out, err) = texts(&hip(&here, &["--stand-ins"], script));
    let here = std::fs::canonicalize(&here).expect("there");
    let wanted = [
        here.join("libhipblas.so.2"),
        here.join("stand-ins/librccl.so.1"),
    ];
    let wanted = wanted.map(|path| format!("{}\n", path.display()));
    assert_eq!(out, wanted.concat(), "{err}");
}

/// The variable may name the library of HIP 7, which only leads to the one of HIP 5 beside it.
#[test]
fn a_library_that_leads_to_the_runtime_stands_for_it() {
    let here = scratch("hip-filter");
    std::fs::write(here.join("libamdhip64.so.5"), MARK).expect("written");
    std::fs::write(here.join("libamdhip64.so.7"), "\x7fELF").expect("written");
    let output = Command::new(env!("CARGO_BIN_EXE_deltanet-check"))
        .args(["hip", "--", "sh", "-c"])
        .arg("realpath ${LD_LIBRARY_PATH%%:*}/libamdhip64.so.7")
        .env("DELTANET_CHECK_LIBHIP", here.join("libamdhip64.so.7"))
        .output()
        .expect("it starts");
    let (out, err) = texts(&output);
    assert!(out.ends_with("/libamdhip64.so.5\n"), "{out}{err}");
}

/// `hip --install` needs cargo and a C compiler; what it builds is tried by `scripts/first-ten-minutes.sh`.
#[test]
fn an_installation_that_cannot_be_built_is_told_and_leaves_nothing() {
    let here = scratch("hip-install");
    std::fs::create_dir(here.join("bin")).expect("made");
    let program = here.join("bin/deltanet-check");
    std::fs::hard_link(env!("CARGO_BIN_EXE_deltanet-check"), &program).expect("linked");
    for (cargo, told) in [
        ("/nothing/cargo", "error: hip --install: cannot run cargo: "),
        (
            "false",
            "error: hip --install: cargo failed: exit status: 1\n",
        ),
    ] {
        let output = Command::new(&program)
            .args(["hip", "--install"])
            .env("CARGO", cargo)
            .env("TMPDIR", &here)
            .output()
            .expect("it starts");
        let (out, err) = texts(&output);
        assert_eq!((output.status.code(), &out[..]), (Some(3), ""), "{err}");
        assert!(err.contains(told), "{err}");
        let left = std::fs::read_dir(here.join("lib")).expect("made").count();
        assert_eq!(left, 0);
    }
    let output = Command::new(&program)
        .args(["hip", "--install", "--counters"])
        .output()
        .expect("it starts");
    assert_eq!(output.status.code(), Some(2));
}

/// A program that leaves a record as the runtime does, and one that cannot be replayed.
#[test]
fn launches_that_were_recorded_are_profiled() {
    let here = scratch("hip-profile");
    let root = env!("CARGO_MANIFEST_DIR");
    let launch = |kernel: &str| {
        format!(
            r#"{{ "code_object": "{root}/kernels/built/deltanet.co", "buffers": {{ "x": {{"bytes": 1024, "fill": "zero"}} }},
                "launches": [ {{"kernel": "{kernel}", "grid": [4, 1, 1], "block": [64, 1, 1],
                               "args": ["$x", "$x", {{"i32": 256}}, {{"f32": 3.0}}]}} ] }}"#
        )
    };
    for (place, kernel) in [("000001-scale", "kernel_scale"), ("000002-lost", "nowhere")] {
        std::fs::create_dir_all(here.join(place)).expect("made");
        std::fs::write(here.join(place).join("launch.json"), launch(kernel)).expect("written");
    }
    let line = LINE.replace("FOUND", "0");
    let script = format!(
        r#"mkdir "$GFX906_RECORD"; cp -r 000001-scale 000002-lost "$GFX906_RECORD"; {line}"#
    );
    let flags = ["--profile", "--clock", "1000", "--report", "ran.json"];
    let output = hip(&here, &flags, &script);
    let (out, err) = texts(&output);
    assert_eq!((output.status.code(), out.as_str()), (Some(0), ""), "{err}");
    for part in [
        "modelled on 60 compute units at 1000 MHz",
        "1 launch, one after another: ",
        "kernel_scale  grid 4x1x1, block 64x1x1",
        "not profiled: 000002-lost: launch.json: launches[0]: no kernel `nowhere`",
        "profiled: 1 of 2 launches",
    ] {
        assert!(err.contains(part), "no {part:?} in {err}");
    }
    let report = std::fs::read_to_string(here.join("ran.json")).expect("written");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    crate::schemas::validate(&report);
    let profile = &report["profile"];
    crate::schemas::validate(profile);
    assert_eq!(profile["clock_mhz"], 1000.0);
    let launches = profile["profiles"][0]["launches"]
        .as_array()
        .expect("a list");
    assert_eq!((launches.len(), &launches[0]["waves"]), (1, &4.into()));
    assert_eq!(launches[0]["unique_bytes"]["read"], 1024);
    assert_eq!(profile["failed"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_clock_is_that_of_a_profile() {
    let here = scratch("hip-clock");
    let output = hip(&here, &["--clock", "1000"], "true");
    assert_eq!(output.status.code(), Some(2));
    let output = hip(&here, &["--profile", "--record", "rec"], "true");
    assert_eq!(output.status.code(), Some(2));
}

/// A program may run for long: nobody waits for a report that cannot be written.
#[test]
fn the_place_of_the_report_is_tried_before_the_program_runs() {
    let here = scratch("hip-place");
    let output = hip(&here, &["--report", "no/ran.json"], "touch started");
    assert_eq!(output.status.code(), Some(3));
    let (_, err) = texts(&output);
    assert!(
        err.starts_with("error: cannot write no/ran.json: "),
        "{err}"
    );
    assert!(!here.join("started").exists());
}

#[test]
fn counters_are_shown_by_kernel_and_add_up() {
    let here = scratch("hip-counters");
    let line = LINE.replace("FOUND", "0");
    let line = line.replace(r#""instructions":9}]"#, &format!("{COUNTERS}}}]"));
    let flags = ["--counters", "--report", "ran.json"];
    let output = hip(&here, &flags, &format!("{line}; {line}"));
    let (_, err) = texts(&output);
    let tables: Vec<&str> = err.lines().skip(4).collect();
    assert_eq!(
        tables,
        [
            "kernel  launches  salu  valu  taken  barriers  lanes on",
            "--------------------------------------------------------",
            "k              4     6    12      4         2    50.0 %",
            "",
            "Bytes that instructions asked for",
            "kernel  memory read  memory written",
            "------------------------------------",
            "k               128              64",
        ],
        "{err}"
    );
    let report = std::fs::read_to_string(here.join("ran.json")).expect("written");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    crate::schemas::validate(&report);
    assert_eq!(report["kernels"][0]["counters"]["active_lanes"], 384);
}

/// Attempts of a confined program, each answered by a line: `yes` or `no`.
const ATTEMPTS: &str = r#"
try() { if "$@" 2>/dev/null >/dev/null; then echo yes; else echo no; fi; }
try sh -c 'echo x > here.txt'
try sh -c 'echo "{}" >> "$GFX906_SUMMARY"'
try sh -c 'echo x > "$(mktemp)"'
try cat /etc/passwd
try cat ../hip-untrusted-other/secret
try sh -c 'echo x > ../hip-untrusted-other/new'
try sh -c 'ln -s ../hip-untrusted-other/secret link; cat link'
try mv ../hip-untrusted-other/secret .
try perl -MSocket -e 'socket(S, PF_INET, SOCK_STREAM, 0) or exit 1'
try perl -MSocket -e 'socket(S, PF_UNIX, SOCK_STREAM, 0) or exit 1'
try unshare --user true
echo $GFX906_UNTRUSTED
"#;

#[cfg(target_os = "linux")]
#[test]
fn an_untrusted_program_writes_in_its_folder_and_has_no_network() {
    let other = scratch("hip-untrusted-other");
    std::fs::write(other.join("secret"), "x").expect("written");
    let attempts = |flags: &[&str]| {
        let here = scratch("hip-untrusted");
        let (out, err) = texts(&hip(&here, flags, ATTEMPTS));
        (out.split_whitespace().collect::<Vec<_>>().join(" "), err)
    };
    let (out, _) = attempts(&[]);
    assert_eq!(out, "yes yes yes yes yes yes yes yes yes yes yes");
    std::fs::write(other.join("secret"), "x").expect("written");
    let (out, err) = attempts(&["--untrusted"]);
    if err.contains("this system's kernel") {
        // The command says that something is not confined here.
        return;
    }
    assert_eq!(out, "yes yes yes yes no no no no no yes no 1", "{err}");
    assert!(other.join("secret").is_file());
    // Folders may be added.
    let allowed = other.to_str().expect("UTF-8");
    let (out, err) = attempts(&["--untrusted", "--allow-path", allowed]);
    assert_eq!(out, "yes yes yes yes yes yes yes yes no yes no 1", "{err}");
    // The exit code is the program's, and a program that is not there is told as without the flag.
    let here = scratch("hip-untrusted-code");
    assert_eq!(
        hip(&here, &["--untrusted"], "exit 7").status.code(),
        Some(7)
    );
    let missing = Command::new(env!("CARGO_BIN_EXE_deltanet-check"))
        .args(["hip", "--untrusted", "--", "./no-such-program"])
        .current_dir(&here)
        .env("DELTANET_CHECK_LIBHIP", here.join("library"))
        .output()
        .expect("it starts");
    assert_eq!(missing.status.code(), Some(3));
    let (_, err) = texts(&missing);
    assert!(
        err.starts_with("error: cannot run ./no-such-program: "),
        "{err}"
    );
}
