//! Observers, which see every instruction of a running dispatch and change nothing.
//!
//! An observer is a type parameter of the loop that runs waves, and its methods are empty by default: the loop of a dispatch without an
//! observer is compiled without one.

use std::ops::Range;

use super::launch::Launch;
use super::op::Op;
use super::trap::Fault;
use super::wave::Wave;

/// A dispatch that begins.
#[derive(Clone, Debug)]
pub struct DispatchStart<'a> {
    /// The kernel.
    pub kernel: &'a str,
    /// Guest address of the code object's link address 0.
    pub base: u64,
    /// The launch.
    pub launch: &'a Launch<'a>,
    /// LDS of a group in bytes.
    pub lds: u32,
    /// Scratch of a work-item in bytes.
    pub scratch: u32,
    /// Guest addresses of the kernel's arguments.
    pub kernarg: Range<u64>,
    /// Number of SGPRs, from s0 on, that are set when a wave begins.
    pub sgprs: u16,
    /// Number of VGPRs, from v0 on, that are set when a wave begins: the work-item ids.
    pub vgprs: u16,
}

/// A work-group that begins.
#[derive(Clone, Copy, Debug, Default)]
pub struct Group {
    /// Id of the group.
    pub id: [u32; 3],
    /// Number of waves.
    pub waves: usize,
    /// Guest address of the first wave's scratch.
    pub scratch: u64,
    /// Distance between the scratch of consecutive waves in guest addresses.
    pub scratch_stride: u64,
}

/// Observes a dispatch. Each worker has its own observer, forked from the caller's, which joins all of them at the end.
pub trait Observer: Send {
    /// Creates an observer for a worker. `None` means that one observer must see all groups; the dispatch then runs on one thread.
    fn fork(&self) -> Option<Self>
    where
        Self: Sized;
    /// Merges the observations of a worker's observer.
    fn join(&mut self, worker: Self)
    where
        Self: Sized;
    /// Reports that a kernel begins. The observers of workers are forked afterwards.
    fn dispatch(&mut self, _started: &DispatchStart<'_>) {}
    /// Reports that a work-group begins.
    fn group(&mut self, _group: &Group) {}
    /// Reports that an instruction at a guest address is about to run. The wave's pc already points behind it.
    fn before(&mut self, _wave: &Wave, _op: &Op, _pc: u64) {}
    /// Reports that an instruction has run without a fault.
    fn after(&mut self, _wave: &Wave, _op: &Op, _pc: u64) {}
    /// Reports that a wave of the current group cannot continue at a guest address; `op` is the instruction there, if the address is within
    /// the code.
    fn fault(&mut self, _wave: &Wave, _op: Option<&Op>, _pc: u64, _fault: &Fault) {}
}

/// An observer that observes nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Observer for Nobody {
    fn fork(&self) -> Option<Nobody> {
        Some(Nobody)
    }
    fn join(&mut self, _: Nobody) {}
}

/// Two observers in parallel.
impl<A: Observer, B: Observer> Observer for (A, B) {
    fn fork(&self) -> Option<(A, B)> {
        Some((self.0.fork()?, self.1.fork()?))
    }
    fn join(&mut self, worker: (A, B)) {
        self.0.join(worker.0);
        self.1.join(worker.1);
    }
    fn dispatch(&mut self, started: &DispatchStart<'_>) {
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

/// An optional observer.
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
    fn dispatch(&mut self, started: &DispatchStart<'_>) {
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

/// A borrowed observer cannot be forked, so it sees all of a dispatch.
impl<O: Observer> Observer for &mut O {
    fn fork(&self) -> Option<Self> {
        None
    }
    fn join(&mut self, _: Self) {}
    fn dispatch(&mut self, started: &DispatchStart<'_>) {
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
