//! Who sees every instruction of a running dispatch, and changes nothing.
//!
//! An observer is a type parameter of the loop that runs waves, and its methods are empty where it does not say otherwise: a dispatch
//! that nobody observes runs code in which there is no observer.

use super::launch::Launch;
use super::op::Op;
use super::trap::Fault;
use super::wave::Wave;

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
    /// A kernel of a code object begins, whose link address 0 is guest address `base`.
    fn dispatch(&mut self, _kernel: &str, _base: u64, _launch: &Launch<'_>) {}
    /// A work-group begins, of so many waves.
    fn group(&mut self, _id: [u32; 3], _waves: usize) {}
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
    fn dispatch(&mut self, kernel: &str, base: u64, launch: &Launch<'_>) {
        self.0.dispatch(kernel, base, launch);
        self.1.dispatch(kernel, base, launch);
    }
    fn group(&mut self, id: [u32; 3], waves: usize) {
        self.0.group(id, waves);
        self.1.group(id, waves);
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

/// An observer that is borrowed has no second: it sees all of a dispatch.
impl<O: Observer> Observer for &mut O {
    fn fork(&self) -> Option<Self> {
        None
    }
    fn join(&mut self, _: Self) {}
    fn dispatch(&mut self, kernel: &str, base: u64, launch: &Launch<'_>) {
        (**self).dispatch(kernel, base, launch);
    }
    fn group(&mut self, id: [u32; 3], waves: usize) {
        (**self).group(id, waves);
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
