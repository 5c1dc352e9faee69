//! The last writers of a few addresses: who could have ended a wait, and did not.

use super::Observer;
use crate::code_object::Lines;
use crate::machine::access::{Access, Space, accesses};
use crate::machine::{DispatchStart, Group, LastWrite, Op, Poll, Spin, Wave, Writer};

/// Bytes of a polled element.
const POLLED: u64 = 4;

/// An address, with its last writer.
#[derive(Clone, Debug)]
struct WatchedAddress {
    /// The work-group whose LDS it is in; none for device memory.
    lds_of: Option<[u32; 3]>,
    address: u64,
    last: Option<Writer>,
}

/// Observer of the writes to the addresses that a hanging work-group polls.
#[derive(Clone, Debug, Default)]
pub struct Writers {
    watched: Vec<WatchedAddress>,
    kernel: String,
    base: u64,
    group: Group,
    access: Access,
}

impl Writers {
    /// Creates an observer of the addresses that a work-group polls.
    pub fn new(spin: &Spin, work_group: [u32; 3]) -> Writers {
        let watched = spin.polls.iter().map(|poll| WatchedAddress {
            lds_of: poll.lds.then_some(work_group),
            address: poll.address,
            last: None,
        });
        Writers {
            watched: watched.collect(),
            ..Writers::default()
        }
    }

    /// Looks up the source lines of a kernel's instructions.
    pub fn look_up(&mut self, kernel: &str, lines: &Lines) {
        let writers = self.watched.iter_mut().filter_map(|one| one.last.as_mut());
        for writer in writers.filter(|writer| writer.kernel == kernel) {
            if writer.source.is_none() {
                writer.source = lines.line_at(writer.pc);
            }
        }
    }

    /// Gives the polls of a work-group their last writers. They must be those that the observer was made for, in the same order.
    pub fn give(&self, polls: &mut [Poll]) {
        for (poll, watched) in polls.iter_mut().zip(&self.watched) {
            poll.written = match &watched.last {
                Some(writer) => LastWrite::By(writer.clone()),
                None => LastWrite::Nobody,
            };
        }
    }
}

impl Observer for Writers {
    fn fork(&self) -> Option<Writers> {
        None
    }

    fn join(&mut self, _: Writers) {}

    fn dispatch(&mut self, started: &DispatchStart<'_>) {
        self.kernel = started.kernel.to_owned();
        self.base = started.base;
    }

    fn group(&mut self, group: &Group) {
        self.group = *group;
    }

    fn before(&mut self, wave: &Wave, op: &Op, pc: u64) {
        if op.traffic.written == 0 {
            return;
        }
        self.access.clear();
        let stride = u64::from(wave.index) * self.group.scratch_stride;
        accesses(wave, op, self.group.scratch + stride, &mut self.access);
        for part in self.access.parts.iter().filter(|part| part.writes) {
            for watched in &mut self.watched {
                let space = match watched.lds_of {
                    Some(group) if group != self.group.id => continue,
                    Some(_) => Space::Lds,
                    None => Space::Global,
                };
                let end = watched.address + POLLED;
                let mut places = part.places().filter(|&(_, at)| {
                    part.space == space && at < end && watched.address < at + part.bytes
                });
                if let Some((lane, _)) = places.next() {
                    watched.last = Some(Writer {
                        kernel: self.kernel.clone(),
                        pc: pc.wrapping_sub(self.base),
                        source: None,
                        work_group: self.group.id,
                        wave: wave.index,
                        lane: lane as u32,
                    });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::rig::{self, MEMORY};

    fn poll(lds: bool, address: u64) -> Poll {
        Poll {
            pc: 0,
            instruction: String::new(),
            source: None,
            waves: vec![0],
            lanes: 1,
            atomic: false,
            lds,
            address,
            place: None,
            value: 0,
            off: 0,
            holder: None,
            written: LastWrite::Unknown,
        }
    }

    /// ```text
    /// v_lshlrev_b32 v5, 2, v0
    /// global_store_dword v5, v1, s[0:1]
    /// s_mov_b64 exec, 14
    /// global_store_dword v5, v1, s[0:1]
    /// ds_write_b32 v5, v1
    /// ```
    const STORES: &str = "240a0082 dc708000 00000105 befe018e dc708000 00000105 d81a0000 00000105";

    #[test]
    fn the_last_writer_of_a_polled_address_is_found() {
        let polls = [
            poll(false, MEMORY + 8),
            poll(false, MEMORY + 4 * 63),
            poll(false, MEMORY + 2048),
            poll(true, 4),
            poll(true, 0),
        ];
        let spin = Spin {
            polls: polls.to_vec(),
            ..Spin::default()
        };
        let mut writers = Writers::new(&spin, [1, 2, 3]);
        assert_eq!(rig::run(STORES, 2, |_| (), &mut writers), None);
        let mut polls = spin.polls;
        writers.give(&mut polls);
        let found = |poll: &Poll| match &poll.written {
            LastWrite::By(writer) => Some((writer.pc, writer.wave, writer.lane)),
            LastWrite::Nobody => None,
            LastWrite::Unknown => panic!("it was looked for"),
        };
        let found: Vec<_> = polls.iter().map(found).collect();
        // The second store has lanes 1 to 3 alone.
        let expected = [
            Some((0x110, 1, 2)),
            Some((0x104, 1, 63)),
            None,
            Some((0x118, 1, 1)),
            None,
        ];
        assert_eq!(found, expected);
        assert_eq!(
            polls[0].written,
            LastWrite::By(Writer {
                kernel: "k".into(),
                pc: 0x110,
                source: None,
                work_group: [1, 2, 3],
                wave: 1,
                lane: 2
            })
        );
    }
}
