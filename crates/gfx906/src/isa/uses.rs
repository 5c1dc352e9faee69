//! Registers that an instruction reads and writes, including registers that no operand names.

use super::{Access, Code, Encoding, Flags, Form, Inst, Kind, Properties, Role};

/// A set of scalar registers, SCC, MODE and VGPRs, with one bit for each [`RegisterNumber`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RegisterSet([u64; 8]);

/// RegisterNumber of a register in a set: scalar registers have their codes, VGPRs begin at 256.
pub type RegisterNumber = u16;

/// Scalar condition code.
pub const SCC: RegisterNumber = 128;
/// The MODE register.
pub const MODE: RegisterNumber = 129;
const VCC: RegisterNumber = Code::VCC.0;
const EXEC: RegisterNumber = Code::EXEC.0;
const M0: RegisterNumber = Code::M0.0;
const FLAT_SCRATCH: RegisterNumber = 102;
// Source codes of conditions.
const VCCZ: u16 = 251;
const EXECZ: u16 = 252;
const SCC_SOURCE: u16 = 253;

impl RegisterSet {
    /// Every register.
    pub const ALL: RegisterSet = RegisterSet([!0; 8]);

    /// Adds registers to the set.
    pub fn add(&mut self, first: RegisterNumber, count: u16) {
        for number in first..first.saturating_add(count).min(512) {
            self.0[usize::from(number / 64)] |= 1 << (number % 64);
        }
    }

    /// Removes registers from the set.
    pub fn remove(&mut self, first: RegisterNumber, count: u16) {
        for number in first..first.saturating_add(count).min(512) {
            self.0[usize::from(number / 64)] &= !(1 << (number % 64));
        }
    }

    /// Iterates over the registers of the set.
    pub fn iter(self) -> impl Iterator<Item = RegisterNumber> {
        self.0.into_iter().zip(0..).flat_map(|(mut bits, word)| {
            std::iter::from_fn(move || {
                let at = bits.trailing_zeros() as RegisterNumber;
                (bits != 0).then(|| {
                    bits &= bits - 1;
                    64 * word + at
                })
            })
        })
    }

    /// Returns true if the set has the register.
    pub fn has(&self, number: RegisterNumber) -> bool {
        self.0[usize::from(number / 64)] >> (number % 64) & 1 != 0
    }

    /// Returns the intersection of both sets.
    #[must_use]
    pub fn and(&self, other: &RegisterSet) -> RegisterSet {
        RegisterSet(std::array::from_fn(|at| self.0[at] & other.0[at]))
    }

    /// Returns true if the sets have a common register.
    #[inline]
    pub fn meets(&self, other: &RegisterSet) -> bool {
        let both = self.0.iter().zip(&other.0);
        both.fold(0, |any, (one, other)| any | one & other) != 0
    }

    /// Returns the union of both sets.
    #[must_use]
    pub fn or(&self, other: &RegisterSet) -> RegisterSet {
        RegisterSet(std::array::from_fn(|at| self.0[at] | other.0[at]))
    }

    /// Returns the registers of this set that `other` lacks.
    #[must_use]
    pub fn without(&self, other: &RegisterSet) -> RegisterSet {
        RegisterSet(std::array::from_fn(|at| self.0[at] & !other.0[at]))
    }

    /// Returns the first register of the set.
    pub fn first(&self) -> Option<RegisterNumber> {
        self.iter().next()
    }

    /// Returns true if the set is empty.
    pub fn is_empty(&self) -> bool {
        // A comparison of arrays would call the host's `memcmp`.
        self.0.iter().fold(0, |any, word| any | word) == 0
    }
}

/// The registers that an instruction uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// Registers whose value may matter. A VGPR that is written in part is among them.
    pub reads: RegisterSet,
    /// Registers whose value may change.
    pub writes: RegisterSet,
    /// Registers whose old value is lost: scalar registers, and VGPRs in every lane that EXEC enables.
    pub kills: RegisterSet,
}

impl Inst {
    /// Returns the registers that a store or an atomic takes.
    pub fn stored_registers(&self) -> RegisterSet {
        let mut stored = RegisterSet::default();
        for (operand, code) in self.row.operands.iter().zip(&self.operands) {
            let is_data = matches!(operand.role, Role::Data | Role::Data1 | Role::Sdst);
            if is_data && code.0 < 512 {
                stored.add(code.0, operand.ty.registers() as u16);
            }
        }
        stored
    }

    /// Returns the registers that the instruction uses.
    pub fn register_uses(&self) -> Uses {
        let mut uses = Uses::default();
        if self.has(Properties::RUNTIME_REGISTERS) {
            uses.reads = RegisterSet::ALL;
            uses.writes = RegisterSet::ALL;
            return uses;
        }
        for (operand, &code) in self.row.operands.iter().zip(&self.operands) {
            // The image resource determines the number of coordinates, so the largest number is assumed.
            let count = match (self.encoding, operand.role) {
                (Encoding::Mimg, Role::Addr) => self.most_coordinates(),
                _ => self.registers(operand),
            };
            let Some(first) = register(code) else {
                uses.add_condition(code);
                continue;
            };
            let partly = matches!(self.form, Form::Sdwa | Form::Dpp) && first >= 256
                || self.has(Properties::D16_HIGH)
                || self.has(Properties::WRITES_LANE);
            if operand.access != Access::Write || partly {
                uses.reads.add(first, count);
            }
            if operand.access != Access::Read {
                uses.writes.add(first, count);
                if operand.access == Access::Write && !partly {
                    uses.kills.add(first, count);
                }
            }
        }
        uses.add_implied_vector(self);
        uses.add_implied_scalar(self);
        uses
    }
}

impl Uses {
    /// Adds the registers of a source that is a condition or LDS.
    fn add_condition(&mut self, code: Code) {
        match code {
            Code(VCCZ) => self.reads.add(VCC, 2),
            Code(EXECZ) => self.reads.add(EXEC, 2),
            Code(SCC_SOURCE) => self.reads.add(SCC, 1),
            Code::LDS_DIRECT => self.reads.add(M0, 1),
            _ => {}
        }
    }

    /// Adds EXEC, MODE, FLAT_SCRATCH and M0 of instructions that use them without naming them.
    fn add_implied_vector(&mut self, inst: &Inst) {
        if inst.encoding.is_vector() {
            self.reads.add(EXEC, 2);
            self.reads.add(MODE, 1);
        }
        if matches!(inst.encoding, Encoding::Flat | Encoding::Scratch) {
            self.reads.add(FLAT_SCRATCH, 2);
        }
        let to_lds = inst.modifiers.flags.has(Flags::LDS) && inst.kind() == Kind::Vmem;
        let m0 = [
            Properties::MESSAGE,
            Properties::GWS,
            Properties::ORDERED_COUNT,
            Properties::LDS_COUNTER,
            Properties::INTERPOLATION,
            Properties::ADDRESS_BY_LANE,
        ];
        if to_lds
            || inst.modifiers.flags.has(Flags::GDS) && inst.encoding == Encoding::Ds
            || inst.encoding == Encoding::Vintrp
            || m0.iter().any(|&property| inst.has(property))
        {
            self.reads.add(M0, 1);
        }
    }

    /// Adds conditions and hardware registers that no operand names.
    fn add_implied_scalar(&mut self, inst: &Inst) {
        if inst.has(Properties::COMPUTES_EXEC) {
            self.reads.add(EXEC, 2);
            self.writes.add(EXEC, 2);
            self.kills.add(EXEC, 2);
        }
        if inst.has(Properties::COMPARES_TO_EXEC) {
            self.writes.add(EXEC, 2);
            self.kills.add(EXEC, 2);
        }
        if inst.has(Properties::DIVISION_STEP) || inst.has(Properties::BRANCH_ON_VCC) {
            self.reads.add(VCC, 2);
        }
        if inst.has(Properties::BRANCH_ON_EXEC) {
            self.reads.add(EXEC, 2);
        }
        if inst.has(Properties::READS_SCC) {
            self.reads.add(SCC, 1);
        }
        if writes_scc(inst) {
            self.writes.add(SCC, 1);
            self.kills.add(SCC, 1);
        }
        if inst.has(Properties::SETS_HARDWARE_REGISTER) {
            self.reads.add(MODE, 1);
            self.writes.add(MODE, 1);
        }
        if inst.has(Properties::GETS_HARDWARE_REGISTER) {
            self.reads = RegisterSet::ALL;
        }
        if inst.has(Properties::SETS_VSKIP) {
            self.writes.add(MODE, 1);
            self.reads.add(MODE, 1);
        }
        if inst.row.mnemonic == "s_setkill" {
            self.reads.add(EXEC, 2);
            self.writes.add(EXEC, 2);
        }
    }
}

/// Returns the number of the first register that a code names.
fn register(code: Code) -> Option<RegisterNumber> {
    match code.0 {
        0..=127 => Some(code.0),
        256..=511 => Some(code.0),
        _ => None,
    }
}

/// Returns true if the instruction writes SCC.
fn writes_scc(inst: &Inst) -> bool {
    let scalar = matches!(
        inst.encoding,
        Encoding::Sop1 | Encoding::Sop2 | Encoding::Sopk | Encoding::Sopc
    );
    scalar && !inst.has(Properties::KEEPS_SCC)
}
