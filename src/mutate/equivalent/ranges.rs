//! Between what bounds registers lie, wherever a path may come by: an abstract interpretation of a function by intervals and bits.
//!
//! What is assumed is what launches are taken to be ([`Bounds`]), and that no result depends on a register that nobody wrote.

mod branch;
mod choose;
mod lanes;
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
use branch::{refined, taken};
use results::{held, results};
use state::State;
use step::{Given, entry, step};

/// The most blocks that are gone through before nothing is said.
const LIMIT: usize = 40_000;
/// Through how many blocks a path is followed apart from others, one behind the other.
const DEPTH: usize = 4;
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
        ranges.begins = begins(function)?;
        let mut visits: BTreeMap<usize, usize> = BTreeMap::new();
        let mut open = BTreeSet::from([0]);
        let mut roots = BTreeSet::new();
        let mut steps = 0;
        while let Some(begin) = open.pop_first() {
            steps += 1;
            if steps > LIMIT {
                return None;
            }
            roots.insert(begin);
            for edge in ranges.paths(function, begin)? {
                let count = visits.entry(edge.to).or_default();
                let joined = match ranges.states.get(&edge.to) {
                    None => edge.state,
                    Some(old) if *count < PATIENCE => old.or(&edge.state),
                    Some(old) => old.widened(&edge.state),
                };
                let is_new = ranges.states.get(&edge.to) != Some(&joined);
                if is_new {
                    *count += 1;
                    ranges.states.insert(edge.to, joined);
                }
                if !edge.goes_on && (is_new || !roots.contains(&edge.to)) {
                    open.insert(edge.to);
                }
            }
        }
        let mut taken = BTreeSet::new();
        for begin in roots {
            let edges = ranges.paths(function, begin)?;
            taken.extend(edges.into_iter().map(|edge| (edge.from, edge.to)));
        }
        let reached: Vec<usize> = ranges.states.keys().copied().collect();
        for begin in reached {
            let at = ranges.end(function, begin);
            if Kind::of(&function.instructions[at].1) == Kind::Branch {
                let ways = [paths::target(function, at), paths::behind(function, at)];
                let ways = ways.into_iter().flatten().map(|to| (at, to));
                ranges.never.extend(ways.filter(|way| !taken.contains(way)));
            }
        }
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
        // One that is not written keeps what it held, if somebody has written that.
        let find = |all: &[(u16, term::Term)], number: u16| {
            let own = all.iter().find(|(of, _)| *of == number);
            let kept = || {
                let mut one = RegisterSet::default();
                one.add(number, 1);
                (!state.may_be_unwritten(&one)).then(|| held(number, &state))
            };
            own.map_or_else(kept, |(_, term)| Some(term.clone()))
        };
        let numbers = (0..512).filter(|number| differing.has(*number));
        let is_same = |number: &u16| {
            let both = find(&ones, *number).zip(find(&others, *number));
            both.is_some_and(|(one, other)| one.is_same(&other))
        };
        let same: Vec<u16> = numbers.filter(is_same).collect();
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

    /// The last instruction of a block.
    fn end(&self, function: &Function, begin: usize) -> usize {
        let next = self.begins.range(begin + 1..).next();
        next.map_or(function.instructions.len(), |next| *next) - 1
    }

    /// The edges of all paths from the beginning of a block on: to the next blocks, and through those that only ask which way a path came.
    fn paths(&self, function: &Function, begin: usize) -> Option<Vec<Edge>> {
        let mut open = vec![(begin, self.states.get(&begin)?.clone(), 0)];
        let mut edges = Vec::new();
        while let Some((begin, state, depth)) = open.pop() {
            for mut edge in self.leave(function, begin, state)? {
                edge.goes_on = depth < DEPTH && self.asks(function, edge.to);
                if edge.goes_on {
                    open.push((edge.to, edge.state.clone(), depth + 1));
                }
                edges.push(edge);
            }
        }
        Some(edges)
    }

    /// Whether a block does nothing but to branch by a mask that its ways here have set: `s_andn2_b64 vcc, exec, s[6:7]`, `s_cbranch_vccnz`.
    fn asks(&self, function: &Function, begin: usize) -> bool {
        let name = |at: usize| function.instructions[at].1.row.mnemonic;
        self.end(function, begin) == begin + 1
            && matches!(name(begin), "s_and_b64" | "s_andn2_b64")
            && name(begin + 1).starts_with("s_cbranch_vcc")
    }

    /// Where paths go behind a block, and with what.
    fn leave(&self, function: &Function, begin: usize, mut state: State) -> Option<Vec<Edge>> {
        let end = self.end(function, begin);
        let edge = |to: usize, state: State| Edge {
            from: end,
            to,
            state,
            goes_on: false,
        };
        // The last comparison of scalars, as long as nothing has written what it compared.
        let mut compared: Option<&Inst> = None;
        for (_, inst) in &function.instructions[begin..=end] {
            let name = inst.row.mnemonic;
            if name.starts_with("s_endpgm") {
                return Some(Vec::new());
            }
            if Kind::of(inst) == Kind::Branch {
                break;
            }
            step(&mut state, inst, &self.given);
            let uses = Uses::of(inst);
            if name.starts_with("s_cmp") {
                compared = Some(inst);
            } else if let Some(last) = compared {
                let of = Uses::of(last);
                if !uses.writes.and(&of.reads.or(&of.writes)).is_empty() {
                    compared = None;
                }
            }
        }
        let last = &function.instructions[end].1;
        if Kind::of(last) != Kind::Branch {
            return Some(vec![edge(paths::behind(function, end)?, state)]);
        }
        let (target, name) = (paths::target(function, end)?, last.row.mnemonic);
        if name == "s_branch" {
            return Some(vec![edge(target, state)]);
        }
        let behind = paths::behind(function, end)?;
        let taken = taken(name, &state);
        let compared = compared.filter(|_| name.starts_with("s_cbranch_scc"));
        let mut edges = Vec::new();
        for (to, is_taken) in [(target, true), (behind, false)] {
            let state = match compared {
                _ if taken == Some(!is_taken) => None,
                Some(compare) => refined(&state, compare, is_taken == (name == "s_cbranch_scc1")),
                None if is_taken && name == "s_cbranch_execnz" => Some(state.clone().with_lanes()),
                None if !is_taken && name == "s_cbranch_execz" => Some(state.clone().with_lanes()),
                None => Some(state.clone()),
            };
            edges.extend(state.map(|state| edge(to, state)));
        }
        Some(edges)
    }
}

/// A way from the end of one block to the beginning of another.
struct Edge {
    from: usize,
    to: usize,
    /// What is known on it.
    state: State,
    /// Whether it was followed further as it is, what other ways know left aside.
    goes_on: bool,
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
