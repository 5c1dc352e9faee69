//! Random words that are often instructions: every encoding and opcode gets its share, fields are drawn from meaningful codes, and bits
//! that are usually zero are usually drawn as zero.

use super::random::Random;

/// Encodings of the words: name, fixed bits, lowest bit of the opcode, number of opcodes.
const ENCODINGS: [(&str, u32, u32, u64); 19] = [
    ("sop2", 0x8000_0000, 23, 0x60),
    ("sopk", 0xb000_0000, 23, 29),
    ("sop1", 0xbe80_0000, 8, 256),
    ("sopc", 0xbf00_0000, 16, 128),
    ("sopp", 0xbf80_0000, 16, 128),
    ("smem", 0xc000_0000, 18, 256),
    ("exp", 0xc400_0000, 26, 1),
    ("vop2", 0, 25, 62),
    ("vop1", 0x7e00_0000, 9, 256),
    ("vopc", 0x7c00_0000, 17, 256),
    ("vop3", 0xd000_0000, 16, 1024),
    ("vop3p", 0xd380_0000, 16, 128),
    ("vintrp", 0xd400_0000, 16, 4),
    ("ds", 0xd800_0000, 17, 256),
    ("flat", 0xdc00_0000, 18, 128),
    ("mubuf", 0xe000_0000, 18, 128),
    ("mtbuf", 0xe800_0000, 15, 16),
    ("mimg", 0xf000_0000, 18, 128),
    ("any", 0, 32, 1),
];

/// Names of the encodings that [`random`] draws.
pub const SPACES: [&str; ENCODINGS.len()] = {
    let mut names = [""; ENCODINGS.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = ENCODINGS[i].0;
        i += 1;
    }
    names
};

const SDWA: u64 = 249;
const DPP: u64 = 250;

/// Draws two words, and the index of their encoding.
pub fn random(r: &mut Random) -> (usize, [u8; 8]) {
    let space = r.below(ENCODINGS.len() as u64) as usize;
    loop {
        let (first, second) = words(r, space);
        if !is_reserved_sub_dword(first, second) && first != 0xbf80_7fff && second != 0xbf80_7fff {
            let mut bytes = [0; 8];
            bytes[..4].copy_from_slice(&first.to_le_bytes());
            bytes[4..].copy_from_slice(&second.to_le_bytes());
            return (space, bytes);
        }
    }
}

fn words(r: &mut Random, space: usize) -> (u32, u32) {
    let (name, fixed, shift, opcodes) = ENCODINGS[space];
    let opcode = r.below(opcodes) as u32;
    let mut first = fixed | opcode.checked_shl(shift).unwrap_or(0) | sparse(r, shift.min(31));
    let second = match name {
        "any" => {
            first = r.next() as u32;
            r.next() as u32
        }
        "sop1" | "sop2" | "sopc" | "sopk" => {
            if r.one_in(2) && name != "sopk" {
                first = insert(first, 0, 8, source(r));
            }
            if r.one_in(2) && matches!(name, "sop2" | "sopc") {
                first = insert(first, 8, 8, source(r));
            }
            literal(r)
        }
        "vop1" | "vop2" | "vopc" => {
            first = insert(first, 0, 9, source(r));
            match r.below(4) {
                0 => {
                    first = insert(first, 0, 9, SDWA);
                    sub_dword(r, name, &mut first)
                }
                1 => {
                    first = insert(first, 0, 9, DPP);
                    dpp(r)
                }
                _ => literal(r),
            }
        }
        "vop3" | "vop3p" => vop3(r, &mut first),
        _ => memory(r, name, &mut first),
    };
    (first, second)
}

/// Returns true for SDWA selects that do not exist. LLVM has no defined answer for them; they are invalid here.
fn is_reserved_sub_dword(first: u32, second: u32) -> bool {
    let vector = first >> 31 == 0 && first & 0x1ff == SDWA as u32;
    let comparison = first >> 25 == 0x3e;
    let reserved = |low: u32| second >> low & 7 == 7;
    let destination = !comparison && (reserved(8) || second >> 11 & 3 == 3);
    vector && (destination || reserved(16) || reserved(24))
}

/// Draws `count` bits, few and many of them set with equal probability.
fn sparse(r: &mut Random, count: u32) -> u32 {
    let mask = match r.below(4) {
        0 => 0,
        1 => r.next() & r.next(),
        _ => u64::MAX,
    };
    (r.bits(count) & mask) as u32 & ((1u64 << count) - 1) as u32
}

fn insert(word: u32, low: u32, count: u32, value: u64) -> u32 {
    let mask = ((1u64 << count) - 1) as u32;
    word & !(mask << low) | (value as u32 & mask) << low
}

/// Draws a 9-bit source: VGPRs, SGPRs, special registers, constants, and invalid codes.
fn source(r: &mut Random) -> u64 {
    match r.below(8) {
        0 | 1 => 256 + r.bits(8),
        2 => r.bits(7),
        3 => 102 + r.below(26),
        4 => 128 + r.bits(7),
        5 => 235 + r.bits(4),
        6 => 249 + r.below(7),
        _ => r.bits(9),
    }
}

/// Draws a second word that may be a literal, often a number that is an inline constant in some width.
fn literal(r: &mut Random) -> u32 {
    const KNOWN: [u32; 12] = [
        0x3f80_0000,
        0xbf00_0000,
        0x3e22_f983,
        0x3118,
        0x3c00,
        0xc400,
        0xffff,
        0x3c00_3c00,
        0x3118_3118,
        0x3ff0_0000,
        0xc010_0000,
        0,
    ];
    match r.below(5) {
        0 => r.pick(&KNOWN),
        1 => r.bits(7) as u32,
        2 => 0xffff_ffe0 | r.bits(5) as u32,
        3 => r.bits(16) as u32,
        _ => r.next() as u32,
    }
}

fn sub_dword(r: &mut Random, name: &str, first: &mut u32) -> u32 {
    let mut second = r.bits(8) as u32 | (r.below(7) as u32) << 16;
    if name != "vop1" || r.one_in(8) {
        second |= (r.below(7) as u32) << 24;
    }
    if name == "vopc" {
        second |= (r.bits(8) as u32) << 8;
    } else {
        second |= (r.below(7) as u32) << 8 | (r.below(3) as u32) << 11;
        second |= if r.one_in(2) {
            (r.bits(3) as u32) << 13
        } else {
            0
        };
    }
    for low in [19, 27] {
        if r.one_in(2) {
            second |= ((r.next() & r.next()) as u32 & 7) << low;
        }
    }
    if r.one_in(2) {
        second |= 1 << 23;
        second = insert(second, 0, 8, source(r));
    }
    if r.one_in(2) {
        second |= 1 << 31;
        *first = insert(*first, 9, 8, source(r));
    }
    second
        | if r.one_in(8) {
            r.next() as u32 & 0x4040_0000
        } else {
            0
        }
}

fn dpp(r: &mut Random) -> u32 {
    let mut second = r.next() as u32;
    if r.one_in(2) {
        second &= 0xff0f_ffff;
    }
    let control = if r.one_in(2) {
        r.bits(8)
    } else {
        0x100 + r.below(0x80)
    };
    insert(second, 8, 9, control)
}

fn vop3(r: &mut Random, first: &mut u32) -> u32 {
    let mut second = (source(r) | source(r) << 9 | source(r) << 18) as u32;
    // Opcodes with fewer sources need zeros in the other fields.
    second &= r.pick(&[u32::MAX, (1 << 18) - 1, (1 << 18) - 1, (1 << 9) - 1, 0]);
    second |= match r.below(4) {
        0 => (r.bits(5) as u32) << 27,
        1 => (r.bits(3) as u32) << 29,
        _ => 0,
    };
    *first &= !r.pick(&[0xff00, 0x7800, 0x7000, 0, 0x4400, 0x7c00]);
    if r.one_in(4) {
        *first &= !0x80;
    }
    second
}

fn memory(r: &mut Random, name: &str, first: &mut u32) -> u32 {
    let mut second = r.next() as u32;
    for low in [0, 8, 16, 24] {
        if r.one_in(4) {
            second &= !(0xff << low);
        }
    }
    match name {
        "smem" => match r.below(4) {
            0 => second,
            1 => {
                *first &= !(3 << 14 | 1 << 17);
                second & 0x7f
            }
            _ => {
                *first = *first & !(1 << 14) | 1 << 17;
                second & 0x1f_ffff
            }
        },
        "ds" => {
            second
                & r.pick(&[
                    u32::MAX,
                    0xffff_ff00,
                    0xff00_00ff,
                    0x00ff_ffff,
                    0x0000_ffff,
                    0xff00_ffff,
                    0xff,
                ])
        }
        "flat" => match r.below(4) {
            0 => second,
            1 => second & !0x7f_0000,
            _ => second | 0x7f_0000,
        },
        "mubuf" if r.one_in(4) => second & !0x80_0000,
        "mtbuf" => second & !(u32::from(!r.one_in(8)) << 23),
        "mimg" => {
            if !r.one_in(8) {
                *first &= !1;
            }
            second & !(r.pick(&[0, 0x3e0]) << 16)
        }
        _ => second,
    }
}
