//! Which lanes come back, which way a path came, and what is less than what.

use super::*;

const EXECZ_1: u32 = 0xbf88_0001;
const SAVE_S8: u32 = 0xbe88_206a;
const SAVE_S14: u32 = 0xbe8e_206a;
const RESTORE_S10: u32 = 0x87fe_0a7e;
const MOV_S9_0: u32 = 0xbe89_0080;
const MOV_S8_EXEC: u32 = 0xbe88_017e;
const AND_S10_S8_S12: u32 = 0x868a_0c08;
const EXEC_S10: u32 = 0xbefe_010a;

/// Whether v1 is known to be 0 in all lanes that are on behind these instructions: then v1 >> 31 and v1 >> 0 are the same.
fn is_zero(words: &[u32]) -> bool {
    let words = [words, &[ASHR31_V2_V1, END]].concat();
    let found = known(&words);
    let at = found.function.instructions.len() - 2;
    found.is_same(at, &[ASHR0_V2_V1])
}

/// v1 is 0 in lanes of which the others hold -1: these are off.
const OTHERS_OFF: [u32; 3] = [MOV_V1_MINUS, SAVE_S14, MOV_V1_0];

fn behind(words: &[u32]) -> Vec<u32> {
    [&OTHERS_OFF[..], words].concat()
}

#[test]
fn lanes_that_come_back_are_those_that_went_off_since() {
    assert!(is_zero(&behind(&[SAVE_S8, RESTORE_S8])));
    assert!(is_zero(&behind(&[SAVE_S8, SAVE_S0, RESTORE_S8])));
    // A mask that was saved before, one that nobody knows, and one of which half was written since are of other lanes.
    const RESTORE_S14: u32 = 0x87fe_0e7e;
    assert!(!is_zero(&behind(&[SAVE_S8, RESTORE_S14])));
    assert!(!is_zero(&behind(&[SAVE_S8, RESTORE_S0])));
    assert!(!is_zero(&behind(&[SAVE_S8, MOV_S9_0, RESTORE_S8])));
    // A lane that was off meanwhile does not hold what was written.
    assert!(is_zero(&[MOV_V1_0, SAVE_S8, MOV_V1_0, RESTORE_S8]));
    assert!(!is_zero(&[MOV_V1_0, SAVE_S8, MOV_V1_MINUS, RESTORE_S8]));
    assert!(!is_zero(&[MOV_V1_MINUS, SAVE_S8, MOV_V1_0, RESTORE_S8]));
    // A level that two paths have not both come to is none.
    assert!(!is_zero(&[
        MOV_V1_MINUS,
        CMP_S3_LESS_S2,
        SCC1_1,
        SAVE_S8,
        MOV_V1_0,
        RESTORE_S8
    ]));
}

#[test]
fn lanes_that_left_a_loop_are_of_those_that_came_to_it() {
    const MOV_S8_0: u32 = 0xbe88_0180;
    const LESS_8: u32 = 0x7d98_0088;
    const LEAVE: [u32; 4] = [0x8788_086a, 0x89fe_087e, 0xbf89_fffc, RESTORE_S8];
    let looped = |begin: &[u32]| is_zero(&behind(&[begin, &[LESS_8], &LEAVE].concat()));
    assert!(looped(&[MOV_S8_0]));
    assert!(!looped(&[]));
}

#[test]
fn lanes_of_both_ways_are_of_those_that_came_to_where_they_part() {
    const XOR_S8_EXEC_S0: u32 = 0x8888_007e;
    const ELSE: [u32; 3] = [0xbe8a_2108, 0x88fe_0a7e, RESTORE_S10];
    let parted = |others: &[u32]| is_zero(&behind(&[&[SAVE_S0], others, &ELSE].concat()));
    assert!(parted(&[XOR_S8_EXEC_S0]));
    assert!(!parted(&[]));
    // s_andn2_saveexec_b64 s[10:11], s[8:9] does it in one.
    const ELSE_AT_ONCE: [u32; 2] = [0xbe8a_2308, RESTORE_S10];
    let at_once = [&[SAVE_S0, XOR_S8_EXEC_S0], &ELSE_AT_ONCE[..]].concat();
    assert!(is_zero(&behind(&at_once)));
    assert!(!is_zero(&behind(&ELSE_AT_ONCE)));
}

#[test]
fn a_mask_may_be_saved_and_narrowed_by_moves() {
    const MOV_S12_0: u32 = 0xbe8c_0180;
    const NARROW: [u32; 3] = [MOV_S8_EXEC, AND_S10_S8_S12, EXEC_S10];
    let back = |between: &[u32]| is_zero(&behind(&[&NARROW, between, &[RESTORE_S8]].concat()));
    assert!(back(&[]));
    assert!(!back(&[MOV_S9_0]));
    let guarded = |mask: &[u32]| {
        let behind = [EXECZ_1, NOP, RESTORE_S8, EXECZ_1, NOP, END];
        let found = known(&[mask, &NARROW, &behind].concat());
        let at = mask.len() + NARROW.len();
        // What the mask guards, and what its way back does.
        [found.never(at, at + 1), found.never(at + 3, at + 5)]
    };
    assert_eq!(guarded(&[MOV_S12_0]), [true, true]);
    assert_eq!(guarded(&[]), [false, true]);
}

#[test]
fn a_sum_is_more_than_its_summands_where_nothing_is_carried() {
    const SUM: u32 = 0x8107_0202; // s_add_i32 s7, s2, s2
    const WITHOUT_SIGN: u32 = 0x8007_0202;
    const SUM_WITH_S3: u32 = 0x8107_0302;
    const BIT_S8: u32 = 0x8608_8103;
    const SUM_WITH_S8: u32 = 0x8107_0802;
    const MOV_S2_S3: u32 = 0xbe82_0003;
    const S2_NOT_LESS: u32 = 0xbf03_0702; // s_cmp_ge_i32 s2, s7
    const S2_SAME: u32 = 0xbf06_0702;
    let told = |words: &[u32]| {
        let found = known(&[words, &[SCC1_1, NOP, END]].concat());
        let at = words.len();
        assert!(!found.never(at, at + 1));
        found.never(at, at + 2)
    };
    assert!(told(&[SUM, S2_NOT_LESS]) && told(&[SUM, S2_SAME]));
    assert!(told(&[WITHOUT_SIGN, S2_NOT_LESS]));
    // s3 is anything, and s8 may be 0.
    assert!(!told(&[SUM_WITH_S3, S2_NOT_LESS]));
    assert!(!told(&[BIT_S8, SUM_WITH_S8, S2_NOT_LESS]));
    assert!(!told(&[SUM, MOV_S2_S3, S2_NOT_LESS]));
    assert!(!told(&[SUM, SUM_WITH_S3, S2_NOT_LESS]));
    // One of two paths has added nothing.
    assert!(!told(&[SUM_WITH_S3, CMP_S3_LESS_S2, SCC1_1, SUM, S2_SAME]));
}

#[test]
fn a_pair_is_not_0_of_which_a_half_is_not() {
    let never = |compare: u32| known(&[compare, SCC1_1, NOP, END]).never(1, 3);
    assert!(never(0xbf12_8002)); // s_cmp_eq_u64 s[2:3], 0
    assert!(!never(0xbf12_8006));
}

#[test]
fn a_path_knows_which_way_it_came() {
    const MOV_S6_ALL: u32 = 0xbe86_01c1;
    const MOV_S6_0: u32 = 0xbe86_0180;
    const LESS_17: u32 = 0xbf04_9102; // s_cmp_lt_i32 s2, 17
    const LESS_20: u32 = 0xbf04_9402;
    const ASK: [u32; 2] = [0x89ea_067e, 0xbf87_0003]; // s_andn2_b64 vcc, exec, s[6:7]
    let asked = |other: u32| {
        let [way, branch] = ASK;
        let last = [LESS_20, SCC1_1, NOP, END];
        let words = [MOV_S6_ALL, LESS_17, SCC1_1, other, way, branch];
        known(&[&words[..], &last].concat())
    };
    // Behind it s2 is less than 17.
    let found = asked(MOV_S6_0);
    assert!(found.never(7, 8) && !found.never(7, 9));
    assert!(!found.never(5, 6) && !found.never(5, 9));
    // Both ways come there.
    let found = asked(NOP);
    assert!(!found.never(7, 8) && found.never(5, 9));
}

/// What only some lanes have written is anything in the others, for an instruction that did not read it.
#[test]
fn what_a_lane_has_not_written_is_anything() {
    const MOV_V2_0: u32 = 0x7e04_0280;
    const MOV_V2_V1: u32 = 0x7e04_0301;
    let differs = |words: &[u32]| {
        let words = [words, &[MOV_V2_0, END]].concat();
        let found = known(&words);
        let at = found.function.instructions.len() - 2;
        found.differs(at, &[MOV_V2_V1]).has(258)
    };
    assert!(!differs(&[MOV_V1_0]));
    assert!(!differs(&[SAVE_S8, MOV_V1_0]));
    assert!(differs(&[SAVE_S8, MOV_V1_0, RESTORE_S8]));
    assert!(!differs(&[MOV_V1_0, SAVE_S8, MOV_V1_0, RESTORE_S8]));
    let left_out = |words: &[u32]| {
        let words = [words, &[MOV_V1_0, END]].concat();
        let found = known(&words);
        let at = found.function.instructions.len() - 2;
        found.differs(at, &[NOP]).has(257)
    };
    assert!(!left_out(&[MOV_V1_0]));
    assert!(!left_out(&[SAVE_S8, MOV_V1_0]));
    assert!(left_out(&[SAVE_S8, MOV_V1_0, RESTORE_S8]));
    assert!(left_out(&[SAVE_S8, MOV_V1_0, RESTORE_S8, SAVE_S14]));
}

#[test]
fn a_mask_comes_back_from_the_lanes_that_its_halves_were_put_in() {
    const SPILL: [u32; 4] = [0xd28a_0003, 0x0001_0a08, 0xd28a_0003, 0x0001_0c09];
    const MOV_S8_0: u32 = 0xbe88_0080;
    const LOW: [u32; 2] = [0xd289_0008, 0x0001_0b03];
    const HIGH: [u32; 2] = [0xd289_0009, 0x0001_0d03];
    const HIGH_AS_LOW: [u32; 2] = [0xd289_0008, 0x0001_0d03];
    const LOW_AS_HIGH: [u32; 2] = [0xd289_0009, 0x0001_0b03];
    let back = |between: &[u32], words: &[[u32; 2]]| {
        let lost = [MOV_S8_0, MOV_S9_0];
        let words = [&[SAVE_S8], &SPILL[..], &lost, between, &words.concat()].concat();
        let here = is_zero(&behind(&[&words[..], &[RESTORE_S8]].concat()));
        // A lane was on before, and so one is behind it.
        let asked = [&words[..], &[RESTORE_S8, EXECZ_1, NOP, END]].concat();
        let found = known(&asked);
        let at = found.function.instructions.len() - 3;
        assert_eq!(found.never(at, at + 2), here);
        here
    };
    assert!(back(&[], &[LOW, HIGH]));
    assert!(back(&[], &[HIGH, LOW]));
    assert!(!back(&[], &[]));
    assert!(!back(&[], &[LOW]));
    assert!(!back(&[], &[HIGH]));
    assert!(!back(&[], &[HIGH_AS_LOW, LOW_AS_HIGH]));
    assert!(!back(&[], &[LOW, LOW_AS_HIGH]));
    assert!(!back(&[0x7e06_02c1], &[LOW, HIGH]));
    assert!(!back(&[SPILL_S2[0], SPILL_S2[1]], &[LOW, HIGH]));
    // A half that is written behind its way back.
    assert!(!back(&[], &[LOW, HIGH, [MOV_S9_0, NOP]]));
}

/// A copy of EXEC is one for as long as EXEC is as it was, wherever it was kept meanwhile.
#[test]
fn a_copy_of_the_mask_that_was_is_none_of_the_one_that_is() {
    const SPILL: [u32; 4] = [0xd28a_0003, 0x0001_0a08, 0xd28a_0003, 0x0001_0c09];
    const VCC_FROM_LANES: [u32; 4] = [0xd289_006a, 0x0001_0b03, 0xd289_006b, 0x0001_0d03];
    const VGPRS: [u32; 2] = [0x7e08_0208, 0x7e0a_0209];
    const VCC_FROM_VGPRS: [u32; 2] = [0x7ed4_0504, 0x7ed6_0505];
    const VCC_S8: u32 = 0xbeea_0108;
    const VCCZ_1: u32 = 0xbf86_0001;
    for (keep, take) in [
        (&SPILL[..], &VCC_FROM_LANES[..]),
        (&VGPRS, &VCC_FROM_VGPRS),
        (&[], &[VCC_S8]),
    ] {
        let narrowed = [&[MOV_S8_EXEC], keep, &[SAVE_S14], take, &[VCCZ_1, NOP, END]].concat();
        let found = known(&narrowed);
        let at = found.function.instructions.len() - 3;
        assert!(!found.never(at, at + 2));
    }
}
