//! Numbers of a trial's report that can be compared.

use serde_json::Value;

/// How numbers become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fold {
    Sum,
    Max,
}

/// A number of a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Its name.
    pub name: String,
    /// Where it stands in the report of a trial; `*` is every element of a list.
    paths: Vec<String>,
    fold: Fold,
}

/// The metrics with names: name, fold, places, and whether a comparison has it unasked. Times are of a machine and its load.
const NAMED: [(&str, Fold, &[&str], bool); 16] = [
    (
        "error",
        Fold::Max,
        &["outputs/*/golden/used", "outputs/*/oracle/used"],
        true,
    ),
    ("rms", Fold::Max, &["outputs/*/oracle/relative_rms"], true),
    ("instructions", Fold::Sum, &["wave_instructions"], true),
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
        &["launches/*/counters/barriers"],
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
    (
        "kernel-seconds",
        Fold::Sum,
        &["launches/*/kernel_seconds"],
        false,
    ),
    ("seconds", Fold::Sum, &["seconds"], false),
];

impl Metric {
    /// Those that every comparison has.
    pub fn usual() -> Vec<Metric> {
        let unasked = NAMED.iter().filter(|row| row.3);
        unasked
            .map(|row| Metric::named(row.0, row.1, row.2))
            .collect()
    }

    /// The names that there are.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMED.iter().map(|row| row.0)
    }

    /// One by name, or by its place in the report of a trial: `launches/*/counters/barriers`, whose elements are summed up.
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

    /// Its value in the report of a trial; none if it has none.
    pub fn of(&self, trial: &Value) -> Option<f64> {
        let mut found = Vec::new();
        for path in &self.paths {
            let keys: Vec<&str> = path.split('/').collect();
            numbers(trial, &keys, &mut found);
        }
        (!found.is_empty()).then(|| self.whole(found.into_iter()))
    }

    /// Several of its values as one.
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
        }
        [key, rest @ ..] => {
            if let Some(inner) = value.get(key) {
                numbers(inner, rest, found);
            }
        }
    }
}

/// What JSON has no number for is a word, and as bad as can be.
fn number(value: &Value) -> Option<f64> {
    match value.as_str() {
        Some("-inf") => Some(f64::NEG_INFINITY),
        Some("inf" | "NaN") => Some(f64::INFINITY),
        _ => value.as_f64(),
    }
}
