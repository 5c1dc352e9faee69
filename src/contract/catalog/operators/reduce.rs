//! Reductions of gdr_utils: one result for each block of 256 elements, which the host finishes.

use deltanet_reference::gdr::utils;

use super::super::Function;
use crate::contract::catalog::values::{self, ALONE, N, ONE_ELEMENT};
use crate::contract::{Buffer, DeviceResult, Domain, Instance, axes, elements};
use crate::references;
use crate::tensor::Distribution::Normal;

/// The contracts.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "gdr_max_reduce",
        title: "the largest of each block of 256",
        formulas: &[
            "partial[b] = max_i x[i]; over block b of 256 elements; the last block may be shorter",
        ],
        dims: &["n"],
        integers: &[],
        words: &[("signs", &["both", "negative"])],
        outputs: &["partial"],
        largest: &[&["n"]],
        domain: Domain::of(&[N])
            .values(&[(
                values::NAME,
                &[
                    values::ORDINARY,
                    values::TINY,
                    values::SPREAD,
                    values::INFINITE,
                ],
            )])
            .without(&[ALONE])
            .uncomputed(&[ONE_ELEMENT]),
        run: &max_reduce,
        ..Function::EMPTY
    },
    Function {
        name: "gdr_sum_reduce",
        title: "the sum of each block of 256",
        formulas: &[
            "partial[b] = sum_i x[i]; over block b of 256 elements; the last block may be shorter",
        ],
        dims: &["n"],
        outputs: &["partial"],
        largest: &[&["n"]],
        domain: Domain::of(&[N])
            .values(&[values::SUMMANDS])
            .without(&[ALONE])
            .uncomputed(&[ONE_ELEMENT]),
        run: &sum_reduce,
        ..Function::EMPTY
    },
];

/// Adds the output, with an element for each block.
fn partial_output(t: &mut Instance<'_>, n: usize) -> DeviceResult<Buffer> {
    t.output("partial", axes([("block", n.div_ceil(utils::BLOCK))]))
}

fn max_reduce(t: &mut Instance<'_>) -> DeviceResult {
    let n = t.dim("n");
    let class = t.word(values::NAME);
    let drawn = values::draw_of(t, class, ("drawn", elements(n)), Normal(1.0));
    let mut values = t.values(drawn).to_vec();
    if t.word("signs") == "negative" {
        values.iter_mut().for_each(|x| *x = -x.abs() - 1.0);
    }
    let x = t.upload("x", elements(n), values)?;
    let partial = partial_output(t, n)?;
    t.check(partial, references!(t, |x| utils::max_partials(x)))
}

fn sum_reduce(t: &mut Instance<'_>) -> DeviceResult {
    let n = t.dim("n");
    let x = values::input(t, "x", elements(n), Normal(1.0))?;
    let partial = partial_output(t, n)?;
    t.check(partial, references!(t, |x| utils::sum_partials(x)))
}
