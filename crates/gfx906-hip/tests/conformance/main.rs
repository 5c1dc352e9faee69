//! Conformance of the runtime: the codes that HIP documents for each call, and AMD's runtime returns.
//!
//! The tables `*.toml` have cases in the language of `language.rs`, by area. `GFX906_CONFORMANCE=/opt/rocm/lib/libamdhip64.so` runs them on
//! another library, such as AMD's own on a card. `INSTA_UPDATE=always cargo test -p gfx906-hip --test conformance` renews the README's table.

mod language;
mod machine;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;
use std::path::Path;

use gfx906_hip::api::ROWS;
use language::{Statement, parse};
use machine::{Library, Machine};

const BEGIN: &str = "<!-- conformance: crates/gfx906-hip/tests/conformance -->\n";
const END: &str = "<!-- end of conformance -->\n";

/// Table of one area.
struct Area {
    title: String,
    cases: Vec<String>,
    /// Cases whose code is another one here.
    differences: Vec<Difference>,
}

/// Case whose code on this runtime is not the documented one.
struct Difference {
    case: String,
    /// Name of the code that this runtime returns.
    here: String,
    why: String,
}

fn read(name: &str) -> toml::Table {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance");
    let text = std::fs::read_to_string(path.join(name)).expect("a table");
    text.parse()
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn text(value: &toml::Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn objects() -> HashMap<String, String> {
    let table = read("objects.toml");
    table
        .iter()
        .map(|(name, made)| (name.clone(), text(made)))
        .collect()
}

fn areas() -> Vec<Area> {
    let list = |table: &toml::Table, key| table.get(key).and_then(|v| v.as_array()).cloned();
    let area = |name: &toml::Value| {
        let table = read(&format!("{}.toml", text(name)));
        let differences = list(&table, "differs").unwrap_or_default();
        Area {
            title: text(&table["title"]),
            cases: list(&table, "cases")
                .expect("cases")
                .iter()
                .map(text)
                .collect(),
            differences: differences
                .iter()
                .map(|d| Difference {
                    case: text(&d["case"]),
                    here: text(&d["here"]),
                    why: text(&d["why"]),
                })
                .collect(),
        }
    };
    let index = read("areas.toml");
    list(&index, "areas")
        .expect("areas")
        .iter()
        .map(area)
        .collect()
}

/// Runs a case on a thread of its own, since modes of captures and last errors belong to threads. Returns the first other result.
fn run(library: Library, objects: &HashMap<String, String>, case: &str) -> Result<(), String> {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let outcome = Machine::new(library, objects).run(case);
            Machine::new(library, objects).run("hipDeviceReset()")?;
            outcome
        });
        thread.join().unwrap_or_else(|_| Err("a panic".to_owned()))
    })
}

#[test]
fn calls_return_what_hip_documents() {
    let (library, objects) = (Library::from_environment(), objects());
    let mut wrong = String::new();
    let mut tell = |area: &Area, case: &str, what: &str| {
        writeln!(wrong, "{}: {case}\n    {what}", area.title).expect("a String takes it");
    };
    for area in areas() {
        for case in &area.cases {
            if let Err(found) = run(library, &objects, case) {
                tell(&area, case, &found);
            }
        }
        for difference in &area.differences {
            let outcome = run(library, &objects, &difference.case);
            let expected = match library {
                Library::Linked => Err(format!(" returns {}", difference.here)),
                Library::Loaded(_) => Ok(()),
            };
            let as_told = match (&outcome, &expected) {
                (Err(found), Err(here)) => found.ends_with(here.as_str()),
                (found, here) => found == here,
            };
            if !as_told {
                tell(
                    &area,
                    &difference.case,
                    &format!("{outcome:?}, not {expected:?}"),
                );
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// Returns the function that a case is about: that of its last call.
fn subject(case: &str) -> String {
    let statements = parse(case).unwrap_or_else(|error| panic!("{error}"));
    let called = statements.into_iter().rev().find_map(|s| match s {
        Statement::Call { function, .. } => Some(function),
        Statement::Compare { .. } => None,
    });
    called.expect("a call")
}

fn table(areas: &[Area]) -> String {
    let mut text = "| area | functions | cases | other code here |\n|---|---|---|---|\n".to_owned();
    let (mut all, mut cases, mut others) = (BTreeSet::new(), 0, 0);
    for area in areas {
        let differing = area.differences.iter().map(|d| &d.case);
        let functions: BTreeSet<String> = area
            .cases
            .iter()
            .chain(differing)
            .map(|case| subject(case))
            .collect();
        let (count, other) = (area.cases.len(), area.differences.len());
        writeln!(
            text,
            "| {} | {} | {} | {other} |",
            area.title,
            functions.len(),
            count + other
        )
        .expect("a String takes it");
        all.extend(functions);
        cases += count + other;
        others += other;
    }
    writeln!(text, "| all | {} | {cases} | {others} |\n", all.len()).expect("a String takes it");
    let supported = ROWS.iter().filter(|row| row.supported);
    let supported: BTreeSet<&str> = supported.map(|row| row.name).collect();
    let with_cases = all.iter().filter(|name| supported.contains(name.as_str()));
    writeln!(
        text,
        "{} of {} supported functions have cases.\n",
        with_cases.count(),
        supported.len()
    )
    .expect("a String takes it");
    let reasons: BTreeMap<&str, BTreeSet<String>> = areas
        .iter()
        .flat_map(|area| &area.differences)
        .fold(BTreeMap::new(), |mut reasons, d| {
            let functions: &mut BTreeSet<String> = reasons.entry(d.why.as_str()).or_default();
            functions.insert(format!("`{}`: {}", subject(&d.case), d.here));
            reasons
        });
    for (why, functions) in reasons {
        let functions: Vec<String> = functions.into_iter().collect();
        writeln!(text, "- {} ({why})", functions.join(", ")).expect("a String takes it");
    }
    text
}

#[test]
fn the_readme_lists_the_areas() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/README.md");
    let readme = std::fs::read_to_string(path).expect("crates/gfx906-hip/README.md");
    let (before, rest) = readme.split_once(BEGIN).expect("the table's beginning");
    let (listed, after) = rest.split_once(END).expect("the table's end");
    let table = table(&areas());
    if listed == table {
        return;
    }
    if std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always") {
        let renewed = format!("{before}{BEGIN}{table}{END}{after}");
        std::fs::write(path, renewed).expect("crates/gfx906-hip/README.md");
        return;
    }
    panic!(
        "crates/gfx906-hip/README.md is not up to date: INSTA_UPDATE=always cargo test -p gfx906-hip --test conformance"
    );
}

/// A case of a function that does not exist, or that is misspelt, would test nothing.
#[test]
fn cases_name_functions_of_the_table() {
    let known: BTreeSet<&str> = ROWS.iter().map(|row| row.name).collect();
    for area in areas() {
        for case in area
            .cases
            .iter()
            .chain(area.differences.iter().map(|d| &d.case))
        {
            assert!(known.contains(subject(case).as_str()), "{case}");
        }
    }
}
