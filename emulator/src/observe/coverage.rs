//! Which instructions of a code object run, and how often.

use super::Observer;
use crate::machine::{Launch, Op, Wave};

/// How often each instruction of one code object was executed, by link address. All launches of a [`crate::machine::Module`] add up.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    base: u64,
    counts: Vec<u64>,
}

impl Coverage {
    /// Link addresses of the instructions that ran, ascending, and by how many waves each was executed.
    pub fn executed(&self) -> impl Iterator<Item = (u64, u64)> {
        let counts = self.counts.iter().enumerate();
        counts
            .filter(|&(_, &count)| count > 0)
            .map(|(at, &count)| (4 * at as u64, count))
    }
}

impl Observer for Coverage {
    fn fork(&self) -> Option<Coverage> {
        Some(Coverage {
            base: self.base,
            counts: Vec::new(),
        })
    }

    fn join(&mut self, worker: Coverage) {
        if self.counts.len() < worker.counts.len() {
            self.counts.resize(worker.counts.len(), 0);
        }
        for (own, theirs) in self.counts.iter_mut().zip(worker.counts) {
            *own += theirs;
        }
    }

    fn dispatch(&mut self, _: &str, base: u64, _: &Launch<'_>) {
        self.base = base;
    }

    #[inline]
    fn before(&mut self, _: &Wave, _: &Op, pc: u64) {
        let at = (pc.wrapping_sub(self.base) / 4) as usize;
        if at >= self.counts.len() {
            self.counts.resize(at + 1, 0);
        }
        self.counts[at] += 1;
    }
}
