use super::super::report::tests::{killed, report};
use super::super::report::{FunctionReport, Uncovered};
use super::*;

const FILE: &str = r#"
    [functions]
    kernel = "00"
    [[accepted]]
    reason = "a hint"
    was = "v_add_f32*"
    operators = ["delete", "opcode"]
    at = { kernel = [4] }
"#;

fn missed() -> Outcome {
    Outcome::Missed { saw: Vec::new() }
}

/// A campaign of a kernel's deletions at these places, with a file applied.
fn applied(
    file: &str,
    change: impl FnOnce(&mut MutationReport),
    mutants: Vec<(u64, Outcome)>,
) -> MutationReport {
    let mut found = report("1/1", mutants);
    found.functions.push(FunctionReport {
        name: "kernel".into(),
        sha256: "00".into(),
        instructions: 4,
        covered: 4,
        cases: 1,
        listing: Vec::new(),
    });
    change(&mut found);
    let accepted = toml::from_str(file).expect("a file");
    apply(&mut found, &accepted);
    found
}

fn every_mutant(report: &mut MutationReport) {
    report.asked.per_kernel = 0;
}

#[test]
fn what_is_accepted_says_why() {
    let found = applied(FILE, |_| {}, vec![(4, missed()), (8, missed())]);
    assert!(
        matches!(&found.mutants[0].outcome, Outcome::Accepted { reason, instead } if reason == "a hint" && instead == "missed")
    );
    assert!(found.mutants[1].outcome.survived());
    assert!(found.stale.is_empty());
    // Once more, as of parts that had the file already.
    let mut again = found;
    apply(&mut again, &toml::from_str(FILE).expect("a file"));
    assert!(again.stale.is_empty());
}

#[test]
fn another_operator_or_another_change_is_not_accepted() {
    let only = FILE.replace("\"delete\", ", "");
    assert!(
        applied(&only, |_| {}, vec![(4, missed())]).mutants[0]
            .outcome
            .survived()
    );
    let is = FILE.replace("operators", "is = \"v_sub*\"\n operators");
    assert!(
        applied(&is, |_| {}, vec![(4, missed())]).mutants[0]
            .outcome
            .survived()
    );
    let is = is.replace("v_sub*", "no*g");
    assert!(
        !applied(&is, |_| {}, vec![(4, missed())]).mutants[0]
            .outcome
            .survived()
    );
}

/// Files are as one, and looked at the same code.
#[test]
fn several_files_are_read_as_one() {
    let dir = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).expect("written");
        path
    };
    let one = write("one.toml", FILE);
    let general = FILE.replace("at = { kernel = [4] }", "");
    let two = write("two.toml", &general.replace("a hint", "everywhere"));
    let other = write("other.toml", &FILE.replace("\"00\"", "\"01\""));
    assert!(Accepted::read(&[]).expect("nothing").is_none());
    let read = Accepted::read(&[one.clone(), two]).expect("files");
    let read = read.expect("two");
    let reasons: Vec<&str> = read
        .accepted
        .iter()
        .map(|entry| &entry.reason[..])
        .collect();
    assert_eq!(
        (read.functions.len(), reasons),
        (1, vec!["a hint", "everywhere"])
    );
    let refused = Accepted::read(&[one, other]).expect_err("other code");
    assert!(
        refused.to_string().contains("another digest of `kernel`"),
        "{refused}"
    );
}

/// Any of several changes.
#[test]
fn a_change_may_be_any_of_a_list() {
    let is = FILE.replace("operators", "is = [\"v_sub*\", \"no*g\"]\n operators");
    let found = applied(&is, |_| {}, vec![(4, missed())]);
    assert!(!found.mutants[0].outcome.survived());
    // One of them is noticed now: that says nothing of the others.
    let found = applied(&is, |_| {}, vec![(4, killed())]);
    assert!(found.stale.is_empty(), "{:?}", found.stale);
}

/// A part of a function: what is the instruction that the entry says, wherever it stands, and no other.
#[test]
fn a_part_of_a_function_is_accepted_by_what_stands_there() {
    let part = FILE.replace("[4]", "[[4, 12]]");
    let was = |at: usize, text: &str| {
        let text = text.to_owned();
        move |found: &mut MutationReport| found.mutants[at].was = text.clone()
    };
    let all = || vec![(0, missed()), (4, missed()), (8, missed()), (12, missed())];
    let found = applied(&part, was(2, "s_nop 0"), all());
    let survived = |found: &MutationReport| -> Vec<bool> {
        let mutants = found.mutants.iter();
        mutants.map(|mutant| mutant.outcome.survived()).collect()
    };
    assert_eq!(survived(&found), [true, false, true, true]);
    assert!(found.stale.is_empty());
    // With every mutant, a part of which nothing goes unnoticed has no business in the file.
    let noticed = applied(&part, every_mutant, vec![(0, missed()), (4, killed())]);
    assert_eq!(
        noticed.stale,
        ["kernel+0x4 to 0xc `v_add_f32*`: nothing of it goes unnoticed now, take it out"]
    );
    let none = applied(&part, every_mutant, vec![(0, missed()), (12, missed())]);
    assert_eq!(
        none.stale,
        ["kernel+0x4 to 0xc `v_add_f32*`: there is no such mutant, take it out"]
    );
}

/// Without places: whatever reads so in any function that was looked at, and in no other.
#[test]
fn an_instruction_is_accepted_wherever_it_stands() {
    let anywhere = FILE
        .replace("at = { kernel = [4] }", "")
        .replace("\"v_add_f32*\"", "[\"v_add_f32*\", \"s_add*\"]");
    let other = |found: &mut MutationReport| {
        found.mutants[1].was = "s_add_i32 s0, s1, 1".into();
        found.mutants[2].was = "s_nop 0".into();
        found.mutants[3].function = "another".into();
    };
    let all = || vec![(0, missed()), (4, missed()), (8, missed()), (12, missed())];
    let found = applied(&anywhere, other, all());
    let mutants = found.mutants.iter();
    let survived: Vec<bool> = mutants.map(|mutant| mutant.outcome.survived()).collect();
    assert_eq!(survived, [false, false, true, true]);
    assert!(found.stale.is_empty());
    let none = applied(&anywhere, every_mutant, vec![(0, missed())]);
    assert_eq!(
        none.stale,
        ["`s_add*` in any function: there is no such mutant, take it out"]
    );
    let noticed = applied(&anywhere, every_mutant, vec![(0, killed()), (4, killed())]);
    assert_eq!(
        noticed.stale[1],
        "`v_add_f32*` in any function: nothing of it goes unnoticed now, take it out"
    );
}

#[test]
fn code_that_changed_and_functions_that_are_gone_make_the_file_stale() {
    let changed = applied(
        FILE,
        |found| found.functions[0].sha256 = "01".into(),
        vec![(4, missed())],
    );
    assert_eq!(
        changed.stale,
        ["kernel: the function's code has changed, look at it again; it is 01 now"]
    );
    assert!(changed.mutants[0].outcome.survived());
    let gone = applied(FILE, |found| found.functions.clear(), Vec::new());
    assert_eq!(
        gone.stale,
        ["kernel: no test executes a function of this name, take it out"]
    );
    let filtered = |found: &mut MutationReport| {
        found.functions.clear();
        found.asked.kernels.push("other".into());
    };
    assert!(applied(FILE, filtered, Vec::new()).stale.is_empty());
    let moved = FILE.replace("v_add_f32*", "v_mul_f32*");
    let moved = applied(&moved, |_| {}, vec![(4, missed())]);
    assert!(moved.stale[0].ends_with("the instruction there is `v_add_f32_e32 v0, v1, v2`"));
    assert!(moved.mutants[0].outcome.survived());
}

#[test]
fn what_no_campaign_of_every_mutant_finds_unnoticed_is_stale() {
    // A draw does not have every mutant.
    assert!(applied(FILE, |_| {}, vec![(8, missed())]).stale.is_empty());
    assert!(applied(FILE, |_| {}, vec![(4, killed())]).stale.is_empty());
    let none = applied(FILE, every_mutant, vec![(8, missed())]);
    assert_eq!(
        none.stale,
        ["kernel+0x4 `v_add_f32*`: there is no such mutant, take it out"]
    );
    let noticed = applied(FILE, every_mutant, vec![(4, killed())]);
    assert_eq!(
        noticed.stale,
        ["kernel+0x4 `v_add_f32*`: nothing of it goes unnoticed now, take it out"]
    );
    // One mutant by its text is told from a draw, too.
    let one = FILE.replace("operators", "is = \"nothing\"\n operators");
    let one = applied(&one, |_| {}, vec![(4, killed())]);
    assert!(one.stale[0].contains("nothing of it goes unnoticed now"));
    let part = |found: &mut MutationReport| {
        every_mutant(found);
        found.parts = vec!["1/2".into()];
    };
    assert!(applied(FILE, part, vec![(8, missed())]).stale.is_empty());
}

#[test]
fn a_star_stands_for_anything() {
    for (pattern, text, same) in [
        ("v_mov_b32 v*, 0", "v_mov_b32 v12, 0", true),
        ("v_mov_b32 v*, 0", "v_mov_b32 v12, 01", false),
        ("*", "", true),
        ("a*b*c", "a1b2b3c", true),
        ("a*b", "ac", false),
        ("s[0:1]", "s[0:1]", true),
    ] {
        assert_eq!(fits(pattern, text), same, "{pattern} {text}");
    }
}

/// What fits nothing yet may still come.
#[test]
fn nothing_is_stale_before_the_end() {
    let gone = |complete: bool| {
        let change = |report: &mut MutationReport| {
            every_mutant(report);
            report.complete = complete;
            report.functions.clear();
        };
        applied(FILE, change, vec![(8, missed())]).stale
    };
    assert!(gone(false).is_empty());
    assert_eq!(gone(true).len(), 1);
    let early = applied(FILE, |report| report.complete = false, vec![(4, missed())]);
    assert!(matches!(early.mutants[0].outcome, Outcome::Accepted { .. }));
}

/// What no launch comes to has a reason, and a place of its own among what no test executes.
#[test]
fn what_is_unreachable_says_why() {
    let file = r#"
        [functions]
        kernel = "00"
        [[unreachable]]
        reason = "a count is never 0"
        at = { kernel = [8] }
    "#;
    let run = |offset: u64, never: bool| Uncovered {
        function: "kernel".into(),
        offset,
        instructions: 2,
        text: "s_nop 0".into(),
        path: String::new(),
        never,
        reason: None,
    };
    let with = |runs: &[Uncovered]| {
        let runs = runs.to_vec();
        applied(file, move |report| report.uncovered = runs, Vec::new())
    };
    let found = with(&[run(4, false), run(8, false)]);
    let reasons: Vec<_> = found.uncovered.iter().map(|run| &run.reason).collect();
    assert_eq!(reasons, [&None, &Some("a count is never 0".to_owned())]);
    assert!(found.stale.is_empty());
    for (runs, says) in [
        (&[run(4, false)][..], "a test comes there now"),
        (&[run(8, true)], "it is proven now"),
    ] {
        let found = with(runs);
        assert!(found.stale[0].contains(says), "{:?}", found.stale);
        assert!(found.uncovered.iter().all(|run| run.reason.is_none()));
    }
    let other = applied(
        &file.replace("\"00\"", "\"01\""),
        |report| report.uncovered = vec![run(8, false)],
        Vec::new(),
    );
    assert!(other.uncovered[0].reason.is_none() && other.stale[0].contains("has changed"));

    let dir = tempfile::tempdir().expect("a directory");
    let refused = |text: &str| {
        let path = dir.path().join("file.toml");
        std::fs::write(&path, text).expect("written");
        Accepted::read(&[path]).expect_err("refused").to_string()
    };
    assert!(refused(&file.replace("a count is never 0", " ")).contains("has no reason"));
    assert!(refused(&file.replace("{ kernel", "{ other")).contains("`other` is not among"));
}
