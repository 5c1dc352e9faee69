//! Every path through a function from an instruction on.

use std::collections::HashSet;
use std::hash::Hash;

use gfx906::isa::{Encoding, Inst, Kind, Properties};

use super::super::sites::Function;

/// The largest number of pairs of instruction and state that are visited.
const LIMIT: usize = 100_000;

/// The continuation of a path after an instruction.
pub(super) enum Step<S> {
    /// The proof fails.
    Refused,
    /// This path needs no further steps.
    Done,
    /// The path continues with every successor, in this state.
    On(S),
    /// The path continues with these instructions only, in this state.
    To(Vec<usize>, S),
}

/// All paths through a function.
#[derive(Clone, Copy)]
pub(super) struct Paths<'f> {
    function: &'f Function,
}

impl<'f> Paths<'f> {
    /// Returns the paths through a function.
    pub fn through(function: &'f Function) -> Paths<'f> {
        Paths { function }
    }

    /// The instruction at a position.
    pub fn at(&self, at: usize) -> &'f Inst {
        &self.function.instructions[at].1
    }

    /// Returns the successors of an instruction, if they are known.
    pub fn next(&self, at: usize) -> Option<Vec<usize>> {
        let (function, inst) = (self.function, self.at(at));
        Some(match inst.kind() {
            _ if inst.has(Properties::END) => Vec::new(),
            Kind::Branch if inst.has(Properties::JUMP) => vec![target(function, at)?],
            Kind::Branch if is_direct(inst) => vec![behind(function, at)?, target(function, at)?],
            Kind::Branch => return None,
            _ => vec![behind(function, at)?],
        })
    }

    /// Returns true if `step` ends every path from these instructions on with [`Step::Done`]. `step` gets an instruction's position and the
    /// state before it. Each pair of instruction and state is visited once.
    pub fn all<S: Clone + Eq + Hash>(
        &self,
        from: Option<Vec<usize>>,
        state: S,
        mut step: impl FnMut(usize, &S) -> Step<S>,
    ) -> bool {
        let Some(from) = from else { return false };
        let mut open: Vec<(usize, S)> = from.into_iter().map(|at| (at, state.clone())).collect();
        let mut seen = HashSet::new();
        while let Some((at, state)) = open.pop() {
            if !seen.insert((at, state.clone())) {
                continue;
            }
            if seen.len() > LIMIT {
                return false;
            }
            let (to, state) = match step(at, &state) {
                Step::Refused => return false,
                Step::Done => continue,
                Step::On(state) => match self.next(at) {
                    Some(to) => (to, state),
                    None => return false,
                },
                Step::To(to, state) => (to, state),
            };
            open.extend(to.into_iter().map(|at| (at, state.clone())));
        }
        true
    }
}

/// Returns the position of the instruction that follows another.
pub(super) fn behind(function: &Function, at: usize) -> Option<usize> {
    let (address, inst) = &function.instructions[at];
    function.at(address + inst.size() as u64)
}

/// Returns the position of the instruction that a direct branch jumps to.
pub(super) fn target(function: &Function, at: usize) -> Option<usize> {
    let (address, inst) = &function.instructions[at];
    let behind = address + inst.size() as u64;
    let to = behind.checked_add_signed(i64::from(inst.literal as i32) * 4)?;
    function.at(to).filter(|_| is_direct(inst))
}

/// Returns true if the branch holds its target as an offset.
pub(super) fn is_direct(inst: &Inst) -> bool {
    inst.encoding == Encoding::Sopp && inst.has(Properties::BRANCH)
}
