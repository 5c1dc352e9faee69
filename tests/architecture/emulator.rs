//! The rooms of the emulator, of its machine and of the machine's shapes use rooms of lower floors only.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::paths::{handed_on, module, paths};
use super::{block, sources};

/// Holds the imports of a folder of the emulator to the floors in a block of ARCHITECTURE.md, but for the debts that there are.
fn check(block_name: &str, folder: &str, debts: &[String]) {
    let top = Path::new("crates/gfx906/src");
    let root = top.join(folder);
    let root_module: Vec<String> = folder
        .split('/')
        .filter(|f| !f.is_empty())
        .map(str::to_owned)
        .collect();
    let face = [top.join("lib.rs"), top.join(format!("{folder}.rs"))]
        .into_iter()
        .rfind(|path| path.exists());
    let face = face.expect("the folder has a face");
    let face_text = std::fs::read_to_string(&face).expect("text");
    let handed_on = handed_on(&face_text);
    let floors = block(block_name);
    let floor = |room: &str| {
        floors
            .iter()
            .position(|line| line.split(' ').any(|name| name == room))
    };
    let mut files = Vec::new();
    sources(&root, &mut files);
    let (mut upward, mut seen) = (BTreeMap::<String, usize>::new(), BTreeSet::new());
    for path in files.iter().filter(|path| **path != face) {
        let module = module(path.strip_prefix(top).expect("below it"));
        let from = &module[root_module.len()];
        let tested = |name: &String| name.ends_with("tests");
        if module.iter().any(tested)
            || face_text.contains(&format!("#[cfg(test)]\nmod {from};"))
            || face_text.contains(&format!("#[cfg(test)]\npub(crate) mod {from};"))
        {
            continue;
        }
        let own = floor(from).unwrap_or_else(|| {
            panic!(
                "ARCHITECTURE.md has no floor for {from} of {}",
                root.display()
            )
        });
        seen.insert(from.clone());
        let text = std::fs::read_to_string(path).expect("text");
        let paths = paths(&text, &module);
        let names = paths
            .iter()
            .filter_map(|path| path.strip_prefix(&root_module[..])?.first());
        let rooms: BTreeSet<&String> = names
            .map(|name| handed_on.get(name).unwrap_or(name))
            .filter(|to| *to != from)
            .collect();
        for to in rooms {
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
    assert_eq!(
        listed,
        seen,
        "the floors name the rooms of {} that there are",
        root.display()
    );
    let found: Vec<String> = upward
        .into_iter()
        .map(|(edge, files)| format!("{edge}: {files}"))
        .collect();
    assert_eq!(
        debts,
        found,
        "imports of {} against the floors",
        root.display()
    );
}

#[test]
fn the_emulator_uses_lower_floors_only() {
    check("emulator-floors", "", &block("emulator-debts"));
}

#[test]
fn the_machine_uses_lower_floors_only() {
    check("machine-floors", "machine", &[]);
    check("shapes-floors", "machine/shapes", &[]);
}
