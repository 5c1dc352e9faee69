//! The loads of a loop that does not end, for a message.

use std::fmt;

use crate::code_object::Lines;

/// Polls that are told.
const TOLD: usize = 3;

/// A load, or an atomic with a result, that waits for a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Poll {
    /// Link address of the instruction.
    pub pc: u64,
    /// The instruction.
    pub instruction: String,
    /// Its source line as `FILE:LINE`, after it has been looked up.
    pub source: Option<String>,
    /// Numbers of the waves within their group.
    pub waves: Vec<u32>,
    /// The lanes that read.
    pub lanes: u64,
    /// True for an atomic, whose result is the value.
    pub atomic: bool,
    /// True if it reads LDS: the address is an offset in it.
    pub lds: bool,
    /// Address that the first lane reads.
    pub address: u64,
    /// Allocation that holds the address, and the number of its byte.
    pub place: Option<(String, u64)>,
    /// The dword that it reads there.
    pub value: u32,
    /// Work-items of the wave that are switched off in the loop: they go on when the loop ends.
    pub off: u64,
    /// A switched-off lane that got another result from the same atomic, as the holder of a lock does.
    pub holder: Option<Holder>,
    /// The last write there before the loop.
    pub written: LastWrite,
}

/// The lane of a waiting wave that got another result from the atomic by which it waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The lane.
    pub lane: u32,
    /// The dword that it got.
    pub value: u32,
}

/// The last write to an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LastWrite {
    /// Nobody has looked for it.
    #[default]
    Unknown,
    /// No work-item has written there.
    Nobody,
    /// A work-item has written there.
    By(Writer),
}

/// The work-item that wrote to an address last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Writer {
    /// The kernel.
    pub kernel: String,
    /// Link address of the instruction.
    pub pc: u64,
    /// Its source line as `FILE:LINE`, after it has been looked up.
    pub source: Option<String>,
    /// The work-group's id.
    pub work_group: [u32; 3],
    /// Number of the wave within its group.
    pub wave: u32,
    /// The lane.
    pub lane: u32,
}

/// The waiting of a group that does not end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spin {
    /// The loads that wait, those of the wave with the lowest number first.
    pub polls: Vec<Poll>,
    /// Waves that wait at a barrier.
    pub at_barrier: Vec<u32>,
    /// Waves that have ended.
    pub ended_waves: Vec<u32>,
    /// Number of work-groups that begin after this one.
    pub later: u64,
    /// True if the waves read memory.
    pub reads: bool,
    /// True if the group has ended while it was watched.
    pub ended: bool,
}

impl Spin {
    /// Looks up the source lines.
    pub fn look_up(&mut self, lines: &Lines) {
        for poll in &mut self.polls {
            poll.source = lines.line_at(poll.pc);
            if let LastWrite::By(writer) = &mut poll.written
                && writer.source.is_none()
            {
                writer.source = lines.line_at(writer.pc);
            }
        }
    }
}

impl fmt::Display for Spin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for poll in self.polls.iter().take(TOLD) {
            write!(f, "\n  waits       {poll}")?;
            match &poll.written {
                LastWrite::Unknown => {}
                LastWrite::Nobody => write!(
                    f,
                    "\n  written     never: no work-item has written there, so the value is that before the launch"
                )?,
                LastWrite::By(writer) => write!(f, "\n  written     last by {writer}")?,
            }
        }
        if self.ended {
            write!(
                f,
                "\n  ended       soon after: the work-group needs a larger budget"
            )?;
        } else if !self.reads {
            write!(
                f,
                "\n  waits       for no value in memory: the waves read none"
            )?;
        }
        if !self.at_barrier.is_empty() {
            let waves = self.at_barrier.iter().map(u32::to_string);
            let waves: Vec<String> = waves.collect();
            let (s, verb) = match waves.len() {
                1 => ("", "waits"),
                _ => ("s", "wait"),
            };
            write!(
                f,
                "\n  barrier     wave{s} {} {verb} there",
                waves.join(", ")
            )?;
        }
        if self.polls.is_empty() {
            return Ok(());
        }
        if !self.ended_waves.is_empty() {
            let waves = self.ended_waves.iter().map(u32::to_string);
            let waves: Vec<String> = waves.collect();
            let (s, verb) = match waves.len() {
                1 => ("", "has"),
                _ => ("s", "have"),
            };
            write!(
                f,
                "\n  gone        wave{s} {} {verb} ended and will write nothing",
                waves.join(", ")
            )?;
        }
        if self.later > 0 && self.polls.iter().any(|poll| !poll.lds) {
            let (s, verb) = match self.later {
                1 => ("", "comes"),
                _ => ("s", "come"),
            };
            write!(
                f,
                "\n  later       {} work-group{s} {verb} after this one: a card may begin them only when it has ended, so it must not wait for them",
                self.later
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.work_group;
        write!(
            f,
            "work-group ({x}, {y}, {z}), wave {}, lane {} of `{}` at ",
            self.wave, self.lane, self.kernel
        )?;
        match &self.source {
            Some(source) => f.write_str(source),
            None => write!(f, "{:#x}", self.pc),
        }
    }
}

impl fmt::Display for Poll {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match &self.source {
            Some(source) => source.clone(),
            None => format!("{:#x}", self.pc),
        };
        let value = dword(self.value);
        let waves = self.waves.iter().map(u32::to_string);
        let waves: Vec<String> = waves.collect();
        let [many_waves, many_lanes] = [waves.len() > 1, self.lanes.count_ones() > 1];
        let s = |many: bool| if many { "s" } else { "" };
        let readers = format!(
            "wave{} {}, lane{} {}",
            s(many_waves),
            waves.join(", "),
            s(many_lanes),
            Lanes(self.lanes)
        );
        match self.atomic {
            true => write!(
                f,
                "{place}: an atomic of {readers} returns {value} again and again at "
            )?,
            false => write!(f, "{place}: {readers} read {value} again and again at ")?,
        }
        match (&self.place, self.lds) {
            (_, true) => write!(f, "byte {} of LDS", self.address)?,
            (Some((name, byte)), _) => write!(f, "byte {byte} of `{name}`")?,
            (None, _) => write!(f, "{:#x}", self.address)?,
        }
        if let Some(Holder { lane, value }) = self.holder {
            write!(
                f,
                "; lane {lane} of the same wave got {} from it and is switched off until the loop ends, so it cannot release a lock: release \
                 it within the loop, or let one lane of a wave take it",
                dword(value)
            )?;
        } else if self.off != 0 {
            let (verb, them) = match self.off.count_ones() {
                1 => ("is", "it"),
                _ => ("are", "them"),
            };
            let plural = if self.off.count_ones() == 1 { "" } else { "s" };
            write!(
                f,
                "; lane{plural} {} of the same wave {verb} switched off until the loop ends, so a lane that waits for {them} waits for its own wave",
                Lanes(self.off)
            )?;
        }
        Ok(())
    }
}

/// Returns a dword as text, a negative one also with its sign.
fn dword(value: u32) -> String {
    let signed = value as i32;
    match signed < 0 {
        true => format!("{value:#x} ({signed})"),
        false => value.to_string(),
    }
}

/// Lanes as text: `0, 2 to 5`.
struct Lanes(u64);

impl fmt::Display for Lanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0;
        let mut between = "";
        while rest != 0 {
            let first = rest.trailing_zeros();
            let count = (rest >> first).trailing_ones();
            let last = first + count - 1;
            match count {
                1 => write!(f, "{between}{first}")?,
                2 => write!(f, "{between}{first}, {last}")?,
                _ => write!(f, "{between}{first} to {last}")?,
            }
            between = ", ";
            rest = rest
                .checked_shr(last + 1)
                .map_or(0, |high| high.checked_shl(last + 1).unwrap_or(0));
        }
        Ok(())
    }
}
