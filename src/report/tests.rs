//! Golden tests of every format. `INSTA_UPDATE=always cargo test --workspace --lib report` rewrites the goldens; read the difference.

pub mod fixtures;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest as _, Sha256};
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use super::*;
use crate::report::model::{ErrorKind, Problem, Verdict};

/// A stream that a test can read afterwards.
#[derive(Clone, Default)]
struct SharedStream(Arc<Mutex<Vec<u8>>>);

impl SharedStream {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("not poisoned").clone()).expect("text")
    }
}

impl Write for SharedStream {
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
    let stream = SharedStream::default();
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
            look: Look {
                color: true,
                ..Look::default()
            },
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
    // Skipped cases have no row, but a line for each reason.
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
    serde_json::from_str(include_str!("../../schema/report-1.schema.json"))
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
        fixtures::plan(&fixtures::mixed()).nothing_yet(),
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
        |report| report["schema"] = "deltanet-check/report/2".into()
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

/// A stream that has been closed, like a pipe whose reader has left.
struct ClosedStream;

impl Write for ClosedStream {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Err(io::ErrorKind::BrokenPipe.into())
    }
}

#[test]
fn a_closed_pipe_costs_no_other_report() {
    let stream = SharedStream::default();
    let mut reporters = Reporters(vec![
        Box::new(Table::new(ClosedStream, TableOptions::default())),
        Box::new(Stream(stream.clone(), Format::Json)),
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

/// A report that cannot be written is an error before anything runs. A report that is written can be read at any moment.
#[test]
fn the_report_file_is_there_from_the_start_and_grows() {
    let path =
        std::env::temp_dir().join(format!("deltanet-check-report-{}.json", std::process::id()));
    let report = fixtures::passing();
    let mut file = ReportFile::new(path.clone(), Format::Json);
    let mut written = |event: Event<'_>| -> serde_json::Value {
        file.event(event).expect("written");
        serde_json::from_slice(&std::fs::read(&path).expect("readable")).expect("JSON")
    };
    let first = written(Event::RunStarted(&fixtures::plan(&report)));
    assert_eq!(first["complete"], false);
    assert_eq!(
        (&first["selected"], &first["phases"]),
        (&6.into(), &serde_json::json!([]))
    );
    let mut half = report.clone();
    half.complete = false;
    half.phases.truncate(1);
    let stands = written(Event::RunStands(&half));
    assert_eq!(stands, first, "not as often as one likes");
    // How soon depends on how long it took to write.
    let mut again = 0..600;
    let stands = loop {
        std::thread::sleep(std::time::Duration::from_millis(100));
        let stands = written(Event::RunStands(&half));
        if stands != first || again.next().is_none() {
            break stands;
        }
    };
    assert_eq!(
        (
            &stands["complete"],
            stands["phases"].as_array().map(Vec::len)
        ),
        (&false.into(), Some(1))
    );
    assert_eq!(written(Event::RunFinished(&report)), json(&report));
    std::fs::remove_file(&path).expect("removed");
    let mut nowhere = ReportFile::new("no/such/dir/report.json".into(), Format::Json);
    let error = nowhere.event(Event::RunStarted(&fixtures::plan(&report)));
    assert!(
        error
            .expect_err("refused")
            .to_string()
            .starts_with("cannot write ")
    );
}

#[test]
fn junit_of_a_run_with_every_verdict_and_problem() {
    let text = Format::Junit.render(&fixtures::mixed()).expect("rendered");
    assert!(!text.contains('\u{1b}'), "XML has no control characters");
    insta::assert_snapshot!(without_version(&text));
}

#[test]
fn markdown_of_a_run_with_every_verdict_and_problem() {
    let text = Format::Markdown
        .render(&fixtures::mixed())
        .expect("rendered");
    insta::assert_snapshot!(without_version(&text));
}

#[test]
fn annotations_of_a_run_with_every_verdict_and_problem() {
    insta::assert_snapshot!(annotations(&fixtures::mixed()));
}

#[test]
fn html_of_a_run_with_every_verdict_and_problem() {
    let text = Format::Html.render(&fixtures::mixed()).expect("rendered");
    assert!(!text.contains("://"), "nothing is loaded from elsewhere");
    // The policy of the page names its script by what it is.
    let (_, script) = text.split_once("<script>").expect("a script");
    let (script, _) = script.split_once("</script>").expect("its end");
    let hash = BASE64_STANDARD.encode(Sha256::digest(script));
    assert!(text.contains(&format!("script-src 'sha256-{hash}'\"")));
    insta::assert_snapshot!(without_version(&text));
}

#[test]
fn lines_of_json_of_a_run() {
    let stream = SharedStream::default();
    let report = fixtures::passing();
    tell(&mut JsonLines(stream.clone()), &report).expect("written");
    let text = stream.text();
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let events: Vec<&str> = lines
        .iter()
        .filter_map(|line| line["event"].as_str())
        .collect();
    assert_eq!(
        events,
        [
            "started", "trial", "trial", "trial", "trial", "trial", "trial", "finished"
        ]
    );
    let trials: Vec<&serde_json::Value> =
        lines.iter().filter_map(|line| line.get("trial")).collect();
    let whole = json(&report);
    let phases = whole["phases"].as_array().expect("phases").iter();
    let listed: Vec<&serde_json::Value> = phases
        .flat_map(|phase| phase["trials"].as_array().expect("trials"))
        .collect();
    assert_eq!(trials, listed);
    insta::assert_snapshot!(without_version(&text));
}

/// Tables and failures of every fixture fit the widths that terminals have.
#[test]
fn tables_and_failures_fit_a_terminal() {
    for width in [80, 100, 120] {
        for report in [
            fixtures::passing(),
            fixtures::mixed(),
            fixtures::counted(),
            fixtures::on_a_card(),
        ] {
            for (verbose, brief) in [(false, false), (false, true), (true, false)] {
                let look = Look {
                    width: Some(width),
                    ..Look::default()
                };
                let options = TableOptions {
                    look,
                    verbose,
                    brief,
                    live: true,
                    ..TableOptions::default()
                };
                let text = table(&report, options);
                for line in text.lines() {
                    let columns = textwrap::core::display_width(line);
                    assert!(columns <= width, "{columns} of {width} columns: {line}");
                }
            }
        }
    }
}

#[test]
fn a_run_of_everything_at_80_columns() {
    let look = Look {
        width: Some(80),
        blocks: true,
        ..Look::default()
    };
    let mut report = fixtures::mixed();
    report.phases[0].trials.truncate(3);
    report
        .phases
        .extend(fixtures::passing().phases.into_iter().take(1));
    let whole = (report.environment, report.device, report.code_object);
    let report = RunReport::new(whole, report.seed, report.phases, report.seconds);
    let options = TableOptions {
        look,
        brief: true,
        live: true,
        ..TableOptions::default()
    };
    insta::assert_snapshot!(without_version(&table(&report, options)));
}

/// Returns a run of one mistake in many cases: two outputs are wrong, one case has a diagnosis.
fn of_one_mistake(cases: usize) -> RunReport {
    let mixed = fixtures::mixed();
    let wrong = mixed.trials().find(|trial| trial.id == "deltanet_full");
    let wrong = wrong.expect("a trial of two outputs");
    let diagnosed = mixed.trials().find(|trial| trial.diagnosis.is_some());
    let diagnosis = diagnosed.and_then(|trial| trial.diagnosis.clone());
    let mut report = mixed.clone();
    report.phases.truncate(1);
    report.phases[0].trials = (0..cases)
        .map(|case| {
            let mut trial = wrong.clone();
            trial.id = format!("deltanet_full:T={case}");
            trial.diagnosis = diagnosis.clone().filter(|_| case == 2);
            trial
        })
        .collect();
    let about = (report.environment, report.device, report.code_object);
    RunReport::new(about, report.seed, report.phases, report.seconds)
}

#[test]
fn a_mistake_of_many_cases_is_told_once() {
    let report = of_one_mistake(34);
    let options = |verbose, width| TableOptions {
        look: Look {
            width,
            ..Look::default()
        },
        verbose,
        live: true,
        ..TableOptions::default()
    };
    let none = {
        let mut report = of_one_mistake(1);
        report.phases[0].trials[0].verdict = Verdict::Pass;
        report.phases[0].trials[0].outputs.truncate(1);
        table(&report, options(false, None)).lines().count()
    };
    for width in [None, Some(80), Some(120)] {
        let text = table(&report, options(false, width));
        let about = text.lines().count() - none;
        assert!(about <= 40, "{about} lines about one cause:\n{text}");
    }
    let text = table(&report, options(false, None));
    insta::assert_snapshot!(without_version(&text));
    let whole = table(&report, options(true, None));
    for trial in report.trials() {
        assert!(whole.contains(&trial.id), "-v tells all: {}", trial.id);
    }
    assert_eq!(whole.matches("\n  rerun ").count(), 35);
}

#[test]
fn annotations_and_markdown_tell_a_mistake_of_many_cases_once() {
    let report = of_one_mistake(34);
    insta::assert_snapshot!(annotations(&report));
    let text = Format::Markdown.render(&report).expect("rendered");
    assert_eq!(text.matches("<details>").count(), 1, "{text}");
    assert!(text.contains("(and 33 more cases)"), "{text}");
}

/// Failures of other contracts, other places or other causes are no group.
#[test]
fn groups_have_one_contract_one_place_and_one_cause() {
    let count = |change: fn(&mut model::TrialReport)| {
        let mut report = of_one_mistake(4);
        change(&mut report.phases[0].trials[3]);
        let groups = groups::groups(report.trials());
        groups.iter().map(groups::Group::count).collect::<Vec<_>>()
    };
    assert_eq!(count(|_| ()), [4]);
    assert_eq!(count(|trial| trial.contract = "other".into()), [3, 1]);
    assert_eq!(count(|trial| trial.verdict = Verdict::Error), [3, 1]);
    assert_eq!(
        count(|trial| trial.outputs[1].name = "other".into()),
        [3, 1]
    );
    // A diagnosis of its own parts a case from its group, and joins it with the cases of the same cause.
    let cause = |trial: &mut model::TrialReport, kind: &str| {
        let causes = vec![model::CauseReport {
            kind: kind.into(),
            output: None,
            tensor: None,
            kernel: None,
            text: "a cause".into(),
            explains: None,
        }];
        trial.diagnosis = Some(model::DiagnosisReport {
            causes,
            ..model::DiagnosisReport::default()
        });
    };
    let mut report = of_one_mistake(4);
    let trials = &mut report.phases[0].trials;
    cause(&mut trials[2], "scale");
    cause(&mut trials[3], "sign");
    let told = |report: &RunReport| {
        let groups = groups::groups(report.trials());
        let groups = groups
            .iter()
            .map(|group| (group.first.id.clone(), group.count()));
        groups.collect::<Vec<_>>()
    };
    let id = |case: usize| format!("deltanet_full:T={case}");
    assert_eq!(told(&report), [(id(2), 3), (id(3), 1)]);
    cause(&mut report.phases[0].trials[3], "scale");
    report.phases[0].trials[3].outputs[1].name = "other".into();
    assert_eq!(told(&report), [(id(2), 4)]);
}

/// A case without a diagnosis joins a diagnosed one with the same wrong output, also where no cause was found. The diagnosed case is told.
#[test]
fn cases_that_are_not_diagnosed_join_the_diagnosed_one() {
    let mut report = of_one_mistake(4);
    let trials = &mut report.phases[0].trials;
    for output in &mut trials[0].outputs {
        if let Some(model::Problem::Mismatch {
            pattern,
            hypotheses,
            ..
        }) = &mut output.problem
        {
            *pattern = Some("channel 3 only".into());
            hypotheses.clear();
        }
    }
    for cut_short in [false, true] {
        let trials = &mut report.phases[0].trials;
        trials[2].diagnosis = Some(model::DiagnosisReport {
            launches: 1,
            cut_short,
            ..model::DiagnosisReport::default()
        });
        let groups = groups::groups(report.trials());
        let [group] = groups.as_slice() else {
            panic!("{} groups", groups.len());
        };
        assert_eq!(
            (group.count(), group.first.id.as_str()),
            (4, "deltanet_full:T=2")
        );
        let why = match cut_short {
            true => {
                "not found in 1 launch with changed inputs: the case is too long for all experiments"
            }
            false => "not found in 1 launch with changed inputs",
        };
        assert_eq!(failure::reasons(group.first), [why]);
    }
    // Elements that nobody wrote are another failure.
    for output in &mut report.phases[0].trials[0].outputs {
        if let Some(model::Problem::Mismatch { unwritten, .. }) = &mut output.problem {
            *unwritten = vec![model::UnwrittenSource {
                what: model::UnwrittenStorage::Lds,
                count: 1,
            }];
        }
    }
    assert_eq!(groups::groups(report.trials()).len(), 2);
}

/// An error without a cause that is hardly larger than allowed may be that of a right kernel.
#[test]
fn a_tolerance_may_be_too_tight_only_if_all_errors_are_small() {
    let tells_beside = |far_elsewhere: bool, used: [f64; 2], rms_allowed: Option<f64>| {
        let mut report = of_one_mistake(1);
        let trial = &mut report.phases[0].trials[0];
        trial.diagnosis = Some(model::DiagnosisReport {
            launches: 1,
            far_elsewhere,
            ..model::DiagnosisReport::default()
        });
        for (output, used) in trial.outputs.iter_mut().zip(used) {
            for metrics in [&mut output.golden, &mut output.oracle] {
                metrics.used = used;
                metrics.relative_rms = 1e-6;
                metrics.rms_allowed = rms_allowed;
            }
        }
        failure::reasons(trial)[0].contains("may be too tight")
    };
    let tells = |used, rms_allowed| tells_beside(false, used, rms_allowed);
    assert!(tells([0.5, 2.0], None));
    assert!(!tells_beside(true, [0.5, 2.0], None));
    assert!(tells([0.5, 0.5], Some(2.5e-7)));
    assert!(!tells([0.5, 9.0], None));
    assert!(!tells([2.0, f64::NAN], None));
    assert!(!tells([2.0, 2.0], Some(1e-7)));
}
