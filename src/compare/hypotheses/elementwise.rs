//! Hypotheses in which every element depends on the expected element at the same index.

use half::{bf16, f16};

use super::{Evidence, Prediction};
use crate::tensor::Element;

pub(super) fn zero(evidence: &Evidence<'_>) -> Vec<Prediction> {
    vec![Prediction::of(
        "every element is 0",
        evidence.want.iter().map(|_| 0.0),
    )]
}

/// Predicts that numbers beyond the type of the output became infinite, where the contract saturates.
pub(super) fn overflow(evidence: &Evidence<'_>) -> Vec<Prediction> {
    let largest = evidence.largest;
    let pairs = || evidence.oracle.iter().zip(evidence.want);
    let beyond = |(oracle, want): (&f64, &f64)| oracle.abs() > largest && want.abs() == largest;
    if !pairs().any(beyond) {
        return Vec::new();
    }
    let value = |(oracle, want)| match beyond((oracle, want)) {
        true => oracle.signum() * f64::INFINITY,
        false => *want,
    };
    vec![Prediction::of(
        format!("numbers beyond {largest} became infinite, where the contract has {largest}"),
        pairs().map(value),
    )]
}

pub(super) fn sign(evidence: &Evidence<'_>) -> Vec<Prediction> {
    vec![Prediction::of(
        "the sign is flipped",
        evidence.want.iter().map(|want| -want),
    )]
}

pub(super) fn echo(evidence: &Evidence<'_>) -> Vec<Prediction> {
    let echo = |(name, values): &(&str, Vec<f64>)| {
        Prediction::of(
            format!("the output is the input `{name}`, unchanged"),
            values.iter().copied(),
        )
    };
    evidence.inputs.iter().map(echo).collect()
}

/// Predicts a constant factor, measured by least squares and named if it is familiar.
pub(super) fn scale(evidence: &Evidence<'_>) -> Vec<Prediction> {
    let pairs = || {
        evidence
            .got
            .iter()
            .zip(evidence.want)
            .filter(|(got, want)| got.is_finite() && want.is_finite())
    };
    let products: f64 = pairs().map(|(got, want)| got * want).sum();
    let squares: f64 = pairs().map(|(_, want)| want * want).sum();
    let measured = products / squares;
    // A factor of 1 or -1 explains nothing, and a factor near 0 is no factor.
    let trivial = (measured.abs() - 1.0).abs() < 1e-4 || measured.abs() < 1e-9;
    if !measured.is_normal() || trivial {
        return Vec::new();
    }
    let named = familiar(&evidence.lengths)
        .into_iter()
        .flat_map(|(name, factor)| [(name.clone(), factor), (format!("-{name}"), -factor)])
        .find(|(_, factor)| (measured / factor - 1.0).abs() < 1e-4);
    let digits = |factor: f64| match factor.abs() < 1e-3 {
        true => format!("{factor:.6e}"),
        false => format!("{factor:.6}"),
    };
    let (name, factor) = named.unwrap_or_else(|| (digits(measured), measured));
    let explanation = format!("scaled by {name}: a factor is missing or applied twice");
    vec![Prediction::of(
        explanation,
        evidence.want.iter().map(|want| want * factor),
    )]
}

/// Returns factors that kernels forget: small integers, ln 2, and factors of the axes' lengths.
fn familiar(lengths: &[usize]) -> Vec<(String, f64)> {
    let mut factors: Vec<(String, f64)> = Vec::new();
    for n in 2..=16usize {
        factors.push((n.to_string(), n as f64));
        factors.push((format!("1/{n}"), 1.0 / n as f64));
    }
    factors.push(("ln 2".into(), std::f64::consts::LN_2));
    factors.push(("1/ln 2".into(), std::f64::consts::LOG2_E));
    for &n in lengths.iter().chain(&[16, 32, 64, 128, 256]) {
        let root = (n as f64).sqrt();
        factors.push((format!("{n}"), n as f64));
        factors.push((format!("1/{n}"), 1.0 / n as f64));
        factors.push((format!("sqrt({n})"), root));
        factors.push((format!("1/sqrt({n})"), 1.0 / root));
    }
    factors
}

/// Predicts that the identity is missing from the diagonal of square matrices or was added twice, in all rows or in a range of rows.
pub(super) fn identity(evidence: &Evidence<'_>) -> Vec<Prediction> {
    let Some(square) = evidence.square() else {
        return Vec::new();
    };
    let on_diagonal = |at: usize| {
        let (row, column) = square.place(at);
        (row == column).then_some(row)
    };
    let with = |rows: std::ops::Range<usize>, change: fn(f64) -> f64| {
        let values = evidence.want.iter().enumerate();
        values.map(move |(at, &want)| match on_diagonal(at) {
            Some(row) if rows.contains(&row) => change(want),
            _ => want,
        })
    };
    let all = 0..usize::MAX;
    let mut found = vec![
        Prediction::of(
            "the identity is missing: the diagonal is 1 too low",
            with(all.clone(), |want| want - 1.0),
        ),
        Prediction::of(
            "the identity was added to a diagonal that still held it: the diagonal is 1 too high",
            with(all.clone(), |want| want + 1.0),
        ),
        Prediction::of("the diagonal is left at 0", with(all.clone(), |_| 0.0)),
        Prediction::of("the diagonal is set to 1", with(all, |_| 1.0)),
    ];
    for (off, change) in [
        (-1.0, (|want| want - 1.0) as fn(f64) -> f64),
        (1.0, |want| want + 1.0),
    ] {
        let rows = (0..evidence.want.len()).filter(|&at| {
            let error = evidence.got[at] - evidence.want[at];
            (error - off).abs() < 0.1
        });
        let rows: Vec<usize> = rows.filter_map(on_diagonal).collect();
        let (Some(&first), Some(&last)) = (rows.iter().min(), rows.iter().max()) else {
            continue;
        };
        let explanation = if off < 0.0 {
            format!(
                "the identity is missing from rows {first}..{last}: the diagonal is 1 too low there"
            )
        } else {
            format!(
                "the identity was added to a diagonal that still held it in rows {first}..{last}, which are 1 too high"
            )
        };
        found.push(Prediction::of(explanation, with(first..last + 1, change)));
    }
    found
}

/// Predicts reciprocals. A zero of the reference was masked and stays 0, or is a decay that underflowed and whose reciprocal is infinite.
pub(super) fn reciprocal(evidence: &Evidence<'_>) -> Vec<Prediction> {
    let explanation =
        "the reciprocal: the sign of an exponent (a gate) is flipped, or a division is upside down";
    let of = |(want, got): (&f64, &f64)| match *want == 0.0 && !got.is_infinite() {
        true => *want,
        false => 1.0 / want,
    };
    let values = evidence.want.iter().zip(&evidence.got).map(of);
    vec![Prediction::of(explanation, values)]
}

/// Predicts an exponential to the other base, which is a constant power of the expected value.
pub(super) fn base(evidence: &Evidence<'_>) -> Vec<Prediction> {
    let power = |exponent: f64| evidence.want.iter().map(move |want| want.powf(exponent));
    vec![
        Prediction::of(
            "an exponential to base 2 where base e is meant",
            power(std::f64::consts::LN_2),
        ),
        Prediction::of(
            "an exponential to base e where base 2 is meant",
            power(std::f64::consts::LOG2_E),
        ),
    ]
}

pub(super) fn power(evidence: &Evidence<'_>) -> Vec<Prediction> {
    vec![
        Prediction::of(
            "squared: a gate or decay is applied twice",
            evidence.want.iter().map(|want| want * want),
        ),
        Prediction::of(
            "the square root: half an exponent is missing",
            evidence.want.iter().map(|want| want.sqrt()),
        ),
    ]
}

pub(super) fn complement(evidence: &Evidence<'_>) -> Vec<Prediction> {
    let explanation = "one minus the value: a gate and its complement are swapped";
    vec![Prediction::of(
        explanation,
        evidence.want.iter().map(|want| 1.0 - want),
    )]
}

/// Predicts that an input is missing from a sum, or added twice.
pub(super) fn input_added(evidence: &Evidence<'_>) -> Vec<Prediction> {
    let both = |(name, values): &(&str, Vec<f64>)| {
        let pairs = || evidence.want.iter().zip(values);
        [
            Prediction::of(
                format!("the input `{name}` is missing from a sum"),
                pairs().map(|(want, input)| want - input),
            ),
            Prediction::of(
                format!("the input `{name}` is added once too often"),
                pairs().map(|(want, input)| want + input),
            ),
        ]
    };
    evidence.inputs.iter().flat_map(both).collect()
}

fn rounded<E: Element>(value: &f64) -> f64 {
    E::nearest(*value).to_f64()
}

/// Predicts results that were rounded or truncated to a narrower type.
pub(super) fn precision(evidence: &Evidence<'_>) -> Vec<Prediction> {
    let truncated = |want: &f64| f64::from(f32::from_bits((*want as f32).to_bits() & 0xFFFF_0000));
    // A reference that the narrower type holds exactly cannot reveal a truncation.
    if evidence.want.iter().all(|want| truncated(want) == *want) {
        return vec![Prediction::of(
            "truncated to bf16 instead of rounded",
            evidence.oracle.iter().map(truncated),
        )];
    }
    vec![
        Prediction::of("rounded to bf16", evidence.want.iter().map(rounded::<bf16>)),
        Prediction::of("truncated to bf16", evidence.want.iter().map(truncated)),
        Prediction::of("rounded to f16", evidence.want.iter().map(rounded::<f16>)),
    ]
}
