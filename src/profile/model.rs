//! An estimate of a launch's time on the card: an interval, and the limiting resource.

use gfx906::observe::costs::GroupCost;
use serde::Serialize;

use super::constants::{CUS, LAUNCH, MEMORY, SIMDS, SLACK};
use super::dealing::{Dealing, deal};

/// The card that is modelled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Card {
    /// Its clock in MHz.
    pub clock: f64,
}

impl Card {
    /// Returns the seconds that cycles take.
    pub fn seconds(self, cycles: f64) -> f64 {
        cycles / (self.clock * 1e6)
    }
}

/// The memory traffic of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Different bytes, those read and those written.
    pub bytes: u64,
    /// Bytes of the cache lines that hold these bytes.
    pub of_lines: u64,
}

/// A lower and an upper end.
pub type Interval = [f64; 2];

/// The estimated time of a launch, without the overhead of launching.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The interval, in seconds.
    pub seconds: Interval,
    /// The resource that determines the lower end: `valu`, `lds`, `vmem`, `scalar`, `memory` or `chain`.
    pub limiter: &'static str,
    /// The least that these instructions and bytes could take, evenly spread over the card, in seconds.
    pub floor: f64,
    /// The resource that determines the floor: `valu` or `memory`.
    pub floor_of: &'static str,
    /// The floor as a share of the interval's upper and lower ends.
    pub share_of_floor: Interval,
    /// Seconds of the busiest compute unit's pipes: overlapped, and in turn.
    pub pipes: Interval,
    /// Seconds of the different bytes, and of the lines in which they are.
    pub memory: Interval,
    /// Seconds of the longest chain of dependent instructions, with short and with long latencies.
    pub chain: Interval,
}

/// Estimates the time of work-groups of which a compute unit holds `at_once`.
pub fn estimate(
    card: Card,
    groups: &[&GroupCost],
    at_once: u32,
    traffic: Traffic,
) -> (Dealing, Estimate) {
    let dealing = deal(groups, at_once);
    let cycles = |cycles: u64| card.seconds(cycles as f64);
    let pipes = [cycles(dealing.overlapped), cycles(dealing.in_turn)];
    let memory = [traffic.bytes, traffic.of_lines].map(|bytes| bytes as f64 / MEMORY);
    let chain = dealing.chain.map(cycles);
    let found = [
        ("valu", cycles(dealing.pipes.valu)),
        ("lds", cycles(dealing.pipes.lds)),
        ("vmem", cycles(dealing.pipes.vmem)),
        ("scalar", cycles(dealing.pipes.scalar)),
        ("memory", memory[0]),
        ("chain", chain[0]),
    ];
    let (limiter, lower) = most(&found);
    let upper = SLACK * (pipes[1] + memory[1]).max(chain[1]);
    let valu: u64 = groups.iter().flat_map(|group| &group.valu).sum();
    let spread = card.seconds(valu as f64 / (CUS * SIMDS) as f64);
    let (floor_of, floor) = most(&[("valu", spread), ("memory", memory[0])]);
    let share = |of: f64| if of > 0.0 { floor / of } else { 1.0 };
    let estimate = Estimate {
        seconds: [lower, upper],
        limiter,
        floor,
        floor_of,
        share_of_floor: [share(upper), share(lower)],
        pipes,
        memory,
        chain,
    };
    (dealing, estimate)
}

/// Returns the greatest entry, and of equal entries the first.
fn most(found: &[(&'static str, f64)]) -> (&'static str, f64) {
    let start = ("valu", 0.0);
    found.iter().fold(start, |most, one| match one.1 > most.1 {
        true => *one,
        false => most,
    })
}

/// Adds the estimates of launches, each with the overhead of a launch.
pub fn with_launches(estimates: impl Iterator<Item = Interval>) -> Interval {
    estimates.fold([0.0; 2], |sum, [lower, upper]| {
        [sum[0] + LAUNCH + lower, sum[1] + LAUNCH + upper]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CARD: Card = Card { clock: 1000.0 };

    fn groups(count: usize, group: &GroupCost) -> Vec<GroupCost> {
        vec![group.clone(); count]
    }

    fn of(groups: &[GroupCost], traffic: Traffic) -> Estimate {
        let groups: Vec<&GroupCost> = groups.iter().collect();
        estimate(CARD, &groups, 4, traffic).1
    }

    fn close(found: f64, wanted: f64) {
        assert!(
            (found - wanted).abs() <= 1e-12 * wanted,
            "{found:e} {wanted:e}"
        );
    }

    #[test]
    fn the_ends_are_the_slowest_pipe_and_the_sum() {
        let group = GroupCost {
            valu: vec![1000; 4],
            lds: 500,
            lines: 300,
            scalar: 200,
            chain: [900, 1100],
            ..GroupCost::default()
        };
        let traffic = Traffic {
            bytes: 87_000,
            of_lines: 174_000,
        };
        let found = of(&groups(60, &group), traffic);
        assert_eq!(found.limiter, "valu");
        close(found.seconds[0], 1e-6);
        close(found.seconds[1], 1.2 * (2e-6 + 0.2e-6));
        close(found.floor, 1e-6);
        close(found.share_of_floor[1], 1.0);
    }

    #[test]
    fn memory_or_the_chain_can_be_the_limiter() {
        let group = GroupCost {
            valu: vec![100],
            chain: [5000, 9000],
            ..GroupCost::default()
        };
        let found = of(&groups(1, &group), Traffic::default());
        assert_eq!(found.limiter, "chain");
        close(found.seconds[0], 5e-6);
        close(found.seconds[1], 1.2 * 9e-6);
        close(found.floor, 100.0 / 240.0 / 1e9);
        let bytes = Traffic {
            bytes: 8_700_000,
            of_lines: 8_700_000,
        };
        let found = of(&groups(1, &group), bytes);
        assert_eq!((found.limiter, found.floor_of), ("memory", "memory"));
        close(found.seconds[0], 1e-5);
    }

    #[test]
    fn launches_come_on_top() {
        let [lower, upper] = with_launches([[1e-6, 2e-6], [3e-6, 4e-6]].into_iter());
        close(lower, 4e-6 + 7.2e-6);
        close(upper, 6e-6 + 7.2e-6);
    }
}
