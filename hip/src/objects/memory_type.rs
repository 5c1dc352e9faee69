//! `hipMemoryType`: numbers that HIP 6 gave another meaning.

use super::memory::Kind;
use crate::generation::Generation;

/// What memory is, as HIP's interface has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryType {
    /// Memory of the host that HIP does not know.
    Unregistered,
    /// Memory of the host.
    Host,
    /// Memory of the device.
    Device,
    /// Memory of both.
    Managed,
    /// An array.
    Array,
    /// Whatever the address says.
    Unified,
}

/// Numbers of HIP 5, which has no other types and calls managed memory the device's; and of HIP 6 and 7.
const NUMBERS: &[(MemoryType, Option<u32>, u32)] = &[
    (MemoryType::Unregistered, None, 0),
    (MemoryType::Host, Some(0), 1),
    (MemoryType::Device, Some(1), 2),
    (MemoryType::Managed, None, 3),
    (MemoryType::Array, Some(2), 10),
    (MemoryType::Unified, Some(3), 11),
];

impl MemoryType {
    /// Of an allocation.
    pub fn of(kind: Kind) -> MemoryType {
        match kind {
            Kind::Device | Kind::Mapped => MemoryType::Device,
            Kind::Managed => MemoryType::Managed,
            Kind::Host | Kind::Registered => MemoryType::Host,
        }
    }

    /// Its number.
    pub fn number(self, generation: Generation) -> u32 {
        if generation == Generation::Five {
            let known = match self {
                MemoryType::Managed => MemoryType::Device,
                MemoryType::Unregistered => MemoryType::Host,
                other => other,
            };
            let row = NUMBERS.iter().find(|row| row.0 == known);
            return row.and_then(|row| row.1).unwrap_or(0);
        }
        let row = NUMBERS.iter().find(|row| row.0 == self);
        row.map_or(0, |row| row.2)
    }

    /// The type that a program means by a number.
    pub fn from_number(number: u32, generation: Generation) -> Option<MemoryType> {
        let row = NUMBERS.iter().find(|row| match generation {
            Generation::Five => row.1 == Some(number),
            _ => row.2 == number,
        });
        row.map(|row| row.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_changed_with_six() {
        for (kind, five, later) in [
            (Kind::Host, 0, 1),
            (Kind::Registered, 0, 1),
            (Kind::Device, 1, 2),
            (Kind::Managed, 1, 3),
        ] {
            let found = MemoryType::of(kind);
            assert_eq!(found.number(Generation::Five), five);
            assert_eq!(found.number(Generation::Six), later);
            assert_eq!(found.number(Generation::Seven), later);
        }
        let read = MemoryType::from_number;
        assert_eq!(read(2, Generation::Five), Some(MemoryType::Array));
        assert_eq!(read(2, Generation::Six), Some(MemoryType::Device));
        assert_eq!(read(10, Generation::Seven), Some(MemoryType::Array));
        assert_eq!(read(10, Generation::Five), None);
    }
}
