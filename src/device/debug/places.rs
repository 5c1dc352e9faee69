//! Places of values: registers, LDS and memory.

use super::timeline::Timeline;

/// A wave of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WaveId {
    /// Number of the launch.
    pub launch: usize,
    /// Position of the group in the order in which groups begin.
    pub place: u64,
    /// Number of the wave within the group.
    pub wave: usize,
}

/// The place of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Device memory from a guest address on.
    Memory(u64),
    /// LDS of the current group from a byte on.
    Lds(u32),
    /// A lane of a VGPR.
    Vgpr {
        /// The wave.
        wave: WaveId,
        /// Number of the register.
        register: u16,
        /// The lane.
        lane: usize,
    },
    /// A scalar register by its encoded number.
    Sgpr {
        /// The wave.
        wave: WaveId,
        /// Number of the register.
        register: u16,
    },
}

impl Place {
    /// Reads bytes. Returns none if the place does not exist at the present moment.
    pub fn read(&self, timeline: &Timeline, bytes: usize) -> Option<Vec<u8>> {
        let stepper = timeline.stepper()?;
        match *self {
            Place::Memory(address) => {
                let mut data = vec![0; bytes];
                stepper.read(address, &mut data).then_some(data)
            }
            Place::Lds(at) => {
                let all: Vec<u8> = lds_bytes(stepper.lds().words(), at as usize, bytes)?;
                Some(all)
            }
            Place::Vgpr {
                wave,
                register,
                lane,
            } => {
                let found = stepper
                    .waves()
                    .get(wave.wave)
                    .filter(|_| timeline.has(wave))?;
                let words = bytes.div_ceil(4);
                let mut data = Vec::new();
                for register in usize::from(register)..usize::from(register) + words {
                    let value = found.v.get(register)?.get(lane)?;
                    data.extend(value.to_le_bytes());
                }
                data.truncate(bytes);
                Some(data)
            }
            Place::Sgpr { wave, register } => {
                let found = stepper
                    .waves()
                    .get(wave.wave)
                    .filter(|_| timeline.has(wave))?;
                let words = bytes.div_ceil(4);
                let registers = usize::from(register)..usize::from(register) + words;
                let values = found.s.get(registers)?.iter();
                let mut data: Vec<u8> = values.flat_map(|value| value.to_le_bytes()).collect();
                data.truncate(bytes);
                Some(data)
            }
        }
    }
}

fn lds_bytes(words: &[u32], at: usize, bytes: usize) -> Option<Vec<u8>> {
    let end = at.checked_add(bytes)?;
    let touched = words.get(at / 4..end.div_ceil(4))?;
    let all: Vec<u8> = touched.iter().flat_map(|word| word.to_le_bytes()).collect();
    all.get(at % 4..at % 4 + bytes).map(<[u8]>::to_vec)
}
