//! Arithmetic, logic and comparison of the scalar unit; the second result is SCC.

/// Declares two-source logic in 32 and 64 bits. SCC is set if the result is not zero.
macro_rules! logic {
    ($( $doc:literal $name32:ident $name64:ident |$a:ident, $b:ident| $body:expr; )*) => { $(
        #[doc = $doc]
        #[inline(always)]
        pub fn $name32($a: u32, $b: u32) -> (u32, bool) { let r = $body; (r, r != 0) }
        #[doc = $doc]
        #[inline(always)]
        pub fn $name64($a: u64, $b: u64) -> (u64, bool) { let r = $body; (r, r != 0) }
    )* };
}

logic! {
    "`a & b`." s_and_b32 s_and_b64 |a, b| a & b;
    "`a | b`." s_or_b32 s_or_b64 |a, b| a | b;
    "`a ^ b`." s_xor_b32 s_xor_b64 |a, b| a ^ b;
    "`a & !b`." s_andn2_b32 s_andn2_b64 |a, b| a & !b;
    "`a | !b`." s_orn2_b32 s_orn2_b64 |a, b| a | !b;
    "`!(a & b)`." s_nand_b32 s_nand_b64 |a, b| !(a & b);
    "`!(a | b)`." s_nor_b32 s_nor_b64 |a, b| !(a | b);
    "`!(a ^ b)`." s_xnor_b32 s_xnor_b64 |a, b| !(a ^ b);
}

/// Declares the new EXEC of the saveexec instructions from their source and EXEC. SCC is set if a lane is enabled.
macro_rules! saveexec {
    ($( $doc:literal $name:ident |$a:ident, $exec:ident| $body:expr; )*) => { $(
        #[doc = $doc]
        #[inline(always)]
        pub fn $name($a: u64, $exec: u64) -> (u64, bool) { let r = $body; (r, r != 0) }
    )* };
}

saveexec! {
    "`a & exec`." s_and_saveexec_b64 |a, exec| a & exec;
    "`a | exec`." s_or_saveexec_b64 |a, exec| a | exec;
    "`a ^ exec`." s_xor_saveexec_b64 |a, exec| a ^ exec;
    "`a & !exec`." s_andn2_saveexec_b64 |a, exec| a & !exec;
    "`a | !exec`." s_orn2_saveexec_b64 |a, exec| a | !exec;
    "`!(a & exec)`." s_nand_saveexec_b64 |a, exec| !(a & exec);
    "`!(a | exec)`." s_nor_saveexec_b64 |a, exec| !(a | exec);
    "`!(a ^ exec)`." s_xnor_saveexec_b64 |a, exec| !(a ^ exec);
    "`!a & exec`." s_andn1_saveexec_b64 |a, exec| !a & exec;
    "`!a | exec`." s_orn1_saveexec_b64 |a, exec| !a | exec;
    "`!a & exec`, which is written to the destination too." s_andn1_wrexec_b64 |a, exec| !a & exec;
    "`a & !exec`, which is written to the destination too." s_andn2_wrexec_b64 |a, exec| a & !exec;
}

instructions! {
    /// `a`.
    s_mov_b32(a: u32) -> u32 { a }
    /// `a`.
    s_mov_b64(a: u64) -> u64 { a }
    /// `a + b`; SCC is the carry.
    s_add_u32(a: u32, b: u32) -> (u32, bool) { a.overflowing_add(b) }
    /// `a - b`; SCC is the borrow.
    s_sub_u32(a: u32, b: u32) -> (u32, bool) { a.overflowing_sub(b) }
    /// `a + b`; SCC is signed overflow.
    s_add_i32(a: i32, b: i32) -> (i32, bool) { a.overflowing_add(b) }
    /// `a - b`; SCC is signed overflow.
    s_sub_i32(a: i32, b: i32) -> (i32, bool) { a.overflowing_sub(b) }
    /// `a + b + scc`; SCC is the carry.
    s_addc_u32(a: u32, b: u32, scc: bool) -> (u32, bool) { super::addc_co_u32(a, b, scc) }
    /// `a - b - scc`; SCC is the borrow.
    s_subb_u32(a: u32, b: u32, scc: bool) -> (u32, bool) { super::subb_co_u32(a, b, scc) }
    /// The smaller operand; SCC is set if it is `a`.
    s_min_i32(a: i32, b: i32) -> (i32, bool) { (a.min(b), a < b) }
    /// The smaller operand; SCC is set if it is `a`.
    s_min_u32(a: u32, b: u32) -> (u32, bool) { (a.min(b), a < b) }
    /// The larger operand; SCC is set if it is `a`.
    s_max_i32(a: i32, b: i32) -> (i32, bool) { (a.max(b), a > b) }
    /// The larger operand; SCC is set if it is `a`.
    s_max_u32(a: u32, b: u32) -> (u32, bool) { (a.max(b), a > b) }
    /// `a` if SCC is set, else `b`.
    s_cselect_b32(a: u32, b: u32, scc: bool) -> u32 { if scc { a } else { b } }
    /// `a` if SCC is set, else `b`.
    s_cselect_b64(a: u64, b: u64, scc: bool) -> u64 { if scc { a } else { b } }
    /// The low half of `a * b`.
    s_mul_i32(a: u32, b: u32) -> u32 { a.wrapping_mul(b) }
    /// The high half of `a * b`.
    s_mul_hi_u32(a: u32, b: u32) -> u32 { super::mul_hi_u32(a, b) }
    /// The high half of the signed `a * b`.
    s_mul_hi_i32(a: i32, b: i32) -> i32 { super::mul_hi_i32(a, b) }

    /// `a << b`; SCC is set if the result is not zero.
    s_lshl_b32(a: u32, b: u32) -> (u32, bool) { let r = a << (b & 31); (r, r != 0) }
    /// `a << b`; SCC is set if the result is not zero.
    s_lshl_b64(a: u64, b: u32) -> (u64, bool) { let r = a << (b & 63); (r, r != 0) }
    /// `a >> b`, shifting in zeros; SCC is set if the result is not zero.
    s_lshr_b32(a: u32, b: u32) -> (u32, bool) { let r = a >> (b & 31); (r, r != 0) }
    /// `a >> b`, shifting in zeros; SCC is set if the result is not zero.
    s_lshr_b64(a: u64, b: u32) -> (u64, bool) { let r = a >> (b & 63); (r, r != 0) }
    /// `a >> b`, shifting in the sign; SCC is set if the result is not zero.
    s_ashr_i32(a: i32, b: u32) -> (i32, bool) { let r = a >> (b & 31); (r, r != 0) }
    /// `a >> b`, shifting in the sign; SCC is set if the result is not zero.
    s_ashr_i64(a: i64, b: u32) -> (i64, bool) { let r = a >> (b & 63); (r, r != 0) }

    /// The magnitude; the lowest number stays itself. SCC is set if the result is not zero.
    s_abs_i32(a: i32) -> (i32, bool) { let r = a.wrapping_abs(); (r, r != 0) }
    /// `!a`; SCC is set if the result is not zero.
    s_not_b32(a: u32) -> (u32, bool) { (!a, !a != 0) }
    /// `!a`; SCC is set if the result is not zero.
    s_not_b64(a: u64) -> (u64, bool) { (!a, !a != 0) }
    /// The low byte, sign-extended.
    s_sext_i32_i8(a: u32) -> i32 { i32::from(a as i8) }
    /// The low half, sign-extended.
    s_sext_i32_i16(a: u32) -> i32 { i32::from(a as i16) }
    /// `a` if SCC is set, else the old value `d` of the destination.
    s_cmov_b32(d: u32, a: u32, scc: bool) -> u32 { if scc { a } else { d } }
    /// `a` if SCC is set, else the old value `d` of the destination.
    s_cmov_b64(d: u64, a: u64, scc: bool) -> u64 { if scc { a } else { d } }
    /// The sign-extended literal if SCC is set, else the old value `d` of the destination.
    s_cmovk_i32(d: i32, k: i16, scc: bool) -> i32 { if scc { i32::from(k) } else { d } }
    /// `|a - b|`, with the difference in 32 bits; SCC is set if the result is not zero.
    s_absdiff_i32(a: i32, b: i32) -> (i32, bool) { let r = a.wrapping_sub(b).wrapping_abs(); (r, r != 0) }
    /// `(a << 1) + b`; SCC is the carry.
    s_lshl1_add_u32(a: u32, b: u32) -> (u32, bool) { shifted_sum(a, 1, b) }
    /// `(a << 2) + b`; SCC is the carry.
    s_lshl2_add_u32(a: u32, b: u32) -> (u32, bool) { shifted_sum(a, 2, b) }
    /// `(a << 3) + b`; SCC is the carry.
    s_lshl3_add_u32(a: u32, b: u32) -> (u32, bool) { shifted_sum(a, 3, b) }
    /// `(a << 4) + b`; SCC is the carry.
    s_lshl4_add_u32(a: u32, b: u32) -> (u32, bool) { shifted_sum(a, 4, b) }
    /// `a` plus the literal; SCC is signed overflow.
    s_addk_i32(a: i32, k: i16) -> (i32, bool) { a.overflowing_add(i32::from(k)) }
    /// `a` times the literal.
    s_mulk_i32(a: i32, k: i16) -> i32 { a.wrapping_mul(i32::from(k)) }
    /// The literal, sign-extended.
    s_movk_i32(k: i16) -> i32 { i32::from(k) }
}

/// `(a << by) + b`, and true if the exact sum exceeds 32 bits.
#[inline(always)]
fn shifted_sum(a: u32, by: u32, b: u32) -> (u32, bool) {
    let sum = (u64::from(a) << by) + u64::from(b);
    (sum as u32, sum >> 32 != 0)
}

/// Declares comparisons, whose result is SCC.
macro_rules! comparisons {
    ($( $doc:literal $name:ident($ty:ident) $op:tt; )*) => { $(
        #[doc = $doc]
        #[inline(always)]
        pub fn $name(a: $ty, b: $ty) -> bool { a $op b }
    )* };
}

comparisons! {
    "`a == b`." s_cmp_eq_i32(i32) ==;
    "`a != b`." s_cmp_lg_i32(i32) !=;
    "`a > b`." s_cmp_gt_i32(i32) >;
    "`a >= b`." s_cmp_ge_i32(i32) >=;
    "`a < b`." s_cmp_lt_i32(i32) <;
    "`a <= b`." s_cmp_le_i32(i32) <=;
    "`a == b`." s_cmp_eq_u32(u32) ==;
    "`a != b`." s_cmp_lg_u32(u32) !=;
    "`a > b`." s_cmp_gt_u32(u32) >;
    "`a >= b`." s_cmp_ge_u32(u32) >=;
    "`a < b`." s_cmp_lt_u32(u32) <;
    "`a <= b`." s_cmp_le_u32(u32) <=;
    "`a == b`." s_cmp_eq_u64(u64) ==;
    "`a != b`." s_cmp_lg_u64(u64) !=;
}

/// Declares comparisons with a 16-bit literal, which is extended by its type.
macro_rules! literal_comparisons {
    ($( $doc:literal $name:ident($ty:ident, $literal:ident) $op:tt; )*) => { $(
        #[doc = $doc]
        #[inline(always)]
        pub fn $name(a: $ty, k: $literal) -> bool { a $op $ty::from(k) }
    )* };
}

literal_comparisons! {
    "`a == k`." s_cmpk_eq_i32(i32, i16) ==;
    "`a != k`." s_cmpk_lg_i32(i32, i16) !=;
    "`a > k`." s_cmpk_gt_i32(i32, i16) >;
    "`a >= k`." s_cmpk_ge_i32(i32, i16) >=;
    "`a < k`." s_cmpk_lt_i32(i32, i16) <;
    "`a <= k`." s_cmpk_le_i32(i32, i16) <=;
    "`a == k`." s_cmpk_eq_u32(u32, u16) ==;
    "`a != k`." s_cmpk_lg_u32(u32, u16) !=;
    "`a > k`." s_cmpk_gt_u32(u32, u16) >;
    "`a >= k`." s_cmpk_ge_u32(u32, u16) >=;
    "`a < k`." s_cmpk_lt_u32(u32, u16) <;
    "`a <= k`." s_cmpk_le_u32(u32, u16) <=;
}
