//! Selection of cases by `--phase` and `--test`.

use std::collections::BTreeSet;

use globset::GlobBuilder;

use crate::contract::{Case, Test};
use crate::registry::{Phase, Registry};
use crate::run::RunError;
use crate::text::nearest;

/// One case to run, with the test and the phase it belongs to.
#[derive(Debug, Clone, Copy)]
pub struct SelectedCase<'a> {
    /// Its phase.
    pub phase: &'a Phase,
    /// Its test.
    pub test: &'a Test,
    /// The case.
    pub case: &'a Case,
}

/// The cases of the registry that the flags select, in the registry's order. No flag selects everything.
pub fn select<'a>(
    registry: &'a Registry,
    phases: &[String],
    tests: &[String],
) -> Result<Vec<SelectedCase<'a>>, RunError> {
    let numbers = numbers(registry, phases)?;
    let wanted = tests
        .iter()
        .flat_map(|pattern| parts(registry, pattern))
        .map(|pattern| ids(registry, &pattern))
        .collect::<Result<Vec<_>, _>>()?;
    let wanted: BTreeSet<&str> = wanted.into_iter().flatten().collect();
    let all = everything(registry);
    let selected: Vec<SelectedCase<'a>> = all
        .filter(|one| {
            numbers
                .as_ref()
                .is_none_or(|numbers| numbers.contains(&one.phase.number))
        })
        .filter(|one| tests.is_empty() || wanted.contains(one.case.id.as_str()))
        .collect();
    if selected.is_empty() {
        let title =
            "no test is in both the phases and the tests asked for: loosen --phase or --test";
        return Err(RunError::Nothing(title.into()));
    }
    Ok(selected)
}

/// Ids and globs between commas. Ids of cases have commas of their own: `ID:M=1,N=2`.
fn parts(registry: &Registry, pattern: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    if ids(registry, pattern).is_ok() {
        return vec![pattern.into()];
    }
    for part in pattern.split(',') {
        let of_a_shape = part.contains('=') && !part.contains(':');
        match parts.last_mut() {
            Some(last) if of_a_shape && last.contains(':') => *last = format!("{last},{part}"),
            _ => parts.push(part.trim().into()),
        }
    }
    parts
}

/// Every case, in the registry's order.
pub fn everything(registry: &Registry) -> impl Iterator<Item = SelectedCase<'_>> {
    registry.phases.iter().flat_map(|phase| {
        let tests = phase.tests.iter();
        tests.flat_map(move |test| {
            test.cases
                .iter()
                .map(move |case| SelectedCase { phase, test, case })
        })
    })
}

/// The phases that `--phase` names: numbers and ranges, separated by commas. None: all of them.
fn numbers(registry: &Registry, phases: &[String]) -> Result<Option<BTreeSet<u32>>, RunError> {
    if phases.is_empty() {
        return Ok(None);
    }
    let known: BTreeSet<u32> = registry.phases.iter().map(|phase| phase.number).collect();
    let list = || {
        known
            .iter()
            .map(u32::to_string)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let mut numbers = BTreeSet::new();
    for part in phases
        .iter()
        .flat_map(|text| text.split(','))
        .map(str::trim)
    {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (Ok(first), Ok(last)) = (first.trim().parse::<u32>(), last.trim().parse::<u32>())
        else {
            return Err(RunError::Flag(format!(
                "`--phase {}` is not a phase: write numbers and ranges, as in 6 or 1-3,6; there are {}",
                part.escape_debug(),
                list()
            )));
        };
        if first > last {
            return Err(RunError::Flag(format!(
                "`--phase {part}` runs backwards: write {last}-{first}"
            )));
        }
        for end in [first, last] {
            if !known.contains(&end) {
                return Err(RunError::Flag(format!(
                    "there is no phase {end}: there are {}",
                    list()
                )));
            }
        }
        numbers.extend(known.range(first..=last));
    }
    Ok(Some(numbers))
}

/// The ids of the cases that a name or a glob means. A name is that of a case, of a test, or else of a
/// contract.
fn ids<'a>(registry: &'a Registry, pattern: &str) -> Result<Vec<&'a str>, RunError> {
    let shown = pattern.escape_debug();
    let glob = pattern.contains(['*', '?', '[', '{']);
    let matcher = if glob {
        let built = GlobBuilder::new(pattern).build();
        let built = built.map_err(|error| {
            RunError::Flag(format!("`--test {shown}` is not a glob: {}", error.kind()))
        })?;
        Some(built.compile_matcher())
    } else {
        None
    };
    let hit = |name: &str| {
        matcher
            .as_ref()
            .map_or(name == pattern, |matcher| matcher.is_match(name))
    };
    let ids: Vec<&str> = everything(registry)
        .filter(|one| {
            hit(&one.case.id)
                || hit(&one.test.id)
                || one.test.aliases.iter().any(|alias| hit(alias))
        })
        .map(|one| one.case.id.as_str())
        .collect();
    if !ids.is_empty() {
        return Ok(ids);
    }
    // The name of a contract stands for all tests of the contract.
    let ids: Vec<&str> = everything(registry)
        .filter(|one| one.test.function.name == pattern)
        .map(|one| one.case.id.as_str())
        .collect();
    if !ids.is_empty() {
        return Ok(ids);
    }
    if glob {
        return Err(RunError::Nothing(format!(
            "no test matches `{shown}`; --list prints them all"
        )));
    }
    let near = nearest(pattern, names(registry), 3);
    let hint = match near.as_slice() {
        [] => "--list prints them all".to_string(),
        near => format!(
            "did you mean {}?",
            near.iter()
                .map(|name| format!("`{name}`"))
                .collect::<Vec<_>>()
                .join(" or ")
        ),
    };
    Err(RunError::Flag(format!(
        "there is no test `{shown}`; {hint}"
    )))
}

/// Returns every name that `--test` takes: ids, aliases, and contracts.
fn names(registry: &Registry) -> impl Iterator<Item = &str> {
    registry.tests().flat_map(|test| {
        let own = [test.id.as_str(), test.function.name].into_iter();
        own.chain(test.aliases.iter().map(String::as_str))
            .chain(test.cases.iter().map(|case| case.id.as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_words_are_literal_and_globs_still_match_them() {
        let text = r#"schema = 1
partial = true
[[phase]]
number = 11
title = "Words"
[[phase.test]]
id = "utils_tk bf16↔float"
aliases = ["utils_tk bf16-float"]
contract = "mul"
shape = { n = 4 }
outputs.out = { tolerance = 0, ceiling = 0, reason = "-" }
planted = "all"
[[phase.test]]
id = "utils_tk mul (8 ops)"
contract = "mul"
cases = [{ n = 4 }, { n = 5 }]
outputs.out = { tolerance = 0, ceiling = 0, reason = "-" }
planted = "all"
"#;
        let registry = Registry::parse("x", text, None).expect("a good registry");
        let ids = |pattern: &str| -> Vec<String> {
            let selected = select(&registry, &[], &[pattern.to_string()]);
            let selected = selected.unwrap_or_else(|error| panic!("{error}"));
            selected.iter().map(|one| one.case.id.clone()).collect()
        };
        assert_eq!(ids("utils_tk bf16↔float"), ["utils_tk bf16↔float"]);
        assert_eq!(ids("utils_tk bf16-float"), ["utils_tk bf16↔float"]);
        assert_eq!(
            ids("utils_tk mul (8 ops):n=5"),
            ["utils_tk mul (8 ops):n=5"]
        );
        // A contract's name means all of its tests.
        assert_eq!(ids("mul").len(), 3);
        assert_eq!(ids("utils_tk *").len(), 3);
        assert_eq!(ids("*(8 ops)").len(), 2);
        let error = select(&registry, &[], &["utils_tk bf16<->float".into()]).expect_err("no such");
        let message = error.to_string();
        assert!(message.contains("`utils_tk bf16-float`"), "{message}");
    }
}
