//! 16-bit integer arithmetic of the vector unit.

instructions! {
    /// `a + b`.
    add_u16(a: u16, b: u16) -> u16 { a.wrapping_add(b) }
    /// `a - b`.
    sub_u16(a: u16, b: u16) -> u16 { a.wrapping_sub(b) }
    /// `b - a`.
    subrev_u16(a: u16, b: u16) -> u16 { b.wrapping_sub(a) }
    /// `a + b`.
    add_i16(a: i16, b: i16) -> i16 { a.wrapping_add(b) }
    /// `a - b`.
    sub_i16(a: i16, b: i16) -> i16 { a.wrapping_sub(b) }
    /// [`add_u16()`] under clamp.
    add_u16_sat(a: u16, b: u16) -> u16 { a.saturating_add(b) }
    /// [`sub_u16()`] under clamp.
    sub_u16_sat(a: u16, b: u16) -> u16 { a.saturating_sub(b) }
    /// [`subrev_u16()`] under clamp.
    subrev_u16_sat(a: u16, b: u16) -> u16 { b.saturating_sub(a) }
    /// [`add_i16()`] under clamp.
    add_i16_sat(a: i16, b: i16) -> i16 { a.saturating_add(b) }
    /// [`sub_i16()`] under clamp.
    sub_i16_sat(a: i16, b: i16) -> i16 { a.saturating_sub(b) }

    /// The low half of `a * b`.
    mul_lo_u16(a: u16, b: u16) -> u16 { a.wrapping_mul(b) }
    /// [`mul_lo_u16()`] under clamp.
    mul_lo_u16_sat(a: u16, b: u16) -> u16 { a.saturating_mul(b) }
    /// `a * b + c`, the low half.
    mad_u16(a: u16, b: u16, c: u16) -> u16 { a.wrapping_mul(b).wrapping_add(c) }
    /// `a * b + c`, the low half.
    mad_i16(a: i16, b: i16, c: i16) -> i16 { a.wrapping_mul(b).wrapping_add(c) }
    /// [`mad_u16()`] under clamp: the exact result, limited to u16.
    mad_u16_sat(a: u16, b: u16, c: u16) -> u16 {
        // 65535 * 65535 + 65535 fits in 32 bits.
        (u32::from(a) * u32::from(b) + u32::from(c)).min(u32::from(u16::MAX)) as u16
    }
    /// [`mad_i16()`] under clamp: the exact result, limited to i16.
    mad_i16_sat(a: i16, b: i16, c: i16) -> i16 {
        (i32::from(a) * i32::from(b) + i32::from(c)).clamp(i32::from(i16::MIN), i32::from(i16::MAX)) as i16
    }
    /// [`mad_u16()`].
    mad_legacy_u16(a: u16, b: u16, c: u16) -> u16 { mad_u16(a, b, c) }
    /// [`mad_i16()`].
    mad_legacy_i16(a: i16, b: i16, c: i16) -> i16 { mad_i16(a, b, c) }
    /// [`mad_u16_sat()`].
    mad_legacy_u16_sat(a: u16, b: u16, c: u16) -> u16 { mad_u16_sat(a, b, c) }
    /// [`mad_i16_sat()`].
    mad_legacy_i16_sat(a: i16, b: i16, c: i16) -> i16 { mad_i16_sat(a, b, c) }
    /// `a * b + c` in 32 bits.
    mad_u32_u16(a: u16, b: u16, c: u32) -> u32 { (u32::from(a) * u32::from(b)).wrapping_add(c) }
    /// `a * b + c` in 32 bits.
    mad_i32_i16(a: i16, b: i16, c: i32) -> i32 { (i32::from(a) * i32::from(b)).wrapping_add(c) }
    /// [`mad_u32_u16()`] under clamp.
    mad_u32_u16_sat(a: u16, b: u16, c: u32) -> u32 { (u32::from(a) * u32::from(b)).saturating_add(c) }
    /// [`mad_i32_i16()`] under clamp.
    mad_i32_i16_sat(a: i16, b: i16, c: i32) -> i32 { (i32::from(a) * i32::from(b)).saturating_add(c) }

    /// The smaller operand.
    min_u16(a: u16, b: u16) -> u16 { a.min(b) }
    /// The larger operand.
    max_u16(a: u16, b: u16) -> u16 { a.max(b) }
    /// The smaller operand.
    min_i16(a: i16, b: i16) -> i16 { a.min(b) }
    /// The larger operand.
    max_i16(a: i16, b: i16) -> i16 { a.max(b) }
    /// The smallest of three operands.
    min3_u16(a: u16, b: u16, c: u16) -> u16 { a.min(b).min(c) }
    /// The largest of three operands.
    max3_u16(a: u16, b: u16, c: u16) -> u16 { a.max(b).max(c) }
    /// The middle of three operands.
    med3_u16(a: u16, b: u16, c: u16) -> u16 { a.min(b).max(a.max(b).min(c)) }
    /// The smallest of three operands.
    min3_i16(a: i16, b: i16, c: i16) -> i16 { a.min(b).min(c) }
    /// The largest of three operands.
    max3_i16(a: i16, b: i16, c: i16) -> i16 { a.max(b).max(c) }
    /// The middle of three operands.
    med3_i16(a: i16, b: i16, c: i16) -> i16 { a.min(b).max(a.max(b).min(c)) }
}
