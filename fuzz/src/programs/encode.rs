//! Encodes a row in a form, with operands that fit their roles and with random modifiers. Words that the decoder does not read as the row
//! in the form are discarded.
//!
//! The frame (crates/gfx906/tests/random/program.s) reserves the registers that lead to memory. Programs read them as addresses and never
//! write them.

use gfx906::isa::{self, Access, Encoding, Flags, Form, Inst, Operand, Role, Row, Type};

use super::Choices;

/// A row of the instruction table in one of its forms.
#[derive(Clone, Copy)]
pub struct Template {
    pub encoding: Encoding,
    pub row: &'static Row,
    pub form: Form,
}

// First data register, and the register after the last one.
const DATA_VGPRS: (u32, u32) = (11, 64);
const DATA_SGPRS: (u32, u32) = (32, 96);
// Source codes.
const SDWA: u32 = 249;
const DPP: u32 = 250;
const LITERAL: u32 = 255;

/// Returns words that the decoder reads as the template, if a few attempts give some.
pub fn encode(t: &Template, c: &mut Choices) -> Option<Vec<u32>> {
    (0..24).find_map(|_| {
        let words = attempt(t, c);
        let inst = decode(&words)?;
        let same = std::ptr::eq(inst.row, t.row) && inst.form == t.form;
        let sound = !inst.modifiers.flags.has(Flags::MALFORMED) && inst.size() == 4 * words.len();
        // Reserved values trap. A few of them are tested; many would end every program early.
        let usable = isa::fields::find_reserved(&inst).is_none() || c.percent(2);
        (same && sound && usable).then_some(words)
    })
}

/// Decodes words.
fn decode(words: &[u32]) -> Option<Inst> {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    isa::decode(&bytes).ok()
}

fn attempt(t: &Template, c: &mut Choices) -> Vec<u32> {
    let op = u32::from(t.row.opcode);
    match (t.encoding, t.form) {
        (Encoding::Sop2 | Encoding::Sop1 | Encoding::Sopc | Encoding::Sopk | Encoding::Sopp, _) => {
            scalar(t, c)
        }
        (Encoding::Smem, _) => smem(t, c),
        (Encoding::Vop1, Form::E64) => vop3(t, op + 0x140, c),
        (Encoding::Vop2, Form::E64) => vop3(t, op + 0x100, c),
        (Encoding::Vopc, Form::E64) | (Encoding::Vop3, _) => vop3(t, op, c),
        (Encoding::Vop3p, _) => vop3p(t, c),
        (Encoding::Ds, _) => ds(t, c),
        (Encoding::Flat | Encoding::Global | Encoding::Scratch, _) => flat(t, c),
        (Encoding::Mubuf | Encoding::Mtbuf, _) => buffer(t, c),
        _ => vector(t, c),
    }
}

fn operand(t: &Template, role: Role) -> Option<&'static Operand> {
    t.row.operands.iter().find(|o| o.role == role)
}

/// Picks the first of `registers` data VGPRs.
fn vgpr(registers: usize, c: &mut Choices) -> u32 {
    let (first, end) = DATA_VGPRS;
    first + c.below(end - first - registers as u32 + 1)
}

/// Picks the first of `registers` data SGPRs, aligned as the hardware requires.
fn sgpr(registers: usize, c: &mut Choices) -> u32 {
    let (first, end) = DATA_SGPRS;
    let n = registers as u32;
    let align = n.next_power_of_two().min(4);
    first + c.below((end - first - n) / align + 1) * align
}

/// Picks a scalar source.
fn scalar_source(ty: Type, literal: &mut bool, c: &mut Choices) -> u32 {
    match c.below(10) {
        0..=4 => sgpr(ty.registers(), c),
        5 | 6 => 128 + c.below(81),
        7 => 240 + c.below(9),
        8 => match ty.registers() {
            1 => c.pick(&[106, 107, 124, 126, 127, 251, 252, 253, 235, 237]),
            _ => c.pick(&[106, 126]),
        },
        _ => {
            *literal = true;
            LITERAL
        }
    }
}

/// Picks a source of the 9-bit space.
fn source(ty: Type, literal: &mut bool, c: &mut Choices) -> u32 {
    match c.below(10) {
        0..=5 => 256 + vgpr(ty.registers(), c),
        6 => 256 + c.below(2) * 10,
        _ => scalar_source(ty, literal, c),
    }
}

fn with_literal(word: u32, literal: bool, c: &mut Choices) -> Vec<u32> {
    if literal {
        vec![word, c.value()]
    } else {
        vec![word]
    }
}

fn scalar(t: &Template, c: &mut Choices) -> Vec<u32> {
    let op = u32::from(t.row.opcode);
    let mut literal = false;
    let (mut word, second_source) = match t.encoding {
        Encoding::Sop2 => (0x8000_0000 | op << 23, true),
        Encoding::Sopk => (0xb000_0000 | op << 23, false),
        Encoding::Sop1 => (0xbe80_0000 | op << 8, false),
        Encoding::Sopc => (0xbf00_0000 | op << 16, true),
        _ => (0xbf80_0000 | op << 16, false),
    };
    for o in t.row.operands {
        word |= match o.role {
            Role::Sdst if o.access == Access::Read => sgpr(o.ty.registers(), c) << 16,
            Role::Sdst => {
                let vcc = o.ty.registers() <= 2 && c.percent(8);
                (if vcc { 106 } else { sgpr(o.ty.registers(), c) }) << 16
            }
            Role::Src0 => scalar_source(o.ty, &mut literal, c),
            Role::Src1 if o.ty == Type::GprIndex => c.below(16) << 8,
            Role::Src1 if second_source => scalar_source(o.ty, &mut literal, c) << 8,
            Role::Simm16 => immediate(t, o, c),
            Role::Literal => {
                literal = true;
                0
            }
            _ => 0,
        };
    }
    with_literal(word, literal, c)
}

/// Picks an immediate. Writes of MODE change only its bits for rounding, denormals, clamping and NaNs.
fn immediate(t: &Template, o: &Operand, c: &mut Choices) -> u32 {
    match o.ty {
        Type::Hwreg if c.percent(90) => {
            let writes = t.row.mnemonic.starts_with("s_setreg");
            let id = if writes {
                1
            } else {
                c.pick(&[1, 2, 4, 5, 6, 7, 15])
            };
            let (offset, most) = if writes {
                let offset = c.below(10);
                (offset, 10 - offset)
            } else {
                (c.below(32), 32)
            };
            id | offset << 6 | c.below(most) << 11
        }
        Type::Message if c.percent(80) => 1,
        Type::Number => 0,
        _ => c.value() & 0xffff,
    }
}

/// Picks a byte offset below `8 * count`: mostly a multiple of 8, rarely another offset.
fn offset(count: u32, c: &mut Choices) -> u32 {
    c.below(count) * 8 + if c.percent(2) { c.below(8) } else { 0 }
}

fn smem(t: &Template, c: &mut Choices) -> Vec<u32> {
    let mut first = 0xc000_0000 | u32::from(t.row.opcode) << 18;
    let mut second = 0;
    let is_buffer = operand(t, Role::Sbase).is_some_and(|o| o.ty.registers() == 4);
    for o in t.row.operands {
        match o.role {
            Role::Sdst if o.ty == Type::Number => first |= c.below(8) << 6,
            Role::Sdst => first |= sgpr(o.ty.registers(), c) << 6,
            Role::Sbase if is_buffer => first |= c.pick(&[4, 6]),
            Role::Sbase => first |= 1,
            _ => match c.below(3) {
                0 => second = 27,
                1 => {
                    first |= 1 << 14 | 1 << 17;
                    second = offset(128, c) | 27 << 25;
                }
                _ => {
                    first |= 1 << 17;
                    second = offset(256, c);
                }
            },
        }
    }
    if t.row.modifiers.has(Flags::GLC) {
        first |= c.below(2) << 16;
    }
    vec![first, second]
}

fn vector(t: &Template, c: &mut Choices) -> Vec<u32> {
    let op = u32::from(t.row.opcode);
    let mut first = match t.encoding {
        Encoding::Vop1 => 0x7e00_0000 | op << 9,
        Encoding::Vop2 => op << 25,
        _ => 0x7c00_0000 | op << 17,
    };
    let (mut literal, mut second) = (false, 0);
    let mut src0 = 0;
    for o in t.row.operands {
        match o.role {
            Role::Vdst => first |= vgpr(o.ty.registers(), c) << 17,
            Role::Sdst => first |= sgpr(1, c) << 17,
            Role::Src0 if t.form == Form::Native && o.access == Access::Read => {
                src0 = source(o.ty, &mut literal, c);
            }
            Role::Src0 if t.form == Form::Native => src0 = 256 + vgpr(1, c),
            Role::Src0 => second |= vgpr(1, c),
            Role::Src1 => first |= vgpr(o.ty.registers(), c) << 9,
            Role::Literal => literal = true,
            _ => {}
        }
    }
    match t.form {
        Form::Dpp => vec![first | DPP, dpp_word(second, c)],
        Form::Sdwa => vec![first | SDWA, sdwa_word(t, second, c)],
        _ => with_literal(first | src0, literal, c),
    }
}

/// Adds the modifiers of DPP to a second word with a source.
fn dpp_word(mut second: u32, c: &mut Choices) -> u32 {
    let control = match c.below(8) {
        0 => c.pick(&[0x130, 0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143]),
        1 => c.below(512),
        2..=4 => c.pick(&[0x101, 0x111, 0x121]) + c.below(15),
        _ => c.below(256),
    };
    let masks = if c.percent(50) { 0xff } else { c.below(256) };
    second |= control << 8 | c.below(2) << 19 | masks << 24;
    if c.percent(25) {
        second |= c.below(16) << 20;
    }
    second
}

/// Adds the modifiers of SDWA to a second word with a source.
fn sdwa_word(t: &Template, mut second: u32, c: &mut Choices) -> u32 {
    second |= c.below(7) << 16 | c.below(7) << 24;
    if t.encoding == Encoding::Vopc {
        // The destination is VCC or a pair of SGPRs.
        second |= if c.percent(50) {
            (0x80 | sgpr(2, c)) << 8
        } else {
            0
        };
    } else {
        second |= c.below(7) << 8 | c.below(3) << 11 | u32::from(c.percent(10)) << 13;
        second |= if c.percent(10) { c.below(4) << 14 } else { 0 };
    }
    if c.percent(30) {
        second |= c.below(8) << 19 | c.below(8) << 27;
    }
    if c.percent(20) {
        second = second & !0xff | 1 << 23 | sgpr(1, c);
    }
    if t.encoding == Encoding::Vop1 {
        second &= 0x00ff_ffff;
    }
    second
}

fn vop3(t: &Template, op: u32, c: &mut Choices) -> Vec<u32> {
    let mut first = 0xd000_0000 | op << 16;
    let mut second = 0u32;
    let mut literal = false;
    let has_vdst = t.row.has_role(Role::Vdst);
    for o in t.row.operands {
        match o.role {
            Role::Vdst => first |= vgpr(o.ty.registers(), c),
            Role::Sdst if has_vdst => first |= sgpr(2, c) << 8,
            Role::Sdst => first |= sgpr(o.ty.registers(), c),
            Role::Vcc if t.encoding == Encoding::Vopc => {
                first |= if c.percent(30) { 106 } else { sgpr(2, c) };
            }
            Role::Vcc if o.access == Access::Write => {
                first |= if c.percent(50) { 106 } else { sgpr(2, c) } << 8;
            }
            Role::Vcc => second |= if c.percent(50) { 106 } else { sgpr(2, c) } << 18,
            Role::Src0 | Role::Src1 | Role::Src2 => {
                let at = match o.role {
                    Role::Src0 => 0,
                    Role::Src1 => 9,
                    _ => 18,
                };
                let code = if o.ty.registers() > 2 || o.access != Access::Read {
                    256 + vgpr(o.ty.registers(), c)
                } else {
                    source(o.ty, &mut literal, c)
                };
                second |= if code == LITERAL { 128 } else { code } << at;
            }
            _ => {}
        }
    }
    if c.percent(30) {
        first |= c.below(16) << 11 & 0x7800;
    }
    if c.percent(20) {
        first |= 1 << 15;
    }
    if c.percent(30) {
        second |= c.below(8) << 29;
    }
    if c.percent(20) && !has_carry(t) {
        first |= c.below(8) << 8;
    }
    if c.percent(20) {
        second |= c.below(4) << 27;
    }
    vec![first, second]
}

/// Returns true if bits 8 to 14 name a scalar destination.
fn has_carry(t: &Template) -> bool {
    let second = t.row.operands.get(1).map(|o| o.role);
    t.encoding != Encoding::Vopc && matches!(second, Some(Role::Vcc | Role::Sdst))
}

fn vop3p(t: &Template, c: &mut Choices) -> Vec<u32> {
    let mut first = 0xd380_0000 | u32::from(t.row.opcode) << 16;
    let mut second = 0u32;
    let mut literal = false;
    for o in t.row.operands {
        let at = match o.role {
            Role::Vdst => {
                first |= vgpr(o.ty.registers(), c);
                continue;
            }
            Role::Src0 => 0,
            Role::Src1 => 9,
            _ => 18,
        };
        let code = source(o.ty, &mut literal, c);
        second |= if code == LITERAL { 128 } else { code } << at;
    }
    first |= c.below(8) << 11 | c.below(2) << 14 | u32::from(c.percent(20)) << 15;
    second |= c.below(4) << 27;
    if c.percent(30) {
        first |= c.below(8) << 8;
        second |= c.below(8) << 29;
    }
    vec![first, second]
}

fn ds(t: &Template, c: &mut Choices) -> Vec<u32> {
    let mut first = 0xd800_0000 | u32::from(t.row.opcode) << 17;
    let mut second = 0;
    let crosses = ["ds_permute", "ds_bpermute", "ds_swizzle"];
    let crosses = crosses.iter().any(|name| t.row.mnemonic.starts_with(name));
    for o in t.row.operands {
        second |= match o.role {
            Role::Addr if crosses => vgpr(1, c),
            Role::Addr => 1,
            Role::Data => vgpr(o.ty.registers(), c) << 8,
            Role::Data1 => vgpr(o.ty.registers(), c) << 16,
            _ => vgpr(o.ty.registers(), c) << 24,
        };
    }
    first |= match () {
        () if t.row.modifiers.has(Flags::SWIZZLE) => c.below(0x1_0000),
        () if t.row.modifiers.has(Flags::TWO_OFFSETS) => {
            let most = if t.row.mnemonic.contains("st64") {
                2
            } else {
                8
            };
            c.below(most) | c.below(most) << 8
        }
        () if c.percent(98) => offset(16, c),
        () => c.below(1100),
    };
    if t.row.operands.is_empty() {
        first &= !0xffff;
    }
    vec![first, second]
}

fn flat(t: &Template, c: &mut Choices) -> Vec<u32> {
    let segment = match t.encoding {
        Encoding::Flat => 0,
        Encoding::Scratch => 1,
        _ => 2,
    };
    let mut first = 0xdc00_0000 | u32::from(t.row.opcode) << 18 | segment << 14;
    let mut second = match (t.encoding, c.below(2)) {
        // LLVM emits no flat atomic on scratch: it checks the address first.
        (Encoding::Flat, _) if t.row.mnemonic.contains("atomic") => c.pick(&[2, 6]),
        (Encoding::Flat, _) => c.pick(&[2, 2, 6, 8]),
        (Encoding::Scratch, 0) => 26 << 16,
        (Encoding::Scratch, _) => 5 | 0x7f_0000,
        (_, 0) => 4 | 2 << 16,
        (_, _) => 2 | 0x7f_0000,
    };
    for o in t.row.operands {
        second |= match o.role {
            Role::Data => vgpr(o.ty.registers(), c) << 8,
            Role::Vdst => vgpr(o.ty.registers(), c) << 24,
            _ => 0,
        };
    }
    first |= match t.encoding {
        Encoding::Flat if second & 0xff != 2 => offset(3, c),
        Encoding::Flat => offset(511, c),
        Encoding::Scratch => offset(3, c),
        _ => offset(1023, c).wrapping_sub(4088) & 0x1fff,
    };
    first |= c.below(2) << 16 | u32::from(c.percent(10)) << 17;
    if t.row.modifiers.has(Flags::LDS) && c.percent(8) && t.encoding != Encoding::Flat {
        first |= 1 << 13;
    }
    // An atomic that does not return the old value has no destination.
    if t.row.modifiers.has(Flags::RETURNS) && first >> 16 & 1 == 0 {
        second &= 0x00ff_ffff;
    }
    vec![first, second]
}

fn buffer(t: &Template, c: &mut Choices) -> Vec<u32> {
    let op = u32::from(t.row.opcode);
    if t.row.operands.is_empty() {
        return vec![0xe000_0000 | op << 18, 0];
    }
    let (mut first, format) = match t.encoding {
        Encoding::Mubuf => (0xe000_0000 | op << 18, false),
        _ => (0xe800_0000 | op << 15, true),
    };
    if format {
        first |= c.below(128) << 19;
    }
    let resource = c.pick(&[2, 2, 3, 3, 4]);
    let addressed = t.row.has_role(Role::Addr);
    let (idxen, offen) = match resource {
        _ if !addressed => (0, 0),
        3 => (1, 0),
        _ => (0, c.below(2)),
    };
    // The frame has little scratch.
    let bytes = match resource {
        4 => offset(3, c),
        3 => offset(2, c),
        _ => offset(500, c),
    };
    first |= idxen << 13 | offen << 12 | bytes;
    let vaddr = match (idxen, resource) {
        (1, _) => 10,
        (_, 4) => 5,
        _ => 4,
    };
    let mut second = resource << 16 | vaddr;
    if !addressed {
        second &= !0xff;
    }
    for o in t.row.operands {
        second |= match o.role {
            Role::Data | Role::Vdst => vgpr(o.ty.registers() + 1, c) << 8,
            Role::Soffset => c.pick(&[128, 27, 136]) << 24,
            _ => 0,
        };
    }
    first |= c.below(2) << 14;
    if t.row.modifiers.has(Flags::ALWAYS_LDS) || t.row.modifiers.has(Flags::LDS) && c.percent(8) {
        first |= 1 << 16;
    }
    vec![first, second]
}
