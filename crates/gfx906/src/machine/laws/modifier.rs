//! Draws of modifiers that the row permits, in the fields of the form.

use super::dice::Dice;
use super::encode::Draft;
use crate::isa::{Encoding, Flags, Form, Role, Row, Type};

/// DPP controls: quad permutations, shifts, rotations, mirrors, broadcasts.
const CONTROLS: &[u16] = &[
    0x0e4, 0x000, 0x01b, 0x0b1, 0x04e, 0x101, 0x107, 0x10f, 0x111, 0x118, 0x11f, 0x121, 0x12c,
    0x130, 0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143,
];

/// The control that keeps every lane in place.
pub const IDENTITY: u16 = 0x0e4;

/// Draws any legal modifiers.
pub fn draw(draft: &mut Draft, dice: &mut Dice) {
    match (draft.inst.encoding, draft.inst.form) {
        (_, Form::E64) | (Encoding::Vop3, _) => vop3(draft, dice),
        (Encoding::Vop3p, _) => vop3p(draft, dice),
        (_, Form::Sdwa) => sdwa(draft, dice),
        (_, Form::Dpp) => dpp(draft, dice),
        _ => memory(draft, dice),
    }
}

/// Sets only the modifiers that an instruction requires: identities of SDWA and DPP, an address.
pub fn plain(draft: &mut Draft, dice: &mut Dice) {
    let m = &mut draft.inst.modifiers;
    match draft.inst.form {
        _ if draft.inst.row.operands.is_empty() && draft.inst.form == Form::Sdwa => {}
        Form::Sdwa => {
            m.dst_sel = if draft.inst.encoding == Encoding::Vopc {
                0
            } else {
                6
            };
            m.src_sel = if draft.inst.encoding == Encoding::Vop1 {
                [6, 0]
            } else {
                [6, 6]
            };
        }
        Form::Dpp => {
            (m.dpp_ctrl, m.row_mask, m.bank_mask) = (IDENTITY, 15, 15);
        }
        _ if draft.inst.encoding == Encoding::Vop3p => {
            m.op_sel_hi = sources(draft.inst.row);
        }
        _ => memory(draft, dice),
    }
}

/// Returns the source fields that a row's operands use.
pub fn sources(row: &Row) -> u8 {
    let roles = [Role::Src0, Role::Src1, Role::Src2];
    (0..3).fold(0, |mask, n| mask | u8::from(row.has_role(roles[n])) << n)
}

/// Returns the sources that may be negated or taken absolute, as a mask: floats, and bits that count as floats.
pub fn signed_sources(row: &Row) -> u8 {
    let source = |role, flag| {
        let operand = row.operands.iter().find(|operand| operand.role == role);
        operand.is_some_and(|o| row.modifiers.has(flag) && !o.ty.is_integer())
    };
    u8::from(source(Role::Src0, Flags::NEG0))
        | u8::from(source(Role::Src1, Flags::NEG1)) << 1
        | u8::from(source(Role::Src2, Flags::NEG2)) << 2
}

fn output(draft: &mut Draft, dice: &mut Dice) {
    let legal = draft.inst.row.modifiers;
    let m = &mut draft.inst.modifiers;
    if legal.has(Flags::CLAMP) && dice.percent(30) {
        m.flags = m.flags.with(Flags::CLAMP);
    }
    if legal.has(Flags::OMOD) && dice.percent(30) {
        m.omod = dice.below(4) as u8;
    }
}

fn vop3(draft: &mut Draft, dice: &mut Dice) {
    let row = draft.inst.row;
    let signed = signed_sources(row);
    output(draft, dice);
    let m = &mut draft.inst.modifiers;
    if dice.percent(50) {
        m.neg = dice.next() as u8 & signed;
        m.abs = if has_second_destination(row) {
            0
        } else {
            dice.next() as u8 & signed
        };
    }
    if row.modifiers.has(Flags::OP_SEL) {
        m.op_sel = dice.next() as u8 & (sources(row) | 8);
    }
}

/// Returns true if the row writes a mask beside its value. The field of the mask replaces abs.
pub fn has_second_destination(row: &Row) -> bool {
    let vector = row.has_role(Role::Vdst);
    let carry = row.operands.get(1).is_some_and(|o| o.role == Role::Vcc);
    vector && (row.has_role(Role::Sdst) || carry)
}

fn vop3p(draft: &mut Draft, dice: &mut Dice) {
    let used = sources(draft.inst.row);
    let m = &mut draft.inst.modifiers;
    m.op_sel_hi = used;
    if dice.percent(60) {
        let mut some = || dice.next() as u8 & used;
        (m.neg, m.neg_hi, m.op_sel, m.op_sel_hi) = (some(), some(), some(), some());
    }
    if dice.percent(30) {
        m.flags = m.flags.with(Flags::CLAMP);
    }
}

fn sdwa(draft: &mut Draft, dice: &mut Dice) {
    let row = draft.inst.row;
    if row.operands.is_empty() {
        return;
    }
    let signed = signed_sources(row);
    let count = if draft.inst.encoding == Encoding::Vop1 {
        1
    } else {
        2
    };
    let is_vopc = draft.inst.encoding == Encoding::Vopc;
    let float = matches!(row.operands[0].ty, Type::F16 | Type::F32);
    output(draft, dice);
    let m = &mut draft.inst.modifiers;
    for source in 0..count {
        m.src_sel[source] = dice.pick(&[0, 1, 2, 3, 4, 5, 6, 6]);
    }
    let all = (1 << count) - 1;
    m.neg = dice.next() as u8 & signed & all;
    m.abs = dice.next() as u8 & signed & all;
    m.sext = dice.next() as u8 & !signed & all;
    if is_vopc {
        (m.flags, m.omod) = (Flags::NONE, 0);
        return;
    }
    m.dst_sel = dice.pick(&[0, 1, 2, 3, 4, 5, 6, 6]);
    m.dst_unused = dice.below(3) as u8;
    if !float {
        m.omod = 0;
    }
}

fn dpp(draft: &mut Draft, dice: &mut Dice) {
    let row = draft.inst.row;
    let signed = signed_sources(row)
        & if draft.inst.encoding == Encoding::Vop1 {
            1
        } else {
            3
        };
    let m = &mut draft.inst.modifiers;
    m.dpp_ctrl = dice.pick(CONTROLS);
    let mut mask = || {
        if dice.percent(60) {
            15
        } else {
            dice.below(16) as u8
        }
    };
    (m.row_mask, m.bank_mask) = (mask(), mask());
    if dice.percent(50) {
        m.flags = m.flags.with(Flags::BOUND_CTRL);
    }
    m.neg = dice.next() as u8 & signed;
    m.abs = dice.next() as u8 & signed;
}

/// Draws addressing and cache bits of memory instructions.
fn memory(draft: &mut Draft, dice: &mut Dice) {
    let encoding = draft.inst.encoding;
    let legal = draft.inst.row.modifiers;
    let mut flags = Flags::NONE;
    let mut maybe = |flag: Flags, percent| {
        let on = legal.has(flag) && dice.percent(percent);
        if on {
            flags = flags.with(flag);
        }
        on
    };
    let atomic = legal.has(Flags::RETURNS);
    match encoding {
        Encoding::Smem => {
            maybe(Flags::GLC, if atomic { 70 } else { 20 });
            maybe(Flags::IMM, 60);
            maybe(Flags::SOFFSET, 50);
        }
        Encoding::Flat => {
            maybe(Flags::GLC, if atomic { 70 } else { 20 });
        }
        Encoding::Global | Encoding::Scratch => {
            maybe(Flags::GLC, if atomic { 70 } else { 20 });
            maybe(Flags::LDS, 20);
        }
        Encoding::Mubuf | Encoding::Mtbuf => {
            maybe(Flags::GLC, if atomic { 70 } else { 20 });
            maybe(Flags::OFFEN, 60);
            maybe(Flags::IDXEN, 40);
            let always = legal.has(Flags::ALWAYS_LDS);
            maybe(Flags::LDS, if always { 100 } else { 20 });
        }
        Encoding::Mimg => {
            maybe(Flags::GLC, 20);
            maybe(Flags::D16, 30);
            for flag in [Flags::UNORM, Flags::DA, Flags::A16] {
                if dice.percent(40) {
                    flags = flags.with(flag);
                }
            }
            draft.inst.modifiers.dmask = 1 + dice.below(15) as u8;
        }
        _ => {}
    }
    if legal.has(Flags::ALWAYS_GDS) {
        flags = flags.with(Flags::GDS);
    }
    draft.inst.modifiers.flags = flags;
    draft.based = matches!(encoding, Encoding::Global | Encoding::Scratch) && dice.percent(50);
    if encoding == Encoding::Mtbuf {
        // Half of the draws use four floats, two halves or bytes.
        let usual = dice.pick(&[14 | 7 << 4, 5 | 7 << 4, 10, 4 | 4 << 4]);
        draft.inst.modifiers.format = if dice.percent(50) {
            usual
        } else {
            dice.next() as u8 & 0x7f
        };
    }
    super::address::offset(draft, dice);
}
