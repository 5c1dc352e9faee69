//! Inline constants: the numbers that an operand's code encodes.

/// Returns the 32-bit value of an inline constant or of the literal, or `None` for a code that is no number.
#[inline(always)]
pub fn inline_constant(code: u16, literal: u32) -> Option<u32> {
    match code {
        128..=192 => Some(u32::from(code) - 128),
        193..=208 => Some((192 - i32::from(code)) as u32),
        240..=248 => Some(F32_CONSTANTS[usize::from(code - 240)]),
        255 => Some(literal),
        _ => None,
    }
}

/// The inline floats 0.5 -0.5 1 -1 2 -2 4 -4 1/(2 pi), as f32 bits.
pub const F32_CONSTANTS: [u32; 9] = [
    0x3f00_0000,
    0xbf00_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x4000_0000,
    0xc000_0000,
    0x4080_0000,
    0xc080_0000,
    0x3e22_f983,
];

/// The inline floats as f64 bits.
pub const F64_CONSTANTS: [u64; 9] = [
    0x3fe0_0000_0000_0000,
    0xbfe0_0000_0000_0000,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000,
    0x4000_0000_0000_0000,
    0xc000_0000_0000_0000,
    0x4010_0000_0000_0000,
    0xc010_0000_0000_0000,
    0x3fc4_5f30_6dc9_c882,
];

/// The inline floats as f16 bits.
pub const F16_CONSTANTS: [u16; 9] = [
    0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118,
];
