//! Bit operations of the vector unit: logic, shifts, fields, counts, bytes.

instructions! {
    /// `a`.
    mov_b32(a: u32) -> u32 { a }
    /// `b` if the condition holds, else `a`.
    cndmask_b32(a: u32, b: u32, condition: bool) -> u32 { if condition { b } else { a } }
    /// `!a`.
    not_b32(a: u32) -> u32 { !a }
    /// `a & b`.
    and_b32(a: u32, b: u32) -> u32 { a & b }
    /// `a | b`.
    or_b32(a: u32, b: u32) -> u32 { a | b }
    /// `a ^ b`.
    xor_b32(a: u32, b: u32) -> u32 { a ^ b }
    /// `!(a ^ b)`.
    xnor_b32(a: u32, b: u32) -> u32 { !(a ^ b) }
    /// `(a & b) | c`.
    and_or_b32(a: u32, b: u32, c: u32) -> u32 { a & b | c }
    /// `a | b | c`.
    or3_b32(a: u32, b: u32, c: u32) -> u32 { a | b | c }
    /// `(a << shift) | b`.
    lshl_or_b32(a: u32, shift: u32, b: u32) -> u32 { a << (shift & 31) | b }

    /// `b << a`.
    lshlrev_b32(a: u32, b: u32) -> u32 { b << (a & 31) }
    /// `b >> a`, shifting in zeros.
    lshrrev_b32(a: u32, b: u32) -> u32 { b >> (a & 31) }
    /// `b >> a`, shifting in the sign.
    ashrrev_i32(a: u32, b: i32) -> i32 { b >> (a & 31) }
    /// `b << a`.
    lshlrev_b64(a: u32, b: u64) -> u64 { b << (a & 63) }
    /// `b >> a`, shifting in zeros.
    lshrrev_b64(a: u32, b: u64) -> u64 { b >> (a & 63) }
    /// `b >> a`, shifting in the sign.
    ashrrev_i64(a: u32, b: i64) -> i64 { b >> (a & 63) }
    /// `b << a`.
    lshlrev_b16(a: u16, b: u16) -> u16 { b << (a & 15) }
    /// `b >> a`, shifting in zeros.
    lshrrev_b16(a: u16, b: u16) -> u16 { b >> (a & 15) }
    /// `b >> a`, shifting in the sign.
    ashrrev_i16(a: u16, b: i16) -> i16 { b >> (a & 15) }

    /// `width` bits of `a` from `offset` on.
    bfe_u32(a: u32, offset: u32, width: u32) -> u32 { a >> (offset & 31) & ((1 << (width & 31)) - 1) }
    /// `width` bits of `a` from `offset` on, sign-extended.
    bfe_i32(a: i32, offset: u32, width: u32) -> i32 {
        let (offset, width) = (offset & 31, width & 31);
        // If the field extends past the top, its high bits are the sign bits that were shifted in.
        let unused = 32u32.wrapping_sub(width) & 31;
        let field = (a >> offset) << unused >> unused;
        if width == 0 { 0 } else { field }
    }
    /// `b` where the mask `a` is set, else `c`.
    bfi_b32(a: u32, b: u32, c: u32) -> u32 { a & b | !a & c }
    /// A mask of `width` bits from `offset` on.
    bfm_b32(width: u32, offset: u32) -> u32 { ((1 << (width & 31)) - 1) << (offset & 31) }
    /// `a:b` shifted right by `shift` bits.
    alignbit_b32(a: u32, b: u32, shift: u32) -> u32 { ((u64::from(a) << 32 | u64::from(b)) >> (shift & 31)) as u32 }
    /// `a:b` shifted right by `shift` bytes.
    alignbyte_b32(a: u32, b: u32, shift: u32) -> u32 { ((u64::from(a) << 32 | u64::from(b)) >> ((shift & 3) * 8)) as u32 }
    /// The bits in opposite order.
    bfrev_b32(a: u32) -> u32 { a.reverse_bits() }
    /// The count of set bits, plus `b`.
    bcnt_u32_b32(a: u32, b: u32) -> u32 { a.count_ones().wrapping_add(b) }
    /// The distance of the highest set bit from the top; all ones if no bit is set.
    ffbh_u32(a: u32) -> u32 { if a == 0 { u32::MAX } else { a.leading_zeros() } }
    /// The position of the lowest set bit; all ones if no bit is set.
    ffbl_b32(a: u32) -> u32 { if a == 0 { u32::MAX } else { a.trailing_zeros() } }
    /// The distance from the top of the highest bit that differs from the sign; all ones if no bit differs.
    ffbh_i32(a: i32) -> i32 {
        let different = (a ^ a >> 31) as u32;
        if different == 0 { -1 } else { different.leading_zeros() as i32 }
    }
    /// Counts the set bits of `mask` among lanes 0 to 31 below this lane, and adds `b`.
    mbcnt_lo_u32_b32(mask: u32, b: u32, lane: u32) -> u32 {
        let below = if lane >= 32 { u32::MAX } else { (1 << lane) - 1 };
        (mask & below).count_ones().wrapping_add(b)
    }
    /// Counts the set bits of `mask` among lanes 32 to 63 below this lane, and adds `b`.
    mbcnt_hi_u32_b32(mask: u32, b: u32, lane: u32) -> u32 {
        let below = if lane < 32 { 0 } else { (1 << (lane & 31)) - 1 };
        (mask & below).count_ones().wrapping_add(b)
    }
}

/// Returns the byte that one byte of the selector picks from the eight bytes of `a:b`.
#[inline(always)]
fn permuted_byte(bytes: u64, selector: u32) -> u32 {
    let sign = |bit: u32| if bytes >> bit & 1 != 0 { 0xff } else { 0 };
    match selector & 0xff {
        by @ 0..=7 => (bytes >> (8 * by)) as u32 & 0xff,
        by @ 8..=11 => sign(16 * (by - 8) + 15),
        12 => 0,
        _ => 0xff,
    }
}

instructions! {
    /// Four bytes picked from `a:b` by the bytes of the selector: 0 to 3 are the bytes of `b`, 4 to 7 those of `a`.
    ///
    /// Selectors 8 to 11 spread the sign of a 16-bit half of `a:b`, 12 is zero, and 13 and above are all ones.
    perm_b32(a: u32, b: u32, selector: u32) -> u32 where [] by permuted_bytes([(); 3]) {
        let bytes = u64::from(a) << 32 | u64::from(b);
        permuted_byte(bytes, selector)
            | permuted_byte(bytes, selector >> 8) << 8
            | permuted_byte(bytes, selector >> 16) << 16
            | permuted_byte(bytes, selector >> 24) << 24
    }
}
