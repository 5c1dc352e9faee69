//! Order between the accesses of a group: barriers and atomics between its waves, and the values that it has seen of other groups.

use std::collections::HashMap;

use super::super::{Part, Space};
use super::cell::{Conflict, Mark};
use super::global::DeviceAccesses;

/// Largest number of waves of a group.
const WAVES: usize = 16;

/// Progress of each wave, as one wave knows it.
type Clocks = [u32; WAVES];

/// A stretch of a wave between two barriers or atomics.
#[derive(Clone, Copy, Debug, Default)]
struct Segment {
    wave: u8,
    /// Number of barriers that the wave has passed.
    epoch: u32,
    /// Number of atomics that the wave has run.
    clock: u32,
}

#[derive(Clone, Debug, Default)]
struct WaveProgress {
    epoch: u32,
    /// Progress of all waves that this wave knows of, including its own clock.
    clocks: Clocks,
    /// Number of the wave's stretch; 0 if a new one must begin.
    segment: u32,
    /// The launch's clock when the wave last saw released values.
    seen: Option<u64>,
    /// True if the wave is at the grid's barrier. When it continues, all groups have arrived.
    at_grid: bool,
}

/// The running group.
#[derive(Default)]
pub struct Group {
    /// Number of the group in the grid.
    pub number: u32,
    waves: Vec<WaveProgress>,
    segments: Vec<Segment>,
    /// Clocks that were released at each place.
    places: HashMap<(bool, u64), Clocks>,
}

impl Group {
    /// Creates a group that begins.
    pub fn new(number: u32, waves: usize) -> Group {
        let wave = |n: usize| {
            let mut clocks = [0; WAVES];
            clocks[n % WAVES] = 1;
            WaveProgress {
                clocks,
                ..WaveProgress::default()
            }
        };
        Group {
            number,
            waves: (0..waves).map(wave).collect(),
            segments: Vec::new(),
            places: HashMap::new(),
        }
    }

    /// Returns the stretch of a wave, from 1.
    pub fn segment(&mut self, wave: usize) -> u32 {
        let state = &mut self.waves[wave];
        if state.segment == 0 {
            self.segments.push(Segment {
                wave: wave as u8,
                epoch: state.epoch,
                clock: state.clocks[wave % WAVES],
            });
            state.segment = self.segments.len() as u32;
        }
        state.segment
    }

    /// Returns the wave of a stretch.
    pub fn wave_of(&self, segment: u32) -> u32 {
        let found = self.segments.get(segment as usize - 1);
        found.map_or(0, |segment| segment.wave.into())
    }

    /// Records that a wave arrives at a barrier.
    pub fn barrier(&mut self, wave: usize) {
        let state = &mut self.waves[wave];
        state.epoch += 1;
        state.segment = 0;
        // After the barrier, every wave of the group is ordered after everything that any of the waves had seen.
        let seen = self.waves.iter().filter_map(|wave| wave.seen).max();
        self.waves[wave].seen = seen;
    }

    /// Records that a wave arrives at the grid's barrier.
    pub fn come_to_grid(&mut self, wave: usize, shared: &DeviceAccesses) {
        let segment = self.segment(wave);
        shared.release(self.number, segment);
        let state = &mut self.waves[wave];
        state.segment = 0;
        state.at_grid = true;
    }

    /// Records that a wave continues. Behind the grid's barrier it has seen all earlier actions of all groups.
    #[inline]
    pub fn go_on(&mut self, wave: usize, shared: &DeviceAccesses) {
        let state = &mut self.waves[wave];
        if std::mem::take(&mut state.at_grid) {
            state.seen = Some(shared.now());
        }
    }

    /// Records that a wave is about to run an atomic operation.
    pub fn release(&mut self, wave: usize, part: &Part, shared: &DeviceAccesses) {
        let segment = self.segment(wave);
        if part.space == Space::Global {
            shared.release(self.number, segment);
        }
        let state = &mut self.waves[wave];
        for (_, at) in part.places() {
            let key = (part.space == Space::Lds, at & !3);
            let place = self.places.entry(key).or_default();
            for (place, own) in place.iter_mut().zip(state.clocks) {
                *place = own.max(*place);
            }
        }
        state.clocks[wave % WAVES] += 1;
        state.segment = 0;
    }

    /// Records that a wave has seen the value at an address.
    pub fn acquire(&mut self, wave: usize, part: &Part, shared: &DeviceAccesses) {
        for (_, at) in part.places() {
            let key = (part.space == Space::Lds, at & !3);
            if let Some(place) = self.places.get(&key) {
                let own = &mut self.waves[wave].clocks;
                own.iter_mut()
                    .zip(place)
                    .for_each(|(own, place)| *own = *place.max(own));
            }
        }
        if part.space == Space::Global {
            self.find(wave, part, shared, |_| true);
            self.waves[wave].seen = Some(shared.now());
        }
    }

    /// Records that a wave finds the values of those last writers of a part of device memory that `releases` selects.
    pub fn find(
        &mut self,
        wave: usize,
        part: &Part,
        shared: &DeviceAccesses,
        releases: fn(Mark) -> bool,
    ) {
        if part.space != Space::Global {
            return;
        }
        let writers = shared.writers(part).into_iter();
        for (_, writer) in writers.filter(|(_, writer)| releases(*writer)) {
            if writer.group != self.number {
                shared.found(self.number, writer);
            } else if let Some(&theirs) = self.segments.get(writer.segment as usize - 1) {
                let known = &mut self.waves[wave].clocks[usize::from(theirs.wave) % WAVES];
                *known = theirs.clock.max(*known);
            }
        }
    }

    /// Returns true if nothing orders an earlier access before an access of a wave now.
    pub fn unordered(
        &self,
        wave: usize,
        met: &Conflict,
        number: u32,
        space: Space,
        shared: &DeviceAccesses,
    ) -> bool {
        let mark = met.mark;
        if mark.group != number {
            // Only LDS has stale marks, of earlier groups; in memory the mark belongs to another group.
            if space != Space::Global {
                return false;
            }
            let seen = self.waves.iter().filter_map(|wave| wave.seen).max();
            return !shared.ordered(mark, number, seen);
        }
        let Some(theirs) = self.segments.get(mark.segment as usize - 1) else {
            return false;
        };
        let own = &self.waves[wave];
        let other = usize::from(theirs.wave);
        other != wave && theirs.epoch == own.epoch && own.clocks[other % WAVES] < theirs.clock
    }
}
