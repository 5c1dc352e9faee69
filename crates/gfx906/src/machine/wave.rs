//! A wave: 64 lanes and their registers.

use super::memory::{PRIVATE_BASE, PRIVATE_LIMIT, SHARED_BASE, SHARED_LIMIT};
use super::registers::{CacheAligned, LANES, Lanes, Registers, Results, expand};
use crate::isa::{Code, F64_CONSTANTS, inline_constant};
use crate::semantics::Mode;

/// The state of a wave.
#[derive(Clone)]
pub struct Wave {
    /// Vector registers, register-major. Behind them stand the slots for sources that are not VGPRs.
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
    /// Results of the running vector instruction.
    pub results: Results,
    /// EXEC as a lane mask, and the EXEC that it belongs to.
    mask: CacheAligned<Lanes>,
    mask_of: u64,
    /// The last other lane mask.
    other: CacheAligned<Lanes>,
}

impl Wave {
    /// Creates a wave with poisoned vector registers. The dispatch sets its scalar registers.
    pub fn new() -> Wave {
        Wave {
            v: Box::new(Registers::poisoned()),
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
            mask: CacheAligned([!0; LANES]),
            mask_of: !0,
            other: CacheAligned([0; LANES]),
        }
    }

    /// Returns the floating-point mode.
    #[inline(always)]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Returns true if the floating-point mode is `Mode::HIP`.
    #[inline(always)]
    pub fn in_hip_mode(&self) -> bool {
        self.mode_bits & Mode::FIELDS == Mode::HIP_BITS
    }

    /// Returns the MODE register.
    pub fn mode_bits(&self) -> u32 {
        self.mode_bits
    }

    /// Sets the MODE register.
    pub fn set_mode_bits(&mut self, bits: u32) {
        self.mode_bits = bits;
        self.mode = Mode::from_bits(bits);
        self.limit = if bits & Mode::VECTOR == 0 {
            self.vgprs
        } else {
            0
        };
    }

    /// Returns the number of VGPRs that the kernel requests.
    pub fn vgprs(&self) -> u16 {
        self.vgprs
    }

    /// Sets the number of VGPRs.
    pub fn set_vgprs(&mut self, vgprs: u16) {
        self.vgprs = vgprs;
        self.set_mode_bits(self.mode_bits);
    }

    /// Returns the largest number of VGPRs that an instruction may need to run directly. Instructions beyond it are checked first: they
    /// exceed the wave's VGPRs, or the mode changes all vector instructions.
    #[inline(always)]
    pub fn limit(&self) -> u16 {
        self.limit
    }

    /// Returns true if vector instructions do nothing (s_setvskip).
    #[inline(always)]
    pub fn skips_vector(&self) -> bool {
        self.mode_bits & Mode::SKIPPED != 0
    }

    /// Returns the lanes in which a vector instruction has an effect: EXEC, or none if MODE skips vector instructions.
    #[inline]
    pub fn lanes_on(&self) -> u64 {
        if self.skips_vector() { 0 } else { self.exec() }
    }

    /// Returns true if an index in M0 is added to VGPR operands (s_set_gpr_idx_on).
    pub fn indexes_vgprs(&self) -> bool {
        self.mode_bits & Mode::INDEXED != 0
    }

    /// Returns EXEC, one bit per lane.
    #[inline(always)]
    pub fn exec(&self) -> u64 {
        self.s[126] as u64 | (self.s[127] as u64) << 32
    }

    /// Returns VCC, one bit per lane.
    #[inline(always)]
    pub fn vcc(&self) -> u64 {
        self.s[106] as u64 | (self.s[107] as u64) << 32
    }

    /// Returns EXEC as a lane mask, all ones where the lane is enabled.
    #[inline(always)]
    pub fn lane_mask(&mut self) -> &Lanes {
        let exec = self.exec();
        if exec != self.mask_of {
            self.mask.0 = expand(exec);
            self.mask_of = exec;
        }
        &self.mask
    }

    /// Prepares the mask of lanes for [`Wave::prepared_mask`].
    #[inline(always)]
    pub fn prepare_mask(&mut self, lanes: u64) {
        if lanes == self.exec() {
            self.lane_mask();
        } else {
            self.other.0 = expand(lanes);
        }
    }

    /// Returns lanes as a mask, all ones where the bit is set, the vector registers and the results.
    #[inline(always)]
    pub fn masked(&mut self, lanes: u64) -> (&Lanes, &mut Registers, &Results) {
        self.prepare_mask(lanes);
        let exec = self.exec();
        let mask = if lanes == exec {
            &self.mask
        } else {
            &self.other
        };
        (mask, &mut self.v, &self.results)
    }

    /// Returns the lanes that were prepared last as a mask, all ones where the bit is set.
    #[inline(always)]
    pub fn prepared_mask(&self, lanes: u64) -> &Lanes {
        if lanes == self.exec() {
            &self.mask
        } else {
            &self.other
        }
    }

    /// Writes a register in the lanes of a mask.
    #[inline(always)]
    pub fn write_lanes(&mut self, register: usize, lanes: u64, values: &Lanes) {
        if lanes == !0 {
            self.v[register] = *values;
            return;
        }
        let (mask, registers, _) = self.masked(lanes);
        let old = &mut registers[register];
        for l in 0..LANES {
            old[l] = values[l] & mask[l] | old[l] & !mask[l];
        }
    }

    /// Reads a scalar source of 32 bits: register, constant or literal. A VGPR reads lane 0's value; callers exclude VGPRs.
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
            235 => (SHARED_BASE >> 32) as u32,
            236 => (SHARED_LIMIT >> 32) as u32,
            237 => (PRIVATE_BASE >> 32) as u32,
            238 => (PRIVATE_LIMIT >> 32) as u32,
            251 => (self.vcc() == 0) as u32,
            252 => (self.exec() == 0) as u32,
            253 => self.scc as u32,
            256..=511 => self.v[(code - 256) as usize][0],
            _ => 0,
        }
    }

    /// Reads a scalar source of 64 bits: a register pair, a sign-extended inline constant, or a zero-extended literal.
    #[inline(always)]
    pub fn scalar64(&self, code: Code, literal: u32) -> u64 {
        match code.0 {
            c @ 0..=127 => self.pair(c as usize),
            193..=208 => self.constant32(code.0, literal) as i32 as i64 as u64,
            235 => SHARED_BASE,
            236 => SHARED_LIMIT,
            237 => PRIVATE_BASE,
            238 => PRIVATE_LIMIT,
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
}
