//! The outputs of commands match the schemas in `schema/`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};

use jsonschema::Validator;
use serde_json::Value;

use crate::soak::WRONG;
use crate::{run, scratch};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");

/// The formats of files that have a schema, by the names of the schemas.
const FORMATS: [&str; 9] = [
    "compare-1",
    "explain-1",
    "hip-1",
    "lint-1",
    "mutation-1",
    "profile-2",
    "report-1",
    "self-test-1",
    "soak-1",
];

fn schema(format: &str) -> Value {
    let root = env!("CARGO_MANIFEST_DIR");
    let path = format!("{root}/schema/{format}.schema.json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).expect("JSON")
}

/// Schemas by their formats. Each schema is compiled once.
static VALIDATORS: LazyLock<Mutex<BTreeMap<String, Arc<Validator>>>> =
    LazyLock::new(Mutex::default);

fn validator(format: &str) -> Arc<Validator> {
    let mut known = VALIDATORS.lock().expect("nobody panics here");
    let made = || {
        let made = jsonschema::draft202012::new(&schema(format));
        Arc::new(made.expect("the schema is one"))
    };
    Arc::clone(known.entry(format.to_owned()).or_insert_with(made))
}

/// Returns the format that a report names.
fn format(report: &Value) -> String {
    let name = report["schema"].as_str().expect("a schema");
    let format = name.strip_prefix("deltanet-check/").expect("one of ours");
    format.replace('/', "-")
}

fn errors(format: &str, report: &Value) -> Vec<String> {
    let validator = validator(format);
    let errors = validator.iter_errors(report);
    errors
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

/// Checks a report against the schema of its version.
pub(crate) fn validate(report: &Value) {
    assert_eq!(errors(&format(report), report), [""; 0]);
}

/// Reads the report in a file and checks it against its schema.
pub(crate) fn valid_file(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).expect("it is there");
    valid(&text)
}

fn valid(text: &str) -> Value {
    let report: Value = serde_json::from_str(text).unwrap_or_else(|error| {
        panic!("torn: {error}: {text}");
    });
    validate(&report);
    report
}

#[test]
fn each_schema_is_one_and_is_called_what_it_is_of() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema");
    let names = std::fs::read_dir(root).expect("a directory").map(|entry| {
        let name = entry.expect("an entry").file_name();
        let name = name.into_string().expect("UTF-8");
        name.replace(".schema.json", "")
    });
    let names: BTreeSet<String> = names.collect();
    assert_eq!(names, FORMATS.map(String::from).into());
    for format in FORMATS {
        let schema = schema(format);
        assert!(jsonschema::meta::is_valid(&schema), "{format}");
        let name = format!("deltanet-check/{}", format.replace('-', "/"));
        let name = name.replace("self/test", "self-test");
        assert_eq!(schema["$id"], name);
        let (_, version) = name.rsplit_once('/').expect("a version");
        let title = schema["title"].as_str().expect("a title");
        let ending = format!(", version {version}");
        assert!(
            title.starts_with("deltanet-check ") && title.ends_with(&ending),
            "{format}: {title}"
        );
        let description = schema["description"].as_str().expect("a description");
        assert!(
            description.contains(&format!("Within version {version} ")),
            "{format}: {description}"
        );
        assert_eq!(schema["properties"]["schema"]["const"], name);
        // The schema describes every field, and allows no other.
        let required = schema["required"].as_array().expect("a list").len();
        assert!(
            required > 1 && schema["additionalProperties"] == false,
            "{format}"
        );
    }
}

/// A schema needs no other file, and says of the same things the same.
#[test]
fn what_two_formats_share_they_say_alike() {
    let (profile, schema_of_runs) = (schema("profile-2"), schema("report-1"));
    for (format, whole) in [
        ("soak-1", schema("report-1")),
        ("compare-1", schema("report-1")),
        ("hip-1", profile.clone()),
    ] {
        let schema = schema(format);
        let definitions = schema["$defs"].as_object().expect("definitions");
        for (name, definition) in definitions.iter().filter(|(name, _)| *name != "profile") {
            let of_runs = &schema_of_runs["$defs"][name];
            let whole = if name == "counters" {
                of_runs
            } else {
                &whole["$defs"][name]
            };
            assert_eq!(definition, whole, "{format}: {name}");
        }
    }
    let embedded = &schema("hip-1")["$defs"]["profile"];
    for (key, value) in embedded.as_object().expect("an object") {
        assert_eq!(value, &profile[key], "{key}");
    }
}

/// The schema asks for everything that is at the top of a report, and takes nothing else.
pub(crate) fn strict(report: &Value) {
    let format = format(report);
    let refuses = |changed: &Value| !validator(&format).is_valid(changed);
    for key in report.as_object().expect("an object").keys() {
        let mut less = report.clone();
        less.as_object_mut().expect("an object").remove(key);
        assert!(refuses(&less), "{format} without {key}");
    }
    let mut more = report.clone();
    more["extra"] = 1.into();
    assert!(refuses(&more), "{format} with more");
    let mut other = report.clone();
    other["schema"] = format!("deltanet-check/{format}0").into();
    assert!(refuses(&other), "{format} of another version");
}

#[test]
fn a_profile_is_what_its_schema_says() {
    let here = scratch("schema-profile");
    let args = [
        "profile",
        "--test",
        "gemm_nn,solve_tri_small",
        "--report",
        "p.json",
    ];
    let done = run(&here, &args);
    assert_eq!(done.code, 0, "{}", done.err);
    let report = valid_file(&here.join("p.json"));
    assert_eq!(report["complete"], true);
    assert_eq!(
        report["profiles"].as_array().map(Vec::len),
        report["selected"].as_u64().map(|count| count as usize)
    );
    strict(&report);
    // One case passes and one does not.
    std::fs::write(here.join("wrong.toml"), WRONG).expect("written");
    let args = [
        "profile",
        "--bind",
        "wrong.toml",
        "--test",
        "mul,add:n=1000",
    ];
    let args = [&args[..], &["--report", "f.json"]].concat();
    let done = run(&here, &args);
    assert_eq!(done.code, 1, "{}", done.err);
    let report = valid_file(&here.join("f.json"));
    assert_eq!(report["complete"], true);
    let counts = ["profiles", "failed"].map(|list| report[list].as_array().map(Vec::len));
    assert!(counts[0] >= Some(1) && counts[1] == Some(1), "{counts:?}");
    assert_eq!(report["failed"][0]["id"], "mul");
}

#[test]
fn a_campaign_is_what_its_schema_says() {
    let here = scratch("schema-mutation");
    let kernels = [
        "--kernels",
        &format!("{DATA}/lines.co"),
        "--bind",
        &format!("{DATA}/lines.toml"),
    ]
    .map(String::from);
    let own = |more: &[&str]| {
        // One case alone misses something.
        let mut args = ["mutate", "--test", "neg:n=1"].map(String::from).to_vec();
        args.extend(kernels.iter().cloned());
        args.extend(more.iter().map(ToString::to_string));
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let done = run(&here, &args);
        assert_eq!(done.code, 0, "{}", done.err);
        valid(&done.out)
    };
    let all = own(&["--per-kernel", "0", "--format", "json"]);
    strict(&all);
    let mutants = all["mutants"].as_array().expect("a list");
    assert_eq!(all["drawn"], mutants.len());
    let mut outcomes: BTreeSet<String> = BTreeSet::new();
    let mut note = |report: &Value| {
        let mutants = report["mutants"].as_array().expect("a list").iter();
        outcomes.extend(mutants.map(|one| one["outcome"].as_str().expect("a word").to_owned()));
    };
    note(&all);
    for (part, file) in [("1/2", "1.json"), ("2/2", "2.json")] {
        own(&["--partition", part, "--format", "json", "--report", file]);
        assert_eq!(valid_file(&here.join(file))["parts"][0], part);
    }
    let merged = [
        "mutate", "--merge", "1.json", "2.json", "--report", "all.json",
    ];
    let done = run(&here, &merged);
    assert_eq!(done.code, 0, "{}", done.err);
    let merged = valid_file(&here.join("all.json"));
    assert_eq!(
        merged["drawn"],
        merged["mutants"].as_array().expect("a list").len()
    );
    // An exponential leaves what moves its last places.
    let args = ["mutate", "--test", "exp", "--per-kernel", "0"];
    let done = run(&here, &[&args[..], &["--format", "json"]].concat());
    note(&valid(&done.out));
    let known = [
        "equivalent",
        "killed",
        "missed",
        "not-infected",
        "not-judged",
        "within-tolerance",
    ];
    assert_eq!(outcomes, known.map(String::from).into());
}

#[test]
fn many_seeds_and_a_self_test_are_what_their_schemas_say() {
    let here = scratch("schema-soak");
    std::fs::write(here.join("wrong.toml"), WRONG).expect("written");
    let seeds = [
        "--seeds",
        "2",
        "--test",
        "mul,add",
        "--bind",
        "wrong.toml",
        "--report",
        "s.json",
    ];
    let done = run(&here, &seeds);
    assert_eq!(done.code, 1, "{}", done.err);
    let report = valid_file(&here.join("s.json"));
    strict(&report);
    let failure = &report["failures"][0];
    assert!(
        failure["outputs"][0]["damage"]["map"].is_object(),
        "{failure}"
    );
    // The run has a broken law, counters, and tests without a kernel.
    let more = [
        "--relations",
        "--require-all",
        "--sanitize",
        "--format",
        "json",
    ];
    let more = run(&here, &[&seeds[..6], &more].concat());
    assert_eq!(more.code, 1, "{}", more.err);
    assert!(valid(&more.out)["failures"].as_array().map(Vec::len) >= Some(2));
    let soak = [
        "soak",
        "--minutes",
        "1e-9",
        "--test",
        "mul",
        "--report",
        "o.json",
    ];
    assert_eq!(run(&here, &soak).code, 0);
    valid_file(&here.join("o.json"));

    let own = [
        "self-test",
        "--test",
        "mul,gemm_nt_tiled",
        "--report",
        "t.json",
    ];
    let done = run(&here, &own);
    assert_eq!(done.code, 0, "{}", done.err);
    strict(&valid_file(&here.join("t.json")));
    // The kernels as they are do not pass, either.
    let own = [&own[..3], &["--bind", "wrong.toml", "--report", "w.json"]].concat();
    assert_eq!(run(&here, &own).code, 1);
    let report = valid_file(&here.join("w.json"));
    assert!(
        report["complaints"]
            .as_array()
            .is_some_and(|list| !list.is_empty())
    );
}

#[test]
fn a_comparison_and_lint_are_what_their_schemas_say() {
    let here = scratch("schema-compare");
    std::fs::write(here.join("wrong.toml"), WRONG).expect("written");
    let files: [(&str, &[&str]); 2] = [
        ("old.json", &["--test", "mul,add"]),
        ("new.json", &["--test", "mul,neg", "--bind", "wrong.toml"]),
    ];
    for (name, args) in files {
        run(&here, &[args, &["--report", name]].concat());
        strict(&valid_file(&here.join(name)));
    }
    let args = [
        "compare",
        "old.json",
        "new.json",
        "--fail-if",
        "instructions > -50%",
        "--format",
        "json",
    ];
    let done = run(&here, &args);
    assert_eq!(done.code, 1, "{}", done.err);
    let report = valid(&done.out);
    strict(&report);
    for list in ["verdicts", "missing", "added", "metrics", "held"] {
        let found = report["comparison"][list].as_array();
        assert!(
            found.is_some_and(|list| !list.is_empty()),
            "{list}: {report}"
        );
    }
    for name in ["lint.co", "lines.co"] {
        let done = run(Path::new(DATA), &["lint", name, "--format", "json"]);
        let report = valid(&done.out);
        strict(&report);
        let found = report["findings"].as_array().map_or(0, Vec::len);
        assert_eq!(done.code, i32::from(found > 0), "{name}");
    }
}
