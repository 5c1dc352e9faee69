//! Threads: a launch whose groups share nothing gives the same bits on one host thread and on two, including the values of unwritten
//! memory. The programs have instructions of every row that works on registers, and memory accesses to separate parts per group.

use std::collections::VecDeque;

use super::super::{Gpu, Launch, Limits};
use super::asm::{self, number, op, with_literal};
use super::dice::Dice;
use super::draw;
use super::modifier;
use super::subject::{Subject, subjects};
use super::tally::Tally;
use super::{Law, rounds};
use crate::code_object::CodeObject;
use crate::isa::{Code, Encoding, Form};

/// A kernel `anything` with room for code: s[2:3] is its argument, s4 the group's number, v0 the lane's number.
const TEMPLATE: &[u8] = include_bytes!("../../../tests/hostile/hostile.co");
/// Size of the template's own instructions in bytes.
const PROLOGUE: usize = 20;
/// Number of dwords of room for code.
const ROOM: usize = 1000;
/// Number of groups, of two waves each.
const GROUPS: u32 = 12;
/// Bytes of memory per wave.
const SLOT: u32 = 16 << 10;
/// Registers with the address that a lane stores to: v[42:43].
const PLACE: [Code; 2] = [Code::vgpr(42), Code::vgpr(43)];
/// VGPRs of operands, and VGPRs that are never written.
const WINDOW: std::ops::Range<u8> = 8..32;
const UNWRITTEN: std::ops::Range<u8> = 50..54;

#[test]
fn one_thread_and_two_give_the_same_bits() {
    let mut tally = Tally::new(Law::Threads);
    for round in 0..rounds(4) {
        let mut dice = Dice::new("threads", round, 9);
        let mut left: VecDeque<Subject> = subjects().filter(|s| Law::Threads.applies(s)).collect();
        while !left.is_empty() {
            let (words, held) = program(&mut left, &mut dice);
            let results = [1, 2].map(|threads| run(&words, threads));
            let breach = (results[0] != results[1]).then(|| difference(&results));
            for subject in held {
                match (&breach, &results[0]) {
                    // A program that stops has run only some of its subjects.
                    (None, Err(_)) => tally.stopped(&subject),
                    _ => tally.case(&subject, breach.clone()),
                }
            }
        }
    }
    tally.verdict();
}

/// Returns true if a row works on registers alone, independent of its position.
pub fn applies(subject: &Subject) -> bool {
    let scalar = [
        Encoding::Sop1,
        Encoding::Sop2,
        Encoding::Sopk,
        Encoding::Sopc,
    ];
    let vector = [
        Encoding::Vop1,
        Encoding::Vop2,
        Encoding::Vopc,
        Encoding::Vop3,
        Encoding::Vop3p,
    ];
    let alu = scalar.contains(&subject.encoding) || vector.contains(&subject.encoding);
    alu && !super::order::is_bound(subject) && !super::stops(subject.row)
}

fn mov(name: &str, to: Code, value: u32) -> Vec<u32> {
    let mut draft = asm::draft(name, Form::Native, &[to, Code::LITERAL]);
    draft.inst.literal = value;
    asm::words(&draft)
}

/// Builds a program of the next subjects, as many as there is room for: it sets registers by the group's number, runs the subjects, and
/// stores all registers.
fn program(left: &mut VecDeque<Subject>, dice: &mut Dice) -> (Vec<u32>, Vec<Subject>) {
    let mut words = Vec::new();
    for register in WINDOW {
        words.extend(mov("v_mov_b32", Code::vgpr(register), dice.dword()));
        let other = if register % 2 == 0 {
            Code(4)
        } else {
            Code(256)
        };
        words.extend(op(
            "v_xor_b32",
            &[Code::vgpr(register), other, Code::vgpr(register)],
        ));
        words.extend(mov("s_mov_b32", Code(register.into()), dice.dword()));
    }
    words.extend(place());
    let end = epilogue();
    // s_endpgm fills the room behind the program.
    let mut held = Vec::new();
    while let Some(subject) = left.front() {
        let (_, next) = draw::instruction(subject, dice, modifier::draw);
        if words.len() + next.len() + end.len() > ROOM {
            break;
        }
        // The index selects registers within the window.
        if subject.row.mnemonic.starts_with("s_movrel") {
            words.extend(op("s_mov_b32", &[Code::M0, number(2)]));
        }
        words.extend(next);
        words.extend(calm());
        if dice.percent(30) {
            words.extend(op("s_mov_b64", &[Code::EXEC, Code(193)]));
        }
        held.push(*subject);
        left.pop_front();
    }
    words.extend(end);
    (words, held)
}

/// Computes v[42:43] = argument + slot * (2 * group + wave) + 4 * lane within the wave.
fn place() -> Vec<u32> {
    let [low, high] = PLACE;
    [
        op("v_lshrrev_b32", &[low, number(6), Code(256)]),
        op("v_lshl_add_u32", &[low, Code(4), number(1), low]),
        with_literal("v_mul_u32_u24", low, SLOT, low),
        op("v_and_b32", &[high, number(63), Code(256)]),
        op("v_lshl_add_u32", &[low, high, number(2), low]),
        op("v_mov_b32", &[high, Code(3)]),
        op("v_add_co_u32", &[low, Code::VCC, Code(2), low]),
        op(
            "v_addc_co_u32",
            &[high, Code::VCC, number(0), high, Code::VCC],
        ),
    ]
    .concat()
}

/// Resets MODE, in which the instruction before may have set an index or the skip bit.
fn calm() -> Vec<u32> {
    // s_setreg_imm32_b32 hwreg(HW_REG_MODE), 0x3f0
    vec![0xba00_f801, super::state::HIP_MODE]
}

/// Enables all lanes, and stores all that the wave sees: registers, unwritten LDS, unwritten scratch.
fn epilogue() -> Vec<u32> {
    let mut words = op("s_mov_b64", &[Code::EXEC, Code(193)]);
    let [lds, scratch] = [44, 45].map(Code::vgpr);
    words.extend(op("v_lshlrev_b32", &[lds, number(2), Code(256)]));
    words.extend(op("ds_read_b32", &[lds, lds]));
    words.extend(op("v_mov_b32", &[Code::vgpr(46), number(0)]));
    words.extend(asm::words(&asm::draft(
        "scratch_load_dword",
        Form::Native,
        &[scratch, Code::vgpr(46), Code::OFF],
    )));
    store(&mut words, lds);
    store(&mut words, scratch);
    for register in WINDOW.chain(UNWRITTEN) {
        store(&mut words, Code::vgpr(register));
    }
    for register in WINDOW {
        words.extend(op("v_mov_b32", &[lds, Code(register.into())]));
        store(&mut words, lds);
    }
    words
}

/// Stores a register to the wave's place, and advances the place.
fn store(words: &mut Vec<u32>, register: Code) {
    let [low, high] = PLACE;
    let to = [low, register, Code::OFF];
    words.extend(asm::words(&asm::draft(
        "global_store_dword",
        Form::Native,
        &to,
    )));
    let sum = [low, Code::VCC, Code::LITERAL, low];
    let mut add = asm::draft("v_add_co_u32", Form::Native, &sum);
    add.inst.literal = 256;
    words.extend(asm::words(&add));
    let carry = [high, Code::VCC, number(0), high, Code::VCC];
    words.extend(op("v_addc_co_u32", &carry));
}

/// A launch that did not complete, in the words of its report.
#[derive(Debug, PartialEq)]
struct LaunchFailure(String);

/// Returns the memory after a launch, or the reason why it did not end.
fn run(words: &[u32], threads: usize) -> Result<Vec<u8>, LaunchFailure> {
    let mut object = CodeObject::parse(TEMPLATE).expect("the template");
    let entry = object.kernel("anything").expect("its kernel").entry_address;
    let code: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    for segment in &mut object.image.segments {
        if segment.address <= entry && entry < segment.end() {
            let at = (entry - segment.address) as usize + PROLOGUE;
            segment.data[at..at + code.len()].copy_from_slice(&code);
        }
    }
    let gpu = Gpu::new();
    let module = gpu.load(&object).expect("memory for the code");
    let bytes = u64::from(2 * GROUPS * SLOT);
    let data = gpu.alloc("data", bytes).expect("memory");
    let launch = Launch {
        grid: [GROUPS, 1, 1],
        block: [128, 1, 1],
        dynamic_lds: 0,
        kernarg: &data.to_le_bytes(),
        limits: Limits::default(),
        threads,
    };
    gpu.launch(&module, "anything", &launch)
        .map_err(|error| LaunchFailure(error.to_string()))?;
    let mut out = vec![0; bytes as usize];
    gpu.read(data, &mut out).expect("the allocation");
    Ok(out)
}

fn difference(results: &[Result<Vec<u8>, LaunchFailure>; 2]) -> String {
    match results {
        [Ok(one), Ok(two)] => {
            let at = (0..one.len()).find(|&n| one[n] != two[n]).unwrap_or(0);
            let (slot, rest) = (at / SLOT as usize, at % SLOT as usize);
            format!(
                "wave {slot}, register {} of those stored, lane {}",
                rest / 256,
                rest % 256 / 4
            )
        }
        [one, two] => format!("{:?} and {:?}", one.as_ref().err(), two.as_ref().err()),
    }
}
