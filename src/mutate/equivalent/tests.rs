//! Words are those of llvm-mc.

use gfx906::isa::disassemble;

use super::super::operators::{Change, Registers};
use super::*;

const MOV_V1_1: u32 = 0x7e02_0281;
const MOV_V1_2: u32 = 0x7e02_0282;
const MOV_V2_2: u32 = 0x7e04_0282;
const STORE_V1: [u32; 2] = [0xdc70_8000, 0x007f_0102];
const SAVE_S0: u32 = 0xbe80_206a;
const SAVE_S2: u32 = 0xbe82_206a;
const RESTORE_S0: u32 = 0x87fe_007e;
const SKIP_1: u32 = 0xbf88_0001;
const ADD_V4: u32 = 0x0208_0d05;
const FIRST_S0: u32 = 0x7e00_0504;
const MOV_S1_S0: u32 = 0xbe81_0000;
const ADD_S4: u32 = 0x8004_0504;
const ADDC_S6: u32 = 0x8206_8006;
const EXEC_1: u32 = 0xbefe_0181;
const EXEC_ALL: u32 = 0xbefe_01c1;
const NOP: u32 = 0xbf80_0000;
const END: u32 = 0xbf81_0000;

/// What is proven of a change of the first instruction of a function.
fn proof(words: &[u32], change: u32, operator: Operator) -> Option<&'static str> {
    let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut instructions = Vec::new();
    let mut at = 0;
    while at < code.len() {
        let inst = decode(&code[at..]).expect("an instruction");
        instructions.push((at as u64, inst));
        at += inst.size();
    }
    proof_of(instructions, change.to_le_bytes().to_vec(), operator)
}

fn proof_of(
    instructions: Vec<(u64, Inst)>,
    bytes: Vec<u8>,
    operator: Operator,
) -> Option<&'static str> {
    let function = Function {
        name: "k".into(),
        start: 0,
        sha256: String::new(),
        is_kernel: true,
        kernarg: Some((4, 16)),
        registers: Registers {
            vector: 8,
            scalar: 8,
        },
        instructions,
    };
    let text = disassemble(&decode(&bytes).expect("an instruction"));
    let mutant = Mutant {
        address: 0,
        change: Change {
            operator,
            bytes,
            text,
        },
    };
    rule(&function, &mutant)
}

#[test]
fn a_register_that_nothing_reads_may_hold_anything() {
    let other = |words: &[u32]| proof(words, MOV_V1_2, Operator::Constant);
    assert_eq!(other(&[MOV_V1_1, END]), Some(DEAD));
    assert_eq!(
        other(&[MOV_V1_1, MOV_V1_2, STORE_V1[0], STORE_V1[1], END]),
        Some(DEAD)
    );
    assert_eq!(other(&[MOV_V1_1, STORE_V1[0], STORE_V1[1], END]), None);
    // A register's neighbour leaves the first one as it was.
    let moved = |words: &[u32]| proof(words, MOV_V2_2, Operator::Register);
    assert_eq!(moved(&[MOV_V1_2, END]), Some(DEAD));
    assert_eq!(moved(&[MOV_V1_2, STORE_V1[0], STORE_V1[1], END]), None);
}

#[test]
fn lanes_that_went_off_keep_what_was_written() {
    let other = |words: &[u32]| proof(words, MOV_V1_2, Operator::Constant);
    let store = STORE_V1;
    let narrow = [
        MOV_V1_1, EXEC_1, MOV_V1_2, EXEC_ALL, store[0], store[1], END,
    ];
    assert_eq!(other(&narrow), None);
    let wide = [
        MOV_V1_1, EXEC_ALL, MOV_V1_2, EXEC_1, store[0], store[1], END,
    ];
    assert_eq!(other(&wide), Some(DEAD));
}

#[test]
fn every_path_counts() {
    let other = |words: &[u32]| proof(words, MOV_V1_2, Operator::Constant);
    // The branch skips what writes v1 again.
    let around = [MOV_V1_1, SKIP_1, MOV_V1_2, STORE_V1[0], STORE_V1[1], END];
    assert_eq!(other(&around), None);
    let both = [
        MOV_V1_1,
        SKIP_1,
        NOP,
        MOV_V1_2,
        STORE_V1[0],
        STORE_V1[1],
        END,
    ];
    assert_eq!(other(&both), Some(DEAD));
}

#[test]
fn a_mask_that_is_saved_and_never_restored_may_be_saved_anywhere() {
    let moved = |words: &[u32]| proof(words, SAVE_S2, Operator::Register);
    assert_eq!(moved(&[SAVE_S0, MOV_V1_1, END]), Some(DEAD));
    assert_eq!(moved(&[SAVE_S0, RESTORE_S0, END]), None);
}

#[test]
fn a_carry_that_is_added_is_not_dead() {
    let deleted = |words: &[u32]| proof(words, NOP, Operator::Delete);
    assert_eq!(deleted(&[ADD_S4, END]), Some(DEAD));
    assert_eq!(deleted(&[ADD_S4, ADDC_S6, MOV_S1_S0, END]), None);
}

#[test]
fn a_jump_over_vector_code_only_saves_time() {
    let deleted = |words: &[u32]| proof(words, NOP, Operator::Delete);
    assert_eq!(
        deleted(&[SKIP_1, ADD_V4, STORE_V1[0], STORE_V1[1], END]),
        Some(IDLE)
    );
    // What is skipped leaves something in a scalar register, which is read.
    assert_eq!(deleted(&[SKIP_1, FIRST_S0, MOV_S1_S0, END]), None);
    assert_eq!(deleted(&[SKIP_1, FIRST_S0, END]), Some(IDLE));
    // It turns lanes on.
    assert_eq!(deleted(&[SKIP_1, EXEC_ALL, ADD_V4, END]), None);
}

#[test]
fn a_wider_load_of_arguments_may_fill_registers_that_nothing_reads() {
    // s_load_dword s0, s[4:5], 0x8 and its wider kin; s_load_dwordx2 at 0xc reaches beyond 16 bytes.
    let load = |offset: u32| [0xc002_0002, offset];
    let words = |offset: u32, rest: &[u32]| [&load(offset)[..], rest].concat();
    let wider = |words: &[u32]| {
        let first = u64::from(words[0]) | u64::from(words[1]) << 32;
        let changed = (first | 1 << 18).to_le_bytes();
        let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut instructions = Vec::new();
        let mut at = 0;
        while at < code.len() {
            let inst = decode(&code[at..]).expect("an instruction");
            instructions.push((at as u64, inst));
            at += inst.size();
        }
        let is = decode(&changed).expect("an instruction");
        assert_eq!(is.row.mnemonic, "s_load_dwordx2");
        proof_of(instructions, changed.to_vec(), Operator::Opcode)
    };
    assert_eq!(wider(&words(8, &[END])), Some(ARGUMENTS));
    assert_eq!(wider(&words(12, &[END])), None);
    // s_mov_b32 s2, s1 reads what the wider load writes.
    assert_eq!(wider(&words(8, &[0xbe82_0001, END])), None);
}
