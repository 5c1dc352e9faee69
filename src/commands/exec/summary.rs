//! The summary of a run of `exec`, as a table or JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::buffers::SavedFile;
use super::launch::LaunchSpec;
use super::outcome::{FinishedLaunch, Outcome};
use super::trap::error_json;
use crate::commands::table;
use crate::report::model::{FindingReport, OriginReport, OutputReport, Problem, Verdict};
use crate::report::{findings, outputs, problem, share};

/// Everything that is to be told.
pub(super) struct Summary<'a> {
    /// The kind of device.
    pub(super) device: String,
    pub(super) code_object: String,
    pub(super) launches: Vec<(&'a LaunchSpec, Outcome)>,
    /// Findings of the sanitizer.
    pub(super) findings: Vec<FindingReport>,
    /// The origins of the first non-finite value that was stored, if they are asked for.
    pub(super) first_nonfinite: Option<Vec<OriginReport>>,
    pub(super) saved: Vec<SavedFile>,
    /// A problem of a guard, or of a buffer that launches may only read.
    pub(super) problem: Option<Problem>,
    /// Reports of the judged buffers; none if a launch trapped or hung.
    pub(super) judged: Vec<OutputReport>,
    /// The number of buffers that have an expectation.
    pub(super) expected: usize,
}

impl Summary<'_> {
    /// `ran`, or how the launch ended that did not come to its end.
    pub(super) fn word(&self) -> &'static str {
        let stopped = self
            .launches
            .iter()
            .map(|(_, outcome)| outcome)
            .find(|outcome| outcome.error().is_some());
        stopped.map_or("ran", Outcome::word)
    }

    /// The verdict on all that is expected, if anything is and the launches ran; a problem is one on anything.
    pub(super) fn verdict(&self) -> Option<Verdict> {
        if self.problem.is_some() {
            return Some(Verdict::Fail);
        }
        let passed = self
            .judged
            .iter()
            .all(|output| output.verdict == Verdict::Pass);
        let verdict = if passed { Verdict::Pass } else { Verdict::Fail };
        (!self.judged.is_empty()).then_some(verdict)
    }

    pub(super) fn as_table(&self) -> String {
        let kinds = kinds(&self.launches);
        let mut header = vec!["#", "kernel", "grid", "block", "waves", "instructions"];
        header.extend(&kinds);
        header.extend(["taken", "barriers", "lanes on", "seconds", "result"]);
        let right: Vec<usize> = (4..header.len() - 1).collect();
        let rows = self
            .launches
            .iter()
            .enumerate()
            .map(|(index, (spec, outcome))| {
                let ran = outcome.ran();
                let number =
                    |value: Option<u64>| value.map_or("-".to_owned(), |value| value.to_string());
                let mut row = vec![
                    index.to_string(),
                    spec.kernel.clone(),
                    sides(spec.grid),
                    sides(spec.block),
                ];
                row.push(number(ran.map(|ran| ran.waves)));
                row.push(number(ran.and_then(|ran| ran.instructions)));
                let counted = outcome.counted();
                let kind = |kind: &str| counted.and_then(|c| c.by_kind.get(kind).copied());
                row.extend(kinds.iter().map(|name| number(kind(name))));
                row.push(number(counted.map(|counted| counted.branches_taken)));
                row.push(number(counted.map(|counted| counted.barriers)));
                row.push(share(counted.and_then(|counted| counted.lane_utilisation)));
                row.push(ran.map_or("-".to_owned(), |ran| format!("{:.6}", ran.seconds)));
                row.push(outcome.word().to_owned());
                row
            });
        let mut out = table(&header, &right, rows);
        out += &self.bytes();
        for (index, (_, outcome)) in self.launches.iter().enumerate() {
            if let Some(error) = outcome.error() {
                let _ = write!(out, "\nlaunch {index} {}: {error}\n", outcome.word());
            }
        }
        if !self.findings.is_empty() {
            let _ = write!(
                out,
                "\nfindings of the sanitizer\n{}",
                findings(&self.findings)
            );
        }
        if let Some(origins) = &self.first_nonfinite {
            out += "\nfirst value that is not finite\n";
            if origins.is_empty() {
                out += "no kernel stored one\n";
            }
            for origin in origins {
                let (kernel, text, place) = (&origin.kernel, &origin.text, &origin.place);
                let _ = writeln!(out, "{kernel}: {text}; {place}");
            }
        }
        if let Some(found) = &self.problem {
            let _ = write!(out, "\nFAIL\n{}", problem(found));
        }
        out += &self.expectations();
        if !self.saved.is_empty() {
            out.push('\n');
        }
        for SavedFile {
            buffer,
            path,
            bytes,
        } in &self.saved
        {
            let _ = writeln!(out, "saved {buffer} ({bytes} bytes) to {path}");
        }
        out
    }

    fn expectations(&self) -> String {
        let (expected, judged) = (self.expected, self.judged.len());
        if expected == 0 {
            return String::new();
        }
        if judged == 0 {
            return format!(
                "\nexpected of {expected} buffers: not judged, as a launch {}\n",
                self.word()
            );
        }
        let passed = self
            .judged
            .iter()
            .filter(|output| output.verdict == Verdict::Pass)
            .count();
        let sum = if judged == 1 {
            "buffer as expected"
        } else {
            "buffers as expected"
        };
        format!("\n{}\n{passed}/{judged} {sum}\n", outputs(&self.judged))
    }

    /// The bytes that instructions asked for, of each kind of memory that any launch used.
    fn bytes(&self) -> String {
        let mut spaces: Vec<&str> = Vec::new();
        for counted in self
            .launches
            .iter()
            .filter_map(|(_, outcome)| outcome.counted())
        {
            let used = counted
                .bytes
                .iter()
                .filter(|(_, bytes)| bytes.read + bytes.written > 0);
            spaces.extend(used.map(|(space, _)| space.as_str()));
        }
        spaces.sort_unstable();
        spaces.dedup();
        if spaces.is_empty() {
            return String::new();
        }
        let mut header = vec!["#".to_owned(), "kernel".to_owned()];
        for space in &spaces {
            header.extend([format!("{space} read"), format!("{space} written")]);
        }
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        let right: Vec<usize> = (2..header.len()).collect();
        let launches = self.launches.iter().enumerate();
        let rows = launches.filter_map(|(index, (spec, outcome))| {
            let counted = outcome.counted()?;
            let mut row = vec![index.to_string(), spec.kernel.clone()];
            for space in &spaces {
                let bytes = counted.bytes.get(*space).copied().unwrap_or_default();
                row.extend([bytes.read.to_string(), bytes.written.to_string()]);
            }
            Some(row)
        });
        format!(
            "\nbytes that instructions asked for\n{}",
            table(&header, &right, rows)
        )
    }

    pub(super) fn as_json(&self) -> Value {
        let launches = self.launches.iter().map(|(spec, outcome)| {
            json!({
                "kernel": spec.kernel,
                "grid": spec.grid,
                "block": spec.block,
                "dynamic_lds": spec.dynamic_lds,
                "result": outcome.word(),
                "counters": outcome.ran().map(counters_json),
                "trap": outcome.error().map(|error| error_json(error, &spec.kernel)),
            })
        });
        let saved = self.saved.iter().map(
            |SavedFile {
                 buffer,
                 path,
                 bytes,
             }| { json!({ "buffer": buffer, "path": path, "bytes": bytes }) },
        );
        let mut told = json!({
            "schema": "deltanet-check/exec/1",
            "device": self.device,
            "code_object": self.code_object,
            "result": self.word(),
            "launches": launches.collect::<Vec<_>>(),
            "verdict": self.verdict(),
            "expect": self.judged,
            "saved": saved.collect::<Vec<_>>(),
        });
        if !self.findings.is_empty() {
            told["findings"] = json!(self.findings);
        }
        if let Some(origins) = &self.first_nonfinite {
            told["first_nonfinite"] = json!(origins);
        }
        if let Some(problem) = &self.problem {
            told["problem"] = json!(problem);
        }
        told
    }
}

/// The kinds of instructions that any launch ran.
fn kinds<'a>(launches: &'a [(&LaunchSpec, Outcome)]) -> Vec<&'a str> {
    let mut kinds: Vec<&str> = Vec::new();
    for (_, outcome) in launches {
        let Some(counted) = outcome.counted() else {
            continue;
        };
        for (kind, count) in &counted.by_kind {
            if *count > 0 && !kinds.contains(&kind.as_str()) {
                kinds.push(kind);
            }
        }
    }
    kinds.sort_unstable();
    kinds
}

fn sides([x, y, z]: [u32; 3]) -> String {
    format!("{x}x{y}x{z}")
}

/// Returns the counters of a launch that ran. A card counts nothing.
fn counters_json(ran: &FinishedLaunch) -> Value {
    let mut told = match &ran.counted {
        Some(counted) => json!(counted),
        None => json!({}),
    };
    if let Some(instructions) = ran.instructions {
        told["instructions"] = json!(instructions);
    }
    told["waves"] = json!(ran.waves);
    told["work_groups"] = json!(ran.work_groups);
    told["seconds"] = json!(ran.seconds);
    told
}
