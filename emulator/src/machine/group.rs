//! A work-group: its waves take turns until all have ended.

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::time::Instant;

use super::forms;
use super::program::{Kind, Program};
use super::trap::{Fault, Stop, TrapKind};
use super::wave::{Env, Wave};

/// Instructions that a worker draws from the dispatch's budget at a time.
const SLICE: i64 = 1 << 16;
/// Instructions that a wave runs before another of its group gets a turn.
const TURN: i64 = 1 << 14;

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
        let left = self.instructions.fetch_sub(SLICE, Relaxed);
        if left <= 0 {
            let budget = format!("the budget of {} wave instructions", self.total);
            return Err(Fault::new(TrapKind::Hang { budget }));
        }
        if self.started.elapsed().as_secs_f64() > self.seconds {
            let budget = format!("the time limit of {} seconds", self.seconds);
            return Err(Fault::new(TrapKind::Hang { budget }));
        }
        Ok(SLICE.min(left))
    }

    fn give_back(&self, rest: i64) {
        self.instructions.fetch_add(rest, Relaxed);
    }

    /// Seconds since the start.
    pub fn elapsed(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }
}

/// What a worker has drawn and not yet used, and what it has counted.
pub struct Meter<'a> {
    budget: &'a Budget,
    left: i64,
    /// Instructions run, by kind.
    pub kinds: [u64; Kind::ALL.len()],
}

impl<'a> Meter<'a> {
    /// A meter that has drawn nothing.
    pub fn new(budget: &'a Budget) -> Meter<'a> {
        Meter {
            budget,
            left: 0,
            kinds: [0; Kind::ALL.len()],
        }
    }
}

impl Drop for Meter<'_> {
    fn drop(&mut self) {
        self.budget.give_back(self.left);
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
pub fn run(
    waves: &mut [Wave],
    env: &mut Env<'_>,
    programs: &[Program],
    meter: &mut Meter<'_>,
) -> Result<(), Failure> {
    let mut states = [State::Ready; 16];
    let states = &mut states[..waves.len()];
    loop {
        for (n, wave) in waves.iter_mut().enumerate() {
            if states[n] != State::Ready {
                continue;
            }
            let mut pc = wave.pc;
            states[n] = match turn(wave, env, programs, meter, &mut pc) {
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
fn turn(
    wave: &mut Wave,
    env: &mut Env<'_>,
    programs: &[Program],
    meter: &mut Meter<'_>,
    at: &mut u64,
) -> Result<(), Stop> {
    let mut program = find(programs, wave.pc)?;
    for _ in 0..TURN {
        if meter.left == 0 {
            meter.left = meter.budget.draw()?;
        }
        meter.left -= 1;
        *at = wave.pc;
        let op = match program.fetch(wave.pc) {
            Some(op) => op,
            None => {
                program = find(programs, wave.pc)?;
                program.fetch(wave.pc).ok_or_else(bad_pc)?
            }
        };
        if op.vgprs as usize > wave.vgprs {
            return Err(out_of_range(op.vgprs, wave.vgprs).into());
        }
        meter.kinds[op.kind as usize] += 1;
        env.clock += 1;
        wave.pc = wave.pc.wrapping_add(op.inst.size as u64);
        if wave.mode_bits() & forms::MODES != 0 {
            forms::run(wave, env, op)?;
            continue;
        }
        // SAFETY: the program picked the handler for a level that `Level::host` found on this host.
        unsafe { (op.handler)(wave, env, op) }?;
    }
    Ok(())
}

fn find(programs: &[Program], pc: u64) -> Result<&Program, Fault> {
    programs
        .iter()
        .find(|p| p.fetch(pc).is_some())
        .ok_or_else(bad_pc)
}

fn bad_pc() -> Fault {
    Fault::new(TrapKind::BadPc)
}

#[cold]
fn out_of_range(needed: u16, have: usize) -> Fault {
    let register = format!("v{} (the kernel asked for {have} VGPRs)", needed - 1);
    Fault::new(TrapKind::RegisterOutOfRange { register })
}
