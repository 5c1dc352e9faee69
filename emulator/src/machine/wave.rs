//! A wave: 64 lanes, their registers, and what the wave sees around it.

use std::ops::{Deref, DerefMut};

use super::forms::MODES;
use super::lds::Lds;
use super::memory::AddressSpace;
use super::op::SLOTS;
use super::poison::Poison;
use super::shapes::indexing::{INDEXED, SKIPPED};
use crate::isa::Code;
use crate::semantics::Mode;

/// Lanes of a wave.
pub const LANES: usize = 64;

/// Vector registers of a wave, slots included.
pub const REGISTERS: usize = 256 + SLOTS;

/// A vector register: one dword a lane.
pub type Lanes = [u32; LANES];

/// What starts at a cache line: rows of lanes on the stack that do not would make every other vector move of 64 bytes two.
#[repr(align(64))]
#[derive(Clone, Copy)]
pub struct Aligned<T>(pub T);

impl<T> Deref for Aligned<T> {
    type Target = T;
    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Aligned<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

/// What a wave sees around it: the address space and its group's LDS.
pub struct Env<'a> {
    /// Device memory.
    pub memory: &'a AddressSpace,
    /// The region that the last access hit.
    pub last: usize,
    /// The group's LDS.
    pub lds: Lds,
    /// Clock of the dispatch, in instructions of this worker: what s_memtime reads.
    pub clock: u64,
    /// Whether this worker has stored to memory since its last fence.
    pub stored: bool,
}

/// The vector registers of a wave, each at the start of a cache line.
#[repr(align(64))]
#[derive(Clone, PartialEq)]
pub struct Registers([Lanes; REGISTERS]);

impl Deref for Registers {
    type Target = [Lanes; REGISTERS];
    #[inline(always)]
    fn deref(&self) -> &[Lanes; REGISTERS] {
        &self.0
    }
}

impl DerefMut for Registers {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [Lanes; REGISTERS] {
        &mut self.0
    }
}

/// What a vector instruction has computed, lane by lane, before it is written back.
#[repr(align(64))]
#[derive(Clone, Copy)]
pub struct Results {
    /// The value's low register.
    pub lo: Lanes,
    /// Its high register, where it takes two.
    pub hi: Lanes,
    /// Its bit of a mask: 0 or 1.
    pub bits: [u8; LANES],
}

/// The state of a wave.
pub struct Wave {
    /// Vector registers, register-major; behind them the slots that operands from elsewhere are brought to.
    pub v: Box<Registers>,
    /// Scalar registers at their encoded numbers: SGPRs, FLAT_SCRATCH, XNACK_MASK, VCC, TTMP, M0 and EXEC.
    pub s: [u32; 128],
    /// The scalar condition code.
    pub scc: bool,
    /// Guest address of the next instruction.
    pub pc: u64,
    /// The floating-point mode, decoded from `mode_bits`.
    mode: Mode,
    mode_bits: u32,
    vgprs: u16,
    limit: u16,
    /// The wave's number within its group.
    pub index: u32,
    /// Results of the vector instruction that runs.
    pub results: Results,
    mask: Lanes,
    mask_of: u64,
}

impl Wave {
    /// A wave with poisoned vector registers; what its scalar ones hold is for the dispatch to say.
    pub fn new() -> Wave {
        Wave {
            v: Box::new(Registers([[Poison::Register.word(); LANES]; REGISTERS])),
            s: [0; 128],
            scc: false,
            pc: 0,
            mode: Mode::HIP,
            mode_bits: Mode::HIP_BITS,
            vgprs: 256,
            limit: 256,
            index: 0,
            results: Results {
                lo: [0; LANES],
                hi: [0; LANES],
                bits: [0; LANES],
            },
            mask: [!0; LANES],
            mask_of: !0,
        }
    }

    /// The floating-point mode.
    #[inline(always)]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Whether the floating-point mode is `Mode::HIP`.
    #[inline(always)]
    pub fn in_hip_mode(&self) -> bool {
        self.mode_bits & Mode::FIELDS == Mode::HIP_BITS
    }

    /// The MODE register.
    pub fn mode_bits(&self) -> u32 {
        self.mode_bits
    }

    /// Sets the MODE register.
    pub fn set_mode_bits(&mut self, bits: u32) {
        self.mode_bits = bits;
        self.mode = Mode::from_bits(bits);
        self.limit = if bits & MODES == 0 { self.vgprs } else { 0 };
    }

    /// Number of VGPRs the kernel asked for.
    pub fn vgprs(&self) -> u16 {
        self.vgprs
    }

    /// Sets the number of VGPRs.
    pub fn set_vgprs(&mut self, vgprs: u16) {
        self.vgprs = vgprs;
        self.set_mode_bits(self.mode_bits);
    }

    /// Instructions that need more VGPRs than this take the long way: none has so many, or the mode says so.
    #[inline(always)]
    pub fn limit(&self) -> u16 {
        self.limit
    }

    /// Whether vector instructions do nothing (s_setvskip).
    #[inline(always)]
    pub fn skips_vector(&self) -> bool {
        self.mode_bits & SKIPPED != 0
    }

    /// Whether an index in M0 is added to VGPR operands (s_set_gpr_idx_on).
    pub fn indexes_vgprs(&self) -> bool {
        self.mode_bits & INDEXED != 0
    }

    /// EXEC: one bit a lane.
    #[inline(always)]
    pub fn exec(&self) -> u64 {
        self.s[126] as u64 | (self.s[127] as u64) << 32
    }

    /// VCC: one bit a lane.
    #[inline(always)]
    pub fn vcc(&self) -> u64 {
        self.s[106] as u64 | (self.s[107] as u64) << 32
    }

    /// EXEC as a lane mask: all ones where the lane is on.
    #[inline(always)]
    pub fn lane_mask(&mut self) -> &Lanes {
        let exec = self.exec();
        if exec != self.mask_of {
            self.mask = expand(exec);
            self.mask_of = exec;
        }
        &self.mask
    }

    /// The lanes of a mask, all ones where its bit is set.
    #[inline(always)]
    pub fn mask_of(&mut self, lanes: u64) -> Lanes {
        if lanes == self.exec() {
            *self.lane_mask()
        } else {
            expand(lanes)
        }
    }

    /// A scalar source of 32 bits: register, constant or literal. VGPRs read lane 0's value; callers exclude them.
    #[inline(always)]
    pub fn scalar32(&self, code: Code, literal: u32) -> u32 {
        match code.0 {
            c @ 0..=127 => self.s[c as usize],
            c => self.constant32(c, literal),
        }
    }

    fn constant32(&self, code: u16, literal: u32) -> u32 {
        if let Some(constant) = inline_constant(code, literal) {
            return constant;
        }
        match code {
            235 => (super::SHARED_BASE >> 32) as u32,
            236 => (super::SHARED_LIMIT >> 32) as u32,
            237 => (super::PRIVATE_BASE >> 32) as u32,
            238 => (super::PRIVATE_LIMIT >> 32) as u32,
            251 => (self.vcc() == 0) as u32,
            252 => (self.exec() == 0) as u32,
            253 => self.scc as u32,
            256..=511 => self.v[(code - 256) as usize][0],
            _ => 0,
        }
    }

    /// A scalar source of 64 bits a register pair, an inline constant sign-extended, or a literal
    /// zero-extended.
    #[inline(always)]
    pub fn scalar64(&self, code: Code, literal: u32) -> u64 {
        match code.0 {
            c @ 0..=127 => self.pair(c as usize),
            193..=208 => self.constant32(code.0, literal) as i32 as i64 as u64,
            235 => super::SHARED_BASE,
            236 => super::SHARED_LIMIT,
            237 => super::PRIVATE_BASE,
            238 => super::PRIVATE_LIMIT,
            c @ 240..=248 => F64_CONSTANTS[(c - 240) as usize],
            c => self.constant32(c, literal) as u64,
        }
    }

    #[inline(always)]
    fn pair(&self, n: usize) -> u64 {
        self.s[n & 127] as u64 | (self.s[(n + 1) & 127] as u64) << 32
    }

    /// Writes a scalar register.
    #[inline(always)]
    pub fn set_scalar32(&mut self, code: Code, value: u32) {
        if let Some(register) = self.s.get_mut(code.0 as usize) {
            *register = value;
        }
    }

    /// Writes a scalar register pair.
    #[inline(always)]
    pub fn set_scalar64(&mut self, code: Code, value: u64) {
        self.set_scalar32(code, value as u32);
        self.set_scalar32(Code(code.0 + 1), (value >> 32) as u32);
    }
}

impl Default for Wave {
    fn default() -> Wave {
        Wave::new()
    }
}

/// The 32 bits of an inline constant or of the literal.
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

/// One bit a lane to one dword a lane, all ones where the bit is set.
#[inline(always)]
pub fn expand(mask: u64) -> Lanes {
    let mut out = [0; LANES];
    let (lo, hi) = out.split_at_mut(LANES / 2);
    for (half, bits) in [(lo, mask as u32), (hi, (mask >> 32) as u32)] {
        for (l, lane) in half.iter_mut().enumerate() {
            *lane = 0u32.wrapping_sub(bits >> l & 1);
        }
    }
    out
}

/// One byte a lane (0 or 1) to one bit a lane.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn collect(lanes: &[u8; LANES]) -> u64 {
    use std::arch::x86_64::{__m128i, _mm_movemask_epi8, _mm_slli_epi16};
    let chunks: &[__m128i; 4] = &bytemuck::cast(*lanes);
    let mut mask = 0;
    for (n, &bytes) in chunks.iter().enumerate() {
        // SAFETY: every x86-64 has SSE2.
        let bits = unsafe { _mm_movemask_epi8(_mm_slli_epi16::<7>(bytes)) };
        mask |= u64::from(bits as u16) << (16 * n);
    }
    mask
}

/// One byte a lane (0 or 1) to one bit a lane.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub fn collect(lanes: &[u8; LANES]) -> u64 {
    let mut mask = 0;
    for (n, chunk) in lanes.as_chunks::<8>().0.iter().enumerate() {
        let bytes = u64::from_le_bytes(*chunk);
        mask |= (bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * n);
    }
    mask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_wave_is_in_the_mode_that_its_bits_say() {
        let mut wave = Wave::new();
        assert!(wave.in_hip_mode() && wave.mode() == Mode::HIP);
        wave.set_mode_bits(wave.mode_bits());
        assert!(wave.in_hip_mode() && wave.mode() == Mode::HIP);
    }

    #[test]
    fn expand_and_collect_are_inverse() {
        for mask in [0, 1, !0, 1 << 63, 0xdead_beef_0123_4567] {
            let lanes = expand(mask).map(|x| (x & 1) as u8);
            assert_eq!(collect(&lanes), mask);
        }
    }
}
