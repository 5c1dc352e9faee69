//! Captures: graphs that grow by the work that streams get.

use std::collections::HashMap;
use std::thread::ThreadId;

use crate::boundary::Address;
use crate::queue::LaneId;

/// Restriction by a capture: the values of `hipStreamCaptureMode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaptureMode {
    /// No thread may make calls that might disturb the capture.
    Global,
    /// The capture's own thread may not make such calls.
    ThreadLocal,
    /// All calls are allowed.
    Relaxed,
}

impl CaptureMode {
    /// Returns the mode of a number.
    pub fn from_number(number: u32) -> Option<CaptureMode> {
        [
            CaptureMode::Global,
            CaptureMode::ThreadLocal,
            CaptureMode::Relaxed,
        ]
        .get(number as usize)
        .copied()
    }
}

/// Capture of one or more streams.
pub struct Capture {
    /// Graph that the capture builds.
    pub graph: Address,
    /// True if the graph existed before the capture.
    pub into_graph: bool,
    /// Lane of the stream that began the capture.
    pub lane: LaneId,
    /// Restriction on other calls.
    pub mode: CaptureMode,
    /// Thread that began the capture.
    pub thread: ThreadId,
    /// Streams that take part, each with the nodes that its next work depends on.
    pub streams: HashMap<LaneId, Vec<Address>>,
    /// Nodes, as the program's queries return them.
    pub shown: Box<[Address]>,
    /// True after a forbidden call. An invalid capture can only be ended.
    pub invalid: bool,
}

/// Table of all captures, by number.
#[derive(Default)]
pub struct Captures {
    last: u64,
    all: HashMap<u64, Capture>,
}

impl Captures {
    /// Returns true if there is no capture.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Adds a capture and returns its number, which is never reused.
    pub fn begin(&mut self, capture: Capture) -> u64 {
        self.last += 1;
        self.all.insert(self.last, capture);
        self.last
    }

    /// Returns the capture that a stream takes part in.
    pub fn find_by_lane(&mut self, lane: LaneId) -> Option<(u64, &mut Capture)> {
        let mut captures = self.all.iter_mut();
        let found = captures.find(|(_, capture)| capture.streams.contains_key(&lane));
        found.map(|(&id, capture)| (id, capture))
    }

    /// Returns a capture by its number.
    pub fn get(&mut self, id: u64) -> Option<&mut Capture> {
        self.all.get_mut(&id)
    }

    /// Removes a capture.
    pub fn end(&mut self, id: u64) -> Option<Capture> {
        self.all.remove(&id)
    }

    /// Returns all captures.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Capture> {
        self.all.values_mut()
    }
}
