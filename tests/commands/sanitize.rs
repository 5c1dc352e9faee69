//! The sanitizer: kernels with mistakes that values need not show, and their right twins.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use gfx906::code_object::{CodeObject, Lines};
use gfx906::machine::{Gpu, Launch, Limits, Schedule};
use gfx906::observe::sanitize::{Checks, Finding, Heap, Sanitizer};
use toml::Table;

use crate::{run, scratch};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Elements of each buffer.
const ELEMENTS: usize = 4096;
/// Bytes around each buffer, and of freed memory between the two.
const GUARD: u64 = 256;
const FREED: u64 = 4096;

/// A kernel of `expected.toml`.
struct PlantedKernel {
    name: String,
    grid: u32,
    block: u32,
    n: i32,
    /// The findings when groups and waves run in order.
    find: Vec<ExpectedFinding>,
}

/// A finding of `expected.toml`; `*` in the instructions stands for anything.
#[derive(Clone, Debug)]
struct ExpectedFinding {
    rule: String,
    at: String,
    /// The action of the other side, and its instruction where there is one.
    other: Option<String>,
    cure: String,
}

impl ExpectedFinding {
    fn is(&self, found: &Finding) -> bool {
        let other = found.other.as_ref().map(|other| match &other.site {
            Some(site) => format!("{}: {}", other.did, site.text),
            None => other.did.clone(),
        });
        let others = match (&self.other, &other) {
            (Some(expected), Some(other)) => fits(expected, other),
            (expected, other) => expected.is_none() && other.is_none(),
        };
        self.rule == rule(found)
            && fits(&self.at, &found.at.text)
            && others
            && self.cure == found.cure
    }

    fn check(&self) -> &str {
        self.rule.split(':').next().expect("a check")
    }
}

/// Returns true if a text matches a pattern, whose `*` stand for anything.
fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|begin| text.strip_prefix(begin)) else {
        return false;
    };
    let mut parts = parts.peekable();
    let Some(last) = parts.clone().last() else {
        return rest.is_empty();
    };
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(last);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    false
}

fn rule(found: &Finding) -> String {
    format!("{}: {}", found.check, found.kind)
}

/// Lists of planted kernels, each with its code object and the folder of its sources.
const LISTS: [(&str, &str, &str); 2] = [
    (
        "kernels/planted/sanitizer/expected.toml",
        "kernels/built/sanitizer.co",
        "kernels/planted/sanitizer/",
    ),
    (
        "tests/data/mistakes.toml",
        "tests/data/mistakes.co",
        "./mistakes.hip",
    ),
];

fn planted(list: &str) -> Vec<PlantedKernel> {
    let text = fs::read_to_string(root().join(list)).expect("the list");
    let table: Table = text.parse().expect("TOML");
    let defaults = table["defaults"].as_table().expect("a table");
    let kernels = table["kernels"].as_table().expect("a table");
    let number = |row: &Table, key: &str| {
        let value = row.get(key).unwrap_or(&defaults[key]);
        value.as_integer().expect("a number")
    };
    let findings = table["finding"].as_array().expect("findings");
    let mut find: BTreeMap<&str, Vec<ExpectedFinding>> = BTreeMap::new();
    for finding in findings {
        let text = |key: &str| finding.get(key).and_then(|text| text.as_str());
        let needed = |key: &str| text(key).unwrap_or_else(|| panic!("{finding}: no `{key}`"));
        let expected = ExpectedFinding {
            rule: needed("rule").to_owned(),
            at: needed("at").to_owned(),
            other: text("other").map(str::to_owned),
            cure: needed("cure").to_owned(),
        };
        assert!(kernels.contains_key(needed("kernel")), "{finding}");
        find.entry(needed("kernel")).or_default().push(expected);
    }
    let planted = kernels.iter().map(|(name, row)| {
        let row = row.as_table().expect("a table");
        PlantedKernel {
            name: name.clone(),
            grid: number(row, "grid") as u32,
            block: number(row, "block") as u32,
            n: number(row, "n") as i32,
            find: find.remove(name.as_str()).unwrap_or_default(),
        }
    });
    planted.collect()
}

fn object(path: &str) -> (CodeObject, Lines) {
    let bytes = fs::read(root().join(path)).expect("built kernels");
    let lines = Lines::read(&bytes).expect("line tables");
    (CodeObject::parse(&bytes).expect("a code object"), lines)
}

/// Returns the findings of a kernel that runs in an order, on a number of threads.
fn found(
    object: &CodeObject,
    lines: &Lines,
    one: &PlantedKernel,
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
    // A kernel that accesses memory out of bounds may also fault.
    if let (Err(error), true) = (done, one.find.is_empty()) {
        panic!("{}: {error}", one.name);
    }
    let mut findings = sanitizer.take_findings();
    findings.look_up(lines);
    findings.iter().cloned().collect()
}

/// Each mistake is found in every order of waves and groups, and nothing else is; nothing in the right twins.
#[test]
fn planted_mistakes_are_found_and_right_twins_are_not() {
    for (list, path, sources) in LISTS {
        check_planted(list, path, sources);
    }
}

fn check_planted(list: &str, path: &str, sources: &str) {
    let (object, lines) = object(path);
    let planted = planted(list);
    let kernels: BTreeSet<&str> = object
        .kernels
        .iter()
        .map(|kernel| kernel.name.as_str())
        .collect();
    let listed: BTreeSet<&str> = planted.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(kernels, listed, "every kernel is listed");
    let wrong = listed.iter().filter_map(|name| name.strip_suffix("_wrong"));
    for name in wrong {
        let twin = format!("{name}_right");
        assert!(listed.contains(&*twin), "there is no {twin}");
    }
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
            // The order decides which side comes second, but the mistake is found in each order; consequences of the mistake (values that nobody
            // has written yet) may be found too.
            let in_order = schedule == Schedule::InOrder && threads == 1;
            let found = |expected: &ExpectedFinding| {
                findings.iter().any(|found| match in_order {
                    true => expected.is(found),
                    false => expected.check() == found.check.to_string(),
                })
            };
            let named = match one.find.is_empty() {
                true => findings.is_empty(),
                false => one.find.iter().all(found),
            };
            if !named {
                let told: Vec<String> = findings.iter().map(ToString::to_string).collect();
                wrong.push(format!(
                    "{} ({schedule}, {threads} threads), not {:#?}\n{}",
                    one.name,
                    one.find,
                    told.join("\n")
                ));
            }
            let lines = findings.iter().filter_map(|one| one.at.source.as_deref());
            sited += lines.filter(|line| line.contains(sources)).count();
            met += findings.len();
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    // Instructions that compilers merge or move have no line.
    assert!(4 * sited > 3 * met, "{sited} of {met} have a source line");
}

#[test]
fn stars_of_a_pattern_stand_for_anything() {
    for (pattern, text, fit) in [
        ("s_barrier", "s_barrier", true),
        ("s_barrier", "s_barrier 1", false),
        ("ds_read_b32 *", "ds_read_b32 v0, v0", true),
        ("ds_read_b32 *", "ds_read_b64 v0, v0", false),
        ("v_add v*, 1.0, v*", "v_add v3, 1.0, v3", true),
        ("v_add v*, 1.0, v*", "v_add v3, 2.0, v3", false),
        ("load * offset:4", "load v1, off offset:4", true),
        ("load * offset:4", "load v1, off offset:48", false),
    ] {
        assert_eq!(fits(pattern, text), fit, "{pattern}: {text}");
    }
}

/// A finding fails its test. With --sanitize-warn it is only reported.
#[test]
fn findings_are_failures_or_warnings() {
    // The built-in kernels without their waits for vector memory: here every load is done at once, and values are right.
    let here = scratch("sanitize-warn");
    let (wait, none) = (0xbf8c_0f70_u32.to_le_bytes(), 0xbf8c_cf7f_u32.to_le_bytes());
    let mut code = fs::read(crate::KERNELS).expect("built kernels");
    for word in code.chunks_exact_mut(4).filter(|word| **word == wait) {
        word.copy_from_slice(&none);
    }
    fs::write(here.join("hasty.co"), code).expect("room");
    let test = ["--kernels", "hasty.co", "--test", "mul"];
    let with = |more: &[&str]| run(&here, &[&test[..], more].concat());
    let unseen = with(&[]);
    assert_eq!(unseen.code, 0, "{}", unseen.out);
    let failed = with(&["--sanitize=wait"]);
    let warned = with(&["--sanitize=wait", "--sanitize-warn"]);
    for (run, code, verdict) in [(&failed, 1, "FAIL mul"), (&warned, 0, "PASS mul")] {
        assert_eq!(run.code, code, "{}", run.out);
        assert!(run.out.contains(verdict), "{}", run.out);
        for told in [
            "wait: read too early: v6 is read and may not have arrived yet",
            "`s_waitcnt vmcnt(0)` before this instruction",
        ] {
            assert!(run.out.contains(told), "{}", run.out);
        }
    }
    // Checks that were not requested do not run.
    let others = with(&["--sanitize=race,hazard"]);
    assert_eq!(others.code, 0, "{}", others.out);
}

/// A launch file's findings, too.
#[test]
fn findings_of_exec_are_failures_or_warnings() {
    let exec = ["exec", "kernels/planted/sanitizer/race.json", "--sanitize"];
    for (more, code) in [(&[][..], 1), (&["--sanitize-warn"], 0)] {
        let run = run(root(), &[&exec[..], more].concat());
        assert_eq!(run.code, code, "{}", run.out);
        assert!(
            run.out.contains("race: LDS is read while it is written"),
            "{}",
            run.out
        );
    }
}

/// Returns a launch file of a planted kernel with two buffers.
fn launch_file(folder: &Path, kernel: &str, block: u32) -> String {
    let object = root().join("kernels/built/sanitizer.co");
    let launch = serde_json::json!({
        "code_object": object,
        "buffers": {
            "in": { "bytes": 16384, "fill": "zero" },
            "out": { "bytes": 16384, "fill": "zero" },
        },
        "launches": [{
            "kernel": kernel, "grid": [1, 1, 1], "block": [block, 1, 1],
            "args": ["$in", "$out", { "i32": 3 }],
        }],
    });
    let name = format!("{kernel}.json");
    fs::write(folder.join(&name), launch.to_string()).expect("room");
    name
}

/// A hint never fails a run, and findings of the severity portability fail it unless the user lets them pass.
#[test]
fn the_severity_of_a_finding_decides_the_exit_code() {
    let here = scratch("severity");
    let hint = launch_file(&here, "odd_pairs_wrong", 128);
    let portability = launch_file(&here, "wave_leaves_wrong", 256);
    let race = launch_file(&here, "lds_reversed_wrong", 128);
    for (launch, warn, code, told) in [
        (&hint, None, 0, "hint     memory: misaligned"),
        (&portability, None, 1, "finding  sync: barrier skipped"),
        (
            &portability,
            Some("--sanitize-warn=portability"),
            0,
            "portable only to hardware where waves that ended leave the barrier",
        ),
        (&race, Some("--sanitize-warn=portability"), 1, "race: LDS"),
        (&race, Some("--sanitize-warn"), 0, "race: LDS"),
    ] {
        let args = ["exec", launch, "--sanitize"].into_iter().chain(warn);
        let run = run(&here, &args.collect::<Vec<_>>());
        assert_eq!(run.code, code, "{launch} {warn:?}: {}{}", run.out, run.err);
        assert!(run.out.contains(told), "{launch}: {}", run.out);
    }
    let json = run(&here, &["exec", &hint, "--sanitize", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&json.out).expect("JSON");
    assert_eq!(report["findings"][0]["severity"], "hint");
}

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
