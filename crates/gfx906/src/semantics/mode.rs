//! The MODE register: its floating-point fields as the pure functions use them, and the positions of its bits.

/// Rounding of a floating-point result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Round {
    /// Rounds to nearest, ties to even.
    #[default]
    NearestEven,
    /// Rounds toward positive infinity.
    TowardPositive,
    /// Rounds toward negative infinity.
    TowardNegative,
    /// Rounds toward zero.
    TowardZero,
}

/// Floating-point mode of a wave: rounding, denormals, NaN behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    /// Rounding of f32 results.
    pub round32: Round,
    /// Rounding of f64 and f16 results.
    pub round64: Round,
    /// True: f32 denormal sources are kept. False: they are flushed to signed zero.
    pub denorm_in32: bool,
    /// True: f32 denormal results are kept.
    pub denorm_out32: bool,
    /// True: f64 and f16 denormal sources are kept.
    pub denorm_in64: bool,
    /// True: f64 and f16 denormal results are kept.
    pub denorm_out64: bool,
    /// True: clamping a NaN gives 0. False: the NaN stays.
    pub dx10_clamp: bool,
    /// True: signalling NaNs are quieted, and min and max follow IEEE 754-2008.
    pub ieee: bool,
}

impl Mode {
    /// Field of f32 rounding in the MODE register.
    pub const ROUND32: u32 = 0x3;
    /// Field of f16 and f64 rounding.
    pub const ROUND64: u32 = 0xc;
    /// Bit of f32 denormal sources.
    pub const IN32: u32 = 0x10;
    /// Bit of f32 denormal results.
    pub const OUT32: u32 = 0x20;
    /// Bit of f16 and f64 denormal sources.
    pub const IN64: u32 = 0x40;
    /// Bit of f16 and f64 denormal results.
    pub const OUT64: u32 = 0x80;
    /// Bit of DX10_CLAMP.
    pub const DX10_CLAMP: u32 = 0x100;
    /// Bit of IEEE.
    pub const IEEE: u32 = 0x200;
    /// Bit of FP16_OVFL: f16 results that overflow become the largest finite number. It is not among the fields, as pure functions do not heed it.
    pub const FP16_OVERFLOW: u32 = 1 << 23;
    /// All fields, including DX10_CLAMP.
    pub const FIELDS: u32 = 0x3ff;
    /// Bits of [`Mode::HIP`].
    pub const HIP_BITS: u32 = 0x3f0;

    /// Bit of VGPR indexing, which adds an index in M0 to VGPR operands (s_set_gpr_idx_on).
    pub const INDEXED: u32 = 1 << 27;
    /// Bit that turns vector instructions into no-ops (s_setvskip).
    pub const SKIPPED: u32 = 1 << 28;
    /// Bits that change the effect of all vector instructions.
    pub const VECTOR: u32 = Mode::INDEXED | Mode::SKIPPED;

    /// The mode for which HIP compiles kernels: nearest even, all denormals kept, DX10_CLAMP and IEEE on.
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

    /// Reads the mode from bits 0..=9 of the MODE register (round, denorm, dx10_clamp, ieee), which the kernel descriptor and s_setreg set.
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
