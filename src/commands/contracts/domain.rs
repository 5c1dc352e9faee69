//! The domain of a contract, as `contracts` prints it.

use serde::Serialize;

use crate::contract::catalog::meaning;
use crate::contract::relation::Relation;
use crate::contract::{Choice, Domain, Factor, Function, Rule};

/// The domain as JSON has it.
#[derive(Serialize)]
pub(super) struct DomainJson<'a> {
    /// Sizes and whole numbers that are varied together, with the values that a design takes.
    sizes: Vec<Sizes<'a>>,
    /// Conventions that a case may leave open; the case then has the first word.
    conventions: Vec<ChoiceJson<'a>>,
    /// Classes of inputs; a case that leaves the class open has the first word.
    values: Vec<ChoiceJson<'a>>,
    /// Combinations that the domain leaves out, with the reasons.
    without: Vec<&'a str>,
    /// Cases whose right output is zeros or a copy of an input: a pass proves only that a kernel writes.
    uncomputed: Vec<&'a str>,
    /// Laws that need no reference.
    laws: Vec<Law<'a>>,
}

/// A law, and its statement.
#[derive(Serialize)]
struct Law<'a> {
    name: &'a str,
    says: &'a str,
}

#[derive(Serialize)]
struct Sizes<'a> {
    names: &'a [&'static str],
    values: Vec<&'a [i64]>,
}

/// A choice, its words, and the meaning of each word.
#[derive(Serialize)]
pub(super) struct ChoiceJson<'a> {
    name: &'a str,
    words: &'a [&'a str],
    meanings: Vec<&'static str>,
}

impl<'a> From<&'a Choice> for ChoiceJson<'a> {
    fn from((name, words): &'a Choice) -> ChoiceJson<'a> {
        let meanings = words.iter().map(|word| meaning(name, word)).collect();
        ChoiceJson {
            name,
            words,
            meanings,
        }
    }
}

/// Returns the words of rules. A rule that excludes none of the domain's values has none.
fn said(rules: &[Rule]) -> Vec<&str> {
    let said = rules.iter().map(|rule| rule.says);
    said.filter(|says| !says.is_empty()).collect()
}

impl<'a> From<&'a Domain> for DomainJson<'a> {
    fn from(domain: &'a Domain) -> DomainJson<'a> {
        let sizes = domain.factors.iter().map(|factor| Sizes {
            names: factor.names(),
            values: factor.levels(),
        });
        DomainJson {
            sizes: sizes.collect(),
            conventions: domain.conventions.iter().map(ChoiceJson::from).collect(),
            values: domain.values.iter().map(ChoiceJson::from).collect(),
            without: said(domain.rules),
            uncomputed: domain.uncomputed.iter().map(|rule| rule.says).collect(),
            laws: domain
                .relations
                .iter()
                .map(|law| Law {
                    name: law.name,
                    says: law.says,
                })
                .collect(),
        }
    }
}

/// Returns the labels and lines of a domain on a contract's page.
pub(super) fn lines(function: &Function) -> Vec<(&'static str, String)> {
    let domain = &function.domain;
    let factors = domain
        .factors
        .iter()
        .map(|factor| ("domain", sizes(factor)));
    let open = |label: &'static str, choices: &'static [Choice]| {
        choices
            .iter()
            .flat_map(move |choice| words(label, choice, function))
    };
    let said = |label: &'static str, rules: &'static [Rule]| {
        let said = rules.iter().filter(|rule| !rule.says.is_empty());
        said.map(move |rule| (label, rule.says.into()))
    };
    let rules = said("without", domain.rules).chain(said("uncomputed", domain.uncomputed));
    let law = |law: &Relation| ("law", format!("{}: {}", law.name, law.says));
    let laws = domain.relations.iter().map(law);
    open("optional", domain.conventions)
        .chain(open("inputs", domain.values))
        .chain(factors)
        .chain(rules)
        .chain(laws)
        .collect()
}

/// Returns the lines of a choice: its name and words, then the meaning of each word.
pub(super) fn words(
    label: &'static str,
    (name, words): &'static Choice,
    function: &Function,
) -> Vec<(&'static str, String)> {
    let width = words.iter().map(|word| word.len()).max().unwrap_or(0);
    // The words of a custom contract have the meanings that its file gives them.
    let explained = words.iter().filter(|_| !function.is_custom());
    let each = explained.map(|word| {
        let meaning = meaning(name, word);
        ("", format!("  {word:<width$}  {meaning}"))
    });
    let first = (label, format!("{name}: {}", words.join(" | ")));
    std::iter::once(first).chain(each).collect()
}

/// Formats a factor, as `n: 1 | 63 | 64` or `T C: 1 64 | 63 64`.
fn sizes(factor: &Factor) -> String {
    let level = |numbers: &[i64]| -> String {
        let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
        numbers.join(" ")
    };
    let levels: Vec<String> = factor.levels().into_iter().map(level).collect();
    let names = factor.names().join(" ");
    format!("{names}: {}", levels.join(" | "))
}
