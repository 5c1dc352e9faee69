//! The comparison of two reports, test by test.

mod condition;
mod metric;

use std::collections::HashMap;

use serde::Serialize;

use super::saved::{Report, Trial};
use crate::files::FileError;
use crate::report::model::Verdict;

pub use condition::Condition;
pub use metric::Metric;

/// The differences between two reports.
#[derive(Debug, Serialize)]
pub struct Comparison {
    /// The number of tests that are in both reports.
    pub both: usize,
    /// Tests whose verdict changed: id, before, after.
    pub verdicts: Vec<(String, Verdict, Verdict)>,
    /// Tests that only the old report has.
    pub missing: Vec<String>,
    /// Tests that only the new report has.
    pub added: Vec<String>,
    /// Every metric that at least one test has in both reports.
    pub metrics: Vec<Change>,
    /// Conditions of `--fail-if` that hold, each with its test.
    pub held: Vec<MetCondition>,
}

/// The change of a metric.
#[derive(Debug, Serialize)]
pub struct Change {
    /// The metric's name.
    pub metric: String,
    /// The number of tests that have the metric in both reports.
    pub tests: usize,
    /// The metric's sum or maximum over these tests in the old report.
    #[serde(with = "crate::report::model::number")]
    pub old: f64,
    /// The metric's sum or maximum over these tests in the new report.
    #[serde(with = "crate::report::model::number")]
    pub new: f64,
    /// The number of tests in which the metric is greater.
    pub greater: usize,
    /// The number of tests in which the metric is less.
    pub less: usize,
    /// The tests in which the metric changed, the most changed first.
    pub changed: Vec<Row>,
}

/// A metric of one test.
#[derive(Debug, Serialize)]
pub struct Row {
    /// The test.
    pub test: String,
    /// The metric before.
    #[serde(with = "crate::report::model::number")]
    pub old: f64,
    /// The metric after.
    #[serde(with = "crate::report::model::number")]
    pub new: f64,
}

/// A condition of `--fail-if` that holds.
#[derive(Debug, Serialize)]
pub struct MetCondition {
    /// The condition as the user wrote it.
    pub condition: String,
    /// The test, or `total`.
    pub test: String,
    /// The metric before.
    #[serde(with = "crate::report::model::number")]
    pub old: f64,
    /// The metric after.
    #[serde(with = "crate::report::model::number")]
    pub new: f64,
}

impl Comparison {
    /// Compares two reports.
    ///
    /// # Errors
    /// No test has the metric of a condition in both reports.
    pub fn new(
        old: &Report,
        new: &Report,
        conditions: &[Condition],
    ) -> Result<Comparison, FileError> {
        let before: HashMap<&str, Trial<'_>> =
            old.trials().map(|trial| (trial.id, trial)).collect();
        let after: HashMap<&str, Trial<'_>> = new.trials().map(|trial| (trial.id, trial)).collect();
        let only = |one: &Report, other: &HashMap<&str, Trial<'_>>| -> Vec<String> {
            let alone = one.trials().filter(|trial| !other.contains_key(trial.id));
            alone.map(|trial| trial.id.to_owned()).collect()
        };
        let both: Vec<(Trial<'_>, Trial<'_>)> = new
            .trials()
            .filter_map(|trial| Some((*before.get(trial.id)?, trial)))
            .collect();
        let verdicts = both.iter().filter(|(old, new)| old.verdict != new.verdict);
        let mut wanted = Metric::usual();
        for condition in conditions {
            if !wanted
                .iter()
                .any(|metric| metric.name == condition.metric.name)
            {
                wanted.push(condition.metric.clone());
            }
        }
        let metrics: Vec<Change> = wanted
            .iter()
            .filter_map(|metric| Change::new(metric, &both))
            .collect();
        let mut held = Vec::new();
        for condition in conditions {
            let name = &condition.metric.name;
            let Some(total) = metrics.iter().find(|change| change.metric == *name) else {
                return Err(FileError::Unusable(format!(
                    "no test has `{name}` in both {} and {}: write them by a run that measures it (docs/ci.md)",
                    old.name, new.name
                )));
            };
            held.extend(condition.find_met(&both, total));
        }
        Ok(Comparison {
            both: both.len(),
            verdicts: verdicts
                .map(|(old, new)| (new.id.to_owned(), old.verdict, new.verdict))
                .collect(),
            missing: only(old, &after),
            added: only(new, &before),
            metrics,
            held,
        })
    }

    /// Returns the tests that passed before and do not pass any more.
    pub fn worse(&self) -> impl Iterator<Item = &(String, Verdict, Verdict)> {
        self.verdicts
            .iter()
            .filter(|(_, old, _)| *old == Verdict::Pass)
    }
}

impl Change {
    fn new(metric: &Metric, both: &[(Trial<'_>, Trial<'_>)]) -> Option<Change> {
        let rows = both
            .iter()
            .filter_map(|(old, new)| Some((new.id, metric.of(old.value)?, metric.of(new.value)?)));
        let rows: Vec<(&str, f64, f64)> = rows.collect();
        if rows.is_empty() {
            return None;
        }
        let different = rows.iter().filter(|(_, old, new)| old != new);
        let mut changed: Vec<Row> = different
            .map(|&(id, old, new)| Row {
                test: id.to_owned(),
                old,
                new,
            })
            .collect();
        let size = |row: &Row| share(row.old, row.new).abs();
        changed.sort_by(|a, b| size(b).total_cmp(&size(a)));
        Some(Change {
            metric: metric.name.clone(),
            tests: rows.len(),
            old: metric.whole(rows.iter().map(|row| row.1)),
            new: metric.whole(rows.iter().map(|row| row.2)),
            greater: changed.iter().filter(|row| row.new > row.old).count(),
            less: changed.iter().filter(|row| row.new < row.old).count(),
            changed,
        })
    }
}

/// Returns a change as a share of the old value.
pub fn share(old: f64, new: f64) -> f64 {
    if old == new {
        0.0
    } else if old == 0.0 {
        f64::INFINITY.copysign(new)
    } else {
        (new - old) / old.abs()
    }
}
