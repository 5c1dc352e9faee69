//! Planted mistakes and their corrected versions, as data: `tests/sanitizer/*.toml` has the findings that the running checks and the static
//! search must report for each program, and a reason where one of the two reports nothing.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Deserialize;

use super::hazard::RULES;
use super::lint::{Function, lint};
use super::{Check, Checks, Sanitizer};
use crate::isa::{Inst, decode};
use crate::machine::rig;

/// Link address of the first instruction.
const CODE: u64 = 0x100;
/// `s_nop 15`, a placeholder for the wait states between two instructions.
const BETWEEN: &str = "bf80000f";
const S_ENDPGM: &str = "bf810000";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    program: Vec<PlantedProgram>,
    #[serde(default)]
    hazard: Vec<Pair>,
}

/// A program with its expected findings.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlantedProgram {
    name: String,
    /// Reason why the program is right or wrong, or why the running checks and the static search disagree.
    why: Option<String>,
    #[expect(dead_code, reason = "the words are what runs")]
    code: String,
    words: String,
    /// Number of waves of the group.
    #[serde(default = "one")]
    waves: usize,
    /// True if the program runs here.
    #[serde(default = "yes")]
    runs: bool,
    findings: Vec<ExpectedFinding>,
    /// "silent" if the running checks find nothing.
    run: Option<String>,
    /// "silent" if the static search finds nothing.
    lint: Option<String>,
}

/// Two instructions with `s_nop 15` between them, and their rule.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    rule: String,
    #[expect(dead_code, reason = "the words are what runs")]
    code: String,
    words: String,
    #[serde(default = "yes")]
    runs: bool,
}

/// Findings that must be reported; addresses count from the first instruction.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(deny_unknown_fields)]
struct ExpectedFinding {
    check: String,
    kind: String,
    at: u64,
    other: Option<u64>,
    cure: String,
}

fn one() -> usize {
    1
}

fn yes() -> bool {
    true
}

/// Returns the findings of the running checks.
fn by_run(words: &str, waves: usize) -> BTreeSet<ExpectedFinding> {
    let checks = [Check::Wait, Check::Hazard, Check::Sync];
    let mut sanitizer = Sanitizer::new(checks.into_iter().collect());
    let trap = rig::run(words, waves, |_| {}, &mut sanitizer);
    assert_eq!(trap, None, "{words}");
    let findings = sanitizer.findings().iter();
    let expected = findings.map(|finding| ExpectedFinding {
        check: finding.check.to_string(),
        kind: finding.kind.to_owned(),
        at: finding.at.pc - CODE,
        other: finding
            .other
            .as_ref()
            .and_then(|other| other.site.as_ref())
            .map(|site| site.pc - CODE),
        cure: finding.cure.clone(),
    });
    expected.collect()
}

/// Decodes words to instructions.
fn instructions(words: &str) -> Vec<(u64, Inst)> {
    let words = format!("{words} {S_ENDPGM}");
    let words = words.split_whitespace();
    let words = words.map(|word| u32::from_str_radix(word, 16).expect("hex"));
    let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    let (mut at, mut code) = (0, Vec::new());
    while at < bytes.len() {
        let inst = decode(&bytes[at..]).expect("an instruction");
        code.push((CODE + at as u64, inst));
        at += inst.size();
    }
    code
}

fn by_lint(words: &str, waves: usize) -> BTreeSet<ExpectedFinding> {
    let function = Function {
        name: "f",
        code: &instructions(words),
        entry: CODE,
        alone: waves == 1,
    };
    let found = lint(&function, Checks::ALL).into_iter();
    let expected = found.map(|mistake| ExpectedFinding {
        check: mistake.check.to_string(),
        kind: mistake.kind.to_owned(),
        at: mistake.at.pc - CODE,
        other: mistake
            .other
            .as_ref()
            .and_then(|other| other.site.as_ref())
            .map(|site| site.pc - CODE),
        cure: mistake.cure.clone(),
    });
    expected.collect()
}

/// Reads the files of planted mistakes.
fn files() -> Vec<File> {
    let directory = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sanitizer"));
    let entries = std::fs::read_dir(directory).expect("the programs' directory");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    let read = paths.iter().map(|path| {
        let text = std::fs::read_to_string(path).expect("a file of programs");
        toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    });
    read.collect()
}

#[test]
fn run_and_lint_find_what_is_planted_and_nothing_else() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for program in files().into_iter().flat_map(|file| file.program) {
        count += 1;
        let all: BTreeSet<ExpectedFinding> = program.findings.iter().cloned().collect();
        let of = |side: &Option<String>| match side.as_deref() {
            None => all.clone(),
            Some("silent") => BTreeSet::new(),
            Some(other) => panic!("{}: `{other}` is not silent", program.name),
        };
        if program.run.is_some() || program.lint.is_some() {
            assert!(program.why.is_some(), "{}: say who is right", program.name);
        }
        if program.runs {
            let found = by_run(&program.words, program.waves);
            if found != of(&program.run) {
                wrong.push(format!("{}: run finds {found:#x?}", program.name));
            }
        }
        let found = by_lint(&program.words, program.waves);
        // Barriers that waves miss show only at run time.
        let expected = of(&program.lint);
        let expected = expected.into_iter().filter(|one| one.check != "sync");
        if found != expected.collect() {
            wrong.push(format!("{}: lint finds {found:#x?}", program.name));
        }
    }
    assert!(count > 50, "{count}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns the words of a pair with `states` wait states between the two, and the addresses of the second and the first instruction.
fn apart(words: &str, states: u32) -> (String, u64, u64) {
    let words: Vec<&str> = words.split(' ').collect();
    let middle = words.iter().position(|word| *word == BETWEEN);
    let middle = middle.expect("s_nop 15 between the two");
    let before = words[..middle].join(" ");
    let code = instructions(&before);
    let first = code[code.len() - 2].0;
    let pause = match states {
        0 => Vec::new(),
        states => vec![format!("bf80{:04x}", states - 1)],
    };
    let second = CODE + 4 * (middle + pause.len()) as u64;
    let behind = words[middle + 1..].join(" ");
    (
        [before, pause.join(" "), behind].join(" "),
        second - CODE,
        first - CODE,
    )
}

#[test]
fn every_rule_wants_as_many_wait_states_as_it_says() {
    let pairs: Vec<Pair> = files().into_iter().flat_map(|file| file.hazard).collect();
    let mut wrong = Vec::new();
    for rule in RULES {
        let mut own = pairs
            .iter()
            .filter(|pair| pair.rule == rule.name)
            .peekable();
        assert!(own.peek().is_some(), "no program for {}", rule.name);
        for pair in own {
            for states in [rule.states - 1, rule.states, rule.states + 1] {
                let (words, at, other) = apart(&pair.words, states);
                let mut expected = BTreeSet::new();
                if states < rule.states {
                    expected.insert(ExpectedFinding {
                        check: "hazard".into(),
                        kind: rule.name.into(),
                        at,
                        other: Some(other),
                        cure: "`s_nop 0` before this instruction".into(),
                    });
                }
                let lint = by_lint(&words, 1);
                let run = pair.runs.then(|| by_run(&words, 1));
                if lint != expected || run.is_some_and(|run| run != expected) {
                    wrong.push(format!("{}, {states} between: {lint:#x?}", pair.words));
                }
            }
        }
    }
    let unknown = |pair: &&Pair| !RULES.iter().any(|rule| rule.name == pair.rule);
    assert!(
        !pairs.iter().any(|pair| unknown(&pair)),
        "a rule that is none"
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
