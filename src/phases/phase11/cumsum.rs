//! Sums within chunks: of scalars and of vectors, forwards and backwards.

use deltanet_reference::gdr::cumsum::Cumsum;

use super::super::Function;
use crate::references;
use crate::tensor::Distribution::Normal;
use crate::trial::{Buffer, Grid, Mistake, Outcome, Trial, axes, float, int};

const DIRECTION: (&str, &[&str]) = ("direction", &["forward", "reverse"]);
const SCALE: (&str, &[&str]) = ("scale", &["one", "log2e"]);

/// Sums.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "gdr_cumsum_scalar",
        title: "scalars summed within chunks",
        kernels: &["gdr_cumsum_scalar_f32"],
        dims: &["B", "T", "H", "BT"],
        integers: &[],
        words: &[DIRECTION, SCALE],
        outputs: &["o"],
        largest: &[&["B", "T", "H"]],
        run: scalar,
    },
    Function {
        name: "gdr_cumsum_vector",
        title: "vectors summed within chunks",
        kernels: &["gdr_cumsum_vector_f32"],
        dims: &["B", "T", "H", "S", "BT"],
        integers: &[],
        words: &[DIRECTION, SCALE],
        outputs: &["o"],
        largest: &[&["B", "T", "H", "S"]],
        run: vector,
    },
];

/// How a case sums: `width` sums for each token.
fn of(t: &Trial<'_>, width: usize) -> Cumsum {
    Cumsum {
        tokens: t.dim("T"),
        width,
        chunk: t.dim("BT"),
        reverse: t.word(DIRECTION.0) == "reverse",
        // As sums that go into 2^x are scaled.
        scale: if t.word(SCALE.0) == "log2e" {
            std::f32::consts::LOG2_E
        } else {
            1.0
        },
    }
}

/// What kernels get wrong about a sum.
fn mistakes(t: &Trial<'_>, sums: Cumsum, s: Buffer) -> Vec<Mistake> {
    let summed = |sums: Cumsum| {
        let s = t.wide(s);
        move || sums.of(&s)
    };
    let s = t.wide(s);
    let exclusive = move || {
        let scale = f64::from(sums.scale);
        let pairs = sums.of(&s).into_iter().zip(&s);
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

fn scalar(t: &mut Trial<'_>) -> Outcome {
    let [b, tokens, heads] = ["B", "T", "H"].map(|name| t.dim(name));
    let sums = of(t, heads);
    let shape = || axes([("sequence", b), ("token", tokens), ("head", heads)]);
    let s = t.input("s", shape(), Normal(1.0))?;
    let o = t.output("o", shape())?;
    let args = [
        s.read(),
        o.write(),
        int(b),
        int(tokens),
        int(heads),
        int(sums.chunk),
        int(i32::from(sums.reverse)),
        float(sums.scale),
    ];
    let grid = Grid::of([tokens.div_ceil(sums.chunk), heads, b], 64);
    t.launch("gdr_cumsum_scalar_f32", grid, &args)?;
    let mistakes = mistakes(t, sums, s);
    t.check_or(o, references!(t, |s| sums.of(s)), mistakes)
}

fn vector(t: &mut Trial<'_>) -> Outcome {
    let [b, tokens, heads, size] = ["B", "T", "H", "S"].map(|name| t.dim(name));
    let sums = of(t, heads * size);
    let shape = || {
        axes([
            ("sequence", b),
            ("token", tokens),
            ("head", heads),
            ("channel", size),
        ])
    };
    let s = t.input("s", shape(), Normal(1.0))?;
    let o = t.output("o", shape())?;
    let args = [
        s.read(),
        o.write(),
        int(b),
        int(tokens),
        int(heads),
        int(size),
        int(sums.chunk),
        int(i32::from(sums.reverse)),
        float(sums.scale),
    ];
    let chunks = tokens.div_ceil(sums.chunk);
    let grid = Grid::of([(heads * size).div_ceil(256), chunks, b], 256);
    t.launch("gdr_cumsum_vector_f32", grid, &args)?;
    let mistakes = mistakes(t, sums, s);
    t.check_or(o, references!(t, |s| sums.of(s)), mistakes)
}
