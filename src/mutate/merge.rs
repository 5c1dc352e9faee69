//! The merging of the partitions of a campaign into one report.

use std::collections::BTreeMap;

use super::report::{MutantReport, MutationReport, SCHEMA};
use crate::files::FileError;
use crate::text::escaped;

/// The field that reports of all versions have.
#[derive(serde::Deserialize)]
struct Version {
    schema: String,
}

/// Reads a report.
///
/// # Errors
/// The bytes are no report of a campaign, have another version, or are of a campaign that was interrupted.
pub fn read(name: &str, bytes: &[u8]) -> Result<MutationReport, FileError> {
    let none = |error| FileError::Unusable(format!("{name} is no report of `mutate`: {error}"));
    let version: Version = serde_json::from_slice(bytes).map_err(none)?;
    if version.schema != SCHEMA {
        let format = escaped(&version.schema);
        return Err(FileError::Unusable(format!(
            "{name} is a report of the format {format}, and this program reads {SCHEMA}: make it again"
        )));
    }
    let report: MutationReport = serde_json::from_slice(bytes).map_err(none)?;
    if !report.complete {
        return Err(FileError::Unusable(format!(
            "{name} has {} of {} mutants: its campaign did not come to its end, run it again",
            report.mutants.len(),
            report.drawn
        )));
    }
    Ok(report)
}

/// Merges the reports of the partitions of a campaign. Each comes with the name of its file.
///
/// # Errors
/// The reports are of different campaigns, a partition is there twice, or a partition is missing.
pub fn merge(reports: Vec<(String, MutationReport)>) -> Result<MutationReport, FileError> {
    let mut reports = reports.into_iter();
    let Some((first_name, mut whole)) = reports.next() else {
        return Err(FileError::Unusable("there is no report to merge".into()));
    };
    let mut from: BTreeMap<String, String> = BTreeMap::new();
    let mut take = |name: &str, parts: &[String]| {
        for part in parts {
            if let Some(other) = from.insert(part.clone(), name.to_owned()) {
                return Err(FileError::Unusable(format!(
                    "part {part} is in both {other} and {name}: leave one out"
                )));
            }
        }
        Ok(())
    };
    take(&first_name, &whole.parts)?;
    for (name, part) in reports {
        let same = part.asked == whole.asked
            && part.code_object.sha256 == whole.code_object.sha256
            && part.functions == whole.functions;
        if !same {
            return Err(FileError::Unusable(format!(
                "{name} is of another campaign than {first_name}: seed, kernels, tests and operators must be the same"
            )));
        }
        take(&name, &part.parts)?;
        whole.parts.extend(part.parts);
        whole.seconds += part.seconds;
        whole.drawn += part.drawn;
        whole.mutants.extend(part.mutants);
    }
    complete(&whole.parts)?;
    whole.parts.sort_by_key(|part| number(part));
    let key = |mutant: &MutantReport| (mutant.function.clone(), mutant.offset, mutant.operator);
    whole.mutants.sort_by_key(key);
    Ok(whole)
}

/// Reads K and N of `K/N`.
fn number(part: &str) -> Option<(usize, usize)> {
    let (k, n) = part.split_once('/')?;
    let (k, n) = (k.parse().ok()?, n.parse().ok()?);
    (1..=n).contains(&k).then_some((k, n))
}

/// Checks that all partitions are there.
fn complete(parts: &[String]) -> Result<(), FileError> {
    let strange = |part: &String| FileError::Unusable(format!("`{part}` is no part of a campaign"));
    let numbers = parts
        .iter()
        .map(|part| number(part).ok_or_else(|| strange(part)));
    let numbers: Vec<(usize, usize)> = numbers.collect::<Result<_, _>>()?;
    let Some(&(_, n)) = numbers.first() else {
        return Err(FileError::Unusable(
            "a report does not say what part it is: make it again".into(),
        ));
    };
    if let Some((k, other)) = numbers.iter().find(|(_, other)| *other != n) {
        return Err(FileError::Unusable(format!(
            "{k}/{other} is a part of {other}, and {}/{n} of {n}: all parts must be of one partition",
            numbers[0].0
        )));
    }
    let missing: Vec<String> = (1..=n)
        .filter(|k| !numbers.contains(&(*k, n)))
        .map(|k| format!("{k}/{n}"))
        .collect();
    if !missing.is_empty() {
        return Err(FileError::Unusable(format!(
            "not all parts are there, {} missing: give the report of every part",
            missing.join(", ")
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
