//! Observers of a running dispatch: they see every instruction and change nothing.
//!
//! An observer is a type parameter of the loop that runs waves, and its methods are empty where it does not say otherwise: a dispatch
//! that nobody observes runs code in which there is no observer.

mod profile;

pub use profile::Profile;

use crate::machine::{Op, Wave};

/// Sees what a dispatch does. Each worker of a dispatch has an observer of its own, forked from the one that was given, which takes
/// them in at the end.
pub trait Observer: Send {
    /// An observer for a worker.
    fn fork(&self) -> Self
    where
        Self: Sized;
    /// Takes in what a worker's observer has seen.
    fn join(&mut self, worker: Self)
    where
        Self: Sized;
    /// A work-group begins, of so many waves.
    fn group(&mut self, _id: [u32; 3], _waves: usize) {}
    /// An instruction at a guest address is about to run; the wave's pc already points behind it.
    fn before(&mut self, _wave: &Wave, _op: &Op, _pc: u64) {}
    /// It has run, and did not fault.
    fn after(&mut self, _wave: &Wave, _op: &Op, _pc: u64) {}
}

/// Nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Observer for Nobody {
    fn fork(&self) -> Nobody {
        Nobody
    }
    fn join(&mut self, _: Nobody) {}
}
