//! The modules that a module's text names.

use std::collections::BTreeMap;
use std::path::Path;

/// Returns the module of a file, given the file's path below the crate's root.
pub fn module(path: &Path) -> Vec<String> {
    let path = path.with_extension("");
    let parts = path.iter().map(|part| part.to_string_lossy().into_owned());
    parts
        .filter(|part| part != "mod" && part != "lib")
        .collect()
}

/// Returns the names that a module's file re-exports from the rooms in its folder, each with its room.
pub fn handed_on(text: &str) -> BTreeMap<String, String> {
    let uses = text
        .split("use ")
        .skip(1)
        .filter_map(|rest| rest.split_once(';'))
        .filter_map(|(path, _)| path.split_once("::"));
    let names = uses.flat_map(|(room, names)| {
        let names = names.trim_matches(['{', '}']).split(',');
        names.map(move |name| (name.trim().to_owned(), room.to_owned()))
    });
    names
        .filter(|(name, room)| !name.is_empty() && room != "crate")
        .collect()
}

/// The paths from `crate` that a module's code names, but for its tests, whether it says them from there or from where it stands; of a
/// list in braces each name's first part.
pub fn paths(text: &str, module: &[String]) -> Vec<Vec<String>> {
    let own = text.split("#[cfg(test)]\nmod tests {").next();
    let lines = own.unwrap_or_default().lines();
    let code: Vec<&str> = lines
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect();
    let code = code.join("\n");
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found = Vec::new();
    let mut rest = &code[..];
    while let Some(at) = rest
        .find("crate::")
        .into_iter()
        .chain(rest.find("super::"))
        .min()
    {
        let mut path = Vec::new();
        let mut up = 0;
        rest = &rest[at..];
        loop {
            let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
            match &rest[..end] {
                "crate" => up = module.len(),
                "super" => up += 1,
                name => path.push(name.to_owned()),
            }
            rest = &rest[end..];
            match rest.strip_prefix("::") {
                Some(behind) if behind.starts_with(is_name) => rest = behind,
                _ => break,
            }
        }
        let list = rest.strip_prefix("::{");
        let base = &module[..module.len().saturating_sub(up)];
        let full = |names: &[&str]| {
            let names = names.iter().map(|&name| name.to_owned());
            base.iter()
                .cloned()
                .chain(path.iter().cloned())
                .chain(names)
                .collect()
        };
        match list {
            Some(list) => found.extend(heads(list).iter().map(|name| full(&[name]))),
            None => found.push(full(&[])),
        }
    }
    found
}

/// The first part of each name of a list in braces, up to where that ends.
fn heads(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut heads) = (1, 0, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 || depth == 1 && c == ',' {
            let head = list[start..at].split("::").next().unwrap_or_default();
            heads.push(head.trim());
            start = at + 1;
        }
        if depth == 0 {
            break;
        }
    }
    heads
}

/// A check that reads no paths finds nothing.
#[test]
fn paths_are_read_wherever_they_start() {
    let module = ["machine", "shapes", "flat"].map(str::to_owned);
    let text = "use super::super::op::Op;\nuse super::{scratch, span::{Need, Sum}, smem};\nuse crate::isa::{Code,\n    Inst};\nlet x = super::lds::lane(1);";
    let read: Vec<String> = paths(text, &module)
        .iter()
        .map(|path| path.join("::"))
        .collect();
    assert_eq!(
        read,
        [
            "machine::op::Op",
            "machine::shapes::scratch",
            "machine::shapes::span",
            "machine::shapes::smem",
            "isa::Code",
            "isa::Inst",
            "machine::shapes::lds::lane"
        ]
    );
}
