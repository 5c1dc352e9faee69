//! Wrong kernels: what of a binding's launches they change.

use std::ops::Range;

use super::formula::{Formula, Node};
use super::symbol::Symbol;
use super::{ArgSpec, Binding, LaunchSpec, Placed};

/// A wrong kernel, as a change to the launches of its binding.
#[derive(Clone, Debug)]
pub struct PlantedSpec {
    /// What is wrong, in words.
    pub name: String,
    /// Where it stands.
    pub span: Range<usize>,
    /// What is changed.
    pub change: Change,
    /// The cases in which it is wrong; nothing: all.
    pub when: Option<Placed<Formula>>,
}

/// What a planted bug changes.
#[derive(Clone, Debug)]
pub enum Change {
    /// One launch.
    Launch(LaunchChange),
    /// Every launch of some kernels.
    Kernels(KernelChange),
}

/// How one launch is made instead.
#[derive(Clone, Debug)]
pub struct LaunchChange {
    /// Which, from 0.
    pub number: usize,
    /// Another kernel.
    pub symbol: Option<Placed<Symbol>>,
    /// Another grid.
    pub grid: Option<Vec<Placed<Formula>>>,
    /// Another block.
    pub block: Option<Vec<Placed<Formula>>>,
    /// Other arguments.
    pub args: Option<Placed<Vec<Placed<ArgSpec>>>>,
}

/// How kernels are launched instead, as often as the binding launches them.
#[derive(Clone, Debug)]
pub struct KernelChange {
    /// Kernels as the binding's launches name them, and those that are launched in their place, with the same arguments.
    pub replace: Vec<(Symbol, Placed<Symbol>)>,
    /// The kernel whose grid has x and y exchanged.
    pub swap_grid: Option<Symbol>,
}

impl PlantedSpec {
    /// A launch with what is changed of it; nothing if it is made as ever.
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

    /// The names of kernels that are replaced, and of those in their place.
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

    /// The names of kernels that are launched in the place of others, with the same arguments or not.
    pub fn launched(&self) -> Vec<String> {
        match &self.change {
            Change::Launch(change) => change.symbol.iter().map(|by| by.value.text()).collect(),
            Change::Kernels(_) => self.replaced().into_iter().map(|(_, by)| by).collect(),
        }
    }

    /// The kernel that is launched in place of another with the same arguments.
    pub(super) fn replacement(&self, honest: &LaunchSpec) -> Option<&Placed<Symbol>> {
        let Change::Kernels(change) = &self.change else {
            return None;
        };
        let mut replace = change.replace.iter();
        let found = replace.find(|(kernel, _)| *kernel == honest.symbol.value);
        found.map(|(_, by)| by)
    }
}

impl Binding {
    /// Whether launches of kernels of these names may be what a planted bug makes of the binding's.
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

/// Exchanges x and y of a grid; a side that is not given is 1.
fn exchange(grid: &mut Vec<Placed<Formula>>) {
    if let [x] = &grid[..] {
        let one = Formula {
            at: 0..0,
            node: Node::Integer(1),
        };
        let span = x.span.clone();
        grid.push(Placed { span, value: one });
    }
    if grid.len() > 1 {
        grid.swap(0, 1);
    }
}
