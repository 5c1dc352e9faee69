//! Metrics: numbers of a trial's report that can be compared.

use serde_json::Value;

/// The operation that combines several numbers into one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fold {
    Sum,
    Max,
}

/// A number of a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metric {
    /// The metric's name.
    pub name: String,
    /// The paths of the metric in the report of a trial; `*` is every element of a list or an object.
    paths: Vec<String>,
    fold: Fold,
}

/// The metrics with names: name, fold, paths in reports of runs and of profiles, and true if every comparison has the metric.
/// Times are not in every comparison, because they depend on the machine and its load.
const NAMED: [(&str, Fold, &[&str], bool); 23] = [
    (
        "error",
        Fold::Max,
        &["outputs/*/golden/used", "outputs/*/oracle/used"],
        true,
    ),
    ("rms", Fold::Max, &["outputs/*/oracle/relative_rms"], true),
    (
        "instructions",
        Fold::Sum,
        &["wave_instructions", "launches/*/instructions/*"],
        true,
    ),
    (
        "vector-instructions",
        Fold::Sum,
        &["launches/*/counters/vector_instructions"],
        true,
    ),
    (
        "traffic",
        Fold::Sum,
        &[
            "launches/*/counters/bytes/memory/read",
            "launches/*/counters/bytes/memory/written",
        ],
        true,
    ),
    (
        "read",
        Fold::Sum,
        &["launches/*/counters/bytes/memory/read"],
        true,
    ),
    (
        "written",
        Fold::Sum,
        &["launches/*/counters/bytes/memory/written"],
        true,
    ),
    (
        "lds",
        Fold::Sum,
        &[
            "launches/*/counters/bytes/lds/read",
            "launches/*/counters/bytes/lds/written",
        ],
        true,
    ),
    (
        "scratch",
        Fold::Sum,
        &[
            "launches/*/counters/bytes/scratch/read",
            "launches/*/counters/bytes/scratch/written",
        ],
        true,
    ),
    (
        "barriers",
        Fold::Sum,
        &["launches/*/counters/barriers", "launches/*/barriers"],
        true,
    ),
    ("vgprs", Fold::Max, &["launches/*/resources/vgprs"], true),
    ("sgprs", Fold::Max, &["launches/*/resources/sgprs"], true),
    (
        "spills",
        Fold::Max,
        &[
            "launches/*/resources/vgpr_spills",
            "launches/*/resources/sgpr_spills",
        ],
        true,
    ),
    ("code", Fold::Max, &["launches/*/resources/code"], true),
    ("model", Fold::Sum, &["launches/*/model/seconds"], true),
    ("bound", Fold::Sum, &["launches/*/model/bound"], true),
    ("floor", Fold::Sum, &["launches/*/model/floor"], true),
    ("valu-cycles", Fold::Sum, &["launches/*/valu_cycles"], true),
    ("lds-cycles", Fold::Sum, &["launches/*/lds_cycles"], true),
    ("lines", Fold::Sum, &["launches/*/lines"], true),
    (
        "unique-bytes",
        Fold::Sum,
        &[
            "launches/*/unique_bytes/read",
            "launches/*/unique_bytes/written",
        ],
        true,
    ),
    (
        "kernel-seconds",
        Fold::Sum,
        &["launches/*/kernel_seconds"],
        false,
    ),
    ("seconds", Fold::Sum, &["seconds"], false),
];

impl Metric {
    /// Returns the metrics that every comparison has.
    pub fn usual() -> Vec<Metric> {
        let unasked = NAMED.iter().filter(|row| row.3);
        unasked
            .map(|row| Metric::named(row.0, row.1, row.2))
            .collect()
    }

    /// Returns the names of the metrics.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMED.iter().map(|row| row.0)
    }

    /// Finds a metric by its name, or by a path in the report of a trial: `launches/*/counters/barriers`. The values at a path are summed.
    pub fn find(name: &str) -> Option<Metric> {
        if let Some(row) = NAMED.iter().find(|row| row.0 == name) {
            return Some(Metric::named(row.0, row.1, row.2));
        }
        name.contains('/')
            .then(|| Metric::named(name, Fold::Sum, &[name]))
    }

    fn named(name: &str, fold: Fold, paths: &[&str]) -> Metric {
        Metric {
            name: name.into(),
            paths: paths.iter().map(|&path| path.to_owned()).collect(),
            fold,
        }
    }

    /// Returns the metric's value in the report of a trial; none if the trial has none.
    pub fn of(&self, trial: &Value) -> Option<f64> {
        let mut found = Vec::new();
        for path in &self.paths {
            let keys: Vec<&str> = path.split('/').collect();
            numbers(trial, &keys, &mut found);
        }
        (!found.is_empty()).then(|| self.whole(found.into_iter()))
    }

    /// Combines several values of the metric into one.
    pub fn whole(&self, values: impl Iterator<Item = f64>) -> f64 {
        match self.fold {
            Fold::Sum => values.sum(),
            Fold::Max => values.fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

fn numbers(value: &Value, path: &[&str], found: &mut Vec<f64>) {
    match path {
        [] => found.extend(number(value)),
        ["*", rest @ ..] => {
            let elements = value.as_array().into_iter().flatten();
            elements.for_each(|element| numbers(element, rest, found));
            let members = value.as_object().into_iter().flatten();
            members.for_each(|(_, member)| numbers(member, rest, found));
        }
        [key, rest @ ..] => {
            let place = key.parse().ok().filter(|_| value.is_array());
            let inner = match place {
                Some::<usize>(place) => value.get(place),
                None => value.get(key),
            };
            if let Some(inner) = inner {
                numbers(inner, rest, found);
            }
        }
    }
}

/// Reads a number. JSON has no infinities and no NaN, so that reports write them as words; NaN counts as infinite, the worst value.
fn number(value: &Value) -> Option<f64> {
    match value.as_str() {
        Some("-inf") => Some(f64::NEG_INFINITY),
        Some("inf" | "NaN") => Some(f64::INFINITY),
        _ => value.as_f64(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_profiles_have_is_found_too() {
        let case = json!({
            "seconds": 3e-6,
            "launches": [
                { "instructions": { "salu": 3, "valu": 4 }, "barriers": 2, "model": { "seconds": 1e-6, "bound": 5e-7 } },
                { "instructions": { "salu": 1 }, "barriers": 1, "model": { "seconds": 2e-6, "bound": 5e-7 } },
            ],
        });
        let of = |name| Metric::find(name).and_then(|metric| metric.of(&case));
        let found = ["model", "bound", "instructions", "barriers"].map(of);
        assert_eq!(found, [Some(3e-6), Some(1e-6), Some(8.0), Some(3.0)]);
        let found = ["floor", "launches/1/barriers"].map(of);
        assert_eq!(found, [None, Some(1.0)]);
        let run = json!({ "seconds": 2.0, "wave_instructions": 5 });
        let of = |name| Metric::find(name).and_then(|metric| metric.of(&run));
        let found = ["seconds", "model", "instructions"].map(of);
        assert_eq!(found, [Some(2.0), None, Some(5.0)]);
    }
}
