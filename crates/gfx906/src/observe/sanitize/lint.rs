//! Static search for missing waits and wait states, on every path through a function; loops are followed to a fixed point.
//!
//! The checks of running waves know three facts that this search lacks: the enabled lanes (here all lanes count as enabled), the place of
//! an LDS or memory access (here a flat access goes to memory), and the effects of called functions (here all results have arrived when a
//! function returns, as compilers ensure). In return this search sees the paths that no wave took.

mod clobber;
mod paths;

use std::collections::BTreeSet;
use std::fmt;

use self::paths::{Line, Path, lines};
use super::finding::{Detail, Other, Site};
use super::wait::{AT_BARRIER, Operation, Pending, kind};
use super::{Check, Checks, hazard};
use crate::code_object::Lines;
use crate::isa::Inst;

/// A function whose paths are searched.
pub struct Function<'a> {
    /// Name of the function.
    pub name: &'a str,
    /// Link addresses and instructions, in order.
    pub code: &'a [(u64, Inst)],
    /// Link address of the entry.
    pub entry: u64,
    /// True if each work-group is a single wave, so that no other wave is at its barriers.
    pub alone: bool,
}

/// A mistake on some path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The check.
    pub check: Check,
    /// Rule of the check that is broken.
    pub kind: &'static str,
    /// The function.
    pub function: String,
    /// The instruction.
    pub at: Site,
    /// The problem, in a sentence without a full stop.
    pub what: String,
    /// The other side.
    pub other: Option<Other>,
    /// Suggested cure.
    pub cure: String,
}

impl Mistake {
    /// Looks up the source lines of the instructions.
    pub fn look_up(&mut self, lines: &Lines) {
        let other = self.other.as_mut().and_then(|other| other.site.as_mut());
        for site in [&mut self.at].into_iter().chain(other) {
            site.look_up(lines);
        }
    }
}

impl fmt::Display for Mistake {
    /// Prints several lines: the problem, its place, the other side, the cure.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}: {}", self.check, self.kind, self.what)?;
        writeln!(f, "  function    {}", self.function)?;
        writeln!(f, "  pc          {}", self.at)?;
        if let Some(other) = &self.other {
            write!(f, "  other side  {}", other.did)?;
            if let Some(site) = &other.site {
                write!(f, ", at {site}")?;
            }
            writeln!(f)?;
        }
        write!(f, "  cure        {}", self.cure)
    }
}

/// Pending operations and hazards of a wave before an instruction, over all paths that lead there.
#[derive(Clone, Default)]
struct PathState {
    /// Pending operations.
    pending: Pending,
    /// Recent instructions with which a rule begins, and the fewest wait states since each.
    near: Vec<(usize, u32)>,
    /// True if an index may select vector registers.
    indexed: bool,
}

impl PathState {
    /// Joins another path's state. Returns true if this state has grown.
    fn join(&mut self, other: &PathState) -> bool {
        let mut more = self.pending.join(&other.pending);
        for &(line, apart) in &other.near {
            match self.near.iter_mut().find(|(known, _)| *known == line) {
                Some((_, known)) if *known <= apart => {}
                Some((_, known)) => {
                    *known = apart;
                    more = true;
                }
                None => {
                    self.near.push((line, apart));
                    more = true;
                }
            }
        }
        more |= other.indexed && !self.indexed;
        self.indexed |= other.indexed;
        more
    }
}

/// Returns the mistakes of a function, by instruction.
pub fn lint(function: &Function<'_>, checks: Checks) -> Vec<Mistake> {
    let lines = lines(function.code);
    let walk = Walk {
        lines: &lines,
        checks,
        alone: function.alone,
    };
    let mut found = Vec::new();
    let mut add = |at: usize, check, kind, detail: Detail| {
        found.push(Mistake {
            check,
            kind,
            function: function.name.to_owned(),
            at: lines[at].site(),
            what: detail.what,
            other: detail.other,
            cure: detail.cure,
        });
    };
    for (at, state) in walk.states(function.entry).into_iter().enumerate() {
        walk.step(at, state, |check, kind, detail| {
            add(at, check, kind, detail)
        });
    }
    if checks.has(Check::Hazard) {
        clobber::clobbered(&lines, |at, detail| {
            add(at, Check::Hazard, clobber::RULE, detail)
        });
    }
    found
}

struct Walk<'a> {
    lines: &'a [Line],
    checks: Checks,
    alone: bool,
}

impl Walk<'_> {
    /// Computes the state before each instruction. An instruction that no path from the entry reaches (a computed jump may) begins with an
    /// empty state.
    fn states(&self, entry: u64) -> Vec<PathState> {
        let mut states: Vec<Option<PathState>> = vec![None; self.lines.len()];
        let entry = self.lines.iter().position(|line| line.pc == entry);
        let mut begin = entry.or(Some(0)).filter(|&at| at < states.len());
        while let Some(at) = begin {
            states[at] = Some(PathState::default());
            self.settle(at, &mut states);
            begin = states.iter().position(Option::is_none);
        }
        states.into_iter().flatten().collect()
    }

    /// Follows all paths from an instruction until no state changes.
    fn settle(&self, begin: usize, states: &mut [Option<PathState>]) {
        let mut open = BTreeSet::from([begin]);
        while let Some(at) = open.pop_first() {
            let Some(state) = states[at].clone() else {
                continue;
            };
            let behind = self.step(at, state, |_, _, _| {});
            for &to in &self.lines[at].to {
                let more = match &mut states[to] {
                    Some(known) => known.join(&behind),
                    unknown => {
                        *unknown = Some(behind.clone());
                        true
                    }
                };
                if more {
                    open.insert(to);
                }
            }
        }
    }

    /// Computes the state after an instruction, and reports its mistakes.
    fn step(
        &self,
        at: usize,
        mut state: PathState,
        mut tell: impl FnMut(Check, &'static str, Detail),
    ) -> PathState {
        let line = &self.lines[at];
        if self.checks.has(Check::Hazard) {
            self.near(at, &mut state, &mut tell);
        }
        if self.checks.has(Check::Wait) {
            self.pending(line, &mut state, &mut tell);
        }
        match line.path {
            Path::Called => PathState {
                indexed: state.indexed,
                ..PathState::default()
            },
            Path::Indexes(on) => PathState {
                indexed: on,
                ..state
            },
            Path::Plain => state,
        }
    }

    fn near(
        &self,
        at: usize,
        state: &mut PathState,
        tell: &mut impl FnMut(Check, &'static str, Detail),
    ) {
        let line = &self.lines[at];
        let second = (&line.inst, &line.facts.uses);
        for &(before, apart) in &state.near {
            let other = &self.lines[before];
            let common = other.facts.hazard.first & line.facts.hazard.second;
            let first = (&other.inst, &other.facts.uses);
            for (rule, register) in hazard::broken(first, second, common, apart) {
                let detail = hazard::detail(rule, register, apart, other.pc, &other.inst);
                tell(Check::Hazard, rule.name, detail);
            }
        }
        for (_, apart) in &mut state.near {
            *apart += line.facts.hazard.states;
        }
        state
            .near
            .retain(|&(before, apart)| apart < hazard::FARTHEST && before != at);
        if line.facts.hazard.first != 0 {
            state.near.push((at, 0));
        }
    }

    fn pending(
        &self,
        line: &Line,
        state: &mut PathState,
        tell: &mut impl FnMut(Check, &'static str, Detail),
    ) {
        let (traits, pending) = (&line.facts.wait, &mut state.pending);
        if traits.waits != [None; 3] {
            return pending.wait(traits.waits);
        }
        let unknown = line.inst.encoding.is_vector() && state.indexed;
        if pending.concerns(&line.facts) && !unknown {
            pending.meet(&line.facts, !0, |operation, register, read| {
                let detail = operation.detail(register, read, !0);
                tell(Check::Wait, kind(read), detail);
            });
        }
        if traits.barrier && !self.alone {
            for operation in pending.iter().filter(|operation| operation.in_lds) {
                tell(Check::Wait, AT_BARRIER, operation.at_barrier());
            }
        }
        if let Some(class) = traits.issues {
            pending.forget(line.pc);
            let mut operation = Operation::of(class, line.pc, &line.inst, &line.facts);
            if unknown {
                operation.arrives = Default::default();
                operation.held = Default::default();
            }
            pending.issue(operation);
        }
    }
}
