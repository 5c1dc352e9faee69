//! The MODE register: its floating-point fields, as the pure functions see them, and the numbers of its bits.

/// Rounding of a floating-point result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Round {
    /// To nearest, ties to even.
    #[default]
    NearestEven,
    /// Toward positive infinity.
    TowardPositive,
    /// Toward negative infinity.
    TowardNegative,
    /// Toward zero.
    TowardZero,
}

/// Floating-point mode of a wave: rounding, denormals, NaN behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    /// Rounding of f32 results.
    pub round32: Round,
    /// Rounding of f64 and f16 results.
    pub round64: Round,
    /// f32 denormal sources are kept (false: flushed to signed zero).
    pub denorm_in32: bool,
    /// f32 denormal results are kept.
    pub denorm_out32: bool,
    /// f64 and f16 denormal sources are kept.
    pub denorm_in64: bool,
    /// f64 and f16 denormal results are kept.
    pub denorm_out64: bool,
    /// Clamping a NaN gives 0 (false: NaN stays).
    pub dx10_clamp: bool,
    /// Signalling NaNs are quieted, min and max follow IEEE 754-2008.
    pub ieee: bool,
}

impl Mode {
    /// The fields for f32 rounding, as they stand in the MODE register.
    pub const ROUND32: u32 = 0x3;
    /// Those for f16 and f64 rounding.
    pub const ROUND64: u32 = 0xc;
    /// The bit for f32 denormal sources.
    pub const IN32: u32 = 0x10;
    /// The bit for f32 denormal results.
    pub const OUT32: u32 = 0x20;
    /// The bit for f16 and f64 denormal sources.
    pub const IN64: u32 = 0x40;
    /// The bit for f16 and f64 denormal results.
    pub const OUT64: u32 = 0x80;
    /// The bit for DX10_CLAMP.
    pub const DX10_CLAMP: u32 = 0x100;
    /// The bit for IEEE.
    pub const IEEE: u32 = 0x200;
    /// All fields, DX10_CLAMP too.
    pub const FIELDS: u32 = 0x3ff;
    /// The bits of [`Mode::HIP`].
    pub const HIP_BITS: u32 = 0x3f0;

    /// The bit for VGPR operands that an index in M0 is added to (s_set_gpr_idx_on).
    pub const INDEXED: u32 = 1 << 27;
    /// The bit for vector instructions that do nothing (s_setvskip).
    pub const SKIPPED: u32 = 1 << 28;
    /// The bits that change what all vector instructions do.
    pub const VECTOR: u32 = Mode::INDEXED | Mode::SKIPPED;

    /// What HIP compiles kernels for: nearest even, all denormals kept, DX10_CLAMP and IEEE on.
    pub const HIP: Mode = Mode {
        round32: Round::NearestEven,
        round64: Round::NearestEven,
        denorm_in32: true,
        denorm_out32: true,
        denorm_in64: true,
        denorm_out64: true,
        dx10_clamp: true,
        ieee: true,
    };

    /// From bits 0..=9 of the MODE register (round, denorm, dx10_clamp, ieee), as the kernel descriptor and s_setreg give them.
    pub fn from_bits(bits: u32) -> Mode {
        let round = |b: u32| match b & 3 {
            0 => Round::NearestEven,
            1 => Round::TowardPositive,
            2 => Round::TowardNegative,
            _ => Round::TowardZero,
        };
        Mode {
            round32: round(bits),
            round64: round(bits >> 2),
            denorm_in32: bits >> 4 & 1 != 0,
            denorm_out32: bits >> 5 & 1 != 0,
            denorm_in64: bits >> 6 & 1 != 0,
            denorm_out64: bits >> 7 & 1 != 0,
            dx10_clamp: bits >> 8 & 1 != 0,
            ieee: bits >> 9 & 1 != 0,
        }
    }
}
