//! The rooms of `src/` use rooms of lower floors only: ARCHITECTURE.md has the list, and what does not hold to it yet.

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

/// The first name of a path below `src/`.
fn room(path: &Path) -> String {
    let first = path
        .strip_prefix("src")
        .ok()
        .and_then(|rest| rest.components().next());
    let name = first.expect("a file of src").as_os_str().to_string_lossy();
    name.trim_end_matches(".rs").to_owned()
}

/// The rooms that a text names as `crate::ROOM`, but for its tests.
fn used(text: &str) -> BTreeSet<String> {
    let own = text.split("#[cfg(test)]").next().unwrap_or_default();
    let names = own.split("crate::").skip(1).map(|rest| {
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        rest[..end.unwrap_or(rest.len())].to_owned()
    });
    names.collect()
}

#[test]
fn rooms_use_lower_floors_only() {
    let floors = block("floors");
    let floor = |room: &str| {
        floors
            .iter()
            .position(|line| line.split(' ').any(|name| name == room))
    };
    let mut files = Vec::new();
    sources(Path::new("src"), &mut files);
    let mut upward: BTreeMap<String, usize> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for path in &files {
        let from = room(path);
        if from == "lib"
            || path
                .components()
                .any(|part| part.as_os_str().to_string_lossy().starts_with("tests"))
        {
            continue;
        }
        let own =
            floor(&from).unwrap_or_else(|| panic!("ARCHITECTURE.md has no floor for src/{from}"));
        seen.insert(from.clone());
        let text = std::fs::read_to_string(path).expect("text");
        for to in used(&text).iter().filter(|to| **to != from) {
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
    let found: Vec<String> = upward
        .into_iter()
        .map(|(edge, files)| format!("{edge}: {files}"))
        .collect();
    assert_eq!(
        block("debts"),
        found,
        "imports against the floors: ARCHITECTURE.md lists those that there were"
    );
}
