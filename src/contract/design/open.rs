//! The pairs of levels that no case has yet.

use super::space::{Levels, Space};

/// The pairs of levels that no case has yet. If there is only one factor, each level is paired with itself.
pub(super) struct OpenPairs {
    /// The levels that no case has combined with a level yet, by the number of that level.
    with: Vec<Levels>,
}

impl OpenPairs {
    /// Collects the pairs that the domain allows.
    pub(super) fn of(space: &Space<'_>) -> OpenPairs {
        let mut with = vec![Levels::default(); space.count()];
        for (a, b) in space.pairs() {
            with[a] = with[a].with(b);
            with[b] = with[b].with(a);
        }
        OpenPairs { with }
    }

    /// Returns true if any pair is open.
    pub(super) fn any(&self) -> bool {
        self.with.iter().any(|met| *met != Levels::default())
    }

    /// Returns the number of open pairs.
    pub(super) fn count(&self) -> usize {
        self.each().map(|(_, later)| later.count()).sum()
    }

    /// Returns the levels of an open pair by its number. Pairs are in order of the first level, then of the second.
    pub(super) fn pair(&self, mut number: usize) -> Option<Levels> {
        for (first, later) in self.each() {
            let count = later.count();
            if number < count {
                let second = later.iter().nth(number)?;
                return Some(Levels::default().with(first).with(second));
            }
            number -= count;
        }
        None
    }

    /// Returns how many open pairs a level forms with the chosen levels.
    pub(super) fn gain(&self, chosen: Levels, level: usize) -> usize {
        self.with[level].and(chosen).count()
    }

    /// Returns how many open pairs a case contains.
    pub(super) fn within(&self, case: Levels) -> usize {
        let own = case.iter();
        own.map(|level| self.with[level].and(case).from(level).count())
            .sum()
    }

    /// Removes the pairs of a case.
    pub(super) fn close(&mut self, case: Levels) {
        for level in case.iter() {
            self.with[level] = self.with[level].without(case);
        }
    }

    /// Returns each level with the levels, from itself on, that no case has combined with it yet.
    fn each(&self) -> impl Iterator<Item = (usize, Levels)> {
        let each = self.with.iter().enumerate();
        each.map(|(level, met)| (level, met.from(level)))
    }
}
