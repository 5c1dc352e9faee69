//! Captures: graphs that grow by what streams are given.

use std::collections::HashMap;
use std::thread::ThreadId;

use crate::boundary::Address;
use crate::queue::LaneId;

/// How much a capture forbids: the values of `hipStreamCaptureMode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// To all threads what might disturb it.
    Global,
    /// To its own thread.
    ThreadLocal,
    /// Nothing.
    Relaxed,
}

impl Mode {
    /// By its number.
    pub fn of(number: u32) -> Option<Mode> {
        [Mode::Global, Mode::ThreadLocal, Mode::Relaxed]
            .get(number as usize)
            .copied()
    }
}

/// A capture.
pub struct Capture {
    /// What grows.
    pub graph: Address,
    /// Whether the program had the graph before.
    pub into_graph: bool,
    /// Where it began.
    pub lane: LaneId,
    /// What it forbids.
    pub mode: Mode,
    /// Who began it.
    pub thread: ThreadId,
    /// The streams that take part: the nodes that the next one comes behind.
    pub streams: HashMap<LaneId, Vec<Address>>,
    /// Nodes as a program that asked got them.
    pub shown: Box<[Address]>,
    /// Something forbidden was done: it can only be ended.
    pub invalid: bool,
}

/// Every capture, by its number.
#[derive(Default)]
pub struct Captures {
    last: u64,
    all: HashMap<u64, Capture>,
}

impl Captures {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Enters one; its number, which no other has had.
    pub fn begin(&mut self, capture: Capture) -> u64 {
        self.last += 1;
        self.all.insert(self.last, capture);
        self.last
    }

    /// The capture that a stream takes part in.
    pub fn of(&mut self, lane: LaneId) -> Option<(u64, &mut Capture)> {
        let mut all = self.all.iter_mut();
        let found = all.find(|(_, capture)| capture.streams.contains_key(&lane));
        found.map(|(&id, capture)| (id, capture))
    }

    /// A capture by its number.
    pub fn get(&mut self, id: u64) -> Option<&mut Capture> {
        self.all.get_mut(&id)
    }

    /// Ends one.
    pub fn end(&mut self, id: u64) -> Option<Capture> {
        self.all.remove(&id)
    }

    /// Every one.
    pub fn all(&mut self) -> impl Iterator<Item = &mut Capture> {
        self.all.values_mut()
    }
}
