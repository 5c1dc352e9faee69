//! A profile: how many instructions of which kind.

use super::Observer;
use crate::machine::{Kind, Op, Wave};

/// What a dispatch did, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    kinds: [u64; Kind::ALL.len()],
}

impl Profile {
    /// Wave instructions by the kinds' names.
    pub fn by_kind(&self) -> impl Iterator<Item = (&'static str, u64)> {
        Kind::ALL
            .iter()
            .map(|k| (k.name(), self.kinds[*k as usize]))
    }
}

impl Observer for Profile {
    fn fork(&self) -> Profile {
        Profile::default()
    }

    fn join(&mut self, worker: Profile) {
        for (sum, n) in self.kinds.iter_mut().zip(worker.kinds) {
            *sum += n;
        }
    }

    fn before(&mut self, _: &Wave, op: &Op, _: u64) {
        self.kinds[op.kind as usize] += 1;
    }
}
