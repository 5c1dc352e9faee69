//! Sums of absolute differences, and the byte average.

/// The sum of absolute differences of four bytes.
#[inline(always)]
fn bytes(a: u32, b: u32) -> u32 {
    (0..4)
        .map(|i| u32::from((a >> (8 * i)) as u8).abs_diff(u32::from((b >> (8 * i)) as u8)))
        .sum()
}

/// [`bytes`] without the positions where the mask `b` has a zero byte.
#[inline(always)]
fn masked_bytes(a: u32, b: u32) -> u32 {
    let byte = |x: u32, i: u32| u32::from((x >> (8 * i)) as u8);
    (0..4)
        .map(|i| {
            if byte(b, i) == 0 {
                0
            } else {
                byte(a, i).abs_diff(byte(b, i))
            }
        })
        .sum()
}

/// Adds four sums to the four 16-bit parts of `c`. Each sum takes the four bytes of `a` one byte further up.
#[inline(always)]
fn quad_u16(a: u64, c: u64, sum: impl Fn(u32) -> u32, add: impl Fn(u16, u16) -> u16) -> u64 {
    (0..4)
        .map(|i| {
            u64::from(add(
                (c >> (16 * i)) as u16,
                sum((a >> (8 * i)) as u32) as u16,
            )) << (16 * i)
        })
        .sum()
}

instructions! {
    /// The sum of absolute differences of the four bytes, plus `c`.
    sad_u8(a: u32, b: u32, c: u32) -> u32 { bytes(a, b).wrapping_add(c) }
    /// The sum of absolute differences of the four bytes in the high half, plus `c`.
    sad_hi_u8(a: u32, b: u32, c: u32) -> u32 { (bytes(a, b) << 16).wrapping_add(c) }
    /// The sum of absolute differences of the two halves, plus `c`.
    sad_u16(a: [u16; 2], b: [u16; 2], c: u32) -> u32 {
        (u32::from(a[0].abs_diff(b[0])) + u32::from(a[1].abs_diff(b[1]))).wrapping_add(c)
    }
    /// The absolute difference, plus `c`.
    sad_u32(a: u32, b: u32, c: u32) -> u32 { a.abs_diff(b).wrapping_add(c) }
    /// [`sad_u8()`] over the bytes where `b` is not zero.
    msad_u8(a: u32, b: u32, c: u32) -> u32 { masked_bytes(a, b).wrapping_add(c) }
    /// [`sad_u8()`] under clamp.
    sad_u8_sat(a: u32, b: u32, c: u32) -> u32 { bytes(a, b).saturating_add(c) }
    /// [`sad_hi_u8()`] under clamp.
    sad_hi_u8_sat(a: u32, b: u32, c: u32) -> u32 { (bytes(a, b) << 16).saturating_add(c) }
    /// [`sad_u16()`] under clamp.
    sad_u16_sat(a: [u16; 2], b: [u16; 2], c: u32) -> u32 {
        (u32::from(a[0].abs_diff(b[0])) + u32::from(a[1].abs_diff(b[1]))).saturating_add(c)
    }
    /// [`sad_u32()`] under clamp.
    sad_u32_sat(a: u32, b: u32, c: u32) -> u32 { a.abs_diff(b).saturating_add(c) }
    /// [`msad_u8()`] under clamp.
    msad_u8_sat(a: u32, b: u32, c: u32) -> u32 { masked_bytes(a, b).saturating_add(c) }

    /// Adds four sums of absolute differences, of `a` shifted by 0 to 3 bytes and `b`, to the four 16-bit parts of `c`.
    qsad_pk_u16_u8(a: u64, b: u32, c: u64) -> u64 { quad_u16(a, c, |a| bytes(a, b), u16::wrapping_add) }
    /// [`qsad_pk_u16_u8()`] over the bytes where `b` is not zero.
    mqsad_pk_u16_u8(a: u64, b: u32, c: u64) -> u64 { quad_u16(a, c, |a| masked_bytes(a, b), u16::wrapping_add) }
    /// [`mqsad_pk_u16_u8()`] with four 32-bit sums, lowest first.
    mqsad_u32_u8(a: u64, b: u32, c: [u32; 4]) -> [u32; 4] {
        core::array::from_fn(|i| masked_bytes((a >> (8 * i)) as u32, b).wrapping_add(c[i]))
    }
    /// [`qsad_pk_u16_u8()`] under clamp.
    qsad_pk_u16_u8_sat(a: u64, b: u32, c: u64) -> u64 { quad_u16(a, c, |a| bytes(a, b), u16::saturating_add) }
    /// [`mqsad_pk_u16_u8()`] under clamp.
    mqsad_pk_u16_u8_sat(a: u64, b: u32, c: u64) -> u64 { quad_u16(a, c, |a| masked_bytes(a, b), u16::saturating_add) }
    /// [`mqsad_u32_u8()`] under clamp.
    mqsad_u32_u8_sat(a: u64, b: u32, c: [u32; 4]) -> [u32; 4] {
        core::array::from_fn(|i| masked_bytes((a >> (8 * i)) as u32, b).saturating_add(c[i]))
    }

    /// The average of each byte of `a` and `b`, rounded up if the byte of `round` is odd.
    lerp_u8(a: u32, b: u32, round: u32) -> u32 {
        let (even, odd) = (0x00ff_00ff, 0x0001_0001);
        let average = |a: u32, b: u32, round: u32| (((a & even) + (b & even) + (round & odd)) >> 1) & even;
        average(a, b, round) | average(a >> 8, b >> 8, round >> 8) << 8
    }
}
