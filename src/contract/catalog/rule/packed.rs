//! The rule over packed sequences: sequences of different lengths whose tokens follow one another, with gates per head or per key channel.
//! States stand beside the sequences, or in the lines of a pool that all sequences share.

mod call;
mod chunk;
mod merge;
mod mistakes;
mod whole;

use deltanet_reference::rule::packed::Rounding;

use super::problem::laws::{COLUMNS, NEGATED, SCALED};
use super::problem::{
    FEW, GATE, GATES, HEADS, KEYS, LAST, LAYOUT, MAP, ONE_PRODUCT, ONE_QUERY, STRENGTHS, VALUES,
    WIDE,
};
use super::steps::{self, NO_SUMS, SLOW};
use crate::contract::catalog::Function;
use crate::contract::catalog::laws::{HEADS_REVERSED, HEADS_WITHIN_GROUPS};
use crate::contract::catalog::sizes;
use crate::contract::relation::Relation;
use crate::contract::{Domain, Factor, Formula, Rule};

/// Sequences, tokens of each on average, query/key heads, value heads, key channels, value channels.
const DIMS: &[&str] = &["N", "T", "H", "HV", "K", "V"];
/// Lengths of the sequences: all the same, growing, or growing with every third sequence empty. `cu_seqlens` is always given.
const LENGTHS: (&str, &[&str]) = ("lengths", &["same", "unequal", "empty"]);
/// Sequences that begin with a state.
const START: (&str, &[&str]) = ("start", &["none", "all", "some"]);
/// Lines of the sequences' states in their pool.
const LINES: (&str, &[&str]) = ("lines", &["own", "others", "padding"]);
/// Type of the states in their pool.
const STATE_TYPE: (&str, &[&str]) = ("state_type", &["bf16", "f16"]);
/// The first state of a sequence, and what every token does to it.
const RULE: [Formula; 4] = [
    "S_0 = initial[n]; a matrix [K, V] of each value head; 0 where start is none, or has_initial[n] is 0",
    "D_t(S)[i,j] = e^(g_t[i]) S[i,j]; g_t[i] is g_t where gate is head",
    "d_t = beta_t (v_t - D_t(S_(t-1))^T k_t)",
    "S_t = D_t(S_(t-1)) + k_t d_t^T; the gated delta rule",
];
const OUTPUT: Formula = "o_t = scale S_t^T q_t; scale = 1 / sqrt(K); tokens cu_seqlens[n] to cu_seqlens[n+1] - 1 are those of sequence n";
const FINAL: Formula = "final[n] = S_T; after the last token of sequence n; S_0 if it has none";
const FROM_LINE: Formula =
    "S_0 = states[slots[n]]; a matrix [K, V] of each value head; 0 where has_initial[n] is 0";
const INTO_LINE: Formula = "states[slots[n]] = S_T; without tokens the line stays as it is where has_initial[n] is not 0, and may stay or become 0 elsewhere; other lines stay as they are; a sequence of slot -1 reads and writes no line, and its rows of o are not judged";

const SIZES: [Factor; 5] = [
    Factor::One("N", &[1, 4]),
    Factor::One("T", &[1, 2, 17, 33]),
    HEADS,
    sizes::KEY_CHANNELS,
    sizes::VALUE_CHANNELS,
];
const CHUNKED: [Factor; 5] = [
    Factor::One("N", &[1, 4]),
    Factor::Together(
        &["T", "C"],
        &[&[1, 64], &[63, 64], &[65, 64], &[32, 16], &[7, 3]],
    ),
    HEADS,
    sizes::KEY_CHANNELS,
    sizes::VALUE_CHANNELS,
];
/// Sizes with mostly several chunks, because the state before a single chunk is the initial state.
const SEVERAL_CHUNKS: [Factor; 5] = [
    CHUNKED[0],
    Factor::Together(
        &["T", "C"],
        &[&[1, 64], &[2, 1], &[130, 64], &[32, 16], &[7, 3]],
    ),
    CHUNKED[2],
    CHUNKED[3],
    CHUNKED[4],
];
const LARGEST: &[&[&str]] = &[
    &["N", "T", "HV", "K"],
    &["N", "T", "HV", "V"],
    &["N", "HV", "K", "V"],
];
const LAWS: &[Relation] = &[
    SCALED,
    NEGATED,
    HEADS_REVERSED,
    HEADS_WITHIN_GROUPS,
    COLUMNS,
];
/// Cases without a sequence that has an earlier token.
const ONE_TOKEN: Rule = Rule {
    of: &["N", "T", START.0],
    says: "one token of one sequence begins with a state: without one nothing is seen and nothing decays",
    breaks: &|case| {
        let one = |name| case.get(name) == Some(1);
        one("N") && one("T") && case.word(START.0) != Some("all")
    },
};
/// The exclusion of flags from a single sequence.
const ONE_FLAG: Rule = Rule {
    of: &["N", START.0],
    says: "N = 1 begins with a state or with none: there is nothing to tell apart by flags",
    breaks: &|case| case.get("N") == Some(1) && case.word(START.0) == Some("some"),
};
/// The exclusion of other lines and paddings from a single sequence.
const ONE_LINE: Rule = Rule {
    of: &["N", LINES.0],
    says: "N = 1 has no padding: of a padding nothing is judged",
    breaks: &|case| case.get("N") == Some(1) && case.word(LINES.0) == Some("padding"),
};

/// The exclusion of sequences that have neither tokens nor a state: their lines may stay, or become zeros.
const EMPTY_LINE: Rule = Rule {
    of: &["N", "T", LENGTHS.0, START.0],
    says: "sequences without tokens begin with their states: of others it is not said what becomes of their lines",
    breaks: &|case| {
        let sizes = case.get("N").zip(case.get("T"));
        let words = case.word(LENGTHS.0).zip(case.word(START.0));
        sizes
            .zip(words)
            .is_some_and(|((count, tokens), (lengths, start))| {
                let size = |size| usize::try_from(size).unwrap_or(0);
                let bounds = call::bounds_of(lengths, size(count), size(tokens));
                let mut sequences = bounds.windows(2).enumerate();
                sequences.any(|(n, bounds)| bounds[0] == bounds[1] && !call::begins(start, n))
            })
    },
};

/// The exclusion of many fast gates, which leave nothing of a product of matrices.
const VANISHED: Rule = Rule {
    of: &["T", GATES.0],
    says: "more than 2 tokens have gates that are neither model nor fast: nothing would be left of M",
    breaks: &|case| {
        case.get("T").is_some_and(|tokens| tokens > 2)
            && matches!(case.word(GATES.0), Some("model" | "fast"))
    },
};
/// The exclusion of strengths of 1 from keys of one channel, which leave zeros.
const ONE_FACTOR: Rule = Rule {
    of: &["K", STRENGTHS.0],
    says: "K = 1 has strengths between 0 and 1: where one is 1 nothing is left of M",
    breaks: &|case| case.get("K") == Some(1) && case.word(STRENGTHS.0) == Some("ends"),
};

/// The rule with a state before and after each sequence.
const WHOLE: Function = Function {
    dims: DIMS,
    words: &[LENGTHS, GATE, MAP, START, LAYOUT],
    outputs: &["o", "final"],
    largest: LARGEST,
    domain: Domain::of(&SIZES)
        .values(&[GATES, KEYS, STRENGTHS, VALUES])
        .without(&[FEW, WIDE, ONE_QUERY, ONE_TOKEN, ONE_FLAG])
        .relations(LAWS),
    ..Function::EMPTY
};

/// The rule on lines of a pool.
const ON_LINES: Function = Function {
    dims: DIMS,
    words: &[LENGTHS, GATE, MAP, START, LINES, LAYOUT],
    outputs: &["o", "states"],
    largest: LARGEST,
    domain: Domain::of(&SIZES)
        .values(&[GATES, KEYS, STRENGTHS, VALUES])
        .without(&[
            FEW, WIDE, ONE_QUERY, ONE_TOKEN, ONE_FLAG, ONE_LINE, EMPTY_LINE,
        ])
        .relations(&[HEADS_REVERSED, HEADS_WITHIN_GROUPS]),
    ..Function::EMPTY
};

/// The rule on lines of half precision.
const HALF: Function = Function {
    words: &[LENGTHS, GATE, MAP, START, LINES, LAYOUT, STATE_TYPE],
    domain: Domain::of(&SIZES)
        .values(&[GATES, KEYS, STRENGTHS])
        .without(&[
            FEW, WIDE, ONE_QUERY, ONE_TOKEN, ONE_FLAG, ONE_LINE, EMPTY_LINE,
        ]),
    ..ON_LINES
};

/// A step of the chunk pipeline.
const STEP: Function = Function {
    dims: &["N", "T", "H", "HV", "K", "V", "C"],
    words: &[LENGTHS, GATE, MAP],
    largest: &[
        &["N", "T", "HV", "K"],
        &["N", "T", "HV", "V"],
        &["N", "T", "HV", "C"],
        &["N", "HV", "K", "V"],
    ],
    domain: Domain::of(&CHUNKED)
        .values(&[GATES, KEYS, STRENGTHS])
        .without(&[FEW, ONE_QUERY])
        .relations(&[HEADS_REVERSED, HEADS_WITHIN_GROUPS]),
    ..Function::EMPTY
};

/// The contracts.
pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "gdn_packed",
        title: "the rule over packed sequences, gates per head or key channel",
        formulas: &[RULE[0], RULE[1], RULE[2], RULE[3], OUTPUT, FINAL],
        run: &whole::beside,
        ..WHOLE
    },
    Function {
        name: "gdn_packed_chunked",
        title: "the chunk pipeline over packed sequences",
        formulas: &[RULE[0], RULE[1], RULE[2], RULE[3], OUTPUT, FINAL],
        dims: STEP.dims,
        domain: Domain::of(&CHUNKED)
            .values(&[GATES, KEYS, STRENGTHS, VALUES])
            .without(&[FEW, WIDE, ONE_QUERY, ONE_TOKEN, ONE_FLAG])
            .relations(LAWS),
        run: &whole::chunked,
        ..WHOLE
    },
    Function {
        name: "gdn_slots",
        title: "the rule on states in the lines of a pool",
        formulas: &[FROM_LINE, RULE[1], RULE[2], RULE[3], OUTPUT, INTO_LINE],
        run: &whole::lines,
        ..ON_LINES
    },
    Function {
        name: "gdn_slots_half",
        title: "the rule on states that a pool keeps in bf16 or f16",
        formulas: &[
            FROM_LINE,
            RULE[1],
            RULE[2],
            RULE[3],
            OUTPUT,
            "states[slots[n]] = S_T; rounded to state_type once, after the last token; without tokens the line stays as it is where has_initial[n] is not 0, and may stay or become 0 elsewhere; other lines stay as they are; a sequence of slot -1 reads and writes no line, and its rows of o are not judged",
        ],
        run: &|t| whole::half(t, Rounding::Launch),
        ..HALF
    },
    Function {
        name: "gdn_slots_half_by_token",
        title: "the same where every token is a launch, and its state is rounded",
        formulas: &[
            FROM_LINE,
            RULE[1],
            RULE[2],
            "S_t = D_t(S_(t-1)) + k_t d_t^T; rounded to state_type after o_t is read",
            OUTPUT,
            INTO_LINE,
        ],
        run: &|t| whole::half(t, Rounding::Token),
        ..HALF
    },
    Function {
        name: "gdn_verify",
        title: "speculative decoding: the state after each draft token in a line of its own",
        formulas: &[
            "S_0 = states[slots[n, accepted[n] - 1]]; the state after the last accepted token of the drafts before",
            RULE[1],
            RULE[2],
            RULE[3],
            "o_t = scale S_t^T q_t; scale = 1 / sqrt(K)",
            "states[slots[n, t]] = S_t; t from 0 within the sequence; other lines stay as they are; a sequence of slots -1 reads and writes no line, and its rows of o are not judged",
        ],
        words: &[GATE, MAP, LINES, LAYOUT],
        domain: Domain::of(&[
            Factor::One("N", &[1, 4]),
            Factor::One("T", &[1, 2, 5]),
            HEADS,
            sizes::KEY_CHANNELS,
            sizes::VALUE_CHANNELS,
        ])
        .values(&[GATES, KEYS, VALUES])
        .without(&[WIDE, ONE_QUERY, ONE_LINE])
        .relations(&[HEADS_REVERSED, HEADS_WITHIN_GROUPS]),
        largest: &[
            &["N", "T", "HV", "K"],
            &["N", "T", "HV", "V"],
            &["N", "T", "HV", "K", "V"],
        ],
        run: &whole::verify,
        ..ON_LINES
    },
    Function {
        name: "gdn_product",
        title: "the gated delta product: several Householder steps a token",
        formulas: &[
            RULE[0],
            "S_(t,0) = e^(g_t) S_(t-1); row i by e^(g_t[i]) where gate is key",
            "d_(t,j) = beta_(t,j) (v_(t,j) - S_(t,j-1)^T k_(t,j)); for j = 1 .. R; rows t R + j - 1 of k, v and beta",
            "S_(t,j) = S_(t,j-1) + k_(t,j) d_(t,j)^T",
            "o_t = scale S_(t,R)^T q_t; scale = 1 / sqrt(K); tokens cu_seqlens[n] to cu_seqlens[n+1] - 1 are those of sequence n",
            FINAL,
        ],
        dims: &["N", "T", "H", "HV", "K", "V", "R"],
        largest: &[
            &["N", "T", "R", "HV", "K"],
            &["N", "T", "R", "HV", "V"],
            &["N", "HV", "K", "V"],
        ],
        domain: Domain::of(&[
            Factor::One("N", &[1, 4]),
            Factor::Together(&["T", "R"], &[&[1, 1], &[2, 3], &[17, 2], &[33, 4]]),
            HEADS,
            sizes::KEY_CHANNELS,
            sizes::VALUE_CHANNELS,
        ])
        .values(&[GATES, KEYS, STRENGTHS, VALUES])
        .without(&[FEW, WIDE, ONE_QUERY, ONE_TOKEN, ONE_FLAG])
        .relations(LAWS),
        run: &whole::beside,
        ..WHOLE
    },
    Function {
        name: "gdn_transition",
        title: "the matrix by which the tokens of a sequence move the state before them",
        formulas: &[
            "M_0 = I; a matrix [K, K] of each value head",
            "D_t(M)[i,j] = e^(g_t[i]) M[i,j]; g_t[i] is g_t where gate is head",
            "M_t = (I - beta_t k_t k_t^T) D_t(M_(t-1))",
            "M[n] = M_T; after the last token of sequence n: its final state is M S_0 + what it is without S_0",
        ],
        dims: &["N", "T", "H", "HV", "K"],
        words: &[LENGTHS, GATE, MAP],
        outputs: &["M"],
        largest: &[&["N", "T", "HV", "K"], &["N", "HV", "K", "K"]],
        domain: Domain::of(&[SIZES[0], SIZES[1], SIZES[2], SIZES[3]])
            .values(&[GATES, KEYS, STRENGTHS])
            .without(&[FEW, ONE_QUERY, VANISHED, ONE_FACTOR])
            .relations(&[HEADS_REVERSED, HEADS_WITHIN_GROUPS]),
        run: &merge::transition,
        ..Function::EMPTY
    },
    Function {
        name: "gdn_merge",
        title: "the state after two halves of a sequence that were computed apart",
        formulas: &[
            "merged = M first + second; M is the transition of the second half, second its final state if it begins with 0",
        ],
        dims: &["N", "HV", "K", "V"],
        outputs: &["merged"],
        largest: &[&["N", "HV", "K", "K"], &["N", "HV", "K", "V"]],
        domain: Domain::of(&[
            Factor::One("N", &[1, 4]),
            Factor::One("HV", &[1, 3]),
            sizes::KEY_CHANNELS,
            sizes::VALUE_CHANNELS,
        ])
        .relations(&[HEADS_REVERSED, COLUMNS]),
        run: &merge::merge,
        ..Function::EMPTY
    },
    Function {
        name: "gdn_packed_cumsum",
        title: "log gates summed within the chunks of packed sequences",
        formulas: &[
            "G_i = g_first + ... + g_i; from the first token of i's chunk on; chunks do not cross sequences",
        ],
        words: &[LENGTHS, GATE, GATES, MAP],
        outputs: &["G"],
        domain: Domain::of(&[
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
        ])
        .without(&[NO_SUMS])
        .relations(&[HEADS_REVERSED, HEADS_WITHIN_GROUPS]),
        run: &chunk::cumsum,
        ..STEP
    },
    Function {
        name: "gdn_packed_l",
        title: "products of a chunk's keys, strengths and gates, over packed sequences",
        formulas: &[
            "L_ij = beta_i sum_c k_i[c] k_j[c] e^(G_i[c] - G_j[c]); for i > j in a chunk, else 0; G[c] is G where gate is head",
        ],
        outputs: &["L"],
        domain: STEP.domain.uncomputed(&[steps::ONE_TOKEN]),
        run: &chunk::l,
        ..STEP
    },
    Function {
        name: "gdn_packed_solve",
        title: "(I + L)^-1 of the chunks of packed sequences",
        formulas: &["Ai = (I + L)^-1; 0 beyond the last token of a short chunk"],
        outputs: &["Ai"],
        run: &chunk::solve,
        ..STEP
    },
    Function {
        name: "gdn_packed_uw",
        title: "u and w of the chunks of packed sequences",
        formulas: &[
            "u_i = sum_j Ai_ij beta_j v_j; over the tokens j <= i of i's chunk",
            "w_i[c] = sum_j Ai_ij beta_j e^(G_j[c]) k_j[c]; G[c] is G where gate is head",
        ],
        outputs: &["u", "w"],
        domain: STEP.domain.without(&[FEW, ONE_QUERY, ONE_PRODUCT]),
        run: &chunk::uw,
        ..STEP
    },
    Function {
        name: "gdn_packed_states",
        title: "the states before the chunks of packed sequences",
        formulas: &[
            "h_0 = initial[n]; before the first chunk of sequence n; 0 where start is none, or has_initial[n] is 0",
            "vn_i = u_i - h_c^T w_i; token i of chunk c",
            "h_c = e^(G_last) h_(c-1) + sum_i (e^(G_last - G_i) k_i) vn_i^T; over the tokens i of chunk c - 1, last is its last token; G has a value for each row of h and channel of k where gate is key",
            "final[n] = h; after the last chunk of sequence n; h_0 if it has none",
        ],
        words: &[LENGTHS, GATE, MAP, START, LAYOUT],
        outputs: &["h", "vn", "final"],
        domain: Domain::of(&SEVERAL_CHUNKS)
            .values(&[GATES, KEYS, STRENGTHS])
            .without(&[FEW, WIDE, ONE_QUERY, ONE_TOKEN, ONE_FLAG, LAST, SLOW])
            .uncomputed(&[steps::ONE_TOKEN])
            .relations(&[HEADS_REVERSED, HEADS_WITHIN_GROUPS]),
        run: &chunk::states,
        ..STEP
    },
    Function {
        name: "gdn_packed_attention",
        title: "products of a chunk's queries, keys and gates, over packed sequences",
        formulas: &[
            "A_ij = scale sum_c q_i[c] k_j[c] e^(G_i[c] - G_j[c]); for i >= j in a chunk, else 0; G[c] is G where gate is head; scale = 1 / sqrt(K)",
        ],
        outputs: &["A"],
        run: &chunk::attention,
        ..STEP
    },
    Function {
        name: "gdn_packed_outputs",
        title: "outputs of the chunks of packed sequences",
        formulas: &[
            "o_i = scale h_c^T (e^(G_i) q_i) + sum_j A_ij vn_j; over the tokens j <= i of i's chunk c; G has a value for each channel of q where gate is key",
            "A_ij = scale sum_c q_i[c] k_j[c] e^(G_i[c] - G_j[c]); scale = 1 / sqrt(K)",
        ],
        words: &[LENGTHS, GATE, MAP, START],
        outputs: &["o"],
        domain: Domain::of(&CHUNKED)
            .values(&[GATES, KEYS, STRENGTHS])
            .without(&[FEW, WIDE, ONE_PRODUCT, ONE_QUERY, ONE_TOKEN, ONE_FLAG])
            .relations(&[HEADS_REVERSED, HEADS_WITHIN_GROUPS]),
        run: &chunk::outputs,
        ..STEP
    },
];
