//! Functions of the instruction table's rows, compiled once for each feature level of the host.

/// Builds the handlers of `$body`, a function of `(&mut Wave, &mut Env, &Op)` that is inlined into each level. The body may use `_WIDTH`, the
/// size in bytes of the level's vectors.
///
/// Debug builds and unit tests have only the baseline, because all levels compute the same and take most of the compile time. With the feature
/// `every-level`, unit tests have all levels.
macro_rules! levels {
    (|$w:ident, $e:ident, $i:ident| $body:expr) => {{
        use $crate::machine::{Env, Handlers, Op, StepResult, Wave};
        fn baseline($w: &mut Wave, $e: &mut Env<'_>, $i: &Op) -> StepResult {
            const _WIDTH: usize = 16;
            $body
        }
        #[cfg(all(target_arch = "x86_64", not(debug_assertions), any(not(test), feature = "every-level")))]
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,f16c,lzcnt,popcnt")]
        fn v3($w: &mut Wave, $e: &mut Env<'_>, $i: &Op) -> StepResult {
            const _WIDTH: usize = 32;
            $body
        }
        #[cfg(all(target_arch = "x86_64", not(debug_assertions), any(not(test), feature = "every-level")))]
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,f16c,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512cd")]
        fn v4($w: &mut Wave, $e: &mut Env<'_>, $i: &Op) -> StepResult {
            const _WIDTH: usize = 64;
            $body
        }
        #[cfg(all(target_arch = "x86_64", not(debug_assertions), any(not(test), feature = "every-level")))]
        const HANDLERS: Handlers = Handlers {
            baseline,
            v3,
            v4,
            shape: $crate::machine::LaneSignature::NONE,
        };
        #[cfg(not(all(target_arch = "x86_64", not(debug_assertions), any(not(test), feature = "every-level"))))]
        const HANDLERS: Handlers = Handlers::scalar(baseline);
        HANDLERS
    }};
}
pub(crate) use levels;

/// Declares functions that handlers share, compiled for each feature level as well: `name::<WIDTH>` is the version for vectors of `WIDTH`
/// bytes, and is not inlined.
macro_rules! at_level {
    ($(#[$doc:meta])* pub fn $name:ident($w:ident: &mut Wave, $op:ident: &Op $(, $arg:ident: $ty:ty)*) -> () $body:block) => {
        $(#[$doc])*
        #[inline(always)]
        pub fn $name<const WIDTH: usize>($w: &mut Wave, $op: &Op $(, $arg: $ty)*) {
            #[inline(always)]
            fn body<const WIDTH: usize>($w: &mut Wave, $op: &Op $(, $arg: $ty)*) $body
            #[inline(never)]
            fn baseline($w: &mut Wave, $op: &Op $(, $arg: $ty)*) {
                body::<16>($w, $op $(, $arg)*)
            }
            #[cfg(all(target_arch = "x86_64", not(debug_assertions), any(not(test), feature = "every-level")))]
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,f16c,lzcnt,popcnt")]
            #[inline(never)]
            fn v3($w: &mut Wave, $op: &Op $(, $arg: $ty)*) {
                body::<32>($w, $op $(, $arg)*)
            }
            #[cfg(all(target_arch = "x86_64", not(debug_assertions), any(not(test), feature = "every-level")))]
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,f16c,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512cd")]
            #[inline(never)]
            fn v4($w: &mut Wave, $op: &Op $(, $arg: $ty)*) {
                body::<64>($w, $op $(, $arg)*)
            }
            match WIDTH {
                // SAFETY: handlers of this width run only on hosts of its level.
                #[cfg(all(target_arch = "x86_64", not(debug_assertions), any(not(test), feature = "every-level")))]
                64 => unsafe { v4($w, $op $(, $arg)*) },
                // SAFETY: as above.
                #[cfg(all(target_arch = "x86_64", not(debug_assertions), any(not(test), feature = "every-level")))]
                32 => unsafe { v3($w, $op $(, $arg)*) },
                _ => baseline($w, $op $(, $arg)*),
            }
        }
    };
}
pub(crate) use at_level;
