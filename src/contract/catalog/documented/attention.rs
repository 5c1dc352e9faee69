//! Decay mask and attention matrix, as documented.

use deltanet_reference::operators;

use super::laws;
use super::{Function, exchanged, values};
use crate::contract::relation::Step;
use crate::contract::{
    Buffer, Choice, DeviceResult, Domain, Factor, Instance, Rule, axes, elements, table,
};
use crate::references;
use crate::tensor::Distribution::{self, Normal, Walk};

/// Classes of cumulated gates. The documented mask stays small, both grows and shrinks, or exceeds f32.
pub const SUMS: Choice = ("sums", &["small", "both", "far"]);
/// Classes of sums for a mask that is multiplied.
pub const SUMS_OF_FACTORS: Choice = ("sums", &["small", "both"]);
/// The domain of a product of keys: channels within a wave and of more than two waves, and chunks around tiles.
pub const PRODUCTS: Domain = Domain::of(&[
    Factor::One("S", &[1, 16, 33, 129]),
    Factor::One("C", &[1, 2, 16, 17, 65]),
])
.values(&[
    SUMS_OF_FACTORS,
    (
        values::NAME,
        &[values::ORDINARY, values::ZEROS, values::OPPOSED],
    ),
])
.without(&[ONE_PRODUCT])
.uncomputed(&[ONE_TOKEN]);
/// Cases of one token, whose strictly lower part is empty.
const ONE_TOKEN: Rule = Rule {
    of: &["C"],
    says: "C = 1: below the diagonal of one token there is nothing",
    breaks: &|case| case.get("C") == Some(1),
};

/// The exclusion of zeros and opposed values from cases with at most one product.
const ONE_PRODUCT: Rule = Rule {
    of: &["C", values::NAME],
    says: "C = 1 and C = 2 have ordinary values: of one product, zeros or opposed values may be right without being computed",
    breaks: &|case| {
        let word = case.word(values::NAME);
        case.get("C").is_some_and(|tokens| tokens <= 2)
            && word.is_some_and(|word| word != values::ORDINARY)
    },
};

/// Returns the distribution of cumulated gates of the class that a case names.
pub fn sums(t: &Instance<'_>) -> Distribution {
    match t.word(SUMS.0) {
        "both" => Walk(-0.5, 0.5),
        "far" => Walk(-4.0, 0.0),
        _ => Walk(-0.02, 0.0),
    }
}

/// The contracts.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "decay_mask",
        title: "e^(g[j] - g[i]) for j <= i",
        formulas: &[
            "mask[i,j] = e^(g_cumsum[j] - g_cumsum[i]); where j <= i, else 0; the gated delta rule has the opposite sign",
        ],
        dims: &["n"],
        outputs: &["mask"],
        largest: &[&["n", "n"]],
        domain: Domain::of(&[Factor::One("n", &[1, 2, 16, 17, 65])])
            .values(&[SUMS])
            .relations(&[laws::MASK]),
        run: &decay_mask,
        ..Function::EMPTY
    },
    Function {
        name: "attention_matrix",
        title: "-(K^T K_beta) * decay, strictly lower",
        formulas: &["attn[i,j] = -(K^T K_beta)[i,j] decay_mask[i,j]; where j < i, else 0"],
        dims: &["S", "C"],
        outputs: &["attn"],
        largest: &[&["S", "C"], &["C", "C"]],
        domain: PRODUCTS.relations(&[laws::doubled([
            &[Step::Times(&["K_beta"], 2.0)],
            &[Step::Times(&["attn"], 2.0)],
        ])]),
        run: &attention_matrix,
        ..Function::EMPTY
    },
];

/// The factors of an attention matrix, and its decay mask. Keys have norm 1 on average; the mask is that of small gates.
pub fn factors(t: &mut Instance<'_>) -> DeviceResult<[Buffer; 3]> {
    let (s, c) = (t.dim("S"), t.dim("C"));
    let unit = Normal((s as f32).sqrt().recip());
    let channels = || axes([("channel", s), ("token", c)]);
    let operands = [("K", channels()), ("K_beta", channels())];
    let [k, k_beta] = values::matrices(t, operands, [unit; 2])?;
    let g = t.draw("g_cumsum", elements(c), sums(t));
    let mask = operators::decay_mask(t.values(g));
    Ok([k, k_beta, t.upload("decay_mask", table(c, c), mask)?])
}

fn attention_matrix(t: &mut Instance<'_>) -> DeviceResult {
    let (s, c) = (t.dim("S"), t.dim("C"));
    let [k, k_beta, decay] = factors(t)?;
    let attn = t.output("attn", table(c, c))?;
    let mask = t.wide(decay);
    let mistakes = exchanged::inputs(t, [k, k_beta], "K and K_beta are exchanged", move |k, b| {
        operators::attention_matrix(k, b, &mask, s, c)
    });
    let references = references!(t, |k, k_beta, decay| operators::attention_matrix(
        k, k_beta, decay, s, c
    ));
    t.check_or(attn, references, mistakes)
}

/// Gates are small, because the documented mask grows with the distance.
fn decay_mask(t: &mut Instance<'_>) -> DeviceResult {
    let n = t.dim("n");
    let g = t.input("g_cumsum", elements(n), sums(t))?;
    let mask = t.output("mask", table(n, n))?;
    t.check(mask, references!(t, |g| operators::decay_mask(g)))
}
