//! Rules by which undefined bits of the sources reach an instruction's result.

use crate::isa::Inst;
use crate::isa::uses::{RegisterSet, SCC};
use crate::isa::{Code, Encoding, Flags, Properties, Role};

/// A function of up to three values.
pub type Function = fn([u64; 3]) -> u64;

/// Rule by which undefined bits of the sources reach an instruction's result.
#[derive(Clone, Copy)]
pub enum Rule {
    /// The result is defined for all sources.
    Defined,
    /// Each bit depends on the same bit of the sources.
    Bitwise(Function),
    /// Each bit is a bit of one source, which the sources in the mask select.
    Move(Function, u8),
    /// A sum, difference or product: a bit depends on the function's bits at its place and below.
    Sum(Function, u8),
    /// A choice between source 0 and source 1 by a mask's bit.
    Choice,
    /// A choice between source 0 and source 1 by SCC.
    ByScc,
    /// A choice between the old value and source 1 by SCC.
    Replace,
    /// Comparison of two numbers for equality.
    Equal,
    /// The bit of source 0 whose number is source 1.
    Bit,
    /// A read of the first enabled lane.
    FirstLane,
    /// A read of the lane that source 1 names.
    Lane,
    /// A write to the lane that source 1 names.
    ToLane,
    /// An exchange of two registers.
    Swap,
    /// A read from the lanes that addresses name.
    FromLanes,
    /// A write to the lanes that addresses name.
    ToLanes,
    /// A read from the lanes that a pattern names.
    Swizzle,
    /// A copy of EXEC; EXEC becomes a function of a source and itself.
    SaveExec(Function),
    /// EXEC becomes a function of a source and itself, and is copied.
    WriteExec(Function),
    /// Two halves, each of which depends on the same half of all sources.
    Halves,
    /// Every bit depends on all bits of the function's value.
    All(Function),
}

/// Reason why a register must be defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// The target of a branch.
    Branch,
    /// A branch on VCC being 0.
    Vcc,
    /// A setting of the wave's mode.
    Setting,
}

/// Static facts about an instruction for undefined values.
#[derive(Clone, Copy)]
pub struct Traits {
    /// Rule for the undefined bits.
    pub rule: Rule,
    /// Registers of an address.
    pub address: RegisterSet,
    /// Registers that must be defined for another reason.
    pub needs: Option<(Requirement, RegisterSet)>,
    /// True if lanes read registers of other lanes.
    pub crosses: bool,
    /// True if the instruction writes one lane of a register.
    pub writes_one_lane: bool,
    /// True if the instruction reads lanes that it names, whether they are active or not.
    pub names_lanes: bool,
}

impl Traits {
    /// Determines the facts of an instruction.
    pub fn of(inst: &Inst) -> Traits {
        let rule = rule(inst);
        let crosses = inst.form == crate::isa::Form::Dpp
            || matches!(
                rule,
                Rule::FirstLane
                    | Rule::Lane
                    | Rule::ToLane
                    | Rule::FromLanes
                    | Rule::ToLanes
                    | Rule::Swizzle
            );
        Traits {
            rule,
            address: address(inst),
            needs: needs(inst),
            crosses,
            writes_one_lane: matches!(rule, Rule::ToLane),
            names_lanes: matches!(rule, Rule::Lane | Rule::FromLanes | Rule::Swizzle),
        }
    }
}

/// Returns the registers of an operand.
fn registers(inst: &Inst, role: Role) -> RegisterSet {
    let mut set = RegisterSet::default();
    let found = inst.row.operands.iter().zip(&inst.operands);
    for (operand, code) in found.filter(|(operand, _)| operand.role == role) {
        if code.0 < 128 || code.as_vgpr().is_some() {
            set.add(code.0, operand.ty.registers() as u16);
        }
    }
    set
}

fn address(inst: &Inst) -> RegisterSet {
    let mut set = RegisterSet::default();
    let flags = inst.modifiers.flags;
    let both = |roles: &[Role]| {
        roles.iter().fold(RegisterSet::default(), |all, role| {
            all.or(&registers(inst, *role))
        })
    };
    match inst.encoding {
        Encoding::Ds if matches!(rule(inst), Rule::FromLanes | Rule::ToLanes | Rule::Swizzle) => {
            set
        }
        Encoding::Ds => both(&[Role::Addr]),
        Encoding::Smem => both(&[Role::Sbase, Role::Soffset]),
        Encoding::Global if inst.by_role(Role::Sbase) != Code::OFF => {
            set = registers(inst, Role::Sbase);
            set.add(inst.by_role(Role::Addr).0, 1);
            set
        }
        Encoding::Flat | Encoding::Global | Encoding::Scratch => both(&[Role::Addr, Role::Sbase]),
        // The resource determines the number of further coordinates.
        Encoding::Mimg => both(&[Role::Addr, Role::Sbase, Role::Ssamp]),
        Encoding::Mubuf | Encoding::Mtbuf => {
            set = both(&[Role::Sbase, Role::Soffset]);
            let parts = u16::from(flags.has(Flags::OFFEN)) + u16::from(flags.has(Flags::IDXEN));
            set.add(
                inst.by_role(Role::Addr).0.min(512),
                if inst.by_role(Role::Addr) == Code::OFF {
                    0
                } else {
                    parts
                },
            );
            set
        }
        _ => set,
    }
}

fn needs(inst: &Inst) -> Option<(Requirement, RegisterSet)> {
    let name = inst.row.mnemonic;
    let one = |register: u16, count: u16| {
        let mut set = RegisterSet::default();
        set.add(register, count);
        set
    };
    let source = || registers(inst, Role::Src0);
    Some(match name {
        "s_cbranch_scc0" | "s_cbranch_scc1" => (Requirement::Branch, one(SCC, 1)),
        "s_cbranch_vccz" | "s_cbranch_vccnz" => (Requirement::Vcc, one(Code::VCC.0, 2)),
        "s_setpc_b64" | "s_swappc_b64" => (Requirement::Branch, source()),
        "s_set_gpr_idx_on" | "s_set_gpr_idx_idx" | "s_setvskip" => (Requirement::Setting, source()),
        "s_setreg_b32" => (Requirement::Setting, registers(inst, Role::Sdst)),
        "s_movrels_b32" | "s_movrels_b64" | "s_movreld_b32" | "s_movreld_b64" => {
            (Requirement::Setting, one(Code::M0.0, 1))
        }
        _ => return None,
    })
}

const LOW: u64 = 0xffff_ffff;

fn sign_extended(x: u64, bits: u32) -> u64 {
    if bits == 0 {
        return 0;
    }
    ((x << (64 - bits)) as i64 >> (64 - bits)) as u64
}

fn field(x: u64, first: u64, bits: u64) -> u64 {
    let shifted = if first < 64 { x >> first } else { 0 };
    if bits >= 64 {
        shifted
    } else {
        shifted & ((1 << bits) - 1)
    }
}

/// Returns v_perm's result: for each byte of the selector a byte of the sources, a sign or a constant.
fn permuted([high, low, selector]: [u64; 3]) -> u64 {
    let both = (high & LOW) << 32 | low & LOW;
    (0..4).fold(0, |made, n| {
        let byte = match selector >> (8 * n) & 0xff {
            at @ 0..=7 => both >> (8 * at) & 0xff,
            at @ 8..=11 => 0xff * (both >> (16 * (at - 8) + 15) & 1),
            12 => 0,
            _ => 0xff,
        };
        made | byte << (8 * n)
    })
}

/// Determines the rule of an instruction by its name.
fn rule(inst: &Inst) -> Rule {
    use Rule::{All, Bitwise, Choice, Defined, Equal, Move, Replace, Sum};
    if inst.row.operands.first().is_some_and(|o| {
        use crate::isa::Type::{B16x2, F16x2, I16x2, U16x2};
        matches!(o.ty, B16x2 | F16x2 | I16x2 | U16x2)
    }) && inst.encoding == Encoding::Vop3p
    {
        return Rule::Halves;
    }
    match inst.row.mnemonic {
        "s_getpc_b64" | "s_getreg_b32" | "s_memtime" | "s_memrealtime" | "s_movk_i32"
        | "s_call_b64" | "s_swappc_b64" => Defined,
        "v_mov_b32" | "s_mov_b32" | "s_mov_b64" | "s_movrels_b32" | "s_movrels_b64"
        | "s_movreld_b32" | "s_movreld_b64" => Bitwise(|[a, ..]| a),
        "v_not_b32" | "s_not_b32" | "s_not_b64" => Bitwise(|[a, ..]| !a),
        "v_and_b32" | "s_and_b32" | "s_and_b64" => Bitwise(|[a, b, _]| a & b),
        "v_or_b32" | "s_or_b32" | "s_or_b64" => Bitwise(|[a, b, _]| a | b),
        "v_xor_b32" | "s_xor_b32" | "s_xor_b64" => Bitwise(|[a, b, _]| a ^ b),
        "v_xnor_b32" | "s_xnor_b32" | "s_xnor_b64" => Bitwise(|[a, b, _]| !(a ^ b)),
        "s_andn2_b32" | "s_andn2_b64" => Bitwise(|[a, b, _]| a & !b),
        "s_orn2_b32" | "s_orn2_b64" => Bitwise(|[a, b, _]| a | !b),
        "s_nand_b32" | "s_nand_b64" => Bitwise(|[a, b, _]| !(a & b)),
        "s_nor_b32" | "s_nor_b64" => Bitwise(|[a, b, _]| !(a | b)),
        "v_or3_b32" => Bitwise(|[a, b, c]| a | b | c),
        "v_and_or_b32" => Bitwise(|[a, b, c]| a & b | c),
        "v_bfi_b32" => Bitwise(|[a, b, c]| a & b | !a & c),
        "v_lshlrev_b32" => Move(|[n, a, _]| a << (n & 31), 1),
        "v_lshlrev_b16" => Move(|[n, a, _]| a << (n & 15), 1),
        "v_lshlrev_b64" => Move(|[n, a, _]| a << (n & 63), 1),
        "v_lshrrev_b32" => Move(|[n, a, _]| (a & LOW) >> (n & 31), 1),
        "v_lshrrev_b16" => Move(|[n, a, _]| (a & 0xffff) >> (n & 15), 1),
        "v_lshrrev_b64" => Move(|[n, a, _]| a >> (n & 63), 1),
        "v_ashrrev_i32" => Move(|[n, a, _]| sign_extended(a, 32) >> (n & 31), 1),
        "v_ashrrev_i16" => Move(|[n, a, _]| sign_extended(a, 16) >> (n & 15), 1),
        "v_ashrrev_i64" => Move(|[n, a, _]| (a as i64 >> (n & 63)) as u64, 1),
        "s_lshl_b32" => Move(|[a, n, _]| a << (n & 31), 2),
        "s_lshl_b64" => Move(|[a, n, _]| a << (n & 63), 2),
        "s_lshr_b32" => Move(|[a, n, _]| (a & LOW) >> (n & 31), 2),
        "s_lshr_b64" => Move(|[a, n, _]| a >> (n & 63), 2),
        "s_ashr_i32" => Move(|[a, n, _]| sign_extended(a, 32) >> (n & 31), 2),
        "s_ashr_i64" => Move(|[a, n, _]| (a as i64 >> (n & 63)) as u64, 2),
        "v_lshl_or_b32" => Move(|[a, n, b]| a << (n & 31) | b, 2),
        "v_bfe_u32" => Move(|[a, first, bits]| field(a & LOW, first & 31, bits & 31), 6),
        "v_bfe_i32" => Move(
            |[a, first, bits]| {
                sign_extended(field(a & LOW, first & 31, bits & 31), (bits & 31) as u32)
            },
            6,
        ),
        "s_bfe_u32" | "s_bfe_u64" => Move(|[a, f, _]| field(a, f & 63, f >> 16 & 127), 2),
        "s_bfe_i32" | "s_bfe_i64" => Move(
            |[a, f, _]| {
                sign_extended(
                    field(a, f & 63, f >> 16 & 127),
                    (f >> 16 & 127).min(64) as u32,
                )
            },
            2,
        ),
        "v_perm_b32" => Move(permuted, 4),
        "v_alignbit_b32" => Move(
            |[high, low, n]| ((high & LOW) << 32 | low & LOW) >> (n & 31),
            4,
        ),
        "v_alignbyte_b32" => Move(
            |[high, low, n]| ((high & LOW) << 32 | low & LOW) >> (8 * (n & 3)),
            4,
        ),
        "v_pack_b32_f16" | "s_pack_ll_b32_b16" => Move(|[a, b, _]| a & 0xffff | b << 16, 0),
        "s_pack_lh_b32_b16" => Move(|[a, b, _]| a & 0xffff | b & 0xffff_0000, 0),
        "s_pack_hh_b32_b16" => Move(|[a, b, _]| a >> 16 & 0xffff | b & 0xffff_0000, 0),
        "v_bfrev_b32" | "s_brev_b32" => Move(|[a, ..]| u64::from((a as u32).reverse_bits()), 0),
        "s_brev_b64" => Move(|[a, ..]| a.reverse_bits(), 0),
        "s_sext_i32_i8" => Move(|[a, ..]| sign_extended(a, 8), 0),
        "s_sext_i32_i16" => Move(|[a, ..]| sign_extended(a, 16), 0),
        "s_bitset0_b32" | "s_bitset1_b32" => Move(|[a, n, _]| a & !(1 << (n & 31)), 2),
        "s_bitset0_b64" | "s_bitset1_b64" => Move(|[a, n, _]| a & !(1 << (n & 63)), 2),
        "v_add_u32" | "v_sub_u32" | "v_subrev_u32" | "v_add_i32" | "v_sub_i32" | "v_add_co_u32"
        | "v_sub_co_u32" | "v_subrev_co_u32" | "v_addc_co_u32" | "v_subb_co_u32"
        | "v_subbrev_co_u32" | "v_add3_u32" | "v_add_u16" | "v_sub_u16" | "v_subrev_u16"
        | "v_mul_lo_u32" | "v_mul_lo_u16" | "v_mad_u64_u32" | "v_mad_i64_i32" | "v_mad_u16"
        | "v_mad_i16" | "s_add_u32" | "s_add_i32" | "s_sub_u32" | "s_sub_i32" | "s_addc_u32"
        | "s_subb_u32" | "s_mul_i32" | "s_addk_i32" | "s_mulk_i32" | "v_xad_u32" => {
            Sum(|[a, b, c]| a | b | c, 0)
        }
        "v_mul_u32_u24" | "v_mul_i32_i24" | "v_mad_u32_u24" | "v_mad_i32_i24" => {
            Sum(|[a, b, c]| (a | b) & 0xff_ffff | c, 0)
        }
        "v_lshl_add_u32" => Sum(|[a, n, b]| a << (n & 31) | b, 2),
        "v_add_lshl_u32" => Sum(|[a, b, n]| (a | b) << (n & 31), 4),
        "s_lshl1_add_u32" => Sum(|[a, b, _]| a << 1 | b, 0),
        "s_lshl2_add_u32" => Sum(|[a, b, _]| a << 2 | b, 0),
        "s_lshl3_add_u32" => Sum(|[a, b, _]| a << 3 | b, 0),
        "s_lshl4_add_u32" => Sum(|[a, b, _]| a << 4 | b, 0),
        "v_cvt_f32_ubyte0" => All(|[a, ..]| a & 0xff),
        "v_cvt_f32_ubyte1" => All(|[a, ..]| a & 0xff00),
        "v_cvt_f32_ubyte2" => All(|[a, ..]| a & 0xff_0000),
        "v_cvt_f32_ubyte3" => All(|[a, ..]| a & 0xff00_0000),
        "v_cndmask_b32" => Choice,
        "s_cselect_b32" | "s_cselect_b64" => Rule::ByScc,
        "s_cmov_b32" | "s_cmov_b64" | "s_cmovk_i32" => Replace,
        "v_readfirstlane_b32" => Rule::FirstLane,
        "v_readlane_b32" => Rule::Lane,
        "v_writelane_b32" => Rule::ToLane,
        "v_swap_b32" => Rule::Swap,
        "ds_bpermute_b32" => Rule::FromLanes,
        "ds_permute_b32" => Rule::ToLanes,
        "ds_swizzle_b32" => Rule::Swizzle,
        "s_and_saveexec_b64" => Rule::SaveExec(|[a, exec, _]| a & exec),
        "s_or_saveexec_b64" => Rule::SaveExec(|[a, exec, _]| a | exec),
        "s_xor_saveexec_b64" => Rule::SaveExec(|[a, exec, _]| a ^ exec),
        "s_andn2_saveexec_b64" => Rule::SaveExec(|[a, exec, _]| a & !exec),
        "s_orn2_saveexec_b64" => Rule::SaveExec(|[a, exec, _]| a | !exec),
        "s_nand_saveexec_b64" => Rule::SaveExec(|[a, exec, _]| !(a & exec)),
        "s_nor_saveexec_b64" => Rule::SaveExec(|[a, exec, _]| !(a | exec)),
        "s_xnor_saveexec_b64" => Rule::SaveExec(|[a, exec, _]| !(a ^ exec)),
        "s_andn1_saveexec_b64" => Rule::SaveExec(|[a, exec, _]| !a & exec),
        "s_orn1_saveexec_b64" => Rule::SaveExec(|[a, exec, _]| !a | exec),
        "s_andn1_wrexec_b64" => Rule::WriteExec(|[a, exec, _]| !a & exec),
        "s_andn2_wrexec_b64" => Rule::WriteExec(|[a, exec, _]| a & !exec),
        "s_bitcmp0_b32" | "s_bitcmp1_b32" | "s_bitcmp0_b64" | "s_bitcmp1_b64" => Rule::Bit,
        _ if inst.has(Properties::INTEGER_EQUALITY) => Equal,
        _ => All(|[a, b, c]| a | b | c),
    }
}
