//! The reports of runs, read back from files.

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value;

use super::profile;
use crate::exit::Stop;
use crate::files;
use crate::text::{escaped, shown};
use crate::verdict::{RunReport, Totals, Verdict};

/// The largest report that is read. A report of all tests with counters has 15 MB.
const MAX_REPORT: u64 = 1 << 30;
/// The beginning of the format's name in all versions.
const FORMAT: &str = "deltanet-check/report/";

/// The report of a run that came to its end.
#[derive(Clone, Debug)]
pub struct Report {
    /// The report's file, as messages name it.
    pub name: String,
    /// The JSON of the report.
    pub value: Value,
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
    pub fn read(path: &Path) -> Result<Report, Stop> {
        let bytes =
            files::read(path, MAX_REPORT).map_err(|error| Stop::setup(error.to_string()))?;
        Report::parse(&shown(path), &bytes)
    }

    /// Reads the report of a run or of `profile`. Each case of a profile is a trial that passed.
    ///
    /// # Errors
    /// The file cannot be read, is neither, or is the report of a run that did not end.
    pub fn read_any(path: &Path) -> Result<Report, Stop> {
        let bytes =
            files::read(path, MAX_REPORT).map_err(|error| Stop::setup(error.to_string()))?;
        Report::parse_any(&shown(path), &bytes)
    }

    fn parse_any(name: &str, bytes: &[u8]) -> Result<Report, Stop> {
        let value = json(name, bytes)?;
        if !profile::is_one(&value) {
            return Report::of(name, value);
        }
        let value = profile::as_report(&value);
        Ok(Report {
            name: name.into(),
            value: value.map_err(|what| Stop::setup(format!("report {name}: {what}")))?,
        })
    }

    fn parse(name: &str, bytes: &[u8]) -> Result<Report, Stop> {
        Report::of(name, json(name, bytes)?)
    }

    /// Returns true if the report is one of `profile`.
    pub fn is_profile(&self) -> bool {
        profile::is_one(&self.value)
    }

    fn of(name: &str, value: Value) -> Result<Report, Stop> {
        let refused = |what: String| Err(Stop::setup(format!("report {name}: {what}")));
        let Some(schema) = value.get("schema").and_then(Value::as_str) else {
            return refused("it has no schema: name a file that --report wrote".into());
        };
        if !schema.starts_with(FORMAT) {
            return refused(format!(
                "its schema is `{}`, which is no report of a run: name a file that --report wrote",
                escaped(schema)
            ));
        }
        if schema != RunReport::SCHEMA {
            return refused(other_version(schema, RunReport::SCHEMA));
        }
        if value.get("complete") == Some(&Value::Bool(false)) {
            return refused("its run did not come to its end: run the tests again".into());
        }
        if let Err(what) = check(&value) {
            return refused(format!("damaged: {what}; run the tests again"));
        }
        Ok(Report {
            name: name.into(),
            value,
        })
    }

    /// Returns the report with the resources of its kernel in each launch, if the report has the kernel's resources.
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

/// Returns the message about a version of a format that this program does not read.
pub(super) fn other_version(schema: &str, read: &str) -> String {
    let schema = escaped(schema);
    format!("its format is {schema}, this program reads {read}: make the report again")
}

fn json(name: &str, bytes: &[u8]) -> Result<Value, Stop> {
    serde_json::from_slice(bytes).map_err(|error| {
        Stop::setup(format!(
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

/// Checks everything that the readers of reports rely on.
fn check(report: &Value) -> Result<(), String> {
    if !report.get("seed").is_some_and(Value::is_u64) {
        return Err("it has no seed".into());
    }
    if !report.get("phases").is_some_and(Value::is_array) {
        return Err("it has no phases".into());
    }
    let mut counted = Totals::default();
    for phase in list(report, "phases") {
        let number = phase.get("number").and_then(Value::as_u64);
        let (Some(number), Some(trials)) = (number, phase.get("trials").and_then(Value::as_array))
        else {
            return Err("a phase has no number or no trials".into());
        };
        for value in trials {
            let Some(trial) = trial(value) else {
                return Err(format!("a trial of phase {number} has no id or no verdict"));
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
            return Err(format!(
                "its totals say {said} of {name}, its trials {have}"
            ));
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
        read.expect_err("refused").message
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
            "schema": "deltanet-check/profile/1", "complete": true, "clock_mhz": 1725.0,
            "profiles": [{ "id": "mul", "seconds": [1e-6, 2e-6], "launches": [] }],
        });
        let text = profile.to_string();
        let report = Report::parse_any("x.json", text.as_bytes()).expect("good");
        let ids: Vec<(&str, Verdict)> = report.trials().map(|one| (one.id, one.verdict)).collect();
        assert_eq!(
            (ids, report.is_profile()),
            (vec![("mul", Verdict::Pass)], true)
        );
        assert_eq!(check(&report.value), Ok(()));
        let stop = Report::parse("x.json", text.as_bytes()).expect_err("no run");
        assert!(
            stop.message.contains("no report of a run"),
            "{}",
            stop.message
        );
        for (damaged, said) in [
            (
                json!({ "schema": "deltanet-check/profile/1" }),
                "no profiles",
            ),
            (
                json!({ "schema": "deltanet-check/profile/1", "profiles": [{}] }),
                "no id",
            ),
            (
                json!({ "schema": "deltanet-check/profile/1", "complete": false, "profiles": [] }),
                "did not come to its end",
            ),
            (
                json!({ "schema": "deltanet-check/profile/2" }),
                "its format is deltanet-check/profile/2, this program reads deltanet-check/profile/1",
            ),
        ] {
            let stop = Report::parse_any("x.json", damaged.to_string().as_bytes());
            let message = stop.expect_err("damaged").message;
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
            let stop = Report::parse("x.json", &text.as_bytes()[..length]).expect_err("cut short");
            assert!(
                stop.message
                    .starts_with("report x.json: not JSON, or cut short")
            );
            assert!(!stop.message.contains('\n'), "{}", stop.message);
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
