//! Planted bugs: the changes that they make to a binding's launches.

use std::fmt;
use std::ops::Range;

use super::formula::{Formula, Node};
use super::symbol::Symbol;
use super::{ArgSpec, Binding, FileValue, LaunchSpec};
use crate::report::model::{CAUSE_KINDS, CauseReport};

/// A planted bug, as a change to the launches of its binding.
#[derive(Clone, Debug)]
pub struct PlantedSpec {
    /// A description of the mistake.
    pub name: String,
    /// Byte range in the file.
    pub span: Range<usize>,
    /// The reasons of which a diagnosis should find one; none where the failure's message is the reason.
    pub reasons: Vec<Reason>,
    /// The change to the launches.
    pub change: Change,
    /// The condition under which the bug shows; none if it shows in all cases.
    pub when: Option<FileValue<Formula>>,
}

/// A right reason of a planted bug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The kind of the cause: one of [`CAUSE_KINDS`], or the name of a known mistake of the contract.
    pub kind: String,
    /// The tensor that the cause concerns; none if a cause of any tensor is right.
    pub tensor: Option<String>,
}

impl Reason {
    /// Returns true if a cause is this one.
    pub fn is(&self, cause: &CauseReport) -> bool {
        let tensor = cause.tensor.as_ref().or(cause.output.as_ref());
        self.kind == cause.kind && (self.tensor.is_none() || self.tensor.as_ref() == tensor)
    }

    /// Parses `kind` or `kind tensor`. Returns none for other texts.
    pub fn parse(text: &str) -> Option<Reason> {
        let words: Vec<&str> = text.split(' ').collect();
        let (kind, tensor) = match words[..] {
            [kind] => (kind, None),
            [kind, tensor] if CAUSE_KINDS.contains(&kind) => (kind, Some(tensor)),
            _ => return None,
        };
        let empty = kind.is_empty() || tensor == Some("");
        (!empty).then(|| Reason {
            kind: kind.into(),
            tensor: tensor.map(String::from),
        })
    }
}

/// The change that a planted bug makes.
#[derive(Clone, Debug)]
pub enum Change {
    /// A change to one launch.
    Launch(LaunchChange),
    /// A change to every launch of some kernels.
    Kernels(KernelChange),
}

/// The replacements within one launch.
#[derive(Clone, Debug)]
pub struct LaunchChange {
    /// The launch's index in the binding, from 0.
    pub number: usize,
    /// Another kernel.
    pub symbol: Option<FileValue<Symbol>>,
    /// Another grid.
    pub grid: Option<Vec<FileValue<Formula>>>,
    /// Another block.
    pub block: Option<Vec<FileValue<Formula>>>,
    /// Other arguments.
    pub args: Option<FileValue<Vec<FileValue<ArgSpec>>>>,
}

/// Replacements of kernels in every launch of the binding that uses them.
#[derive(Clone, Debug)]
pub struct KernelChange {
    /// Pairs of a kernel, by the symbol of the binding's launches, and its replacement with the same arguments.
    pub replace: Vec<(Symbol, FileValue<Symbol>)>,
    /// The kernel whose grid has x and y exchanged.
    pub swap_grid: Option<Symbol>,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        self.tensor
            .iter()
            .try_for_each(|tensor| write!(f, " {tensor}"))
    }
}

impl PlantedSpec {
    /// Returns the changed launch; none if the bug leaves the launch unchanged.
    pub(super) fn changed(&self, honest: &LaunchSpec) -> Option<LaunchSpec> {
        let mut launch = honest.clone();
        launch.planted = true;
        match &self.change {
            Change::Launch(change) => {
                if change.number != honest.number {
                    return None;
                }
                if let Some(symbol) = &change.symbol {
                    launch.symbol = symbol.clone();
                }
                if let Some(grid) = &change.grid {
                    launch.grid.clone_from(grid);
                }
                if let Some(block) = &change.block {
                    launch.block.clone_from(block);
                }
                if let Some(args) = &change.args {
                    launch.args = args.clone();
                }
            }
            Change::Kernels(change) => {
                let kernel = &honest.symbol.value;
                let by = self.replacement(honest);
                let swapped = change.swap_grid.as_ref() == Some(kernel);
                if by.is_none() && !swapped {
                    return None;
                }
                if let Some(by) = by {
                    launch.symbol = by.clone();
                }
                if swapped {
                    exchange(&mut launch.grid);
                }
            }
        }
        Some(launch)
    }

    /// Returns the symbols of replaced kernels, each with the symbol of its replacement.
    pub fn replaced(&self) -> Vec<(String, String)> {
        match &self.change {
            Change::Launch(_) => Vec::new(),
            Change::Kernels(change) => {
                let pairs = change.replace.iter();
                pairs
                    .map(|(kernel, by)| (kernel.text(), by.value.text()))
                    .collect()
            }
        }
    }

    /// Returns the symbols of kernels that the bug launches in place of the binding's.
    pub fn launched(&self) -> Vec<String> {
        match &self.change {
            Change::Launch(change) => change.symbol.iter().map(|by| by.value.text()).collect(),
            Change::Kernels(_) => self.replaced().into_iter().map(|(_, by)| by).collect(),
        }
    }

    /// Returns the kernel that replaces the launch's kernel and takes the same arguments.
    pub(super) fn replacement(&self, honest: &LaunchSpec) -> Option<&FileValue<Symbol>> {
        let Change::Kernels(change) = &self.change else {
            return None;
        };
        let mut replace = change.replace.iter();
        let found = replace.find(|(kernel, _)| *kernel == honest.symbol.value);
        found.map(|(_, by)| by)
    }
}

impl Binding {
    /// Returns true if these kernel names may result from applying a planted bug to the binding's launches.
    pub fn plants_in<'k>(
        &self,
        planted: &PlantedSpec,
        kernels: impl Iterator<Item = &'k str>,
    ) -> bool {
        let launches = self.launches().into_iter();
        let wrong: Vec<LaunchSpec> = launches
            .filter_map(|launch| planted.changed(launch))
            .collect();
        let mut kernels = kernels;
        kernels.any(|kernel| {
            let mut wrong = wrong.iter();
            wrong.any(|launch| launch.symbol.value.may_be(kernel))
        })
    }
}

/// Exchanges x and y of a grid; a missing side is 1.
fn exchange(grid: &mut Vec<FileValue<Formula>>) {
    if let [x] = &grid[..] {
        let one = Formula {
            at: 0..0,
            node: Node::Integer(1),
        };
        let span = x.span.clone();
        grid.push(FileValue { span, value: one });
    }
    if grid.len() > 1 {
        grid.swap(0, 1);
    }
}
