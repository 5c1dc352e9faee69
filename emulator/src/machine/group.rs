//! A work-group: its waves take turns until all have ended.

pub use super::budget::{Budget, Meter};
use super::env::Env;
use super::forms;
use super::observer::Observer;
use super::program::{Page, Program};
use super::trap::{Fault, Stop, TrapKind};
use super::wave::Wave;

/// Instructions of a wave's first turn: each wave of a group has begun before one can end.
const FIRST_TURN: u64 = 1;

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
    group: u64,
    meter: &mut Meter<'_>,
    observer: &mut O,
) -> Result<(), Failure> {
    let mut states = [State::Ready; 16];
    let states = &mut states[..waves.len()];
    // A wave that is alone has nobody to wait for.
    let (schedule, usual) = (meter.budget.schedule(), meter.budget.turn());
    for round in 0.. {
        let (order, length) = schedule.round(waves.len(), group, round, usual);
        let length = match (waves.len(), round) {
            (1, _) => u64::MAX,
            (_, 0) => FIRST_TURN,
            _ => length,
        };
        for n in order.into_iter().map(usize::from).take(waves.len()) {
            if states[n] != State::Ready {
                continue;
            }
            let wave = &mut waves[n];
            let mut pc = wave.pc;
            states[n] = match turn(wave, env, programs, meter, length, observer, &mut pc) {
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
            break;
        }
        // Waves that have ended no longer count for the barrier.
        if !states.contains(&State::Ready) {
            states
                .iter_mut()
                .filter(|s| **s == State::AtBarrier)
                .for_each(|s| *s = State::Ready);
        }
    }
    Ok(())
}

/// Runs a wave until it stops or its turn is over; `at` follows the address of the instruction that runs.
#[inline(always)]
fn turn<O: Observer>(
    wave: &mut Wave,
    env: &mut Env<'_>,
    programs: &[Program],
    meter: &mut Meter<'_>,
    length: u64,
    observer: &mut O,
    at: &mut u64,
) -> Result<(), Stop> {
    let mut page = Page::default();
    let end = env.clock.saturating_add(length);
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
        meter.draw(env.clock)?;
    }
}

fn find(programs: &[Program], pc: u64) -> Result<Page<'_>, Fault> {
    let page = programs.iter().find_map(|p| p.page(pc));
    page.ok_or_else(|| Fault::new(TrapKind::BadPc))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::op::Op;
    use crate::machine::{TURN, rig};

    /// Which wave ran each instruction.
    #[derive(Default)]
    struct Order(Vec<u32>);

    impl Observer for Order {
        fn fork(&self) -> Option<Order> {
            None
        }
        fn join(&mut self, _: Order) {}
        fn before(&mut self, wave: &Wave, _: &Op, _: u64) {
            self.0.push(wave.index);
        }
    }

    fn order(waves: usize, nops: usize) -> Vec<u32> {
        let mut order = Order::default();
        let trap = rig::run(&"bf800000 ".repeat(nops), waves, |_| {}, &mut order);
        assert_eq!(trap, None);
        order.0
    }

    /// A short wave ended before the next of its group began: code that no card would catch always failed, and the other way round.
    #[test]
    fn every_wave_has_begun_before_one_ends_and_none_runs_for_long() {
        for waves in [2, 4, 16] {
            for nops in [1, 20, 500] {
                let order = order(waves, nops);
                let begun: Vec<u32> = (0..waves as u32).collect();
                assert_eq!(order[..waves], begun, "{waves} waves of {nops}");
                let turns = order.chunk_by(|a, b| a == b);
                let longest = turns.map(<[u32]>::len).max().expect("turns");
                assert!(
                    longest <= TURN as usize,
                    "{waves} waves of {nops}: {longest}"
                );
            }
        }
    }

    #[test]
    fn a_wave_that_is_alone_runs_to_its_end() {
        assert_eq!(order(1, 1000), [0; 1001]);
    }
}
