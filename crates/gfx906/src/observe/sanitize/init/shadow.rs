//! Undefined bits of a wave's registers.

use crate::isa::uses::{RegisterSet, SCC};
use crate::machine::LANES;

/// Origin of an undefined value: the number of a register that nobody wrote, or the index of a listed origin behind the register numbers.
pub type Origin = u32;

/// Number of origins that are registers.
pub const REGISTERS: u32 = 512;

/// Map of a wave's registers with one bit per bit, set if nobody wrote it.
pub struct Shadow {
    /// Undefined bits of a register's lanes, valid in the lanes that `some` has.
    bits: Box<[[u32; LANES]; 256]>,
    /// Lanes with an undefined bit.
    some: [u64; 256],
    /// Lanes in which all bits are undefined, independent of `bits`.
    all: [u64; 256],
    /// Undefined bits of scalar registers, and of the condition code at SCC's number.
    scalar: [u32; SCC as usize + 1],
    /// Registers with an undefined bit.
    set: RegisterSet,
    origins: [Origin; REGISTERS as usize],
    /// Lanes with which the wave began.
    present: u64,
    /// Lanes of a vector register that were inactive when it was last written.
    outdated: [u64; 256],
    /// Registers with such lanes.
    partly_outdated: RegisterSet,
}

impl Default for Shadow {
    fn default() -> Shadow {
        Shadow {
            bits: vec![[0; LANES]; 256]
                .into_boxed_slice()
                .try_into()
                .expect("as many"),
            some: [0; 256],
            all: [0; 256],
            scalar: [0; SCC as usize + 1],
            set: RegisterSet::default(),
            origins: [0; REGISTERS as usize],
            present: 0,
            outdated: [0; 256],
            partly_outdated: RegisterSet::default(),
        }
    }
}

/// Scalar registers that may be unset when a wave begins: SGPRs, FLAT_SCRATCH, XNACK_MASK, VCC, M0.
const SCALARS: [std::ops::Range<u16>; 2] = [0..108, 124..125];

impl Shadow {
    /// Begins a wave with a number of scalar and vector registers set, the vector registers in some lanes.
    pub fn begin(&mut self, sgprs: u16, vgprs: u16, lanes: u64) {
        self.set = RegisterSet::default();
        self.scalar = [0; SCC as usize + 1];
        for register in SCALARS.into_iter().flatten().filter(|&r| r >= sgprs) {
            self.scalar[usize::from(register)] = !0;
            self.set.add(register, 1);
        }
        for register in 0..256 {
            let undefined = if register < usize::from(vgprs) {
                !lanes
            } else {
                !0
            };
            (self.some[register], self.all[register]) = (undefined, undefined);
        }
        let first = if lanes == !0 { vgprs } else { 0 };
        self.set.add(256 + first, 256 - first.min(256));
        self.origins = std::array::from_fn(|register| register as Origin);
        self.present = lanes;
        self.partly_outdated = RegisterSet::default();
    }

    /// Records that an instruction writes vector registers in some lanes.
    #[inline]
    pub fn renew(&mut self, registers: &RegisterSet, lanes: u64) {
        let inactive = self.present & !lanes;
        if inactive == 0 && !self.partly_outdated.meets(registers) {
            return;
        }
        for register in registers.iter().filter(|&register| register >= 256) {
            self.outdated[usize::from(register) - 256] = inactive;
            match inactive {
                0 => self.partly_outdated.remove(register, 1),
                _ => self.partly_outdated.add(register, 1),
            }
        }
    }

    /// Returns true if a lane of a vector register has an older value than the lanes that were active at the register's last write.
    pub fn is_outdated(&self, register: u16, lane: usize) -> bool {
        let outdated = register >= 256 && self.partly_outdated.has(register);
        outdated && self.outdated[usize::from(register) - 256] >> lane & 1 != 0
    }

    /// Returns true if one of some registers has an undefined bit.
    #[inline(always)]
    pub fn meets(&self, registers: &RegisterSet) -> bool {
        self.set.meets(registers)
    }

    /// Returns the first of some registers with an undefined bit; in a vector register only the given lanes count.
    #[inline]
    pub fn first_of(&self, registers: &RegisterSet, lanes: u64) -> Option<u16> {
        let common = self.set.and(registers);
        common
            .iter()
            .find(|&r| r < 256 || self.lanes(r) & lanes != 0)
    }

    /// Returns the lanes of a vector register with an undefined bit.
    #[inline]
    pub fn lanes(&self, register: u16) -> u64 {
        self.some[usize::from(register) - 256]
    }

    /// Returns the undefined bits of a register, for a vector register in a lane.
    #[inline]
    pub fn get(&self, register: u16, lane: usize) -> u32 {
        let Some(v) = usize::from(register).checked_sub(256) else {
            return self.scalar.get(usize::from(register)).copied().unwrap_or(0);
        };
        match (self.all[v] >> lane & 1, self.some[v] >> lane & 1) {
            (1, _) => !0,
            (_, 1) => self.bits[v][lane],
            _ => 0,
        }
    }

    /// Sets the undefined bits of a register, for a vector register in a lane.
    #[inline]
    pub fn put(&mut self, register: u16, lane: usize, bits: u32, origin: Origin) {
        // A destination's field may hold a constant, which is not written.
        if register > SCC && register < 256 || register >= 512 {
            return;
        }
        if bits != 0 {
            self.set.add(register, 1);
            self.origins[usize::from(register)] = origin;
        }
        let Some(v) = usize::from(register).checked_sub(256) else {
            self.scalar[usize::from(register)] = bits;
            if bits == 0 {
                self.set.remove(register, 1);
            }
            return;
        };
        let lane_bit = 1 << lane;
        self.all[v] &= !lane_bit;
        self.bits[v][lane] = bits;
        match bits {
            0 => {
                self.some[v] &= !lane_bit;
                if self.some[v] == 0 {
                    self.set.remove(register, 1);
                }
            }
            _ => self.some[v] |= lane_bit,
        }
    }

    /// Marks all bits of some registers as written, for vector registers in some lanes.
    #[inline]
    pub fn define(&mut self, registers: &RegisterSet, lanes: u64) {
        let common = self.set.and(registers);
        for register in common.iter() {
            match usize::from(register).checked_sub(256) {
                None => {
                    self.scalar[usize::from(register)] = 0;
                    self.set.remove(register, 1);
                }
                Some(v) => {
                    self.some[v] &= !lanes;
                    self.all[v] &= !lanes;
                    if self.some[v] == 0 {
                        self.set.remove(register, 1);
                    }
                }
            }
        }
    }

    /// Returns the origin of a register's undefined bits.
    pub fn origin(&self, register: u16) -> Origin {
        self.origins[usize::from(register)]
    }
}
