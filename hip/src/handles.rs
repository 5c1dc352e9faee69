//! Handles that callers hold: numbers that no pointer has, looked up and never followed.

use std::collections::HashMap;

use crate::boundary::Address;

/// What handles of one kind stand for.
pub struct Handles<T> {
    next: u64,
    held: HashMap<u64, T>,
}

/// A kind of handle, in bits that no address of a host program has: to follow one faults at once, on both sides.
#[derive(Clone, Copy, Debug)]
#[repr(u64)]
pub enum Tag {
    /// A stream.
    Stream = 0x1a01 << 48,
    /// An event.
    Event = 0x1a02 << 48,
    /// A module.
    Module = 0x1a03 << 48,
    /// A kernel of a module.
    Function = 0x1a04 << 48,
    /// A library.
    Library = 0x1a07 << 48,
    /// Objects of the linker of code.
    Link = 0x1a31 << 48,
    /// A registered fat binary.
    Binary = 0x1a05 << 48,
    /// A memory pool.
    Pool = 0x1a20 << 48,
    /// Memory that is mapped to reserved addresses.
    Physical = 0x1a21 << 48,
    /// An array.
    Array = 0x1a22 << 48,
    /// The context.
    Context = 0x1a06 << 48,
    /// A graph.
    Graph = 0x1a11 << 48,
    /// A node of a graph.
    Node = 0x1a12 << 48,
    /// A graph that can be launched.
    Exec = 0x1a13 << 48,
    /// A program of hipRTC's.
    Program = 0x1a30 << 48,
    /// An object of the program's that graphs hold.
    User = 0x1a14 << 48,
}

/// The handle of the one context.
pub const CONTEXT: Address = Tag::Context as Address;

impl<T> Handles<T> {
    /// None yet.
    pub fn new(tag: Tag) -> Handles<T> {
        Handles {
            next: tag as u64 + 16,
            held: HashMap::new(),
        }
    }

    /// A new handle. None is given out twice.
    pub fn insert(&mut self, value: T) -> u64 {
        let handle = self.next;
        self.next += 16;
        self.held.insert(handle, value);
        handle
    }

    /// What a handle stands for.
    pub fn get(&self, handle: u64) -> Option<&T> {
        self.held.get(&handle)
    }

    /// What a handle stands for.
    pub fn get_mut(&mut self, handle: u64) -> Option<&mut T> {
        self.held.get_mut(&handle)
    }

    /// Gives a handle up.
    pub fn remove(&mut self, handle: u64) -> Option<T> {
        self.held.remove(&handle)
    }

    /// Gives up every handle whose value does not satisfy a condition.
    pub fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        self.held.retain(|_, value| keep(value));
    }

    /// Gives up all.
    pub fn clear(&mut self) -> impl Iterator<Item = T> {
        std::mem::take(&mut self.held).into_values()
    }

    /// Everything held.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.held.values()
    }

    /// Everything held.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.held.values_mut()
    }
}
