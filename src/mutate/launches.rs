//! What kernels are launched with: between what bounds their arguments, grids and blocks lie.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use gfx906::code_object::{ArgKind, HiddenArg, Kernel, Symbol};

use crate::device::{Allocated, Device, DeviceError, Launch, Launched, Limits, Session, Watch};
use crate::program::Program;
use crate::verdict::{DeviceReport, FindingReport};

/// A device that remembers what is launched on it.
pub(super) struct Recorded<'a> {
    device: &'a dyn Device,
    seen: Arc<Mutex<BTreeMap<String, Bounds>>>,
}

/// Between what the launches of a kernel lie.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bounds {
    /// Words of the explicit arguments, the least and the most of each.
    pub words: Vec<(u32, u32)>,
    /// Work-groups, the most in x, y and z.
    pub grid: [u32; 3],
    /// Work-items of a work-group, the fewest and the most in x, y and z.
    pub block: [(u32, u32); 3],
    /// The sizes and choices that launches were handed: one list for those that were handed the same.
    handed: BTreeSet<Vec<u32>>,
}

impl<'a> Recorded<'a> {
    /// A device of which nothing is known yet.
    pub fn new(device: &'a dyn Device) -> Recorded<'a> {
        Recorded {
            device,
            seen: Arc::default(),
        }
    }

    /// The bounds of every kernel that was launched.
    pub fn bounds(&self) -> BTreeMap<String, Bounds> {
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Device for Recorded<'_> {
    fn describe(&self) -> DeviceReport {
        self.device.describe()
    }

    fn open(
        &self,
        threads: usize,
        limits: Limits,
        watch: &Watch,
    ) -> Result<Box<dyn Session>, DeviceError> {
        Ok(Box::new(Recording {
            session: self.device.open(threads, limits, watch)?,
            seen: Arc::clone(&self.seen),
        }))
    }

    fn observes(&self) -> bool {
        self.device.observes()
    }
}

struct Recording {
    session: Box<dyn Session>,
    seen: Arc<Mutex<BTreeMap<String, Bounds>>>,
}

impl Session for Recording {
    fn load(&mut self, program: &Program) -> Result<usize, DeviceError> {
        self.session.load(program)
    }

    fn variable(&mut self, module: usize, symbol: &Symbol) -> Result<u64, DeviceError> {
        self.session.variable(module, symbol)
    }

    fn alloc(&mut self, name: &str, bytes: u64) -> Result<Allocated, DeviceError> {
        self.session.alloc(name, bytes)
    }

    fn upload(&mut self, address: u64, data: &[u8]) -> Result<(), DeviceError> {
        self.session.upload(address, data)
    }

    fn download(&mut self, address: u64, data: &mut [u8]) -> Result<(), DeviceError> {
        self.session.download(address, data)
    }

    fn launch(&mut self, module: usize, launch: &Launch<'_>) -> Result<Launched, DeviceError> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        match seen.get_mut(launch.kernel) {
            Some(bounds) => bounds.take(launch),
            None => {
                seen.insert(launch.kernel.to_owned(), Bounds::of(launch));
            }
        }
        drop(seen);
        self.session.launch(module, launch)
    }

    fn sync(&mut self) -> Result<(), DeviceError> {
        self.session.sync()
    }

    fn findings(&self) -> &[FindingReport] {
        self.session.findings()
    }
}

/// How many launches, each handed other sizes or choices, it takes until what never changes counts as what the kernel is built for.
const ENOUGH: usize = 10;

/// The whole numbers among words: addresses and fractions are larger, and 0 is nothing.
fn whole(words: impl Iterator<Item = u32>) -> Vec<u32> {
    words.filter(|word| (1..1 << 23).contains(word)).collect()
}

fn words(kernarg: &[u8]) -> impl Iterator<Item = u32> {
    let words = kernarg.chunks(4);
    words.map(|bytes| {
        let mut word = [0; 4];
        word[..bytes.len()].copy_from_slice(bytes);
        u32::from_le_bytes(word)
    })
}

impl Bounds {
    fn of(launch: &Launch<'_>) -> Bounds {
        Bounds {
            words: words(launch.kernarg).map(|word| (word, word)).collect(),
            grid: launch.grid,
            block: launch.block.map(|side| (side, side)),
            handed: BTreeSet::from([whole(words(launch.kernarg))]),
        }
    }

    fn take(&mut self, launch: &Launch<'_>) {
        let take = |(least, most): &mut (u32, u32), value: u32| {
            *least = (*least).min(value);
            *most = (*most).max(value);
        };
        for (bounds, word) in self.words.iter_mut().zip(words(launch.kernarg)) {
            take(bounds, word);
        }
        if self.handed.len() < ENOUGH {
            self.handed.insert(whole(words(launch.kernarg)));
        }
        for axis in 0..3 {
            self.grid[axis] = self.grid[axis].max(launch.grid[axis]);
            take(&mut self.block[axis], launch.block[axis]);
        }
    }

    /// The most work-groups that a launch is taken to have on an axis: twice as many as any had, but one where none had more.
    pub fn groups(&self, axis: usize) -> u32 {
        match self.grid[axis] {
            1 => 1,
            most => most.saturating_mul(2),
        }
    }

    /// Between what each word of the kernarg segment of a kernel is taken to lie, and the bits that it may have; none where it may be anything.
    ///
    /// A whole number is taken to be at least 1, or 0 where some launch had 0, and at most twice as large as in any launch; where it was the
    /// same in all of many launches, that. An address that was null in no launch is any other; numbers that were below 0 or are fractions, and what
    /// was always 0 may be anything.
    pub fn segment(&self, kernel: &Kernel) -> Vec<Option<Taken>> {
        let mut segment = vec![None; kernel.kernarg_size.div_ceil(4) as usize];
        for arg in &kernel.args {
            let first = (arg.offset / 4) as usize;
            let whole = arg.offset % 4 == 0 && arg.size % 4 == 0;
            match &arg.kind {
                ArgKind::ByValue if whole => {
                    for at in first..first + (arg.size / 4) as usize {
                        let of = self.words.get(at).copied();
                        let bounds = of.and_then(|word| taken(word, self.handed.len() >= ENOUGH));
                        if let Some(word) = segment.get_mut(at) {
                            *word = bounds;
                        }
                    }
                }
                ArgKind::GlobalBuffer => {
                    let high = self.words.get(first + 1).copied();
                    if let (Some(bounds), Some(word)) =
                        (high.and_then(taken_address), segment.get_mut(first + 1))
                    {
                        *word = Some(bounds);
                    }
                }
                ArgKind::Hidden(hidden) => {
                    if let (Some(bounds), Some(word)) =
                        (self.hidden(hidden), segment.get_mut(first))
                    {
                        *word = Some(bounds);
                    }
                }
                _ => {}
            }
        }
        segment
    }

    /// The word in which a hidden argument stands: of the sizes of a block two by two, the first in the low half.
    fn hidden(&self, hidden: &HiddenArg) -> Option<Taken> {
        let bits = |most: u32| {
            most.checked_next_power_of_two()
                .map_or(!0, |power| (power - 1) | most)
        };
        let groups = |axis| Some((1, self.groups(axis), bits(self.groups(axis))));
        match hidden {
            HiddenArg::BlockCountX => groups(0),
            HiddenArg::BlockCountY => groups(1),
            HiddenArg::BlockCountZ => groups(2),
            // Those of x and y stand in one word.
            HiddenArg::GroupSizeX => {
                let [x, y, _] = self.block;
                let both = |x: u32, y: u32| x | y << 16;
                Some((both(x.0, y.0), both(x.1, y.1), both(bits(x.1), bits(y.1))))
            }
            _ => None,
        }
    }
}

/// The least, the most, and the bits that a word may have.
pub(super) type Taken = (u32, u32, u32);

/// What a word is taken to be that lay between these, in enough launches to say so or in fewer.
fn taken((least, most): (u32, u32), enough: bool) -> Option<Taken> {
    // As whole numbers, fractions are larger than any size.
    let plain = most > 0 && most < 1 << 23;
    let of = if enough && least == most {
        (least, most, most)
    } else {
        (least.min(1), most * 2, u32::MAX)
    };
    plain.then_some(of)
}

/// What the high half of an address is taken to be where no launch was handed null: memory of a device lies from 4 GiB to 2^48.
fn taken_address((least, most): (u32, u32)) -> Option<Taken> {
    const END: u32 = 1 << 16;
    (least > 0 && most < END).then_some((1, END - 1, END - 1))
}

#[cfg(test)]
mod tests;
