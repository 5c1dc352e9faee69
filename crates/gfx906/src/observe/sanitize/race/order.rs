//! Order between the accesses of a group: barriers and atomics between its waves, and the values that it has seen of other groups.

use std::collections::HashMap;

use super::super::{Part, Space};
use super::cell::{Conflict, Mark};
use super::global::DeviceAccesses;

/// Largest number of waves of a group.
const WAVES: usize = 16;

/// Progress of each wave, as one wave knows it.
type Clocks = [u32; WAVES];

/// The launch's clock when a wave last saw values that other groups have released; none if it never has.
type ReleaseClock = Option<u64>;

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
    seen: ReleaseClock,
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
    /// Released knowledge at each place.
    places: HashMap<(bool, u64), (Clocks, ReleaseClock)>,
    /// Knowledge of other groups that the waves brought to each barrier. Those that have passed it share it.
    brought: Vec<ReleaseClock>,
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
            brought: vec![None],
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
        let seen = self.seen(wave);
        let state = &mut self.waves[wave];
        state.epoch += 1;
        state.segment = 0;
        let epoch = state.epoch as usize;
        if self.brought.len() <= epoch {
            self.brought.resize(epoch + 1, None);
        }
        self.brought[epoch] = self.brought[epoch].max(seen);
    }

    /// Returns what a wave knows of other groups: what it has seen itself, and what any wave had seen before the last barrier.
    fn seen(&self, wave: usize) -> ReleaseClock {
        let state = &self.waves[wave];
        state.seen.max(self.brought[state.epoch as usize])
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
        let seen = self.seen(wave);
        let state = &mut self.waves[wave];
        for (_, at) in part.places() {
            let key = (part.space == Space::Lds, at & !3);
            let (clocks, released) = self.places.entry(key).or_default();
            for (place, own) in clocks.iter_mut().zip(state.clocks) {
                *place = own.max(*place);
            }
            *released = seen.max(*released);
        }
        state.clocks[wave % WAVES] += 1;
        state.segment = 0;
    }

    /// Records that a wave has seen the value at an address.
    pub fn acquire(&mut self, wave: usize, part: &Part, shared: &DeviceAccesses) {
        for (_, at) in part.places() {
            let key = (part.space == Space::Lds, at & !3);
            if let Some((clocks, seen)) = self.places.get(&key) {
                let state = &mut self.waves[wave];
                let own = state.clocks.iter_mut();
                own.zip(clocks)
                    .for_each(|(own, place)| *own = *place.max(own));
                state.seen = state.seen.max(*seen);
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
                let state = &mut self.waves[wave];
                state.seen = state.seen.max(Some(0));
            } else {
                self.follow(wave, writer);
            }
        }
    }

    /// Records that a wave finds a value that a wave of this group stored.
    pub fn follow(&mut self, wave: usize, writer: Mark) {
        let Some(&theirs) = self.segments.get(writer.segment as usize - 1) else {
            return;
        };
        let seen = self.seen(theirs.wave.into());
        let state = &mut self.waves[wave];
        let known = &mut state.clocks[usize::from(theirs.wave) % WAVES];
        *known = theirs.clock.max(*known);
        state.seen = state.seen.max(seen);
    }

    /// Returns true if an access of another group is ordered before a wave of this group.
    pub fn any_comes_after(&self, mark: Mark, shared: &DeviceAccesses) -> bool {
        let seen = self.waves.iter().filter_map(|wave| wave.seen).max();
        shared.ordered(mark, self.number, seen)
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
            return !shared.ordered(mark, number, self.seen(wave));
        }
        let Some(theirs) = self.segments.get(mark.segment as usize - 1) else {
            return false;
        };
        let own = &self.waves[wave];
        let other = usize::from(theirs.wave);
        other != wave && theirs.epoch == own.epoch && own.clocks[other % WAVES] < theirs.clock
    }
}
