//! A work-group: its waves take turns until all have ended.

mod stepping;

pub use super::budget::{Budget, Meter};
use super::env::Env;
use super::forms;
use super::observer::Observer;
use super::program::{Page, SegmentCode};
use super::spin::Spin;
use super::trap::{Fault, Stop, TrapKind};
use super::wave::Wave;
pub use stepping::Stepping;

/// Instructions of a wave's first turn: each wave of a group begins before any of them can end.
const FIRST_TURN: u64 = 1;

/// Rounds of turns after which a group has taken long: half a million instructions of each wave. A single wave runs so many as one turn.
pub const LONG: u64 = 1 << 12;

/// A fault, with the wave and the address of the instruction.
pub struct Failure {
    /// Fault of the wave.
    pub fault: Fault,
    /// Number of the wave within its group.
    pub wave: usize,
    /// Guest address of the instruction.
    pub pc: u64,
    /// The waiting of a group that has used up its budget.
    pub spin: Option<Box<Spin>>,
}

/// Condition of a wave between its turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaveState {
    /// The wave runs at its next turn.
    Ready,
    /// The wave waits at the group's barrier.
    AtBarrier,
    /// The wave waits at the grid's barrier, with the number of releases at its arrival.
    AtGrid(u64),
    /// The wave has ended.
    Ended,
}

/// Condition in which a group gives up its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupStop {
    /// All waves have ended.
    End,
    /// The permitted rounds are over.
    Rounds,
    /// All waves that have not ended are at the grid's barrier. The group waits until the number of releases exceeds this one.
    Grid(u64),
}

/// Progress of a group.
pub struct Progress {
    states: [WaveState; 16],
    round: u64,
}

impl Progress {
    /// Creates the progress of a group that begins.
    pub fn new() -> Progress {
        Progress {
            states: [WaveState::Ready; 16],
            round: 0,
        }
    }

    /// Returns the waves, of the first ones, that wait at the group's barrier.
    pub fn at_barrier(&self, waves: usize) -> Vec<u32> {
        let states = self.states[..waves].iter().zip(0..);
        let waiting = states.filter(|(state, _)| **state == WaveState::AtBarrier);
        waiting.map(|(_, wave)| wave).collect()
    }

    /// Returns the waves, of the first ones, that have ended.
    pub fn ended(&self, waves: usize) -> Vec<u32> {
        let states = self.states[..waves].iter().zip(0..);
        let ended = states.filter(|(state, _)| **state == WaveState::Ended);
        ended.map(|(_, wave)| wave).collect()
    }

    /// Returns a wave that waits at the grid's barrier.
    pub fn waiting(&self) -> usize {
        let waits = |state: &WaveState| matches!(state, WaveState::AtGrid(_));
        self.states.iter().position(waits).unwrap_or_default()
    }
}

/// Runs the waves of a group to their ends.
#[cfg(test)]
pub fn run<O: Observer>(
    waves: &mut [Wave],
    env: &mut Env<'_>,
    programs: &[SegmentCode],
    group: u64,
    meter: &mut Meter<'_>,
    observer: &mut O,
) -> Result<(), Failure> {
    let progress = &mut Progress::new();
    advance(
        waves,
        env,
        programs,
        group,
        meter,
        observer,
        progress,
        u64::MAX,
    )?;
    Ok(())
}

/// Runs the waves of a group for a number of rounds of turns.
#[expect(clippy::too_many_arguments, reason = "who runs, on what, how far")]
pub fn advance<O: Observer>(
    waves: &mut [Wave],
    env: &mut Env<'_>,
    programs: &[SegmentCode],
    group: u64,
    meter: &mut Meter<'_>,
    observer: &mut O,
    progress: &mut Progress,
    rounds: u64,
) -> Result<GroupStop, Failure> {
    let Progress { states, round } = progress;
    let states = &mut states[..waves.len()];
    // A single wave has no other to wait for, unless other groups are resident.
    let (schedule, usual) = (meter.budget.schedule(), meter.budget.turn());
    let alone = waves.len() == 1 && rounds >= LONG;
    let end = env.clock.saturating_add(rounds.saturating_mul(usual));
    for _ in 0..rounds {
        let (order, length) = schedule.round(waves.len(), group, *round, usual);
        let length = match *round {
            _ if alone => end - env.clock,
            0 => FIRST_TURN,
            _ => length,
        };
        *round += 1;
        for n in order.into_iter().map(usize::from).take(waves.len()) {
            match states[n] {
                WaveState::Ready => (),
                WaveState::AtGrid(passed) if env.grid.is_some_and(|g| g.released() != passed) => (),
                _ => continue,
            }
            let wave = &mut waves[n];
            let mut pc = wave.pc;
            states[n] = match turn(wave, env, programs, meter, length, observer, &mut pc) {
                Ok(()) | Err(Stop::Yield) => WaveState::Ready,
                Err(Stop::Barrier) => WaveState::AtBarrier,
                Err(Stop::Grid(passed)) => WaveState::AtGrid(passed),
                Err(Stop::End) => WaveState::Ended,
                Err(Stop::Fault(fault)) => {
                    return Err(Failure {
                        fault: *fault,
                        wave: n,
                        pc,
                        spin: None,
                    });
                }
            };
        }
        if states.iter().all(|s| *s == WaveState::Ended) {
            return Ok(GroupStop::End);
        }
        // Waves that have ended do not count for the barrier.
        if !states.contains(&WaveState::Ready) {
            let at_grid = states.iter().find_map(|state| match state {
                WaveState::AtGrid(passed) => Some(*passed),
                _ => None,
            });
            if let Some(passed) = at_grid {
                return Ok(GroupStop::Grid(passed));
            }
            states
                .iter_mut()
                .filter(|s| **s == WaveState::AtBarrier)
                .for_each(|s| *s = WaveState::Ready);
        }
        if alone && env.clock >= end {
            break;
        }
    }
    Ok(GroupStop::Rounds)
}

/// Runs a wave until it stops or its turn is over. `at` follows the address of the running instruction.
#[inline(always)]
fn turn<O: Observer>(
    wave: &mut Wave,
    env: &mut Env<'_>,
    programs: &[SegmentCode],
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
            wave.pc = at.wrapping_add(op.size.into());
            observer.before(wave, op, *at);
            let outcome = if op.vgprs > wave.limit() {
                forms::run(wave, env, op)
            } else {
                // SAFETY: the program chose the handler for a level that `Level::host` found on this host.
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

fn find(programs: &[SegmentCode], pc: u64) -> Result<Page<'_>, Fault> {
    let page = programs.iter().find_map(|p| p.page(pc));
    page.ok_or_else(|| Fault::new(TrapKind::BadPc))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::op::Op;
    use crate::machine::{TURN, rig};

    /// Wave that executed each instruction.
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

    /// A short wave once ended before the next wave of its group began. Code that every card runs correctly then always failed, and the
    /// reverse.
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
