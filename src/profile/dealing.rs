//! The distribution of work-groups over compute units, and the time until the last unit is done.
//!
//! Groups begin in the order of their numbers. The groups that the card holds at once are dealt in turn. Each later group goes to the
//! unit with the least work, where a group is taken to end first. A wave goes to its unit's SIMD with the least work.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use gfx906::observe::costs::{Clocks, GroupCost};
use serde::Serialize;

use super::constants::{CUS, SIMDS};

/// The work of a compute unit, in cycles of each pipe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Unit {
    simds: [u64; SIMDS],
    waves: [u64; SIMDS],
    lds: u64,
    lines: u64,
    scalar: u64,
}

/// Cycles of a compute unit's pipes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Pipes {
    /// Cycles of the vector ALU of the busiest SIMD.
    pub valu: u64,
    /// Cycles of LDS.
    pub lds: u64,
    /// Cycles of the vector cache, one for each line.
    pub vmem: u64,
    /// Cycles of scalar, branch and message instructions.
    pub scalar: u64,
}

impl Pipes {
    /// Returns the cycles if all pipes overlap: those of the slowest pipe.
    pub fn slowest(self) -> u64 {
        self.valu.max(self.lds).max(self.vmem).max(self.scalar)
    }

    /// Returns the cycles if the pipes work one after another.
    pub fn sum(self) -> u64 {
        self.valu + self.lds + self.vmem + self.scalar
    }
}

impl Unit {
    fn pipes(&self) -> Pipes {
        Pipes {
            valu: self.simds.into_iter().max().unwrap_or(0),
            lds: self.lds,
            vmem: self.lines,
            scalar: self.scalar,
        }
    }

    fn add(&mut self, group: &GroupCost) {
        for &cycles in &group.valu {
            let least = (0..SIMDS).min_by_key(|&at| (self.simds[at], self.waves[at]));
            let at = least.unwrap_or(0);
            self.simds[at] += cycles;
            self.waves[at] += 1;
        }
        self.lds += group.lds;
        self.lines += group.lines;
        self.scalar += group.scalar;
    }
}

/// The distribution of a launch's work over the card.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Dealing {
    /// Compute units with work.
    pub compute_units: usize,
    /// SIMDs with a wave.
    pub simds: usize,
    /// The share of the card's SIMDs with a wave.
    pub fill: f64,
    /// The average compute unit's work as a share of the busiest unit's.
    pub balance: f64,
    /// The greatest number of cycles that a compute unit's slowest pipe takes: all pipes overlap.
    pub overlapped: u64,
    /// The greatest number of cycles of each pipe, over the compute units.
    pub pipes: Pipes,
    /// Cycles until the last work-group has ended, if work-groups do not slow each other down: near and fitted latencies.
    pub chain: Clocks,
}

/// Deals groups to a card that holds `at_once` on each compute unit.
pub fn deal(groups: &[&GroupCost], at_once: u32) -> Dealing {
    let mut units = [Unit::default(); CUS];
    let first = CUS * at_once as usize;
    for (n, group) in groups.iter().take(first).enumerate() {
        units[n % CUS].add(group);
    }
    let mut heap: BinaryHeap<Reverse<(u64, usize)>> = (0..CUS)
        .map(|at| Reverse((units[at].pipes().sum(), at)))
        .collect();
    for group in groups.iter().skip(first) {
        let Some(Reverse((_, at))) = heap.pop() else {
            break;
        };
        units[at].add(group);
        heap.push(Reverse((units[at].pipes().sum(), at)));
    }
    let busy: Vec<u64> = units.iter().map(|unit| unit.pipes().sum()).collect();
    let most = busy.iter().copied().max().unwrap_or(0);
    let simds = units.iter().flat_map(|unit| unit.waves);
    let simds = simds.filter(|&waves| waves > 0).count();
    let greatest = |of: fn(Pipes) -> u64| {
        let all = units.iter().map(|unit| of(unit.pipes()));
        all.max().unwrap_or(0)
    };
    Dealing {
        compute_units: busy.iter().filter(|&&cycles| cycles > 0).count(),
        simds,
        fill: simds as f64 / (CUS * SIMDS) as f64,
        balance: match most {
            0 => 1.0,
            most => busy.iter().sum::<u64>() as f64 / (most * CUS as u64) as f64,
        },
        overlapped: greatest(Pipes::slowest),
        pipes: Pipes {
            valu: greatest(|pipes| pipes.valu),
            lds: greatest(|pipes| pipes.lds),
            vmem: greatest(|pipes| pipes.vmem),
            scalar: greatest(|pipes| pipes.scalar),
        },
        chain: std::array::from_fn(|clock| {
            makespan(groups.iter().map(|group| group.chain[clock].cycles), first)
        }),
    }
}

/// Returns the time at which the last job ends, if each job goes to the slot that is free first.
fn makespan(jobs: impl Iterator<Item = u64>, slots: usize) -> u64 {
    let mut free: BinaryHeap<Reverse<u64>> = std::iter::repeat_n(Reverse(0), slots).collect();
    let mut last = 0;
    for job in jobs {
        let Some(Reverse(at)) = free.pop() else {
            break;
        };
        last = last.max(at + job);
        free.push(Reverse(at + job));
    }
    last
}

#[cfg(test)]
mod tests {
    use gfx906::observe::costs::Path;

    use super::*;

    fn group(waves: usize, valu: u64) -> GroupCost {
        GroupCost {
            valu: vec![valu; waves],
            lds: 10,
            lines: 20,
            scalar: 30,
            chain: [valu, 2 * valu].map(|cycles| Path {
                cycles,
                ..Path::default()
            }),
            ..GroupCost::default()
        }
    }

    fn dealt(groups: &[GroupCost], at_once: u32) -> Dealing {
        deal(&groups.iter().collect::<Vec<_>>(), at_once)
    }

    #[test]
    fn a_group_of_a_wave_has_one_simd() {
        let found = dealt(&[group(1, 1000)], 40);
        assert_eq!((found.compute_units, found.simds), (1, 1));
        assert_eq!(found.overlapped, 1000);
        assert_eq!(found.fill, 1.0 / 240.0);
        assert_eq!(found.balance, 1.0 / 60.0);
        assert_eq!(found.chain, [1000, 2000]);
    }

    #[test]
    fn waves_of_a_group_go_to_all_simds() {
        let found = dealt(&[group(4, 1000)], 10);
        assert_eq!((found.simds, found.overlapped), (4, 1000));
        let found = dealt(&[group(5, 1000)], 8);
        assert_eq!((found.simds, found.overlapped), (4, 2000));
    }

    /// A 61st group on 60 compute units doubles the time, whether its unit runs two groups at once or one after another.
    #[test]
    fn the_makespan_sees_a_round_that_is_not_full() {
        let full = vec![group(4, 1000); 60];
        let more = vec![group(4, 1000); 61];
        for at_once in [1, 10] {
            let found = dealt(&full, at_once);
            assert_eq!(
                (found.overlapped, found.balance, found.fill),
                (1000, 1.0, 1.0)
            );
            assert_eq!(dealt(&more, at_once).overlapped, 2000);
        }
        assert_eq!(dealt(&more, 1).chain, [2000, 4000]);
        assert_eq!(dealt(&more, 2).chain, [1000, 2000]);
    }

    #[test]
    fn later_groups_go_where_there_is_least_to_do() {
        // 59 short groups and a long one fill the card one deep; then 59 short ones more.
        let mut groups = vec![group(4, 100); 60];
        groups[7] = group(4, 1000);
        groups.extend(vec![group(4, 100); 59]);
        let found = dealt(&groups, 1);
        assert_eq!(found.overlapped, 1000);
        // Two deep, the second round gives another group to the unit of the long one.
        assert_eq!(dealt(&groups, 2).overlapped, 1100);
    }

    #[test]
    fn nothing_takes_no_time() {
        let found = dealt(&[], 10);
        assert_eq!(
            (found.overlapped, found.balance, found.chain),
            (0, 1.0, [0, 0])
        );
    }
}
