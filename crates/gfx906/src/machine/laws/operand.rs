//! Permitted positions of operands, and random positions close together, so that operands overlap.

use super::dice::Dice;
use super::encode::{Draft, is_number};
use crate::isa::{Access, Code, Encoding, Flags, Form, Operand, Role};

/// Values that an operand's field may hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Slot {
    /// The field has a fixed code.
    Fixed(Code),
    /// A group of this many VGPRs.
    Vector(usize),
    /// A group of this many scalar registers.
    Scalar(usize),
    /// A scalar register, constant or literal, or a group of VGPRs.
    Source {
        registers: usize,
        literal: bool,
        vector: bool,
    },
    /// A number below this limit.
    Number(u16),
}

/// Returns the values that the field of operand `n` may hold under the instruction's modifiers.
pub fn slot(draft: &Draft, n: usize) -> Slot {
    let i = &draft.inst;
    let operand = &i.row.operands[n];
    let flags = i.modifiers.flags;
    let registers = operand.ty.registers();
    let lds = flags.has(Flags::LDS);
    let returns = !i.row.modifiers.has(Flags::RETURNS) || flags.has(Flags::GLC);
    let flat = matches!(
        i.encoding,
        Encoding::Flat | Encoding::Global | Encoding::Scratch
    );
    match operand.role {
        Role::Literal => Slot::Fixed(Code::LITERAL),
        Role::Simm16 => Slot::Fixed(Code::OFF),
        _ if is_number(operand.ty) => {
            Slot::Number(if operand.role == Role::Src1 { 16 } else { 128 })
        }
        Role::Vdst if lds || flat && !returns => Slot::Fixed(Code::OFF),
        Role::Vdst | Role::Data if i.encoding == Encoding::Mimg => {
            Slot::Vector(i.registers(operand).into())
        }
        Role::Vdst | Role::Data | Role::Data1 => Slot::Vector(registers),
        Role::Addr | Role::Sbase | Role::Soffset => address(draft, operand),
        Role::Ssamp => Slot::Scalar(registers),
        Role::Sdst => Slot::Scalar(registers),
        Role::Vcc => match (i.form, i.encoding) {
            (Form::E64, _) | (Form::Sdwa, Encoding::Vopc) => Slot::Scalar(2),
            _ => Slot::Fixed(Code::VCC),
        },
        Role::Src0 | Role::Src1 | Role::Src2 => source(draft, operand),
        other => panic!("no laws for operands of role {other:?}: say here where they stand"),
    }
}

fn address(draft: &Draft, operand: &Operand) -> Slot {
    let i = &draft.inst;
    let flags = i.modifiers.flags;
    let registers = operand.ty.registers();
    let based = draft.based;
    match (i.encoding, operand.role) {
        (Encoding::Flat | Encoding::Global | Encoding::Scratch, Role::Sbase) if !based => {
            Slot::Fixed(Code::OFF)
        }
        (_, Role::Sbase) => Slot::Scalar(registers),
        (Encoding::Mimg, _) => Slot::Vector(i.most_coordinates().into()),
        (Encoding::Smem, _) if flags.has(Flags::IMM) && !flags.has(Flags::SOFFSET) => {
            Slot::Fixed(Code::OFF)
        }
        (Encoding::Smem, _) => Slot::Scalar(1),
        (_, Role::Soffset) => Slot::Source {
            registers: 1,
            literal: false,
            vector: false,
        },
        (Encoding::Mubuf | Encoding::Mtbuf, _) => {
            match usize::from(flags.has(Flags::OFFEN)) + usize::from(flags.has(Flags::IDXEN)) {
                0 => Slot::Fixed(Code::OFF),
                n => Slot::Vector(n),
            }
        }
        (Encoding::Scratch, _) if based => Slot::Fixed(Code::OFF),
        (Encoding::Global, _) if based => Slot::Vector(1),
        _ => Slot::Vector(registers),
    }
}

fn source(draft: &Draft, operand: &Operand) -> Slot {
    let i = &draft.inst;
    let registers = operand.ty.registers();
    // An instruction has one literal: a row with its own literal permits no other.
    let literal = !i.row.has_role(Role::Literal) && i.form == Form::Native;
    let source = |literal, vector| Slot::Source {
        registers,
        literal,
        vector,
    };
    match (i.encoding, i.form, operand.role) {
        (Encoding::Sop1 | Encoding::Sop2 | Encoding::Sopc, ..) => source(literal, false),
        (.., Role::Src0)
            if ["v_readfirstlane_b32", "v_readlane_b32", "v_swap_b32"]
                .contains(&i.row.mnemonic) =>
        {
            Slot::Vector(registers)
        }
        // This is the only scalar source that reads a group of four.
        _ if registers > 2 => Slot::Vector(registers),
        (_, Form::Dpp, _) => Slot::Vector(registers),
        (_, Form::Sdwa, _) => source(false, true),
        (Encoding::Vop1 | Encoding::Vop2 | Encoding::Vopc, Form::Native, Role::Src0) => {
            source(literal, true)
        }
        (Encoding::Vop2 | Encoding::Vopc, Form::Native, _) => Slot::Vector(registers),
        _ => source(false, true),
    }
}

/// Assigns registers or constants to every operand.
pub fn place(draft: &mut Draft, dice: &mut Dice) {
    // Vector instructions read at most one scalar through the constant bus.
    let mut scalars = match draft.inst.encoding {
        Encoding::Sop1 | Encoding::Sop2 | Encoding::Sopc => 2,
        _ => 1,
    };
    draft.inst.literal = dice.dword();
    // An index added to a named register would lead out of the registers.
    let named = !draft.inst.row.mnemonic.starts_with("s_movrel");
    let mut last = None;
    for n in 0..draft.inst.row.operands.len() {
        let written = draft.inst.row.operands[n].access != Access::Read;
        draft.inst.operands[n] = match slot(draft, n) {
            Slot::Fixed(code) => code,
            Slot::Number(below) => Code(dice.below(below.into()) as u16),
            Slot::Vector(registers) => near(dice, registers, &mut last),
            Slot::Scalar(registers) => scalar(dice, registers, written, named),
            Slot::Source { vector: true, .. } if dice.percent(60) => {
                near(dice, draft.inst.row.operands[n].ty.registers(), &mut last)
            }
            Slot::Source { registers, .. } if scalars > 0 && dice.percent(60) => {
                scalars -= 1;
                scalar(dice, registers, false, named)
            }
            Slot::Source { literal: true, .. } if dice.percent(30) => Code::LITERAL,
            Slot::Source { .. } => constant(dice),
        };
    }
}

/// Draws VGPRs of a small window, or VGPRs that overlap the last ones.
fn near(dice: &mut Dice, registers: usize, last: &mut Option<(usize, usize)>) -> Code {
    let first = match *last {
        Some((first, count)) if dice.percent(50) => {
            (first + 1 + dice.below(count + registers - 1)).saturating_sub(registers)
        }
        _ => 8 + dice.below(registers + 6),
    };
    *last = Some((first, registers));
    Code::vgpr(first as u8)
}

/// Draws scalar registers of a small window, or named ones.
fn scalar(dice: &mut Dice, registers: usize, written: bool, named: bool) -> Code {
    let names: &[u16] = match registers {
        1 if written => &[106, 107, 124, 126, 127],
        1 => &[106, 107, 124, 126, 127, 251, 252, 253],
        2 => &[106, 126],
        _ => &[],
    };
    if named && !names.is_empty() && dice.percent(20) {
        return Code(dice.pick(names));
    }
    let align = registers.next_power_of_two().min(4);
    let places = (registers + 8) / align;
    Code((8 + align * dice.below(places)) as u16)
}

fn constant(dice: &mut Dice) -> Code {
    Code(match dice.below(3) {
        0 => 128 + dice.below(81) as u16,
        1 => 240 + dice.below(9) as u16,
        _ => 128 + dice.below(8) as u16,
    })
}
