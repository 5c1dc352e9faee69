//! Tests of the table of functions in `crates/gfx906-hip/src/api.rs`: the README lists it, and it has every symbol of AMD's own library.
//!
//! `INSTA_UPDATE=always cargo test --workspace --test table` renews the table.

use std::collections::BTreeSet;
use std::fmt::Write;

use gfx906_hip::api::ROWS;

const BEGIN: &str = "<!-- functions: crates/gfx906-hip/tests/table.rs -->\n";
const END: &str = "<!-- end -->\n";

fn table() -> String {
    let supported = ROWS.iter().filter(|row| row.supported).count();
    let mut text = format!(
        "{supported} of {} functions are supported; the others return `hipErrorNotSupported`.\n\n",
        ROWS.len()
    );
    text.push_str("| function | symbol version | |\n|---|---|---|\n");
    let mut rows = ROWS.to_vec();
    rows.sort_by_key(|row| (!row.supported, row.name));
    for row in rows {
        let what = if row.supported {
            "supported"
        } else {
            "returns not supported"
        };
        let symbol = if row.symbol == row.name {
            String::new()
        } else {
            format!(" (`{}`)", row.symbol)
        };
        let (name, version) = (row.name, row.version);
        writeln!(text, "| `{name}`{symbol} | {version} | {what} |").expect("a String takes it");
    }
    text
}

#[test]
fn the_readme_lists_the_functions() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    let readme = std::fs::read_to_string(path).expect("crates/gfx906-hip/README.md");
    let (before, rest) = readme.split_once(BEGIN).expect("the table's beginning");
    let (listed, after) = rest.split_once(END).expect("the table's end");
    if listed == table() {
        return;
    }
    if std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always") {
        let renewed = format!("{before}{BEGIN}{}{END}{after}", table());
        std::fs::write(path, renewed).expect("crates/gfx906-hip/README.md");
        return;
    }
    panic!(
        "crates/gfx906-hip/README.md is not up to date: INSTA_UPDATE=always cargo test --workspace --test table"
    );
}

#[test]
fn no_symbol_twice() {
    let symbols: BTreeSet<&str> = ROWS.iter().map(|row| row.symbol).collect();
    assert_eq!(symbols.len(), ROWS.len());
}

/// `amd-symbols.txt` has what AMD's libraries of HIP 5.2 to 7.2 export, with symbol versions: Debian's library of 5.2, and for later versions
/// the names in the version scripts of ROCm's repository `clr`. A version script with a pattern for names of C++ stands for the spellings that
/// HIP's headers give. A program that is linked with any of these libraries is loaded only if each symbol that it needs is there.
#[test]
fn every_symbol_of_amds_libraries_is_there() {
    let ours: BTreeSet<(&str, &str)> = ROWS.iter().map(|row| (row.version, row.symbol)).collect();
    let missing: Vec<(&str, &str)> = include_str!("amd-symbols.txt")
        .lines()
        .filter_map(|line| line.split_once(' '))
        .filter(|symbol| !ours.contains(symbol))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// The functions of the per-thread default stream (`_spt`) must not use the null stream.
#[test]
fn per_thread_functions_use_the_stream_of_the_thread() {
    let api = include_str!("../src/api.rs");
    let is_row = |line: &&str| line.trim_start().starts_with('"') && line.contains("_spt(");
    let rows: Vec<&str> = api.lines().filter(is_row).collect();
    assert!(rows.len() > 30, "{} rows", rows.len());
    for row in rows {
        let streams = ["PER_THREAD", "own_stream(", "per_thread("];
        assert!(streams.iter().any(|stream| row.contains(stream)), "{row}");
    }
}
