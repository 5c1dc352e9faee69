//! `hipMemoryType`, whose numbers changed their meaning in HIP 6.

use super::memory::Kind;
use crate::generation::Generation;

/// Type of memory in HIP's interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryType {
    /// Host memory that HIP does not know.
    Unregistered,
    /// Host memory.
    Host,
    /// Device memory.
    Device,
    /// Managed memory.
    Managed,
    /// Array.
    Array,
    /// Any memory, by its address.
    Unified,
}

/// Numbers of HIP 5, and of HIP 6 and 7. HIP 5 lacks some types and reports managed memory as the device's.
const NUMBERS: &[(MemoryType, Option<u32>, u32)] = &[
    (MemoryType::Unregistered, None, 0),
    (MemoryType::Host, Some(0), 1),
    (MemoryType::Device, Some(1), 2),
    (MemoryType::Managed, None, 3),
    (MemoryType::Array, Some(2), 10),
    (MemoryType::Unified, Some(3), 11),
];

impl MemoryType {
    /// Returns the type of an allocation.
    pub fn from_kind(kind: Kind) -> MemoryType {
        match kind {
            Kind::Device | Kind::Mapped => MemoryType::Device,
            Kind::Managed => MemoryType::Managed,
            Kind::Host | Kind::Registered => MemoryType::Host,
        }
    }

    /// Returns the number of a type.
    pub fn number(self, generation: Generation) -> u32 {
        if generation == Generation::Five {
            let named = match self {
                MemoryType::Managed => MemoryType::Device,
                MemoryType::Unregistered => MemoryType::Host,
                other => other,
            };
            let row = NUMBERS.iter().find(|row| row.0 == named);
            return row.and_then(|row| row.1).unwrap_or(0);
        }
        let row = NUMBERS.iter().find(|row| row.0 == self);
        row.map_or(0, |row| row.2)
    }

    /// Returns the type of a number.
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
            let memory_type = MemoryType::from_kind(kind);
            assert_eq!(memory_type.number(Generation::Five), five);
            assert_eq!(memory_type.number(Generation::Six), later);
            assert_eq!(memory_type.number(Generation::Seven), later);
        }
        let read = MemoryType::from_number;
        assert_eq!(read(2, Generation::Five), Some(MemoryType::Array));
        assert_eq!(read(2, Generation::Six), Some(MemoryType::Device));
        assert_eq!(read(10, Generation::Seven), Some(MemoryType::Array));
        assert_eq!(read(10, Generation::Five), None);
    }
}
