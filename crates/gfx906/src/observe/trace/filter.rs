//! Filter of the instructions that a trace shows.

use std::ops::RangeInclusive;

/// Inclusive ranges that an instruction must lie in; `None` permits all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Work-group ids in x, y and z.
    pub groups: Option<[RangeInclusive<u32>; 3]>,
    /// Numbers of waves within their group.
    pub waves: Option<RangeInclusive<u32>>,
    /// Link addresses.
    pub pcs: Option<RangeInclusive<u64>>,
}

impl Filter {
    /// Returns true if the filter passes an instruction.
    pub fn passes(&self, group: [u32; 3], wave: u32, pc: u64) -> bool {
        let within = |ranges: &[RangeInclusive<u32>; 3]| {
            let mut axes = ranges.iter().zip(&group);
            axes.all(|(range, id)| range.contains(id))
        };
        self.pcs.as_ref().is_none_or(|range| range.contains(&pc))
            && self
                .waves
                .as_ref()
                .is_none_or(|range| range.contains(&wave))
            && self.groups.as_ref().is_none_or(within)
    }
}
