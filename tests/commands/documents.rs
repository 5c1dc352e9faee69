//! Command lines of the documents: the tests, files, commands and flags that they name exist.

use std::collections::{BTreeMap, BTreeSet};
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
            "SECURITY.md",
            "crates/gfx906-hip/README.md",
            "examples/README.md",
            "kernels/README.md",
            "python/README.md",
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

/// Returns the flags in the help of a command; those of the program itself for the empty name.
fn flags(here: &Path, command: &str) -> BTreeSet<String> {
    let command = Some(command).filter(|name| !name.is_empty());
    let args: Vec<&str> = command.into_iter().chain(["--help"]).collect();
    let help = run(here, &args);
    assert_eq!(help.code, 0, "{args:?}: {}", help.err);
    // A flag's line begins with its names; other lines may mention flags of other commands.
    let rows = help.out.lines().map(str::trim_start);
    let names = rows.filter(|row| row.starts_with('-')).flat_map(|row| {
        let names = row.split([',', ' ', '=', '[']);
        names.filter(|name| name.starts_with("--"))
    });
    names.map(str::to_owned).collect()
}

/// Returns the names of the program's commands, from its help.
fn commands(here: &Path) -> BTreeSet<String> {
    let help = run(here, &["help"]).out;
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let rows = list.take_while(|line| line.starts_with("  "));
    rows.map(|row| row.split_whitespace().next().expect("a name").to_owned())
        .collect()
}

#[test]
fn commands_and_flags_that_pages_name_are_there() {
    let here = scratch("flags");
    let commands = commands(&here);
    let mut known = BTreeMap::from([(String::new(), flags(&here, ""))]);
    let mut tried = 0;
    for (page, text) in pages() {
        let mut fenced = false;
        for line in text.lines() {
            fenced ^= line.starts_with("```");
            for (at, name) in line.match_indices("deltanet-check ") {
                let words = words(&line[at + name.len()..]);
                let Some(first) = words.first() else {
                    continue;
                };
                let command = Some(first).filter(|word| commands.contains(*word));
                let is_code = line[..at].ends_with('`') || (fenced && at == 0);
                let version = first.starts_with(|c: char| c.is_ascii_digit());
                assert!(
                    !is_code || command.is_some() || first.starts_with('-') || version,
                    "{page}: no command is named `{first}`: {line}"
                );
                let command = command.cloned().unwrap_or_default();
                let known = known
                    .entry(command.clone())
                    .or_insert_with(|| flags(&here, &command));
                let before_program = words.iter().take_while(|word| *word != "--");
                for word in before_program.filter(|word| word.starts_with("--")) {
                    let flag = word
                        .split(['=', '[', ']', ',', '.'])
                        .next()
                        .expect("a part");
                    assert!(known.contains(flag), "{page}: no flag `{flag}`: {line}");
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 150, "{tried} flags");
}
