//! Observers, which see every instruction of a running dispatch and change nothing.
//!
//! An observer is a type parameter of the loop that runs waves, and its methods are empty by default: the loop of a dispatch without an
//! observer is compiled without one.

use std::ops::Range;

use super::launch::Launch;
use super::op::Op;
use super::trap::Fault;
use super::wave::Wave;

/// A dispatch that begins: what a kernel of a code object is handed.
#[derive(Clone, Debug)]
pub struct Started<'a> {
    /// The kernel.
    pub kernel: &'a str,
    /// Guest address of the code object's link address 0.
    pub base: u64,
    /// The launch.
    pub launch: &'a Launch<'a>,
    /// Bytes of LDS of a group.
    pub lds: u32,
    /// Bytes of scratch of a work-item.
    pub scratch: u32,
    /// Guest addresses of the kernel's arguments.
    pub kernarg: Range<u64>,
    /// SGPRs, from s0 on, that a wave finds set.
    pub sgprs: u16,
    /// VGPRs, from v0 on, that a wave finds set: the work-items' ids.
    pub vgprs: u16,
}

/// A work-group that begins.
#[derive(Clone, Copy, Debug, Default)]
pub struct Group {
    /// Its id.
    pub id: [u32; 3],
    /// Its waves.
    pub waves: usize,
    /// Guest address of the first wave's scratch.
    pub scratch: u64,
    /// Guest addresses from the scratch of a wave to that of the next.
    pub scratch_stride: u64,
}

/// Sees what a dispatch does. Each worker of a dispatch has an observer of its own, forked from the one that was given, which takes
/// them in at the end.
pub trait Observer: Send {
    /// An observer for a worker; none where one observer must see all: then the dispatch runs on one thread.
    fn fork(&self) -> Option<Self>
    where
        Self: Sized;
    /// Takes in what a worker's observer has seen.
    fn join(&mut self, worker: Self)
    where
        Self: Sized;
    /// A kernel begins; observers of workers are forked afterwards.
    fn dispatch(&mut self, _started: &Started<'_>) {}
    /// A work-group begins.
    fn group(&mut self, _group: &Group) {}
    /// An instruction at a guest address is about to run; the wave's pc already points behind it.
    fn before(&mut self, _wave: &Wave, _op: &Op, _pc: u64) {}
    /// It has run, and did not fault.
    fn after(&mut self, _wave: &Wave, _op: &Op, _pc: u64) {}
    /// A wave of the current group cannot go on at a guest address; where that is within the code, with the instruction there.
    fn fault(&mut self, _wave: &Wave, _op: Option<&Op>, _pc: u64, _fault: &Fault) {}
}

/// Nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Observer for Nobody {
    fn fork(&self) -> Option<Nobody> {
        Some(Nobody)
    }
    fn join(&mut self, _: Nobody) {}
}

/// Two observers side by side.
impl<A: Observer, B: Observer> Observer for (A, B) {
    fn fork(&self) -> Option<(A, B)> {
        Some((self.0.fork()?, self.1.fork()?))
    }
    fn join(&mut self, worker: (A, B)) {
        self.0.join(worker.0);
        self.1.join(worker.1);
    }
    fn dispatch(&mut self, started: &Started<'_>) {
        self.0.dispatch(started);
        self.1.dispatch(started);
    }
    fn group(&mut self, group: &Group) {
        self.0.group(group);
        self.1.group(group);
    }
    fn before(&mut self, wave: &Wave, op: &Op, pc: u64) {
        self.0.before(wave, op, pc);
        self.1.before(wave, op, pc);
    }
    fn after(&mut self, wave: &Wave, op: &Op, pc: u64) {
        self.0.after(wave, op, pc);
        self.1.after(wave, op, pc);
    }
    fn fault(&mut self, wave: &Wave, op: Option<&Op>, pc: u64, fault: &Fault) {
        self.0.fault(wave, op, pc, fault);
        self.1.fault(wave, op, pc, fault);
    }
}

/// An observer that may not be there.
impl<O: Observer> Observer for Option<O> {
    fn fork(&self) -> Option<Option<O>> {
        match self {
            Some(observer) => observer.fork().map(Some),
            None => Some(None),
        }
    }
    fn join(&mut self, worker: Option<O>) {
        if let (Some(observer), Some(worker)) = (self, worker) {
            observer.join(worker);
        }
    }
    fn dispatch(&mut self, started: &Started<'_>) {
        if let Some(observer) = self {
            observer.dispatch(started);
        }
    }
    fn group(&mut self, group: &Group) {
        if let Some(observer) = self {
            observer.group(group);
        }
    }
    fn before(&mut self, wave: &Wave, op: &Op, pc: u64) {
        if let Some(observer) = self {
            observer.before(wave, op, pc);
        }
    }
    fn after(&mut self, wave: &Wave, op: &Op, pc: u64) {
        if let Some(observer) = self {
            observer.after(wave, op, pc);
        }
    }
    fn fault(&mut self, wave: &Wave, op: Option<&Op>, pc: u64, fault: &Fault) {
        if let Some(observer) = self {
            observer.fault(wave, op, pc, fault);
        }
    }
}

/// An observer that is borrowed has no second: it sees all of a dispatch.
impl<O: Observer> Observer for &mut O {
    fn fork(&self) -> Option<Self> {
        None
    }
    fn join(&mut self, _: Self) {}
    fn dispatch(&mut self, started: &Started<'_>) {
        (**self).dispatch(started);
    }
    fn group(&mut self, group: &Group) {
        (**self).group(group);
    }
    fn before(&mut self, wave: &Wave, op: &Op, pc: u64) {
        (**self).before(wave, op, pc);
    }
    fn after(&mut self, wave: &Wave, op: &Op, pc: u64) {
        (**self).after(wave, op, pc);
    }
    fn fault(&mut self, wave: &Wave, op: Option<&Op>, pc: u64, fault: &Fault) {
        (**self).fault(wave, op, pc, fault);
    }
}
