//! Rules of wait states: the registers that the first instruction changes, the registers that the second one uses, and the required
//! distance.

use crate::isa::uses::{MODE, RegisterSet, Uses};
use crate::isa::{Access, Code, Encoding, Flags, Form, Inst, Kind, Properties, Role};

/// Function that returns the registers of an instruction for a rule.
pub type Registers = fn(&Inst, &Uses) -> RegisterSet;

/// Registers of a set from this number on stand for hardware registers. No operand has these codes.
pub const HWREG: u16 = 130;

/// A rule for two instructions: if the first changes a register that the second uses, they must be `states` wait states apart.
pub struct Rule {
    /// Name of the rule.
    pub name: &'static str,
    /// Required wait states between the two.
    pub states: u32,
    /// Registers that the first instruction changes.
    pub first: Registers,
    /// Registers that the second instruction uses.
    pub second: Registers,
    /// Action of the first instruction.
    pub change_of: &'static str,
    /// Action of the second instruction.
    pub use_of: &'static str,
}

const fn rule(
    name: &'static str,
    states: u32,
    first: Registers,
    change_of: &'static str,
    second: Registers,
    use_of: &'static str,
) -> Rule {
    Rule {
        name,
        states,
        first,
        second,
        change_of,
        use_of,
    }
}

/// The rules.
#[rustfmt::skip]
pub const RULES: &[Rule] = &[
    rule("SGPR before vector memory",  5, sgprs_by_valu,  "a vector instruction wrote it",           sgprs_of_vmem,  "is read by vector memory"),
    rule("VGPR before DPP",            2, vgprs_by_valu,  "a vector instruction wrote it",           vgprs_of_dpp,   "is read through DPP"),
    rule("EXEC before DPP",            5, exec_by_valu,   "a vector instruction wrote it",           exec_of_dpp,    "is used by DPP"),
    rule("SGPR before a lane select",  4, sgprs_by_valu,  "a vector instruction wrote it",           lane_selects,   "selects a lane"),
    rule("VCC before v_div_fmas",      4, vcc_by_valu,    "a vector instruction wrote it",           vcc_of_fmas,    "is read by v_div_fmas"),
    rule("VCC before VCCZ",            5, vcc_by_valu,    "a vector instruction wrote it",           vccz_of_valu,   "is read as VCCZ"),
    rule("EXEC before EXECZ",          5, exec_by_valu,   "a vector instruction wrote it",           execz_of_valu,  "is read as EXECZ"),
    rule("M0 before LDS by M0",        1, m0_by_salu,     "a scalar instruction wrote it",           m0_of_lds,      "says where in LDS"),
    rule("M0 before a message",        1, m0_by_salu,     "a scalar instruction wrote it",           m0_of_message,  "goes with a message"),
    rule("M0 before a relative move",  1, m0_by_salu,     "a scalar instruction wrote it",           m0_of_movrel,   "is an index"),
    rule("s_setreg before s_getreg",   2, set_register,   "s_setreg wrote it",                       get_register,   "is read or written by its name"),
    rule("s_setvskip before s_getreg", 2, set_vskip,      "s_setvskip wrote MODE",                   get_register,   "is read or written by its name"),
    rule("vskip before vectors",       2, vskip,          "s_setreg wrote MODE.vskip",               any_vector,     "applies to a vector instruction"),
    rule("TRAPSTS before s_rfe",       1, set_trapsts,    "s_setreg wrote it",                       trapsts_of_rfe, "is used by s_rfe"),
    rule("wide store before its data", 1, wide_data,      "a store of more than 8 bytes reads it",   vgprs_by_valu,  "is overwritten"),
];

fn set(first: u16, count: u16) -> RegisterSet {
    let mut set = RegisterSet::default();
    set.add(first, count);
    set
}

fn none() -> RegisterSet {
    RegisterSet::default()
}

/// Returns the set if a condition holds, else the empty set.
fn only(holds: bool, set: RegisterSet) -> RegisterSet {
    if holds { set } else { none() }
}

const VCC: u16 = Code::VCC.0;
const EXEC: u16 = Code::EXEC.0;
const M0: u16 = Code::M0.0;
/// Numbers of hardware registers.
const MODE_REGISTER: u16 = 1;
const TRAPSTS: u16 = 3;

/// Returns the registers of the operands that pass a test.
fn operands(inst: &Inst, passes: impl Fn(Role, Access) -> bool) -> RegisterSet {
    let mut found = none();
    for (operand, &code) in inst.row.operands.iter().zip(&inst.operands) {
        if passes(operand.role, operand.access) && (code.0 < 128 || (256..512).contains(&code.0)) {
            found.add(code.0, inst.registers(operand));
        }
    }
    found
}

/// Returns the SGPRs that a vector instruction writes, without EXEC: only DPP and EXECZ need to wait for EXEC.
fn sgprs_by_valu(inst: &Inst, uses: &Uses) -> RegisterSet {
    only(inst.is_valu(), uses.writes.and(&set(0, EXEC)))
}

fn vgprs_by_valu(inst: &Inst, uses: &Uses) -> RegisterSet {
    only(inst.is_valu(), uses.writes.and(&set(256, 256)))
}

fn exec_by_valu(inst: &Inst, uses: &Uses) -> RegisterSet {
    only(inst.is_valu(), uses.writes.and(&set(EXEC, 2)))
}

fn vcc_by_valu(inst: &Inst, uses: &Uses) -> RegisterSet {
    only(inst.is_valu(), uses.writes.and(&set(VCC, 2)))
}

/// Returns M0 if a scalar instruction writes it. A relative move reads its index from M0 and writes M0 only if the operand names it.
fn m0_by_salu(inst: &Inst, uses: &Uses) -> RegisterSet {
    let writes = match inst.has(Properties::RELATIVE_MOVE) {
        true => operands(inst, |_, access| access != Access::Read),
        false => uses.writes,
    };
    only(inst.kind() == Kind::Salu, writes.and(&set(M0, 1)))
}

/// Returns the SGPRs that a vector memory instruction reads, including registers that no operand names: FLAT_SCRATCH of flat and scratch
/// addresses, and M0 of accesses to LDS.
fn sgprs_of_vmem(inst: &Inst, uses: &Uses) -> RegisterSet {
    only(inst.is_vmem(), uses.reads.and(&set(0, EXEC)))
}

fn vgprs_of_dpp(inst: &Inst, _: &Uses) -> RegisterSet {
    let read = operands(inst, |_, access| access != Access::Write);
    only(inst.form == Form::Dpp, read.and(&set(256, 256)))
}

fn exec_of_dpp(inst: &Inst, _: &Uses) -> RegisterSet {
    only(inst.form == Form::Dpp, set(EXEC, 2))
}

fn lane_selects(inst: &Inst, _: &Uses) -> RegisterSet {
    let selects = inst.has(Properties::READS_LANE) || inst.has(Properties::WRITES_LANE);
    only(selects, operands(inst, |role, _| role == Role::Src1)).and(&set(0, 128))
}

fn vcc_of_fmas(inst: &Inst, _: &Uses) -> RegisterSet {
    only(inst.has(Properties::DIVISION_STEP), set(VCC, 2))
}

/// Returns true if a vector instruction reads a source code.
fn reads(inst: &Inst, source: u16) -> bool {
    inst.is_valu() && inst.operands[..inst.row.operands.len().min(6)].contains(&Code(source))
}

fn vccz_of_valu(inst: &Inst, _: &Uses) -> RegisterSet {
    only(reads(inst, 251), set(VCC, 2))
}

fn execz_of_valu(inst: &Inst, _: &Uses) -> RegisterSet {
    only(reads(inst, 252), set(EXEC, 2))
}

fn m0_of_lds(inst: &Inst, _: &Uses) -> RegisterSet {
    let to_lds = inst.is_vmem() && inst.modifiers.flags.has(Flags::LDS);
    let gds = inst.encoding == Encoding::Ds && inst.modifiers.flags.has(Flags::GDS);
    let by_name = inst.has(Properties::ADDRESS_BY_LANE) || inst.encoding == Encoding::Vintrp;
    let direct = inst.is_valu() && inst.operands.contains(&Code::LDS_DIRECT);
    only(to_lds || gds || by_name || direct, set(M0, 1))
}

fn m0_of_message(inst: &Inst, _: &Uses) -> RegisterSet {
    only(
        inst.has(Properties::MESSAGE) || inst.row.mnemonic == "s_ttracedata",
        set(M0, 1),
    )
}

fn m0_of_movrel(inst: &Inst, _: &Uses) -> RegisterSet {
    only(inst.has(Properties::RELATIVE_MOVE), set(M0, 1))
}

/// Returns the hardware register of an instruction: number, first bit, number of bits.
fn hardware(inst: &Inst) -> (u16, u32, u32) {
    let field = inst.words[0] & 0xffff;
    ((field & 63) as u16, field >> 6 & 31, (field >> 11) + 1)
}

fn set_register(inst: &Inst, _: &Uses) -> RegisterSet {
    let (number, ..) = hardware(inst);
    only(
        inst.has(Properties::SETS_HARDWARE_REGISTER),
        set(HWREG + number, 1),
    )
}

fn get_register(inst: &Inst, _: &Uses) -> RegisterSet {
    let (number, ..) = hardware(inst);
    let names = inst.has(Properties::GETS_HARDWARE_REGISTER)
        || inst.has(Properties::SETS_HARDWARE_REGISTER);
    only(names, set(HWREG + number, 1))
}

fn set_vskip(inst: &Inst, _: &Uses) -> RegisterSet {
    only(
        inst.has(Properties::SETS_VSKIP),
        set(HWREG + MODE_REGISTER, 1),
    )
}

fn set_trapsts(inst: &Inst, uses: &Uses) -> RegisterSet {
    set_register(inst, uses).and(&set(HWREG + TRAPSTS, 1))
}

fn trapsts_of_rfe(inst: &Inst, _: &Uses) -> RegisterSet {
    only(
        inst.has(Properties::EXCEPTION_RETURN),
        set(HWREG + TRAPSTS, 1),
    )
}

fn vskip(inst: &Inst, _: &Uses) -> RegisterSet {
    let (number, first, bits) = hardware(inst);
    let hits = number == MODE_REGISTER && first <= 28 && first + bits > 28;
    only(
        inst.has(Properties::SETS_HARDWARE_REGISTER) && hits,
        set(MODE, 1),
    )
}

fn any_vector(inst: &Inst, _: &Uses) -> RegisterSet {
    only(inst.encoding.is_vector(), set(MODE, 1))
}

/// Returns the data of stores of more than 8 bytes. A buffer instruction with a scalar offset takes the necessary time by itself.
fn wide_data(inst: &Inst, _: &Uses) -> RegisterSet {
    let stores = inst.is_vmem() && crate::machine::Traffic::of(inst).written != 0;
    let data = inst
        .row
        .operands
        .iter()
        .find(|operand| operand.role == Role::Data);
    let wide = data.is_some_and(|data| data.ty.registers() > 2);
    let offset = inst.by_role(Role::Soffset);
    let scalar = matches!(inst.encoding, Encoding::Mubuf | Encoding::Mtbuf) && offset.0 < 128;
    only(
        stores && wide && !scalar,
        operands(inst, |role, _| role == Role::Data),
    )
}
