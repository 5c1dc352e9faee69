//! `self-test --bug`: the planted bugs of one name.

use serde_json::Value;

use crate::{run, scratch};

#[test]
fn one_planted_bug_runs() {
    let here = scratch("one-bug");
    let test = ["self-test", "--test", "transpose", "--format", "json"];
    let planted = |args: &[&str]| -> Vec<String> {
        let done = run(&here, &[&test[..], args].concat());
        assert_eq!((done.code, done.err.as_str()), (0, ""), "{}", done.out);
        let report: Value = serde_json::from_str(&done.out).expect("JSON");
        let bugs = report["tests"][0]["planted"].as_array().expect("bugs");
        bugs.iter()
            .map(|bug| bug["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    let all = planted(&[]);
    assert!(all.len() > 1, "{all:?}");
    for bug in &all {
        assert_eq!(planted(&["--bug", bug]), [bug.as_str()]);
    }
    let done = run(&here, &[&test[..], &["--bug", "no such bug"]].concat());
    assert_eq!((done.code, done.out.as_str()), (2, ""));
    assert_eq!(
        done.err,
        "error: no planted bug of the selected tests is `no such bug`: `self-test` without --bug names them\n"
    );
}
