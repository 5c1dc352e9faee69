//! A work-group: its waves take turns until all have ended.

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::time::Instant;

use super::forms;
use super::program::{Page, Program};
use super::trap::{Fault, Stop, TrapKind};
use super::wave::{Env, Wave};
use crate::observe::Observer;

/// Instructions that a worker draws from the dispatch's budget at a time, at most.
const SLICE: i64 = 1 << 16;
/// The part of the budget that it draws at most: what one has drawn, others find used up.
const PART: u64 = 256;
/// Instructions that a wave runs before another of its group gets a turn.
const TURN: u64 = 1 << 14;

/// What a dispatch may use up.
pub struct Budget {
    instructions: AtomicI64,
    total: u64,
    seconds: f64,
    started: Instant,
}

impl Budget {
    /// A budget that starts now.
    pub fn new(instructions: u64, seconds: f64) -> Budget {
        Budget {
            instructions: AtomicI64::new(instructions.min(i64::MAX as u64) as i64),
            total: instructions,
            seconds,
            started: Instant::now(),
        }
    }

    /// Draws a slice; the fault says which budget is used up.
    fn draw(&self) -> Result<i64, Fault> {
        let slice = (self.total / PART).clamp(1, SLICE as u64) as i64;
        let left = self.instructions.fetch_sub(slice, Relaxed);
        if left <= 0 {
            let budget = format!("the budget of {} wave instructions", self.total);
            return Err(Fault::new(TrapKind::Hang { budget }));
        }
        if self.started.elapsed().as_secs_f64() > self.seconds {
            let budget = format!("the time limit of {} seconds", self.seconds);
            return Err(Fault::new(TrapKind::Hang { budget }));
        }
        Ok(slice.min(left))
    }

    fn give_back(&self, rest: i64) {
        self.instructions.fetch_add(rest, Relaxed);
    }

    /// Seconds since the start.
    pub fn elapsed(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }
}

/// What a worker has drawn and not yet used up, in terms of its clock.
pub struct Meter<'a> {
    budget: &'a Budget,
    /// The clock at which what it has drawn is used up.
    until: u64,
}

impl<'a> Meter<'a> {
    /// A meter that has drawn nothing.
    pub fn new(budget: &'a Budget) -> Meter<'a> {
        Meter { budget, until: 0 }
    }

    /// Gives back what is left at the end.
    pub fn close(self, clock: u64) {
        self.budget
            .give_back(self.until.saturating_sub(clock) as i64);
    }
}

/// A fault and the wave that it befell, at the address of the instruction.
pub struct Failure {
    /// What went wrong.
    pub fault: Fault,
    /// The wave within its group.
    pub wave: usize,
    /// Guest address of the instruction.
    pub pc: u64,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Ready,
    AtBarrier,
    Ended,
}

/// Runs the waves of a group to their ends.
pub fn run<O: Observer>(
    waves: &mut [Wave],
    env: &mut Env<'_>,
    programs: &[Program],
    meter: &mut Meter<'_>,
    observer: &mut O,
) -> Result<(), Failure> {
    let mut states = [State::Ready; 16];
    let states = &mut states[..waves.len()];
    loop {
        for (n, wave) in waves.iter_mut().enumerate() {
            if states[n] != State::Ready {
                continue;
            }
            let mut pc = wave.pc;
            states[n] = match turn(wave, env, programs, meter, observer, &mut pc) {
                Ok(()) | Err(Stop::Yield) => State::Ready,
                Err(Stop::Barrier) => State::AtBarrier,
                Err(Stop::End) => State::Ended,
                Err(Stop::Fault(fault)) => {
                    return Err(Failure {
                        fault: *fault,
                        wave: n,
                        pc,
                    });
                }
            };
        }
        if states.iter().all(|s| *s == State::Ended) {
            return Ok(());
        }
        // Waves that have ended no longer count for the barrier.
        if !states.contains(&State::Ready) {
            states
                .iter_mut()
                .filter(|s| **s == State::AtBarrier)
                .for_each(|s| *s = State::Ready);
        }
    }
}

/// Runs a wave until it stops or its turn is over; `at` follows the address of the instruction that runs.
#[inline(always)]
fn turn<O: Observer>(
    wave: &mut Wave,
    env: &mut Env<'_>,
    programs: &[Program],
    meter: &mut Meter<'_>,
    observer: &mut O,
    at: &mut u64,
) -> Result<(), Stop> {
    let mut page = Page::default();
    let end = env.clock + TURN;
    loop {
        let until = end.min(meter.until);
        while env.clock < until {
            *at = wave.pc;
            let Some(op) = page.fetch(wave.pc) else {
                page = find(programs, wave.pc)?;
                continue;
            };
            env.clock += 1;
            wave.pc = at.wrapping_add(op.inst.size.into());
            observer.before(wave, op, *at);
            let outcome = if op.vgprs > wave.limit() {
                forms::run(wave, env, op)
            } else {
                // SAFETY: the program picked the handler for a level that `Level::host` found on this host.
                unsafe { (op.handler)(wave, env, op) }
            };
            if !matches!(outcome, Err(Stop::Fault(_))) {
                observer.after(wave, op, *at);
            }
            outcome?;
        }
        if env.clock >= end {
            return Ok(());
        }
        *at = wave.pc;
        meter.until = env.clock + meter.budget.draw()? as u64;
    }
}

fn find(programs: &[Program], pc: u64) -> Result<Page<'_>, Fault> {
    let page = programs.iter().find_map(|p| p.page(pc));
    page.ok_or_else(|| Fault::new(TrapKind::BadPc))
}
