//! The domain of a contract, as the command shows it.

use serde::Serialize;

use crate::contract::relation::Relation;
use crate::contract::{Choice, Domain, Factor, Function, Rule};
use crate::contracts::meaning;

/// The domain as JSON has it.
#[derive(Serialize)]
pub(super) struct Shown<'a> {
    /// Sizes and whole numbers that are varied together, and their telling values.
    sizes: Vec<Sizes<'a>>,
    /// Conventions that a case may leave open; it is then the first word's.
    conventions: Vec<Named<'a>>,
    /// What inputs may hold; a case that leaves it open has the first word's.
    values: Vec<Named<'a>>,
    /// What is left out, and why.
    without: Vec<&'a str>,
    /// Cases whose right output is zeros or a copy of an input: they prove that a kernel writes, and no more.
    uncomputed: Vec<&'a str>,
    /// Laws that need no reference.
    laws: Vec<Law<'a>>,
}

/// A law, and what it says.
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

/// A choice, its words, and what each of them means.
#[derive(Serialize)]
pub(super) struct Named<'a> {
    name: &'a str,
    words: &'a [&'a str],
    meanings: Vec<&'static str>,
}

impl<'a> From<&'a Choice> for Named<'a> {
    fn from((name, words): &'a Choice) -> Named<'a> {
        let meanings = words.iter().map(|word| meaning(name, word)).collect();
        Named {
            name,
            words,
            meanings,
        }
    }
}

impl<'a> From<&'a Domain> for Shown<'a> {
    fn from(domain: &'a Domain) -> Shown<'a> {
        let sizes = domain.factors.iter().map(|factor| Sizes {
            names: factor.names(),
            values: factor.levels(),
        });
        Shown {
            sizes: sizes.collect(),
            conventions: domain.conventions.iter().map(Named::from).collect(),
            values: domain.values.iter().map(Named::from).collect(),
            without: domain.rules.iter().map(|rule| rule.says).collect(),
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

/// Labels and lines of a contract's page.
pub(super) fn lines(function: &Function) -> Vec<(&'static str, String)> {
    let domain = &function.domain;
    let factors = domain
        .factors
        .iter()
        .map(|factor| ("domain", sizes(factor)));
    let open = |label: &'static str, choices: &'static [Choice]| {
        choices.iter().flat_map(move |choice| words(label, choice))
    };
    let said = |label: &'static str, rules: &'static [Rule]| {
        rules.iter().map(move |rule| (label, rule.says.into()))
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

/// A choice in lines: its name and words, then what each word means.
pub(super) fn words(
    label: &'static str,
    (name, words): &'static Choice,
) -> Vec<(&'static str, String)> {
    let width = words.iter().map(|word| word.len()).max().unwrap_or(0);
    let each = words.iter().map(|word| {
        let meaning = meaning(name, word);
        ("", format!("  {word:<width$}  {meaning}"))
    });
    let first = (label, format!("{name}: {}", words.join(" | ")));
    std::iter::once(first).chain(each).collect()
}

/// `n: 1, 63, 64` or `T, C: 1 64 | 63 64`.
fn sizes(factor: &Factor) -> String {
    let level = |numbers: &[i64]| -> String {
        let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
        numbers.join(" ")
    };
    let levels: Vec<String> = factor.levels().into_iter().map(level).collect();
    let names = factor.names().join(" ");
    format!("{names}: {}", levels.join(" | "))
}
