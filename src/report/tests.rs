//! Golden tests of every format. `INSTA_UPDATE=always cargo test report` rewrites the goldens; read the difference.

pub mod fixtures;

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use super::*;
use crate::verdict::{ErrorKind, Problem, Verdict};

/// A stream that a test can read afterwards.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("not poisoned").clone()).expect("text")
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("not poisoned").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn tell(reporter: &mut dyn Reporter, report: &RunReport) -> io::Result<()> {
    reporter.event(Event::RunStarted(&fixtures::plan(report)))?;
    for trial in report.trials() {
        reporter.event(Event::TrialStarted(&trial.id))?;
        reporter.event(Event::TrialFinished(trial))?;
    }
    reporter.event(Event::RunFinished(report))
}

fn table(report: &RunReport, options: TableOptions) -> String {
    let stream = Shared::default();
    tell(&mut Table::new(stream.clone(), options), report).expect("written");
    stream.text()
}

/// A new version of the tool is no change of format.
fn without_version(text: &str) -> String {
    text.replace(env!("CARGO_PKG_VERSION"), "VERSION")
}

#[test]
fn table_of_a_run_that_passes() {
    insta::assert_snapshot!(without_version(&table(
        &fixtures::passing(),
        TableOptions::default()
    )));
}

#[test]
fn table_of_a_run_with_every_verdict_and_problem() {
    insta::assert_snapshot!(without_version(&table(
        &fixtures::mixed(),
        TableOptions::default()
    )));
}

#[test]
fn verbose_table() {
    let options = TableOptions {
        verbose: true,
        ..TableOptions::default()
    };
    insta::assert_snapshot!(without_version(&table(&fixtures::passing(), options)));
}

#[test]
fn verbose_table_of_a_card() {
    let options = TableOptions {
        verbose: true,
        ..TableOptions::default()
    };
    insta::assert_snapshot!(without_version(&table(&fixtures::on_a_card(), options)));
}

#[test]
fn colours_are_there_when_asked_for_and_change_nothing_else() {
    let plain = table(&fixtures::mixed(), TableOptions::default());
    let colored = table(
        &fixtures::mixed(),
        TableOptions {
            color: true,
            ..TableOptions::default()
        },
    );
    assert!(!plain.contains('\x1b'));
    let mut stripped = String::new();
    let mut rest = colored.as_str();
    while let Some((before, after)) = rest.split_once("\x1b[") {
        stripped.push_str(before);
        rest = after.split_once('m').expect("a colour ends with m").1;
    }
    stripped.push_str(rest);
    let words = |text: &str| {
        text.split_whitespace()
            .map(str::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(words(&stripped), words(&plain));
    assert!(colored.contains("\x1b[1;31mFAIL\x1b[0m"));
    // What was skipped has no row: a line for each reason.
    let rows = Verdict::ALL
        .into_iter()
        .filter(|verdict| *verdict != Verdict::Skip);
    for verdict in rows {
        let line = colored
            .lines()
            .find(|line| line.contains(verdict.word()))
            .expect("every verdict occurs");
        assert!(line.contains("\x1b["), "{line}");
    }
}

#[test]
fn no_row_hides_the_verdict_of_its_trial() {
    let mut report = fixtures::passing();
    for trial in report.phases.iter_mut().flat_map(|phase| &mut phase.trials) {
        trial.verdict = Verdict::Error;
    }
    let text = table(&report, TableOptions::default());
    for trial in report.trials() {
        let row = text
            .lines()
            .find(|line| line.contains(trial.id.split(':').next().unwrap_or("")))
            .expect("every trial has a row");
        assert!(row.starts_with("ERROR"), "{row}");
    }
}

#[test]
fn columns_of_all_phases_stand_in_line() {
    for report in [fixtures::passing(), fixtures::mixed(), fixtures::counted()] {
        let text = table(&report, TableOptions::default());
        let mut headers = text.lines().filter(|line| line.starts_with("status"));
        let first = headers.next().expect("there is a table");
        assert_eq!(headers.next(), Some(first));
    }
}

#[test]
fn tables_fit_a_hundred_and_twenty_columns() {
    let mut report = fixtures::passing();
    // The longest id and shape of the document, at the longest verdict.
    let trial = &mut report.phases[0].trials[0];
    trial.id = "solve_with_causal_identity".into();
    trial.shape = "S=128 C=64 T=256".into();
    trial.verdict = Verdict::Unsupported;
    let text = table(&report, TableOptions::default());
    let text = text.split("Not run").next().expect("the tables come first");
    assert!(text.contains("UNSUPPORTED  solve_with_causal_identity"));
    let widest = text
        .lines()
        .map(|line| line.chars().count())
        .max()
        .expect("there are lines");
    assert!(widest <= 120, "{widest} columns");
}

#[test]
fn table_of_a_run_with_counters() {
    let text = table(&fixtures::counted(), TableOptions::default());
    let counters = text.split("\nCounters\n").nth(1).expect("tables");
    insta::assert_snapshot!(counters.split("\ntime").next().expect("tables"));
}

#[test]
fn json_of_a_run_that_passes() {
    let text = render_json(&fixtures::passing()).expect("rendered");
    assert!(text.ends_with("}\n"));
    insta::assert_snapshot!(without_version(&text));
}

#[test]
fn json_of_a_run_with_every_verdict_and_problem() {
    let text = render_json(&fixtures::mixed()).expect("rendered");
    insta::assert_snapshot!(without_version(&text));
}

fn schema() -> serde_json::Value {
    serde_json::from_str(include_str!("../../schema/report-2.schema.json"))
        .expect("the schema is JSON")
}

fn json(report: &RunReport) -> serde_json::Value {
    serde_json::from_str(&render_json(report).expect("rendered")).expect("JSON")
}

#[test]
fn the_schema_is_one() {
    assert!(jsonschema::meta::is_valid(&schema()));
    assert_eq!(schema()["$id"], RunReport::SCHEMA);
}

#[test]
fn the_schema_has_every_kind_of_error() {
    let kinds = ErrorKind::ALL.map(|kind| serde_json::to_value(kind).expect("a word"));
    let schema = schema();
    let known = schema["$defs"]["error_kind"]["enum"].as_array();
    assert_eq!(known.map(Vec::as_slice), Some(&kinds[..]));
}

#[test]
fn reports_hold_to_the_schema() {
    let validator = jsonschema::draft202012::new(&schema()).expect("the schema is one");
    for report in [
        fixtures::passing(),
        fixtures::mixed(),
        fixtures::on_a_card(),
    ] {
        let errors: Vec<String> = validator
            .iter_errors(&json(&report))
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert_eq!(errors, [""; 0]);
    }
}

#[test]
fn the_schema_refuses_what_is_missing_foreign_or_of_another_version() {
    let validator = jsonschema::draft202012::new(&schema()).expect("the schema is one");
    let good = json(&fixtures::mixed());
    let refuses = |change: fn(&mut serde_json::Value)| {
        let mut bad = good.clone();
        change(&mut bad);
        assert_ne!(bad, good, "the change must change something");
        !validator.is_valid(&bad)
    };
    assert!(refuses(
        |report| report["schema"] = "deltanet-check/report/1".into()
    ));
    assert!(refuses(
        |report| report["phases"][0]["trials"][0]["verdict"] = "passed".into()
    ));
    assert!(refuses(
        |report| report["phases"][0]["trials"][0]["outputs"][0]["golden"]["max_abs"] = "nan".into()
    ));
    assert!(refuses(
        |report| report["phases"][0]["trials"][1]["outputs"][0]["problem"]["kind"] = "other".into()
    ));
    assert!(refuses(
        |report| report["code_object"]["sha256"] = "AB".into()
    ));
    assert!(refuses(|report| report["extra"] = 1.into()));
    assert!(refuses(|report| {
        let trial = &mut report["phases"][0]["trials"][0];
        trial.as_object_mut().expect("an object").remove("seed");
    }));
}

#[test]
fn the_mixed_run_has_every_verdict_and_every_problem() {
    let report = fixtures::mixed();
    for verdict in Verdict::ALL {
        assert!(report.totals.of(verdict) > 0, "{verdict:?}");
    }
    let problems = report.trials().flat_map(|trial| {
        trial
            .problem
            .iter()
            .chain(trial.outputs.iter().filter_map(|o| o.problem.as_ref()))
            .chain(trial.relations.iter().filter_map(|r| r.problem.as_ref()))
    });
    let mut kinds = [false; 8];
    for problem in problems {
        kinds[match problem {
            Problem::GuardOverwritten { .. } => 0,
            Problem::InputChanged { .. } => 1,
            Problem::PoisonLeft { .. } => 2,
            Problem::NonFinite { .. } => 3,
            Problem::Mismatch { .. } => 4,
            Problem::RelativeRms { .. } => 5,
            Problem::NotRepeatable { .. } => 6,
            Problem::RelationBroken { .. } => 7,
        }] = true;
    }
    assert_eq!(kinds, [true; 8]);
}

/// A stream that is gone, like a pipe whose reader has left.
struct Closed;

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Err(io::ErrorKind::BrokenPipe.into())
    }
}

#[test]
fn a_closed_pipe_costs_no_other_report() {
    let stream = Shared::default();
    let mut reporters = Reporters(vec![
        Box::new(Table::new(Closed, TableOptions::default())),
        Box::new(Json(stream.clone())),
    ]);
    let report = fixtures::passing();
    let plan = fixtures::plan(&report);
    assert!(reporters.event(Event::RunStarted(&plan)).is_err());
    let error = reporters
        .event(Event::RunFinished(&report))
        .expect_err("the pipe is closed");
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    assert_eq!(stream.text(), render_json(&report).expect("rendered"));
}

#[test]
fn the_report_file_appears_when_the_run_is_over() {
    let path =
        std::env::temp_dir().join(format!("deltanet-check-report-{}.json", std::process::id()));
    let report = fixtures::passing();
    let mut reporter = JsonFile(path.clone());
    reporter
        .event(Event::RunStarted(&fixtures::plan(&report)))
        .expect("nothing to write");
    assert!(!path.exists());
    reporter
        .event(Event::RunFinished(&report))
        .expect("written");
    let text = std::fs::read_to_string(&path).expect("readable");
    std::fs::remove_file(&path).expect("removed");
    assert_eq!(text, render_json(&report).expect("rendered"));
}
