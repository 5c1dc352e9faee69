//! The read-modify-write of atomics: memory's value and the operand give memory's new value.

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
    "The smaller." atomic_umin(u32) atomic_umin_x2(u64) |memory, data| memory.min(data);
    "The larger." atomic_umax(u32) atomic_umax_x2(u64) |memory, data| memory.max(data);
    "The smaller." atomic_smin(i32) atomic_smin_x2(i64) |memory, data| memory.min(data);
    "The larger." atomic_smax(i32) atomic_smax_x2(i64) |memory, data| memory.max(data);
    "`memory & data`." atomic_and(u32) atomic_and_x2(u64) |memory, data| memory & data;
    "`memory | data`." atomic_or(u32) atomic_or_x2(u64) |memory, data| memory | data;
    "`memory ^ data`." atomic_xor(u32) atomic_xor_x2(u64) |memory, data| memory ^ data;
    "`memory + 1`, from `data` on 0." atomic_inc(u32) atomic_inc_x2(u64) |memory, data| if memory >= data { 0 } else { memory + 1 };
    "`memory - 1`, from 0 and from above `data` it is `data`." atomic_dec(u32) atomic_dec_x2(u64)
        |memory, data| if memory == 0 || memory > data { data } else { memory - 1 };
}

/// Declares the operations with more than one operand, or on floats, in both widths.
macro_rules! wide {
    ($( $bits:ident $cmpswap:ident $mskor:ident; )*) => { $(
        /// `data` where memory holds `compare`, else memory's value.
        #[inline(always)]
        pub fn $cmpswap(memory: $bits, data: $bits, compare: $bits) -> $bits { if memory == compare { data } else { memory } }
        /// The bits of `mask` replaced: `(memory & !mask) | data`.
        #[inline(always)]
        pub fn $mskor(memory: $bits, mask: $bits, data: $bits) -> $bits { memory & !mask | data }
    )* };
}
wide! {
    u32 atomic_cmpswap atomic_mskor;
    u64 atomic_cmpswap_x2 atomic_mskor_x2;
}

instructions! {
    /// `memory - data` where that does not borrow, else `memory + wrap` (`ds_wrap_rtn_b32`).
    atomic_wrap(memory: u32, data: u32, wrap: u32) -> u32 {
        if memory >= data { memory - data } else { memory.wrapping_add(wrap) }
    }
}
