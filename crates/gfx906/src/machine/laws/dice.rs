//! Seeded random numbers, the same on every machine, and the special values of arithmetic and bit operations.

/// A random generator (SplitMix64), which is small and good enough to pick cases.
#[derive(Clone)]
pub struct Dice(u64);

impl Dice {
    /// Creates the stream of a name and two numbers under the run's seed.
    pub fn new(name: &str, a: u64, b: u64) -> Dice {
        let mut dice = Dice(super::seed() ^ a.rotate_left(40) ^ b.rotate_left(20));
        for byte in name.bytes() {
            dice.0 = dice.next() ^ u64::from(byte);
        }
        dice
    }

    /// Draws 64 bits.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Draws a number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }

    /// Draws an element of a list.
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// True in `n` of a hundred cases.
    pub fn percent(&mut self, n: usize) -> bool {
        self.below(100) < n
    }

    /// Draws a dword: random bits, an edge value of a 32-bit type, two edge values of 16-bit types, the high half of an f64's edge value,
    /// or a small number.
    pub fn dword(&mut self) -> u32 {
        match self.below(8) {
            0..=2 => self.next() as u32,
            3 => self.pick(EDGES32),
            4 => u32::from(self.pick(EDGES16)) | u32::from(self.pick(EDGES16)) << 16,
            5 => self.pick(EDGES64),
            // The floats have ordinary magnitudes.
            6 => self.next() as u32 & 0x81ff_ffff | 0x3e00_0000,
            _ => (self.below(72) as u32).wrapping_sub(4),
        }
    }
}

/// Zeros, infinities, NaNs of both kinds, subnormals, the largest and smallest normal f32, limits of integers.
const EDGES32: &[u32] = &[
    0,
    0x8000_0000,
    1,
    !0,
    0x7fff_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x7f80_0001,
    0xffa0_0001,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x0080_0000,
    0x007f_ffff,
    0x8000_0001,
    0x3f80_0000,
    0xbf80_0000,
    0x3f00_0000,
    0x4f00_0000,
    0x0000_ffff,
    0xffff_0000,
];

/// The same edge values of f16 and 16-bit integers.
const EDGES16: &[u16] = &[
    0, 0x8000, 1, 0xffff, 0x7fff, 0x7c00, 0xfc00, 0x7e00, 0x7c01, 0xfd00, 0x7bff, 0xfbff, 0x0400,
    0x03ff, 0x8001, 0x3c00, 0xbc00, 0x3800, 0x4248, 0xc000,
];

/// High dwords of the edge values of f64.
const EDGES64: &[u32] = &[
    0x7ff0_0000,
    0xfff0_0000,
    0x7ff8_0000,
    0x7ff0_0001,
    0x7fef_ffff,
    0x0010_0000,
    0x000f_ffff,
    0x3ff0_0000,
    0xbfe0_0000,
    0x4000_0000,
    0x41e0_0000,
];
