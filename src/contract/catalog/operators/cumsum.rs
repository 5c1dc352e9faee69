//! Running sums within chunks: of scalars and of vectors, forwards and backwards.

use deltanet_reference::gdr::cumsum::Cumsum;

use super::super::Function;
use crate::contract::catalog::{laws, sizes, values};
use crate::contract::relation::Step;
use crate::contract::{
    Buffer, Choice, DeviceResult, Domain, Factor, Instance, Mistake, Rule, axes,
};
use crate::references;
use crate::tensor::Distribution::Normal;

const DIRECTION: (&str, &[&str]) = ("direction", &["forward", "reverse"]);
const SCALE: (&str, &[&str]) = ("scale", &["one", "log2e"]);

/// One token, chunks that end early, whole chunks alone, and chunks of up to four waves, whose carries a kernel adds up.
const LENGTHS: Factor = Factor::Together(
    &["T", "BT"],
    &[
        &[1, 64],
        &[63, 64],
        &[65, 64],
        &[48, 16],
        &[7, 3],
        &[200, 128],
        &[300, 256],
    ],
);
/// Cases of one token, whose sums are the elements.
const ONE_TOKEN: Rule = Rule {
    of: &["T", SCALE.0],
    says: "T = 1 with a scale of one: each sum is its element",
    breaks: &|case| case.get("T") == Some(1) && case.word(SCALE.0) == Some("one"),
};
const SUMMANDS: Choice = (values::NAME, &[values::ORDINARY, values::ONE_INFINITE]);

/// The contracts.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "gdr_cumsum_scalar",
        title: "scalars summed within chunks",
        formulas: &[
            "o_i = scale sum_(j<=i) s_j; tokens j of the chunk of token i, BT tokens a chunk; direction reverse: j >= i",
        ],
        dims: &["B", "T", "H", "BT"],
        integers: &[],
        words: &[DIRECTION, SCALE],
        outputs: &["o"],
        largest: &[&["B", "T", "H"]],
        domain: Domain::of(&[sizes::SEQUENCES, LENGTHS, Factor::One("H", &[1, 3, 5, 64])])
            .values(&[SUMMANDS])
            .uncomputed(&[ONE_TOKEN])
            .relations(&[
                laws::doubled([&[Step::Times(&["s"], 2.0)], &[Step::Times(&["o"], 2.0)]]),
                laws::SEQUENCES,
                laws::HEADS_REVERSED,
            ]),
        run: &scalar,
        ..Function::EMPTY
    },
    Function {
        name: "gdr_cumsum_vector",
        title: "vectors summed within chunks",
        formulas: &[
            "o_i = scale sum_(j<=i) s_j; tokens j of the chunk of token i, BT tokens a chunk; direction reverse: j >= i",
        ],
        dims: &["B", "T", "H", "S", "BT"],
        integers: &[],
        words: &[DIRECTION, SCALE],
        outputs: &["o"],
        largest: &[&["B", "T", "H", "S"]],
        domain: Domain::of(&[
            sizes::SEQUENCES,
            LENGTHS,
            sizes::HEADS,
            Factor::One("S", &[1, 16, 65, 256]),
        ])
        .values(&[SUMMANDS])
        .uncomputed(&[ONE_TOKEN])
        .relations(&[
            laws::doubled([&[Step::Times(&["s"], 2.0)], &[Step::Times(&["o"], 2.0)]]),
            laws::SEQUENCES,
            laws::HEADS_REVERSED,
        ]),
        run: &vector,
        ..Function::EMPTY
    },
];

/// Reads the kind of sum from a case: `width` sums for each token.
fn read_sums(t: &Instance<'_>, width: usize) -> Cumsum {
    Cumsum {
        tokens: t.dim("T"),
        width,
        chunk: t.dim("BT"),
        reverse: t.word(DIRECTION.0) == "reverse",
        // Sums that become exponents of 2^x are scaled by log2(e).
        scale: if t.word(SCALE.0) == "log2e" {
            std::f32::consts::LOG2_E
        } else {
            1.0
        },
    }
}

/// Returns common mistakes of a sum.
fn mistakes(t: &Instance<'_>, sums: Cumsum, s: Buffer) -> Vec<Mistake> {
    let summed = |sums: Cumsum| {
        let s = t.wide(s);
        move || sums.apply(&s)
    };
    let s = t.wide(s);
    let exclusive = move || {
        let scale = f64::from(sums.scale);
        let pairs = sums.apply(&s).into_iter().zip(&s);
        pairs.map(|(sum, own)| sum - own * scale).collect()
    };
    let mut mistakes = vec![
        Mistake::new(
            "exclusive",
            "a token's own element is not in its sum",
            exclusive,
        ),
        Mistake::new(
            "chunks-ignored",
            "the sums run on over the ends of chunks",
            summed(Cumsum {
                chunk: sums.tokens,
                ..sums
            }),
        ),
    ];
    if sums.reverse {
        let reverse = false;
        let forward = summed(Cumsum { reverse, ..sums });
        mistakes.push(Mistake::new(
            "not-reversed",
            "the sums run forwards",
            forward,
        ));
    }
    if sums.scale != 1.0 {
        let unscaled = summed(Cumsum { scale: 1.0, ..sums });
        mistakes.push(Mistake::new(
            "scale-missing",
            "the sums are not scaled",
            unscaled,
        ));
    }
    mistakes
}

fn scalar(t: &mut Instance<'_>) -> DeviceResult {
    let [b, tokens, heads] = ["B", "T", "H"].map(|name| t.dim(name));
    let sums = read_sums(t, heads);
    let shape = || axes([("sequence", b), ("token", tokens), ("head", heads)]);
    let s = values::input(t, "s", shape(), Normal(1.0))?;
    let o = t.output("o", shape())?;
    let mistakes = mistakes(t, sums, s);
    t.check_or(o, references!(t, |s| sums.apply(s)), mistakes)
}

fn vector(t: &mut Instance<'_>) -> DeviceResult {
    let [b, tokens, heads, size] = ["B", "T", "H", "S"].map(|name| t.dim(name));
    let sums = read_sums(t, heads * size);
    let shape = || {
        axes([
            ("sequence", b),
            ("token", tokens),
            ("head", heads),
            ("channel", size),
        ])
    };
    let s = values::input(t, "s", shape(), Normal(1.0))?;
    let o = t.output("o", shape())?;
    let mistakes = mistakes(t, sums, s);
    t.check_or(o, references!(t, |s| sums.apply(s)), mistakes)
}
