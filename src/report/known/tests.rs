use serde_json::json;

use super::*;

fn known(text: &str) -> KnownFailures {
    KnownFailures::parse("known.toml".into(), format!("schema = 1\n{text}"))
        .unwrap_or_else(|error| panic!("{error}"))
}

fn hold(known: &KnownFailures, trials: &[Value]) -> (usize, Vec<String>) {
    let trials = trials.iter().map(|value| Trial {
        id: value["id"].as_str().expect("an id"),
        verdict: verdict(value).expect("a verdict"),
        value,
    });
    let outcome = known.hold(trials);
    assert_eq!(outcome.known, outcome.lines.len());
    (outcome.known, outcome.stale)
}

fn trial(id: &str, outputs: &[(&str, &str)]) -> Value {
    let bad = outputs.iter().any(|(_, verdict)| *verdict != "pass");
    let outputs = outputs.iter();
    let outputs: Vec<Value> = outputs
        .map(|(name, verdict)| json!({ "name": name, "verdict": verdict }))
        .collect();
    json!({ "id": id, "verdict": if bad { "fail" } else { "pass" }, "problem": null, "error": null, "outputs": outputs })
}

#[test]
fn all_that_is_wrong_must_be_known() {
    let known = known("[[known]]\ntest = \"mul\"\noutput = \"out\"\nreason = \"r\"\n");
    let wrong = trial("mul:n=3", &[("out", "fail"), ("ht", "pass")]);
    assert_eq!(hold(&known, std::slice::from_ref(&wrong)), (1, vec![]));
    let more = trial("mul:n=3", &[("out", "fail"), ("ht", "fail")]);
    assert_eq!(hold(&known, &[more]), (0, vec![]));
    for (key, value) in [
        ("problem", json!({ "kind": "guard" })),
        ("error", json!("trap")),
        ("findings", json!([{}])),
        ("relations", json!([{ "verdict": "fail" }])),
    ] {
        let mut worse = wrong.clone();
        worse[key] = value;
        assert_eq!(hold(&known, &[worse]), (0, vec![]), "{key}");
    }
    let trap = json!({ "id": "mul", "verdict": "error", "error": "trap", "outputs": [] });
    assert_eq!(hold(&known, std::slice::from_ref(&trap)), (0, vec![]));
    assert_eq!(
        hold(
            &self::known("[[known]]\ntest = \"m*\"\nreason = \"r\"\n"),
            &[trap]
        ),
        (1, vec![])
    );
    assert_eq!(
        hold(&known, &[trial("multiply", &[("out", "fail")])]),
        (0, vec![])
    );
}

#[test]
fn what_does_not_fail_any_more_is_stale() {
    let both = known(
        "[[known]]\ntest = \"mul\"\nreason = \"all\"\n[[known]]\ntest = \"add:n=*\"\noutput = \"o*\"\nreason = \"some\"\n",
    );
    let trials = [
        trial("mul", &[("out", "pass")]),
        trial("add:n=3", &[("out", "pass"), ("ht", "fail")]),
        trial("add:n=4", &[("ht", "fail")]),
        trial("add:n=5", &[("out", "fail")]),
        json!({ "id": "add:n=6", "verdict": "skip", "error": "no kernel", "outputs": [] }),
    ];
    let (known, stale) = hold(&both, &trials);
    assert_eq!(known, 1);
    assert_eq!(
        stale,
        [
            "error: known.toml:3: known failure `mul` is stale: the test passes; remove it (all)",
            "error: known.toml:6: known failure `add:n=3` is stale: output `o*` passes; remove it (some)",
            "error: known.toml:6: known failure `add:n=4` is stale: the test has no output `o*`; remove it (some)",
        ]
    );
}

#[test]
fn what_is_wrong_in_the_file_is_told_with_its_place() {
    for (text, said) in [
        ("", "has no `schema`"),
        ("schema = 2", "has schema 2"),
        ("schema = 1\nknow = []", "did you mean `known`?"),
        ("schema = 1\n[[known]]\ntest = \"a\"", "has no `reason`"),
        ("schema = 1\n[[known]]\nreason = \"a\"", "has no `test`"),
        (
            "schema = 1\n[[known]]\ntest = \"a[\"\nreason = \"b\"",
            "not a glob",
        ),
        (
            "schema = 1\n[[known]]\ntest = \"a\"\noutput = 3\nreason = \"b\"",
            "expected a text",
        ),
        (
            "schema = 1\n[[known]]\ntest = \"a\"\nreason = \"\"",
            "this text is empty",
        ),
        ("schema = ", "not TOML"),
    ] {
        let error = KnownFailures::parse("known.toml".into(), text.into())
            .err()
            .expect(text)
            .to_string();
        assert!(
            error.contains(said) && error.contains("known.toml:"),
            "{error}"
        );
    }
    let misspelled = known("[[known]]\ntest = \"sigmiod\"\nreason = \"r\"\n");
    let error = misspelled
        .check(&["sigmoid", "mul"])
        .expect_err("no such test")
        .to_string();
    assert!(error.contains("did you mean `sigmoid`?"), "{error}");
    assert!(misspelled.check(&["sigmiod:n=3"]).is_ok());
}
