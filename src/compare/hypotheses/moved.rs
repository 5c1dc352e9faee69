//! Hypotheses in which right values are at wrong indices.

use super::{Evidence, Prediction};

/// Predicts that each matrix of the last two axes was written or read with rows and columns swapped.
pub(super) fn transposed(evidence: &Evidence<'_>) -> Vec<Prediction> {
    let Some((rows, columns)) = evidence.matrix() else {
        return Vec::new();
    };
    let size = rows * columns;
    // Source index of each element of a matrix that is stored transposed.
    let swapped = |rows: usize, columns: usize| {
        (0..evidence.want.len()).map(move |at| {
            let (base, within) = (at / size * size, at % size);
            evidence.want[base + within % rows * columns + within / rows]
        })
    };
    let mut found = vec![Prediction::of(
        "rows and columns are swapped (the output is transposed)",
        swapped(rows, columns),
    )];
    if rows != columns {
        let explanation = "the result is stored with the row length of its transpose";
        found.push(Prediction::of(explanation, swapped(columns, rows)));
    }
    found
}

/// Predicts outputs that are shifted by one step along an axis, or along memory.
pub(super) fn shifted(evidence: &Evidence<'_>) -> Vec<Prediction> {
    let mut found = Vec::new();
    let mut stride = evidence.want.len();
    for (name, &length) in evidence.names.iter().zip(&evidence.lengths) {
        stride /= length.max(1);
        for step in [-1isize, 1] {
            let values = (0..evidence.want.len()).map(|at| {
                let from = (at / stride % length).checked_add_signed(step)?;
                let flat = at.checked_add_signed(step * stride as isize)?;
                (from < length).then(|| evidence.want[flat])
            });
            let (source, hint) = if step < 0 {
                ("i-1", "exclusive instead of inclusive, or off by one")
            } else {
                ("i+1", "off by one")
            };
            let explanation =
                format!("shifted: {name} i holds what belongs into {name} {source} ({hint})");
            found.push(Prediction {
                explanation,
                values: values.collect(),
            });
        }
    }
    found
}

/// Predicts that an axis is reversed.
pub(super) fn reversed(evidence: &Evidence<'_>) -> Vec<Prediction> {
    along(
        evidence,
        |index, length| length - 1 - index,
        |name| format!("the {name}s stand in reverse order"),
    )
}

/// Predicts outputs in which one index of an axis is used for all indices.
pub(super) fn broadcast(evidence: &Evidence<'_>) -> Vec<Prediction> {
    along(
        evidence,
        |_, _| 0,
        |name| format!("every {name} holds what belongs into {name} 0"),
    )
}

/// Predicts for each axis of more than one index that the value comes from another index along it.
fn along(
    evidence: &Evidence<'_>,
    source: fn(usize, usize) -> usize,
    explanation: fn(&str) -> String,
) -> Vec<Prediction> {
    let mut found = Vec::new();
    let mut stride = evidence.want.len();
    for (name, &length) in evidence.names.iter().zip(&evidence.lengths) {
        stride /= length.max(1);
        if length < 2 {
            continue;
        }
        let values = (0..evidence.want.len()).map(|at| {
            let index = at / stride % length;
            evidence.want[at - index * stride + source(index, length) * stride]
        });
        found.push(Prediction::of(explanation(name), values));
    }
    found
}

/// Predicts the other head map: block for tiled, or tiled for block.
pub(super) fn heads(evidence: &Evidence<'_>) -> Vec<Prediction> {
    let mut found = Vec::new();
    let mut stride = evidence.want.len();
    for (name, &length) in evidence.names.iter().zip(&evidence.lengths) {
        stride /= length.max(1);
        if !name.contains("head") {
            continue;
        }
        for group in (2..length).filter(|group| length.is_multiple_of(*group)) {
            let values = (0..evidence.want.len()).map(|at| {
                let head = at / stride % length;
                let other = head % group * (length / group) + head / group;
                evidence.want[at - head * stride + other * stride]
            });
            let explanation = format!(
                "the other head map: {name} h holds what belongs into {name} h % {group} * {} + h / {group}",
                length / group
            );
            found.push(Prediction::of(explanation, values));
        }
    }
    found
}
