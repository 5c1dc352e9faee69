//! Handles of the caller: numbers that are no valid pointers. The runtime looks them up and never dereferences them.

use std::collections::HashMap;

use crate::boundary::Address;

/// Values by their handles, for one kind of handle.
pub struct Handles<T> {
    next: u64,
    held: HashMap<u64, T>,
}

/// Kind of handle, in bits that no address of a host program has. A dereferenced handle faults at once, on host and device.
#[derive(Clone, Copy, Debug)]
#[repr(u64)]
pub enum Tag {
    /// Stream.
    Stream = 0x1a01 << 48,
    /// Event.
    Event = 0x1a02 << 48,
    /// Module.
    Module = 0x1a03 << 48,
    /// Kernel of a module.
    Function = 0x1a04 << 48,
    /// Library.
    Library = 0x1a07 << 48,
    /// Object of the code linker.
    Link = 0x1a31 << 48,
    /// Registered fat binary.
    Binary = 0x1a05 << 48,
    /// Memory pool.
    Pool = 0x1a20 << 48,
    /// Physical memory that is mapped to reserved addresses.
    Physical = 0x1a21 << 48,
    /// Array.
    Array = 0x1a22 << 48,
    /// Context.
    Context = 0x1a06 << 48,
    /// Graph.
    Graph = 0x1a11 << 48,
    /// Node of a graph.
    Node = 0x1a12 << 48,
    /// Executable graph.
    Exec = 0x1a13 << 48,
    /// Program of hipRTC.
    Program = 0x1a30 << 48,
    /// User object that graphs keep alive.
    User = 0x1a14 << 48,
}

/// Handle of the only context.
pub const CONTEXT: Address = Tag::Context as Address;

impl<T> Handles<T> {
    /// Returns an empty table.
    pub fn new(tag: Tag) -> Handles<T> {
        Handles {
            next: tag as u64 + 16,
            held: HashMap::new(),
        }
    }

    /// Adds a value. Returns a handle that was never used before.
    pub fn insert(&mut self, value: T) -> u64 {
        let handle = self.next;
        self.next += 16;
        self.held.insert(handle, value);
        handle
    }

    /// Returns the handle of an equal value, or adds this one.
    pub fn find_or_insert(&mut self, value: T) -> u64
    where
        T: PartialEq,
    {
        let mut held = self.held.iter();
        let found = held.find_map(|(&handle, other)| (*other == value).then_some(handle));
        found.unwrap_or_else(|| self.insert(value))
    }

    /// Returns the value of a handle.
    pub fn get(&self, handle: u64) -> Option<&T> {
        self.held.get(&handle)
    }

    /// Returns the value of a handle.
    pub fn get_mut(&mut self, handle: u64) -> Option<&mut T> {
        self.held.get_mut(&handle)
    }

    /// Removes a handle and returns its value.
    pub fn remove(&mut self, handle: u64) -> Option<T> {
        self.held.remove(&handle)
    }

    /// Removes every handle whose value does not satisfy a condition.
    pub fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        self.held.retain(|_, value| keep(value));
    }

    /// Removes all handles and returns their values.
    pub fn clear(&mut self) -> impl Iterator<Item = T> {
        std::mem::take(&mut self.held).into_values()
    }

    /// Returns all values.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.held.values()
    }

    /// Returns all values.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.held.values_mut()
    }
}
