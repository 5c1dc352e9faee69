//! Generates programs: blocks in sequence, in branches and in loops, and the instructions that some rows need before or after them.

use std::sync::LazyLock;

use gfx906::isa::{self, Encoding, Form};

use super::Choices;
use super::encode::{Template, encode};

/// A program: its code, the initial content of memory, and the block of its launch.
pub struct RandomProgram {
    /// The code, which ends with s_endpgm.
    pub words: Vec<u32>,
    /// The words that the initial memory repeats.
    pub memory: Vec<u32>,
    /// The number of work-items of a work-group.
    pub block: u32,
}

const S_ENDPGM: u32 = 0xbf81_0000;
const S_BARRIER: u32 = 0xbf8a_0000;
/// s_mov_b64 exec, -1, which enables all lanes.
const ENABLE_ALL_LANES: u32 = 0xbefe_01c1;
/// The largest number of words that a program may have.
const MOST_WORDS: usize = 900;

/// Prefixes of rows that jump, or that end or stop the wave. Functions of their own emit them.
const CONTROL_FLOW: [&str; 11] = [
    "s_endpgm",
    "s_branch",
    "s_cbranch",
    "s_setpc",
    "s_swappc",
    "s_call",
    "s_rfe",
    "s_trap",
    "s_sethalt",
    "s_setkill",
    "s_sendmsghalt",
];
/// Prefixes of rows that change how later instructions work, and of clocks. Functions of their own emit them.
const MODAL: [&str; 4] = ["s_set_gpr_idx", "s_setvskip", "s_memtime", "s_memrealtime"];

static TEMPLATES: LazyLock<Vec<Vec<Template>>> = LazyLock::new(templates);

/// Returns all other rows that have semantics. Each row has a list of its forms.
fn templates() -> Vec<Vec<Template>> {
    let graphics = |e| matches!(e, Encoding::Mimg | Encoding::Exp | Encoding::Vintrp);
    let excluded = |name: &str| {
        CONTROL_FLOW
            .iter()
            .chain(&MODAL)
            .any(|prefix| name.starts_with(prefix))
    };
    isa::rows()
        .filter(|(e, row)| !graphics(*e) && row.semantics.is_some() && !excluded(row.mnemonic))
        .map(|(encoding, row)| {
            let has = |form: &Form| row.has_form(encoding, *form);
            let forms = Form::ALL.into_iter().filter(has);
            forms
                .map(|form| Template {
                    encoding,
                    row,
                    form,
                })
                .collect()
        })
        .collect()
}

/// Generates a program.
pub fn generate(c: &mut Choices) -> RandomProgram {
    let memory = (0..1024).map(|_| c.value()).collect();
    let mut words = Vec::new();
    let blocks = 2 + c.below(8);
    for _ in 0..blocks {
        emit_block(&mut words, 0, c);
    }
    if c.percent(3) {
        emit_endless_loop(&mut words);
    }
    if c.percent(6) {
        emit_end(&mut words, c);
    }
    words.push(S_ENDPGM);
    RandomProgram {
        words,
        memory,
        block: c.pick(&[100, 64, 7, 128, 40]),
    }
}

/// Writes a block of any kind. A block with a branch or a loop contains blocks.
fn emit_block(words: &mut Vec<u32>, depth: u32, c: &mut Choices) {
    if words.len() > MOST_WORDS - 200 {
        return;
    }
    match c.below(14) {
        0..=2 if depth < 2 => emit_branch(words, depth, c),
        3 | 4 if depth < 2 => emit_loop(words, depth, c),
        5 => words.push(S_BARRIER),
        6 => emit_indexing(words, c),
        7 => emit_skipping(words, c),
        8 => emit_clock(words, c),
        9 => emit_call(words, c),
        10 if c.percent(10) => emit_wild_access(words, c),
        _ => emit_sequence(words, c),
    }
    if c.percent(60) {
        words.push(ENABLE_ALL_LANES);
    }
}

/// Writes instructions of any rows.
fn emit_sequence(words: &mut Vec<u32>, c: &mut Choices) {
    for _ in 0..2 + c.below(9) {
        emit_instruction(words, None, c);
    }
}

/// Writes one instruction of any row, or of any row in some encodings, with a write to M0 before it if it reads M0.
fn emit_instruction(words: &mut Vec<u32>, only: Option<&[Encoding]>, c: &mut Choices) {
    for _ in 0..64 {
        let forms = &TEMPLATES[c.below(TEMPLATES.len() as u32) as usize];
        let template = c.pick(forms);
        if only.is_some_and(|only| !only.contains(&template.encoding)) {
            continue;
        }
        let Some(encoded) = encode(&template, c) else {
            continue;
        };
        let name = template.row.mnemonic;
        let lds = encoded[0] & 0xff == 254 || name.contains("addtid") || name.starts_with("ds_");
        let index = name.starts_with("s_movrel");
        if index || lds || matches!(template.encoding, Encoding::Mubuf | Encoding::Global) {
            // M0 holds an index, or a base in LDS and a type.
            let m0 = match index {
                true => c.below(8),
                false => 4 * c.below(64) + (c.below(3) << 16),
            };
            words.extend([0xbefc_00ff, m0]);
        }
        words.extend(encoded);
        return;
    }
}

/// Writes a forward branch over a block, on any condition.
fn emit_branch(words: &mut Vec<u32>, depth: u32, c: &mut Choices) {
    let at = words.len();
    let op = c.pick(&[
        0x02, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x04, 0x05, 0x17, 0x18, 0x19, 0x1a,
    ]);
    words.push(0xbf80_0000 | op << 16);
    emit_block(words, depth + 1, c);
    let distance = words.len() - at - 1;
    words[at] |= distance as u32 & 0xffff;
}

/// Writes a block that runs a few times. The counter is s24 or s25, by depth.
fn emit_loop(words: &mut Vec<u32>, depth: u32, c: &mut Choices) {
    let counter = 24 + depth;
    words.push(0xb000_0001 | counter << 16 | c.below(3));
    let start = words.len();
    emit_block(words, depth + 1, c);
    // s_sub_u32 counter, counter, 1; s_cmp_lg_u32 counter, 0; s_cbranch_scc1 start
    words.push(0x8080_8100 | counter | counter << 16);
    words.push(0xbf07_8000 | counter);
    let back = words.len() + 1 - start;
    words.push(0xbf85_0000 | (back as u32).wrapping_neg() & 0xffff);
}

/// Writes instructions that switch VGPR indexing on, change it, and switch it off.
fn emit_indexing(words: &mut Vec<u32>, c: &mut Choices) {
    const VALU: &[Encoding] = &[
        Encoding::Vop1,
        Encoding::Vop2,
        Encoding::Vop3,
        Encoding::Vopc,
    ];
    words.push(0xbf11_001c | c.below(16) << 8);
    for n in 0..2 + c.below(3) {
        emit_without_m0(words, VALU, c);
        if n == 0 && c.percent(50) {
            // s_set_gpr_idx_idx s26
            words.push(0xbe80_321a);
        }
        if n == 1 && c.percent(50) {
            words.push(0xbf9d_0000 | c.below(16));
        }
    }
    words.push(0xbf9c_0000);
}

/// Writes an instruction of some encodings, without the write to M0 that may precede it.
fn emit_without_m0(words: &mut Vec<u32>, only: &[Encoding], c: &mut Choices) {
    let at = words.len();
    emit_instruction(words, Some(only), c);
    if words.get(at) == Some(&0xbefc_00ff) {
        words.drain(at..at + 2);
    }
}

/// Writes instructions between s_setvskip by a bit of s28, which may skip the vector instructions, and s_setvskip off.
fn emit_skipping(words: &mut Vec<u32>, c: &mut Choices) {
    words.push(0xbf10_0000 | 28 | (128 + c.below(3)) << 8);
    emit_sequence(words, c);
    words.push(0xbf10_8080);
}

/// Writes a read of a clock. Clocks differ between runs, so the registers are overwritten afterwards.
fn emit_clock(words: &mut Vec<u32>, c: &mut Choices) {
    let op = c.pick(&[0x24, 0x25]);
    words.extend([0xc000_0000 | op << 18 | 20 << 6, 0, 0xbe94_0180]);
}

/// Writes a call of the instructions that follow, or a jump to them.
fn emit_call(words: &mut Vec<u32>, c: &mut Choices) {
    // s_getpc_b64 s[30:31]; s_add_u32 s30, s30, 16 (the address after the jump); s_addc_u32 s31, s31, 0
    let target = [0xbe9e_1c00, 0x801e_ff1e, 0, 0x821f_801f];
    match c.below(3) {
        // s_call_b64 s[20:21], 0
        0 => words.push(0xba94_0000),
        kind => {
            words.extend(target);
            let at = words.len() - 2;
            words[at] = 16;
            // s_setpc_b64 s[30:31]; s_swappc_b64 s[20:21], s[30:31]
            words.push(if kind == 1 { 0xbe80_1d1e } else { 0xbe94_1e1e });
        }
    }
    emit_sequence(words, c);
}

/// Writes an access at any address.
fn emit_wild_access(words: &mut Vec<u32>, c: &mut Choices) {
    // v_mov_b32 v12, any; v_mov_b32 v13, any; a load, a store or an atomic at v[12:13].
    words.extend([0x7e18_02ff, c.value(), 0x7e1a_02ff, c.value()]);
    let op = c.pick(&[0x14, 0x17, 0x1c, 0x1e, 0x42]);
    words.extend([0xdc00_8000 | op << 18, 0x147f_200c]);
}

/// Writes a loop without an end.
fn emit_endless_loop(words: &mut Vec<u32>) {
    words.extend([0xbf80_0000, 0xbf82_fffe]);
}

/// Writes an instruction that ends or halts the wave, or that jumps out of the program.
fn emit_end(words: &mut Vec<u32>, c: &mut Choices) {
    words.push(c.pick(&[
        0xbf92_0002, // s_trap 2
        0xbf92_0003, // s_trap 3, after which the program continues
        0xbf8d_0001, // s_sethalt 1
        0xbf8b_0001, // s_setkill 1
        0xbf8b_0000, // s_setkill 0
        0xbf91_0001, // s_sendmsghalt
        0xbf9b_0000, // s_endpgm_saved
        0xbf9e_0000, // s_endpgm_ordered_ps_done
        0xbe80_1f20, // s_rfe_b64 s[32:33]
        0x9580_2120, // s_rfe_restore_b64 s[32:33], s33
        0xb820_0001, // s_cbranch_i_fork s[32:33], 1
        0x9480_2220, // s_cbranch_g_fork s[32:33], s[34:35]
        0xbe80_2e20, // s_cbranch_join s32
        0xbe80_1d20, // s_setpc_b64 s[32:33], to any address
        0xbf82_4000, // s_branch out of the code
        0xffff_ffff, // no instruction
    ]));
}
