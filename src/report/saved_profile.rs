//! The JSON of `profile`, converted to a report that can be compared. Each case becomes a test that has passed.

use serde_json::{Value, json};

use super::saved::{ReportError, list};

/// The beginning of the format's name in all versions.
const FORMAT: &str = "deltanet-check/profile/";
/// The version of the format that this program reads.
const SCHEMA: &str = "deltanet-check/profile/2";

/// Returns true if a report is one of `profile`.
pub(super) fn is_one(report: &Value) -> bool {
    let schema = report.get("schema").and_then(Value::as_str);
    schema.is_some_and(|schema| schema.starts_with(FORMAT))
}

/// Makes a report in which each trial is a profiled case with all values of its profile.
///
/// # Errors
/// The profile is damaged, or its run did not come to its end.
pub(super) fn as_report(profile: &Value) -> Result<Value, ReportError> {
    let schema = profile.get("schema").and_then(Value::as_str);
    if let Some(schema) = schema.filter(|&schema| schema != SCHEMA) {
        return Err(ReportError::version(schema, SCHEMA));
    }
    if !profile.get("profiles").is_some_and(Value::is_array) {
        return Err(ReportError::NoProfiles);
    }
    if profile.get("complete") == Some(&Value::Bool(false)) {
        return Err(ReportError::ProfileCutShort);
    }
    let mut trials = Vec::new();
    for one in list(profile, "profiles") {
        let (Some(case), Some(_)) = (one.as_object(), one.get("id").and_then(Value::as_str)) else {
            return Err(ReportError::ProfileWithoutId);
        };
        let mut trial = case.clone();
        trial.insert("verdict".into(), "pass".into());
        trials.push(Value::Object(trial));
    }
    let count = trials.len();
    Ok(json!({
        "schema": profile.get("schema"),
        "clock_mhz": profile.get("clock_mhz"),
        "timing": profile.get("timing"),
        "hot": profile.get("hot"),
        "constants": profile.get("constants"),
        "seed": 0,
        "phases": [{ "number": 0, "trials": trials }],
        "totals": { "pass": count, "fail": 0, "error": 0, "skip": 0, "unsupported": 0 },
    }))
}
