//! Several kernels that compute one contract together: their order, and the tensors that they hand to each other.

use std::collections::BTreeSet;

use gfx906::code_object::{Kernel, SourceParameters};

use super::matching::Match;
use super::offer::Offer;
use super::source::{self, Argument, Contents};
use super::written::short;
use crate::text::demangled;

/// A kernel that is to be bound.
pub struct Subject<'k> {
    /// The kernel.
    pub kernel: &'k Kernel,
    /// Its demangled name, shortened.
    pub name: String,
    /// Its arguments.
    pub args: Vec<Argument>,
}

impl<'k> Subject<'k> {
    /// Reads a kernel's name and arguments.
    pub fn new(kernel: &'k Kernel, parameters: &SourceParameters) -> Subject<'k> {
        Subject {
            kernel,
            name: short(&demangled(&kernel.name)),
            args: source::arguments(kernel, parameters),
        }
    }

    /// The arguments, with the members of structures in place of the structures.
    pub fn leaves(&self) -> Vec<&Argument> {
        source::leaves(&self.args)
    }

    /// The names of its arguments.
    pub fn names(&self) -> BTreeSet<&str> {
        let leaves = self.leaves().into_iter();
        let names = leaves.map(|leaf| leaf.name.as_str());
        names.filter(|name| !name.is_empty()).collect()
    }
}

/// Kernels that compute one contract together.
pub struct Pipeline {
    /// The kernels, by their numbers, in the order of their launches.
    pub order: Vec<usize>,
    /// The tensors that they hand to each other.
    pub scratch: Vec<String>,
    /// Pairs of a kernel in `order` and another kernel with the same arguments.
    pub alike: Vec<(usize, usize)>,
    /// True if the source tells for every pointer whether its kernel writes through it, so that the order follows.
    pub ordered: bool,
}

/// Returns the outputs of a contract among the tensors that arguments are matched with.
pub fn outputs<'m>(offer: &Offer<'_>, matches: &'m [Option<Match>]) -> BTreeSet<&'m str> {
    let outputs = offer.outputs();
    let tensors = matches.iter().flatten();
    let tensors = tensors.filter_map(|found| found.tensor.as_deref());
    tensors.filter(|tensor| outputs.contains(tensor)).collect()
}

/// Finds the kernels that compute a contract together, none of which computes it alone.
pub fn find(offer: &Offer<'_>, subjects: &[Subject<'_>]) -> Option<Pipeline> {
    let mut alike: Vec<(usize, usize)> = Vec::new();
    let mut stages: Vec<usize> = Vec::new();
    for (at, subject) in subjects.iter().enumerate() {
        let same = stages
            .iter()
            .find(|&&stage| !subject.args.is_empty() && subjects[stage].args == subject.args);
        match same {
            Some(&stage) => alike.push((stage, at)),
            None => stages.push(at),
        }
    }
    let spelled: BTreeSet<&str> = subjects.iter().flat_map(Subject::names).collect();
    let matches = |at: usize| offer.matches(&subjects[at].leaves(), &BTreeSet::new(), &spelled);
    let named = |found: &Option<Match>| found.as_ref().is_some_and(|one| one.likeness.is_some());
    let all = offer.outputs();
    let found: Vec<(usize, Vec<Option<Match>>)> =
        stages.iter().map(|&at| (at, matches(at))).collect();
    if found
        .iter()
        .any(|(_, matches)| outputs(offer, matches) == all)
    {
        return None;
    }
    // Scratch: pointers of the same name in several kernels, where no tensor of the contract has exactly this name.
    let exact = |name: &str| {
        offer
            .described
            .tensors()
            .iter()
            .any(|tensor| tensor.name == name)
    };
    let has = |at: usize, name: &str| {
        let pointer =
            |leaf: &&Argument| leaf.name == name && matches!(leaf.holds, Contents::Pointer { .. });
        subjects[at].leaves().into_iter().find(pointer)
    };
    let mut scratch: Vec<String> = Vec::new();
    for &at in &stages {
        for leaf in subjects[at].leaves() {
            let name = leaf.name.as_str();
            let users = stages.iter().filter(|&&other| has(other, name).is_some());
            let known = name.is_empty() || exact(name) || scratch.iter().any(|one| one == name);
            // A tensor that no kernel writes is an input.
            let written = stages
                .iter()
                .filter_map(|&other| has(other, name))
                .any(|leaf| {
                    leaf.holds
                        != Contents::Pointer {
                            writable: Some(false),
                        }
                });
            if !known && written && users.count() > 1 {
                scratch.push(name.to_owned());
            }
        }
    }
    // A pointer that one of these kernels writes through and that matches no tensor is scratch, too.
    let shared = scratch.clone();
    let shared: BTreeSet<&str> = shared.iter().map(String::as_str).collect();
    for &at in &stages {
        let leaves = subjects[at].leaves();
        let uses = leaves
            .iter()
            .any(|leaf| shared.contains(leaf.name.as_str()));
        let matches = offer.matches(&leaves, &shared, &spelled);
        for (leaf, found) in leaves.iter().zip(matches) {
            let written = leaf.holds
                == Contents::Pointer {
                    writable: Some(true),
                };
            let known = leaf.name.is_empty() || scratch.contains(&leaf.name);
            if uses && written && found.is_none() && !known {
                scratch.push(leaf.name.clone());
            }
        }
    }
    let uses = |at: usize| scratch.iter().any(|name| has(at, name).is_some());
    let stages: Vec<usize> = stages.into_iter().filter(|&at| uses(at)).collect();
    let covered: BTreeSet<&str> = found
        .iter()
        .filter(|(at, _)| stages.contains(at))
        .flat_map(|(_, matches)| {
            let own = matches.iter().filter(|one| named(one)).flatten();
            own.filter_map(|one| one.tensor.as_deref())
        })
        .filter(|tensor| all.contains(tensor))
        .collect();
    if stages.len() < 2 || covered != all {
        return None;
    }
    let writes = |at: usize, name: &str| {
        has(at, name).map(|leaf| {
            leaf.holds
                == Contents::Pointer {
                    writable: Some(true),
                }
        })
    };
    // A kernel that only reads a tensor comes after all kernels that write it.
    let after = |late: usize, early: usize| {
        scratch
            .iter()
            .any(|name| writes(late, name) == Some(false) && writes(early, name) == Some(true))
    };
    let (mut order, mut left) = (Vec::new(), stages);
    while !left.is_empty() {
        let free = left
            .iter()
            .position(|&at| !left.iter().any(|&other| other != at && after(at, other)));
        // Kernels that wait for each other stay in the order of the file.
        order.push(left.remove(free.unwrap_or(0)));
    }
    let told = |leaf: &Argument| leaf.holds != Contents::Pointer { writable: None };
    let ordered = order
        .iter()
        .all(|&at| subjects[at].leaves().into_iter().all(told));
    alike.retain(|(stage, _)| order.contains(stage));
    Some(Pipeline {
        order,
        scratch,
        alike,
        ordered,
    })
}
