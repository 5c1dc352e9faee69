//! The domain of the rule's contracts: sizes, conventions, extreme keys and write strengths.

use super::laws::{COLUMNS, HANDED_ON, NEGATED, PADDED, SCALED};
use crate::contract::catalog::laws::{HEADS_REVERSED, HEADS_WITHIN_GROUPS, SEQUENCES};
use crate::contract::catalog::{sizes, values};
use crate::contract::relation::Relation;
use crate::contract::{Choice, Domain, Factor, Rule};

/// The meaning of g: the logarithm of a factor on the state, the negated logarithm, or the factor itself.
pub const GATE_KIND: Choice = ("gate_kind", &["log", "negated", "factor"]);
/// Keys: independent, or all of a sequence's nearly the same.
pub const KEYS: Choice = ("keys", &["independent", "correlated"]);
/// Write strengths: strictly between 0 and 1, or most of them 0 or 1.
pub const STRENGTHS: Choice = ("strengths", &["between", "ends"]);

/// Sizes of the rule: one token and more than two chunks, one to four value heads for each key head, numbers of heads and channels that
/// are no power of two, more key channels than value channels and fewer.
pub const SIZES: [Factor; 5] = [
    sizes::SEQUENCES,
    Factor::One("T", &[1, 2, 17, 129]),
    HEADS,
    sizes::KEY_CHANNELS,
    sizes::VALUE_CHANNELS,
];
/// Key heads and value heads.
pub const HEADS: Factor = Factor::Together(&["H", "HV"], sizes::GROUPS);
/// The exclusion of strengths at the ends from cases of few tokens, where all strengths may be 0.
pub const FEW: Rule = Rule {
    of: &["T", STRENGTHS.0],
    says: "fewer than 8 tokens have strengths between 0 and 1: where all are 0 nothing is written",
    breaks: &|case| {
        case.get("T").is_some_and(|tokens| tokens < 8) && case.word(STRENGTHS.0) == Some("ends")
    },
};
/// The exclusion of strengths at the ends from cases whose second chunk has one token.
pub const LAST: Rule = Rule {
    of: &["T", "C", "BT", STRENGTHS.0],
    says: "a second chunk of one token has strengths between 0 and 1: where it is 0 there is nothing to correct",
    breaks: &|case| {
        let chunk = case.get("C").or(case.get("BT"));
        let one = case
            .get("T")
            .zip(chunk)
            .is_some_and(|(tokens, chunk)| tokens == chunk + 1);
        one && case.word(STRENGTHS.0) == Some("ends")
    },
};
/// The exclusion of a single key of one channel, which is 1 or -1.
pub const ONE_PRODUCT: Rule = Rule {
    of: &["K", "T"],
    says: "K = 1 has 2 tokens or more: of one the output is its value, or that negated",
    breaks: &|case| case.get("K") == Some(1) && case.get("T") == Some(1),
};
/// The exclusion of cases whose outputs all are one product of a query and a key.
pub const ONE_QUERY: Rule = Rule {
    of: &["B", "T", "Hg", "H"],
    says: "one token has several key heads or sequences: of one, all outputs are one sum of products of query and key where nothing is left of \
           a state, which may cancel by chance, and what they may be off by is small beside it no more",
    breaks: &|case| {
        let key_heads = case.get("Hg").or(case.get("H"));
        let counts = [case.get("B"), case.get("T"), key_heads];
        counts
            .into_iter()
            .all(|count| count.is_none_or(|count| count == 1))
    },
};
/// The exclusion of cases with so few outputs that all may be small beside the state.
pub const WIDE: Rule = Rule {
    of: &["V", "T", values::NAME],
    says: "V = 1 has 2 tokens or more, and values of ordinary size: all of few outputs may be small beside the state by chance, and so is what \
           they may be off by",
    breaks: &|case| {
        let great = case.word(values::NAME) == Some(values::GREAT);
        case.get("V") == Some(1) && (great || case.get("T") == Some(1))
    },
};
/// Values and states of ordinary size, or 2^60 times that: the rule is linear in them.
pub const VALUES: Choice = (values::NAME, &[values::ORDINARY, values::GREAT]);
/// Laws that the whole rule keeps in every algorithm.
pub const LAWS: &[Relation] = &[
    SCALED,
    NEGATED,
    SEQUENCES,
    HEADS_REVERSED,
    HEADS_WITHIN_GROUPS,
    COLUMNS,
    PADDED,
    HANDED_ON,
];
/// The domain of the whole rule.
pub const RULE: Domain = Domain::of(&SIZES)
    .values(&[KEYS, STRENGTHS, VALUES])
    .conventions(&[GATE_KIND])
    .without(&[FEW, WIDE, ONE_QUERY])
    .relations(LAWS);

/// Sizes of the chunk pipeline: one token, one token less than a chunk, a last chunk of one token, whole chunks alone, small chunks and long ones.
pub const CHUNKED: [Factor; 5] = [
    sizes::TWO_SEQUENCES,
    Factor::Together(
        &["T", "C"],
        &[
            &[1, 64],
            &[63, 64],
            &[129, 64],
            &[32, 16],
            &[7, 3],
            &[130, 128],
            &[140, 256],
        ],
    ),
    HEADS,
    sizes::KEY_CHANNELS,
    sizes::VALUE_CHANNELS,
];

/// Sizes for sums in chunks of up to four waves. Channels matter little here.
pub const SUMS: [Factor; 5] = [
    CHUNKED[0],
    Factor::Together(
        &["T", "C"],
        &[
            &[1, 64],
            &[63, 64],
            &[65, 64],
            &[32, 16],
            &[7, 3],
            &[200, 128],
            &[300, 256],
        ],
    ),
    CHUNKED[2],
    Factor::One("K", &[1, 16]),
    Factor::One("V", &[1, 16]),
];

/// Sizes with mostly several chunks, because the state before a single chunk is the initial state.
pub const SEVERAL_CHUNKS: [Factor; 5] = [
    CHUNKED[0],
    Factor::Together(
        &["T", "C"],
        &[
            &[1, 64],
            &[2, 1],
            &[191, 64],
            &[32, 16],
            &[7, 3],
            &[130, 128],
            &[258, 256],
        ],
    ),
    CHUNKED[2],
    CHUNKED[3],
    CHUNKED[4],
];
