//! The undefined bits of a wave's registers.

use crate::isa::uses::{RegisterSet, SCC};
use crate::machine::LANES;

/// Origin of an undefined value: the number of a register that nobody wrote, or the index of a listed origin behind the register numbers.
pub type Origin = u32;

/// Origins that are registers.
pub const REGISTERS: u32 = 512;

/// One bit a bit: set where nobody wrote it.
pub struct Shadow {
    /// Undefined bits of a register's lanes, valid in the lanes that `some` has.
    bits: Box<[[u32; LANES]; 256]>,
    /// Lanes with an undefined bit.
    some: [u64; 256],
    /// Lanes all of whose bits are undefined, whatever `bits` holds.
    all: [u64; 256],
    /// Scalar registers; at SCC's number, the condition code.
    scalar: [u32; SCC as usize + 1],
    /// Registers with an undefined bit.
    set: RegisterSet,
    origins: [Origin; REGISTERS as usize],
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
        }
    }
}

/// The registers that a wave may find unset and use: SGPRs, FLAT_SCRATCH, XNACK_MASK, VCC, M0.
const SCALARS: [std::ops::Range<u16>; 2] = [0..108, 124..125];

impl Shadow {
    /// A wave begins: so many scalar and vector registers are set, the latter in some lanes.
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
    }

    /// Returns true if one of some registers has an undefined bit.
    #[inline(always)]
    pub fn meets(&self, registers: &RegisterSet) -> bool {
        self.set.meets(registers)
    }

    /// The first of some registers that has an undefined bit, in some lanes where it is a vector one.
    #[inline]
    pub fn first_of(&self, registers: &RegisterSet, lanes: u64) -> Option<u16> {
        let common = self.set.and(registers);
        common
            .iter()
            .find(|&r| r < 256 || self.lanes(r) & lanes != 0)
    }

    /// The lanes of a vector register that have an undefined bit.
    #[inline]
    pub fn lanes(&self, register: u16) -> u64 {
        self.some[usize::from(register) - 256]
    }

    /// The bits of a register; of a vector one, in a lane.
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

    /// Sets the bits of a register; of a vector one, in a lane.
    #[inline]
    pub fn put(&mut self, register: u16, lane: usize, bits: u32, origin: Origin) {
        // Constants stand in a place of a destination now and then, and are not written.
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

    /// Everything of some registers is written, in some lanes where they are vector ones.
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
