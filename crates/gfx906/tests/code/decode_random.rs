//! The decoder against random bytes, for about a second: the body of the fuzz target.

use crate::fuzz_decode;

/// SplitMix64: the same bytes in every run.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[test]
fn any_words_decode_or_do_not() {
    let mut state = 1;
    let mut valid = 0;
    for _ in 0..300_000 {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&random(&mut state).to_le_bytes());
        bytes[8..].copy_from_slice(&random(&mut state).to_le_bytes());
        valid += u32::from(fuzz_decode::run(&bytes));
    }
    assert!(valid > 50_000, "only {valid} of 300000 were instructions");
}

#[test]
fn instructions_cut_short_are_errors() {
    let mut state = 2;
    for _ in 0..20_000 {
        let bytes = random(&mut state).to_le_bytes();
        (0..8).for_each(|length| {
            fuzz_decode::run(&bytes[..length]);
        });
    }
}

#[test]
fn second_words_are_of_the_instruction_or_not() {
    const MODES: [u32; 3] = [249, 250, 255];
    let vop1 = (0..256).map(|opcode| 0x7e00_0000 | opcode << 9);
    let vopc = (0..256).map(|opcode| 0x7c00_0000 | opcode << 17);
    let vop2 = (0..0x3e).map(|opcode| opcode << 25);
    let mut valid = 0;
    for word in vop1.chain(vopc).chain(vop2) {
        for first in MODES.map(|mode| word | mode) {
            for second in [0_u32, 0x0606_0006, 0xff00_e400] {
                let bytes = [first.to_le_bytes(), second.to_le_bytes()].concat();
                valid += u32::from(fuzz_decode::run(&bytes));
            }
        }
    }
    assert!(valid > 500, "{valid}");
}

#[test]
fn one_bit_away_from_real_code() {
    let code = include_bytes!("../data/v5.co");
    for at in (0..code.len() - 16).step_by(4) {
        for bit in 0..64 {
            let mut bytes = code[at..at + 16].to_vec();
            bytes[bit / 8] ^= 1 << (bit % 8);
            fuzz_decode::run(&bytes);
        }
    }
}
