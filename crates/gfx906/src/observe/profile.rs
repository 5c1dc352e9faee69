//! Profile of dispatches: instructions by kind, enabled lanes and moved bytes.

use super::Observer;
use crate::isa::{Properties, Role};
use crate::machine::shapes::resource::Resource;
use crate::machine::{Kind, LANES, MemoryPath, Op, PRIVATE_BASE, SHARED_BASE, Wave};

/// Kind of memory in the counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Space {
    /// Device memory that vector instructions access.
    Memory,
    /// Scratch of the work-items.
    Scratch,
    /// LDS of the work-groups.
    Lds,
    /// Device memory that scalar instructions access.
    Scalar,
}

impl Space {
    /// Every kind, in the order of their numbers.
    pub const ALL: [Space; 4] = [Space::Memory, Space::Scratch, Space::Lds, Space::Scalar];

    /// Returns the name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Space::Memory => "memory",
            Space::Scratch => "scratch",
            Space::Lds => "lds",
            Space::Scalar => "scalar",
        }
    }
}

/// Bytes that instructions request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bytes {
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
}

/// Counts of what dispatches did.
///
/// An instruction counts when it begins, even if it then traps. Bytes are those that instructions request: the bytes of an element for each
/// enabled lane (for the wave, where scalar), whether or not a cache would have them and whether or not lanes access the same bytes. An
/// atomic reads and writes its element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    kinds: [u64; Kind::ALL.len()],
    lanes: u64,
    bytes: [Bytes; Space::ALL.len()],
    barriers: u64,
    taken: u64,
}

impl Profile {
    /// Iterates over the names of the kinds and their numbers of wave instructions.
    pub fn by_kind(&self) -> impl Iterator<Item = (&'static str, u64)> {
        Kind::ALL
            .iter()
            .map(|k| (k.name(), self.kinds[*k as usize]))
    }

    /// Returns the number of wave instructions of a kind.
    pub fn instructions(&self, kind: Kind) -> u64 {
        self.kinds[kind as usize]
    }

    /// Returns the number of wave instructions that work per lane: vector ALU, vector memory, LDS and lane exchanges.
    pub fn vector_instructions(&self) -> u64 {
        let kinds = [Kind::Valu, Kind::Vmem, Kind::Lds];
        kinds.iter().map(|&kind| self.instructions(kind)).sum()
    }

    /// Returns the number of enabled lanes, summed over the vector instructions.
    pub fn active_lanes(&self) -> u64 {
        self.lanes
    }

    /// Returns the share of enabled lanes in vector instructions, from 0 to 1, or `None` if there were no vector instructions.
    pub fn lane_utilisation(&self) -> Option<f64> {
        let lanes = self.vector_instructions() * LANES as u64;
        (lanes != 0).then(|| self.lanes as f64 / lanes as f64)
    }

    /// Returns the bytes read and written in a kind of memory.
    pub fn bytes(&self, space: Space) -> Bytes {
        self.bytes[space as usize]
    }

    /// Returns the number of executed s_barrier instructions.
    pub fn barriers(&self) -> u64 {
        self.barriers
    }

    /// Returns the number of branches, jumps and calls after which a wave did not continue with the next instruction.
    pub fn branches_taken(&self) -> u64 {
        self.taken
    }

    /// Adds another profile's numbers.
    pub fn add(&mut self, other: &Profile) {
        for (sum, n) in self.kinds.iter_mut().zip(other.kinds) {
            *sum += n;
        }
        for (sum, bytes) in self.bytes.iter_mut().zip(other.bytes) {
            sum.read += bytes.read;
            sum.written += bytes.written;
        }
        self.lanes += other.lanes;
        self.barriers += other.barriers;
        self.taken += other.taken;
    }

    fn moved(&mut self, space: Space, op: &Op, times: u32) {
        let bytes = &mut self.bytes[space as usize];
        bytes.read += u64::from(op.traffic.read) * u64::from(times);
        bytes.written += u64::from(op.traffic.written) * u64::from(times);
    }

    /// Counts the bytes of a memory instruction.
    fn memory(&mut self, wave: &Wave, op: &Op) {
        let on = wave.lanes_on();
        let lanes = on.count_ones();
        match op.traffic.way {
            MemoryPath::None => {}
            MemoryPath::Scalar => self.moved(Space::Scalar, op, 1),
            MemoryPath::Global | MemoryPath::Image => self.moved(Space::Memory, op, lanes),
            MemoryPath::Scratch => self.moved(Space::Scratch, op, lanes),
            MemoryPath::Lds => self.moved(Space::Lds, op, lanes),
            MemoryPath::LdsOnce => self.moved(Space::Lds, op, lanes.min(1)),
            MemoryPath::Buffer => {
                let scratch = Resource::read(wave, op.by_role(Role::Sbase)).is_scratch();
                let space = if scratch {
                    Space::Scratch
                } else {
                    Space::Memory
                };
                self.moved(space, op, lanes);
            }
            MemoryPath::Flat => {
                let high = &wave.v[usize::from(op.plan.addr) + 1];
                let (mut shared, mut private, mut left) = (0, 0, on);
                while left != 0 {
                    let high = u64::from(high[left.trailing_zeros() as usize]);
                    shared += u32::from(high == SHARED_BASE >> 32);
                    private += u32::from(high == PRIVATE_BASE >> 32);
                    left &= left - 1;
                }
                self.moved(Space::Lds, op, shared);
                self.moved(Space::Scratch, op, private);
                self.moved(Space::Memory, op, lanes - shared - private);
            }
        }
        if op.traffic.with_lds {
            let dwords = 4 * u64::from(lanes);
            let lds = &mut self.bytes[Space::Lds as usize];
            if op.traffic.written == 0 {
                lds.written += dwords;
            } else {
                lds.read += dwords;
            }
        }
    }
}

impl Observer for Profile {
    fn fork(&self) -> Option<Profile> {
        Some(Profile::default())
    }

    fn join(&mut self, worker: Profile) {
        self.add(&worker);
    }

    #[inline]
    fn before(&mut self, wave: &Wave, op: &Op, _: u64) {
        self.kinds[op.kind as usize] += 1;
        match op.kind {
            Kind::Valu => self.lanes += u64::from(wave.lanes_on().count_ones()),
            Kind::Vmem | Kind::Lds => {
                self.lanes += u64::from(wave.lanes_on().count_ones());
                self.memory(wave, op);
            }
            Kind::Smem => self.memory(wave, op),
            Kind::Control if op.has(Properties::BARRIER) => self.barriers += 1,
            Kind::Control | Kind::Salu | Kind::Branch => {}
        }
    }

    #[inline]
    fn after(&mut self, wave: &Wave, op: &Op, pc: u64) {
        if op.kind == Kind::Branch && wave.pc != pc.wrapping_add(op.size.into()) {
            self.taken += 1;
        }
    }
}
