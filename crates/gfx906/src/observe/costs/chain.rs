//! Time of a wave that has a compute unit to itself, which no number of waves can shorten.
//!
//! A wave issues in order, one instruction per turn of its SIMD (4 cycles, more for slower vector instructions). A result of memory or LDS
//! arrives after a latency, in the order of its counter, and only s_waitcnt holds the wave until then, as on the card. A barrier releases
//! all waves when the last one arrives, and their paths continue its path. Two clocks run side by side: one with the least latencies, which
//! give a lower bound, and one with latencies that were fitted on measurements.

use std::collections::VecDeque;

use super::class::Class;
use crate::isa::{Encoding, Inst, Properties};
use crate::observe::sanitize::wait::{Bounds, Class as Issued, Counter, Traits};

/// Cycles on the two clocks, with near and with fitted latencies.
pub type Clocks = [u64; 2];

/// Cycles from issue to return, on the two clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latencies {
    /// Latencies of vector memory.
    pub vector: Clocks,
    /// Latencies of scalar memory.
    pub scalar: Clocks,
    /// Latencies of LDS and of instructions that use its pipe.
    pub lds: Clocks,
}

/// Effect of an instruction on the chain.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    issues: Option<Issued>,
    waits: Bounds,
    barrier: bool,
    /// Cycles after which the wave can issue its next instruction.
    turn: u64,
    /// The kind of the instruction, by which its cycles are counted.
    kind: IssueKind,
}

/// Kinds of instructions whose cycles of issue are counted apart.
#[derive(Clone, Copy, Debug)]
enum IssueKind {
    Vector,
    Scalar,
    Memory,
}

impl Link {
    /// Determines the effect of an instruction.
    pub fn of(inst: &Inst) -> Link {
        let traits = Traits::of(inst, &inst.register_uses());
        let class = Class::of(inst);
        // `s_nop N` takes N + 1 turns.
        let nop = inst.encoding == Encoding::Sopp && inst.has(Properties::NO_OPERATION);
        let turns = if nop {
            u64::from(inst.literal & 15) + 1
        } else {
            1
        };
        Link {
            issues: traits.issues,
            waits: traits.waits,
            barrier: traits.barrier,
            turn: class.turn() * turns,
            kind: match class {
                _ if class.is_valu() => IssueKind::Vector,
                Class::Vmem | Class::Smem | Class::Lds | Class::Exchange => IssueKind::Memory,
                _ => IssueKind::Scalar,
            },
        }
    }
}

/// The instructions and waits that a wave's time consists of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Path {
    /// Cycles until here: the sum of all that follow.
    pub cycles: u64,
    /// Cycles of issue: vector instructions, scalar ones, those on memory and LDS.
    pub issue: [u64; 3],
    /// Cycles of waiting: for vector memory, for scalar memory, for LDS.
    pub waited: [u64; 3],
}

impl Path {
    /// Returns the cycles of all waits.
    pub fn all_waited(&self) -> u64 {
        self.waited.iter().sum()
    }

    fn wait(&mut self, arrives: Arrival) {
        let more = arrives.at.saturating_sub(self.cycles);
        self.cycles += more;
        self.waited[arrives.of as usize] += more;
    }
}

/// A kind of results that a wave waits for.
#[derive(Clone, Copy, Debug, Default)]
enum Source {
    #[default]
    Vector,
    Scalar,
    Lds,
}

/// The time at which a result arrives.
#[derive(Clone, Copy, Debug, Default)]
struct Arrival {
    at: u64,
    of: Source,
}

/// Paths of a wave, and the arrivals of its pending operations in the order of issue.
#[derive(Clone, Default)]
struct Wave {
    paths: [Path; 2],
    vector: VecDeque<[Arrival; 2]>,
    other: VecDeque<[Arrival; 2]>,
    at_barrier: bool,
}

impl Wave {
    fn wait(&mut self, bounds: Bounds) {
        for counter in [Counter::Vm, Counter::Lgkm] {
            let Some(bound) = bounds[counter as usize] else {
                continue;
            };
            let queue = match counter {
                Counter::Vm => &mut self.vector,
                _ => &mut self.other,
            };
            while queue.len() > bound as usize {
                if let Some(arrives) = queue.pop_front() {
                    for (path, arrival) in self.paths.iter_mut().zip(arrives) {
                        path.wait(arrival);
                    }
                }
            }
        }
    }

    fn issue(&mut self, class: Issued, latencies: &Latencies, more: u64) {
        let (vector, other) = (
            class.counters().contains(&Counter::Vm),
            class.counters().contains(&Counter::Lgkm),
        );
        let (latency, of) = match class {
            Issued::Scalar => (latencies.scalar, Source::Scalar),
            _ if vector => (latencies.vector, Source::Vector),
            _ => (latencies.lds, Source::Lds),
        };
        let arrives: [Arrival; 2] = std::array::from_fn(|clock| Arrival {
            at: self.paths[clock].cycles + latency[clock] + more,
            of,
        });
        let queues = [(vector, &mut self.vector), (other, &mut self.other)];
        for (_, queue) in queues.into_iter().filter(|(counts, _)| *counts) {
            // All operations of one counter are taken to return in order, even scalar loads, because s_waitcnt treats them so.
            let last = queue.back().copied().unwrap_or_default();
            queue.push_back(std::array::from_fn(|clock| {
                match last[clock].at > arrives[clock].at {
                    true => last[clock],
                    false => arrives[clock],
                }
            }));
        }
    }
}

/// Waves of the running group.
#[derive(Clone, Default)]
pub struct Chains {
    waves: Vec<Wave>,
}

impl Chains {
    /// Begins a group with a number of waves.
    pub fn begin(&mut self, waves: usize) {
        self.waves.clear();
        self.waves.resize_with(waves, Wave::default);
    }

    /// Issues an instruction of a wave. The instruction's result needs `more` cycles beyond its latency.
    pub fn step(&mut self, wave: usize, link: &Link, more: u64, latencies: &Latencies) {
        if wave >= self.waves.len() {
            return;
        }
        if self.waves[wave].at_barrier {
            self.release();
        }
        let one = &mut self.waves[wave];
        one.wait(link.waits);
        if let Some(class) = link.issues {
            one.issue(class, latencies, more);
        }
        for path in &mut one.paths {
            path.cycles += link.turn;
            path.issue[link.kind as usize] += link.turn;
        }
        one.at_barrier = link.barrier;
    }

    /// Releases all waves at the barrier when the last one has arrived. Their time from now on follows from the path of the last one.
    fn release(&mut self) {
        let there = self.waves.iter().filter(|wave| wave.at_barrier);
        let last = longest(there);
        for wave in self.waves.iter_mut().filter(|wave| wave.at_barrier) {
            wave.paths = last;
            wave.at_barrier = false;
        }
    }

    /// Returns the path of the wave that ends last, on each clock.
    pub fn end(&self) -> [Path; 2] {
        longest(self.waves.iter())
    }
}

/// Returns the longest path of some waves, on each clock.
fn longest<'a>(waves: impl Iterator<Item = &'a Wave>) -> [Path; 2] {
    waves.fold([Path::default(); 2], |last, wave| {
        std::array::from_fn(
            |clock| match wave.paths[clock].cycles >= last[clock].cycles {
                true => wave.paths[clock],
                false => last[clock],
            },
        )
    })
}
