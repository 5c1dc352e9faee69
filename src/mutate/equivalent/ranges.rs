//! Between what bounds registers lie, wherever a path may come by: an abstract interpretation of a function by intervals and bits.
//!
//! What is assumed is what launches are taken to be ([`Bounds`]), and that no result depends on a register that nobody wrote.

mod choose;
mod results;
mod state;
mod step;
mod term;
mod value;

use std::collections::{BTreeMap, BTreeSet};

use gfx906::code_object::Kernel;
use gfx906::isa::uses::{RegisterSet, Uses};
use gfx906::isa::{Inst, Kind};

use super::super::launches::Bounds;
use super::super::sites::Function;
use super::paths;
use results::{held, results};
use state::State;
use step::{Given, entry, refined, step};

/// The most blocks that are gone through before nothing is said.
const LIMIT: usize = 40_000;
/// How often a block is come to before bounds that move are widened.
const PATIENCE: usize = 3;

/// What is known of a function's registers and paths.
#[derive(Debug)]
pub(in crate::mutate) struct Ranges {
    /// What the kernel is handed.
    given: Given,
    /// By the first instruction of a block that a path comes to: what is known there.
    states: BTreeMap<usize, State>,
    /// Branches, and where they never lead.
    never: BTreeSet<(usize, usize)>,
    /// The first instructions of all blocks.
    begins: BTreeSet<usize>,
}

impl Ranges {
    /// Those of a kernel, where it can be followed.
    pub fn of(function: &Function, kernel: &Kernel, bounds: &Bounds) -> Option<Ranges> {
        let given = Given::of(kernel, bounds);
        Ranges::from(function, entry(kernel, bounds), given)
    }

    /// Those of a function that begins with what is known.
    fn from(function: &Function, entry: State, given: Given) -> Option<Ranges> {
        let all = &function.instructions;
        let followed = |inst: &Inst| {
            let indexed = Uses::of(inst).reads == RegisterSet::ALL;
            !indexed && (Kind::of(inst) != Kind::Branch || paths::is_direct(inst))
        };
        if !all.iter().all(|(_, inst)| followed(inst)) {
            return None;
        }
        let mut ranges = Ranges {
            states: BTreeMap::from([(0, entry)]),
            given,
            never: BTreeSet::new(),
            begins: BTreeSet::new(),
        };
        let begins = begins(function)?;
        let mut visits: BTreeMap<usize, usize> = BTreeMap::new();
        let mut open = BTreeSet::from([0]);
        let mut steps = 0;
        while let Some(begin) = open.pop_first() {
            steps += 1;
            if steps > LIMIT {
                return None;
            }
            for (to, state) in ranges.leave(function, begin, &begins)?.0 {
                let count = visits.entry(to).or_default();
                let joined = match ranges.states.get(&to) {
                    None => state,
                    Some(old) if *count < PATIENCE => old.or(&state),
                    Some(old) => old.widened(&state),
                };
                if ranges.states.get(&to) != Some(&joined) {
                    *count += 1;
                    ranges.states.insert(to, joined);
                    open.insert(to);
                }
            }
        }
        let reached: Vec<usize> = ranges.states.keys().copied().collect();
        for begin in reached {
            let never = ranges.leave(function, begin, &begins)?.1;
            ranges.never.extend(never);
        }
        ranges.begins = begins;
        Some(ranges)
    }

    /// Whether a branch never leads to an instruction.
    pub fn never(&self, from: usize, to: usize) -> bool {
        self.never.contains(&(from, to))
    }

    /// Whether no path comes to an instruction.
    pub fn is_unreached(&self, at: usize) -> bool {
        let begin = self.begins.range(..=at).next_back();
        begin.is_some_and(|begin| !self.states.contains_key(begin))
    }

    /// The registers that may differ after the one instruction and after the other; none where no path comes by.
    pub fn differing(&self, function: &Function, at: usize, was: &Inst, is: &Inst) -> RegisterSet {
        let mut differing = Uses::of(was).writes.or(&Uses::of(is).writes);
        let Some(state) = self.before(function, at) else {
            return differing;
        };
        // What nobody wrote is anything, also where other paths have written it.
        let read_besides = Uses::of(is).reads.without(&Uses::of(was).reads);
        if state.may_be_unwritten(&read_besides) {
            return differing;
        }
        let (ones, others) = (results(was, &state), results(is, &state));
        let find = |all: &[(u16, term::Term)], number: u16| {
            let own = all.iter().find(|(of, _)| *of == number);
            own.map_or_else(|| held(number, &state), |(_, term)| term.clone())
        };
        let numbers = (0..512).filter(|number| differing.has(*number));
        let same: Vec<u16> = numbers
            .filter(|&number| find(&ones, number).is_same(&find(&others, number)))
            .collect();
        for number in same {
            let mut one = RegisterSet::default();
            one.add(number, 1);
            differing = differing.without(&one);
        }
        differing
    }

    /// What is known before an instruction, if a path comes by.
    fn before(&self, function: &Function, at: usize) -> Option<State> {
        let (begin, state) = self.states.range(..=at).next_back()?;
        let mut state = state.clone();
        for position in *begin..at {
            let inst = &function.instructions[position].1;
            if Kind::of(inst) == Kind::Branch || inst.row.mnemonic.starts_with("s_endpgm") {
                return None;
            }
            step(&mut state, inst, &self.given);
        }
        Some(state)
    }

    /// Where paths go behind a block and with what, and where its last instruction never leads.
    #[expect(clippy::type_complexity, reason = "two lists that are made together")]
    fn leave(
        &self,
        function: &Function,
        begin: usize,
        begins: &BTreeSet<usize>,
    ) -> Option<(Vec<(usize, State)>, Vec<(usize, usize)>)> {
        let mut state = self.states.get(&begin)?.clone();
        let mut at = begin;
        // The last comparison of scalars, as long as nothing has written what it compared.
        let mut compared: Option<usize> = None;
        loop {
            let inst = &function.instructions[at].1;
            let name = inst.row.mnemonic;
            if name.starts_with("s_endpgm") {
                return Some((Vec::new(), Vec::new()));
            }
            if Kind::of(inst) == Kind::Branch {
                break;
            }
            step(&mut state, inst, &self.given);
            let uses = Uses::of(inst);
            if name.starts_with("s_cmp") {
                compared = Some(at);
            } else if let Some(last) = compared {
                let of = Uses::of(&function.instructions[last].1);
                if !uses.writes.and(&of.reads.or(&of.writes)).is_empty() {
                    compared = None;
                }
            }
            let next = paths::behind(function, at)?;
            if begins.contains(&next) {
                return Some((vec![(next, state)], Vec::new()));
            }
            at = next;
        }
        let (target, name) = (
            paths::target(function, at)?,
            function.instructions[at].1.row.mnemonic,
        );
        if name == "s_branch" {
            return Some((vec![(target, state)], Vec::new()));
        }
        let behind = paths::behind(function, at)?;
        let taken = step::taken(name, &state);
        let compared = compared
            .filter(|_| name.starts_with("s_cbranch_scc"))
            .map(|last| &function.instructions[last].1);
        let (mut on, mut never) = (Vec::new(), Vec::new());
        for (to, is_taken) in [(target, true), (behind, false)] {
            let state = match compared {
                _ if taken == Some(!is_taken) => None,
                Some(compare) => refined(&state, compare, is_taken == (name == "s_cbranch_scc1")),
                None if is_taken && name == "s_cbranch_execnz" => Some(state.clone().with_lanes()),
                None if !is_taken && name == "s_cbranch_execz" => Some(state.clone().with_lanes()),
                None => Some(state.clone()),
            };
            match state {
                Some(state) => on.push((to, state)),
                None if target != behind => never.push((at, to)),
                None => {}
            }
        }
        Some((on, never))
    }
}

/// The first instructions of blocks.
fn begins(function: &Function) -> Option<BTreeSet<usize>> {
    let mut begins = BTreeSet::from([0]);
    for at in 0..function.instructions.len() {
        if Kind::of(&function.instructions[at].1) == Kind::Branch {
            begins.insert(paths::target(function, at)?);
            begins.extend(paths::behind(function, at));
        }
    }
    Some(begins)
}

#[cfg(test)]
mod tests;
