//! What a run of `exec` says in the end: a table, or JSON.

use std::fmt::Write as _;

use gfx906::machine::{Counters, Trap};
use serde_json::{Value, json};

use super::buffers::Saved;
use super::launch::LaunchSpec;
use super::trap::trap_json;
use crate::commands::table;
use crate::report::{outputs, share};
use crate::verdict::{CountersReport, OutputReport, Verdict};

/// How a launch ended.
pub(super) enum Outcome {
    Ran(Counters, CountersReport),
    Trapped(Box<Trap>),
    /// An earlier one trapped.
    NotRun,
}

/// Everything that is to be told.
pub(super) struct Summary<'a> {
    pub(super) code_object: String,
    pub(super) launches: Vec<(&'a LaunchSpec, Outcome)>,
    pub(super) saved: Vec<Saved>,
    /// What was judged; nothing where a launch did not come to its end.
    pub(super) judged: Vec<OutputReport>,
    /// How many buffers something is expected of.
    pub(super) expected: usize,
}

impl Outcome {
    fn word(&self) -> &'static str {
        match self {
            Outcome::Ran(..) => "ran",
            Outcome::Trapped(trap) if trap.is_hang() => "hung",
            Outcome::Trapped(_) => "trapped",
            Outcome::NotRun => "not run",
        }
    }

    fn counters(&self) -> Option<&Counters> {
        match self {
            Outcome::Ran(counters, _) => Some(counters),
            _ => None,
        }
    }

    fn counted(&self) -> Option<&CountersReport> {
        match self {
            Outcome::Ran(_, counted) => Some(counted),
            _ => None,
        }
    }

    fn trap(&self) -> Option<&Trap> {
        match self {
            Outcome::Trapped(trap) => Some(trap),
            _ => None,
        }
    }
}

impl Summary<'_> {
    /// `ran`, or how the launch ended that did not come to its end.
    pub(super) fn word(&self) -> &'static str {
        let stopped = self
            .launches
            .iter()
            .map(|(_, outcome)| outcome)
            .find(|outcome| outcome.trap().is_some());
        stopped.map_or("ran", Outcome::word)
    }

    /// The verdict on all that is expected, if anything is and the launches ran.
    pub(super) fn verdict(&self) -> Option<Verdict> {
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
                let counters = outcome.counters();
                let number =
                    |value: Option<u64>| value.map_or("-".to_owned(), |value| value.to_string());
                let mut row = vec![
                    index.to_string(),
                    spec.kernel.clone(),
                    sides(spec.grid),
                    sides(spec.block),
                ];
                row.push(number(counters.map(|counters| counters.waves)));
                row.push(number(counters.map(|counters| counters.instructions)));
                let counted = outcome.counted();
                let kind = |kind| counted.and_then(|c| c.by_kind.get(kind).copied());
                row.extend(kinds.iter().map(|name| number(kind(name))));
                row.push(number(counted.map(|counted| counted.branches_taken)));
                row.push(number(counted.map(|counted| counted.barriers)));
                row.push(share(counted.and_then(|counted| counted.lane_utilisation)));
                row.push(counters.map_or("-".to_owned(), |counters| {
                    format!("{:.6}", counters.seconds)
                }));
                row.push(outcome.word().to_owned());
                row
            });
        let mut out = table(&header, &right, rows);
        out += &self.bytes();
        for (index, (_, outcome)) in self.launches.iter().enumerate() {
            if let Some(trap) = outcome.trap() {
                let _ = write!(out, "\nlaunch {index} {}: {trap}\n", outcome.word());
            }
        }
        out += &self.expectations();
        if !self.saved.is_empty() {
            out.push('\n');
        }
        for Saved {
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
        let mut spaces: Vec<&'static str> = Vec::new();
        for counted in self
            .launches
            .iter()
            .filter_map(|(_, outcome)| outcome.counted())
        {
            let used = counted
                .bytes
                .iter()
                .filter(|(_, bytes)| bytes.read + bytes.written > 0);
            spaces.extend(used.map(|(space, _)| *space));
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
                let bytes = counted.bytes.get(space).copied().unwrap_or_default();
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
                "counters": outcome.counters().zip(outcome.counted()).map(|(counters, counted)| counters_json(counters, counted)),
                "trap": outcome.trap().map(trap_json),
            })
        });
        let saved = self.saved.iter().map(
            |Saved {
                 buffer,
                 path,
                 bytes,
             }| { json!({ "buffer": buffer, "path": path, "bytes": bytes }) },
        );
        json!({
            "schema": "deltanet-check/exec/1",
            "device": "emulator",
            "code_object": self.code_object,
            "result": self.word(),
            "launches": launches.collect::<Vec<_>>(),
            "verdict": self.verdict(),
            "expect": self.judged,
            "saved": saved.collect::<Vec<_>>(),
        })
    }
}

/// The kinds of instructions that any launch ran.
fn kinds(launches: &[(&LaunchSpec, Outcome)]) -> Vec<&'static str> {
    let mut kinds: Vec<&'static str> = Vec::new();
    for (_, outcome) in launches {
        let Some(counted) = outcome.counted() else {
            continue;
        };
        for (kind, count) in &counted.by_kind {
            if *count > 0 && !kinds.contains(kind) {
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

fn counters_json(counters: &Counters, counted: &CountersReport) -> Value {
    json!({
        "instructions": counters.instructions,
        "by_kind": counted.by_kind,
        "vector_instructions": counted.vector_instructions,
        "active_lanes": counted.active_lanes,
        "lane_utilisation": counted.lane_utilisation,
        "bytes": counted.bytes,
        "barriers": counted.barriers,
        "branches_taken": counted.branches_taken,
        "waves": counters.waves,
        "work_groups": counters.work_groups,
        "seconds": counters.seconds,
    })
}
