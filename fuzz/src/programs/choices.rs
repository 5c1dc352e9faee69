//! The source of a generator's choices: a seed, or a fuzzer's bytes and then a seed.

/// A stream of choices.
pub struct Choices<'a> {
    bytes: &'a [u8],
    state: u64,
}

impl<'a> Choices<'a> {
    /// Creates choices from a seed alone.
    pub fn from_seed(seed: u64) -> Choices<'static> {
        Choices {
            bytes: &[],
            state: seed,
        }
    }

    /// Creates choices from bytes, two for each choice. Once the bytes are used up, their hash is the seed of further choices.
    pub fn from_bytes(bytes: &'a [u8]) -> Choices<'a> {
        let state = bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, &b| {
            (hash ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)
        });
        Choices { bytes, state }
    }

    /// Returns 64 random bits.
    pub fn next(&mut self) -> u64 {
        // The generator is SplitMix64.
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `limit`.
    pub fn below(&mut self, limit: u32) -> u32 {
        let drawn = match self.bytes.split_first_chunk() {
            Some((first, rest)) => {
                self.bytes = rest;
                u16::from_le_bytes(*first).into()
            }
            None => (self.next() >> 32) as u32,
        };
        drawn % limit.max(1)
    }

    /// Returns true with a probability of `probability` percent.
    pub fn percent(&mut self, probability: u32) -> bool {
        self.below(100) < probability
    }

    /// Returns one of the elements.
    pub fn pick<T: Copy>(&mut self, elements: &[T]) -> T {
        elements[self.below(elements.len() as u32) as usize]
    }

    /// Returns a value that instructions treat specially, or any value.
    pub fn value(&mut self) -> u32 {
        const SPECIAL: [u32; 24] = [
            0,
            1,
            4,
            31,
            63,
            64,
            0xff,
            0x100,
            0x7fff,
            0x8000,
            0x7fff_ffff,
            0x8000_0000,
            !0,
            0x3f80_0000,
            0xbf80_0000,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_0000,
            0x7f80_0001,
            0x0040_0000,
            0x3c00_3c00,
            0x7c00_fc00,
            0x4f00_0000,
            0x0001_03ff,
        ];
        if self.percent(40) {
            self.next() as u32
        } else {
            self.pick(&SPECIAL)
        }
    }
}
