//! The case of a recorded launch: the sizes that the user gives, and those that follow from its buffers and numbers.

use super::given::GivenSizes;
use super::kernarg::Number;
use super::tensors::{Candidate, Tensors};
use crate::binding::ContractTensors;
use crate::commands::exec::recorded::RecordedLaunch;
use crate::contract::{Function, Value, Values};

/// Assignments of numbers to sizes after which the search gives up.
const MAX_TRIED: usize = 200_000;
/// Assignments that a message lists.
const LISTED: usize = 3;

/// A recorded launch in the contract's terms.
pub struct Case<'a> {
    /// Sizes, integers and choices.
    pub values: Values,
    /// The tensors that its pointers may point to.
    pub candidates: Vec<Candidate>,
    /// Choices that the user has not given, with the words of the first test that has the given ones.
    pub assumed: Vec<(&'a str, &'a str)>,
}

/// A reason why the case of a launch is not known.
#[derive(Debug, thiserror::Error)]
pub enum UnknownCase {
    #[error("no test of `{function}` has {words}: give choices that one has")]
    Words {
        function: &'static str,
        words: String,
    },
    #[error("the buffers and numbers of the launch do not tell its sizes: give them, `--size {0}`")]
    Untold(String),
    #[error("several sizes fit the buffers of the launch ({0}): choose with `--size`")]
    Ambiguous(String),
}

/// Finds the case that a launch was made for. `names` are the names of the arguments that point to its regions.
///
/// # Errors
/// No test has the given choices, the sizes do not follow from the launch, or several assignments of sizes fit it.
pub fn find(
    described: &ContractTensors,
    given: &GivenSizes,
    recorded: &RecordedLaunch,
    names: &[Option<&str>],
    numbers: &[Number<'_>],
) -> Result<Case<'static>, UnknownCase> {
    let function = described.function;
    let given_word = |choice: &str| given.words.iter().find(|(name, _)| *name == choice);
    let fits = |words: &&[&'static str]| {
        let pairs = function.words.iter().zip(*words);
        pairs.clone().count() == function.words.len()
            && pairs.clone().all(|((choice, _), word)| {
                given_word(choice).is_none_or(|(_, given)| given == word)
            })
    };
    let words = described.choices().find(fits).ok_or_else(|| {
        let words: Vec<String> = given
            .words
            .iter()
            .map(|(name, word)| format!("{name}={word}"))
            .collect();
        UnknownCase::Words {
            function: function.name,
            words: words.join(","),
        }
    })?;
    let words: Vec<(&'static str, &'static str)> = function
        .words
        .iter()
        .zip(words)
        .map(|((choice, _), word)| (*choice, *word))
        .collect();
    let tensors = described.tensors_at(&case(function, &[], &words));
    let candidates = Candidate::of(function, tensors.as_deref().unwrap_or_default());
    let search = Search {
        function,
        words: &words,
        candidates: &candidates,
        recorded,
        names,
    };
    let values = search.sizes(given, numbers)?;
    let assumed = words
        .iter()
        .filter(|(choice, _)| given_word(choice).is_none())
        .copied()
        .collect();
    Ok(Case {
        values,
        candidates,
        assumed,
    })
}

/// Returns values in the contract's order; sizes that are not known yet are 1.
fn case(
    function: &Function,
    numbers: &[(&'static str, i64)],
    words: &[(&'static str, &'static str)],
) -> Values {
    let number = |name: &str| {
        numbers
            .iter()
            .find(|(known, _)| *known == name)
            .map_or(1, |(_, number)| *number)
    };
    let sizes = function.sizes();
    let sizes = sizes.map(|name| (name.to_owned(), Value::Number(number(name))));
    let words = words
        .iter()
        .map(|(name, word)| ((*name).to_owned(), Value::Word(word)));
    Values::new(sizes.chain(words).collect())
}

struct Search<'a> {
    function: &'static Function,
    words: &'a [(&'static str, &'static str)],
    candidates: &'a [Candidate],
    recorded: &'a RecordedLaunch,
    names: &'a [Option<&'a str>],
}

impl Search<'_> {
    fn sizes(&self, given: &GivenSizes, numbers: &[Number<'_>]) -> Result<Values, UnknownCase> {
        let known = |size: &str| given.numbers.iter().any(|(name, _)| *name == size);
        let sizes = self.function.sizes();
        let unknown: Vec<&'static str> = sizes.filter(|size| !known(size)).collect();
        if unknown.is_empty() {
            return Ok(case(self.function, &given.numbers, self.words));
        }
        // Numbers that are named like sizes are tried as those sizes first, and given up if the buffers do not fit them.
        let named = unknown.iter().filter_map(|size| {
            let mut alike = numbers
                .iter()
                .filter(|(name, _)| name.is_some_and(|name| name.eq_ignore_ascii_case(size)));
            let (_, number) = alike.next()?;
            (alike.next().is_none() && *number > 0).then_some((*size, *number))
        });
        let by_name: Vec<(&'static str, i64)> =
            given.numbers.iter().copied().chain(named).collect();
        let mut scalars: Vec<i64> = numbers
            .iter()
            .map(|(_, number)| *number)
            .filter(|number| *number > 0)
            .collect();
        scalars.sort_unstable();
        scalars.dedup();
        let mut all = scalars.clone();
        for region in &self.recorded.regions {
            all.extend(
                [1, 2, 4, 8]
                    .iter()
                    .filter_map(|each| i64::try_from(region.size / each).ok()),
            );
        }
        all.extend(
            self.recorded
                .grid
                .iter()
                .chain(&self.recorded.block)
                .map(|count| i64::from(*count)),
        );
        all.retain(|number| (1..=i64::from(i32::MAX)).contains(number));
        all.sort_unstable();
        all.dedup();
        // Arguments come before numbers derived from buffers and grids, even if tensors must then have elements of half the size.
        for choices in [&scalars, &all] {
            for half in [false, true] {
                for fixed in [&by_name, &given.numbers] {
                    let mut found = FoundCases::default();
                    self.assign(&mut fixed.clone(), choices, half, &mut found);
                    if found.tried >= MAX_TRIED {
                        break;
                    }
                    match &found.cases[..] {
                        [] => {}
                        [one] => return Ok(case(self.function, one, self.words)),
                        several => return Err(ambiguous(several, &unknown)),
                    }
                }
            }
        }
        let asked: Vec<String> = unknown.iter().map(|size| format!("{size}=..")).collect();
        Err(UnknownCase::Untold(asked.join(",")))
    }

    /// Collects every assignment of these numbers to the sizes that are not fixed yet, so that the buffers fit.
    fn assign(
        &self,
        fixed: &mut Vec<(&'static str, i64)>,
        numbers: &[i64],
        half: bool,
        found: &mut FoundCases,
    ) {
        found.tried += 1;
        if found.tried >= MAX_TRIED || found.cases.len() > LISTED {
            return;
        }
        let open = |size: &&str| !fixed.iter().any(|(name, _)| name == size);
        let mut sizes = self.function.sizes();
        let values = case(self.function, fixed, self.words);
        if !self.outputs_fit(&values, fixed, half) {
            return;
        }
        let Some(size) = sizes.find(open) else {
            let tensors = Tensors::at(self.candidates, &values);
            if tensors.explain(&self.recorded.regions, self.names, half) {
                found.cases.push(fixed.clone());
            }
            return;
        };
        // A size that no tensor's shape depends on cannot be found from buffers.
        if !self
            .candidates
            .iter()
            .any(|tensor| tensor.lengths.names(size))
        {
            return;
        }
        for &number in numbers {
            fixed.push((size, number));
            self.assign(fixed, numbers, half, found);
            fixed.pop();
        }
    }

    /// Returns true if every output whose sizes are known has a region of its size, or is part of a larger region.
    fn outputs_fit(&self, values: &Values, fixed: &[(&'static str, i64)], half: bool) -> bool {
        let known = |tensor: &&Candidate| {
            let open = |size: &&str| !fixed.iter().any(|(name, _)| name == size);
            let mut sizes = self.function.sizes().filter(open);
            !sizes.any(|size| tensor.lengths.names(size))
        };
        let outputs = || self.candidates.iter().filter(|tensor| tensor.is_output());
        let several = outputs().count() > 1;
        outputs().filter(known).all(|tensor| {
            let Some(bytes) = tensor.bytes(values) else {
                return false;
            };
            let fits = |size: u64| {
                size == bytes || (half && size == bytes / 2) || (several && size > bytes)
            };
            let regions = &self.recorded.regions;
            regions.iter().any(|region| fits(region.size))
        })
    }
}

#[derive(Default)]
struct FoundCases {
    cases: Vec<Vec<(&'static str, i64)>>,
    tried: usize,
}

fn ambiguous(cases: &[Vec<(&'static str, i64)>], unknown: &[&'static str]) -> UnknownCase {
    let shown = cases.iter().take(LISTED).map(|sizes| {
        let own = sizes.iter().filter(|(name, _)| unknown.contains(name));
        let pairs: Vec<String> = own
            .map(|(name, number)| format!("{name}={number}"))
            .collect();
        pairs.join(",")
    });
    let shown: Vec<String> = shown.collect();
    let more = if cases.len() > LISTED {
        ", and more"
    } else {
        ""
    };
    UnknownCase::Ambiguous(shown.join("; ") + more)
}

#[cfg(test)]
mod tests;
