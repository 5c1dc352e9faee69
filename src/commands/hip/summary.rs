//! The launches of a program's processes, read from the summary file to which the runtime appends a line for each process.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::commands::table;
use crate::report::model::{CountersReport, Severity};
use crate::report::{CountersRow, counters_tables};
use crate::text::kernel_label;

/// Kernels that are listed one by one.
const SHOWN: usize = 20;

/// A line of the summary file: the kernels that a process ran.
#[derive(Deserialize)]
struct Process {
    failed: u64,
    refused: u64,
    findings: u64,
    portability: u64,
    kernels: Vec<Kernel>,
}

#[derive(Deserialize)]
struct Kernel {
    kernel: String,
    launches: u64,
    instructions: u64,
    counters: Option<CountersReport>,
}

/// The sums over the launches of a kernel.
#[derive(Debug, Default, PartialEq)]
struct KernelTotals {
    launches: u64,
    instructions: u64,
    counters: Option<CountersReport>,
}

/// The sums over all processes.
#[derive(Debug, Default, PartialEq)]
pub struct Summary {
    processes: u64,
    failed: u64,
    refused: u64,
    findings: u64,
    /// Findings of the severity `portability`.
    portability: u64,
    /// Totals of each kernel, by its name.
    kernels: BTreeMap<String, KernelTotals>,
}

impl Summary {
    /// Reads the file that the runtime wrote; the summary is empty if there is no file.
    pub fn read(path: &Path) -> Summary {
        Summary::of(&fs::read_to_string(path).unwrap_or_default())
    }

    fn of(text: &str) -> Summary {
        let mut all = Summary::default();
        // A process that is killed while it writes leaves an incomplete line, which does not count.
        let lines = text.lines().map(serde_json::from_str::<Process>);
        for process in lines.flatten() {
            all.processes += 1;
            all.failed += process.failed;
            all.refused += process.refused;
            all.findings += process.findings;
            all.portability += process.portability;
            for ran in process.kernels {
                let sum = all.kernels.entry(ran.kernel).or_default();
                sum.launches += ran.launches;
                sum.instructions += ran.instructions;
                if let Some(counters) = &ran.counters {
                    sum.counters.get_or_insert_default().add(counters);
                }
            }
        }
        all
    }

    /// Returns the number of findings of the sanitizer that are heavier than a severity.
    pub fn findings_above(&self, severity: Severity) -> u64 {
        match severity {
            Severity::Hint => self.findings,
            Severity::Portability => self.findings.saturating_sub(self.portability),
            Severity::Mistake => 0,
        }
    }

    /// Returns the number of launches that did not complete or did not begin, of all kernels.
    pub fn lost_launches(&self) -> u64 {
        self.failed + self.refused
    }

    /// Returns a line about lost launches of which the exit code of the program says nothing, or an empty text. `consequence` is the end of
    /// the line.
    pub fn unnoticed(&self, code: u8, consequence: &str) -> String {
        if code != 0 || self.lost_launches() == 0 {
            return String::new();
        }
        let parts = [(self.failed, "failed"), (self.refused, "was refused")];
        let parts = parts.into_iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> = parts
            .map(|(count, verb)| match (count, verb) {
                (1, verb) => format!("1 launch {verb}"),
                (many, "failed") => format!("{many} launches failed"),
                (many, _) => format!("{many} launches were refused"),
            })
            .collect();
        format!(
            "deltanet-check hip: {}, and the program ended with exit code 0{consequence}\n",
            parts.join(" and ")
        )
    }

    /// Returns the number of launches of all kernels.
    pub fn launches(&self) -> u64 {
        self.kernels.values().map(|ran| ran.launches).sum()
    }

    fn instructions(&self) -> u64 {
        self.kernels.values().map(|ran| ran.instructions).sum()
    }

    /// Returns the summary as text.
    pub fn text(&self) -> String {
        if self.processes == 0 {
            return "deltanet-check hip: no kernel was launched, or the program was killed\n"
                .into();
        }
        let processes = match self.processes {
            1 => String::new(),
            many => format!(" in {many} processes"),
        };
        let lost = [(self.failed, "failed"), (self.refused, "refused")];
        let lost = lost.into_iter().filter(|(count, _)| *count > 0);
        let lost: Vec<String> = lost
            .map(|(count, verb)| format!("{count} {verb}"))
            .collect();
        let lost = match lost.is_empty() {
            true => String::new(),
            false => format!(" ({})", lost.join(", ")),
        };
        let mut text = format!(
            "deltanet-check hip: {}, {}{lost}{processes}, {}, {}\n",
            counted(self.kernels.len() as u64, "kernel", "kernels"),
            counted(self.launches(), "launch", "launches"),
            counted(self.instructions(), "wave instruction", "wave instructions"),
            counted(self.findings, "finding", "findings"),
        );
        let mut most: Vec<_> = self.kernels.iter().collect();
        most.sort_by_key(|(_, ran)| std::cmp::Reverse(ran.instructions));
        let rows = most.iter().take(SHOWN).map(|(name, ran)| {
            vec![
                ran.launches.to_string(),
                ran.instructions.to_string(),
                kernel_label(name),
            ]
        });
        text += &table(&["launches", "instructions", "kernel"], &[0, 1], rows);
        if most.len() > SHOWN {
            text += &format!("and {} more kernels\n", most.len() - SHOWN);
        }
        let counted: Vec<CountersRow<'_>> = most
            .iter()
            .filter_map(|(name, ran)| counted_row(name, ran))
            .take(SHOWN)
            .collect();
        if !counted.is_empty() {
            text += &format!("\n{}\n", counters_tables(&counted, None));
        }
        text
    }

    /// Returns the summary as JSON.
    pub fn json(&self, code: u8) -> Value {
        let kernels = self.kernels.iter().map(|(name, ran)| {
            let mut kernel = json!({ "kernel": name, "launches": ran.launches, "instructions": ran.instructions });
            if let Some(counters) = &ran.counters {
                kernel["counters"] = json!(counters);
            }
            kernel
        });
        json!({
            "schema": "deltanet-check/hip/1",
            "exit_code": code,
            "processes": self.processes,
            "launches": self.launches(),
            "failed": self.failed,
            "refused": self.refused,
            "instructions": self.instructions(),
            "findings": self.findings,
            "portability": self.portability,
            "kernels": kernels.collect::<Vec<_>>(),
        })
    }
}

/// Returns a kernel's row of the tables of counters; none without counters.
fn counted_row<'a>(kernel: &'a str, ran: &KernelTotals) -> Option<CountersRow<'a>> {
    Some(CountersRow {
        test: "",
        kernel,
        launches: ran.launches,
        counters: ran.counters.clone()?,
    })
}

fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_add_up_and_a_line_cut_short_does_not_count() {
        let line = r#"{"process":7,"launches":3,"failed":1,"refused":2,"instructions":30,"findings":2,"portability":1,"kernels":[{"kernel":"_Z5scalePf","launches":3,"instructions":30}]}"#;
        let all = Summary::of(&format!("{line}\n{line}\n{}", &line[..40]));
        assert_eq!(
            (all.processes, all.launches(), all.instructions()),
            (2, 6, 60)
        );
        assert_eq!(
            all.text(),
            "deltanet-check hip: 1 kernel, 6 launches (2 failed, 4 refused) in 2 processes, 60 wave instructions, 4 findings\n\
             launches  instructions  kernel\n       6            60  scale(float*)\n"
        );
        assert_eq!(
            all.unnoticed(0, ""),
            "deltanet-check hip: 2 launches failed and 4 launches were refused, and the program ended with exit code 0\n"
        );
        assert_eq!(all.unnoticed(1, ""), "", "the program has noticed");
        let one = Summary {
            failed: 1,
            ..Summary::default()
        };
        assert_eq!(
            one.unnoticed(0, "; more"),
            "deltanet-check hip: 1 launch failed, and the program ended with exit code 0; more\n"
        );
        assert_eq!(Summary::default().unnoticed(0, ""), "");
    }
}
