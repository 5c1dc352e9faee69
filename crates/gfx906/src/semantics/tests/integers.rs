//! Vector integer arithmetic and bits against wider arithmetic and hand-worked cases.

use super::super::*;
use super::*;

proptest! {
    #[test]
    fn sums_carry(a: u32, b: u32, carry: bool) {
        let sum = u64::from(a) + u64::from(b);
        prop_assert_eq!(add_co_u32(a, b), (sum as u32, sum >> 32 != 0));
        prop_assert_eq!(addc_co_u32(a, b, carry), ((sum + u64::from(carry)) as u32, (sum + u64::from(carry)) >> 32 != 0));
        let difference = i64::from(a) - i64::from(b);
        prop_assert_eq!(sub_co_u32(a, b), (difference as u32, difference < 0));
        prop_assert_eq!(subb_co_u32(a, b, carry), ((difference - i64::from(carry)) as u32, difference - i64::from(carry) < 0));
        prop_assert_eq!(subrev_co_u32(b, a), sub_co_u32(a, b));
        prop_assert_eq!(subbrev_co_u32(b, a, carry), subb_co_u32(a, b, carry));
        prop_assert_eq!(add_u32_sat(a, b), sum.min(0xffff_ffff) as u32);
        prop_assert_eq!(addc_co_u32_sat(a, b, carry).0, (sum + u64::from(carry)).min(0xffff_ffff) as u32);
        prop_assert_eq!(subb_co_u32_sat(a, b, carry).0, (difference - i64::from(carry)).max(0) as u32);
    }

    #[test]
    fn products(a: u32, b: u32, c: u64) {
        let (wide, signed) = (u128::from(a) * u128::from(b), i128::from(a as i32) * i128::from(b as i32));
        prop_assert_eq!((mul_lo_u32(a, b), mul_hi_u32(a, b)), (wide as u32, (wide >> 32) as u32));
        prop_assert_eq!(mul_hi_i32(a as i32, b as i32), (signed >> 32) as i32);
        let sum = wide + u128::from(c);
        prop_assert_eq!(mad_u64_u32(a, b, c), (sum as u64, sum >> 64 != 0));
        let sum = signed + i128::from(c as i64);
        prop_assert_eq!(mad_i64_i32(a as i32, b as i32, c as i64), (sum as i64, i64::try_from(sum).is_err()));
        prop_assert_eq!(mad_i64_i32_sat(a as i32, b as i32, c as i64).0, sum.clamp(i64::MIN.into(), i64::MAX.into()) as i64);
    }

    #[test]
    fn products_of_24_bits(a: u32, b: u32, c: u32) {
        let low = |x: u32| i64::from((x << 8) as i32 >> 8);
        let signed = low(a) * low(b);
        let (a_, b_) = (a as i32, b as i32);
        prop_assert_eq!((mul_i32_i24(a_, b_), mul_hi_i32_i24(a_, b_)), (signed as i32, (signed >> 32) as i32));
        prop_assert_eq!(mad_i32_i24(a_, b_, c as i32), (signed + i64::from(c as i32)) as i32);
        prop_assert_eq!(mad_i32_i24_sat(a_, b_, c as i32), (signed + i64::from(c as i32)).clamp(i32::MIN.into(), i32::MAX.into()) as i32);
        let wide = u64::from(a & 0xff_ffff) * u64::from(b & 0xff_ffff);
        prop_assert_eq!((mul_u32_u24(a, b), mul_hi_u32_u24(a, b)), (wide as u32, (wide >> 32) as u32));
        prop_assert_eq!(mad_u32_u24(a, b, c), (wide + u64::from(c)) as u32);
        prop_assert_eq!(mad_u32_u24_sat(a, b, c), (wide + u64::from(c)).min(0xffff_ffff) as u32);
    }

    #[test]
    fn halves(a: i16, b: i16, c: i16, d: i32) {
        let wide = i64::from(a) * i64::from(b) + i64::from(c);
        let brought = wide.clamp(i16::MIN.into(), i16::MAX.into()) as i16;
        prop_assert_eq!((mad_i16(a, b, c), mad_i16_sat(a, b, c)), (wide as i16, brought));
        prop_assert_eq!((mad_legacy_i16(a, b, c), mad_legacy_i16_sat(a, b, c)), (wide as i16, brought));
        prop_assert_eq!(mad_i32_i16(a, b, d), (i64::from(a) * i64::from(b) + i64::from(d)) as i32);
        let (a_, b_, c_) = (a as u16, b as u16, c as u16);
        let wide = u64::from(a_) * u64::from(b_) + u64::from(c_);
        prop_assert_eq!((mad_u16(a_, b_, c_), mad_u16_sat(a_, b_, c_)), (wide as u16, wide.min(0xffff) as u16));
        prop_assert_eq!(pk_mad_u16([a_, b_], [b_, a_], [c_, 0]), [mad_u16(a_, b_, c_), mul_lo_u16(b_, a_)]);
        prop_assert_eq!(pk_sub_i16_sat([a, b], [b, a]), [a.saturating_sub(b), b.saturating_sub(a)]);
        prop_assert_eq!(pk_lshlrev_b16([a_, 1], [b_, b_]), [b_ << (a_ % 16), b_ << 1]);
        prop_assert_eq!(pk_ashrrev_i16([3, a_], [b, b]), [b >> 3, b >> (a_ % 16)]);
    }

    #[test]
    fn medians(a: i32, b: i32, c: i32) {
        let mut sorted = [a, b, c];
        sorted.sort_unstable();
        prop_assert_eq!([min3_i32(a, b, c), med3_i32(a, b, c), max3_i32(a, b, c)], sorted);
        let mut sorted = [a as u16, b as u16, c as u16];
        let [x, y, z] = sorted;
        sorted.sort_unstable();
        prop_assert_eq!([min3_u16(x, y, z), med3_u16(x, y, z), max3_u16(x, y, z)], sorted);
    }

    #[test]
    fn fields(a: u32, offset in 0u32..64, width in 0u32..64) {
        let bits: Vec<bool> = (0..width % 32).map(|i| offset % 32 + i < 32 && a >> (offset % 32 + i) & 1 != 0).collect();
        let field = bits.iter().rev().fold(0, |field, bit| field << 1 | u32::from(*bit));
        prop_assert_eq!(bfe_u32(a, offset, width), field);
        let (offset_, width_) = (offset % 32, width % 32);
        // The manual's three cases.
        let signed = if width_ == 0 {
            0
        } else if offset_ + width_ < 32 {
            ((a << (32 - offset_ - width_)) as i32) >> (32 - width_)
        } else {
            a as i32 >> offset_
        };
        prop_assert_eq!(bfe_i32(a as i32, offset, width), signed);
        prop_assert_eq!(bfm_b32(width, offset), (((1u64 << width_) - 1) << offset_) as u32);
    }

    #[test]
    fn dots(a: u32, b: u32, c: i32) {
        let bytes = |x: u32| x.to_le_bytes();
        let pairs = || bytes(a).into_iter().zip(bytes(b));
        let signed: i64 = pairs().map(|(a, b)| i64::from(a as i8) * i64::from(b as i8)).sum::<i64>() + i64::from(c);
        prop_assert_eq!(dot4_i32_i8(a, b, c), signed as i32);
        prop_assert_eq!(dot4_i32_i8_sat(a, b, c), signed.clamp(i32::MIN.into(), i32::MAX.into()) as i32);
        let unsigned: u64 = pairs().map(|(a, b)| u64::from(a) * u64::from(b)).sum::<u64>() + u64::from(c as u32);
        prop_assert_eq!(dot4_u32_u8(a, b, c as u32), unsigned as u32);
        prop_assert_eq!(dot4_u32_u8_sat(a, b, c as u32), unsigned.min(0xffff_ffff) as u32);
        let nibble = |x: u32, i: u32| i64::from((x << (28 - 4 * i)) as i32 >> 28);
        let signed = (0..8).map(|i| nibble(a, i) * nibble(b, i)).sum::<i64>() + i64::from(c);
        prop_assert_eq!(dot8_i32_i4(a, b, c), signed as i32);
        let unsigned = (0..8).map(|i| u64::from(a >> (4 * i) & 15) * u64::from(b >> (4 * i) & 15)).sum::<u64>();
        prop_assert_eq!(dot8_u32_u4(a, b, 5), unsigned as u32 + 5);
        let sads: u32 = pairs().map(|(a, b)| u32::from(a.abs_diff(b))).sum();
        prop_assert_eq!(sad_u8(a, b, c as u32), sads.wrapping_add(c as u32));
        let averages = bytes(a).into_iter().zip(bytes(b)).zip(bytes(c as u32)).map(|((a, b), c)| ((u32::from(a) + u32::from(b) + u32::from(c & 1)) >> 1) as u8);
        prop_assert_eq!(lerp_u8(a, b, c as u32).to_le_bytes().to_vec(), averages.collect::<Vec<_>>());
    }
}

#[test]
fn bytes_permuted() {
    let (a, b) = (0x8877_6655, 0x4433_22f1);
    assert_eq!(perm_b32(a, b, 0x0706_0504), a);
    assert_eq!(perm_b32(a, b, 0x0302_0100), b);
    assert_eq!(perm_b32(a, b, 0x000c_0d07), 0xf100_ff88);
    // The halves of b and the low half of a have no sign; the high half of a has one.
    assert_eq!(perm_b32(a, b, 0x0b0a_0908), 0xff00_0000);
    assert_eq!(perm_b32(0x0000_8000, 0x8000_8000, 0x0b0a_0908), 0x00ff_ffff);
    assert_eq!(perm_b32(a, b, 0xff80_100e), 0xffff_ffff);
    assert_eq!(alignbit_b32(a, b, 36), 0x5443_322f);
    assert_eq!(alignbyte_b32(a, b, 5), 0x5544_3322);
}

#[test]
fn shifts_take_their_low_bits() {
    assert_eq!(
        (
            lshlrev_b32(33, 3),
            lshrrev_b32(35, 16),
            ashrrev_i32(34, -16)
        ),
        (6, 2, -4)
    );
    assert_eq!(
        (
            lshlrev_b64(65, 3),
            lshrrev_b64(68, 32),
            ashrrev_i64(127, i64::MIN)
        ),
        (6, 2, -1)
    );
    assert_eq!(
        (lshlrev_b16(17, 3), lshrrev_b16(20, 32), ashrrev_i16(31, -2)),
        (6, 2, -1)
    );
    assert_eq!(
        (
            lshl_add_u32(3, 33, 1),
            add_lshl_u32(1, 2, 34),
            lshl_or_b32(1, 4, 1)
        ),
        (7, 12, 17)
    );
    assert_eq!(
        (
            xad_u32(5, 3, 1),
            and_or_b32(6, 3, 8),
            or3_b32(1, 2, 4),
            add3_u32(1, u32::MAX, 1)
        ),
        (7, 10, 7, 1)
    );
    assert_eq!(bfi_b32(0xff00, 0x1234, 0xabcd), 0x12cd);
}

#[test]
fn counts_and_searches() {
    assert_eq!(
        (ffbh_u32(0), ffbh_u32(1), ffbl_b32(0), ffbl_b32(8)),
        (u32::MAX, 31, u32::MAX, 3)
    );
    assert_eq!([0, -1, 1, -2, i32::MIN].map(ffbh_i32), [-1, -1, 31, 31, 1]);
    assert_eq!(bcnt_u32_b32(0xff, 3), 11);
    for lane in 0..64 {
        let low = mbcnt_lo_u32_b32(u32::MAX, 0, lane);
        assert_eq!(mbcnt_hi_u32_b32(u32::MAX, low, lane), lane);
    }
    assert_eq!((cndmask_b32(1, 2, true), cndmask_b32(1, 2, false)), (2, 1));
}

#[test]
fn bits_in_opposite_order() {
    assert_eq!([1, 0xffff_0000].map(bfrev_b32), [0x8000_0000, 0xffff]);
}

#[test]
fn absolute_differences() {
    assert_eq!(sad_hi_u8(0x0102, 0, 5), 0x0003_0005);
    assert_eq!(sad_u16([5, 65535], [7, 0], 1), 65538);
    assert_eq!(sad_u32(1, u32::MAX, 1), u32::MAX);
    assert_eq!(sad_u32_sat(1, u32::MAX, 9), u32::MAX);
    assert_eq!(msad_u8(0x0a0a_0a0a, 0x0001_0001, 0), 18);
    // The bytes of a are 1, 2, 3, 4, 5, 6, 7, and each window of four is compared with 1, 1, 1, 1.
    let a = 0x0007_0605_0403_0201;
    assert_eq!(
        qsad_pk_u16_u8(a, 0x0101_0101, 0xffff_0000_0000_0001),
        0x0011_000e_000a_0007
    );
    assert_eq!(
        qsad_pk_u16_u8_sat(a, 0x0101_0101, 0xffff_0000_0000_0001),
        0xffff_000e_000a_0007
    );
    assert_eq!(mqsad_pk_u16_u8(a, 0x0000_0001, 0), 0x0003_0002_0001_0000);
    assert_eq!(
        mqsad_u32_u8(a, 0x0000_0001, [1, 1, u32::MAX, 0]),
        [1, 2, 1, 3]
    );
    assert_eq!(
        mqsad_u32_u8_sat(a, 0x0000_0001, [1, 1, u32::MAX, 0])[2],
        u32::MAX
    );
}

#[test]
fn dots_of_halves() {
    assert_eq!(
        dot2_i32_i16([-32768, -32768], [-32768, -32768], 0),
        i32::MIN
    );
    assert_eq!(
        dot2_i32_i16_sat([-32768, -32768], [-32768, -32768], 0),
        i32::MAX
    );
    assert_eq!(dot2_u32_u16([65535, 2], [65535, 3], 1), 0xfffe_0008);
    assert_eq!(
        dot2_u32_u16_sat([65535, 65535], [65535, 65535], 1),
        u32::MAX
    );
    let h = f16::from_f32;
    assert_eq!(
        dot2_f32_f16(Mode::HIP, [h(2.0), h(-3.0)], [h(0.5), h(4.0)], 1.5),
        -9.5
    );
    assert_eq!(
        dot2_f32_f16(Mode::HIP, [f16::ZERO; 2], [f16::ZERO; 2], f32::from_bits(5)),
        0.0
    );
    assert_eq!(
        dot2_f32_f16(
            Mode::HIP,
            [f16::from_bits(1), f16::ZERO],
            [f16::ONE; 2],
            0.0
        ),
        2.0f32.powi(-24)
    );
    assert_eq!(
        pk_fma_f16(Mode::HIP, [h(1.0), h(2.0)], [h(3.0); 2], [h(0.5); 2]),
        [h(3.5), h(6.5)]
    );
}

#[test]
fn signed_saturation() {
    assert_eq!(
        (
            add_i32_sat(i32::MAX, 1),
            sub_i32_sat(i32::MIN, 1),
            add_i32(i32::MAX, 1)
        ),
        (i32::MAX, i32::MIN, i32::MIN)
    );
    assert_eq!(
        (sub_u32_sat(1, 2), subrev_u32_sat(2, 1), subrev_u32(2, 1)),
        (0, 0, u32::MAX)
    );
    assert_eq!(
        (
            mul_i32_i24_sat(0x7f_ffff, 0x7f_ffff),
            mul_u32_u24_sat(0xff_ffff, 0x101)
        ),
        (i32::MAX, u32::MAX)
    );
}
