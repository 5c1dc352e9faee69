//! Meanings of the words of choices, which `words.toml` lists.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Meanings by choice and word.
type Meanings = BTreeMap<String, BTreeMap<String, String>>;

static MEANINGS: LazyLock<Meanings> = LazyLock::new(|| {
    let read = toml::from_str(include_str!("words.toml"));
    read.expect("a test has read it")
});

/// Returns the meaning of a word of a choice. It is empty if the table lacks the word, which a test excludes.
pub fn meaning(choice: &str, word: &str) -> &'static str {
    let words = MEANINGS.get(choice);
    words
        .and_then(|words| words.get(word))
        .map_or("", String::as_str)
}

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
        let of = |(choice, words): (&'static String, &'static BTreeMap<String, String>)| {
            words.keys().map(|word| (choice.as_str(), word.as_str()))
        };
        let once: BTreeSet<(&str, &str)> = MEANINGS.iter().flat_map(of).collect();
        let lacking: Vec<_> = words.difference(&once).collect();
        assert!(lacking.is_empty(), "no meaning: {lacking:?}");
        let unused: Vec<_> = once.difference(&words).collect();
        assert!(unused.is_empty(), "no contract has them: {unused:?}");
    }
}
