//! The rooms of `src/`, of `crates/gfx906-hip/src/` and of its `calls/` use rooms of lower floors only. ARCHITECTURE.md lists the floors,
//! and the imports that do not keep to them yet.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

#[path = "architecture/emulator.rs"]
mod emulator;
#[path = "architecture/paths.rs"]
mod paths;

/// The lines of a fenced block of ARCHITECTURE.md.
fn block(name: &str) -> Vec<String> {
    let text = std::fs::read_to_string("ARCHITECTURE.md").expect("it is there");
    let (_, rest) = text
        .split_once(&format!("```{name}\n"))
        .expect("the block is there");
    let (lines, _) = rest.split_once("```").expect("the block ends");
    lines.lines().map(str::to_owned).collect()
}

fn sources(directory: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).expect("readable") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|end| end == "rs") {
            into.push(path);
        }
    }
}

/// The first name of a path below a directory.
fn room(path: &Path, root: &str) -> String {
    let first = path
        .strip_prefix(root)
        .ok()
        .and_then(|rest| rest.components().next());
    let name = first.expect("a file of it").as_os_str().to_string_lossy();
    name.trim_end_matches(".rs").to_owned()
}

/// The rooms that a text names behind a prefix (`crate::ROOM`, and each of `crate::{A, B}`), but for its tests.
fn used(text: &str, prefix: &str) -> BTreeSet<String> {
    let own = without_tests(text);
    let name = |rest: &str| {
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        rest[..end.unwrap_or(rest.len())].to_owned()
    };
    let names = own.split(prefix).skip(1).flat_map(|rest| {
        let Some(group) = rest.strip_prefix('{') else {
            return vec![name(rest)];
        };
        // The names at the first level of the braces.
        let (mut depth, mut names, mut begins) = (1, Vec::new(), true);
        for (at, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 1 => begins = true,
                c if begins && depth == 1 && !c.is_whitespace() => {
                    names.push(name(&group[at..]));
                    begins = false;
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        names
    });
    names.filter(|name| !name.is_empty()).collect()
}

/// Leaves out each line that is for tests alone, with its item's line, and all from the module of tests on.
fn without_tests(text: &str) -> String {
    let before = text.split("#[cfg(test)]\nmod tests {").next();
    let mut lines = before.unwrap_or_default().lines();
    let mut own = String::new();
    while let Some(line) = lines.next() {
        match line.strip_prefix("#[cfg(test)]") {
            Some("") => drop(lines.next()),
            Some(_) => {}
            None => own.extend([line, "\n"]),
        }
    }
    own
}

#[test]
fn names_are_found_alone_and_in_braces() {
    let text = "use crate::a::{x, y};\n#[cfg(test)]\nuse crate::t;\n#[cfg(test)] use crate::u;\nuse crate::{b, c::{d, e}, f as g};\n";
    let found: Vec<String> = used(text, "crate::").into_iter().collect();
    assert_eq!(found, ["a", "b", "c", "f"]);
}

#[test]
fn rooms_use_lower_floors_only() {
    assert_eq!(upward("src", "crate::", "floors"), block("debts"));
}

/// Only the rooms of the command line use clap, so that every other room can be used without flags.
#[test]
fn flags_are_known_to_the_command_line_only() {
    let mut files = Vec::new();
    sources(Path::new("src"), &mut files);
    let knows = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).expect("text");
        text.contains("clap::")
    };
    let rooms: BTreeSet<String> = files
        .iter()
        .filter(|path| knows(path))
        .map(|path| room(path, "src"))
        .collect();
    assert_eq!(rooms, ["args", "cli"].map(str::to_owned).into());
}

#[test]
fn rooms_of_the_hip_runtime_use_lower_floors_only() {
    assert_eq!(
        upward("crates/gfx906-hip/src", "crate::", "hip-floors"),
        [""; 0]
    );
    assert_eq!(
        upward(
            "crates/gfx906-hip/src/calls",
            "crate::calls::",
            "hip-calls-floors"
        ),
        [""; 0]
    );
}

/// Imports of a directory against its floors, and in how many files each stands.
fn upward(root: &str, prefix: &str, floors: &str) -> Vec<String> {
    let floors = block(floors);
    let floor = |room: &str| {
        floors
            .iter()
            .position(|line| line.split(' ').any(|name| name == room))
    };
    let mut files = Vec::new();
    sources(Path::new(root), &mut files);
    let mut upward: BTreeMap<String, usize> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for path in &files {
        let from = room(path, root);
        if matches!(from.as_str(), "lib" | "mod")
            || path
                .components()
                .any(|part| part.as_os_str().to_string_lossy().starts_with("tests"))
        {
            continue;
        }
        let own = floor(&from)
            .unwrap_or_else(|| panic!("ARCHITECTURE.md has no floor for {root}/{from}"));
        seen.insert(from.clone());
        let text = std::fs::read_to_string(path).expect("text");
        for to in used(&text, prefix).iter().filter(|to| **to != from) {
            if floor(to).is_some_and(|to| to <= own) {
                *upward.entry(format!("{from} -> {to}")).or_default() += 1;
            }
        }
    }
    let listed: BTreeSet<String> = floors
        .iter()
        .flat_map(|line| line.split(' '))
        .map(str::to_owned)
        .collect();
    assert_eq!(listed, seen, "the floors name the rooms that there are");
    upward
        .into_iter()
        .map(|(edge, files)| format!("{edge}: {files}"))
        .collect()
}
