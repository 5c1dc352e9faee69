//! Every value of every mode-selecting field, each in words that are otherwise an instruction.

use super::words::SPACES;

/// Encoding, both words without the field, lowest bit of the field, number of its bits.
#[rustfmt::skip]
const FIELDS: [(&str, u32, u32, u32, u32); 20] = [
    ("ds",    0xd87a_0000, 0x0200_0001,  0, 16), // ds_swizzle_b32 v2, v1
    ("vop1",  0x7e04_02fa, 0xff00_0001, 40,  9), // v_mov_b32_dpp v2, v1: dpp_ctrl
    ("vop1",  0x7e04_02fa, 0xff08_0001, 40,  9), // the same with bound_ctrl
    ("vop1",  0x7e04_02fa, 0x0000_0101, 56,  8), // bank_mask and row_mask
    ("vop2",  0x6804_06f9, 0x0606_0601, 40,  3), // v_add_u32_sdwa v2, v1, v3: dst_sel
    ("vop2",  0x6804_06f9, 0x0606_0601, 43,  2), // dst_unused
    ("vop2",  0x6804_06f9, 0x0606_0601, 48,  3), // src0_sel
    ("vop2",  0x6804_06f9, 0x0606_0601, 56,  3), // src1_sel
    ("vop3",  0xd101_0002, 0x0002_0701, 59,  2), // v_add_f32_e64 v2, v1, v3: omod
    ("vop3",  0xd111_0002, 0x0002_0701, 59,  2), // v_min_u16_e64: no omod
    ("mtbuf", 0xe801_a000, 0x8001_0800, 19,  7), // tbuffer_load_format_xyzw: the format
    ("mubuf", 0xe050_0000, 0x8001_0800, 55,  1), // buffer_load_dword: tfe
    ("sopk",  0xb888_f800, 0,            0,  6), // s_getreg_b32 s8
    ("sopk",  0xb888_0001, 0,            6, 10), // its offset and size
    ("sopk",  0xb908_f800, 0,            0,  6), // s_setreg_b32
    ("sopp",  0xbf90_0000, 0,            0, 16), // s_sendmsg
    ("sopc",  0xbf11_0008, 0,            8,  8), // s_set_gpr_idx_on s8
    ("sopp",  0xbf9d_0000, 0,            0, 16), // s_set_gpr_idx_mode
    ("flat",  0xdc50_0000, 0x0800_0004, 14,  2), // flat_load_dword: the segment
    ("exp",   0xc400_000f, 0x0302_0100,  4,  6), // exp: the target
];

/// The words, with the index of their encoding.
pub fn words() -> impl Iterator<Item = (usize, [u8; 8])> {
    FIELDS
        .into_iter()
        .flat_map(|(name, first, second, at, bits)| {
            let space = SPACES.iter().position(|space| *space == name).unwrap_or(0);
            let mask = (1u64 << bits) - 1;
            let rest = (u64::from(first) | u64::from(second) << 32) & !(mask << at);
            let values = (0..1u64 << bits).map(move |value| (rest | value << at).to_le_bytes());
            // LLVM has no defined answer for SDWA selects that do not exist; they are invalid here.
            values
                .filter(move |bytes| name != "vop2" || gfx906::isa::decode(bytes).is_ok())
                .map(move |bytes| (space, bytes))
        })
}
