//! List of the mode-selecting fields.

use super::Effect::{Does, Traps};
use super::{Effect, Field, Values};
use crate::isa::{Encoding, Flags, Form, Inst, Role, Type};

const fn value(number: u32, effect: Effect) -> Values {
    range(number, number, effect)
}

const fn range(first: u32, last: u32, effect: Effect) -> Values {
    Values {
        first,
        last,
        effect,
    }
}

const RESERVED: Effect = Traps("reserved");
const GRAPHICS: Effect = Traps("only graphics uses it");
const HANDLER: Effect = Traps("only trap handlers use it");
const LATER: Effect = Traps("only later chips have it");

/// All fields.
#[rustfmt::skip]
pub const ALL: &[&Field] = &[
    &SWIZZLE, &DPP_CTRL, &ROW_MASK, &BANK_MASK, &SRC0_SEL, &SRC1_SEL, &DST_SEL, &DST_UNUSED, &OMOD, &FORMAT, &STATUS, &HWREG, &MESSAGE,
    &GPR_INDEX, &SEGMENT, &EXPORT_TARGET, &RESOURCE_FORMAT, &RESOURCE_SELECT, &INDEX_STRIDE, &LDS_DIRECT, &EXCEPTIONS, &DEBUG,
    &FP16_OVERFLOW, &DMASK, &IMAGE_FORMAT, &IMAGE_SELECT, &IMAGE_TYPE, &IMAGE_LEVELS, &IMAGE_TILING, &IMAGE_COMPRESSION, &CLAMP,
    &XY_FILTER, &Z_FILTER, &BORDER,
];

/// Pattern of ds_swizzle_b32. The bits that a mode does not use are ignored.
#[rustfmt::skip]
pub static SWIZZLE: Field = Field {
    name: "swizzle offset", bits: 16,
    read: |i| i.row.modifiers.has(Flags::SWIZZLE).then_some(i.offset as u32 & 0xffff),
    values: &[
        range(0x0000, 0x7fff, Does("within 32 lanes: and with bits 4:0, or with 9:5, xor with 14:10")),
        range(0x8000, 0xbfff, Does("within 4 lanes: bits 7:0 name a source lane for each lane")),
        range(0xc000, 0xdfff, Does("within 32 lanes: rotate by bits 9:5, down if bit 10 is set; the lane's bits in the mask 4:0 stay")),
        range(0xe000, 0xffff, Does("within 32 lanes: reverse the lane's bits for an FFT; its bits in the mask 4:0 stay")),
    ],
};

/// Control field of DPP.
#[rustfmt::skip]
pub static DPP_CTRL: Field = Field {
    name: "dpp_ctrl", bits: 9,
    read: |i| dpp(i, i.modifiers.dpp_ctrl.into()),
    values: &[
        range(0x000, 0x0ff, Does("quad_perm")),
        value(0x100,        RESERVED),
        range(0x101, 0x10f, Does("row_shl")),
        value(0x110,        RESERVED),
        range(0x111, 0x11f, Does("row_shr")),
        value(0x120,        RESERVED),
        range(0x121, 0x12f, Does("row_ror")),
        value(0x130,        Does("wave_shl:1")),
        range(0x131, 0x133, RESERVED),
        value(0x134,        Does("wave_rol:1")),
        range(0x135, 0x137, RESERVED),
        value(0x138,        Does("wave_shr:1")),
        range(0x139, 0x13b, RESERVED),
        value(0x13c,        Does("wave_ror:1")),
        range(0x13d, 0x13f, RESERVED),
        value(0x140,        Does("row_mirror")),
        value(0x141,        Does("row_half_mirror")),
        value(0x142,        Does("row_bcast:15")),
        value(0x143,        Does("row_bcast:31")),
        range(0x144, 0x14f, RESERVED),
        range(0x150, 0x15f, Traps("row_newbcast or row_share, which only later chips have")),
        range(0x160, 0x16f, Traps("row_xmask, which only later chips have")),
        range(0x170, 0x1ff, RESERVED),
    ],
};

/// Row mask of DPP.
#[rustfmt::skip]
pub static ROW_MASK: Field = Field {
    name: "row_mask", bits: 4, read: |i| dpp(i, i.modifiers.row_mask.into()),
    values: &[range(0, 15, Does("bit n: lanes 16n to 16n+15 are written"))],
};

/// Bank mask of DPP.
#[rustfmt::skip]
pub static BANK_MASK: Field = Field {
    name: "bank_mask", bits: 4, read: |i| dpp(i, i.modifiers.bank_mask.into()),
    values: &[range(0, 15, Does("bit n: lanes 4n to 4n+3 of each 16 are written"))],
};

const SELECTS: &[Values] = &[
    range(0, 3, Does("a byte")),
    range(4, 5, Does("a word")),
    value(6, Does("the dword")),
    value(7, RESERVED),
];

/// Part of the first source that SDWA selects.
#[rustfmt::skip]
pub static SRC0_SEL: Field = Field { name: "src0_sel", bits: 3, read: |i| sdwa(i, i.modifiers.src_sel[0].into()), values: SELECTS };

/// Part of the second source that SDWA selects.
#[rustfmt::skip]
pub static SRC1_SEL: Field = Field { name: "src1_sel", bits: 3, read: |i| sdwa(i, i.modifiers.src_sel[1].into()), values: SELECTS };

/// Part of the destination that SDWA writes.
#[rustfmt::skip]
pub static DST_SEL: Field = Field { name: "dst_sel", bits: 3, read: |i| sdwa(i, i.modifiers.dst_sel.into()), values: SELECTS };

/// Treatment of the destination's other bits by SDWA.
#[rustfmt::skip]
pub static DST_UNUSED: Field = Field {
    name: "dst_unused", bits: 2, read: |i| sdwa(i, i.modifiers.dst_unused.into()),
    values: &[
        value(0, Does("zeros")),
        value(1, Does("the sign above, zeros below")),
        value(2, Does("the old bits")),
        value(3, RESERVED),
    ],
};

/// Output multiplier. A row without an output multiplier always has the value 0.
#[rustfmt::skip]
pub static OMOD: Field = Field {
    name: "omod", bits: 2, read: |i| i.row.modifiers.has(Flags::OMOD).then_some(i.modifiers.omod.into()),
    values: &[
        value(0, Does("nothing")), value(1, Does("times 2")), value(2, Does("times 4")), value(3, Does("half")),
    ],
};

/// Effects of a data format (low four bits) with a number format (above it), as gfx9 numbers them. Components of 32 bits are integers or
/// floats; components of 8, 10 and 2 bits cannot be floats.
#[rustfmt::skip]
const FORMATS: &[Values] = &[
    value(0x00, RESERVED), range(0x01, 0x03, NORMALISED), value(0x04, RESERVED), range(0x05, 0x0a, NORMALISED), value(0x0b, RESERVED),
    value(0x0c, NORMALISED), range(0x0d, 0x10, RESERVED),
    range(0x11, 0x13, NORMALISED), value(0x14, RESERVED), range(0x15, 0x1a, NORMALISED), value(0x1b, RESERVED),
    value(0x1c, NORMALISED), range(0x1d, 0x20, RESERVED),
    range(0x21, 0x23, SCALED), value(0x24, RESERVED), range(0x25, 0x2a, SCALED), value(0x2b, RESERVED),
    value(0x2c, SCALED), range(0x2d, 0x30, RESERVED),
    range(0x31, 0x33, SCALED), value(0x34, RESERVED), range(0x35, 0x3a, SCALED), value(0x3b, RESERVED),
    value(0x3c, SCALED), range(0x3d, 0x40, RESERVED),
    range(0x41, 0x4e, INTEGER), range(0x4f, 0x50, RESERVED),
    range(0x51, 0x5e, INTEGER), range(0x5f, 0x71, RESERVED),
    value(0x72, FLOAT), value(0x73, RESERVED), range(0x74, 0x77, FLOAT), range(0x78, 0x7a, RESERVED), range(0x7b, 0x7e, FLOAT),
    value(0x7f, RESERVED),
];

const NORMALISED: Effect = Does("fractions of the greatest value");
const SCALED: Effect = Does("floats of integral value");
const INTEGER: Effect = Does("integers");
const FLOAT: Effect = Does("floats");

/// Element format of tbuffer instructions.
#[rustfmt::skip]
pub static FORMAT: Field = Field {
    name: "buffer format", bits: 7, read: |i| (i.encoding == Encoding::Mtbuf).then_some(i.modifiers.format.into()), values: FORMATS,
};

/// Request for the status of partially resident memory, which a buffer load writes after its data.
#[rustfmt::skip]
pub static STATUS: Field = Field {
    name: "tfe", bits: 1, read: |i| (i.encoding == Encoding::Mubuf).then_some(i.modifiers.flags.has(Flags::TFE).into()),
    values: &[value(0, Does("no status")), value(1, Does("a status for missing pages: no page is missing, and nothing is written"))],
};

/// Hardware register of s_getreg and s_setreg.
#[rustfmt::skip]
pub static HWREG: Field = Field {
    name: "hwreg", bits: 6,
    read: |i| i.row.operands.iter().any(|o| o.ty == Type::Hwreg).then_some(i.words[0] & 63),
    values: &[
        value(0,      RESERVED),
        value(1,      Does("MODE")),
        value(2,      Does("STATUS")),
        value(3,      Does("TRAPSTS: its exception flags are not kept, and reading them traps")),
        value(4,      Does("HW_ID: consecutive waves of a group are on consecutive SIMDs of one compute unit")),
        value(5,      Does("GPR_ALLOC")),
        value(6,      Does("LDS_ALLOC")),
        value(7,      Does("IB_STS: nothing outstanding")),
        range(8, 14,  RESERVED),
        value(15,     Does("SH_MEM_BASES")),
        range(16, 19, Does("the trap handler's code and memory: 0, as there is no handler")),
        range(20, 63, LATER),
    ],
};

/// Message of s_sendmsg and s_sendmsghalt.
#[rustfmt::skip]
pub static MESSAGE: Field = Field {
    name: "message", bits: 4,
    read: |i| i.row.operands.iter().any(|o| o.ty == Type::Message).then_some(i.words[0] & 15),
    values: &[
        value(0,      RESERVED),
        value(1,      Does("MSG_INTERRUPT: nothing, as the host polls memory")),
        range(2, 3,   GRAPHICS),
        range(4, 6,   HANDLER),
        range(7, 9,   GRAPHICS),
        value(10,     HANDLER),
        range(11, 14, RESERVED),
        value(15,     HANDLER),
    ],
};

/// Operand kinds that VGPR indexing applies to. The bits above them are ignored.
#[rustfmt::skip]
pub static GPR_INDEX: Field = Field {
    name: "gpr_idx", bits: 4,
    read: |i| {
        let operand = i.row.operands.iter().position(|o| o.ty == Type::GprIndex)?;
        let is_source = i.row.operands[operand].role == Role::Src1;
        Some(if is_source { u32::from(i.operands[operand].0) & 15 } else { i.words[0] & 15 })
    },
    values: &[range(0, 15, Does("bits 0 to 3: first, second, third source, destination"))],
};

/// Segment of a FLAT instruction.
#[rustfmt::skip]
pub static SEGMENT: Field = Field {
    name: "seg", bits: 2,
    read: |i| match i.encoding {
        Encoding::Flat => Some(0),
        Encoding::Scratch => Some(1),
        Encoding::Global => Some(2),
        _ => None,
    },
    values: &[value(0, Does("flat")), value(1, Does("scratch")), value(2, Does("global")), value(3, RESERVED)],
};

/// Target of an export.
#[rustfmt::skip]
pub static EXPORT_TARGET: Field = Field {
    name: "export target", bits: 6,
    read: |i| (i.encoding == Encoding::Exp).then_some(i.words[0] >> 4 & 63),
    values: &[range(0, 63, GRAPHICS)],
};

/// Reads a field that is in a register: no instruction has it in its words.
fn not_in_words(_: &Inst) -> Option<u32> {
    None
}

/// Element format of a buffer resource: the data format in bits 18:15 of its last dword, and the number format in bits 14:12. A resource of
/// zeros has no records and reads as zeros.
#[rustfmt::skip]
pub static RESOURCE_FORMAT: Field = Field {
    name: "format of the buffer resource", bits: 7, read: not_in_words,
    values: &with_first(value(0x00, Does("nothing: loads give 0, stores are dropped"))),
};

/// Returns the formats' effects with the first one replaced.
const fn with_first(first: Values) -> [Values; FORMATS.len()] {
    let mut values = [first; FORMATS.len()];
    let mut n = 1;
    while n < FORMATS.len() {
        values[n] = FORMATS[n];
        n += 1;
    }
    values
}

/// Source of each component that a typed load returns.
#[rustfmt::skip]
pub static RESOURCE_SELECT: Field = Field {
    name: "dst_sel of the buffer resource", bits: 3, read: not_in_words,
    values: &[value(0, Does("0")), value(1, Does("1")), range(2, 3, RESERVED), range(4, 7, Does("a component"))],
};

/// Number of indices that a swizzled buffer interleaves.
#[rustfmt::skip]
pub static INDEX_STRIDE: Field = Field {
    name: "index_stride of the buffer resource", bits: 2, read: not_in_words,
    values: &[value(0, Does("8")), value(1, Does("16")), value(2, Does("32")), value(3, Does("64"))],
};

/// Type of an operand in LDS: `M0[18:16]`.
#[rustfmt::skip]
pub static LDS_DIRECT: Field = Field {
    name: "type of src_lds_direct in M0", bits: 3, read: not_in_words,
    values: &[
        value(0, Does("an unsigned byte")), value(1, Does("an unsigned word")), value(2, Does("a dword")), value(3, RESERVED),
        value(4, Does("a signed byte")), value(5, Does("a signed word")), range(6, 7, RESERVED),
    ],
};

/// Floating-point exceptions in MODE that call the trap handler.
#[rustfmt::skip]
pub static EXCEPTIONS: Field = Field {
    name: "excp_en of MODE", bits: 9, read: not_in_words,
    values: &[value(0, Does("exceptions have no effect")), range(1, 511, Traps("the emulator calls no trap handler"))],
};

/// Debug bit of MODE, which traps after each instruction.
#[rustfmt::skip]
pub static DEBUG: Field = Field {
    name: "debug of MODE", bits: 1, read: not_in_words,
    values: &[value(0, Does("no trap")), value(1, Traps("the emulator has no debugger"))],
};

/// Treatment of overflowing f16 results in MODE.
#[rustfmt::skip]
pub static FP16_OVERFLOW: Field = Field {
    name: "fp16_ovfl of MODE", bits: 1, read: not_in_words,
    values: &[value(0, Does("infinity")), value(1, Does("the largest finite number, unless a source is infinite or the divisor is zero"))],
};

/// Components that an image instruction moves.
#[rustfmt::skip]
pub static DMASK: Field = Field {
    name: "dmask", bits: 4, read: |i| (i.encoding == Encoding::Mimg).then_some(i.modifiers.dmask.into()),
    values: &[value(0, Traps("it selects no component")), range(1, 15, Does("bit n: component n"))],
};

/// Element format of an image resource: the data format in bits 25:20 of its second dword, and the number format in bits 29:26.
#[rustfmt::skip]
pub static IMAGE_FORMAT: Field = Field {
    name: "format of the image resource", bits: 10, read: not_in_words, values: &IMAGE_FORMATS,
};

/// Effects of the image formats. Images can use the formats of buffers; compressed formats, colours of few bits and depth formats belong to
/// graphics.
static IMAGE_FORMATS: [Values; 1024] = {
    let mut values = [value(0, GRAPHICS); 1024];
    let mut format = 0;
    while format < 1024 {
        let (data, number) = (format & 63, format >> 6);
        let mut effect = GRAPHICS;
        if data < 15 && number < 8 {
            let mut n = 0;
            while FORMATS[n].last < data | number << 4 {
                n += 1;
            }
            effect = FORMATS[n].effect;
        }
        values[format as usize] = value(format, effect);
        format += 1;
    }
    values
};

/// Source of each component that an image load returns.
#[rustfmt::skip]
pub static IMAGE_SELECT: Field = Field {
    name: "dst_sel of the image resource", bits: 3, read: not_in_words,
    values: &[value(0, Does("0")), value(1, Does("1")), range(2, 3, RESERVED), range(4, 7, Does("a component"))],
};

/// Dimensions of an image resource.
#[rustfmt::skip]
pub static IMAGE_TYPE: Field = Field {
    name: "type of the image resource", bits: 4, read: not_in_words,
    values: &[
        range(0, 7,   Traps("it is no image type")),
        value(8,      Does("1D")),
        value(9,      Does("2D")),
        value(10,     Does("3D")),
        value(11,     Traps("cube maps are not implemented by the emulator")),
        value(12,     Does("an array of 1D")),
        value(13,     Does("an array of 2D")),
        range(14, 15, GRAPHICS),
    ],
};

/// Levels of detail of an image resource: the first in the low four bits, the last above it.
#[rustfmt::skip]
pub static IMAGE_LEVELS: Field = Field {
    name: "levels of the image resource", bits: 8, read: not_in_words,
    values: &[value(0, Does("one level")), range(1, 255, Traps("levels of detail are not implemented by the emulator"))],
};

/// Order of an image's texels in memory.
#[rustfmt::skip]
pub static IMAGE_TILING: Field = Field {
    name: "sw_mode of the image resource", bits: 5, read: not_in_words,
    values: &[value(0, Does("rows")), range(1, 31, Traps("tiles are not implemented by the emulator"))],
};

/// Compression bit of an image resource.
#[rustfmt::skip]
pub static IMAGE_COMPRESSION: Field = Field {
    name: "compression_en of the image resource", bits: 1, read: not_in_words,
    values: &[value(0, Does("plain texels")), value(1, GRAPHICS)],
};

/// Treatment of coordinates beyond the image by a sampler.
#[rustfmt::skip]
pub static CLAMP: Field = Field {
    name: "clamp of the sampler", bits: 3, read: not_in_words,
    values: &[
        value(0,    Does("the image repeats")),
        value(1,    Does("the image repeats, and every other copy is mirrored")),
        value(2,    Does("the last texel")),
        value(3,    Does("mirrored once, then the last texel")),
        range(4, 5, GRAPHICS),
        value(6,    Does("the border")),
        value(7,    Does("mirrored once, then the border")),
    ],
};

/// A sampler's filters along rows and columns: the one for magnification in the low two bits, the one for minification above it. Without
/// levels of detail nothing distinguishes magnification from minification, so the two must be equal.
#[rustfmt::skip]
pub static XY_FILTER: Field = Field {
    name: "xy_filter of the sampler", bits: 4, read: not_in_words,
    values: &[
        value(0,     Does("the nearest texel")),
        range(1, 4,  GRAPHICS),
        value(5,     Does("a mean of the neighbours, for floats only")),
        range(6, 15, GRAPHICS),
    ],
};

/// A sampler's filter between planes.
#[rustfmt::skip]
pub static Z_FILTER: Field = Field {
    name: "z_filter of the sampler", bits: 2, read: not_in_words,
    values: &[value(0, Does("as along rows")), value(1, Does("the nearest texel")), value(2, Does("a mean of the neighbours")), value(3, RESERVED)],
};

/// A sampler's border colour.
#[rustfmt::skip]
pub static BORDER: Field = Field {
    name: "border_color_type of the sampler", bits: 2, read: not_in_words,
    values: &[value(0, Does("zeros")), value(1, Does("0, 0, 0, 1")), value(2, Does("ones")), value(3, Traps("only a driver makes the table of colours"))],
};

fn dpp(inst: &Inst, value: u32) -> Option<u32> {
    (inst.form == Form::Dpp).then_some(value)
}

fn sdwa(inst: &Inst, value: u32) -> Option<u32> {
    (inst.form == Form::Sdwa).then_some(value)
}
