//! Contracts that kernels look like.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::Path;

use gfx906::code_object::SourceParameters;

use super::matching::Match;
use super::names;
use super::offer::Offer;
use super::pipeline::{self, Subject, outputs};
use super::skeleton::RECOMPILE;
use crate::binding::built_in;
use crate::contract::Function;
use crate::contract::catalog::functions;
use crate::custom::CustomContract;
use crate::program::Program;
use crate::registry::Registry;
use crate::run::describe_contract;
use crate::text::{escaped, quoted, shown};

/// Contracts whose tensors are compared, those whose names and sizes fit best. Describing a contract's tensors is slow.
const LOOKED_AT: usize = 6;
/// Columns for the names of kernels.
const LINE: usize = 70;
/// Contracts that are proposed.
const NAMED: usize = 3;

/// A contract that kernels look like.
pub struct Candidate {
    /// The contract.
    pub function: &'static Function,
    /// The kernels that look like the contract.
    pub kernels: Vec<String>,
    /// The number of arguments that are named like the contract's tensors and sizes, and the number of all arguments; none if only the
    /// kernels' names suggest the contract.
    pub arguments: Option<(usize, usize)>,
    score: i64,
}

impl Candidate {
    /// Returns the candidate in a line, with the command that writes its binding.
    pub fn to_line(&self, file: &Path, glob: Option<&str>) -> String {
        let name = self.function.name;
        let why = self.evidence();
        let glob = glob.map_or(String::new(), |glob| format!(" --kernel {}", quoted(glob)));
        let file = quoted(&shown(file));
        format!("looks like {name} ({why}): deltanet-check bind {file}{glob} --contract {name}")
    }

    /// Returns the kernels that look like the contract, and whether by their arguments or by their names.
    fn evidence(&self) -> String {
        let kernels: Vec<String> = self.kernels.iter().map(|name| escaped(name)).collect();
        let kernels = kernels.join(", ");
        match self.arguments {
            Some((named, all)) => format!("{kernels}: {named} of {all} arguments"),
            None => format!("{kernels}: by name"),
        }
    }
}

/// Returns the advice to recompile if a kernel has arguments and none of them has a name.
pub fn advice(subjects: &[Subject<'_>]) -> Option<String> {
    let unnamed = |subject: &&Subject<'_>| !subject.args.is_empty() && subject.names().is_empty();
    let count = subjects.iter().filter(unnamed).count();
    let plural = if count == 1 { "" } else { "s" };
    (count > 0).then(|| format!("arguments of {count} kernel{plural} have no names: {RECOMPILE}"))
}

/// Returns the message for a run on a code object that has none of the built-in kernels, and for which no `--bind` is given.
pub fn foreign(registry: &Registry, program: &Program) -> String {
    let path = Path::new(&program.report.path);
    let file = quoted(&program.report.path);
    let kernels = &program.object.kernels;
    if kernels.is_empty() {
        return format!("{file} has no kernels: compile one that is `__global__` into it");
    }
    let parameters = SourceParameters::read(&program.bytes);
    let subjects: Vec<Subject<'_>> = kernels
        .iter()
        .map(|kernel| Subject::new(kernel, &parameters))
        .collect();
    let mut listed = String::new();
    for (at, subject) in subjects.iter().enumerate() {
        let name = escaped(&subject.name);
        if listed.len() + name.len() > LINE {
            listed += &format!(" and {} more", subjects.len() - at);
            break;
        }
        let comma = if at == 0 { "" } else { ", " };
        listed += &format!("{comma}{name}");
    }
    let mut text = format!(
        "{file} has none of the built-in kernels, and no --bind says how its own are launched\n\
         its kernels     {listed}\n"
    );
    // Contracts that the user names are those that the kernels are for.
    let candidates = match registry.custom.is_empty() {
        true => find(registry, &subjects),
        false => Vec::new(),
    };
    for contract in &registry.custom {
        let function = contract.function;
        text += &format!("contract        {}: {}\n", function.name, function.title);
    }
    for candidate in &candidates {
        let name = candidate.function.name;
        text += &format!("which look like {name} ({})\n", candidate.evidence());
    }
    if let Some(advice) = advice(&subjects) {
        text += &format!("to know more    {advice}\n");
    }
    let stem = path
        .file_stem()
        .map_or("mine".into(), |stem| stem.to_string_lossy());
    let bindings = quoted(&format!("{stem}.toml"));
    let has_name = |contract: &&CustomContract| {
        let name = contract.function.name;
        kernels.iter().any(|kernel| kernel.name.contains(name))
    };
    let mut custom = registry.custom.iter();
    let likeliest = custom.find(has_name).or(registry.custom.first());
    let contract = match candidates.first() {
        Some(candidate) => format!(" --contract {}", candidate.function.name),
        None if likeliest.is_some() => likeliest.map_or(String::new(), |contract| {
            let path = contract.path.to_string_lossy();
            let named = match registry.custom.len() {
                1 => path.into_owned(),
                _ => format!("{path}:{}", contract.function.name),
            };
            format!(" --contract {}", quoted(&named))
        }),
        None => {
            text += "what there is   deltanet-check contracts\n";
            String::new()
        }
    };
    text += &format!(
        "what to do      deltanet-check bind {file}{contract} > {bindings}\n\
         then, filled in deltanet-check --kernels {file} --bind {bindings}"
    );
    text
}

/// Finds the contracts that kernels look like, the likeliest first.
pub fn find(registry: &Registry, subjects: &[Subject<'_>]) -> Vec<Candidate> {
    let named = subjects.iter().any(|subject| !subject.names().is_empty());
    let mut found: Vec<Candidate> = if named {
        by_arguments(registry, subjects)
    } else {
        let each = functions().map(|function| Candidate {
            function,
            kernels: alike(function, subjects),
            arguments: None,
            score: subjects
                .iter()
                .filter(|subject| plausible(function, subject))
                .map(|subject| by_name(function, &subject.name))
                .max()
                .unwrap_or(0),
        });
        each.collect()
    };
    found.sort_by_key(|candidate| Reverse(candidate.score));
    let best = found.first().map_or(0, |candidate| candidate.score);
    // A candidate with less than three quarters of the best score is not worth a line.
    found.retain(|candidate| candidate.score > 0 && 4 * candidate.score >= 3 * best);
    found.truncate(NAMED);
    found
}

fn alike(function: &Function, subjects: &[Subject<'_>]) -> Vec<String> {
    let alike = subjects
        .iter()
        .filter(|subject| plausible(function, subject) && by_name(function, &subject.name) > 0);
    alike.map(|subject| subject.name.clone()).collect()
}

/// True if a kernel takes about as many arguments as a built-in kernel of the contract.
fn plausible(function: &Function, subject: &Subject<'_>) -> bool {
    let bindings = built_in().unwrap_or_default().iter();
    let mut launches = bindings
        .filter(|binding| binding.function.name == function.name)
        .flat_map(|binding| binding.launches());
    launches.any(|launch| launch.args.value.len().abs_diff(subject.args.len()) <= 4)
}

/// Returns how strongly a kernel's name suggests a contract: by the words of the contract's name that it has, less those that it lacks.
fn by_name(function: &Function, kernel: &str) -> i64 {
    let kernel = kernel.to_ascii_lowercase();
    let words = function.name.split('_').filter(|word| {
        // Most contracts have these words, so they do not tell contracts apart.
        word.len() >= 2 && !["gdn", "gdr", "chunk", "fwd"].contains(word)
    });
    let (mut has, mut lacks) = (0, 0);
    for word in words {
        if kernel.contains(word) {
            has += 1;
        } else {
            lacks += 1;
        }
    }
    let whole = if kernel.contains(function.name) { 3 } else { 0 };
    if has <= lacks {
        0
    } else {
        2 * has - lacks + whole
    }
}

fn by_arguments(registry: &Registry, subjects: &[Subject<'_>]) -> Vec<Candidate> {
    let all: BTreeSet<&str> = subjects.iter().flat_map(Subject::names).collect();
    let mut likely: Vec<(usize, &'static Function)> = functions()
        .map(|function| {
            let sizes = function.sizes();
            let sizes = sizes.filter(|size| {
                let like = |name: &&str| names::sizes(name, size).is_some_and(|like| like < 3);
                all.iter().any(like)
            });
            let tensors = function.outputs.iter().filter(|tensor| {
                all.iter()
                    .any(|name| names::tensors(name, tensor).is_some())
            });
            let kernels = subjects
                .iter()
                .map(|subject| by_name(function, &subject.name));
            let kernels = usize::try_from(kernels.max().unwrap_or(0)).unwrap_or(0);
            let lacks = function.dims.len() - sizes.clone().count().min(function.dims.len());
            let score = 8 + 2 * sizes.count() + 3 * tensors.count() + 2 * kernels;
            (score.saturating_sub(2 * lacks), function)
        })
        .collect();
    likely.sort_by_key(|(score, _)| Reverse(*score));
    let looked_at = likely.into_iter().take(LOOKED_AT);
    let described = looked_at.filter_map(|(_, function)| describe_contract(registry, function));
    let described: Vec<_> = described.collect();
    let offers: Vec<Offer<'_>> = described.iter().map(Offer::new).collect();
    offers
        .iter()
        .filter_map(|offer| candidate(offer, subjects))
        .collect()
}

/// Returns the kernel, or the pipeline, that writes all outputs of the contract and scores best by the names of its arguments.
fn candidate(offer: &Offer<'_>, subjects: &[Subject<'_>]) -> Option<Candidate> {
    let function = offer.described.function;
    let wanted = offer.outputs();
    let together = pipeline::find(offer, subjects);
    let scratch: BTreeSet<&str> = together
        .iter()
        .flat_map(|together| together.scratch.iter().map(String::as_str))
        .collect();
    let groups: Vec<Vec<usize>> = match &together {
        Some(together) => vec![together.order.clone()],
        None => (0..subjects.len()).map(|at| vec![at]).collect(),
    };
    let group = |group: Vec<usize>| {
        let spelled: BTreeSet<&str> = group.iter().flat_map(|&at| subjects[at].names()).collect();
        let matches: Vec<Option<Match>> = group
            .iter()
            .flat_map(|&at| offer.matches(&subjects[at].leaves(), &scratch, &spelled))
            .collect();
        if outputs(offer, &matches) != wanted {
            return None;
        }
        let worth = |found: &Option<Match>| match found {
            Some(Match {
                likeness: Some(0 | 1),
                ..
            }) => 3,
            Some(Match {
                likeness: Some(_), ..
            }) => 2,
            Some(Match { .. }) => 0,
            None => -2,
        };
        let missing = offer.inputs_left(&matches) as i64;
        let names = group
            .iter()
            .map(|&at| by_name(function, &subjects[at].name));
        let score =
            matches.iter().map(worth).sum::<i64>() - 3 * missing + 3 * names.max().unwrap_or(0);
        let own = matches.iter().flatten();
        let named = own.filter(|found| found.likeness.is_some()).count();
        let arguments = Some((named, matches.len()));
        let kernels = group.iter().map(|&at| subjects[at].name.clone()).collect();
        Some(Candidate {
            function,
            kernels,
            arguments,
            score,
        })
    };
    groups
        .into_iter()
        .filter_map(group)
        .max_by_key(|candidate| candidate.score)
}

/// Returns the tensors of all contracts with the same sizes, with their lengths and their contract: the kernels of a pipeline may hand
/// such tensors to each other.
pub fn shapes(
    registry: &Registry,
    function: &'static Function,
) -> Vec<(String, String, &'static str)> {
    let same = functions().filter(|other| other.dims == function.dims);
    let described =
        same.filter_map(|other| Some((other.name, describe_contract(registry, other)?)));
    let mut shapes = Vec::new();
    for (name, described) in described {
        for tensor in described.tensors() {
            let lengths = tensor.axes.iter().map(|axis| axis.length.as_deref());
            if let Some(lengths) = lengths.collect::<Option<Vec<_>>>() {
                shapes.push((tensor.name.clone(), lengths.join(", "), name));
            }
        }
    }
    shapes
}
