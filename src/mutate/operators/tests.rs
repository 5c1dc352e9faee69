//! Tests of every change of every instruction of the built-in kernels: it decodes to its text.

use std::collections::BTreeSet;

use gfx906::isa::{decode, disassemble};

use super::*;
use crate::program::Program;

const ROOM: Registers = Registers {
    vector: 64,
    scalar: 96,
};

fn texts(words: &[u32], operator: Operator) -> Vec<String> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let inst = decode(&bytes).expect("an instruction");
    let all = changes(&inst, ROOM).into_iter();
    all.filter(|change| change.operator == operator)
        .map(|change| change.text)
        .collect()
}

#[test]
fn changes_of_the_built_in_kernels_decode_are_as_long_and_read_otherwise() {
    let program = Program::built_in().expect("built in");
    let mut found = BTreeSet::new();
    let mut count = 0;
    for segment in program
        .object
        .image
        .segments
        .iter()
        .filter(|s| s.executable)
    {
        let mut at = 0;
        while at + 4 <= segment.data.len() {
            let Ok(inst) = decode(&segment.data[at..]) else {
                at += 4;
                continue;
            };
            let text = disassemble(&inst);
            let changes = changes(&inst, ROOM);
            let mut all = BTreeSet::from([text.clone()]);
            for change in &changes {
                found.insert(change.operator);
                count += 1;
                assert_eq!(change.bytes.len(), inst.size(), "{text}");
                assert!(all.insert(change.text.clone()), "{text}: {}", change.text);
                let back = decode(&change.bytes).expect("it decodes");
                if change.text != "nothing" {
                    assert_eq!(disassemble(&back), change.text, "{text}");
                }
            }
            at += inst.size();
        }
    }
    assert_eq!(found.len(), Operator::ALL.len(), "{found:?}");
    assert!(count > 100_000, "{count}");
}

/// Words are those of llvm-mc.
#[test]
fn operators_do_what_they_say() {
    // s_cbranch_scc1 4
    let branch = texts(&[0xbf85_0004], Operator::Branch);
    assert_eq!(branch.len(), 1);
    assert!(branch[0].starts_with("s_cbranch_scc0"), "{branch:?}");
    // s_waitcnt vmcnt(0) lgkmcnt(0)
    let waits = texts(&[0xbf8c_0070], Operator::Waitcnt);
    assert_eq!(
        waits,
        [
            "s_waitcnt lgkmcnt(0)",
            "s_waitcnt vmcnt(0)",
            "s_waitcnt vmcnt(63) expcnt(7) lgkmcnt(15)"
        ]
    );
    // v_sub_f32_e32 v0, v1, v2
    let sub = [0x0400_0501];
    assert_eq!(texts(&sub, Operator::Sources), ["v_sub_f32_e32 v0, v2, v1"]);
    let opcodes = texts(&sub, Operator::Opcode);
    assert_eq!(opcodes, ["v_add_f32_e32 v0, v1, v2"]);
    // v_add_f32_e32 v0, v1, v2: the order of its sources says nothing.
    assert!(texts(&[0x0200_0501], Operator::Sources).is_empty());
    // s_and_saveexec_b64 s[0:1], vcc
    let saved = texts(&[0xbe80_206a], Operator::Exec);
    assert_eq!(saved, ["s_or_saveexec_b64 s[0:1], vcc"]);
    // s_movk_i32 s0, 0x10
    let moved = texts(&[0xb000_0010], Operator::Constant);
    assert_eq!(moved, ["s_movk_i32 s0, 0x11", "s_movk_i32 s0, 0xf"]);
    // v_mov_b32_e32 v1, 0 and s_mov_b32 s1, 0: a 0 of vectors may be a float.
    assert_eq!(
        texts(&[0x7e02_0280], Operator::Constant),
        ["v_mov_b32_e32 v1, 1.0", "v_mov_b32_e32 v1, -1"]
    );
    assert_eq!(
        texts(&[0xbe81_0080], Operator::Constant),
        ["s_mov_b32 s1, 1", "s_mov_b32 s1, -1"]
    );
}

/// The exponent of v_ldexp is a whole number: bits of its sign are there, and nothing looks at them.
/// The magnitude of a constant that is not negative is the constant.
#[test]
fn constants_have_no_magnitude_to_take() {
    // v_cndmask_b32_e64 v4, v5, 0, s[4:5]
    let select = texts(&[0xd100_0004, 0x0011_0105], Operator::Sign);
    assert_eq!(
        select,
        [
            "v_cndmask_b32_e64 v4, -v5, 0, s[4:5]",
            "v_cndmask_b32_e64 v4, v5, neg(0), s[4:5]",
            "v_cndmask_b32_e64 v4, |v5|, 0, s[4:5]",
        ]
    );
    // v_add_f32_e64 v4, v5, -1.0
    let sum = texts(&[0xd101_0004, 0x0001_e705], Operator::Sign);
    assert!(
        sum.contains(&"v_add_f32_e64 v4, v5, |-1.0|".to_string()),
        "{sum:?}"
    );
}

#[test]
fn whole_numbers_have_no_sign_to_change() {
    let ldexp = texts(&[0xd288_0004, 0x0002_0f05], Operator::Sign);
    assert_eq!(
        ldexp,
        ["v_ldexp_f32 v4, -v5, v7", "v_ldexp_f32 v4, |v5|, v7"]
    );
}
