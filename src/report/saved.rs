//! The reports of runs, read back from files.

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value;

use super::saved_profile;
use crate::files::{self, FileError};
use crate::report::model::{RunReport, Totals, Verdict};
use crate::text::{escaped, shown};

/// The largest report that is read. A report of all tests with counters has 15 MB.
const MAX_REPORT: u64 = 1 << 30;
/// The beginning of the format's name in all versions.
const FORMAT: &str = "deltanet-check/report/";

/// The report of a complete run.
#[derive(Clone, Debug)]
pub struct Report {
    /// The report's file, as messages name it.
    pub name: String,
    /// The JSON of the report.
    pub value: Value,
}

/// A reason why a file is not a usable report.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReportError {
    #[error("it has no schema: name a file that --report wrote")]
    NoSchema,
    #[error("its schema is `{0}`, which is no report of a run: name a file that --report wrote")]
    OtherSchema(String),
    #[error("its format is {found}, this program reads {read}: make the report again")]
    OtherVersion { found: String, read: &'static str },
    #[error("its run did not come to its end: run the tests again")]
    RunCutShort,
    #[error("damaged: {0}; run the tests again")]
    Damaged(Damage),
    #[error("it has no profiles: compare what `profile --report FILE.json` wrote")]
    NoProfiles,
    #[error("it did not come to its end: profile again")]
    ProfileCutShort,
    #[error("a profile has no id")]
    ProfileWithoutId,
}

/// A contradiction in the report of a run.
#[derive(Debug, thiserror::Error)]
pub(super) enum Damage {
    #[error("it has no seed")]
    NoSeed,
    #[error("it has no phases")]
    NoPhases,
    #[error("a phase has no number or no trials")]
    Phase,
    #[error("a trial of phase {phase} has no id or no verdict")]
    Trial { phase: u64 },
    #[error("its totals say {said} of {name}, its trials {have}")]
    Totals {
        said: String,
        name: String,
        have: usize,
    },
}

impl ReportError {
    /// Makes the error for a version of a format that this program does not read.
    pub(super) fn version(schema: &str, read: &'static str) -> ReportError {
        let found = escaped(schema);
        ReportError::OtherVersion { found, read }
    }

    /// Makes the error of the command, with the report's name.
    fn with_name(self, name: &str) -> FileError {
        FileError::Unusable(format!("report {name}: {self}"))
    }
}

/// A trial of a report.
#[derive(Clone, Copy, Debug)]
pub struct Trial<'a> {
    /// The id that `--test` takes.
    pub id: &'a str,
    /// The trial's verdict.
    pub verdict: Verdict,
    /// The JSON of the trial.
    pub value: &'a Value,
}

impl Report {
    /// Reads the report of a run.
    ///
    /// # Errors
    /// The file cannot be read, is not a report, or is the report of a run that did not end.
    pub fn read(path: &Path) -> Result<Report, FileError> {
        let bytes = read(path)?;
        Report::parse(&shown(path), &bytes)
    }

    /// Reads the report of a run or of `profile`. Each case of a profile is a trial that passed.
    ///
    /// # Errors
    /// The file cannot be read, is neither, or is the report of a run that did not end.
    pub fn read_any(path: &Path) -> Result<Report, FileError> {
        let bytes = read(path)?;
        Report::parse_any(&shown(path), &bytes)
    }

    fn parse_any(name: &str, bytes: &[u8]) -> Result<Report, FileError> {
        let value = json(name, bytes)?;
        if !saved_profile::is_one(&value) {
            return Report::of(name, value);
        }
        let value = saved_profile::as_report(&value).map_err(|error| error.with_name(name))?;
        Ok(Report {
            name: name.into(),
            value,
        })
    }

    fn parse(name: &str, bytes: &[u8]) -> Result<Report, FileError> {
        Report::of(name, json(name, bytes)?)
    }

    /// Returns true if the report is one of `profile`.
    pub fn is_profile(&self) -> bool {
        saved_profile::is_one(&self.value)
    }

    fn of(name: &str, value: Value) -> Result<Report, FileError> {
        check(&value).map_err(|error| error.with_name(name))?;
        Ok(Report {
            name: name.into(),
            value,
        })
    }

    /// Adds to each launch the resources of its kernel, if the report has them.
    #[must_use]
    pub fn with_resources(mut self) -> Report {
        let kernels = self
            .at("/environment/kernels")
            .as_array()
            .cloned()
            .unwrap_or_default();
        let kernels: HashMap<&str, &Value> = kernels
            .iter()
            .filter_map(|kernel| Some((kernel.get("name")?.as_str()?, kernel)))
            .collect();
        let trials = mutable(&mut self.value, "phases").flat_map(|phase| mutable(phase, "trials"));
        for launch in trials.flat_map(|trial| mutable(trial, "launches")) {
            let kernel = launch.get("kernel").and_then(Value::as_str);
            let resources = kernel
                .and_then(|name| kernels.get(name))
                .map(|&found| found.clone());
            if let (Some(resources), Some(map)) = (resources, launch.as_object_mut()) {
                map.insert("resources".into(), resources);
            }
        }
        self
    }

    /// Returns the report's trials, in order.
    pub fn trials(&self) -> impl Iterator<Item = Trial<'_>> {
        self.placed().map(|(_, trial)| trial)
    }

    /// Returns the report's trials, each with its phase.
    pub fn placed(&self) -> impl Iterator<Item = (&Value, Trial<'_>)> {
        let pairs =
            |phase| list(phase, "trials").filter_map(move |value| Some((phase, trial(value)?)));
        list(&self.value, "phases").flat_map(pairs)
    }

    /// Returns the value at a JSON pointer; null where there is none.
    pub fn at(&self, pointer: &str) -> &Value {
        self.value.pointer(pointer).unwrap_or(&Value::Null)
    }
}

fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    files::read(path, MAX_REPORT).map_err(|error| FileError::Unusable(error.to_string()))
}

fn json(name: &str, bytes: &[u8]) -> Result<Value, FileError> {
    serde_json::from_slice(bytes).map_err(|error| {
        FileError::Unusable(format!(
            "report {name}: not JSON, or cut short ({error}): name a file that --report wrote"
        ))
    })
}

/// Returns the elements of a list in a value; none where there is no list.
pub fn list<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value
        .get(key)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

fn mutable<'a>(value: &'a mut Value, key: &str) -> impl Iterator<Item = &'a mut Value> {
    value
        .get_mut(key)
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
}

fn trial(value: &Value) -> Option<Trial<'_>> {
    Some(Trial {
        id: value.get("id")?.as_str()?,
        verdict: verdict(value)?,
        value,
    })
}

/// Returns the verdict on a trial, an output or a law.
pub fn verdict(value: &Value) -> Option<Verdict> {
    serde_json::from_value(value.get("verdict")?.clone()).ok()
}

/// Counts the verdicts of trials.
pub fn totals<'a>(trials: impl IntoIterator<Item = Trial<'a>>) -> Totals {
    let mut totals = Totals::default();
    for trial in trials {
        totals.add(trial.verdict);
    }
    totals
}

/// Checks that a report is of a complete run, and that it has what its readers rely on.
fn check(report: &Value) -> Result<(), ReportError> {
    let schema = report.get("schema").and_then(Value::as_str);
    let schema = schema.ok_or(ReportError::NoSchema)?;
    if !schema.starts_with(FORMAT) {
        return Err(ReportError::OtherSchema(escaped(schema)));
    }
    if schema != RunReport::SCHEMA {
        return Err(ReportError::version(schema, RunReport::SCHEMA));
    }
    if report.get("complete") == Some(&Value::Bool(false)) {
        return Err(ReportError::RunCutShort);
    }
    check_totals(report).map_err(ReportError::Damaged)
}

fn check_totals(report: &Value) -> Result<(), Damage> {
    if !report.get("seed").is_some_and(Value::is_u64) {
        return Err(Damage::NoSeed);
    }
    if !report.get("phases").is_some_and(Value::is_array) {
        return Err(Damage::NoPhases);
    }
    let mut counted = Totals::default();
    for phase in list(report, "phases") {
        let number = phase.get("number").and_then(Value::as_u64);
        let (Some(number), Some(trials)) = (number, phase.get("trials").and_then(Value::as_array))
        else {
            return Err(Damage::Phase);
        };
        for value in trials {
            let Some(trial) = trial(value) else {
                return Err(Damage::Trial { phase: number });
            };
            counted.add(trial.verdict);
        }
    }
    for verdict in Verdict::ALL {
        let name = verdict.word().to_lowercase();
        let said = report
            .pointer(&format!("/totals/{name}"))
            .and_then(Value::as_u64);
        let have = counted.of(verdict);
        if said != Some(have as u64) {
            let said = said.map_or_else(|| "nothing".into(), |said| said.to_string());
            return Err(Damage::Totals { said, name, have });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn good() -> Value {
        json!({
            "schema": RunReport::SCHEMA, "seed": 3,
            "phases": [{ "number": 1, "trials": [{ "id": "mul", "verdict": "pass", "more": 1 }] }],
            "totals": { "pass": 1, "fail": 0, "error": 0, "skip": 0, "unsupported": 0 },
        })
    }

    fn refusal(value: &Value) -> String {
        let read = Report::parse("x.json", value.to_string().as_bytes());
        read.expect_err("refused").to_string()
    }

    #[test]
    fn the_trials_of_a_report_are_read() {
        let report = Report::parse("x.json", good().to_string().as_bytes()).expect("good");
        let ids: Vec<&str> = report.trials().map(|trial| trial.id).collect();
        assert_eq!(ids, ["mul"]);
    }

    #[test]
    fn a_profile_is_read_where_that_makes_sense() {
        let profile = json!({
            "schema": "deltanet-check/profile/2", "complete": true, "clock_mhz": 1725.0,
            "profiles": [{ "id": "mul", "seconds": 1e-6, "launches": [] }],
        });
        let text = profile.to_string();
        let report = Report::parse_any("x.json", text.as_bytes()).expect("good");
        let ids: Vec<(&str, Verdict)> = report.trials().map(|one| (one.id, one.verdict)).collect();
        assert_eq!(
            (ids, report.is_profile()),
            (vec![("mul", Verdict::Pass)], true)
        );
        assert!(check_totals(&report.value).is_ok());
        let error = Report::parse("x.json", text.as_bytes()).expect_err("no run");
        assert!(error.to_string().contains("no report of a run"), "{error}");
        for (damaged, said) in [
            (
                json!({ "schema": "deltanet-check/profile/2" }),
                "no profiles",
            ),
            (
                json!({ "schema": "deltanet-check/profile/2", "profiles": [{}] }),
                "no id",
            ),
            (
                json!({ "schema": "deltanet-check/profile/2", "complete": false, "profiles": [] }),
                "did not come to its end",
            ),
            (
                json!({ "schema": "deltanet-check/profile/1" }),
                "its format is deltanet-check/profile/1, this program reads deltanet-check/profile/2",
            ),
        ] {
            let error = Report::parse_any("x.json", damaged.to_string().as_bytes());
            let message = error.expect_err("damaged").to_string();
            assert!(
                message.starts_with("report x.json: ") && message.contains(said),
                "{message}"
            );
        }
        let run = Report::parse_any("x.json", good().to_string().as_bytes()).expect("a run");
        assert!(!run.is_profile());
    }

    #[test]
    fn launches_get_the_resources_of_their_kernels() {
        let mut value = good();
        value["environment"] = json!({ "kernels": [{ "name": "k", "vgprs": 8 }] });
        value["phases"][0]["trials"][0]["launches"] =
            json!([{ "kernel": "k" }, { "kernel": "other" }]);
        let report = Report::parse("x.json", value.to_string().as_bytes())
            .expect("good")
            .with_resources();
        let launches = &report.value["phases"][0]["trials"][0]["launches"];
        assert_eq!(launches[0]["resources"]["vgprs"], 8);
        assert_eq!(launches[1], json!({ "kernel": "other" }));
    }

    #[test]
    fn what_is_no_whole_report_is_told_in_one_line() {
        let text = good().to_string();
        for length in 0..text.len() {
            let error = Report::parse("x.json", &text.as_bytes()[..length]).expect_err("cut short");
            assert!(
                error
                    .to_string()
                    .starts_with("report x.json: not JSON, or cut short")
            );
            assert!(!error.to_string().contains('\n'), "{error}");
        }
        let mut changes = Vec::new();
        for (pointer, change, said) in [
            (
                "/schema",
                json!("deltanet-check/list/1"),
                "no report of a run",
            ),
            (
                "/schema",
                json!("deltanet-check/report/9"),
                "its format is deltanet-check/report/9, this program reads deltanet-check/report/1",
            ),
            ("/schema", json!(null), "no schema"),
            ("/seed", json!("x"), "no seed"),
            ("/phases", json!({}), "no phases"),
            ("/phases/0/number", json!(null), "no number"),
            ("/phases/0/trials/0/verdict", json!("fine"), "no verdict"),
            (
                "/phases/0/trials/0/verdict",
                json!("fail"),
                "its totals say 1 of pass, its trials 0",
            ),
            ("/totals", json!(null), "its totals say nothing of pass"),
        ] {
            let mut value = good();
            *value.pointer_mut(pointer).expect("there") = change;
            changes.push((value, said));
        }
        let mut value = good();
        value["complete"] = json!(false);
        changes.push((value, "did not come to its end"));
        changes.push((json!([1]), "no schema"));
        for (value, said) in changes {
            let message = refusal(&value);
            assert!(message.contains(said), "{message}");
        }
    }
}
