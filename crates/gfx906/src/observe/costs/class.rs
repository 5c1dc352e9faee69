//! Issue classes, which determine how long an instruction occupies its SIMD.
//!
//! A wave has 64 lanes and a SIMD 16, so a vector instruction takes at least 4 cycles. The properties of the instruction table mark slower
//! instructions. They follow CLRX's table of GCN timings, with f64 at the half rate of this chip (6.4 of 13.2 TFLOP/s measured).

use crate::isa::{Inst, Kind, Properties};

/// Class of instructions that occupy the same unit for the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Class {
    /// Vector ALU at full rate.
    Valu,
    /// Vector ALU at half rate: f64, 64-bit shifts, exchanges of two registers.
    ValuHalf,
    /// Vector ALU at quarter rate: transcendentals, 32-bit products, steps of a division.
    ValuQuarter,
    /// Scalar ALU.
    Salu,
    /// Scalar memory.
    Smem,
    /// Vector memory.
    Vmem,
    /// Reads and writes of LDS.
    Lds,
    /// Lane exchanges through the LDS pipe, without its memory.
    Exchange,
    /// Branches and calls.
    Branch,
    /// The instruction s_barrier.
    Barrier,
    /// Waits, no-operations, messages and the end of the program.
    Control,
}

impl Class {
    /// Every class, in the order of their numbers.
    pub const ALL: [Class; 11] = [
        Class::Valu,
        Class::ValuHalf,
        Class::ValuQuarter,
        Class::Salu,
        Class::Smem,
        Class::Vmem,
        Class::Lds,
        Class::Exchange,
        Class::Branch,
        Class::Barrier,
        Class::Control,
    ];

    /// Determines the class of an instruction.
    pub fn of(inst: &Inst) -> Class {
        match inst.kind() {
            Kind::Valu => Class::of_valu(inst.row.properties),
            Kind::Salu => Class::Salu,
            Kind::Smem => Class::Smem,
            Kind::Vmem => Class::Vmem,
            Kind::Lds if inst.has(Properties::LDS_LANE_EXCHANGE) => Class::Exchange,
            Kind::Lds => Class::Lds,
            Kind::Branch => Class::Branch,
            Kind::Control if inst.has(Properties::BARRIER) => Class::Barrier,
            Kind::Control => Class::Control,
        }
    }

    /// Determines the class of a vector ALU instruction.
    fn of_valu(properties: Properties) -> Class {
        if properties.has(Properties::QUARTER_RATE) {
            Class::ValuQuarter
        } else if properties.has(Properties::HALF_RATE) {
            Class::ValuHalf
        } else {
            Class::Valu
        }
    }

    /// Returns the name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Class::Valu => "valu",
            Class::ValuHalf => "valu_half_rate",
            Class::ValuQuarter => "valu_quarter_rate",
            Class::Salu => "salu",
            Class::Smem => "smem",
            Class::Vmem => "vmem",
            Class::Lds => "lds",
            Class::Exchange => "lds_exchange",
            Class::Branch => "branch",
            Class::Barrier => "barrier",
            Class::Control => "control",
        }
    }

    /// Returns the cycles for which the class occupies the vector ALU of its SIMD.
    pub fn valu_cycles(self) -> u64 {
        match self {
            Class::Valu => 4,
            Class::ValuHalf => 8,
            Class::ValuQuarter => 16,
            _ => 0,
        }
    }

    /// Returns the cycles after which the wave can issue its next instruction. A SIMD has its turn every fourth cycle.
    pub fn turn(self) -> u64 {
        self.valu_cycles().max(4)
    }

    /// Returns true if the vector ALU executes the class.
    pub fn is_valu(self) -> bool {
        self.valu_cycles() != 0
    }

    /// Returns true if the class takes a cycle of a compute unit outside of its vector pipes: scalar ALU and memory, branches, messages.
    pub fn is_scalar(self) -> bool {
        use Class::{Barrier, Branch, Control, Salu, Smem};
        matches!(self, Salu | Smem | Branch | Barrier | Control)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::{self, Encoding, Role, Row};

    fn rows() -> impl Iterator<Item = &'static Row> {
        let vector = |encoding| {
            use Encoding::{Vintrp, Vop1, Vop2, Vop3, Vop3p, Vopc};
            matches!(encoding, Vop1 | Vop2 | Vop3 | Vop3p | Vopc | Vintrp)
        };
        let rows = isa::rows().filter(move |(encoding, _)| vector(*encoding));
        rows.map(|(_, row)| row)
    }

    /// Returns true if a source or the result is a number of eight bytes. A condition does not count: it is a mask of lanes.
    fn is_wide(row: &Row) -> bool {
        let numbers = [Role::Vdst, Role::Src0, Role::Src1];
        let mut operands = row.operands.iter();
        operands.any(|operand| numbers.contains(&operand.role) && operand.ty.bytes() == 8)
    }

    #[test]
    fn every_row_of_the_vector_alu_has_its_class() {
        let mut names: [Vec<&str>; 3] = Default::default();
        for row in rows() {
            let class = Class::of_valu(row.properties);
            names[class as usize].push(row.mnemonic);
            if is_wide(row) {
                assert_ne!(class, Class::Valu, "{}", row.mnemonic);
            }
        }
        let [full, half, quarter] = names;
        assert!(full.len() > 300, "{}", full.len());
        assert!(half.len() > 50, "{}", half.len());
        assert!(quarter.len() > 20, "{}", quarter.len());
    }

    #[test]
    fn classes_are_those_of_the_timing_table() {
        let known = [
            ("v_fma_f32", 4),
            ("v_mul_u32_u24", 4),
            ("v_mul_hi_u32_u24", 4),
            ("v_mul_hi_i32_i24", 4),
            ("v_mul_lo_u16", 4),
            ("v_pk_fma_f16", 4),
            ("v_cmp_lt_f32", 4),
            ("v_cmp_lt_u32", 4),
            ("v_cmp_lt_u64", 8),
            ("v_cmpx_eq_f64", 8),
            ("v_cmp_class_f64", 8),
            ("v_fma_f64", 8),
            ("v_cvt_f32_f64", 8),
            ("v_lshlrev_b64", 8),
            ("v_lshlrev_b32", 4),
            ("v_swap_b32", 8),
            ("v_exp_f32", 16),
            ("v_rcp_f64", 16),
            ("v_mul_lo_u32", 16),
            ("v_mul_hi_u32", 16),
            ("v_div_fmas_f32", 16),
            ("v_mad_u64_u32", 16),
            ("v_mad_u32_u24", 4),
        ];
        for (name, cycles) in known {
            let row = rows().find(|row| row.mnemonic == name).expect(name);
            let class = Class::of_valu(row.properties);
            assert_eq!(class.valu_cycles(), cycles, "{name}");
        }
    }

    #[test]
    fn names_and_numbers_agree() {
        for (at, class) in Class::ALL.into_iter().enumerate() {
            assert_eq!(class as usize, at);
        }
    }
}
