//! Contents of registers, LDS, scratch and memory that nobody has written.
//!
//! Each poison is a word of two equal halves that is absurd in every interpretation: a signalling NaN as f32 (a maximum keeps it, where a
//! quiet NaN would vanish), a NaN in either half as f16 or bf16, below -6e305 as the halves of an f64, and a negative integer with high
//! bits set, which is no valid index, address or LDS offset. Its sign bit is set, so that an arithmetic shift leaves all ones and no valid
//! 0.
//!
//! The four poisons differ in a payload that arithmetic and conversions keep, so that a NaN in a result identifies the memory that was
//! never written. They are four apart, so that rounding up to a neighbour (an f32 to bf16 by adding to its bits) does not turn one poison
//! into another.

/// Kind of memory that nobody has written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Poison {
    /// Registers: VGPRs, and SGPRs that the ABI does not set.
    Register,
    /// LDS at the start of a work-group.
    Lds,
    /// Scratch at the start of a wave.
    Scratch,
    /// Device memory, if its owner requests poison.
    Memory,
}

impl Poison {
    /// All kinds.
    pub const ALL: [Poison; 4] = [
        Poison::Register,
        Poison::Lds,
        Poison::Scratch,
        Poison::Memory,
    ];

    /// Returns the poison word.
    pub const fn word(self) -> u32 {
        let half = self.half() as u32;
        half << 16 | half
    }

    /// Returns either half of the poison word.
    pub const fn half(self) -> u16 {
        match self {
            Poison::Register => 0xffa1,
            Poison::Lds => 0xffa5,
            Poison::Scratch => 0xffa9,
            Poison::Memory => 0xffad,
        }
    }
}

#[cfg(test)]
mod tests {
    use half::{bf16, f16};

    use super::*;

    /// A poison that is a plain value in one interpretation hides the mistake. The former register poison, 0x7fa5a5a5, had a clear sign
    /// bit, and shifting it down gave a valid 0.
    #[test]
    fn every_poison_is_absurd_however_it_is_read() {
        for poison in Poison::ALL {
            let word = poison.word();
            assert!(f32::from_bits(word).is_nan(), "{poison:?}");
            assert_eq!(word & 1 << 22, 0, "{poison:?} signals as f32");
            for half in [word as u16, (word >> 16) as u16] {
                assert!(f16::from_bits(half).is_nan(), "{poison:?} as f16");
                assert!(bf16::from_bits(half).is_nan(), "{poison:?} as bf16");
                assert!((half as i16) < 0 && half > 65_000, "{poison:?} as 16 bits");
            }
            let wide = f64::from_bits(u64::from(word) << 32 | u64::from(word));
            assert!(wide < -6e305, "{poison:?} as f64: {wide:e}");
            let signed = word as i32;
            assert!(signed < -5_000_000, "{poison:?} as an index");
            assert!(word > u32::MAX - (1 << 24), "{poison:?} as an index");
            assert_eq!(signed >> 31, -1, "{poison:?}: its sign, spread");
            assert!(f32::from_bits((signed >> 31) as u32).is_nan());
        }
    }

    #[test]
    fn poisons_stay_apart_quiet_rounded_up_and_narrowed() {
        let narrowed = |word: u32| word >> 13 & 0x3ff;
        for (n, a) in Poison::ALL.into_iter().enumerate() {
            for b in Poison::ALL.into_iter().skip(n + 1) {
                let quiet = |p: Poison| p.word() | 1 << 22;
                assert_ne!(a.half(), b.half());
                assert_ne!(a.half() + 1, b.half());
                assert_ne!(quiet(a) >> 16, quiet(b) >> 16);
                assert_ne!((quiet(a) >> 16) + 1, quiet(b) >> 16);
                assert_ne!(narrowed(quiet(a)), narrowed(quiet(b)), "as f16");
            }
        }
    }
}
