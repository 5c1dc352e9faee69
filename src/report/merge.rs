//! The merging of reports.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::saved::{Report, Trial, list, totals};
use crate::files::FileError;
use crate::text::escaped;

/// The values that all reports of one run share: JSON pointer, and name in messages.
const SAME: [(&str, &str); 8] = [
    ("/schema", "format"),
    ("/version", "version of deltanet-check"),
    ("/seed", "seed"),
    ("/code_object/sha256", "code object"),
    ("/device/kind", "device"),
    ("/environment/registry", "registry"),
    ("/environment/bindings", "bindings"),
    ("/environment/settings/flags", "flags"),
];

/// Merges reports into the report of the whole run. Reports of `--partition` must be all parts of one run; other reports may share no test.
///
/// # Errors
/// The reports are of different runs, or one of them is there twice or missing.
pub fn merge(reports: &[Report]) -> Result<Report, FileError> {
    let Some(first) = reports.first() else {
        return Err(FileError::Unusable("name the reports to merge".into()));
    };
    for other in &reports[1..] {
        same(first, other)?;
    }
    let placed = match reports.iter().filter(|one| has_part(one)).count() {
        0 => in_order(reports)?,
        count if count == reports.len() => by_position(reports)?,
        _ => {
            let (with, without): (Vec<_>, Vec<_>) = reports.iter().partition(|one| has_part(one));
            return Err(FileError::Unusable(format!(
                "{} is a part of a run, {} is not: merge the parts of one run",
                with[0].name, without[0].name
            )));
        }
    };
    let mut merged = Report {
        name: "the merged report".into(),
        value: first.value.clone(),
    };
    let list = gather(&placed);
    if let Some(map) = merged.value.as_object_mut() {
        map.remove("partition");
        map.insert("phases".into(), Value::Array(list));
    }
    let all = totals(merged.trials());
    let documented = totals(
        merged
            .trials()
            .filter(|trial| trial.value["documented"] == true),
    );
    // The seconds of all machines add up.
    let seconds: f64 = reports
        .iter()
        .filter_map(|one| one.at("/seconds").as_f64())
        .sum();
    merged.value["selected"] = json!(all.total());
    merged.value["totals"] = json!(all);
    merged.value["documented"] = json!(documented);
    merged.value["seconds"] = json!(seconds);
    Ok(merged)
}

/// A phase, and a trial of the phase.
type PhaseTrial<'a> = (&'a Value, Trial<'a>);

fn has_part(report: &Report) -> bool {
    !report.at("/partition").is_null()
}

fn same(first: &Report, other: &Report) -> Result<(), FileError> {
    for (pointer, name) in SAME {
        let (a, b) = (first.at(pointer), other.at(pointer));
        if pathless(a) != pathless(b) {
            return Err(FileError::Unusable(format!(
                "{} and {} are of different runs: their {name} differs ({} and {}); merge the parts of one run",
                first.name,
                other.name,
                brief(a),
                brief(b)
            )));
        }
    }
    Ok(())
}

/// Returns a value without paths, because a file may have another path on each machine.
fn pathless(value: &Value) -> Value {
    match value {
        Value::Object(map) => map
            .iter()
            .filter(|(key, _)| *key != "path")
            .map(|(key, value)| (key.clone(), pathless(value)))
            .collect(),
        Value::Array(list) => list.iter().map(pathless).collect(),
        other => other.clone(),
    }
}

fn brief(value: &Value) -> String {
    let text = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    let mut short: String = text.chars().take(40).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    escaped(&short)
}

/// Orders the trials of reports without `--partition` by phase, then by the order of the reports.
fn in_order(reports: &[Report]) -> Result<Vec<PhaseTrial<'_>>, FileError> {
    let mut seen: HashMap<&str, &str> = HashMap::new();
    let mut all: Vec<PhaseTrial<'_>> = Vec::new();
    for report in reports {
        for (phase, trial) in report.placed() {
            if let Some(other) = seen.insert(trial.id, &report.name) {
                return Err(FileError::Unusable(format!(
                    "`{}` is in {other} and in {}: merge reports that share no test",
                    escaped(trial.id),
                    report.name
                )));
            }
            all.push((phase, trial));
        }
    }
    all.sort_by_key(|(phase, _)| phase["number"].as_u64());
    Ok(all)
}

/// Orders the trials of the parts of one run by their positions in the whole run.
fn by_position(reports: &[Report]) -> Result<Vec<PhaseTrial<'_>>, FileError> {
    let number = |report: &Report, key: &str| report.at("/partition")[key].as_u64();
    let (parts, cases) = (number(&reports[0], "parts"), number(&reports[0], "cases"));
    let damaged = |report: &Report| {
        FileError::Unusable(format!(
            "report {}: damaged: its partition does not fit its trials; run the tests again",
            report.name
        ))
    };
    let (Some(parts), Some(cases)) = (parts, cases) else {
        return Err(damaged(&reports[0]));
    };
    let mut seen: HashMap<u64, &str> = HashMap::new();
    let mut all: HashMap<u64, PhaseTrial<'_>> = HashMap::new();
    for report in reports {
        let own = number(report, "part").ok_or_else(|| damaged(report))?;
        if (number(report, "parts"), number(report, "cases")) != (Some(parts), Some(cases)) {
            return Err(FileError::Unusable(format!(
                "{} and {} are parts of different runs: other numbers of parts or of tests; merge the parts of one run",
                reports[0].name, report.name
            )));
        }
        if let Some(other) = seen.insert(own, &report.name) {
            return Err(FileError::Unusable(format!(
                "{other} and {} are both part {own}/{parts}: name each part once",
                report.name
            )));
        }
        let positions: Vec<u64> = list(report.at("/partition"), "positions")
            .filter_map(Value::as_u64)
            .collect();
        let mut count = 0;
        for (&position, placed) in positions.iter().zip(report.placed()) {
            count += 1;
            if position >= cases || all.insert(position, placed).is_some() {
                return Err(damaged(report));
            }
        }
        if count != positions.len() || count != report.trials().count() {
            return Err(damaged(report));
        }
    }
    let missing: Vec<String> = (1..=parts)
        .filter(|part| !seen.contains_key(part))
        .take(20)
        .map(|part| format!("{part}/{parts}"))
        .collect();
    if !missing.is_empty() {
        let (is, parts) = if missing.len() == 1 {
            ("is", "part")
        } else {
            ("are", "parts")
        };
        return Err(FileError::Unusable(format!(
            "{parts} {} {is} missing: name the reports of all parts",
            missing.join(", ")
        )));
    }
    if all.len() as u64 != cases {
        return Err(FileError::Unusable(format!(
            "the parts have {} tests, the run had {cases}: run the parts again with the same flags and the same version",
            all.len()
        )));
    }
    let mut all: Vec<(u64, PhaseTrial<'_>)> = all.into_iter().collect();
    all.sort_by_key(|(position, _)| *position);
    Ok(all.into_iter().map(|(_, placed)| placed).collect())
}

/// Groups trials by their phases, as reports have them.
fn gather(placed: &[PhaseTrial<'_>]) -> Vec<Value> {
    let mut list: Vec<(Value, Vec<Value>)> = Vec::new();
    for (phase, trial) in placed {
        if list
            .last()
            .is_none_or(|(last, _)| last["number"] != phase["number"])
        {
            list.push(((*phase).clone(), Vec::new()));
        }
        if let Some((_, trials)) = list.last_mut() {
            trials.push(trial.value.clone());
        }
    }
    let filled = list.into_iter().map(|(mut phase, trials)| {
        phase["trials"] = Value::Array(trials);
        phase
    });
    filled.collect()
}
