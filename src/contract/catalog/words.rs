//! Meanings of the words of choices: the same word of the same choice means the same in every contract.

/// A choice, one of its words, and the word's meaning.
type Meaning = (&'static str, &'static str, &'static str);

/// Returns the meaning of a word of a choice. It is empty if the table lacks the word, which a test excludes.
pub fn meaning(choice: &str, word: &str) -> &'static str {
    let mut all = MEANINGS.iter();
    all.find(|(of, known, _)| *of == choice && *known == word)
        .map_or("", |(_, _, meaning)| meaning)
}

const MEANINGS: &[Meaning] = &[
    // Conventions that a kernel must know.
    (
        "gate_kind",
        "log",
        "g is the natural logarithm of the factor on the state, which is e^g",
    ),
    (
        "gate_kind",
        "negated",
        "g is that logarithm negated, of base e: the factor is e^(-g)",
    ),
    (
        "gate_kind",
        "factor",
        "g is the factor on the state itself, no logarithm",
    ),
    (
        "map",
        "block",
        "value head hv reads q and k of head floor(hv / (HV / H)), as in FLA",
    ),
    (
        "map",
        "tiled",
        "value head hv reads q and k of head hv % H, as in ggml",
    ),
    (
        "state",
        "zero",
        "there is no state before the first token: it is 0, and its pointer may be null",
    ),
    ("state", "random", "a state before the first token is given"),
    (
        "layout",
        "key-major",
        "a state is [K, V] in memory: the value channel is innermost",
    ),
    (
        "layout",
        "value-major",
        "a state is [V, K] in memory: the key channel is innermost",
    ),
    (
        "gate",
        "head",
        "g has one natural logarithm for each token and head",
    ),
    (
        "gate",
        "key",
        "g has one natural logarithm for each token, head and key channel",
    ),
    (
        "by",
        "head",
        "g alone: one natural logarithm for each token and head",
    ),
    (
        "by",
        "key",
        "gk alone: one natural logarithm for each key channel",
    ),
    (
        "by",
        "value",
        "gv alone: one natural logarithm for each value channel",
    ),
    ("by", "all", "g, gk and gv, whose factors multiply"),
    ("by", "none", "no gates: nothing decays"),
    ("beta", "head", "one write strength for each token and head"),
    (
        "beta",
        "channel",
        "one write strength for each token, head and value channel",
    ),
    ("form", "root", "the norm is sqrt(sum x^2 + 1e-6)"),
    ("form", "max", "the norm is max(sqrt(sum x^2), 1e-3)"),
    (
        "direction",
        "forward",
        "sums run from the first token of a chunk to its last",
    ),
    (
        "direction",
        "reverse",
        "sums run from the last token of a chunk to its first",
    ),
    (
        "scale",
        "one",
        "sums stay as they are: natural logarithms stay natural",
    ),
    (
        "scale",
        "log2e",
        "sums are multiplied by log2(e): natural logarithms become those of base 2",
    ),
    ("bias", "with", "each channel has a bias"),
    (
        "bias",
        "without",
        "there is no bias, and its pointer is null",
    ),
    ("activation", "silu", "the activation is x / (1 + e^(-x))"),
    ("activation", "none", "there is no activation"),
    (
        "softplus",
        "usual",
        "softplus(x) = ln(1 + e^x), and x where x is above 20",
    ),
    (
        "softplus",
        "steep",
        "softplus(x) = ln(1 + e^(2 x)) / 2, and x where 2 x is above 5",
    ),
    ("norm", "none", "q and k come normalised"),
    (
        "norm",
        "inside",
        "the kernel divides each row of q and k by sqrt(sum x^2 + 1e-6)",
    ),
    (
        "norm",
        "tiny",
        "the same of rows so short that the epsilon counts",
    ),
    ("slots", "own", "the state of sequence n is in slot n"),
    (
        "slots",
        "others",
        "the states are in slots of another order",
    ),
    (
        "slots",
        "padding",
        "some sequences have index -1: they begin with 0 and leave no state",
    ),
    (
        "padding",
        "none",
        "every row of the batch has a line of the state",
    ),
    (
        "padding",
        "some",
        "some rows have index -1: nothing of them is read or written",
    ),
    (
        "lengths",
        "equal",
        "every sequence has T tokens, and cu_seqlens is null",
    ),
    ("lengths", "unequal", "sequences differ in length"),
    ("lengths", "empty", "some sequences have no token"),
    (
        "lengths",
        "three",
        "three sequences of 128, 192 and 128 tokens",
    ),
    ("lengths", "short", "six sequences of 1 to 9 tokens"),
    ("lengths", "many", "600 sequences of 0 to 5 tokens"),
    // Input classes, which kernels do not get.
    (
        "gates",
        "absent",
        "there are no gates, and their pointer is null",
    ),
    (
        "gates",
        "none",
        "gates that leave the state as it is: the factor is 1",
    ),
    ("gates", "slow", "states decay by about 1 % a token"),
    (
        "gates",
        "model",
        "states decay as those of a fresh Qwen3-Next do: many forget within a token",
    ),
    (
        "gates",
        "fast",
        "states decay as in llama.cpp's test: factors down to e^-20",
    ),
    (
        "gates",
        "spikes",
        "slow, and one token in 250 forgets everything: its factor is e^-30",
    ),
    (
        "gates",
        "mixed",
        "gates of either sign: some factors are above 1",
    ),
    ("gates", "small", "natural logarithms between -0.02 and 0"),
    ("gates", "both", "natural logarithms between -0.1 and 0.1"),
    ("decay", "none", "nothing decays"),
    (
        "decay",
        "slow",
        "states decay slowly, as those of trained models' slow heads do",
    ),
    (
        "decay",
        "model",
        "states decay as those of a fresh model do",
    ),
    (
        "decay",
        "fast",
        "natural logarithms between -20 and 0, as in llama.cpp's test",
    ),
    (
        "decay",
        "threshold",
        "arguments of the softplus lie on both sides of its threshold",
    ),
    ("decay", "between", "the factor lies between 0.25 and 0.75"),
    ("decay", "zero", "the factor is 0: everything is forgotten"),
    ("decay", "one", "the factor is 1: nothing is forgotten"),
    ("keys", "usual", "rows of queries and keys as in a model"),
    (
        "keys",
        "tiny",
        "rows of queries and keys next to the epsilon of their norm, and rows of zeros",
    ),
    (
        "keys",
        "independent",
        "keys point in independent directions",
    ),
    (
        "keys",
        "correlated",
        "all keys of a sequence or chunk are nearly the same",
    ),
    (
        "strengths",
        "between",
        "write strengths lie between 0 and 1",
    ),
    ("strengths", "ends", "most write strengths are 0 or 1"),
    (
        "matrix",
        "independent",
        "a matrix of independent keys: small elements",
    ),
    (
        "matrix",
        "correlated",
        "a matrix of keys that are nearly the same: elements near -1",
    ),
    ("sums", "small", "cumulated gates whose mask stays near 1"),
    ("sums", "both", "cumulated gates that rise and fall"),
    (
        "sums",
        "far",
        "cumulated gates whose mask grows beyond what f32 holds",
    ),
    ("reach", "usual", "arguments of the softplus of usual size"),
    (
        "reach",
        "far",
        "arguments so far from 0 that e^x is infinite or 0",
    ),
    ("size", "usual", "elements of ordinary size"),
    (
        "size",
        "tiny",
        "rows so short that the epsilon of the norm counts",
    ),
    (
        "size",
        "far",
        "arguments beyond where the softplus is the identity and where e^x is infinite",
    ),
    ("signs", "both", "elements of both signs"),
    ("signs", "negative", "elements below 0 only"),
    ("values", "ordinary", "numbers of ordinary size"),
    ("values", "zeros", "half of the elements are 0 or -0"),
    (
        "values",
        "tiny",
        "subnormal numbers of either sign, and zeros",
    ),
    ("values", "spread", "magnitudes from 2^-90 to 2^90"),
    (
        "values",
        "huge",
        "magnitudes of about 2^126: larger sums are infinite",
    ),
    (
        "values",
        "infinite",
        "one element in eight is infinite, of either sign",
    ),
    ("values", "infinity", "one element is infinite"),
    (
        "values",
        "opposed",
        "one operand of about 2^-100, the other of about 2^100",
    ),
    (
        "values",
        "great",
        "everything is 2^60 times what it ordinarily is",
    ),
    (
        "values",
        "far",
        "arguments so far from 0 that the result is infinite, subnormal or at its end",
    ),
    ("values", "long", "rows of elements of about 2^50"),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::contract::catalog::functions;

    #[test]
    fn every_word_of_every_contract_has_one_meaning_and_no_meaning_is_left_over() {
        let words: BTreeSet<(&str, &str)> = functions()
            .flat_map(|function| function.choices())
            .flat_map(|(choice, words)| words.iter().map(move |word| (*choice, *word)))
            .collect();
        let known: Vec<(&str, &str)> = MEANINGS.iter().map(|(of, word, _)| (*of, *word)).collect();
        let once: BTreeSet<(&str, &str)> = known.iter().copied().collect();
        assert_eq!(once.len(), known.len(), "a word stands twice in the table");
        let lacking: Vec<_> = words.difference(&once).collect();
        assert!(lacking.is_empty(), "no meaning: {lacking:?}");
        let unused: Vec<_> = once.difference(&words).collect();
        assert!(unused.is_empty(), "no contract has them: {unused:?}");
    }
}
