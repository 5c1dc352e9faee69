use super::*;

fn mutant(offset: u64, outcome: MutantOutcome) -> MutantReport {
    MutantReport {
        function: "kernel".into(),
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

pub(in crate::mutate) fn report(part: &str, mutants: Vec<(u64, MutantOutcome)>) -> MutationReport {
    MutationReport {
        schema: SCHEMA.into(),
        complete: true,
        drawn: mutants.len(),
        device: "emulator".into(),
        code_object: CodeObjectReport {
            path: "x.co".into(),
            sha256: "ab".into(),
            build: None,
        },
        asked: CampaignSettings {
            seed: 0,
            per_kernel: 40,
            operators: Operator::ALL.into(),
            phases: Vec::new(),
            tests: Vec::new(),
            kernels: Vec::new(),
            cases: 3,
        },
        parts: vec![part.into()],
        seconds: 1.0,
        functions: Vec::new(),
        not_launched: Vec::new(),
        uncovered: Vec::new(),
        mutants: mutants
            .into_iter()
            .map(|(at, outcome)| mutant(at, outcome))
            .collect(),
    }
}

pub(in crate::mutate) fn killed() -> MutantOutcome {
    MutantOutcome::Killed {
        test: "t".into(),
        verdict: "FAIL".into(),
        how: "1/1 wrong".into(),
    }
}

#[test]
fn a_score_is_the_share_that_was_noticed_of_what_could_have_been() {
    let equivalent = MutantOutcome::Equivalent { rule: "r".into() };
    let missed = MutantOutcome::Missed { saw: Vec::new() };
    let within = MutantOutcome::WithinTolerance { test: "t".into() };
    let idle = MutantOutcome::NotInfected { saw: Vec::new() };
    let all = [
        killed(),
        missed,
        within,
        idle,
        equivalent,
        MutantOutcome::NotJudged,
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
fn a_report_reads_back_as_it_was_written() {
    let saw = vec!["v0 = 0x1".to_owned()];
    let written = report(
        "1/1",
        vec![(0, killed()), (4, MutantOutcome::Missed { saw })],
    );
    let text = serde_json::to_string(&written).expect("JSON");
    let back: MutationReport = serde_json::from_str(&text).expect("a report");
    assert_eq!(serde_json::to_string(&back).expect("JSON"), text);
}
