//! The sanitizer: kernels with mistakes that values need not show, and their right twins.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use gfx906::code_object::{CodeObject, Lines};
use gfx906::machine::{Gpu, Launch, Limits, Schedule};
use gfx906::observe::sanitize::{Checks, Finding, Heap, Sanitizer};
use toml::Table;

use crate::run;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Elements of each buffer.
const ELEMENTS: usize = 4096;
/// Bytes around each buffer, and of freed memory between the two.
const GUARD: u64 = 256;
const FREED: u64 = 4096;

/// A kernel of `expected.toml`.
struct Planted {
    name: String,
    grid: u32,
    block: u32,
    n: i32,
    find: BTreeSet<String>,
}

fn planted() -> Vec<Planted> {
    let file = root().join("kernels/planted/sanitizer/expected.toml");
    let text = fs::read_to_string(file).expect("the list");
    let table: Table = text.parse().expect("TOML");
    let defaults = table["defaults"].as_table().expect("a table");
    let kernels = table["kernels"].as_table().expect("a table");
    let number = |row: &Table, key: &str| {
        let value = row.get(key).unwrap_or(&defaults[key]);
        value.as_integer().expect("a number")
    };
    let planted = kernels.iter().map(|(name, row)| {
        let row = row.as_table().expect("a table");
        let find = row.get("find").and_then(|find| find.as_array());
        let find = find.into_iter().flatten();
        Planted {
            name: name.clone(),
            grid: number(row, "grid") as u32,
            block: number(row, "block") as u32,
            n: number(row, "n") as i32,
            find: find
                .map(|rule| rule.as_str().expect("a rule").to_owned())
                .collect(),
        }
    });
    planted.collect()
}

fn object() -> (CodeObject, Lines) {
    let bytes = fs::read(root().join("kernels/built/sanitizer.co")).expect("built kernels");
    let lines = Lines::read(&bytes).expect("line tables");
    (CodeObject::parse(&bytes).expect("a code object"), lines)
}

/// What is found in a kernel that runs in an order, on so many threads.
fn found(
    object: &CodeObject,
    lines: &Lines,
    one: &Planted,
    schedule: Schedule,
    threads: usize,
) -> Vec<Finding> {
    let gpu = Gpu::new();
    let module = gpu.load(object).expect("room");
    let input: Vec<u8> = (0..ELEMENTS)
        .flat_map(|i| (i as f32 - 31.5).to_le_bytes())
        .collect();
    let bytes = input.len() as u64;
    // A guard, `in`, a guard, freed memory, a guard, `out`, a guard.
    let room = gpu.alloc("memory", 2 * bytes + FREED + 4 * GUARD);
    let a = room.expect("room") + GUARD;
    let freed = a + bytes + GUARD;
    let b = freed + FREED + GUARD;
    gpu.write(a, &input).expect("it is there");
    let heap = Arc::new(Heap::default());
    for (name, start, size) in [("in", a, bytes), ("old", freed, FREED), ("out", b, bytes)] {
        heap.declare(
            name,
            start..start + size,
            start - GUARD / 2..start + size + GUARD / 2,
            None,
        );
    }
    heap.free(freed, "the test");
    heap.undefined(b + bytes * 3 / 4..b + bytes);
    let kernarg = [&a.to_le_bytes()[..], &b.to_le_bytes(), &one.n.to_le_bytes()].concat();
    let launch = Launch {
        grid: [one.grid, 1, 1],
        block: [one.block, 1, 1],
        dynamic_lds: 0,
        kernarg: &kernarg,
        limits: Limits {
            instructions: 10_000_000,
            schedule,
            ..Limits::default()
        },
        threads,
    };
    let mut sanitizer = Sanitizer::new(Checks::ALL).with_heap(heap);
    let done = gpu.launch_observed(&module, &one.name, &launch, &mut sanitizer);
    // What reaches too far may fault besides.
    if let (Err(error), true) = (done, one.find.is_empty()) {
        panic!("{}: {error}", one.name);
    }
    let mut findings = sanitizer.take_findings();
    findings.look_up(lines);
    findings.iter().cloned().collect()
}

fn rules(findings: &[Finding]) -> BTreeSet<String> {
    let rules = findings.iter();
    rules
        .map(|one| format!("{}: {}", one.check, one.kind))
        .collect()
}

/// Each mistake is found in every order of waves and groups, and nothing else is; nothing in the right twins.
#[test]
fn planted_mistakes_are_found_and_right_twins_are_not() {
    let (object, lines) = object();
    let planted = planted();
    let kernels: BTreeSet<&str> = object
        .kernels
        .iter()
        .map(|kernel| kernel.name.as_str())
        .collect();
    let listed: BTreeSet<&str> = planted.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(kernels, listed, "every kernel is listed");
    let mut wrong = Vec::new();
    let (mut sited, mut met) = (0, 0);
    for one in &planted {
        assert_eq!(
            one.name.ends_with("_wrong"),
            !one.find.is_empty(),
            "{}",
            one.name
        );
        // A group that waits for an earlier one needs it to have begun.
        let waits = one.name.contains("flags");
        let orders = [
            (Schedule::InOrder, 1),
            (Schedule::InOrder, 4),
            (Schedule::Reverse, 1),
            (Schedule::Random(7), 2),
        ];
        for (schedule, threads) in orders {
            if waits && schedule != Schedule::InOrder {
                continue;
            }
            let findings = found(&object, &lines, one, schedule, threads);
            let rules = rules(&findings);
            // Which side comes second depends on the order, but a mistake is found in each; what follows from it (values that nobody
            // has written yet) may be found too.
            let checks = |rules: &BTreeSet<String>| -> BTreeSet<String> {
                let checks = rules.iter().filter_map(|rule| rule.split(':').next());
                checks.map(str::to_owned).collect()
            };
            let in_order = schedule == Schedule::InOrder && threads == 1;
            let named = match one.find.is_empty() {
                true => rules.is_empty(),
                false => {
                    checks(&one.find).is_subset(&checks(&rules))
                        && (!in_order || one.find.is_subset(&rules))
                }
            };
            if !named {
                let told: Vec<String> = findings.iter().map(ToString::to_string).collect();
                wrong.push(format!(
                    "{} ({schedule}, {threads} threads): {rules:?}\n{}",
                    one.name,
                    told.join("\n")
                ));
            }
            let sources = findings.iter().filter_map(|one| one.at.source.as_deref());
            let ours = |source: &&str| source.contains("kernels/planted/sanitizer/");
            sited += sources.filter(ours).count();
            met += findings.len();
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    // Instructions that compilers merge or move have no line.
    assert!(4 * sited > 3 * met, "{sited} of {met} have a source line");
}

/// A finding fails its test, and with --sanitize-warn it is told.
#[test]
fn built_in_kernels_have_no_findings() {
    let clean = run(root(), &["--phase", "1-8", "--sanitize"]);
    assert_eq!(clean.code, 0, "{}", clean.out);
    let unknown = run(root(), &["--test", "mul", "--sanitize=weight"]);
    assert_eq!(unknown.code, 2, "{}", unknown.err);
    assert!(
        unknown.err.contains("there is no check `weight`"),
        "{}",
        unknown.err
    );
}
