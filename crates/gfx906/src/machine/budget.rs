//! Budget of a launch: wave instructions, and processor time of the threads that run it. A launch that exceeds its budget counts as a hang.
//!
//! The budget is not wall-clock time: a process that is stopped for a while, or shares its processors, has not used anything up.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::launch::{Limits, Patience};
use super::schedule::Schedule;
use super::trap::{Fault, TrapKind};

/// Largest number of instructions that a worker draws from the dispatch's budget at a time.
const SLICE: u64 = 1 << 16;
/// Largest share of the budget (one part in `PART`) that a worker draws at a time. Drawn instructions count as used up for all
/// other workers.
const PART: u64 = 256;

/// Budget of a dispatch.
pub struct Budget {
    limits: Limits,
    instructions: AtomicI64,
    /// Nanoseconds of processor time that the workers have used.
    used: AtomicU64,
    started: Instant,
    /// Callback for a launch that takes long, and the kernel's name.
    patience: Option<(Patience, String)>,
    told: AtomicBool,
}

impl Budget {
    /// Creates a budget whose time starts now.
    pub fn new(limits: Limits, patience: Option<(Patience, String)>) -> Budget {
        Budget {
            limits,
            instructions: AtomicI64::new(limits.instructions.min(i64::MAX as u64) as i64),
            used: AtomicU64::new(0),
            started: Instant::now(),
            patience,
            told: AtomicBool::new(false),
        }
    }

    /// Creates a budget of a number of instructions.
    #[cfg(test)]
    pub fn steps(instructions: u64) -> Budget {
        let limits = Limits {
            instructions,
            ..Limits::default()
        };
        Budget::new(limits, None)
    }

    /// Returns the number of instructions that a wave runs before another wave of its group gets a turn.
    pub fn turn(&self) -> u64 {
        self.limits.turn.max(1).into()
    }

    /// Returns the order in which groups and waves run.
    pub fn schedule(&self) -> Schedule {
        self.limits.schedule
    }

    /// Draws a slice for a worker that has used `time` of processor time since its last draw. The fault names the budget that is used up.
    fn draw(&self, time: Duration) -> Result<i64, Fault> {
        let time = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let used = self.used.fetch_add(time, Relaxed).saturating_add(time);
        let slice = (self.limits.instructions / PART).clamp(1, SLICE) as i64;
        let left = self.instructions.fetch_sub(slice, Relaxed);
        if left <= 0 {
            let total = self.limits.instructions;
            let budget = format!("the budget of {total} wave instructions");
            return Err(Fault::new(TrapKind::Hang { budget }));
        }
        if used as f64 > self.limits.seconds * 1e9 {
            let budget = format!("the limit of {} CPU seconds", self.limits.seconds);
            return Err(Fault::new(TrapKind::Hang { budget }));
        }
        self.tell(left);
        Ok(slice.min(left))
    }

    fn tell(&self, left: i64) {
        let Some((patience, kernel)) = &self.patience else {
            return;
        };
        let late = self.started.elapsed().as_secs_f64() > patience.seconds;
        if late && !self.told.swap(true, Relaxed) {
            let total = self.limits.instructions.min(i64::MAX as u64);
            (patience.tell)(kernel, total.saturating_sub(left as u64));
        }
    }

    /// Returns the wall-clock seconds since the start.
    pub fn elapsed(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }
}

/// Share of the budget that a worker has drawn and not yet used up, in terms of the worker's clock.
pub struct Meter<'a> {
    /// Budget that the worker draws from.
    pub budget: &'a Budget,
    /// Clock at which the drawn slice is used up.
    pub until: u64,
    /// Processor time of the worker at its last draw.
    time: Duration,
}

impl<'a> Meter<'a> {
    /// Creates a meter without a slice, for the calling thread.
    pub fn new(budget: &'a Budget) -> Meter<'a> {
        Meter {
            budget,
            until: 0,
            time: thread_time(budget),
        }
    }

    /// Creates a meter that never draws, for a caller that stops the launch itself.
    pub fn unlimited(budget: &'a Budget) -> Meter<'a> {
        Meter {
            budget,
            until: u64::MAX,
            time: Duration::ZERO,
        }
    }

    /// Draws another slice at a clock.
    pub fn draw(&mut self, clock: u64) -> Result<(), Fault> {
        let now = thread_time(self.budget);
        let used = now.saturating_sub(self.time);
        self.time = now;
        self.until = clock + self.budget.draw(used)? as u64;
        Ok(())
    }

    /// Returns the rest of the slice to the budget.
    pub fn close(self, clock: u64) {
        let rest = self.until.saturating_sub(clock) as i64;
        self.budget.instructions.fetch_add(rest, Relaxed);
    }
}

/// Returns the processor time that this thread has used.
#[cfg(unix)]
fn thread_time(_: &Budget) -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(
        time.tv_sec.try_into().unwrap_or(0),
        time.tv_nsec.try_into().unwrap_or(0),
    )
}

/// Measures wall-clock time since the dispatch began, on hosts without a clock per thread.
#[cfg(not(unix))]
fn thread_time(budget: &Budget) -> Duration {
    budget.started.elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The limit was once in wall-clock time, and a healthy kernel in a process that was stopped for as long counted as a hang.
    #[test]
    fn time_in_which_the_thread_does_not_run_is_not_used_up() {
        let limits = Limits {
            instructions: u64::MAX,
            seconds: 0.05,
            ..Limits::default()
        };
        let budget = Budget::new(limits, None);
        let mut meter = Meter::new(&budget);
        std::thread::sleep(Duration::from_millis(150));
        assert!(meter.draw(0).is_ok(), "asleep");
        let fault = loop {
            if let Err(fault) = meter.draw(0) {
                break fault;
            }
        };
        let text = fault.kind.to_string();
        assert_eq!(text, "hang: the limit of 0.05 CPU seconds used up");
        assert!(budget.elapsed() >= 0.2, "awake for 50 ms");
    }

    #[test]
    fn who_waits_is_told_once_how_far_a_slow_kernel_is() {
        static TOLD: AtomicU64 = AtomicU64::new(0);
        let patience = Patience {
            seconds: -1.0,
            tell: |kernel, instructions| {
                assert_eq!(kernel, "slow");
                TOLD.fetch_add(1 + instructions, Relaxed);
            },
        };
        let budget = Budget::new(Limits::default(), Some((patience, "slow".to_owned())));
        let mut meter = Meter::new(&budget);
        for clock in [0, 1, 2] {
            meter.draw(clock).expect("within the budget");
        }
        assert_eq!(
            TOLD.load(Relaxed),
            1,
            "told once, with what was drawn before"
        );
    }
}
