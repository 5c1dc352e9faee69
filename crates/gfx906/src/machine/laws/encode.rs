//! Encoder from a row, operands and modifiers to words. It inverts the decoder, and is checked against it.

use crate::isa::{
    Access, Code, Encoding, Flags, Form, Inst, Modifiers, Role, Type, decode, disassemble,
};

use super::subject::Subject;

/// An instruction to encode: a decoded instruction, and the 16-bit immediate of scalar instructions.
#[derive(Clone, Copy)]
pub struct Draft {
    /// Row, form, operands, modifiers, offset and literal. Its words are ignored.
    pub inst: Inst,
    /// The immediate of SOPK and SOPP.
    pub simm: u16,
    /// True if the address of a global or scratch instruction has a scalar base.
    pub based: bool,
}

impl Draft {
    /// Creates an instruction without operands and modifiers.
    pub fn new(subject: &Subject) -> Draft {
        let inst = Inst {
            row: subject.row,
            encoding: subject.encoding,
            form: subject.form,
            size: 4,
            operands: [Code::OFF; 6],
            literal: 0,
            offset: 0,
            modifiers: Modifiers::default(),
            words: [0; 2],
        };
        Draft {
            inst,
            simm: 0,
            based: false,
        }
    }

    /// Returns the words, if they decode to this instruction and the hardware can run it.
    pub fn encode(&self) -> Option<Vec<u32>> {
        let words = self.words();
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let back = decode(&bytes).ok()?;
        let (i, m) = (&self.inst, &back.modifiers);
        let malformed = m.flags.has(Flags::MALFORMED);
        let same = std::ptr::eq(back.row, i.row)
            && back.form == i.form
            && back.size() == bytes.len()
            && back.operands == i.operands
            && back.offset == i.offset
            && *m == i.modifiers;
        (same && !malformed).then_some(words)
    }

    fn words(&self) -> Vec<u32> {
        let i = &self.inst;
        let (first, second) = match (i.encoding, i.form) {
            (_, Form::E64) | (Encoding::Vop3, _) => vop3(i),
            (Encoding::Vop3p, _) => vop3p(i),
            (Encoding::Vop1 | Encoding::Vop2 | Encoding::Vopc, _) => vop(i),
            (Encoding::Smem, _) => smem(i),
            (Encoding::Ds, _) => ds(i),
            (Encoding::Flat | Encoding::Global | Encoding::Scratch, _) => flat(i),
            (Encoding::Mubuf | Encoding::Mtbuf, _) => buffer(i),
            (Encoding::Mimg, _) => image(i),
            _ => (self.scalar(), literal(i)),
        };
        [Some(first), second].into_iter().flatten().collect()
    }

    /// Encodes SOP1, SOP2, SOPC, SOPK and SOPP.
    fn scalar(&self) -> u32 {
        let i = &self.inst;
        let (op, simm) = (u32::from(i.row.opcode), u32::from(self.simm));
        let [sdst, src0, src1] = [Role::Sdst, Role::Src0, Role::Src1].map(|r| code(i, r));
        match i.encoding {
            Encoding::Sop1 => 0x17d << 23 | sdst << 16 | op << 8 | src0,
            Encoding::Sop2 => 2 << 30 | op << 23 | sdst << 16 | src1 << 8 | src0,
            Encoding::Sopc => 0x17e << 23 | op << 16 | src1 << 8 | src0,
            Encoding::Sopk => 0xb << 28 | op << 23 | sdst << 16 | simm,
            Encoding::Sopp => 0x17f << 23 | op << 16 | simm,
            other => panic!("{other} has no encoder: add one here"),
        }
    }
}

/// Returns the code of the operand with a role; 0 if there is none.
fn code(i: &Inst, role: Role) -> u32 {
    match i.by_role(role) {
        Code::OFF => 0,
        code => u32::from(code.0),
    }
}

/// Returns the number of the VGPR with a role.
fn vgpr(i: &Inst, role: Role) -> u32 {
    code(i, role) & 0xff
}

/// Returns the literal, if an operand is one.
fn literal(i: &Inst) -> Option<u32> {
    i.operands.contains(&Code::LITERAL).then_some(i.literal)
}

/// Returns VCC if an operand reads it, or writes it.
fn vcc(i: &Inst, access: Access) -> Option<u32> {
    let operands = i.row.operands.iter().zip(&i.operands);
    let mut found = operands.filter(|(o, _)| o.role == Role::Vcc && o.access == access);
    found.next().map(|(_, code)| code.0.into())
}

/// Returns `bit` if `flag` is set.
fn flag(i: &Inst, flag: Flags, bit: u32) -> u32 {
    u32::from(i.modifiers.flags.has(flag)) << bit
}

/// Encodes the native, SDWA and DPP words of VOP1, VOP2 and VOPC.
fn vop(i: &Inst) -> (u32, Option<u32>) {
    let op = u32::from(i.row.opcode);
    let vdst = match i.by_role(Role::Sdst) {
        Code::OFF => vgpr(i, Role::Vdst),
        sdst => sdst.0.into(),
    };
    let src0 = match i.form {
        Form::Sdwa => 249,
        Form::Dpp => 250,
        _ => code(i, Role::Src0),
    };
    let src1 = vgpr(i, Role::Src1);
    let first = match i.encoding {
        Encoding::Vop1 => 0x3f << 25 | vdst << 17 | op << 9 | src0,
        Encoding::Vop2 => op << 25 | vdst << 17 | src1 << 9 | src0,
        _ => 0x3e << 25 | op << 17 | src1 << 9 | src0,
    };
    let second = match i.form {
        Form::Sdwa => Some(sdwa(i)),
        Form::Dpp => Some(dpp(i)),
        _ => literal(i),
    };
    (first, second)
}

/// Encodes a source of SDWA: its field, and the bit that makes the field scalar.
fn scalar_field(i: &Inst, role: Role) -> (u32, u32) {
    let code = code(i, role);
    (code & 0xff, u32::from(code < 256))
}

fn sdwa(i: &Inst) -> u32 {
    let m = &i.modifiers;
    let (src0, s0) = scalar_field(i, Role::Src0);
    let s1 = match i.by_role(Role::Src1) {
        Code::OFF => 0,
        _ => scalar_field(i, Role::Src1).1,
    };
    let source = |n: usize| {
        let bit = |mask: u8| u32::from(mask >> n & 1);
        u32::from(m.src_sel[n]) | bit(m.sext) << 3 | bit(m.neg) << 4 | bit(m.abs) << 5
    };
    let destination = if i.encoding == Encoding::Vopc {
        match vcc(i, Access::Write) {
            Some(106) | None => 0,
            Some(sdst) => sdst << 8 | 1 << 15,
        }
    } else {
        let select = u32::from(m.dst_sel) << 8 | u32::from(m.dst_unused) << 11;
        select | flag(i, Flags::CLAMP, 13) | u32::from(m.omod) << 14
    };
    // Without operands the fields have no meaning.
    if i.row.operands.is_empty() {
        return 6 << 8;
    }
    src0 | destination | source(0) << 16 | s0 << 23 | source(1) << 24 | s1 << 31
}

fn dpp(i: &Inst) -> u32 {
    let m = &i.modifiers;
    let bit = |mask: u8, n: usize| u32::from(mask >> n & 1);
    let signs = |n: usize| bit(m.neg | m.sext, n) << (20 + 2 * n) | bit(m.abs, n) << (21 + 2 * n);
    let lanes = u32::from(m.bank_mask) << 24 | u32::from(m.row_mask) << 28;
    let control = u32::from(m.dpp_ctrl) << 8 | flag(i, Flags::BOUND_CTRL, 19);
    vgpr(i, Role::Src0) | control | signs(0) | signs(1) | lanes
}

fn vop3(i: &Inst) -> (u32, Option<u32>) {
    let m = &i.modifiers;
    let first_opcode = match i.encoding {
        Encoding::Vop2 => 0x100,
        Encoding::Vop1 => 0x140,
        _ => 0,
    };
    let op = first_opcode + u32::from(i.row.opcode);
    let two = i.by_role(Role::Vdst) != Code::OFF && i.by_role(Role::Sdst) != Code::OFF;
    let written = vcc(i, Access::Write);
    let (dst, sdst) = match (i.encoding, written) {
        (Encoding::Vopc, Some(vcc)) => (vcc, 0),
        (_, Some(vcc)) => (vgpr(i, Role::Vdst), vcc << 8),
        _ if two => (vgpr(i, Role::Vdst), code(i, Role::Sdst) << 8),
        _ if i.by_role(Role::Sdst) != Code::OFF => (code(i, Role::Sdst), 0),
        _ => (vgpr(i, Role::Vdst), 0),
    };
    let selects = u32::from(m.op_sel) << 11 | u32::from(m.abs) << 8;
    let first = 0x34 << 26 | op << 16 | flag(i, Flags::CLAMP, 15) | selects | sdst | dst;
    let third = vcc(i, Access::Read).unwrap_or_else(|| code(i, Role::Src2));
    let sources = code(i, Role::Src0) | code(i, Role::Src1) << 9 | third << 18;
    let signs = u32::from(m.neg | m.sext) << 29;
    (first, Some(sources | u32::from(m.omod) << 27 | signs))
}

fn vop3p(i: &Inst) -> (u32, Option<u32>) {
    let m = &i.modifiers;
    let high = u32::from(m.op_sel_hi);
    let selects = u32::from(m.op_sel) << 11 | u32::from(m.neg_hi) << 8 | (high >> 2) << 14;
    let op = u32::from(i.row.opcode) << 16;
    let first = 0x34 << 26 | 7 << 23 | op | flag(i, Flags::CLAMP, 15) | selects;
    let [a, b, c] = [Role::Src0, Role::Src1, Role::Src2].map(|role| code(i, role));
    let second = a | b << 9 | c << 18 | (high & 3) << 27 | u32::from(m.neg) << 29;
    (first | vgpr(i, Role::Vdst), Some(second))
}

fn smem(i: &Inst) -> (u32, Option<u32>) {
    let flags = i.modifiers.flags;
    let (sdst, base) = (code(i, Role::Sdst), code(i, Role::Sbase));
    let op = u32::from(i.row.opcode) << 18;
    let bits = flag(i, Flags::IMM, 17) | flag(i, Flags::GLC, 16) | flag(i, Flags::SOFFSET, 14);
    let soffset = code(i, Role::Soffset);
    let offset = match (flags.has(Flags::IMM), flags.has(Flags::SOFFSET)) {
        (true, _) => i.offset as u32 & 0x1f_ffff,
        (_, true) => 0,
        _ => soffset,
    };
    let register = if flags.has(Flags::SOFFSET) {
        soffset << 25
    } else {
        0
    };
    let first = 0x30 << 26 | op | bits | sdst << 6 | base >> 1;
    (first, Some(offset | register))
}

fn ds(i: &Inst) -> (u32, Option<u32>) {
    let op = u32::from(i.row.opcode) << 17;
    let first = 0x36 << 26 | op | flag(i, Flags::GDS, 16) | i.offset as u32 & 0xffff;
    let [addr, data, data1, vdst] =
        [Role::Addr, Role::Data, Role::Data1, Role::Vdst].map(|role| vgpr(i, role));
    (first, Some(addr | data << 8 | data1 << 16 | vdst << 24))
}

fn flat(i: &Inst) -> (u32, Option<u32>) {
    let segment = match i.encoding {
        Encoding::Scratch => 1,
        Encoding::Global => 2,
        _ => 0,
    };
    let saddr = match i.by_role(Role::Sbase) {
        Code::OFF if segment == 0 => 0,
        Code::OFF => 0x7f,
        base => u32::from(base.0),
    };
    let op = u32::from(i.row.opcode) << 18;
    let bits = flag(i, Flags::SLC, 17) | flag(i, Flags::GLC, 16) | flag(i, Flags::LDS, 13);
    let first = 0x37 << 26 | op | bits | segment << 14 | i.offset as u32 & 0x1fff;
    let [addr, data, vdst] = [Role::Addr, Role::Data, Role::Vdst].map(|role| vgpr(i, role));
    (first, Some(addr | data << 8 | saddr << 16 | vdst << 24))
}

fn buffer(i: &Inst) -> (u32, Option<u32>) {
    let typed = i.encoding == Encoding::Mtbuf;
    let op = u32::from(i.row.opcode);
    let data = vgpr(i, Role::Vdst) | vgpr(i, Role::Data);
    let bits = flag(i, Flags::GLC, 14) | flag(i, Flags::IDXEN, 13) | flag(i, Flags::OFFEN, 12);
    let operands = vgpr(i, Role::Addr) | data << 8 | (code(i, Role::Sbase) >> 2) << 16;
    let offset = i.offset as u32 & 0xfff;
    let second = operands | code(i, Role::Soffset) << 24;
    if typed {
        let format = u32::from(i.modifiers.format) << 19;
        let first = 0x3a << 26 | format | op << 15 | bits | offset;
        (first, Some(second | flag(i, Flags::SLC, 22)))
    } else {
        let cache = flag(i, Flags::SLC, 17) | flag(i, Flags::LDS, 16);
        (0x38 << 26 | op << 18 | bits | cache | offset, Some(second))
    }
}

fn image(i: &Inst) -> (u32, Option<u32>) {
    let data = vgpr(i, Role::Vdst) | vgpr(i, Role::Data);
    let bits = flag(i, Flags::UNORM, 12) | flag(i, Flags::GLC, 13) | flag(i, Flags::DA, 14);
    let first = 0x3c << 26 | flag(i, Flags::SLC, 25) | u32::from(i.row.opcode) << 18 | bits;
    let first = first | flag(i, Flags::A16, 15) | u32::from(i.modifiers.dmask) << 8;
    let scalars = (code(i, Role::Sbase) >> 2) << 16 | (code(i, Role::Ssamp) >> 2) << 21;
    let second = vgpr(i, Role::Addr) | data << 8 | scalars | flag(i, Flags::D16, 31);
    (first, Some(second))
}

/// Returns true if an operand's field is a number rather than a register.
pub fn is_number(ty: Type) -> bool {
    matches!(ty, Type::Number | Type::GprIndex | Type::Param)
}

impl Draft {
    /// Returns the instruction in the assembler's syntax.
    pub fn text(&self) -> String {
        let bytes: Vec<u8> = self.words().iter().flat_map(|w| w.to_le_bytes()).collect();
        decode(&bytes).map_or_else(|_| format!("{:?}", self.inst), |i| disassemble(&i))
    }
}
