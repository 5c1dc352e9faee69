//! Costs: the load that a dispatch puts on the pipes of an MI50's compute units, by instruction and by group.
//!
//! Everything is counted. Only [`chain`] computes times, from latencies that the caller supplies.

pub mod banks;
pub mod chain;
pub mod class;
pub mod lines;
mod site;
#[cfg(test)]
mod tests;

pub use banks::Cycles;
pub use chain::{Clocks, Latencies, Path};
pub use class::Class;
pub use lines::LineCounts;
pub use site::{Example, Site};

use super::touched::TouchedBytes;
use super::{Bytes, DispatchStart, Group, Observer};
use crate::machine::access::{self, Access, Part};
use crate::machine::shapes::addresses::place;
use crate::machine::{Op, Wave};
use chain::Chains;
use lines::Lines;

/// Cycles of a lane exchange: two turns of 32 lanes, like the read of a dword.
const EXCHANGED: Cycles = Cycles { taken: 2, ideal: 2 };

/// Work that one work-group asks of its compute unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupCost {
    /// Number of the group in the grid.
    pub number: u64,
    /// Cycles of the vector ALU per wave.
    pub valu: Vec<u64>,
    /// Cycles of the LDS pipe.
    pub lds: u64,
    /// Number of 64-byte lines that vector memory instructions request.
    pub lines: u64,
    /// Number of scalar, branch, barrier and control instructions.
    pub scalar: u64,
    /// Path of the wave that ends last if the group has the compute unit to itself, on each clock.
    pub chain: [Path; 2],
}

/// Costs of dispatches. One observer serves one launch, or several launches of one code object together.
#[derive(Clone)]
pub struct Costs {
    latencies: Latencies,
    base: u64,
    grid: [u32; 3],
    kernarg: std::ops::Range<u64>,
    sites: Vec<Option<Box<Site>>>,
    groups: Vec<GroupCost>,
    touched: TouchedBytes,
    /// The running group.
    group: Option<GroupCost>,
    scratch: (u64, u64),
    chains: Chains,
    access: Access,
    lines: Lines,
}

impl Costs {
    /// Creates an empty record whose chains have these latencies.
    pub fn new(latencies: Latencies) -> Costs {
        Costs {
            latencies,
            base: 0,
            grid: [1; 3],
            kernarg: 0..0,
            sites: Vec::new(),
            groups: Vec::new(),
            touched: TouchedBytes::default(),
            group: None,
            scratch: (0, 0),
            chains: Chains::default(),
            access: Access::default(),
            lines: Lines::default(),
        }
    }

    /// Returns the work-groups, by number.
    pub fn groups(&self) -> Vec<&GroupCost> {
        let mut groups: Vec<&GroupCost> = self.groups.iter().chain(&self.group).collect();
        groups.sort_by_key(|group| group.number);
        groups
    }

    /// Iterates over the executed instructions, by link address.
    pub fn sites(&self) -> impl Iterator<Item = (u64, &Site)> {
        let sites = self.sites.iter().zip(0u64..);
        sites.filter_map(|(site, at)| Some((4 * at, &**site.as_ref()?)))
    }

    /// Returns the number of wave instructions of a class.
    pub fn instructions(&self, class: Class) -> u64 {
        let of = self.sites().filter(|(_, site)| site.class == class);
        of.map(|(_, site)| site.count).sum()
    }

    /// Returns the number of distinct bytes of device memory that were read and written, without the kernel's arguments.
    pub fn bytes(&self) -> Bytes {
        self.touched.bytes()
    }

    /// Returns the bytes of the 64-byte lines that contain these bytes.
    pub fn bytes_of_lines(&self) -> Bytes {
        self.touched.in_lines()
    }

    fn flush(&mut self) {
        if let Some(mut group) = self.group.take() {
            group.chain = self.chains.end();
            self.groups.push(group);
        }
    }

    /// Closes the record of the last group.
    pub fn finish(&mut self) {
        self.flush();
    }

    #[cold]
    fn learn(&mut self, op: &Op, at: usize) {
        if at >= self.sites.len() {
            self.sites.resize_with(at + 1, || None);
        }
        self.sites[at] = Some(Box::new(Site::new(op)));
    }

    /// Returns the LDS cycles and the lines of an instruction that is about to run.
    fn memory(&mut self, wave: &Wave, op: &Op, at: usize) -> (u64, u64) {
        let scratch = self.scratch.0 + u64::from(wave.index) * self.scratch.1;
        access::accesses(wave, op, scratch, &mut self.access);
        let Some(site) = self.sites.get_mut(at).and_then(Option::as_mut) else {
            return (0, 0);
        };
        let number = self.group.as_ref().map_or(0, |group| group.number);
        let (mut cycles, mut asked) = (Cycles::default(), LineCounts::default());
        let atomic = self.access.atomic;
        self.lines.clear();
        // Loads and stores through buffers consist of adjacent dwords, which form one access.
        for part in &self.access.parts {
            let lanes = if part.scalar { 1 } else { part.lanes };
            match part.space {
                access::Space::Lds => {
                    let one = banks::cycles(part.lanes, &part.at, part.bytes, atomic);
                    cycles.add(one);
                    site.remember(one.taken - one.ideal, number, || {
                        example(part, one.taken - one.ideal, number)
                    });
                }
                access::Space::Global => self.lines.add_lanes(lanes, &part.at, part.bytes),
                access::Space::Scratch => {}
            }
        }
        self.lines.merge();
        let mut parts = self.access.parts.iter();
        let global = parts.find(|part| part.space == access::Space::Global);
        let kernarg = |part: &&Part| part.scalar && self.kernarg.contains(&part.at[0]);
        if let Some(part) = global.filter(|part| !kernarg(part)) {
            self.touched.add(&self.lines, part.reads, part.writes);
        }
        if site.class == Class::Vmem {
            add_scratch(&mut self.lines, &self.access.parts, scratch);
            asked = self.lines.asked();
            if let Some(part) = global {
                let excess = asked.lines - asked.ideal;
                site.remember(excess, number, || example(part, excess, number));
            }
        }
        if site.class == Class::Exchange {
            cycles = EXCHANGED;
        }
        site.lds.add(cycles);
        site.memory.add(asked);
        (cycles.taken, asked.lines)
    }
}

/// Adds the lines of scratch accesses at their place in memory, dword by dword. The dwords of the lanes are adjacent.
fn add_scratch(lines: &mut Lines, parts: &[Part], start: u64) {
    let parts = parts
        .iter()
        .filter(|part| part.space == access::Space::Scratch);
    for part in parts {
        for (lane, at) in part.places() {
            for k in 0..part.bytes.div_ceil(4) {
                let bytes = (part.bytes - 4 * k).min(4);
                lines.add(place(start, at + 4 * k, lane), bytes);
            }
        }
    }
    lines.merge();
}

fn example(part: &Part, excess: u64, group: u64) -> Example {
    Example {
        excess,
        group,
        lanes: part.lanes,
        at: part.at,
        bytes: part.bytes,
    }
}

impl Observer for Costs {
    fn fork(&self) -> Option<Costs> {
        Some(Costs {
            base: self.base,
            grid: self.grid,
            kernarg: self.kernarg.clone(),
            ..Costs::new(self.latencies)
        })
    }

    fn join(&mut self, mut worker: Costs) {
        worker.flush();
        self.groups.append(&mut worker.groups);
        self.touched.join(worker.touched);
        if self.sites.len() < worker.sites.len() {
            self.sites.resize_with(worker.sites.len(), || None);
        }
        for (own, theirs) in self.sites.iter_mut().zip(worker.sites) {
            match (own, theirs) {
                (_, None) => {}
                (Some(own), Some(theirs)) => own.join(*theirs),
                (own, theirs) => *own = theirs,
            }
        }
    }

    fn dispatch(&mut self, started: &DispatchStart<'_>) {
        self.flush();
        self.base = started.base;
        self.grid = started.launch.grid;
        self.kernarg = started.kernarg.clone();
    }

    fn group(&mut self, group: &Group) {
        self.flush();
        let [x, y, z] = group.id.map(u64::from);
        let [width, height, _] = self.grid.map(u64::from);
        self.group = Some(GroupCost {
            number: x + width * (y + height * z),
            valu: vec![0; group.waves],
            ..GroupCost::default()
        });
        self.scratch = (group.scratch, group.scratch_stride);
        self.chains.begin(group.waves);
    }

    #[inline]
    fn before(&mut self, wave: &Wave, op: &Op, pc: u64) {
        let at = (pc.wrapping_sub(self.base) / 4) as usize;
        if self.sites.get(at).is_none_or(Option::is_none) {
            self.learn(op, at);
        }
        let Some(site) = self.sites[at].as_mut() else {
            return;
        };
        site.count += 1;
        let (class, link) = (site.class, site.link);
        let (mut cycles, mut lines) = (0, 0);
        if matches!(
            class,
            Class::Vmem | Class::Lds | Class::Smem | Class::Exchange
        ) {
            (cycles, lines) = self.memory(wave, op, at);
        }
        let index = wave.index as usize;
        if let Some(group) = &mut self.group {
            if let Some(valu) = group.valu.get_mut(index) {
                *valu += class.valu_cycles();
            }
            group.lds += cycles;
            group.lines += lines;
            group.scalar += u64::from(class.is_scalar());
        }
        let more = cycles + lines;
        self.chains.step(index, &link, more, &self.latencies);
    }
}
