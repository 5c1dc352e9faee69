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
const RESTORE_S2: u32 = 0x87fe_027e;
const ANDN2_EXEC_S2: u32 = 0x89fe_027e;
const EXECNZ_BACK_3: u32 = 0xbf89_fffd;
const SCC1_BACK_3: u32 = 0xbf85_fffd;
const SCC1_1: u32 = 0xbf85_0001;
const CMP_S2_5: u32 = 0xbf0a_8502;
const BARRIER: u32 = 0xbf8a_0000;
const MOV_S1_0: u32 = 0xbe81_0080;
const MOV_S2_S1: u32 = 0xbe82_0001;
const LOAD_S2: [u32; 2] = [0xc002_0082, 0];
const WAIT_LOADS: u32 = 0xbf8c_c07f;
const WAIT_STORES: u32 = 0xbf8c_0f70;
const WAIT_VECTOR: u32 = 0xbf8c_0f70;
const WAIT_NONE: u32 = 0xbf8c_cf7f;
const LOAD_V2: [u32; 2] = [0xdc50_8000, 0x0200_0001];
const MOV_V1_V2: u32 = 0x7e02_0302;
const SCC1_BACK_5: u32 = 0xbf85_fffb;
const SETPC: u32 = 0xbe80_1d1e;
const SWAPPC: u32 = 0xbe9e_1e02;
const NOP: u32 = 0xbf80_0000;
const END: u32 = 0xbf81_0000;

/// Returns the rule that proves a change of a function's first instruction to be equivalent.
fn proof(words: &[u32], change: u32, operator: Operator) -> Option<&'static str> {
    proof_of(decoded(words), 0, change.to_le_bytes().to_vec(), operator)
}

fn decoded(words: &[u32]) -> Vec<(u64, Inst)> {
    let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut instructions = Vec::new();
    let mut at = 0;
    while at < code.len() {
        let inst = decode(&code[at..]).expect("an instruction");
        instructions.push((at as u64, inst));
        at += inst.size();
    }
    instructions
}

fn proof_of(
    instructions: Vec<(u64, Inst)>,
    address: u64,
    bytes: Vec<u8>,
    operator: Operator,
) -> Option<&'static str> {
    rule(&function(instructions), &mutant(address, bytes, operator))
}

fn function(instructions: Vec<(u64, Inst)>) -> Function {
    Function {
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
        exchanges: true,
    }
}

fn mutant(address: u64, bytes: Vec<u8>, operator: Operator) -> Mutant {
    let text = disassemble(&decode(&bytes).expect("an instruction"));
    Mutant {
        address,
        change: Change {
            operator,
            bytes,
            text,
        },
    }
}

/// A wider load of arguments into a register that a second load is about to fill: here the second is done last, on a card either may be.
#[test]
fn two_loads_on_their_way_to_one_register_race() {
    const LOAD_S0: [u32; 2] = [0xc002_0002, 0];
    const LOAD_S1: [u32; 2] = [0xc002_0042, 4];
    const LOAD_S0_S1: [u32; 2] = [0xc006_0002, 0];
    let wider = |words: &[u32]| {
        let bytes = LOAD_S0_S1.iter().flat_map(|word| word.to_le_bytes());
        let change = mutant(0, bytes.collect(), Operator::Opcode);
        let function = function(decoded(words));
        (race(&function, &change), rule(&function, &change))
    };
    let both = [LOAD_S0[0], LOAD_S0[1], LOAD_S1[0], LOAD_S1[1], WAIT_LOADS];
    let (found, proven) = wider(&[&both[..], &[MOV_S2_S1, END]].concat());
    assert!(found.is_some_and(|what| what.contains("s1")) && proven.is_none());
    // With a wait between the loads there is no race: the first has arrived, and the additional register is dead.
    let apart = [
        LOAD_S0[0], LOAD_S0[1], WAIT_LOADS, LOAD_S1[0], LOAD_S1[1], WAIT_LOADS,
    ];
    let (found, proven) = wider(&[&apart[..], &[MOV_S2_S1, END]].concat());
    assert_eq!((found, proven), (None, Some(ARGUMENTS)));
    // Nor where s1 is read as it was.
    let read = [MOV_S1_0, LOAD_S0[0], LOAD_S0[1], WAIT_LOADS, MOV_S2_S1, END];
    let bytes = LOAD_S0_S1.iter().flat_map(|word| word.to_le_bytes());
    let change = mutant(4, bytes.collect(), Operator::Opcode);
    let function = function(decoded(&read));
    assert_eq!(
        (race(&function, &change), rule(&function, &change)),
        (None, None)
    );
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
    // The branch skips the second write of v1.
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
    // The skipped code leaves a value in an SGPR that is read.
    assert_eq!(deleted(&[SKIP_1, FIRST_S0, MOV_S1_S0, END]), None);
    assert_eq!(deleted(&[SKIP_1, FIRST_S0, END]), Some(IDLE));
    // It turns lanes on.
    assert_eq!(deleted(&[SKIP_1, EXEC_ALL, ADD_V4, END]), None);
}

#[test]
fn a_jump_over_a_masked_loop_only_saves_time() {
    let deleted = |words: &[u32]| proof(words, NOP, Operator::Delete);
    // Lanes are masked, come back as they were, and a loop of them ends at once.
    let masked = [SKIP_1 + 3, SAVE_S0, SKIP_1, ADD_V4, RESTORE_S0, END];
    assert_eq!(deleted(&masked), Some(IDLE));
    let looped = [SKIP_1 + 2, ADD_V4, ANDN2_EXEC_S2, EXECNZ_BACK_3, END];
    assert_eq!(deleted(&looped), Some(IDLE));
    // Another mask comes back than was saved, and lanes with it.
    let other = [SKIP_1 + 3, SAVE_S0, SKIP_1, ADD_V4, RESTORE_S2, END];
    assert_eq!(deleted(&other), None);
    // The saved mask does not live to be restored.
    let lost = [SKIP_1 + 3, SAVE_S0, MOV_S1_S0, ADD_V4, RESTORE_S0, END];
    assert_eq!(deleted(&lost), None);
    // A loop on a scalar condition may never end, a barrier may be one too many.
    let endless = [SKIP_1 + 2, ADD_V4, CMP_S2_5, SCC1_BACK_3, END];
    assert_eq!(deleted(&endless), None);
    assert_eq!(deleted(&[SKIP_1, ADD_V4, BARRIER, END]), Some(IDLE));
    assert_eq!(deleted(&[SKIP_1, BARRIER, END]), None);
    // Both directions of a forward branch count: one leaves a value in s1 that is read.
    let forward = [
        SKIP_1 + 3,
        CMP_S2_5,
        SCC1_1,
        MOV_S1_0,
        ADD_V4,
        MOV_S2_S1,
        END,
    ];
    assert_eq!(deleted(&forward), None);
    let unread = [SKIP_1 + 3, CMP_S2_5, SCC1_1, MOV_S1_0, ADD_V4, END];
    assert_eq!(deleted(&unread), Some(IDLE));
}

#[test]
fn what_a_skipped_load_writes_may_be_late() {
    let deleted = |rest: &[u32]| {
        let words = [&[SKIP_1 + 1, LOAD_S2[0], LOAD_S2[1]], rest].concat();
        proof(&words, NOP, Operator::Delete)
    };
    assert_eq!(deleted(&[END]), Some(IDLE));
    assert_eq!(deleted(&[WAIT_LOADS, MOV_S2_S1, END]), Some(IDLE));
    // On a card the load may come after the move.
    assert_eq!(deleted(&[MOV_S2_S1, END]), None);
    assert_eq!(deleted(&[WAIT_STORES, MOV_S2_S1, END]), None);
}

/// Returns the rule that proves a wider load to be equivalent: `s_load_dwordx2` in place of `s_load_dword s0, s[4:5]`.
fn wider(offset: u32, rest: &[u32]) -> Option<&'static str> {
    let words = [&[0xc002_0002, offset], rest].concat();
    let first = u64::from(words[0]) | u64::from(words[1]) << 32;
    let changed = (first | 1 << 18).to_le_bytes();
    let is = decode(&changed).expect("an instruction");
    assert_eq!(is.row.mnemonic, "s_load_dwordx2");
    proof_of(decoded(&words), 0, changed.to_vec(), Operator::Opcode)
}

#[test]
fn a_wider_load_of_arguments_may_fill_registers_that_nothing_reads() {
    assert_eq!(wider(8, &[END]), Some(ARGUMENTS));
    // s_load_dwordx2 at 0xc reaches beyond 16 bytes.
    assert_eq!(wider(12, &[END]), None);
    assert_eq!(wider(8, &[MOV_S2_S1, END]), None);
}

#[test]
fn a_wider_load_of_arguments_may_be_late() {
    assert_eq!(
        wider(8, &[WAIT_LOADS, MOV_S1_0, MOV_S2_S1, END]),
        Some(ARGUMENTS)
    );
    // On a card the load may come after s1 was written, and before it is read.
    assert_eq!(wider(8, &[MOV_S1_0, WAIT_LOADS, MOV_S2_S1, END]), None);
    assert_eq!(wider(8, &[WAIT_STORES, MOV_S1_0, END]), None);
}

#[test]
fn a_function_that_jumps_to_an_address_may_come_from_anywhere() {
    assert_eq!(wider(8, &[WAIT_LOADS, SKIP_1, NOP, END]), Some(ARGUMENTS));
    assert_eq!(wider(8, &[WAIT_LOADS, SKIP_1, SETPC, END]), None);
    // The function that it calls may jump back to it, even from behind the end.
    assert_eq!(wider(8, &[END, SWAPPC, END]), None);
    assert_eq!(wider(8, &[END, SCC1_BACK_3, END]), None);
}

#[test]
fn an_instruction_without_operands_is_no_load() {
    // s_dcache_wb in place of another instruction.
    let words = [MOV_S1_0, END];
    let none = decode(&[0, 0, 0x84, 0xc0, 0, 0, 0, 0]).expect("s_dcache_wb");
    assert!(none.row.operands.is_empty());
    let mut instructions = decoded(&words);
    instructions[0].1 = none;
    assert_eq!(
        proof_of(
            instructions,
            0,
            MOV_S1_0.to_le_bytes().to_vec(),
            Operator::Opcode
        ),
        None
    );
}

/// Returns the rule that proves the removal of a wait to be equivalent, in a function whose waves exchange no data through memory. `wait` is
/// the wait's number among all waits, from 0.
fn without(wait: usize, words: &[u32]) -> Option<&'static str> {
    without_among(false, wait, words)
}

fn without_among(exchanges: bool, wait: usize, words: &[u32]) -> Option<&'static str> {
    let code = decoded(words);
    let waits = code
        .iter()
        .filter(|(_, inst)| inst.row.mnemonic == "s_waitcnt");
    let address = waits.map(|(at, _)| *at).nth(wait).expect("a wait");
    let none = WAIT_NONE.to_le_bytes().to_vec();
    let function = Function {
        exchanges,
        ..function(code)
    };
    rule(&function, &mutant(address, none, Operator::Waitcnt))
}

#[test]
fn a_wait_is_needless_where_others_wait_for_all_that_it_guards() {
    let [load, place] = LOAD_V2;
    assert_eq!(
        without(0, &[load, place, WAIT_VECTOR, MOV_V1_V2, END]),
        None
    );
    // Either of two will do.
    let twice = [load, place, WAIT_VECTOR, WAIT_VECTOR, MOV_V1_V2, END];
    assert_eq!(without(0, &twice), Some(NEEDLESS));
    assert_eq!(without(1, &twice), Some(NEEDLESS));
    // A value that nothing reads needs no wait, and the end of a program waits for everything.
    assert_eq!(without(0, &[load, place, WAIT_VECTOR, END]), Some(NEEDLESS));
    // To overwrite it is as bad as to read it.
    assert_eq!(without(0, &[load, place, WAIT_VECTOR, MOV_V2_2, END]), None);
    // A wait for something else is none.
    let other = [load, place, WAIT_VECTOR, WAIT_LOADS, MOV_V1_V2, END];
    assert_eq!(without(0, &other), None);
    assert_eq!(without(1, &other), Some(NEEDLESS));
}

#[test]
fn a_wait_is_needed_where_any_path_has_no_other() {
    let [load, place] = LOAD_V2;
    // The branch leads around the second wait, or over a move only.
    let around = [
        load,
        place,
        WAIT_VECTOR,
        SCC1_1,
        WAIT_VECTOR,
        MOV_V1_V2,
        END,
    ];
    assert_eq!(without(0, &around), None);
    assert_eq!(without(1, &around), Some(NEEDLESS));
    let over = [
        load,
        place,
        WAIT_VECTOR,
        SCC1_1,
        MOV_V1_1,
        WAIT_VECTOR,
        MOV_V1_V2,
        END,
    ];
    assert_eq!(without(0, &over), Some(NEEDLESS));
    // Back to the load's first reader, with the next load on its way.
    let round = [WAIT_VECTOR, MOV_V1_V2, load, place, SCC1_BACK_5, END];
    assert_eq!(without(0, &round), None);
}

#[test]
fn a_wait_for_memory_may_be_there_for_waves_that_meet_in_it() {
    let ([store, there], [load, place]) = (STORE_V1, LOAD_V2);
    let stored = [store, there, WAIT_VECTOR, BARRIER, END];
    assert_eq!(without(0, &stored), Some(NEEDLESS));
    assert_eq!(without_among(true, 0, &stored), None);
    // After the barrier another wave may overwrite the loaded memory.
    let loaded = [
        load,
        place,
        WAIT_VECTOR,
        BARRIER,
        WAIT_VECTOR,
        MOV_V1_V2,
        END,
    ];
    assert_eq!(without(0, &loaded), Some(NEEDLESS));
    assert_eq!(without_among(true, 0, &loaded), None);
    // Waits for other things say nothing of it.
    let scalar = [store, there, WAIT_LOADS, BARRIER, END];
    assert_eq!(without_among(true, 0, &scalar), Some(NEEDLESS));
}

#[test]
fn a_barrier_is_missed_where_a_group_has_several_waves() {
    let nop = || NOP.to_le_bytes().to_vec();
    let barrier = mutant(8, nop(), Operator::Barrier);
    let [nobody, others, both] = [&[][..], &[4, 12], &[4, 8]].map(|places: &[u64]| {
        let places = places.iter().copied();
        places.collect::<BTreeSet<u64>>()
    });
    assert_eq!(alone(&barrier, [].iter()), Some(ALONE));
    assert_eq!(alone(&barrier, [&nobody, &others].into_iter()), Some(ALONE));
    assert_eq!(alone(&barrier, [&nobody, &both, &others].into_iter()), None);
    // Of other instructions it says nothing.
    let deleted = mutant(8, nop(), Operator::Delete);
    assert_eq!(alone(&deleted, [&nobody].into_iter()), None);
}
