//! 32-bit integer arithmetic of the vector unit: sums, products, carries, minima and maxima.

/// Sign-extends the low 24 bits.
#[inline(always)]
pub(crate) fn low_i24(x: i32) -> i32 {
    x << 8 >> 8
}

/// Returns the low 24 bits.
#[inline(always)]
pub(crate) fn low_u24(x: u32) -> u32 {
    x & 0xff_ffff
}

instructions! {
    /// `a + b`.
    add_u32(a: u32, b: u32) -> u32 { a.wrapping_add(b) }
    /// `a - b`.
    sub_u32(a: u32, b: u32) -> u32 { a.wrapping_sub(b) }
    /// `b - a`.
    subrev_u32(a: u32, b: u32) -> u32 { b.wrapping_sub(a) }
    /// `a + b`.
    add_i32(a: i32, b: i32) -> i32 { a.wrapping_add(b) }
    /// `a - b`.
    sub_i32(a: i32, b: i32) -> i32 { a.wrapping_sub(b) }
    /// [`add_u32()`] under clamp: at most the largest u32.
    add_u32_sat(a: u32, b: u32) -> u32 { a.saturating_add(b) }
    /// [`sub_u32()`] under clamp: at least 0.
    sub_u32_sat(a: u32, b: u32) -> u32 { a.saturating_sub(b) }
    /// [`subrev_u32()`] under clamp: at least 0.
    subrev_u32_sat(a: u32, b: u32) -> u32 { b.saturating_sub(a) }
    /// [`add_i32()`] under clamp: limited to i32.
    add_i32_sat(a: i32, b: i32) -> i32 { a.saturating_add(b) }
    /// [`sub_i32()`] under clamp: limited to i32.
    sub_i32_sat(a: i32, b: i32) -> i32 { a.saturating_sub(b) }

    /// `a + b` and the carry.
    add_co_u32(a: u32, b: u32) -> (u32, bool) { a.overflowing_add(b) }
    /// `a - b` and the borrow.
    sub_co_u32(a: u32, b: u32) -> (u32, bool) { a.overflowing_sub(b) }
    /// `b - a` and the borrow.
    subrev_co_u32(a: u32, b: u32) -> (u32, bool) { b.overflowing_sub(a) }
    /// `a + b + carry` and the carry.
    addc_co_u32(a: u32, b: u32, carry: bool) -> (u32, bool) {
        let sum = u64::from(a) + u64::from(b) + u64::from(carry);
        (sum as u32, sum >> 32 != 0)
    }
    /// `a - b - borrow` and the borrow.
    subb_co_u32(a: u32, b: u32, borrow: bool) -> (u32, bool) {
        let difference = u64::from(a).wrapping_sub(u64::from(b)).wrapping_sub(u64::from(borrow));
        (difference as u32, difference >> 63 != 0)
    }
    /// `b - a - borrow` and the borrow.
    subbrev_co_u32(a: u32, b: u32, borrow: bool) -> (u32, bool) { subb_co_u32(b, a, borrow) }
    // LLVM computes uadd.sat and usub.sat for the chips before gfx9 with v_add_co_u32 and v_sub_co_u32 under clamp.
    /// [`add_co_u32()`] under clamp: at most the largest u32, and the carry as without clamp.
    add_co_u32_sat(a: u32, b: u32) -> (u32, bool) { (a.saturating_add(b), a.checked_add(b).is_none()) }
    /// [`sub_co_u32()`] under clamp.
    sub_co_u32_sat(a: u32, b: u32) -> (u32, bool) { (a.saturating_sub(b), a < b) }
    /// [`subrev_co_u32()`] under clamp.
    subrev_co_u32_sat(a: u32, b: u32) -> (u32, bool) { sub_co_u32_sat(b, a) }
    /// [`addc_co_u32()`] under clamp.
    addc_co_u32_sat(a: u32, b: u32, carry: bool) -> (u32, bool) {
        let (sum, over) = addc_co_u32(a, b, carry);
        (if over { u32::MAX } else { sum }, over)
    }
    /// [`subb_co_u32()`] under clamp.
    subb_co_u32_sat(a: u32, b: u32, borrow: bool) -> (u32, bool) {
        let (difference, under) = subb_co_u32(a, b, borrow);
        (if under { 0 } else { difference }, under)
    }
    /// [`subbrev_co_u32()`] under clamp.
    subbrev_co_u32_sat(a: u32, b: u32, borrow: bool) -> (u32, bool) { subb_co_u32_sat(b, a, borrow) }

    /// The low half of `a * b`.
    mul_lo_u32(a: u32, b: u32) -> u32 { a.wrapping_mul(b) }
    /// The high half of `a * b`.
    mul_hi_u32(a: u32, b: u32) -> u32 { ((u64::from(a) * u64::from(b)) >> 32) as u32 }
    /// The high half of the signed `a * b`.
    mul_hi_i32(a: i32, b: i32) -> i32 { ((i64::from(a) * i64::from(b)) >> 32) as i32 }
    /// The low 32 bits of the product of two signed 24-bit numbers.
    mul_i32_i24(a: i32, b: i32) -> i32 { low_i24(a).wrapping_mul(low_i24(b)) }
    // The manual has no sentence about these two products under clamp. They follow its general rule for integers, as v_mad_i32_i24 and
    // v_mad_u32_u24 do. No compiler is known to emit them.
    /// [`mul_i32_i24()`] under clamp: the exact product, limited to i32.
    mul_i32_i24_sat(a: i32, b: i32) -> i32 { mad_i32_i24_sat(a, b, 0) }
    /// [`mul_u32_u24()`] under clamp: the exact product, limited to u32.
    mul_u32_u24_sat(a: u32, b: u32) -> u32 { mad_u32_u24_sat(a, b, 0) }
    /// The high 32 bits of the product of two signed 24-bit numbers.
    mul_hi_i32_i24(a: i32, b: i32) -> i32 { ((i64::from(low_i24(a)) * i64::from(low_i24(b))) >> 32) as i32 }
    /// The low 32 bits of the product of two 24-bit numbers.
    mul_u32_u24(a: u32, b: u32) -> u32 { low_u24(a).wrapping_mul(low_u24(b)) }
    /// The high 32 bits of the product of two 24-bit numbers.
    mul_hi_u32_u24(a: u32, b: u32) -> u32 { ((u64::from(low_u24(a)) * u64::from(low_u24(b))) >> 32) as u32 }
    /// The product of two signed 24-bit numbers, plus `c`.
    mad_i32_i24(a: i32, b: i32, c: i32) -> i32 { mul_i32_i24(a, b).wrapping_add(c) }
    /// The product of two 24-bit numbers, plus `c`.
    mad_u32_u24(a: u32, b: u32, c: u32) -> u32 { mul_u32_u24(a, b).wrapping_add(c) }
    /// [`mad_i32_i24()`] under clamp: the exact result, limited to i32.
    mad_i32_i24_sat(a: i32, b: i32, c: i32) -> i32 {
        let exact = i64::from(low_i24(a)) * i64::from(low_i24(b)) + i64::from(c);
        exact.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
    }
    /// [`mad_u32_u24()`] under clamp: the exact result, limited to u32.
    mad_u32_u24_sat(a: u32, b: u32, c: u32) -> u32 {
        let exact = u64::from(low_u24(a)) * u64::from(low_u24(b)) + u64::from(c);
        exact.min(u64::from(u32::MAX)) as u32
    }
    /// `a * b + c` in 64 bits, and the carry.
    mad_u64_u32(a: u32, b: u32, c: u64) -> (u64, bool) { (u64::from(a) * u64::from(b)).overflowing_add(c) }
    /// The signed `a * b + c` in 64 bits, and true if it overflowed.
    mad_i64_i32(a: i32, b: i32, c: i64) -> (i64, bool) {
        let product = i64::from(a) * i64::from(b);
        let sum = product.wrapping_add(c);
        // A sum of two terms with one sign that has the other sign has overflowed. The host's overflow flag would prevent vectorisation.
        (sum, (sum ^ product) & (sum ^ c) < 0)
    }
    /// [`mad_u64_u32()`] under clamp.
    mad_u64_u32_sat(a: u32, b: u32, c: u64) -> (u64, bool) {
        let product = u64::from(a) * u64::from(b);
        (product.saturating_add(c), product.checked_add(c).is_none())
    }
    /// [`mad_i64_i32()`] under clamp.
    mad_i64_i32_sat(a: i32, b: i32, c: i64) -> (i64, bool) {
        let product = i64::from(a) * i64::from(b);
        (product.saturating_add(c), product.checked_add(c).is_none())
    }

    /// The smaller operand.
    min_u32(a: u32, b: u32) -> u32 { a.min(b) }
    /// The larger operand.
    max_u32(a: u32, b: u32) -> u32 { a.max(b) }
    /// The smaller operand.
    min_i32(a: i32, b: i32) -> i32 { a.min(b) }
    /// The larger operand.
    max_i32(a: i32, b: i32) -> i32 { a.max(b) }
    /// The smallest of three operands.
    min3_u32(a: u32, b: u32, c: u32) -> u32 { a.min(b).min(c) }
    /// The largest of three operands.
    max3_u32(a: u32, b: u32, c: u32) -> u32 { a.max(b).max(c) }
    /// The middle of three operands.
    med3_u32(a: u32, b: u32, c: u32) -> u32 { a.min(b).max(a.max(b).min(c)) }
    /// The smallest of three operands.
    min3_i32(a: i32, b: i32, c: i32) -> i32 { a.min(b).min(c) }
    /// The largest of three operands.
    max3_i32(a: i32, b: i32, c: i32) -> i32 { a.max(b).max(c) }
    /// The middle of three operands.
    med3_i32(a: i32, b: i32, c: i32) -> i32 { a.min(b).max(a.max(b).min(c)) }

    /// `a + b + c`.
    add3_u32(a: u32, b: u32, c: u32) -> u32 { a.wrapping_add(b).wrapping_add(c) }
    /// `(a << shift) + b`.
    lshl_add_u32(a: u32, shift: u32, b: u32) -> u32 { (a << (shift & 31)).wrapping_add(b) }
    /// `(a + b) << shift`.
    add_lshl_u32(a: u32, b: u32, shift: u32) -> u32 { a.wrapping_add(b) << (shift & 31) }
    /// `(a ^ b) + c`.
    xad_u32(a: u32, b: u32, c: u32) -> u32 { (a ^ b).wrapping_add(c) }
}
