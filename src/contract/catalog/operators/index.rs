//! The operators of `index`: positions of sequences, tokens and chunks as exact whole numbers.

use deltanet_reference::gdr::index;

use super::super::Function;
use super::lengths::{LENGTHS, lengths};
use crate::contract::catalog::laws;
use crate::contract::{Buffer, DeviceResult, Domain, Factor, Instance, Rule, axes};
use crate::tensor::Axis;
use crate::tensor::ElementKind::I32;

/// A contract about sequences of some lengths.
const INDEX: Function = Function {
    words: &[LENGTHS],
    ..Function::EMPTY
};

/// The contracts.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "gdr_prepare_lens",
        title: "lengths of sequences",
        formulas: &["lens[n] = cu[n+1] - cu[n]"],
        outputs: &["lens"],
        domain: Domain::of(&[]).relations(&[laws::LENGTHS]),
        run: &lens,
        ..INDEX
    },
    Function {
        name: "gdr_cu_seqlens_from_lens",
        title: "first tokens of sequences, from their lengths",
        formulas: &["cu[n] = sum_(j<n) lens[j]"],
        outputs: &["cu"],
        domain: Domain::of(&[]).relations(&[laws::OFFSETS]),
        run: &cu_seqlens,
        ..INDEX
    },
    Function {
        name: "gdr_prepare_position_ids",
        title: "positions of tokens in their sequences",
        formulas: &["ids[t] = t - cu[n]; token t of sequence n"],
        outputs: &["ids"],
        run: &|t| of_tokens(t, index::prepare_position_ids),
        ..INDEX
    },
    Function {
        name: "gdr_prepare_sequence_ids",
        title: "numbers of tokens' sequences",
        formulas: &["ids[t] = n; the number of token t's sequence among those that have tokens"],
        outputs: &["ids"],
        run: &|t| of_tokens(t, index::prepare_sequence_ids),
        ..INDEX
    },
    Function {
        name: "gdr_prepare_chunk_offsets",
        title: "chunks before each sequence",
        formulas: &["offsets[n] = sum_(j<n) ceil((cu[j+1] - cu[j]) / C)"],
        dims: &["C"],
        outputs: &["offsets"],
        domain: Domain::of(&[Factor::One("C", &[1, 2, 3, 16, 64])])
            .uncomputed(&[ONE_EACH])
            .relations(&[laws::NOT_FALLING]),
        run: &chunk_offsets,
        ..INDEX
    },
    Function {
        name: "gdr_prepare_chunk_indices",
        title: "sequence and place of each chunk",
        formulas: &[
            "indices[c] = (n, c - offsets[n]); the sequence n of chunk c, and the place of the chunk in it",
        ],
        dims: &["C"],
        outputs: &["indices"],
        domain: Domain::of(&[Factor::One("C", &[1, 3, 16, 64])]),
        run: &chunk_indices,
        ..INDEX
    },
];

/// Cases with chunks of one token, whose offsets are the tokens' offsets.
const ONE_EACH: Rule = Rule {
    of: &["C"],
    says: "C = 1: there are as many chunks before a sequence as tokens",
    breaks: &|case| case.get("C") == Some(1),
};

fn numbers(t: &mut Instance<'_>, name: &str, axis: &str, values: Vec<i32>) -> DeviceResult<Buffer> {
    let shape = axes([(axis, values.len())]);
    t.upload(name, shape, values)
}

/// Adds an output of whole numbers with its expected values.
fn check(t: &mut Instance<'_>, (name, shape): (&str, Vec<Axis>), want: Vec<i32>) -> DeviceResult {
    let out = t.output_as(I32, name, shape)?;
    t.check_exact(out, want)
}

// The expected values follow from the uploaded numbers, so that experiments can change them.

fn lens(t: &mut Instance<'_>) -> DeviceResult {
    let cu = index::cu_seqlens_from_lens(&lengths(t));
    let cu = numbers(t, "cu", "sequence", cu)?;
    let pairs = t.integers(cu).windows(2);
    let want: Vec<i32> = pairs.map(|pair| pair[1] - pair[0]).collect();
    let out = ("lens", axes([("sequence", want.len())]));
    check(t, out, want)
}

fn cu_seqlens(t: &mut Instance<'_>) -> DeviceResult {
    let lengths = lengths(t);
    let n = lengths.len();
    let lens = numbers(t, "lens", "sequence", lengths)?;
    let want = index::cu_seqlens_from_lens(t.integers(lens));
    let out = ("cu", axes([("sequence", n + 1)]));
    check(t, out, want)
}

/// Adds an output with a number for each token.
fn of_tokens(t: &mut Instance<'_>, want: impl Fn(&[i32]) -> Vec<i32>) -> DeviceResult {
    let cu = index::cu_seqlens_from_lens(&lengths(t));
    let cu = numbers(t, "cu", "sequence", cu)?;
    let want = want(t.integers(cu));
    let out = ("ids", axes([("token", want.len())]));
    check(t, out, want)
}

fn chunk_offsets(t: &mut Instance<'_>) -> DeviceResult {
    let chunk = t.dim("C");
    let cu = index::cu_seqlens_from_lens(&lengths(t));
    let n = cu.len() - 1;
    let cu = numbers(t, "cu", "sequence", cu)?;
    let want = index::prepare_chunk_offsets(t.integers(cu), chunk);
    let out = ("offsets", axes([("sequence", n + 1)]));
    check(t, out, want)
}

fn chunk_indices(t: &mut Instance<'_>) -> DeviceResult {
    let chunk = t.dim("C");
    let cu = index::cu_seqlens_from_lens(&lengths(t));
    let offsets = index::prepare_chunk_offsets(&cu, chunk);
    let offsets = numbers(t, "offsets", "sequence", offsets)?;
    let sequences = (0..).zip(t.integers(offsets).windows(2));
    let want: Vec<i32> = sequences
        .flat_map(|(n, bounds)| (bounds[0]..bounds[1]).flat_map(move |c| [n, c - bounds[0]]))
        .collect();
    let places = axes([("chunk", want.len() / 2), ("sequence, place", 2)]);
    check(t, ("indices", places), want)
}
