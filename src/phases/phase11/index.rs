//! index: where sequences lie. Whole numbers, exact.

use deltanet_reference::gdr::index;

use super::super::Function;
use super::lengths::{LENGTHS, lengths};
use crate::compare::ElementKind::I32;
use crate::trial::{Arg, Buffer, Grid, Outcome, Trial, axes, int, line};
use crate::verdict::Axis;

/// Indices.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "gdr_prepare_lens",
        title: "lengths of sequences",
        kernels: &["gdr_prepare_lens_i32"],
        dims: &[],
        integers: &[],
        words: &[LENGTHS],
        outputs: &["lens"],
        largest: &[],
        run: lens,
    },
    Function {
        name: "gdr_cu_seqlens_from_lens",
        title: "first tokens of sequences, from their lengths",
        kernels: &["gdr_cu_seqlens_from_lens_i32"],
        dims: &[],
        integers: &[],
        words: &[LENGTHS],
        outputs: &["cu"],
        largest: &[],
        run: cu_seqlens,
    },
    Function {
        name: "gdr_prepare_position_ids",
        title: "positions of tokens in their sequences",
        kernels: &["gdr_prepare_position_ids_i32"],
        dims: &[],
        integers: &[],
        words: &[LENGTHS],
        outputs: &["ids"],
        largest: &[],
        run: position_ids,
    },
    Function {
        name: "gdr_prepare_sequence_ids",
        title: "numbers of tokens' sequences",
        kernels: &["gdr_prepare_sequence_ids_i32"],
        dims: &[],
        integers: &[],
        words: &[LENGTHS],
        outputs: &["ids"],
        largest: &[],
        run: sequence_ids,
    },
    Function {
        name: "gdr_prepare_chunk_offsets",
        title: "chunks before each sequence",
        kernels: &["gdr_prepare_chunk_offsets_i32"],
        dims: &["C"],
        integers: &[],
        words: &[LENGTHS],
        outputs: &["offsets"],
        largest: &[],
        run: chunk_offsets,
    },
    Function {
        name: "gdr_prepare_chunk_indices",
        title: "sequence and place of each chunk",
        kernels: &["gdr_prepare_chunk_indices_i32"],
        dims: &["C"],
        integers: &[],
        words: &[LENGTHS],
        outputs: &["indices"],
        largest: &[],
        run: chunk_indices,
    },
];

fn numbers(t: &mut Trial<'_>, name: &str, axis: &str, values: Vec<i32>) -> Outcome<Buffer> {
    let shape = axes([(axis, values.len())]);
    t.upload(name, shape, values)
}

/// Launches a kernel that takes one tensor of whole numbers to another, and says what that is.
fn run(
    t: &mut Trial<'_>,
    (kernel, grid): (&str, Grid),
    input: Buffer,
    (name, shape): (&str, Vec<Axis>),
    counts: &[Arg],
    want: Vec<i32>,
) -> Outcome {
    let out = t.output_as(I32, name, shape)?;
    let args = [&[input.read(), out.write()], counts].concat();
    t.launch(kernel, grid, &args)?;
    t.check_exact(out, want)
}

/// One work-group, over as many sequences as there are.
fn one_group() -> Grid {
    Grid::of([1; 3], 256)
}

fn lens(t: &mut Trial<'_>) -> Outcome {
    let want = lengths(t);
    let n = want.len();
    let cu = numbers(t, "cu", "sequence", index::cu_seqlens_from_lens(&want))?;
    let out = ("lens", axes([("sequence", n)]));
    run(
        t,
        ("gdr_prepare_lens_i32", line(n)),
        cu,
        out,
        &[int(n)],
        want,
    )
}

fn cu_seqlens(t: &mut Trial<'_>) -> Outcome {
    let lengths = lengths(t);
    let n = lengths.len();
    let want = index::cu_seqlens_from_lens(&lengths);
    let lens = numbers(t, "lens", "sequence", lengths)?;
    let out = ("cu", axes([("sequence", n + 1)]));
    let kernel = "gdr_cu_seqlens_from_lens_i32";
    run(t, (kernel, one_group()), lens, out, &[int(n)], want)
}

/// A kernel with a result for each token.
fn of_tokens(t: &mut Trial<'_>, kernel: &str, want: impl Fn(&[i32]) -> Vec<i32>) -> Outcome {
    let cu = index::cu_seqlens_from_lens(&lengths(t));
    let want = want(&cu);
    let (n, tokens) = (cu.len() - 1, want.len());
    let cu = numbers(t, "cu", "sequence", cu)?;
    let out = ("ids", axes([("token", tokens)]));
    let counts = [int(n), int(tokens)];
    run(t, (kernel, line(tokens)), cu, out, &counts, want)
}

fn position_ids(t: &mut Trial<'_>) -> Outcome {
    of_tokens(
        t,
        "gdr_prepare_position_ids_i32",
        index::prepare_position_ids,
    )
}

fn sequence_ids(t: &mut Trial<'_>) -> Outcome {
    of_tokens(
        t,
        "gdr_prepare_sequence_ids_i32",
        index::prepare_sequence_ids,
    )
}

fn chunk_offsets(t: &mut Trial<'_>) -> Outcome {
    let chunk = t.dim("C");
    let cu = index::cu_seqlens_from_lens(&lengths(t));
    let n = cu.len() - 1;
    let want = index::prepare_chunk_offsets(&cu, chunk);
    let cu = numbers(t, "cu", "sequence", cu)?;
    let out = ("offsets", axes([("sequence", n + 1)]));
    let kernel = "gdr_prepare_chunk_offsets_i32";
    run(
        t,
        (kernel, one_group()),
        cu,
        out,
        &[int(n), int(chunk)],
        want,
    )
}

fn chunk_indices(t: &mut Trial<'_>) -> Outcome {
    let chunk = t.dim("C");
    let cu = index::cu_seqlens_from_lens(&lengths(t));
    let n = cu.len() - 1;
    let want = index::prepare_chunk_indices(&cu, chunk);
    let chunks = want.len();
    let offsets = index::prepare_chunk_offsets(&cu, chunk);
    let offsets = numbers(t, "offsets", "sequence", offsets)?;
    let out = ("indices", axes([("chunk", chunks), ("sequence, place", 2)]));
    let kernel = ("gdr_prepare_chunk_indices_i32", line(chunks));
    let counts = [int(n), int(chunks)];
    run(t, kernel, offsets, out, &counts, want.concat())
}
