//! The scalar unit and the atomics.

use super::super::*;
use super::*;

proptest! {
    #[test]
    fn sums(a: u32, b: u32, scc: bool) {
        let (wide, signed) = (u64::from(a) + u64::from(b), i64::from(a as i32) + i64::from(b as i32));
        prop_assert_eq!(s_add_u32(a, b), (wide as u32, wide >> 32 != 0));
        prop_assert_eq!(s_addc_u32(a, b, scc), ((wide + u64::from(scc)) as u32, (wide + u64::from(scc)) >> 32 != 0));
        prop_assert_eq!(s_add_i32(a as i32, b as i32), (signed as i32, i32::try_from(signed).is_err()));
        let difference = i64::from(a as i32) - i64::from(b as i32);
        prop_assert_eq!(s_sub_i32(a as i32, b as i32), (difference as i32, i32::try_from(difference).is_err()));
        prop_assert_eq!(s_sub_u32(a, b), (a.wrapping_sub(b), a < b));
        let wide = (u64::from(a) << 3) + u64::from(b);
        prop_assert_eq!(s_lshl3_add_u32(a, b), (wide as u32, wide >> 32 != 0));
    }

    #[test]
    fn fields(a: u64, offset in 0u32..64, width in 0u32..128) {
        let field = |high: u32| (0..width).filter(|i| offset + i < high && a >> (offset + i) & 1 != 0).fold(0u64, |f, i| f | 1 << i);
        let selector = width << 16 | offset;
        prop_assert_eq!(s_bfe_u64(a, selector), (field(64), field(64) != 0));
        if offset < 32 {
            prop_assert_eq!(s_bfe_u32(a as u32, selector).0, field(32) as u32);
        }
        let want = if width == 0 || width >= 64 { field(64) as i64 } else { (field(64) << (64 - width)) as i64 >> (64 - width) };
        if offset + width <= 64 || width == 0 {
            prop_assert_eq!(s_bfe_i64(a as i64, selector).0, want);
        } else {
            prop_assert_eq!(s_bfe_i64(a as i64, selector).0, a as i64 >> offset);
        }
    }

    #[test]
    fn masks(a: u64) {
        let quads: Vec<bool> = (0..16).map(|q| a >> (4 * q) & 15 != 0).collect();
        let (mut whole, mut mask) = (0u64, 0u64);
        for (q, on) in quads.into_iter().enumerate() {
            if on {
                whole |= 15 << (4 * q);
                mask |= 1 << q;
            }
        }
        prop_assert_eq!((s_wqm_b64(a), s_quadmask_b64(a)), ((whole, whole != 0), (mask, mask != 0)));
        prop_assert_eq!(s_wqm_b32(a as u32).0, whole as u32);
        prop_assert_eq!(s_quadmask_b32(a as u32).0, mask as u32 & 0xff);
        let doubled = s_bitreplicate_b64_b32(a as u32);
        prop_assert!((0..64).all(|i| doubled >> i & 1 == a >> (i / 2) & 1));
    }
}

#[test]
fn extrema_say_whether_the_first_won() {
    assert_eq!(
        (s_min_i32(-1, 1), s_min_u32(u32::MAX, 1), s_min_i32(2, 2)),
        ((-1, true), (1, false), (2, false))
    );
    assert_eq!(
        (s_max_i32(-1, 1), s_max_u32(u32::MAX, 1), s_max_u32(2, 2)),
        ((1, false), (u32::MAX, true), (2, false))
    );
}

#[test]
fn logic_says_whether_anything_is_left() {
    assert_eq!(
        (s_and_b32(6, 9), s_andn2_b64(7, 2), s_orn2_b32(0, u32::MAX)),
        ((0, false), (5, true), (0, false))
    );
    assert_eq!(
        (
            s_nand_b64(u64::MAX, u64::MAX),
            s_nor_b32(0, 0),
            s_xnor_b32(5, 5)
        ),
        ((0, false), (u32::MAX, true), (u32::MAX, true))
    );
    assert_eq!(
        (
            s_lshl_b32(1, 33),
            s_lshr_b64(1, 1),
            s_ashr_i32(i32::MIN, 63)
        ),
        ((2, true), (0, false), (-1, true))
    );
    assert_eq!(
        (
            s_not_b64(u64::MAX),
            s_abs_i32(i32::MIN),
            s_absdiff_i32(3, 5)
        ),
        ((0, false), (i32::MIN, true), (2, true))
    );
    assert_eq!(
        (
            s_and_saveexec_b64(6, 3),
            s_andn1_saveexec_b64(6, 3),
            s_orn2_saveexec_b64(0, u64::MAX)
        ),
        ((2, true), (1, true), (0, false))
    );
}

#[test]
fn searches() {
    assert_eq!([0, 1, u32::MAX, 0xff].map(s_ff0_i32_b32), [0, 1, -1, 8]);
    assert_eq!([0, 8, 1 << 63].map(s_ff1_i32_b64), [-1, 3, 63]);
    assert_eq!([0, 1, u32::MAX].map(s_flbit_i32_b32), [-1, 31, 0]);
    assert_eq!([0, -1, 1, -2].map(s_flbit_i32), [-1, -1, 31, 31]);
    assert_eq!([0, -1, 1 << 62].map(s_flbit_i32_i64), [-1, -1, 1]);
    assert_eq!(
        (s_bcnt0_i32_b64(u64::MAX), s_bcnt1_i32_b32(0xf0)),
        ((0, false), (4, true))
    );
    assert_eq!(
        (s_brev_b64(1), s_bfm_b32(4, 8), s_bfm_b64(33, 1)),
        (1 << 63, 0xf00, 0x3_ffff_fffe)
    );
}

#[test]
fn single_bits_and_moves() {
    assert_eq!(
        (s_bitset0_b32(0xff, 35), s_bitset1_b64(0, 63)),
        (0xf7, 1 << 63)
    );
    assert!(
        s_bitcmp0_b32(5, 1)
            && s_bitcmp1_b32(5, 34)
            && s_bitcmp0_b64(5, 1)
            && s_bitcmp1_b64(1 << 40, 40)
    );
    assert_eq!(
        (
            s_cmov_b32(1, 2, true),
            s_cmov_b64(1, 2, false),
            s_cmovk_i32(7, -1, true)
        ),
        (2, 1, -1)
    );
    assert_eq!(
        (s_cselect_b32(1, 2, true), s_cselect_b64(1, 2, false)),
        (1, 2)
    );
    assert_eq!(
        (
            s_sext_i32_i8(0x180),
            s_sext_i32_i16(0x1_8000),
            s_movk_i32(-5)
        ),
        (-128, -32768, -5)
    );
    assert_eq!(
        (s_addk_i32(i32::MAX, 1), s_mulk_i32(-3, -4)),
        ((i32::MIN, true), 12)
    );
    let (a, b) = (0x1111_2222, 0x3333_4444);
    assert_eq!(
        (
            s_pack_ll_b32_b16(a, b),
            s_pack_lh_b32_b16(a, b),
            s_pack_hh_b32_b16(a, b)
        ),
        (0x4444_2222, 0x3333_2222, 0x3333_1111)
    );
}

#[test]
fn comparisons_with_literals_extend_them() {
    assert!(s_cmpk_eq_i32(-1, -1) && s_cmpk_lt_i32(-2, -1) && !s_cmpk_gt_i32(-2, -1));
    assert!(
        s_cmpk_lg_u32(u32::MAX, 0xffff)
            && s_cmpk_gt_u32(u32::MAX, 0xffff)
            && s_cmpk_le_u32(0xffff, 0xffff)
    );
    assert!(s_cmp_lg_u64(1, 1 << 40) && s_cmp_lt_i32(-1, 0) && !s_cmp_lt_u32(u32::MAX, 0));
}

#[test]
fn atomics() {
    assert_eq!(
        (atomic_inc(3, 5), atomic_inc(5, 5), atomic_inc(9, 5)),
        (4, 0, 0)
    );
    assert_eq!(
        (atomic_dec(3, 5), atomic_dec(0, 5), atomic_dec(9, 5)),
        (2, 5, 5)
    );
    assert_eq!(
        (atomic_inc_x2(u64::MAX, u64::MAX), atomic_dec_x2(0, 7)),
        (0, 7)
    );
    assert_eq!(
        (
            atomic_smin(-1, 1),
            atomic_umin(u32::MAX, 1),
            atomic_smax_x2(-1, 1),
            atomic_umax_x2(u64::MAX, 1)
        ),
        (-1, 1, 1, u64::MAX)
    );
    assert_eq!(
        (
            atomic_sub(3, 5),
            atomic_rsub(3, 5),
            atomic_add_x2(u64::MAX, 2),
            atomic_swap(1, 2)
        ),
        (u32::MAX - 1, 2, 1, 2)
    );
    assert_eq!(
        (atomic_cmpswap(7, 9, 7), atomic_cmpswap_x2(8, 9, 7)),
        (9, 8)
    );
    assert_eq!(
        (
            ds_cmpst_b32(7, 7, 9),
            ds_cmpst_b64(8, 7, 9),
            ds_mskor_b32(0xff, 0x0f, 0x101)
        ),
        (9, 8, 0x1f1)
    );
    assert_eq!((ds_wrap_b32(7, 5, 100), ds_wrap_b32(3, 5, 100)), (2, 103));
    assert_eq!(
        ds_condxchg32_b64(0x1111_1111_2222_2222, 0x8000_0005_0000_0007),
        0x0000_0005_2222_2222
    );
    let m = Mode::HIP;
    assert_eq!(
        (
            ds_add_f32(m, 1.0, 2.0),
            ds_min_f32(m, f32::NAN, 2.0),
            ds_max_f64(m, -0.0, 0.0)
        ),
        (3.0, 2.0, 0.0)
    );
    assert_eq!(
        (
            ds_cmpst_f32(m, -0.0, 0.0, 5.0),
            ds_cmpst_f64(m, 1.0, f64::NAN, 5.0)
        ),
        (5.0, 1.0)
    );
}
