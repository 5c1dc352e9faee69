use super::*;

fn mutant(offset: u64, outcome: Outcome) -> MutantReport {
    MutantReport {
        function: "kernel".into(),
        sha256: "00".into(),
        offset,
        source: None,
        operator: Operator::Delete,
        was: "v_add_f32_e32 v0, v1, v2".into(),
        is: "nothing".into(),
        executed_by: 1,
        ran: 1,
        outcome,
    }
}

pub(in crate::mutate) fn report(part: &str, mutants: Vec<(u64, Outcome)>) -> MutationReport {
    MutationReport {
        schema: SCHEMA,
        device: "emulator".into(),
        code_object: CodeObjectReport {
            path: "x.co".into(),
            sha256: "ab".into(),
            build: None,
        },
        asked: Asked {
            seed: 0,
            per_kernel: 40,
            operators: Operator::ALL.into(),
            cases: 3,
        },
        parts: vec![part.into()],
        seconds: 1.0,
        functions: Vec::new(),
        not_launched: Vec::new(),
        uncovered: Vec::new(),
        stale: Vec::new(),
        mutants: mutants
            .into_iter()
            .map(|(at, outcome)| mutant(at, outcome))
            .collect(),
    }
}

fn killed() -> Outcome {
    Outcome::Killed {
        test: "t".into(),
        verdict: "FAIL".into(),
        how: "1/1 wrong".into(),
    }
}

#[test]
fn a_score_is_the_share_that_was_noticed_of_what_could_have_been() {
    let equivalent = Outcome::Equivalent { rule: "r".into() };
    let accepted = Outcome::Accepted {
        reason: "r".into(),
        instead: "missed".into(),
    };
    let missed = Outcome::Missed { saw: Vec::new() };
    let within = Outcome::WithinTolerance { test: "t".into() };
    let idle = Outcome::NotInfected { saw: Vec::new() };
    let all = [
        killed(),
        missed,
        within,
        idle,
        equivalent,
        accepted,
        Outcome::NotJudged,
    ];
    let all = all
        .into_iter()
        .enumerate()
        .map(|(at, outcome)| (at as u64, outcome));
    let counts = report("1/1", all.collect()).counts();
    assert_eq!(counts.judged(), 4);
    assert_eq!(counts.score(), Some(25.0));
    assert_eq!(Counts::default().score(), None);
}

#[test]
fn parts_become_one_report_in_the_order_of_the_code() {
    let one = report("1/2", vec![(0, killed()), (8, killed())]);
    let two = report("2/2", vec![(4, Outcome::Missed { saw: Vec::new() })]);
    let named = |name: &str, report: &MutationReport| (name.to_owned(), report.clone());
    let whole = merge(vec![named("b", &two), named("a", &one)]).expect("parts of one campaign");
    assert_eq!(whole.parts, ["1/2", "2/2"]);
    let offsets: Vec<u64> = whole.mutants.iter().map(|mutant| mutant.offset).collect();
    assert_eq!(offsets, [0, 4, 8]);
    assert_eq!(whole.seconds, 2.0);
    let twice = merge(vec![named("a", &one), named("b", &one)]).expect_err("twice");
    assert!(
        twice.message.contains("part 1/2 is in both a and b"),
        "{twice}"
    );
    let mut other = two.clone();
    other.asked.seed = 1;
    let mixed = merge(vec![named("a", &one), named("b", &other)]).expect_err("two campaigns");
    assert!(
        mixed.message.contains("b is of another campaign than a"),
        "{mixed}"
    );
}

#[test]
fn a_report_reads_back_as_it_was_written() {
    let saw = vec!["v0 = 0x1".to_owned()];
    let written = report("1/1", vec![(0, killed()), (4, Outcome::Missed { saw })]);
    let text = serde_json::to_string(&written).expect("JSON");
    let back: MutationReport = serde_json::from_str(&text).expect("a report");
    assert_eq!(serde_json::to_string(&back).expect("JSON"), text);
}
