//! Coverage of a code object: the executed instructions, their counts, and the presence of other waves in the group.

use super::{Exchange, Observer};
use crate::machine::{DispatchStart, Group, Op, Wave};

/// Number of executions of each instruction of one code object, by link address. All launches of a [`crate::machine::Module`] add up.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    base: u64,
    counts: Vec<u64>,
    /// True if a wave executed it whose work-group has other waves.
    together: Vec<bool>,
    /// True if the running work-group has several waves.
    several: bool,
    exchange: Exchange,
}

impl Coverage {
    /// Iterates over the link addresses of the executed instructions, ascending, with the number of executions of each.
    pub fn executed(&self) -> impl Iterator<Item = (u64, u64)> {
        let counts = self.counts.iter().enumerate();
        counts
            .filter(|&(_, &count)| count > 0)
            .map(|(at, &count)| (4 * at as u64, count))
    }

    /// Iterates over the link addresses of the instructions that were executed by a wave whose work-group has other waves, ascending.
    pub fn together(&self) -> impl Iterator<Item = u64> {
        let together = self.together.iter().enumerate();
        together
            .filter(|&(_, &together)| together)
            .map(|(at, _)| 4 * at as u64)
    }

    /// Iterates over the names of kernels in which a wave accessed a byte of device memory that another wave of the launch stored to,
    /// ascending.
    pub fn exchanging(&self) -> impl Iterator<Item = &str> {
        self.exchange.kernels()
    }
}

impl Observer for Coverage {
    fn fork(&self) -> Option<Coverage> {
        Some(Coverage {
            base: self.base,
            exchange: self.exchange.fork()?,
            ..Coverage::default()
        })
    }

    fn join(&mut self, worker: Coverage) {
        self.exchange.join(worker.exchange);
        if self.counts.len() < worker.counts.len() {
            self.counts.resize(worker.counts.len(), 0);
            self.together.resize(worker.counts.len(), false);
        }
        for (own, theirs) in self.together.iter_mut().zip(worker.together) {
            *own |= theirs;
        }
        for (own, theirs) in self.counts.iter_mut().zip(worker.counts) {
            *own += theirs;
        }
    }

    fn dispatch(&mut self, started: &DispatchStart<'_>) {
        self.base = started.base;
        self.exchange.dispatch(started);
    }

    fn group(&mut self, group: &Group) {
        self.several = group.waves > 1;
        self.exchange.group(group);
    }

    #[inline]
    fn before(&mut self, wave: &Wave, op: &Op, pc: u64) {
        self.exchange.before(wave, op, pc);
        let at = (pc.wrapping_sub(self.base) / 4) as usize;
        if at >= self.counts.len() {
            self.counts.resize(at + 1, 0);
            self.together.resize(at + 1, false);
        }
        self.counts[at] += 1;
        self.together[at] |= self.several;
    }
}
