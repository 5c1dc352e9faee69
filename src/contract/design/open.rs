//! The pairs of levels that no case has yet.

use super::space::{Levels, Space};

/// Pairs of levels. Where there is one factor only, each level stands with itself.
pub(super) struct Open {
    /// For each level those that it is still to meet.
    with: Vec<Levels>,
}

impl Open {
    /// All that the domain allows.
    pub(super) fn of(space: &Space<'_>) -> Open {
        let mut with = vec![Levels::default(); space.count()];
        for (a, b) in space.pairs() {
            with[a] = with[a].with(b);
            with[b] = with[b].with(a);
        }
        Open { with }
    }

    /// Whether there are any.
    pub(super) fn any(&self) -> bool {
        self.with.iter().any(|met| *met != Levels::default())
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.each().map(|(_, later)| later.count()).sum()
    }

    /// The levels of one of them, which are in order of the first level, then of the second.
    pub(super) fn pair(&self, mut number: usize) -> Option<Levels> {
        for (first, later) in self.each() {
            if let Some(second) = later.iter().nth(number) {
                return Some(Levels::default().with(first).with(second));
            }
            number -= later.count();
        }
        None
    }

    /// How many of them a level makes with chosen ones.
    pub(super) fn gain(&self, chosen: Levels, level: usize) -> usize {
        self.with[level].and(chosen).count()
    }

    /// How many of them a case has.
    pub(super) fn within(&self, case: Levels) -> usize {
        let own = case.iter();
        own.map(|level| self.with[level].and(case).from(level).count())
            .sum()
    }

    /// Takes away those that a case has.
    pub(super) fn close(&mut self, case: Levels) {
        for level in case.iter() {
            self.with[level] = self.with[level].without(case);
        }
    }

    /// Each level with those that it is to meet and that do not stand before it.
    fn each(&self) -> impl Iterator<Item = (usize, Levels)> {
        let each = self.with.iter().enumerate();
        each.map(|(level, met)| (level, met.from(level)))
    }
}
