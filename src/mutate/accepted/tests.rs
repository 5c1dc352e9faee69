use super::super::report::tests::report;
use super::*;

fn accepted(sha256: &str, offset: u64) -> Accepted {
    Accepted {
        accepted: vec![Entry {
            function: "kernel".into(),
            sha256: sha256.into(),
            offset,
            operator: Operator::Delete,
            is: "nothing".into(),
            reason: "a hint".into(),
        }],
    }
}

fn missed() -> Outcome {
    Outcome::Missed { saw: Vec::new() }
}

#[test]
fn what_is_accepted_says_why_and_what_is_not_any_more_goes_stale() {
    let mut found = report("1/1", vec![(4, missed())]);
    apply(&mut found, &accepted("00", 4));
    assert!(
        matches!(&found.mutants[0].outcome, Outcome::Accepted { reason, .. } if reason == "a hint")
    );
    assert!(found.stale.is_empty());

    let mut changed = report("1/1", vec![(4, missed())]);
    apply(&mut changed, &accepted("01", 4));
    assert!(changed.stale[0].contains("the function's code has changed"));
    assert!(changed.mutants[0].outcome.survived());

    let killed = Outcome::Killed {
        test: "t".into(),
        verdict: "FAIL".into(),
        how: String::new(),
    };
    let mut noticed = report("1/1", vec![(4, killed)]);
    apply(&mut noticed, &accepted("00", 4));
    assert!(noticed.stale[0].contains("it is killed now"));

    let mut other_draw = report("1/1", vec![(8, missed())]);
    apply(&mut other_draw, &accepted("00", 4));
    assert!(other_draw.stale.is_empty() && other_draw.mutants[0].outcome.survived());
}
