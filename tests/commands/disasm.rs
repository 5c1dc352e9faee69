//! `disasm`: whole functions, and lines of hex.

use std::collections::BTreeSet;
use std::path::Path;

use crate::{DATA, KERNELS, kernels_of_the_sources, refused, run, scratch};

#[test]
fn one_kernel() {
    let run = run(Path::new(DATA), &["disasm", "v5.co", "--kernel", "pointee"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    insta::assert_snapshot!(run.out);
}

#[test]
fn branches_say_where_they_go() {
    let run = run(
        Path::new(DATA),
        &["disasm", KERNELS, "--kernel", "kernel_scale"],
    );
    let line = run
        .out
        .lines()
        .find(|line| line.contains("s_cbranch_execz"))
        .expect("a branch");
    let target = line.split_once("// 0x").expect("a target").1;
    assert!(
        run.out.contains(&format!("  {target:>6}:  ")),
        "{target} is no address in {}",
        run.out
    );
}

#[test]
fn every_function_of_the_kernels_is_valid_code() {
    let run = run(Path::new(DATA), &["disasm", KERNELS]);
    assert_eq!(run.code, 0);
    let named = run.out.lines().filter_map(|line| line.strip_suffix(">:"));
    let functions: BTreeSet<String> = named
        .filter_map(|line| line.split_once('<'))
        .map(|(_, name)| name.to_owned())
        .collect();
    assert_eq!(functions, kernels_of_the_sources());
    // Each ends, some in more than one place.
    let functions = run.out.split(">:\n").skip(1);
    assert!(functions.clone().all(|code| code.contains("s_endpgm")));
    assert!(!run.out.contains("invalid"));
}

#[test]
fn an_unknown_kernel_gets_the_nearest_name() {
    let run = run(Path::new(DATA), &["disasm", "v5.co", "--kernel", "reduc"]);
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    assert_eq!(
        run.err,
        "error: v5.co: no kernel `reduc` (did you mean `reduce`?); there is: axpy, reduce, pointee\n"
    );
}

#[test]
fn one_line_of_text_for_each_line_of_hex() {
    let here = scratch("disasm-hex");
    let lines = [
        ("0000 81bf", "s_endpgm"),
        ("000081BF", "s_endpgm"),
        ("00 00 81 bf\r", "s_endpgm"),
        ("00818080", "s_sub_u32 s0, s0, 1"),
        ("ff008086 78563412", "s_and_b64 s[0:1], 0x12345678, s[0:1]"),
        ("000081bf000081bf", "invalid"),
        ("0081bf", "invalid"),
        ("00008", "invalid"),
        ("0 00081bf", "invalid"),
        ("zz0081bf", "invalid"),
        ("ff0080be", "invalid"),
        ("ff0080be78563412", "s_mov_b32 s0, 0x12345678"),
        ("", "invalid"),
        ("ffffffff", "invalid"),
    ];
    let hex: String = lines.iter().map(|(hex, _)| format!("{hex}\n")).collect();
    std::fs::write(here.join("lines.hex"), hex).expect("written");
    let run = run(&here, &["disasm", "--hex", "lines.hex"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let expected: Vec<&str> = lines.iter().map(|(_, text)| *text).collect();
    assert_eq!(run.out.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn no_line_for_no_line() {
    let here = scratch("disasm-empty");
    std::fs::write(here.join("empty.hex"), "").expect("written");
    let run = run(&here, &["disasm", "--hex", "empty.hex"]);
    assert_eq!((run.code, run.out.as_str(), run.err.as_str()), (0, "", ""));
    assert_eq!(
        refused(&here, &["disasm", "--hex", "."]),
        "cannot read .: it is a directory, name a file in it"
    );
}

#[test]
fn usage() {
    let directory = Path::new(DATA);
    for args in [
        &["disasm"][..],
        &["disasm", "v5.co", "--hex", "x"],
        &["disasm", "--hex", "x", "--kernel", "k"],
    ] {
        assert_eq!(run(directory, args).code, 2, "{args:?}");
    }
}
