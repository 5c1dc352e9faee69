//! Grid, block and LDS of a proposal.

use super::number::Terms;
use super::propose::Proposal;
use super::tensors::Candidate;
use super::written::{comment, line, quoted};

impl Proposal<'_> {
    /// Returns the line of the grid, and adds the sizes in it to `used`.
    pub fn grid(&self, used: &mut Vec<String>) -> String {
        let block = self.recorded.block;
        let all = block.iter().map(|count| i64::from(*count)).product();
        let last = self
            .recorded
            .grid
            .iter()
            .rposition(|count| *count > 1)
            .unwrap_or(0);
        let lengths = self.lengths();
        let mut formulas = Vec::new();
        let mut comments = Vec::new();
        for axis in 0..=last {
            let terms = Terms::new(self.inner_first(used), &lengths);
            let count = i64::from(self.recorded.grid[axis]);
            let guess = terms.groups(count, [i64::from(block[axis]), all]);
            comments.extend(comment(&guess, ["x", "y", "z"][axis]));
            used.extend(guess.uses);
            formulas.push(quoted(&guess.formula));
        }
        line(&format!("grid = [{}]", formulas.join(", ")), &comments)
    }

    /// Returns the sizes in the order in which a grid is likely to depend on them: the innermost axes of the first output first, and sizes
    /// that are used already last.
    fn inner_first(&self, used: &[String]) -> Vec<(&str, i64)> {
        let mut sizes = self.sizes();
        let output = self
            .case
            .candidates
            .iter()
            .find(|tensor| tensor.is_output());
        let axes = output.map(|output| self.axes(output)).unwrap_or_default();
        sizes.sort_by_key(|(name, _)| {
            let inner = axes.iter().rev().position(|axis| axis == name);
            (
                used.iter().any(|used| used == name),
                inner.unwrap_or(usize::MAX),
            )
        });
        sizes
    }

    /// Returns the lengths of all tensors' axes.
    pub fn lengths(&self) -> Vec<String> {
        let all = self.case.candidates.iter();
        all.flat_map(|tensor| self.axes(tensor)).collect()
    }

    fn axes(&self, tensor: &Candidate) -> Vec<String> {
        let tensors = self.described.tensors_at(&self.case.values);
        let mut tensors = tensors.as_deref().unwrap_or_default().iter();
        let found = tensors.find(|known| known.name == tensor.name);
        let axes = found.map(|found| found.axes.iter().filter_map(|axis| axis.length.clone()));
        axes.map(Iterator::collect).unwrap_or_default()
    }

    /// Returns the line of the block.
    pub fn block(&self) -> String {
        let block = self.recorded.block;
        let last = block.iter().rposition(|count| *count > 1).unwrap_or(0);
        let counts: Vec<String> = block[..=last].iter().map(u32::to_string).collect();
        let mut comments = Vec::new();
        if self.kernel.required_work_group_size.is_none() {
            for (axis, count) in block[..=last]
                .iter()
                .enumerate()
                .filter(|(_, count)| **count > 1)
            {
                let sizes = self.sizes();
                let same = sizes.iter().filter(|(_, size)| *size == i64::from(*count));
                let same: Vec<String> = same.map(|(name, _)| (*name).to_owned()).collect();
                if !same.is_empty() {
                    comments.push(format!(
                        "{} or \"{}\"",
                        ["x", "y", "z"][axis],
                        same.join("\", \"")
                    ));
                }
            }
        }
        line(&format!("block = [{}]", counts.join(", ")), &comments)
    }

    /// Returns the line of dynamic LDS, and adds the sizes in it to `used`; nothing if the launch has none.
    pub fn dynamic_lds(&self, used: &mut Vec<String>) -> String {
        let bytes = self.recorded.dynamic_lds;
        if bytes == 0 {
            return String::new();
        }
        let guess = Terms::new(self.sizes(), &[]).bytes(bytes.into(), self.recorded.block);
        let comments: Vec<String> = comment(&guess, "").into_iter().collect();
        used.extend(guess.uses);
        line(
            &format!("dynamic_lds = {}", quoted(&guess.formula)),
            &comments,
        )
    }
}
