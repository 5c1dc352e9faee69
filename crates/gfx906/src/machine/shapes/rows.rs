//! Macros of the instruction table's last column, which make the handlers of a row.
//!
//! Each macro expands to `Some(Handlers)`: one function per host feature level where vectorised loops over lanes are faster, else one
//! function for all levels.

/// Vector instruction by a pure function. A second function replaces it under the clamp modifier.
macro_rules! valu {
    ($f:ident) => {
        Some(
            $crate::machine::levels!(|w, _e, i| $crate::machine::shapes::valu::<_WIDTH, _, $f>(
                w, i
            ))
            .of($crate::machine::shapes::shape_of::<_, $f>()),
        )
    };
    ($f:ident, $clamped:ident) => {
        Some(
            $crate::machine::levels!(|w, _e, i| {
                $crate::machine::shapes::valu_or_clamped::<_WIDTH, _, $f, $clamped>(w, i)
            })
            .of($crate::machine::shapes::shape_of::<_, $f>()),
        )
    };
}

/// Vector comparison that writes EXEC too.
macro_rules! cmpx {
    ($f:ident) => {
        Some(
            $crate::machine::levels!(|w, _e, i| $crate::machine::shapes::cmpx::<_WIDTH, _, $f>(
                w, i
            ))
            .of($crate::machine::shapes::shape_of::<_, $f>()),
        )
    };
}

/// Vector instruction as a function of `(wave, instruction)`.
macro_rules! lanewise {
    (|$w:ident, $i:ident| $body:expr) => {
        Some($crate::machine::levels!(|$w, _e, $i| $body))
    };
}

/// Instruction as a function of `(wave, environment, instruction)`.
macro_rules! scalar {
    (|$w:ident, $e:ident, $i:ident| $body:expr) => {{
        fn run(
            $w: &mut $crate::machine::Wave,
            $e: &mut $crate::machine::Env<'_>,
            $i: &$crate::machine::Op,
        ) -> $crate::machine::StepResult {
            $body
        }
        Some($crate::machine::Handlers::scalar(run))
    }};
}

/// Scalar instruction by a pure function.
macro_rules! salu {
    ($f:expr) => {
        scalar!(|w, _e, i| $crate::machine::shapes::salu(w, i, $f))
    };
}

/// Scalar instruction that saves EXEC and computes a new one.
macro_rules! saveexec {
    ($f:expr) => {
        scalar!(|w, _e, i| $crate::machine::shapes::saveexec(w, i, $f))
    };
}

/// Scalar instruction that computes a new EXEC and keeps a copy of it.
macro_rules! wrexec {
    ($f:expr) => {
        scalar!(|w, _e, i| $crate::machine::shapes::wrexec(w, i, $f))
    };
}

/// Branch on a condition of the wave.
macro_rules! branch {
    (|$w:ident| $taken:expr) => {
        scalar!(|w, _e, i| {
            let $w = &*w;
            let taken = $taken;
            $crate::machine::shapes::control::branch(w, i, taken)
        })
    };
}

/// Instruction that only changes the wave's progress.
macro_rules! control {
    (|$w:ident| $body:expr) => {
        scalar!(|$w, _e, _i| $body)
    };
}

/// Instruction without effect on results: waits, hints, cache control.
macro_rules! nothing {
    () => {
        scalar!(|_w, _e, _i| Ok(()))
    };
}

/// An instruction that orders accesses to memory.
macro_rules! wait {
    () => {
        scalar!(|_w, e, _i| $crate::machine::shapes::control::wait(e))
    };
}

/// Load through a flat, global or scratch address. Kernels wait mostly for loads from global memory, so these have their own code at every
/// level.
macro_rules! load {
    (scratch, $element:ident $(($n:literal))?) => {
        scalar!(|w, e, i| $crate::machine::shapes::flat::load(w, e, i, $crate::machine::shapes::Element::$element $(($n))?))
    };
    ($space:ident, $element:ident $(($n:literal))?) => {
        Some($crate::machine::levels!(|w, e, i| $crate::machine::shapes::flat::load_global::<_WIDTH>(w, e, i, $crate::machine::shapes::Element::$element $(($n))?)))
    };
}

/// A store through a flat, global or scratch address.
macro_rules! store {
    (scratch, $element:ident $(($n:literal))?) => {
        scalar!(|w, e, i| $crate::machine::shapes::flat::store(w, e, i, $crate::machine::shapes::Element::$element $(($n))?))
    };
    ($space:ident, $element:ident $(($n:literal))?) => {
        Some($crate::machine::levels!(|w, e, i| $crate::machine::shapes::flat::store_global::<_WIDTH>(w, e, i, $crate::machine::shapes::Element::$element $(($n))?)))
    };
}

/// A load through a buffer resource.
macro_rules! buffer_load {
    ($element:ident $(($dwords:literal))?) => {
        Some($crate::machine::levels!(|w, e, i| $crate::machine::shapes::mubuf::load::<_WIDTH>(w, e, i, $crate::machine::shapes::Element::$element $(($dwords))?)))
    };
}

/// A store through a buffer resource.
macro_rules! buffer_store {
    ($element:ident $(($dwords:literal))?) => {
        Some($crate::machine::levels!(|w, e, i| $crate::machine::shapes::mubuf::store::<_WIDTH>(w, e, i, $crate::machine::shapes::Element::$element $(($dwords))?)))
    };
}

/// A load from LDS.
macro_rules! lds_load {
    ($element:ident $(($dwords:literal))?) => {
        Some($crate::machine::levels!(|w, e, i| $crate::machine::shapes::lds::read::<_WIDTH>(w, e, i, $crate::machine::shapes::Element::$element $(($dwords))?)))
    };
}

/// A store to LDS.
macro_rules! lds_store {
    ($element:ident $(($dwords:literal))?) => {
        Some($crate::machine::levels!(|w, e, i| $crate::machine::shapes::lds::write::<_WIDTH>(w, e, i, $crate::machine::shapes::Element::$element $(($dwords))?)))
    };
}

/// Load of two elements from LDS, from the dwords of each and the unit of the offsets in bytes.
macro_rules! lds_load2 {
    ($dwords:literal, $unit:literal) => {
        Some($crate::machine::levels!(|w, e, i| {
            $crate::machine::shapes::lds::read2::<_WIDTH>(w, e, i, $dwords, $unit)
        }))
    };
}

/// A store of two elements to LDS.
macro_rules! lds_store2 {
    ($dwords:literal, $unit:literal) => {
        scalar!(|w, e, i| $crate::machine::shapes::lds::write2(w, e, i, $dwords, $unit))
    };
}

/// Atomic of a shape, `f(memory, data)`. The function's types determine the signedness.
macro_rules! update {
    ($shape:path, $word:ty, $f:expr) => {
        scalar!(|w, e, i| $shape(w, e, i, |m: $word, a, _| $f(m as _, a as _) as $word))
    };
}

/// An atomic of a shape on two operands: `f(memory, first, second)`.
macro_rules! exchange {
    ($shape:path, $word:ty, $f:expr) => {
        scalar!(|w, e, i| $shape(w, e, i, |m: $word, a, b| $f(m, a, b)))
    };
}

/// An atomic of 32 bits on flat and global memory: `f(memory, data)`.
macro_rules! flat_atomic32 {
    ($f:expr) => {
        update!($crate::machine::shapes::flat::atomic, u32, $f)
    };
}

/// A compare-and-swap of 32 bits on flat and global memory: `f(memory, data, compare)`.
macro_rules! flat_compare32 {
    ($f:expr) => {
        exchange!($crate::machine::shapes::flat::atomic, u32, $f)
    };
}

/// An atomic of 64 bits on flat and global memory: `f(memory, data)`.
macro_rules! flat_atomic64 {
    ($f:expr) => {
        update!($crate::machine::shapes::flat::atomic, u64, $f)
    };
}

/// A compare-and-swap of 64 bits on flat and global memory: `f(memory, data, compare)`.
macro_rules! flat_compare64 {
    ($f:expr) => {
        exchange!($crate::machine::shapes::flat::atomic, u64, $f)
    };
}

/// An atomic of 32 bits on memory through a buffer resource: `f(memory, data)`.
macro_rules! buffer_atomic32 {
    ($f:expr) => {
        update!($crate::machine::shapes::mubuf::atomic, u32, $f)
    };
}

/// A compare-and-swap of 32 bits on memory through a buffer resource: `f(memory, data, compare)`.
macro_rules! buffer_compare32 {
    ($f:expr) => {
        exchange!($crate::machine::shapes::mubuf::atomic, u32, $f)
    };
}

/// An atomic of 64 bits on memory through a buffer resource: `f(memory, data)`.
macro_rules! buffer_atomic64 {
    ($f:expr) => {
        update!($crate::machine::shapes::mubuf::atomic, u64, $f)
    };
}

/// A compare-and-swap of 64 bits on memory through a buffer resource: `f(memory, data, compare)`.
macro_rules! buffer_compare64 {
    ($f:expr) => {
        exchange!($crate::machine::shapes::mubuf::atomic, u64, $f)
    };
}

/// An atomic of 32 bits on LDS: `f(memory, data)`.
macro_rules! lds_atomic32 {
    ($f:expr) => {
        update!($crate::machine::shapes::lds::atomic, u32, $f)
    };
}

/// An atomic of 32 bits on LDS with two operands: `f(memory, data0, data1)`.
macro_rules! lds_ternary32 {
    ($f:expr) => {
        exchange!($crate::machine::shapes::lds::atomic, u32, $f)
    };
}

/// An atomic of 64 bits on LDS: `f(memory, data)`.
macro_rules! lds_atomic64 {
    ($f:expr) => {
        update!($crate::machine::shapes::lds::atomic, u64, $f)
    };
}

/// An atomic of 64 bits on LDS with two operands: `f(memory, data0, data1)`.
macro_rules! lds_ternary64 {
    ($f:expr) => {
        exchange!($crate::machine::shapes::lds::atomic, u64, $f)
    };
}

/// A floating-point atomic of 32 bits on LDS: `f(mode, memory, data)`.
macro_rules! lds_float32 {
    ($f:expr) => {
        scalar!(|w, e, i| {
            let mode = w.mode();
            let float = f32::from_bits;
            $crate::machine::shapes::lds::atomic(w, e, i, |m, a, _| {
                $f(mode, float(m), float(a)).to_bits()
            })
        })
    };
}

/// A floating-point compare-and-swap of 32 bits on LDS: `f(mode, memory, compare, data)`.
macro_rules! lds_float_compare32 {
    ($f:expr) => {
        scalar!(|w, e, i| {
            let mode = w.mode();
            let float = f32::from_bits;
            $crate::machine::shapes::lds::atomic(w, e, i, |m, a, b| {
                $f(mode, float(m), float(a), float(b)).to_bits()
            })
        })
    };
}

/// A floating-point atomic of 64 bits on LDS: `f(mode, memory, data)`.
macro_rules! lds_float64 {
    ($f:expr) => {
        scalar!(|w, e, i| {
            let mode = w.mode();
            let float = f64::from_bits;
            $crate::machine::shapes::lds::atomic(w, e, i, |m, a, _| {
                $f(mode, float(m), float(a)).to_bits()
            })
        })
    };
}

/// A floating-point compare-and-swap of 64 bits on LDS: `f(mode, memory, compare, data)`.
macro_rules! lds_float_compare64 {
    ($f:expr) => {
        scalar!(|w, e, i| {
            let mode = w.mode();
            let float = f64::from_bits;
            $crate::machine::shapes::lds::atomic(w, e, i, |m, a, b| {
                $f(mode, float(m), float(a), float(b)).to_bits()
            })
        })
    };
}

/// A scalar atomic of 32 bits at a scalar address: `f(memory, data)`.
macro_rules! scalar_atomic32 {
    ($f:expr) => {
        update!($crate::machine::shapes::smem::atomic, u32, $f)
    };
}

/// A scalar compare-and-swap of 32 bits at a scalar address: `f(memory, data, compare)`.
macro_rules! scalar_compare32 {
    ($f:expr) => {
        exchange!($crate::machine::shapes::smem::atomic, u32, $f)
    };
}

/// A scalar atomic of 64 bits at a scalar address: `f(memory, data)`.
macro_rules! scalar_atomic64 {
    ($f:expr) => {
        update!($crate::machine::shapes::smem::atomic, u64, $f)
    };
}

/// A scalar compare-and-swap of 64 bits at a scalar address: `f(memory, data, compare)`.
macro_rules! scalar_compare64 {
    ($f:expr) => {
        exchange!($crate::machine::shapes::smem::atomic, u64, $f)
    };
}

/// A scalar atomic of 32 bits through a buffer resource, for the wave as a whole: `f(memory, data)`.
macro_rules! scalar_buffer_atomic32 {
    ($f:expr) => {
        update!($crate::machine::shapes::smem::buffer_atomic, u32, $f)
    };
}

/// A scalar compare-and-swap of 32 bits through a buffer resource, for the wave as a whole: `f(memory, data, compare)`.
macro_rules! scalar_buffer_compare32 {
    ($f:expr) => {
        exchange!($crate::machine::shapes::smem::buffer_atomic, u32, $f)
    };
}

/// A scalar atomic of 64 bits through a buffer resource, for the wave as a whole: `f(memory, data)`.
macro_rules! scalar_buffer_atomic64 {
    ($f:expr) => {
        update!($crate::machine::shapes::smem::buffer_atomic, u64, $f)
    };
}

/// A scalar compare-and-swap of 64 bits through a buffer resource, for the wave as a whole: `f(memory, data, compare)`.
macro_rules! scalar_buffer_compare64 {
    ($f:expr) => {
        exchange!($crate::machine::shapes::smem::buffer_atomic, u64, $f)
    };
}

/// An atomic of 32 bits on LDS whose operand is in LDS: `f(memory, operand)`.
macro_rules! lds_src2_32 {
    ($f:expr) => {
        scalar!(
            |w, e, i| $crate::machine::shapes::lds::from_lds(
                w,
                e,
                i,
                |m: u32, a| $f(m as _, a as _) as u32
            )
        )
    };
}

/// A floating-point atomic of 32 bits on LDS whose operand is in LDS: `f(mode, memory, operand)`.
macro_rules! lds_src2_float32 {
    ($f:expr) => {
        scalar!(|w, e, i| {
            let mode = w.mode();
            let float = f32::from_bits;
            $crate::machine::shapes::lds::from_lds(w, e, i, |m: u32, a| {
                $f(mode, float(m), float(a)).to_bits()
            })
        })
    };
}

/// An atomic of 64 bits on LDS whose operand is in LDS: `f(memory, operand)`.
macro_rules! lds_src2_64 {
    ($f:expr) => {
        scalar!(
            |w, e, i| $crate::machine::shapes::lds::from_lds(
                w,
                e,
                i,
                |m: u64, a| $f(m as _, a as _) as u64
            )
        )
    };
}

/// A floating-point atomic of 64 bits on LDS whose operand is in LDS: `f(mode, memory, operand)`.
macro_rules! lds_src2_float64 {
    ($f:expr) => {
        scalar!(|w, e, i| {
            let mode = w.mode();
            let float = f64::from_bits;
            $crate::machine::shapes::lds::from_lds(w, e, i, |m: u64, a| {
                $f(mode, float(m), float(a)).to_bits()
            })
        })
    };
}

pub(crate) use {
    branch, buffer_atomic32, buffer_atomic64, buffer_compare32, buffer_compare64, buffer_load,
    buffer_store, cmpx, control, exchange, flat_atomic32, flat_atomic64, flat_compare32,
    flat_compare64, lanewise, lds_atomic32, lds_atomic64, lds_float_compare32, lds_float_compare64,
    lds_float32, lds_float64, lds_load, lds_load2, lds_src2_32, lds_src2_64, lds_src2_float32,
    lds_src2_float64, lds_store, lds_store2, lds_ternary32, lds_ternary64, load, nothing, salu,
    saveexec, scalar, scalar_atomic32, scalar_atomic64, scalar_buffer_atomic32,
    scalar_buffer_atomic64, scalar_buffer_compare32, scalar_buffer_compare64, scalar_compare32,
    scalar_compare64, store, update, valu, wait, wrexec,
};
