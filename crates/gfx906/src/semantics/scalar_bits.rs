//! Bit fields, counts and masks of the scalar unit; the second result is SCC.

/// Declares one-source instructions in 32 and 64 bits that count or find bits and return an i32.
macro_rules! counts {
    ($( $doc:literal $name32:ident $name64:ident |$a:ident| $body:expr; )*) => { $(
        #[doc = $doc]
        #[inline(always)]
        pub fn $name32($a: u32) -> i32 { $body }
        #[doc = $doc]
        #[inline(always)]
        pub fn $name64($a: u64) -> i32 { $body }
    )* };
}

counts! {
    "The position of the lowest clear bit; -1 if there is none." s_ff0_i32_b32 s_ff0_i32_b64
        |a| if !a == 0 { -1 } else { a.trailing_ones() as i32 };
    "The position of the lowest set bit; -1 if there is none." s_ff1_i32_b32 s_ff1_i32_b64
        |a| if a == 0 { -1 } else { a.trailing_zeros() as i32 };
    "The distance of the highest set bit from the top; -1 if there is none." s_flbit_i32_b32 s_flbit_i32_b64
        |a| if a == 0 { -1 } else { a.leading_zeros() as i32 };
}

/// Sets the lowest bit of each group of four if any bit of the group is set.
#[inline(always)]
fn quads(a: u64) -> u64 {
    (a | a >> 1 | a >> 2 | a >> 3) & 0x1111_1111_1111_1111
}

/// Gathers every fourth bit at the low end.
#[inline(always)]
fn gather(quads: u64) -> u64 {
    (0..16).fold(0, |mask, i| mask | (quads >> (4 * i) & 1) << i)
}

instructions! {
    /// The distance from the top of the highest bit that differs from the sign; -1 if no bit differs.
    s_flbit_i32(a: i32) -> i32 { s_flbit_i32_b32((a ^ a >> 31) as u32) }
    /// The distance from the top of the highest bit that differs from the sign; -1 if no bit differs.
    s_flbit_i32_i64(a: i64) -> i32 { s_flbit_i32_b64((a ^ a >> 63) as u64) }
    /// The count of clear bits; SCC is set if the count is not zero.
    s_bcnt0_i32_b32(a: u32) -> (i32, bool) { (a.count_zeros() as i32, !a != 0) }
    /// The count of clear bits; SCC is set if the count is not zero.
    s_bcnt0_i32_b64(a: u64) -> (i32, bool) { (a.count_zeros() as i32, !a != 0) }
    /// The count of set bits; SCC is set if the count is not zero.
    s_bcnt1_i32_b32(a: u32) -> (i32, bool) { (a.count_ones() as i32, a != 0) }
    /// The count of set bits; SCC is set if the count is not zero.
    s_bcnt1_i32_b64(a: u64) -> (i32, bool) { (a.count_ones() as i32, a != 0) }
    /// The bits in opposite order.
    s_brev_b32(a: u32) -> u32 { a.reverse_bits() }
    /// The bits in opposite order.
    s_brev_b64(a: u64) -> u64 { a.reverse_bits() }

    /// Sets all bits of every group of four that has a set bit; SCC is set if the result is not zero.
    s_wqm_b32(a: u32) -> (u32, bool) { let r = (quads(u64::from(a)) * 15) as u32; (r, r != 0) }
    /// Sets all bits of every group of four that has a set bit; SCC is set if the result is not zero.
    s_wqm_b64(a: u64) -> (u64, bool) { let r = quads(a) * 15; (r, r != 0) }
    /// One bit for every group of four, set if the group has a set bit; SCC is set if the result is not zero.
    s_quadmask_b32(a: u32) -> (u32, bool) { let r = gather(quads(u64::from(a))) as u32; (r, r != 0) }
    /// One bit for every group of four, set if the group has a set bit; SCC is set if the result is not zero.
    s_quadmask_b64(a: u64) -> (u64, bool) { let r = gather(quads(a)); (r, r != 0) }
    /// Every bit of `a` twice, side by side.
    s_bitreplicate_b64_b32(a: u32) -> u64 { (0..32).fold(0, |r, i| r | (u64::from(a >> i & 1) * 3) << (2 * i)) }

    /// The destination `d` with bit `a` cleared.
    s_bitset0_b32(d: u32, a: u32) -> u32 { d & !(1 << (a & 31)) }
    /// The destination `d` with bit `a` cleared.
    s_bitset0_b64(d: u64, a: u32) -> u64 { d & !(1 << (a & 63)) }
    /// The destination `d` with bit `a` set.
    s_bitset1_b32(d: u32, a: u32) -> u32 { d | 1 << (a & 31) }
    /// The destination `d` with bit `a` set.
    s_bitset1_b64(d: u64, a: u32) -> u64 { d | 1 << (a & 63) }
    /// True if bit `b` is clear.
    s_bitcmp0_b32(a: u32, b: u32) -> bool { a >> (b & 31) & 1 == 0 }
    /// True if bit `b` is set.
    s_bitcmp1_b32(a: u32, b: u32) -> bool { a >> (b & 31) & 1 != 0 }
    /// True if bit `b` is clear.
    s_bitcmp0_b64(a: u64, b: u32) -> bool { a >> (b & 63) & 1 == 0 }
    /// True if bit `b` is set.
    s_bitcmp1_b64(a: u64, b: u32) -> bool { a >> (b & 63) & 1 != 0 }

    /// A mask of `width` bits from `offset` on.
    s_bfm_b32(width: u32, offset: u32) -> u32 { ((1 << (width & 31)) - 1) << (offset & 31) }
    /// A mask of `width` bits from `offset` on.
    s_bfm_b64(width: u32, offset: u32) -> u64 { ((1 << (width & 63)) - 1) << (offset & 63) }
    /// The field of `a` that `b` names (offset in bits 0 to 4, width in 16 to 22); SCC is set if the result is not zero.
    s_bfe_u32(a: u32, b: u32) -> (u32, bool) {
        let r = field_u64(u64::from(a), b & 31, b >> 16 & 0x7f) as u32;
        (r, r != 0)
    }
    /// The field of `a` that `b` names (offset in bits 0 to 5, width in 16 to 22); SCC is set if the result is not zero.
    s_bfe_u64(a: u64, b: u32) -> (u64, bool) {
        let r = field_u64(a, b & 63, b >> 16 & 0x7f);
        (r, r != 0)
    }
    /// The signed field of `a` that `b` names (offset in bits 0 to 4, width in 16 to 22); SCC is set if the result is not zero.
    s_bfe_i32(a: i32, b: u32) -> (i32, bool) {
        let r = field_i64(i64::from(a), b & 31, b >> 16 & 0x7f) as i32;
        (r, r != 0)
    }
    /// The signed field of `a` that `b` names (offset in bits 0 to 5, width in 16 to 22); SCC is set if the result is not zero.
    s_bfe_i64(a: i64, b: u32) -> (i64, bool) {
        let r = field_i64(a, b & 63, b >> 16 & 0x7f);
        (r, r != 0)
    }

    /// The low halves of both sources; the half of `a` is the low one.
    s_pack_ll_b32_b16(a: u32, b: u32) -> u32 { a & 0xffff | b << 16 }
    /// The low half of `a` and the high half of `b`, each in its place.
    s_pack_lh_b32_b16(a: u32, b: u32) -> u32 { a & 0xffff | b & 0xffff_0000 }
    /// The high halves of both sources; the half of `a` is the low one.
    s_pack_hh_b32_b16(a: u32, b: u32) -> u32 { a >> 16 | b & 0xffff_0000 }
}

/// Returns `width` bits from `offset` on.
#[inline(always)]
fn field_u64(a: u64, offset: u32, width: u32) -> u64 {
    let mask = if width >= 64 {
        u64::MAX
    } else {
        (1 << width) - 1
    };
    a >> offset & mask
}

/// Returns `width` bits from `offset` on, sign-extended. Past the top, the field continues with the sign of `a`.
#[inline(always)]
fn field_i64(a: i64, offset: u32, width: u32) -> i64 {
    let unused = 64 - width.min(64);
    if width == 0 {
        0
    } else {
        (a >> offset) << unused >> unused
    }
}
