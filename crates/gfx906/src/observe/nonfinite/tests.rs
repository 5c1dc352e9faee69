//! Programs whose origins of infinities and NaNs are known.

use super::NonFinite;
use crate::machine::Wave;
use crate::machine::rig::{MEMORY, run};

/// Runs a program, and returns the origins of the elements at these offsets in memory.
fn origins<const N: usize>(
    words: &str,
    set_up: impl Fn(&mut Wave),
    bytes: u64,
    at: [u64; N],
) -> [Vec<String>; N] {
    let mut observer = NonFinite::default();
    assert_eq!(run(words, 1, set_up, &mut observer), None);
    at.map(|at| {
        let chain = observer.origins_at(MEMORY + at, bytes);
        chain
            .iter()
            .map(|origin| format!("{origin}; {}", origin.place()))
            .collect()
    })
}

/// ```text
/// v_cvt_f32_u32 v1, v0
/// v_mul_f32 v2, 4.0, v1
/// v_exp_f32 v3, v2
/// v_sub_f32 v4, v3, v3
/// v_lshlrev_b32 v5, 2, v0
/// ds_write_b32 v5, v4
/// s_waitcnt lgkmcnt(0)
/// ds_read_b32 v6, v5
/// s_waitcnt lgkmcnt(0)
/// global_store_dword v5, v6, s[0:1]
/// ```
const DIFFERENCE: &str = "7e020d00 0a0402f6 7e064102 04080703 240a0082 d81a0000 00000405 bf8cc07f d86c0000 06000005 bf8cc07f \
    dc708000 00000605";

#[test]
fn a_nan_comes_from_the_difference_of_infinities_that_overflowed() {
    let lane = |lane: u64| 4 * lane;
    let [finite, first, last] = origins(DIFFERENCE, |_| (), 4, [31, 32, 63].map(lane));
    assert_eq!(finite, [""; 0]);
    for (origins, lane, value) in [(first, 32, "128.0"), (last, 63, "252.0")] {
        let place = format!("; work-group (1,2,3), wave 0, lane {lane}");
        assert_eq!(
            origins,
            [
                format!("0x10c: `v_sub_f32_e32 v4, v3, v3` made NaN of v3 = inf, v3 = inf{place}"),
                format!("0x108: `v_exp_f32_e32 v3, v2` made inf of v2 = {value}{place}"),
            ]
        );
    }
}

/// ```text
/// v_mov_b32 v1, 0
/// v_rcp_f32 v2, v1
/// v_fma_f32 v3, -v1, v2, 1.0
/// v_div_fixup_f32 v4, v3, v1, 2.0
/// v_lshlrev_b32 v5, 2, v0
/// global_store_dword v5, v4, s[0:1]
/// ```
const DIVISION: &str =
    "7e020280 7e044501 d1cb0003 23ca0501 d1de0004 03d20303 240a0082 dc708000 00000405";

#[test]
fn steps_within_a_division_are_no_origins() {
    let [origins] = origins(DIVISION, |_| (), 4, [0]);
    assert_eq!(
        origins,
        [
            "0x110: `v_div_fixup_f32 v4, v3, v1, 2.0` made inf of v1 = 0.0, 2.0; work-group (1,2,3), wave 0, lane 0"
        ]
    );
}

/// ```text
/// v_lshlrev_b32 v5, 2, v0
/// global_store_dword v5, v1, s[0:1]
/// global_load_dword v1, v5, s[0:1]
/// s_waitcnt vmcnt(0)
/// v_add_f32_dpp v2, v1, v6 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0
/// v_readlane_b32 s4, v2, 8
/// v_mov_b32 v3, s4
/// v_mul_f32 v3, 2.0, v3
/// global_store_dword v5, v3, s[0:1] offset:1024
/// ```
const LANES_READ: &str = "240a0082 dc708000 00000105 dc508000 01000005 bf8c0f70 02040cfa ff091101 d2890004 00011102 7e060204 0a0606f4 dc708400 00000305";

#[test]
fn a_nan_is_followed_from_memory_through_other_lanes() {
    let nan = |wave: &mut Wave| {
        wave.v[1] = [0; 64];
        wave.v[1][7] = f32::NAN.to_bits();
        wave.v[6] = [0; 64];
    };
    let [origins] = origins(LANES_READ, nan, 4, [1024 + 4 * 40]);
    assert_eq!(
        origins,
        [
            "0x104: `global_store_dword v5, v1, s[0:1]` stored NaN, which no instruction computed; work-group (1,2,3), wave 0, lane 7"
        ]
    );
}

/// ```text
/// v_cvt_f32_u32 v1, v0
/// v_mul_f32 v1, 0x47800000, v1
/// v_cvt_f16_f32 v2, v1
/// v_cvt_f16_f32_sdwa v3, v1 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD
/// v_or_b32 v4, v2, v3
/// v_pk_mul_f16 v4, v4, 0.5 op_sel_hi:[1,0]
/// v_lshlrev_b32 v5, 2, v0
/// global_store_dword v5, v4, s[0:1]
/// ```
const HALVES: &str = "7e020d00 0a0202ff 47800000 7e041501 7e0614f9 00060501 28080702 d3904004 0801e104 240a0082 dc708000 00000405";

#[test]
fn halves_overflow_where_they_are_converted() {
    let [low, high] = origins(HALVES, |_| (), 2, [4, 6]);
    let made = |text: &str| {
        vec![format!(
            "{text} made inf of v1 = 65536.0; work-group (1,2,3), wave 0, lane 1"
        )]
    };
    assert_eq!(low, made("0x10c: `v_cvt_f16_f32_e32 v2, v1`"));
    // The packed product has both halves in one register, which has one mark.
    assert_eq!(high, low);
}

/// ```text
/// v_mov_b32 v1, 0x7f000000
/// v_mov_b32 v2, 2.0
/// v_mov_b32 v3, 1.0
/// v_mac_f32 v3, v1, v2
/// v_mac_f32 v3, v2, v2
/// v_cndmask_b32 v4, v3, v2, vcc
/// v_mov_b32 v7, 0
/// v_rcp_f32 v7, v7
/// v_cvt_f64_f32 v[8:9], v4
/// v_add_f64 v[10:11], v[8:9], 1.0
/// v_lshlrev_b32 v5, 3, v0
/// global_store_dwordx2 v5, v[10:11], s[0:1]
/// ```
const WIDE: &str = "7e0202ff 7f000000 7e0402f4 7e0602f2 2c060501 2c060502 00080503 7e0e0280 7e0e4507 7e102104 d280000a 0001e508 \
    240a0083 dc748000 00000a05";

#[test]
fn an_accumulator_is_a_source_and_what_nothing_stores_has_no_part() {
    let none_selected = |wave: &mut Wave| wave.set_scalar64(crate::isa::Code::VCC, 1 << 5);
    let [origins, selected] = origins(WIDE, none_selected, 8, [0, 8 * 5]);
    assert_eq!(
        origins,
        [
            "0x110: `v_mac_f32_e32 v3, v1, v2` made inf of v3 = 1.0, v1 = 1.7014118e38, v2 = 2.0; work-group (1,2,3), wave 0, lane 0"
        ]
    );
    assert_eq!(selected, [""; 0]);
}

/// ```text
/// v_exp_f32 v3, v2
/// v_sub_u32 v5, 63, v0
/// v_lshlrev_b32 v5, 2, v5
/// ds_bpermute_b32 v6, v5, v3
/// v_lshlrev_b32 v5, 2, v0
/// global_store_dword v5, v6, s[0:1]
/// ```
const EXCHANGED: &str = "7e064102 6a0a00bf 240a0a82 d87e0000 06000305 240a0082 dc708000 00000605";

#[test]
fn a_value_is_followed_through_an_exchange_of_lanes() {
    let large = |wave: &mut Wave| {
        wave.v[2] = [0; 64];
        wave.v[2][10] = 200f32.to_bits();
    };
    let [origins, finite] = origins(EXCHANGED, large, 4, [4 * 53, 4 * 10]);
    assert_eq!(
        origins,
        [
            "0x100: `v_exp_f32_e32 v3, v2` made inf of v2 = 200.0; work-group (1,2,3), wave 0, lane 10"
        ]
    );
    assert_eq!(finite, [""; 0]);
}

/// Returns the first value of each kernel that a program stored.
fn firsts(words: &str, set_up: impl Fn(&mut Wave)) -> Vec<String> {
    let mut observer = NonFinite::default();
    assert_eq!(run(words, 1, set_up, &mut observer), None);
    let chains = observer.first_of_each_kernel();
    chains.map(|chain| chain[0].to_string()).collect()
}

/// ```text
/// v_lshlrev_b32 v5, 2, v0
/// global_store_dword v5, v1, s[0:1]
/// global_load_dword v2, v5, s[0:1]
/// s_waitcnt vmcnt(0)
/// ...
/// global_store_dword v5, v2, s[0:1]
/// ```
fn between(words: &str) -> String {
    format!("240a0082 dc708000 00000105 dc508000 02000005 bf8c0f70 {words} dc708000 00000205")
}

#[test]
fn whole_numbers_with_the_bits_of_a_nan_are_none() {
    for bits in [0xffff_ffff, 0x7fff_0001, 0x0000_7f80] {
        let whole = |wave: &mut Wave| wave.v[1] = [bits; 64];
        for instructions in [
            // v_mov_b32 v2, v2; v_min_u32 v2, v2, v2; v_pk_max_i16 v2, v2, v2; v_pack_b32_f16 v2, v2, v2; v_cndmask_b32 v2, v2, v2, vcc
            "7e040302",
            "1c040502",
            "d3874002 18020502",
            "d2a00002 00020502",
            "00040502",
        ] {
            assert_eq!(firsts(&between(instructions), whole), [""; 0]);
        }
    }
}

#[test]
fn a_value_from_memory_counts_after_it_was_used_as_a_number() {
    // v_add_f32 v2, 1.0, v2
    let add = between("020404f2");
    let of = |bits: u32| firsts(&add, move |wave: &mut Wave| wave.v[1] = [bits; 64]);
    let stored = |value: &str| {
        format!(
            "0x104: `global_store_dword v5, v1, s[0:1]` stored {value}, which no instruction computed"
        )
    };
    assert_eq!(of(0x7fc0_0000), [stored("NaN")]);
    assert_eq!(of(0xff80_0000), [stored("-inf")]);
    assert_eq!(of(0x0000_7f80), [""; 0], "half of a NaN is a small single");
    // v_pk_add_f16 v2, v2, v2: the number is told as the instruction uses it.
    let halves = firsts(&between("d38f4002 18020502"), |wave| {
        wave.v[1] = [0xffff_ffff; 64]
    });
    assert_eq!(halves, [stored("(NaN, NaN)")]);
}
