//! The machine against random code on random registers: the body of the fuzz target.

#[path = "../../fuzz/src/execute.rs"]
mod body;

use gfx906::isa;

/// SplitMix64: the same code in every run.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A random instruction that writes no PC and ends nothing, so that what follows it is reached; often on registers that are there.
fn instruction(state: &mut u64) -> Vec<u8> {
    loop {
        let word = random(state);
        // Registers beyond the first 32 are a trap in most kernels: pull the fields of two in three words down.
        let word = if word.is_multiple_of(3) {
            word
        } else {
            word & 0xff1f_ff1f_9f3f_ff3f
        };
        let bytes = word.to_le_bytes();
        if let Ok(inst) = isa::decode(&bytes) {
            let name = inst.row.mnemonic;
            let leaves = [
                "s_endpgm",
                "s_setpc",
                "s_swappc",
                "s_call",
                "s_rfe",
                "s_trap",
                "s_sethalt",
                "exp",
            ];
            let graphics = name.starts_with("image_") || name.starts_with("v_interp");
            if !graphics && !leaves.iter().any(|prefix| name.starts_with(prefix)) {
                return bytes[..inst.size()].to_vec();
            }
        }
    }
}

#[test]
fn single_instructions_end_or_trap() {
    let mut state = 7;
    let mut ended = 0;
    for _ in 0..15_000 {
        let mut bytes = random(&mut state).to_le_bytes().to_vec();
        bytes.extend(instruction(&mut state));
        ended += u32::from(body::run(&bytes));
    }
    assert!(ended > 5_000, "only {ended} of 15000 came to their end");
}

#[test]
fn sequences_end_or_trap() {
    let mut state = 8;
    for _ in 0..3_000 {
        let mut bytes = random(&mut state).to_le_bytes().to_vec();
        for _ in 0..20 {
            bytes.extend(instruction(&mut state));
        }
        body::run(&bytes);
    }
}

#[test]
fn any_words_end_or_trap() {
    let mut state = 9;
    for _ in 0..3_000 {
        let bytes: Vec<u8> = (0..33)
            .flat_map(|_| random(&mut state).to_le_bytes())
            .collect();
        body::run(&bytes);
    }
}
