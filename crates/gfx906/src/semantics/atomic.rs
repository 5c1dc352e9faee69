//! Read-modify-write operations of atomics, which compute memory's new value from its old value and the operands.
//!
//! The names are those of the global instructions. LDS has the same operations under other names: `ds_add_u32` is `atomic_add`,
//! `ds_min_i32` `atomic_smin`, `ds_max_u64` `atomic_umax_x2`, `ds_wrxchg_rtn_b32` `atomic_swap`, and so on. Operations that only LDS has,
//! or whose operands come in another order, are named `ds_...` here.

use super::{Mode, arithmetic};

/// Declares one operation in 32 and 64 bits.
macro_rules! atomics {
    ($( $doc:literal $name32:ident($ty32:ident) $name64:ident($ty64:ident) |$memory:ident, $data:ident| $body:expr; )*) => { $(
        #[doc = $doc]
        #[inline(always)]
        pub fn $name32($memory: $ty32, $data: $ty32) -> $ty32 { $body }
        #[doc = $doc]
        #[inline(always)]
        pub fn $name64($memory: $ty64, $data: $ty64) -> $ty64 { $body }
    )* };
}

atomics! {
    "The operand." atomic_swap(u32) atomic_swap_x2(u64) |_memory, data| data;
    "`memory + data`." atomic_add(u32) atomic_add_x2(u64) |memory, data| memory.wrapping_add(data);
    "`memory - data`." atomic_sub(u32) atomic_sub_x2(u64) |memory, data| memory.wrapping_sub(data);
    "`data - memory`." atomic_rsub(u32) atomic_rsub_x2(u64) |memory, data| data.wrapping_sub(memory);
    "The smaller of memory and data." atomic_umin(u32) atomic_umin_x2(u64) |memory, data| memory.min(data);
    "The larger of memory and data." atomic_umax(u32) atomic_umax_x2(u64) |memory, data| memory.max(data);
    "The smaller of memory and data." atomic_smin(i32) atomic_smin_x2(i64) |memory, data| memory.min(data);
    "The larger of memory and data." atomic_smax(i32) atomic_smax_x2(i64) |memory, data| memory.max(data);
    "`memory & data`." atomic_and(u32) atomic_and_x2(u64) |memory, data| memory & data;
    "`memory | data`." atomic_or(u32) atomic_or_x2(u64) |memory, data| memory | data;
    "`memory ^ data`." atomic_xor(u32) atomic_xor_x2(u64) |memory, data| memory ^ data;
    "`memory + 1`, or 0 if memory is `data` or greater." atomic_inc(u32) atomic_inc_x2(u64) |memory, data| if memory >= data { 0 } else { memory + 1 };
    "`memory - 1`, or `data` if memory is 0 or greater than `data`." atomic_dec(u32) atomic_dec_x2(u64)
        |memory, data| if memory == 0 || memory > data { data } else { memory - 1 };
}

/// Declares the operations with two operands in both widths.
macro_rules! two_operands {
    ($( $bits:ident $float:ident $cmpswap:ident $cmpst:ident $cmpst_float:ident $mskor:ident; )*) => { $(
        /// `data` if memory holds `compare`, else memory's value.
        #[inline(always)]
        pub fn $cmpswap(memory: $bits, data: $bits, compare: $bits) -> $bits { if memory == compare { data } else { memory } }
        /// `data` if memory holds `compare`, else memory's value.
        #[inline(always)]
        pub fn $cmpst(memory: $bits, compare: $bits, data: $bits) -> $bits { if memory == compare { data } else { memory } }
        /// `data` if memory's number equals `compare`, else memory's value. Both zeros are equal, and a NaN equals nothing.
        #[inline(always)]
        pub fn $cmpst_float(_mode: Mode, memory: $float, compare: $float, data: $float) -> $float {
            if memory == compare { data } else { memory }
        }
        /// Replaces the bits of `mask`: `(memory & !mask) | data`.
        #[inline(always)]
        pub fn $mskor(memory: $bits, mask: $bits, data: $bits) -> $bits { memory & !mask | data }
    )* };
}

two_operands! {
    u32 f32 atomic_cmpswap ds_cmpst_b32 ds_cmpst_f32 ds_mskor_b32;
    u64 f64 atomic_cmpswap_x2 ds_cmpst_b64 ds_cmpst_f64 ds_mskor_b64;
}

instructions! {
    /// `memory + data`.
    ds_add_f32(mode: Mode, memory: f32, data: f32) -> f32 { arithmetic::add(mode, memory, data) }
    /// The smaller number; a NaN loses against a number.
    ds_min_f32(mode: Mode, memory: f32, data: f32) -> f32 { arithmetic::min(mode, memory, data) }
    /// The larger number; a NaN loses against a number.
    ds_max_f32(mode: Mode, memory: f32, data: f32) -> f32 { arithmetic::max(mode, memory, data) }
    /// The smaller number; a NaN loses against a number.
    ds_min_f64(mode: Mode, memory: f64, data: f64) -> f64 { arithmetic::min(mode, memory, data) }
    /// The larger number; a NaN loses against a number.
    ds_max_f64(mode: Mode, memory: f64, data: f64) -> f64 { arithmetic::max(mode, memory, data) }
    /// `memory - data` if the difference does not borrow, else `memory + wrap`.
    ds_wrap_b32(memory: u32, data: u32, wrap: u32) -> u32 { if memory >= data { memory - data } else { memory.wrapping_add(wrap) } }
    /// Replaces each half of memory by the low 31 bits of the half of `data`, if the highest bit of the half of `data` is set.
    ds_condxchg32_b64(memory: u64, data: u64) -> u64 {
        let half = |memory: u32, data: u32| if data >> 31 != 0 { data & 0x7fff_ffff } else { memory };
        u64::from(half(memory as u32, data as u32)) | u64::from(half((memory >> 32) as u32, (data >> 32) as u32)) << 32
    }
}
