//! A work-group that runs one instruction at a time, in the order of [`super::advance`].

use super::{FIRST_TURN, Failure, Meter, WaveState, turn};
use crate::machine::env::Env;
use crate::machine::observer::Nobody;
use crate::machine::program::SegmentCode;
use crate::machine::trap::Stop;
use crate::machine::wave::Wave;

/// Progress of a group between two of its instructions.
#[derive(Clone)]
pub struct Stepping {
    states: [WaveState; 16],
    waves: usize,
    /// Number of the group, by which a random schedule orders its waves.
    group: u64,
    /// Number of rounds that have begun.
    round: u64,
    order: [u8; 16],
    /// Position in the order of the wave whose turn it is.
    position: usize,
    /// Instructions of a turn of this round.
    length: u64,
    /// Instructions that are left of the turn.
    left: u64,
}

impl Stepping {
    /// Creates the progress of a group that begins.
    pub fn new(waves: usize, group: u64) -> Stepping {
        Stepping {
            states: [WaveState::Ready; 16],
            waves,
            group,
            round: 0,
            order: [0; 16],
            position: waves,
            length: 0,
            left: 0,
        }
    }

    /// Returns the condition of a wave.
    pub fn state(&self, wave: usize) -> WaveState {
        self.states
            .get(wave)
            .map_or(WaveState::Ended, |state| *state)
    }

    /// Goes on to the next turn that has an instruction, and returns its wave. Returns `None` if all waves have ended.
    pub fn next(&mut self, meter: &Meter<'_>) -> Option<usize> {
        let count = self.waves;
        loop {
            if let Some(&wave) = self.order[..count].get(self.position) {
                let wave = usize::from(wave);
                if self.left > 0 && self.states[wave] == WaveState::Ready {
                    return Some(wave);
                }
                self.position += 1;
                self.left = self.length;
                continue;
            }
            let states = &mut self.states[..count];
            if states.iter().all(|state| *state == WaveState::Ended) {
                return None;
            }
            // Waves that have ended do not count for the barrier.
            if !states.contains(&WaveState::Ready) {
                let waiting = states.iter_mut().filter(|s| **s == WaveState::AtBarrier);
                waiting.for_each(|state| *state = WaveState::Ready);
            }
            let (schedule, usual) = (meter.budget.schedule(), meter.budget.turn());
            let (order, length) = schedule.round(count, self.group, self.round, usual);
            self.order = order;
            self.length = match self.round {
                _ if count == 1 => u64::MAX,
                0 => FIRST_TURN,
                _ => length,
            };
            self.round += 1;
            (self.position, self.left) = (0, self.length);
        }
    }

    /// Runs an instruction of the wave that [`Stepping::next`] has returned.
    pub fn step(
        &mut self,
        wave: usize,
        waves: &mut [Wave],
        env: &mut Env<'_>,
        programs: &[SegmentCode],
        meter: &mut Meter<'_>,
    ) -> Result<(), Failure> {
        let running = &mut waves[wave];
        let mut pc = running.pc;
        let outcome = turn(running, env, programs, meter, 1, &mut Nobody, &mut pc);
        self.left = self.left.saturating_sub(1);
        let state = match outcome {
            Ok(()) => return Ok(()),
            Err(Stop::Yield) => WaveState::Ready,
            Err(Stop::Barrier) => WaveState::AtBarrier,
            Err(Stop::Grid(passed)) => WaveState::AtGrid(passed),
            Err(Stop::End) => WaveState::Ended,
            Err(Stop::Fault(fault)) => {
                let fault = *fault;
                return Err(Failure {
                    fault,
                    wave,
                    pc,
                    spin: None,
                });
            }
        };
        self.states[wave] = state;
        self.left = 0;
        Ok(())
    }
}
