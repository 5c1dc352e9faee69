//! Misfits: operands that a field can encode but the instruction cannot use, such as an SGPR where only VGPRs are valid, or a constant as a
//! jump target. LLVM disassembles such words with a comment, so this decoder accepts them too; executing them traps.

use super::{Access, Code, Encoding, Inst, Operand, Role, Type};

/// Reason why an instruction cannot use an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Misfit {
    /// The register is outside of the class that the operand needs. The text is LLVM's name of the class.
    Register(&'static str),
    /// The operand is a constant where only registers are valid.
    Constant,
}

/// Scalar instructions whose source must be a register.
const REGISTER_SOURCE: &[&str] = &[
    "s_setpc_b64",
    "s_rfe_b64",
    "s_cbranch_join",
    "s_movrels_b32",
    "s_movrels_b64",
];

/// Returns the reason why operand `index` does not fit, if there is one.
pub(super) fn misfit(inst: &Inst, index: usize, operand: &Operand) -> Option<Misfit> {
    let code = inst.operands[index];
    let is_number = code.is_number() && operand.role != Role::Literal && !is_immediate(operand);
    let is_scalar = matches!(code.0, 0..=124 | 126..=127);
    let is_vector = code.as_vgpr().is_some();
    let is_direct = code == Code::LDS_DIRECT;
    let class = |wrong: bool, name| {
        if wrong {
            Some(Misfit::Register(name))
        } else {
            None
        }
    };
    let constant = if is_number {
        Some(Misfit::Constant)
    } else {
        None
    };
    match (inst.encoding, operand.role) {
        (Encoding::Sop1 | Encoding::Sop2 | Encoding::Sopc, Role::Src0 | Role::Src1) => {
            let needs_register = REGISTER_SOURCE.contains(&inst.row.mnemonic);
            class(is_direct, "SReg_32").or(constant.filter(|_| needs_register))
        }
        (Encoding::Smem, Role::Sdst) if operand.ty != Type::Number => {
            match operand.ty.registers() {
                1 => class(matches!(code.0, 124 | 126..=127), "SReg_32_XM0_XEXEC"),
                2 => class(code == Code::EXEC, "SReg_64_XEXEC"),
                _ => group_misfit(code, operand.ty),
            }
        }
        (_, Role::Sbase | Role::Ssamp) => group_misfit(code, operand.ty),
        (Encoding::Mubuf | Encoding::Mtbuf, Role::Soffset) => class(is_direct, "SReg_32"),
        (Encoding::Vop1 | Encoding::Vop3, Role::Sdst) => class(is_direct, "SReg_32").or(constant),
        (Encoding::Vopc, Role::Vcc) => constant,
        (Encoding::Vop2, Role::Vcc) if operand.access == Access::Read => {
            class(is_vector || code == Code::EXEC, "SReg_1_XEXEC").or(constant)
        }
        (_, Role::Src0 | Role::Src1 | Role::Src2) => match (inst.row.mnemonic, operand.role) {
            ("v_swap_b32", _) => class(is_scalar || is_direct, "VGPR_32").or(constant),
            ("v_readfirstlane_b32", _) | ("v_readlane_b32", Role::Src0) => {
                class(is_scalar, "VRegOrLds_32").or(constant)
            }
            ("v_readlane_b32" | "v_writelane_b32", _) => class(is_vector || is_direct, "SReg_32"),
            ("v_mqsad_u32_u8", Role::Src2) => class(is_scalar, "VReg_128").or(constant),
            _ if interpolates(inst) && !is_immediate(operand) => {
                class(is_scalar || is_direct, "VGPR_32").or(constant)
            }
            _ => None,
        },
        _ => None,
    }
}

/// Returns true if an operand is a misfit or the null register, which gfx906 does not have.
pub(super) fn is_malformed(inst: &Inst) -> bool {
    inst.row
        .operands
        .iter()
        .enumerate()
        .any(|(index, operand)| {
            inst.operands[index] == Code::NULL && !is_immediate(operand)
                || misfit(inst, index, operand).is_some()
        })
}

/// Returns true if the operand's field is a number, not a code.
fn is_immediate(operand: &Operand) -> bool {
    matches!(operand.role, Role::Attr | Role::Target | Role::Simm16)
        || matches!(operand.ty, Type::Param | Type::Number | Type::GprIndex)
}

/// Returns the misfit of a special register in a group of four or more registers. It can be used alone or as a pair only.
fn group_misfit(code: Code, ty: Type) -> Option<Misfit> {
    let class = match ty.registers() {
        4 => "SReg_128",
        8 => "SReg_256",
        16 => "SReg_512",
        _ => return None,
    };
    matches!(code.0, 102..=107 | 126..=127).then_some(Misfit::Register(class))
}

/// Returns true if the instruction interpolates. The sources of an interpolation are VGPRs.
fn interpolates(inst: &Inst) -> bool {
    inst.row
        .operands
        .iter()
        .any(|operand| operand.role == Role::Attr)
}
