//! Laws of sums and products of neighbours.

use super::rows::nothing;
use crate::contract::Values;
use crate::contract::relation::{Array, Claim, Relation, RunArrays};

/// The law that neighbouring running sums differ by the summed element.
pub const SUMS: Relation = Relation::alone(
    "sums-differ-by-summands",
    "each sum less the one before is its element, as far as both may be off",
    |_, seen| {
        let (summed, sums) = (seen.input("in")?, seen.output("out")?);
        Some(vec![differences(
            sums,
            |at| at.checked_sub(1),
            |at| summed.values[at],
        )])
    },
);

/// The law of sums within chunks of log gates.
pub const CHUNK_SUMS: Relation = Relation::alone(
    "sums-differ-by-summands",
    "each sum less the one before in its chunk is the token's log gate, as far as both may be off and f32 holds the logarithm",
    |case, seen| {
        let (g, sums) = (seen.input("g")?, seen.output("G")?);
        let chunk = case.dim("C")?.max(1);
        let [_, tokens, heads] = sums.axes.get(..3)? else {
            return None;
        };
        let (tokens, heads) = (tokens.length, heads.length);
        let before = |at: usize| {
            let first = (at / heads % tokens).is_multiple_of(chunk);
            if first { None } else { at.checked_sub(heads) }
        };
        let log = |at: usize| match case.word("gate_kind") {
            Some("negated") => -g.values[at],
            Some("factor") => g.values[at].ln(),
            _ => g.values[at],
        };
        let mut claim = differences(sums, before, log);
        let places = claim.right.allowed.iter_mut().zip(&claim.right.values);
        // An f32 logarithm has an error of a few of its last places.
        places.for_each(|(allowed, log)| *allowed += 1e-6 * log.abs());
        Some(vec![claim])
    },
);

/// Returns the claim that each element less the element before it, if any, is `own`. It does not apply to numbers that are not finite.
fn differences(
    sums: &Array,
    before: impl Fn(usize) -> Option<usize>,
    own: impl Fn(usize) -> f64,
) -> Claim {
    let mut claim = nothing(sums, sums.values.len());
    for at in 0..sums.values.len() {
        let last = before(at);
        let (value, off) = last.map_or((0.0, 0.0), |last| (sums.values[last], sums.allowed[last]));
        if [sums.values[at], value, own(at)]
            .iter()
            .all(|x| x.is_finite())
        {
            claim.left[at] = sums.values[at] - value;
            claim.right.values[at] = own(at);
            claim.right.allowed[at] = sums.allowed[at] + off;
        }
    }
    claim
}

/// The law that each sequence begins where the sequence before it ends.
pub const OFFSETS: Relation = Relation::alone(
    "offsets-differ-by-lengths",
    "the first offset is 0, and each is the one before and the length between them",
    |_, seen| {
        let (lens, cu) = (seen.input("lens")?, seen.output("cu")?);
        let own = |at: usize| at.checked_sub(1).map_or(0.0, |at| lens.values[at]);
        Some(vec![differences(cu, |at| at.checked_sub(1), own)])
    },
);
/// The law that no length is negative, and that the lengths sum to the number of tokens.
pub const LENGTHS: Relation = Relation::alone(
    "lengths-sum-to-all",
    "no length is below 0, and all of them together are what lies between the first offset and the last",
    |_, seen| {
        let (cu, lens) = (seen.input("cu")?, seen.output("lens")?);
        let mut claim = nothing(lens, lens.values.len());
        claim.left = lens.values.iter().map(|length| length.min(0.0)).collect();
        let all = cu.values.last()? - cu.values.first()?;
        let last = claim.left.len().checked_sub(1)?;
        if claim.left[last] == 0.0 {
            claim.left[last] = lens.values.iter().sum();
            claim.right.values[last] = all;
        }
        Some(vec![claim])
    },
);
/// The law that the first offset is 0 and offsets never fall.
pub const NOT_FALLING: Relation = Relation::alone(
    "offsets-never-fall",
    "the first offset is 0, and none is below the one before",
    |_: &Values, seen: &RunArrays<'_>| {
        let offsets = seen.output("offsets")?;
        let mut claim = nothing(offsets, offsets.values.len());
        for (at, own) in offsets.values.iter().enumerate() {
            let before = at.checked_sub(1).map(|at| offsets.values[at]);
            claim.left[at] = before.map_or(*own, |before| (own - before).min(0.0));
        }
        Some(vec![claim])
    },
);

/// The law that the decay over two spans is the product of their decays.
pub const MASK: Relation = Relation::alone(
    "decays-multiply",
    "the decay from token 0 to i is that from 0 to j times that from j to i",
    |_, seen| {
        let mask = seen.output("mask")?;
        let n = mask.axes.first()?.length;
        let mut claim = nothing(mask, mask.values.len());
        for at in 0..mask.values.len() {
            let (i, j) = (at / n, at % n);
            let of = |place: usize| (mask.values[place], mask.allowed[place]);
            let [(whole, off), (first, a), (second, b)] = [of(i * n), of(j * n), of(at)];
            let product = first * second;
            if j <= i && product.is_finite() && whole.is_finite() {
                claim.left[at] = product;
                claim.right.values[at] = whole;
                claim.right.allowed[at] = off + first.abs() * b + second.abs() * a + a * b;
            }
        }
        Some(vec![claim])
    },
);
