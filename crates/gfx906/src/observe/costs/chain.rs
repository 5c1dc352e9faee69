//! Time of a wave that has a compute unit to itself. It is a lower bound from the dependences, which no number of waves can shorten.
//!
//! A wave issues in order, one instruction per turn of its SIMD (4 cycles, more for slower vector instructions). A result of memory or LDS
//! arrives after a latency, in the order of its counter, and only s_waitcnt holds the wave until then, as on the card. A barrier releases
//! all waves when the last one arrives. Two clocks run side by side: one with the least latencies, one with greater ones.

use std::collections::VecDeque;

use crate::isa::Inst;
use crate::observe::sanitize::wait::{Bounds, Class as Issued, Counter, Traits};

/// Cycles on the two clocks, with near and with far latencies.
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
}

impl Link {
    /// Determines the effect of an instruction.
    pub fn of(inst: &Inst) -> Link {
        let traits = Traits::of(inst, &inst.register_uses());
        Link {
            issues: traits.issues,
            waits: traits.waits,
            barrier: traits.barrier,
        }
    }
}

fn later(one: Clocks, other: Clocks) -> Clocks {
    [one[0].max(other[0]), one[1].max(other[1])]
}

fn plus(one: Clocks, more: Clocks) -> Clocks {
    [one[0] + more[0], one[1] + more[1]]
}

/// Clocks of a wave, and the arrival times of its pending operations in the order of issue.
#[derive(Clone, Default)]
struct Wave {
    now: Clocks,
    waited: Clocks,
    vector: VecDeque<Clocks>,
    other: VecDeque<Clocks>,
    at_barrier: bool,
}

impl Wave {
    fn wait(&mut self, bounds: Bounds) {
        let before = self.now;
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
                    self.now = later(self.now, arrives);
                }
            }
        }
        let waited = [self.now[0] - before[0], self.now[1] - before[1]];
        self.waited = plus(self.waited, waited);
    }

    fn issue(&mut self, class: Issued, latencies: &Latencies, more: u64) {
        let (vector, other) = (
            class.counters().contains(&Counter::Vm),
            class.counters().contains(&Counter::Lgkm),
        );
        let latency = match class {
            Issued::Scalar => latencies.scalar,
            _ if vector => latencies.vector,
            _ => latencies.lds,
        };
        let arrives = plus(plus(self.now, latency), [more; 2]);
        let queues = [(vector, &mut self.vector), (other, &mut self.other)];
        for (_, queue) in queues.into_iter().filter(|(counts, _)| *counts) {
            // All operations of one counter are taken to return in order, even scalar loads, because s_waitcnt treats them so.
            let last = queue.back().copied().unwrap_or_default();
            queue.push_back(later(last, arrives));
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

    /// Issues an instruction of a wave. The wave can issue the next one after `turn` cycles, and the instruction's result needs `more`
    /// cycles beyond its latency.
    pub fn step(&mut self, wave: usize, link: &Link, turn: u64, more: u64, latencies: &Latencies) {
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
        one.now = plus(one.now, [turn; 2]);
        one.at_barrier = link.barrier;
    }

    /// Releases all waves at the barrier when the last one has arrived.
    fn release(&mut self) {
        let there = self.waves.iter().filter(|wave| wave.at_barrier);
        let last = there.fold([0; 2], |last, wave| later(last, wave.now));
        for wave in self.waves.iter_mut().filter(|wave| wave.at_barrier) {
            wave.waited = plus(wave.waited, [last[0] - wave.now[0], last[1] - wave.now[1]]);
            wave.now = last;
            wave.at_barrier = false;
        }
    }

    /// Returns the time at which the last wave has ended.
    pub fn end(&self) -> Clocks {
        self.waves
            .iter()
            .fold([0; 2], |last, wave| later(last, wave.now))
    }

    /// Returns the waiting cycles of the wave that ends last, on each clock.
    pub fn waited(&self) -> Clocks {
        std::array::from_fn(|clock| {
            let last = self.waves.iter().max_by_key(|wave| wave.now[clock]);
            last.map_or(0, |wave| wave.waited[clock])
        })
    }
}
