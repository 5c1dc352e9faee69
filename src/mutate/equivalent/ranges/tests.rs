//! Words are those of llvm-mc.

mod ways;

use gfx906::isa::decode;

use super::super::super::operators::Registers;
use super::state::Value;
use super::value::Range;
use super::*;

const END: u32 = 0xbf81_0000;
const CMP_S2_LESS_1: u32 = 0xbf04_8102;
const SCC1_1: u32 = 0xbf85_0001;
const NOP: u32 = 0xbf80_0000;
const ASHR31_V1_V0: u32 = 0x2202_009f;
const ASHR30_V1_V0: u32 = 0x2202_009e;
const OR48: u32 = 0x2802_00b0;
const XOR48: u32 = 0x2a02_00b0;
const ADD48: u32 = 0x6802_00b0;
const MOV_S3_0: u32 = 0xbe83_0080;
const INC_S3: u32 = 0x8103_8103;
const CMP_S3_LESS_S2: u32 = 0xbf04_0203;
const SCC1_BACK_3: u32 = 0xbf85_fffd;
const ASHR31_S6_S3: u32 = 0x9006_9f03;
const ASHR30_S6_S3: u32 = 0x9006_9e03;
const MOV_V1_0: u32 = 0x7e02_0280;
const MOV_V1_MINUS: u32 = 0x7e02_02c1;
const ASHR31_V2_V1: u32 = 0x2204_029f;
const ASHR0_V2_V1: u32 = 0x2204_0280;
const SAVE_S0: u32 = 0xbe80_206a;
const RESTORE_S0: u32 = 0x87fe_007e;
const RESTORE_S8: u32 = 0x87fe_087e;
const EXEC_S8: u32 = 0xbefe_0108;
const SPILL_S2: [u32; 2] = [0xd28a_0003, 0x0001_0a02];
const UNSPILL_5: [u32; 2] = [0xd289_0006, 0x0001_0b03];
const UNSPILL_6: [u32; 2] = [0xd289_0006, 0x0001_0d03];
const ASHR31_S7_S6: u32 = 0x9007_9f06;
const ASHR30_S7_S6: u32 = 0x9007_9e06;
const LOAD_8: [u32; 2] = [0xc002_0182, 8];
const LOAD_C: [u32; 2] = [0xc002_0182, 12];
const BEHIND_8: [u32; 2] = [0x800a_8804, 0x820b_8005];
const LOAD_BEHIND: [u32; 2] = [0xc002_0185, 0];
const AND_FFFF: [u32; 2] = [0x8607_ff06, 0xffff];
const AND_7FFF: [u32; 2] = [0x8607_ff06, 0x7fff];
const AND_3FF: [u32; 2] = [0x8607_ff06, 0x3ff];
const MULHI: u32 = 0x9607_0602;
const MULHI_SIGNED: u32 = 0x9687_0602;
const LESS_16: u32 = 0x7d98_0090;
const CHOICE_V1_V0_V1: u32 = 0x0002_0300;
const MOV_V1_V1: u32 = 0x7e02_0301;
const SETPC: u32 = 0xbe80_1d1e;

/// A function of these words, and what is known of it: s2 is 1 to 100, v0 is 0 to 15, v6 anything; of the arguments that s[4:5] points to the
/// word at 8 is a pair of halves of at most 2047.
struct Known {
    function: Function,
    ranges: Option<Ranges>,
}

fn known(words: &[u32]) -> Known {
    let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut instructions = Vec::new();
    let mut at = 0;
    while at < code.len() {
        let inst = decode(&code[at..]).expect("an instruction");
        instructions.push((at as u64, inst));
        at += inst.size();
    }
    let function = Function {
        name: "k".into(),
        start: 0,
        sha256: String::new(),
        is_kernel: true,
        kernarg: Some((4, 16)),
        registers: Registers {
            vector: 8,
            scalar: 16,
        },
        instructions,
        ranges: None,
        exchanges: true,
    };
    let mut entry = State::new();
    entry.set(2, Value::Number(Range::between(1, 100)));
    entry.set(4, Value::Arguments(0));
    entry.set(5, Value::ArgumentsHigh);
    entry.set(256, Value::Number(Range::between(0, 15)));
    let given = Given::words(vec![
        None,
        None,
        Some((0x1_0001, 0x400_0400, 0x7ff_07ff)),
        None,
    ]);
    let ranges = Ranges::from(&function, entry, given);
    Known { function, ranges }
}

impl Known {
    /// Whether another instruction in the place of the one at a position leaves all registers the same.
    fn is_same(&self, at: usize, words: &[u32]) -> bool {
        self.differs(at, words).is_empty()
    }

    /// The registers that may differ.
    fn differs(&self, at: usize, words: &[u32]) -> RegisterSet {
        let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let is = decode(&code).expect("an instruction");
        let ranges = self.ranges.as_ref().expect("followed");
        ranges.differing(&self.function, at, &self.function.instructions[at].1, &is)
    }

    fn never(&self, from: usize, to: usize) -> bool {
        self.ranges.as_ref().expect("followed").never(from, to)
    }
}

#[test]
fn a_branch_that_arguments_forbid_is_never_taken() {
    let found = known(&[CMP_S2_LESS_1, SCC1_1, NOP, END]);
    assert!(found.never(1, 3) && !found.never(1, 2));
    // What only it leads to is never come to.
    let skipped = known(&[CMP_S2_LESS_1, SCC1_1, END, NOP, END]);
    let unreached = |at: usize| {
        skipped
            .ranges
            .as_ref()
            .is_some_and(|ranges| ranges.is_unreached(at))
    };
    assert!(unreached(3) && unreached(4) && !unreached(2));
    // s3 may be anything.
    let found = known(&[CMP_S2_LESS_1 + 1, SCC1_1, NOP, END]);
    assert!(!found.never(1, 3) && !found.never(1, 2));
}

/// A wave begins with a lane on; who looks whether one is left, and a mask that comes back, say so again.
#[test]
fn a_branch_on_no_lane_is_never_taken_where_one_is_on() {
    const EXECZ_1: u32 = 0xbf88_0001;
    const VCCZ_1: u32 = 0xbf86_0001;
    const MOV_VCC_EXEC: u32 = 0xbeea_017e;
    const MOV_S1_0: u32 = 0xbe81_0080;
    const MOV_S9_0: u32 = 0xbe89_0080;
    assert!(known(&[EXECZ_1, NOP, END]).never(0, 2));
    assert!(known(&[MOV_VCC_EXEC, VCCZ_1, NOP, END]).never(1, 3));
    let restored = known(&[SAVE_S0, EXECZ_1, NOP, RESTORE_S0, EXECZ_1, NOP, END]);
    assert!(!restored.never(1, 3) && restored.never(4, 6));
    let looked = known(&[SAVE_S0, EXECZ_1, EXECZ_1, NOP, END]);
    assert!(!looked.never(1, 3) && looked.never(2, 4));
    // Where all lanes stay on, one does.
    const MOV_S8_ALL: u32 = 0xbe88_01c1;
    const SAVE_S10_OF_S8: u32 = 0xbe8a_2008;
    const SAVE_S10_OF_ALL: u32 = 0xbe8a_20c1;
    let stay = [MOV_S8_ALL, SAVE_S10_OF_S8, EXECZ_1, NOP, END];
    assert!(known(&stay).never(2, 4));
    assert!(known(&[SAVE_S10_OF_ALL, EXECZ_1, NOP, END]).never(1, 3));
    assert!(!known(&stay[1..]).never(1, 3));
    let halved = known(&[MOV_S8_ALL, MOV_S9_0, SAVE_S10_OF_S8, EXECZ_1, NOP, END]);
    assert!(!halved.never(3, 5));
    // Another mask may be of no lane: one that nobody knows, and one of which half was written since.
    assert!(!known(&[EXEC_S8, EXECZ_1, NOP, END]).never(1, 3));
    let halved = known(&[SAVE_S0, MOV_S1_0, RESTORE_S0, EXECZ_1, NOP, END]);
    assert!(!halved.never(3, 5));
    assert!(!known(&[MOV_VCC_EXEC, SAVE_S0, VCCZ_1, NOP, END]).never(2, 4));
}

#[test]
fn the_magnitude_of_what_is_not_negative_is_the_same() {
    // v_cndmask_b32_e64 v1, 0, SOURCE, vcc; of its magnitude; of it negated.
    let forms = |source: u32| {
        let second = 0x01a8_0080 | source << 9;
        [
            [0xd100_0001, second],
            [0xd100_0201, second],
            [0xd100_0001, second | 1 << 30],
        ]
    };
    let same = |source: u32| {
        let [plain, magnitude, negated] = forms(source);
        let found = known(&[plain[0], plain[1], END]);
        [magnitude, negated].map(|other| found.is_same(0, &other))
    };
    const V0: u32 = 256;
    const V2: u32 = 258;
    const ONE: u32 = 129;
    assert_eq!(same(ONE), [true, false]);
    assert_eq!(same(V0), [true, false]);
    assert_eq!(same(V2), [false, false]);
}

#[test]
fn shifts_of_small_numbers_are_the_same_where_nothing_is_left_of_them() {
    assert!(known(&[ASHR31_V1_V0, END]).is_same(0, &[ASHR30_V1_V0]));
    assert!(!known(&[ASHR31_V2_V1, END]).is_same(0, &[0x2204_029e]));
    assert!(!known(&[ASHR31_V1_V0, END]).is_same(0, &[0x2202_0081]));
}

#[test]
fn bits_apart_may_be_added() {
    let found = known(&[OR48, END]);
    assert!(found.is_same(0, &[XOR48]) && found.is_same(0, &[ADD48]));
    // 8 is among the bits that v0 may have.
    assert!(!known(&[OR48 - 40, END]).is_same(0, &[XOR48 - 40]));
    assert!(!known(&[OR48 + 6, END]).is_same(0, &[XOR48 + 6]));
}

#[test]
fn a_counter_stays_below_what_ends_the_loop() {
    let counted = [
        MOV_S3_0,
        INC_S3,
        CMP_S3_LESS_S2,
        SCC1_BACK_3,
        ASHR31_S6_S3,
        END,
    ];
    assert!(known(&counted).is_same(4, &[ASHR30_S6_S3]));
    // It counts on whatever s2 is: s3 is compared with itself one further on.
    let endless = [
        MOV_S3_0,
        INC_S3,
        CMP_S3_LESS_S2 + 1,
        SCC1_BACK_3,
        ASHR31_S6_S3,
        END,
    ];
    assert!(!known(&endless).is_same(4, &[ASHR30_S6_S3]));
}

#[test]
fn lanes_that_were_off_hold_what_they_held() {
    let same = |words: &[u32]| {
        let at = words.len() - 2;
        known(words).is_same(at, &[ASHR0_V2_V1])
    };
    assert!(same(&[MOV_V1_0, ASHR31_V2_V1, END]));
    assert!(same(&[MOV_V1_MINUS, ASHR31_V2_V1, END]));
    // While lanes are masked, the others hold -1; then all hold one or the other, which a shift by 31 tells from one by 30 no more.
    assert!(same(&[MOV_V1_MINUS, SAVE_S0, MOV_V1_0, ASHR31_V2_V1, END]));
    for back in [RESTORE_S0, RESTORE_S8, EXEC_S8] {
        assert!(!same(&[
            MOV_V1_MINUS,
            SAVE_S0,
            MOV_V1_0,
            back,
            ASHR31_V2_V1,
            END
        ]));
    }
    // What a lane held before all of it, it does not hold any more.
    assert!(same(&[
        MOV_V1_MINUS,
        SAVE_S0,
        RESTORE_S0,
        MOV_V1_0,
        ASHR31_V2_V1,
        END
    ]));
}

#[test]
fn a_scalar_comes_back_from_the_lane_that_it_was_put_in() {
    let spilled = |back: [u32; 2], between: &[u32]| {
        let words = [&SPILL_S2[..], between, &back, &[ASHR31_S7_S6, END]].concat();
        let found = known(&words);
        let at = found.function.instructions.len() - 2;
        found.is_same(at, &[ASHR30_S7_S6])
    };
    assert!(spilled(UNSPILL_5, &[]));
    // v_add_u32_e32 v3, 48, v0 and v_mov_b32_e32 v3, -1 write the lane, too.
    assert!(!spilled(UNSPILL_6, &[0x7e06_02c1]) || !spilled(UNSPILL_5, &[0x7e06_0306]));
    assert!(!spilled(UNSPILL_5, &[0x7e06_0306]));
}

#[test]
fn arguments_are_loaded_within_their_bounds() {
    let masked = |words: &[u32], mask: [u32; 2]| {
        let words = [words, &AND_FFFF, &[END]].concat();
        let found = known(&words);
        let at = found.function.instructions.len() - 2;
        found.is_same(at, &mask)
    };
    assert!(masked(&LOAD_8, AND_7FFF));
    assert!(!masked(&LOAD_8, AND_3FF));
    assert!(!masked(&LOAD_C, AND_7FFF));
    assert!(masked(&[BEHIND_8, LOAD_BEHIND].concat(), AND_7FFF));
}

#[test]
fn a_product_of_sizes_has_no_sign() {
    // s6 is anything, or a copy of s2.
    assert!(!known(&[MULHI, END]).is_same(0, &[MULHI_SIGNED]));
    assert!(known(&[0xbe86_0002, MULHI, END]).is_same(1, &[MULHI_SIGNED]));
}

#[test]
fn a_comparison_that_always_holds_leaves_the_lanes_that_are_on() {
    // v0 is less than 16 in every lane: once more it says the same, unless lanes have gone off since.
    let found = known(&[LESS_16, LESS_16, END]);
    assert!(found.is_same(1, &[NOP]) && !found.is_same(0, &[NOP]));
    let masked = known(&[LESS_16, SAVE_S0, LESS_16, END]);
    assert!(!masked.is_same(2, &[NOP]));
    // A choice by it is the second of two: v1 for v0.
    let chosen = known(&[LESS_16, CHOICE_V1_V0_V1, END]);
    assert!(chosen.is_same(1, &[MOV_V1_V1]));
    assert!(!known(&[CHOICE_V1_V0_V1, END]).is_same(0, &[MOV_V1_V1]));
}

/// A register that one path writes and another does not may hold anything for an instruction that did not read it.
#[test]
fn what_some_path_has_not_written_is_anything() {
    // s8 = 0 or not, then s6 = s2 + s8 in place of s6 = s2 + 0.
    const MOV_S8_0: u32 = 0xbe88_0080;
    const ADD_S6_S2_0: u32 = 0x8106_8002;
    const ADD_S6_S2_S8: u32 = 0x8106_0802;
    let both = known(&[MOV_S8_0, ADD_S6_S2_0, END]);
    assert!(!both.differs(1, &[ADD_S6_S2_S8]).has(6));
    let one = known(&[CMP_S3_LESS_S2, SCC1_1, MOV_S8_0, ADD_S6_S2_0, END]);
    assert!(one.differs(3, &[ADD_S6_S2_S8]).has(6));
    // What is left out leaves what was there.
    let twice = known(&[MOV_S8_0, MOV_S8_0, END]);
    assert!(!twice.differs(1, &[NOP]).has(8));
    let here_alone = known(&[CMP_S3_LESS_S2, SCC1_1, MOV_S8_0, MOV_S8_0, END]);
    assert!(here_alone.differs(3, &[NOP]).has(8));
    assert!(known(&[MOV_S8_0, END]).differs(0, &[NOP]).has(8));
}

/// A mask that no lane is in: what it guards is never come to, until lanes are back.
#[test]
fn what_no_lane_does_is_never_come_to() {
    const EXECZ_1: u32 = 0xbf88_0001;
    const ABOVE_16: u32 = 0x7d92_0090; // v_cmp_lt_u32_e32 vcc, 16, v0
    let skipped = known(&[
        ABOVE_16, SAVE_S0, EXECZ_1, NOP, RESTORE_S0, EXECZ_1, NOP, END,
    ]);
    assert!(skipped.never(2, 3) && !skipped.never(2, 4));
    assert!(!skipped.never(5, 6));
    // Some lanes may be below 16, and some not.
    assert!(!known(&[LESS_16, SAVE_S0, EXECZ_1, NOP, END]).never(2, 3));
}

#[test]
fn the_low_word_of_a_sum_has_bounds_whatever_the_high_one_is() {
    // v[1:2] = v0 * s2 + v[0:1], then v1 >> 31.
    let sum = [0xd1e8_0601, 0x0400_0500, 0x2204_029f, END];
    assert!(known(&sum).is_same(1, &[0x2204_029e]));
}

#[test]
fn what_cannot_be_followed_says_nothing() {
    assert!(known(&[ASHR31_V1_V0, SETPC, END]).ranges.is_none());
}

#[test]
fn bounds_that_move_are_widened_to_an_end() {
    let mut range = Range::only(5);
    let mut count = 0;
    loop {
        let next = range.widened(Range::between(u64::from(range.lo), u64::from(range.hi) + 1));
        if next == range || range.hi == u32::MAX {
            break;
        }
        assert!(next.lo <= range.lo && next.hi > range.hi);
        range = next;
        count += 1;
    }
    assert!(count <= 32, "{count}");
}
