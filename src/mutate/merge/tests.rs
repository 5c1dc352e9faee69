use super::super::report::MutantOutcome;
use super::super::report::tests::{killed, report};
use super::*;

/// Returns the error message for reports that cannot be merged. They are named `a`, `b` and `c`.
fn refused(reports: &[&MutationReport]) -> String {
    let named = reports.iter().zip(["a", "b", "c"]);
    let named = named.map(|(report, name)| (name.to_owned(), (*report).clone()));
    merge(named.collect()).expect_err("no whole").to_string()
}

#[test]
fn parts_become_one_report_in_the_order_of_the_code() {
    let one = report("1/2", vec![(0, killed()), (8, killed())]);
    let two = report("2/2", vec![(4, MutantOutcome::Missed { saw: Vec::new() })]);
    let named = |name: &str, report: &MutationReport| (name.to_owned(), report.clone());
    let whole = merge(vec![named("b", &two), named("a", &one)]).expect("parts of one campaign");
    assert_eq!(whole.parts, ["1/2", "2/2"]);
    let offsets: Vec<u64> = whole.mutants.iter().map(|mutant| mutant.offset).collect();
    assert_eq!(offsets, [0, 4, 8]);
    assert_eq!(whole.seconds, 2.0);
    assert_eq!((whole.complete, whole.drawn), (true, 3));
}

#[test]
fn a_part_counts_once_whether_or_not_the_campaign_was_parted() {
    let one = report("1/2", vec![(0, killed())]);
    assert!(refused(&[&one, &one]).contains("part 1/2 is in both a and b"));
    let whole = report("1/1", vec![(0, killed())]);
    assert!(refused(&[&whole, &whole]).contains("part 1/1 is in both a and b"));
}

#[test]
fn what_was_asked_must_be_the_same() {
    let one = report("1/2", vec![(0, killed())]);
    let other = |change: fn(&mut MutationReport)| {
        let mut two = report("2/2", vec![(4, killed())]);
        change(&mut two);
        refused(&[&one, &two])
    };
    let changes: [fn(&mut MutationReport); 7] = [
        |two| two.asked.seed = 1,
        |two| two.asked.per_kernel = 41,
        |two| two.asked.phases.push("3".into()),
        |two| two.asked.tests.push("neg".into()),
        |two| two.asked.kernels.push("k*".into()),
        |two| two.asked.cases = 4,
        |two| two.code_object.sha256.push('0'),
    ];
    for change in changes {
        assert!(other(change).contains("b is of another campaign than a"));
    }
}

#[test]
fn parts_that_are_missing_are_named() {
    let part = |part: &str| report(part, vec![(0, killed())]);
    let told = refused(&[&part("1/4"), &part("3/4")]);
    assert!(told.contains("2/4, 4/4 missing"), "{told}");
    let told = refused(&[&part("1/3")]);
    assert!(told.contains("2/3, 3/3 missing"), "{told}");
    let told = refused(&[&part("1/2"), &part("2/3")]);
    assert!(told.contains("2/3 is a part of 3, and 1/2 of 2"), "{told}");
    let told = refused(&[&part("1/1"), &part("2/2")]);
    assert!(
        told.contains("all parts must be of one partition"),
        "{told}"
    );
    let mut none = part("1/1");
    none.parts.clear();
    assert!(refused(&[&none]).contains("does not say what part"));
    assert!(refused(&[&part("3/2")]).contains("`3/2` is no part"));
}

#[test]
fn reports_of_other_versions_are_refused_by_their_number() {
    let mut old = report("1/1", vec![(0, killed())]);
    let text = |report: &MutationReport| serde_json::to_vec(report).expect("JSON");
    assert!(read("a", &text(&old)).is_ok());
    old.schema = "deltanet-check/mutation/2".into();
    let told = read("a", &text(&old)).expect_err("old").to_string();
    assert!(
        told.starts_with("a is a report of the format deltanet-check/mutation/2, and"),
        "{told}"
    );
    let told = read("a", b"{}").expect_err("none").to_string();
    assert!(told.starts_with("a is no report of `mutate`"), "{told}");
}

#[test]
fn a_campaign_that_was_interrupted_is_no_part() {
    let mut part = report("1/2", vec![(0, killed())]);
    (part.complete, part.drawn) = (false, 7);
    let bytes = serde_json::to_vec(&part).expect("JSON");
    let told = read("a", &bytes).expect_err("interrupted").to_string();
    assert_eq!(
        told,
        "a has 1 of 7 mutants: its campaign did not come to its end, run it again"
    );
}
