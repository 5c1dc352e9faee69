//! Selection of cases by `--phase` and `--test`.

use std::collections::BTreeSet;
use std::ops::Range;

use globset::GlobBuilder;

use crate::contract::{Case, Test};
use crate::registry::{Phase, Registry};
use crate::run::RunError;
use crate::text::nearest;

/// A selected case, with its test and its phase.
#[derive(Debug, Clone, Copy)]
pub struct SelectedCase<'a> {
    /// The phase.
    pub phase: &'a Phase,
    /// The test.
    pub test: &'a Test,
    /// The case.
    pub case: &'a Case,
}

/// Returns the cases that `--phase` and `--test` select, in the registry's order. Without both flags
/// these are all cases.
pub fn select<'a>(
    registry: &'a Registry,
    phases: &[String],
    tests: &[String],
) -> Result<Vec<SelectedCase<'a>>, RunError> {
    let numbers = phase_numbers(registry, phases)?;
    let ids = tests
        .iter()
        .flat_map(|list| patterns(registry, list))
        .map(|pattern| matching_ids(registry, &pattern))
        .collect::<Result<Vec<_>, _>>()?;
    let ids: BTreeSet<&str> = ids.into_iter().flatten().collect();
    let selected: Vec<SelectedCase<'a>> = all_cases(registry)
        .filter(|entry| {
            numbers
                .as_ref()
                .is_none_or(|numbers| numbers.contains(&entry.phase.number))
        })
        .filter(|entry| tests.is_empty() || ids.contains(entry.case.id.as_str()))
        .collect();
    if selected.is_empty() {
        let message = match (phases, tests) {
            ([], []) => "the registry has no tests",
            _ => "no test is in both --phase and --test: loosen one of them",
        };
        return Err(RunError::Nothing(message.into()));
    }
    Ok(selected)
}

/// Splits a list at its commas. A comma within brackets, as in `{mul,exp}` or `gemm<64,true>`, separates
/// nothing.
pub(super) fn split_list(list: &str) -> Vec<&str> {
    let mut open: Vec<(usize, char)> = Vec::new();
    let mut brackets: Vec<Range<usize>> = Vec::new();
    for (at, c) in list.char_indices() {
        match c {
            '(' => open.push((at, ')')),
            '[' => open.push((at, ']')),
            '{' => open.push((at, '}')),
            '<' => open.push((at, '>')),
            // Brackets that are not closed are left out, because globs may cut names anywhere.
            _ => {
                if let Some(position) = open.iter().rposition(|(_, close)| *close == c) {
                    brackets.push(open[position].0..at);
                    open.truncate(position);
                }
            }
        }
    }
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, _) in list.match_indices(',') {
        if !brackets.iter().any(|bracket| bracket.contains(&at)) {
            parts.push(&list[start..at]);
            start = at + 1;
        }
    }
    parts.push(&list[start..]);
    parts
}

/// Returns a test of whether `--phase` and `--test` may select cases of a registry's test, judged by its names alone. Its cases may not be
/// known yet.
pub(super) fn may_select(
    registry: &Registry,
    phases: &[String],
    tests: &[String],
) -> impl Fn(u32, &Test) -> bool + use<> {
    let numbers = phase_numbers(registry, phases).ok().flatten();
    let parts = tests.iter().flat_map(|list| list.split(','));
    let heads: Vec<String> = parts
        .map(|part| part.split(':').next().unwrap_or_default().trim().to_owned())
        .collect();
    let any = tests.is_empty() || tests.iter().any(|list| list.contains(['*', '?', '[', '{']));
    move |phase, test| {
        let names = [test.id.as_str(), test.function.name].into_iter();
        let mut names = names.chain(test.aliases.iter().map(String::as_str));
        // A name with a comma takes several parts of a list.
        let first = |name: &str| name.split(',').next().unwrap_or_default().trim().to_owned();
        let named = |name: &str| heads.contains(&first(name));
        numbers
            .as_ref()
            .is_none_or(|numbers| numbers.contains(&phase))
            && (any || names.any(named))
    }
}

/// Splits a list of names and globs. Names of cases and tests have commas too: a comma is part of a name
/// if the text on both sides of it is one name, or if the text after it selects nothing alone. The longest
/// name precedes shorter ones.
fn patterns(registry: &Registry, list: &str) -> Vec<String> {
    let parts = split_list(list);
    let names: BTreeSet<&str> = test_names(registry).collect();
    let selects = |pattern: &str| matching_ids(registry, pattern).is_ok();
    let mut patterns: Vec<String> = Vec::new();
    let mut first = 0;
    while first < parts.len() {
        let joined = |last: usize| parts[first..=last].join(",").trim().to_owned();
        let longest_glob = |end: usize| (first..=end).rev().find(|&last| selects(&joined(last)));
        let end = parts.len() - 1;
        let name = (first + 1..=end)
            .rev()
            .find(|&last| names.contains(joined(last).as_str()));
        let last = name.unwrap_or_else(|| {
            let follows = |&part: &usize| !selects(parts[part].trim());
            let run = (first + 1..=end).take_while(follows).last();
            longest_glob(run.unwrap_or(first))
                .or_else(|| longest_glob(end))
                .unwrap_or_else(|| sizes_end(&parts, first))
        });
        patterns.push(joined(last));
        first = last + 1;
    }
    patterns
}

/// Returns the last part of an unknown case, `ID:M=1,N=2`, so that an error shows its whole name.
fn sizes_end(parts: &[&str], first: usize) -> usize {
    let is_size = |&part: &usize| parts[part].contains('=') && !parts[part].contains(':');
    let sizes = (first + 1..parts.len()).take_while(is_size).last();
    match sizes {
        Some(last) if parts[first].contains(':') => last,
        _ => first,
    }
}

/// Returns every case, in the registry's order.
pub fn all_cases(registry: &Registry) -> impl Iterator<Item = SelectedCase<'_>> {
    registry.phases.iter().flat_map(|phase| {
        let tests = phase.tests.iter();
        tests.flat_map(move |test| {
            test.cases
                .iter()
                .map(move |case| SelectedCase { phase, test, case })
        })
    })
}

/// Parses the numbers and ranges of `--phase`, which commas separate. Returns none without the flag.
fn phase_numbers(
    registry: &Registry,
    phases: &[String],
) -> Result<Option<BTreeSet<u32>>, RunError> {
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

/// Returns the ids of the cases that a name or a glob selects. The name is that of a case or a test, or
/// else that of a contract.
fn matching_ids<'a>(registry: &'a Registry, pattern: &str) -> Result<Vec<&'a str>, RunError> {
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
    let matches = |name: &str| {
        matcher
            .as_ref()
            .map_or(name == pattern, |matcher| matcher.is_match(name))
    };
    let ids: Vec<&str> = all_cases(registry)
        .filter(|entry| {
            matches(&entry.case.id)
                || matches(&entry.test.id)
                || entry.test.aliases.iter().any(|alias| matches(alias))
        })
        .map(|entry| entry.case.id.as_str())
        .collect();
    if !ids.is_empty() {
        return Ok(ids);
    }
    // The name of a contract stands for all tests of the contract.
    let ids: Vec<&str> = all_cases(registry)
        .filter(|entry| entry.test.function.name == pattern)
        .map(|entry| entry.case.id.as_str())
        .collect();
    if !ids.is_empty() {
        return Ok(ids);
    }
    if glob {
        return Err(RunError::Nothing(format!(
            "no test matches `{shown}`; --list prints them all"
        )));
    }
    let near = nearest(pattern, test_names(registry), 3);
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

/// Returns every name that `--test` takes: ids of tests and cases, aliases, and contracts.
fn test_names(registry: &Registry) -> impl Iterator<Item = &str> {
    registry.tests().flat_map(|test| {
        let names = [test.id.as_str(), test.function.name].into_iter();
        names
            .chain(test.aliases.iter().map(String::as_str))
            .chain(test.cases.iter().map(|case| case.id.as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_several_words_is_no_glob_and_globs_match_it() {
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
            selected.iter().map(|entry| entry.case.id.clone()).collect()
        };
        assert_eq!(ids("utils_tk bf16↔float"), ["utils_tk bf16↔float"]);
        assert_eq!(ids("utils_tk bf16-float"), ["utils_tk bf16↔float"]);
        assert_eq!(
            ids("utils_tk mul (8 ops):n=5"),
            ["utils_tk mul (8 ops):n=5"]
        );
        // The name of a contract selects all of its tests.
        assert_eq!(ids("mul").len(), 3);
        assert_eq!(ids("utils_tk *").len(), 3);
        assert_eq!(ids("*(8 ops)").len(), 2);
        let error = select(&registry, &[], &["utils_tk bf16<->float".into()]).expect_err("no such");
        let message = error.to_string();
        assert!(message.contains("`utils_tk bf16-float`"), "{message}");
    }

    #[test]
    fn a_comma_separates_names_and_may_be_part_of_one() {
        let text = r#"schema = 1
[[test]]
id = "product"
aliases = ["scan"]
contract = "gemm_nn"
cases = [{ M = 2, N = 3, K = 4 }, { M = 2, N = 3, K = 5 }, { M = 3, N = 3, K = 4 }]
[[test]]
id = "scan, every two values"
contract = "mul"
shape = { n = 4 }
[[test]]
id = "solve BT=16"
contract = "exp"
shape = { n = 4 }
[[test]]
id = "sums (1, 2)"
contract = "cumsum"
shape = { n = 4 }
"#;
        let base = Registry::built_in().expect("a good registry");
        let registry = Registry::parse("x", text, Some(&base));
        let registry = registry.unwrap_or_else(|error| panic!("{error}"));
        let names = [
            ("product:M=2,N=3,K=4", 1),
            ("product:M=2,*,K=4", 1),
            ("product:M=*,N=3,K=4", 2),
            ("{scan,solve BT=16}", 4),
            ("s{ums,olve}*", 2),
            ("scan, every two values", 1),
            ("scan, every*", 1),
            ("scan", 3),
            ("solve BT=16", 1),
            ("sums (1, 2)", 1),
            ("*[1,2])", 1),
            ("mul", 1),
        ];
        for (name, count) in names {
            let selected = select(&registry, &[], &[name.into()]);
            let selected = selected.unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(selected.len(), count, "{name}");
            // Every list of names selects what its names select.
            for (second, _) in names {
                for list in [format!("{name},{second}"), format!("{name}, {second},mul")] {
                    let last = if list.ends_with(",mul") {
                        "mul"
                    } else {
                        second
                    };
                    assert_eq!(patterns(&registry, &list)[..2], [name, second], "{list}");
                    assert_eq!(patterns(&registry, &list).last().expect("a name"), last);
                }
            }
        }
        for (list, wrong) in [
            ("mul,product:M=2,N=3,K=9", "`product:M=2,N=3,K=9`"),
            ("scan, ever two values,mul", "`ever two values`"),
            ("mul,solve BT=17,scan", "`solve BT=17`"),
        ] {
            let error = select(&registry, &[], &[list.into()]).expect_err(list);
            let title = format!("there is no test {wrong}");
            assert!(error.to_string().starts_with(&title), "{error}");
        }
    }

    #[test]
    fn a_comma_in_brackets_separates_nothing() {
        for (list, parts) in [
            ("a,b", &["a", "b"][..]),
            ("{a,b},c", &["{a,b}", "c"]),
            ("gemm<64,true>,x", &["gemm<64,true>", "x"]),
            ("{a,[b,c]d},e", &["{a,[b,c]d}", "e"]),
            ("gemm<64*,x<1,2>", &["gemm<64*", "x<1,2>"]),
            ("f(a,b),", &["f(a,b)", ""]),
        ] {
            assert_eq!(split_list(list), parts, "{list}");
        }
    }
}
