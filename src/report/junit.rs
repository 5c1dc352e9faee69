//! JUnit's XML: a suite for each phase, and a case for each trial.

use std::io;
use std::time::Duration;

use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite};

use crate::report::model::{FindingReport, PhaseReport, RunReport, TrialReport, Verdict};

use super::{failure, plain};

/// Returns the report as text that ends in a newline.
pub(super) fn render(report: &RunReport) -> io::Result<String> {
    let mut all = Report::new("deltanet-check");
    all.set_time(seconds(report.seconds));
    for phase in &report.phases {
        all.add_test_suite(suite(report, phase));
    }
    let mut text = all.to_string().map_err(io::Error::other)?;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

fn seconds(value: f64) -> Duration {
    Duration::try_from_secs_f64(value).unwrap_or_default()
}

fn suite(report: &RunReport, phase: &PhaseReport) -> TestSuite {
    let mut suite = TestSuite::new(format!("phase {}: {}", phase.number, phase.title));
    suite.set_time(seconds(
        phase.trials.iter().map(|trial| trial.seconds).sum(),
    ));
    let facts = [
        ("device", report.device.description.clone()),
        ("code_object", report.code_object.path.clone()),
        ("sha256", report.code_object.sha256.clone()),
        ("seed", report.seed.to_string()),
        ("complete", report.complete.to_string()),
    ];
    for (name, value) in facts {
        suite.add_property(Property::new(name, plain::line(&value)));
    }
    suite.add_test_cases(phase.trials.iter().map(case));
    suite
}

fn case(trial: &TrialReport) -> TestCase {
    let not = |kind| TestCaseStatus::non_success(kind);
    let mut status = match trial.verdict {
        Verdict::Pass => TestCaseStatus::success(),
        Verdict::Fail => not(NonSuccessKind::Failure),
        Verdict::Error => not(NonSuccessKind::Error),
        Verdict::Skip | Verdict::Unsupported => TestCaseStatus::skipped(),
    };
    if trial.verdict != Verdict::Pass {
        status.set_message(failure::headline(trial));
    }
    if trial.verdict.is_bad() {
        status.set_type(kind(trial));
        status.set_description(failure::text(trial));
    }
    let mut case = TestCase::new(trial.id.clone(), status);
    case.set_classname(format!("phase{}", trial.phase));
    case.set_time(seconds(trial.seconds));
    case.add_property(Property::new("shape", plain::line(&trial.shape)));
    case.add_property(Property::new("rerun", plain::line(&trial.rerun)));
    case
}

/// Returns the kind of a trial's problem, as the JSON report has it.
fn kind(trial: &TrialReport) -> String {
    let problems = trial.problem.iter();
    let mut problems = problems.chain(trial.outputs.iter().filter_map(|one| one.problem.as_ref()));
    let tagged = problems
        .next()
        .and_then(|problem| serde_json::to_value(problem).ok());
    let tagged = tagged
        .as_ref()
        .and_then(|value| value["kind"].as_str().map(str::to_owned));
    let error = trial
        .error_kind
        .and_then(|kind| serde_json::to_value(kind).ok());
    let error = error.and_then(|value| value.as_str().map(str::to_owned));
    let found = FindingReport::first_that_counts(&trial.findings);
    let found = found.map(|finding| finding.check.clone());
    error
        .or(tagged)
        .or(found)
        .unwrap_or_else(|| trial.verdict.word().to_lowercase())
}
