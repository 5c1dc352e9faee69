//! Command lines of the documents: the tests and files that they name exist.

use std::fs;
use std::path::Path;

use crate::{run, scratch};

/// The pages that a reader copies from.
fn pages() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = fs::read_dir(root.join("docs")).expect("a directory");
    let docs = docs.map(|entry| entry.expect("an entry").path());
    let docs = docs.filter(|path| path.extension().is_some_and(|end| end == "md"));
    let all = docs.chain(
        [
            "README.md",
            "CONTRIBUTING.md",
            "crates/gfx906-hip/README.md",
        ]
        .map(|name| root.join(name)),
    );
    let named = all.map(|path| {
        let text = fs::read_to_string(&path).expect("a page");
        (path.display().to_string(), text)
    });
    named.collect()
}

/// The words of a command line, without quotes, up to a comment or another command.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '\'' => quoted = !quoted,
            '`' | '#' | '|' | '&' | ';' | '\\' | ')' if !quoted => break,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().expect("a word").push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns the built-in tests that a command line selects; none where it selects other tests, or does something else.
fn selection(words: &[String]) -> Option<Vec<&str>> {
    let other = ["--registry", "--bind", "--kernels", "--from", "--contract"];
    let runs = [
        "profile",
        "mutate",
        "export",
        "self-test",
        "soak",
        "tolerances",
        "bench",
    ];
    let command = words.first()?;
    if words.iter().any(|word| other.contains(&&word[..]))
        || !(command.starts_with("--") || runs.contains(&&command[..]))
    {
        return None;
    }
    let mut chosen = Vec::new();
    for pair in words.windows(2) {
        if ["--test", "--phase", "--kernel"].contains(&&pair[0][..]) {
            chosen.extend([&pair[0][..], &pair[1][..]]);
        }
    }
    (!chosen.is_empty()).then_some(chosen)
}

/// Placeholders, used on a page that says what a flag takes.
const ANY: [&str; 4] = ["ID", "CASE", "NAME", "GLOB"];

#[test]
fn tests_that_pages_name_are_there() {
    let here = scratch("documents");
    let mut tried = 0;
    for (page, text) in pages() {
        for line in text.lines() {
            for (at, _) in line.match_indices("deltanet-check ") {
                let words = words(&line[at + "deltanet-check ".len()..]);
                let Some(chosen) = selection(&words) else {
                    continue;
                };
                if chosen.iter().any(|word| ANY.contains(word)) {
                    continue;
                }
                let run = run(&here, &[&["--list"], &chosen[..]].concat());
                assert_eq!(run.code, 0, "{page}: {line}\n{}", run.err);
                assert!(!run.out.is_empty(), "{page}: {line}");
                tried += 1;
            }
        }
    }
    assert!(tried > 15, "{tried} command lines");
}
