//! How a row of the instruction table runs: one function a feature level of the host.

use std::sync::OnceLock;

use super::op::{Op, Shape};
use super::trap::Stop;
use super::wave::{Env, Wave};

/// What running one instruction comes to: on to the next, or a reason to stop.
pub type Outcome = Result<(), Stop>;

/// Runs one instruction for a wave whose pc already points behind it.
///
/// Unsafe to call only because it may be compiled for a feature level that the host lacks.
pub type Handler = for<'a> unsafe fn(&mut Wave, &mut Env<'a>, &Op) -> Outcome;

/// One instruction's handler at each feature level.
#[derive(Clone, Copy, Debug)]
pub struct Handlers {
    /// Any host.
    pub baseline: Handler,
    /// x86-64-v3: AVX2, FMA, F16C.
    pub v3: Handler,
    /// x86-64-v4: AVX-512.
    pub v4: Handler,
    /// What the lane function takes and gives, where it is one.
    pub shape: &'static Shape,
}

impl Handlers {
    /// An instruction that gains nothing from vector units.
    pub const fn scalar(handler: Handler) -> Handlers {
        Handlers {
            baseline: handler,
            v3: handler,
            v4: handler,
            shape: Shape::NONE,
        }
    }

    /// The same, for a lane function of a shape.
    pub const fn of(self, shape: &'static Shape) -> Handlers {
        Handlers { shape, ..self }
    }

    /// The handler for a level.
    pub fn at(&self, level: Level) -> Handler {
        match level {
            Level::Baseline => self.baseline,
            Level::V3 => self.v3,
            Level::V4 => self.v4,
        }
    }
}

/// A feature level of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Any host.
    Baseline,
    /// x86-64-v3.
    V3,
    /// x86-64-v4.
    V4,
}

impl Level {
    /// The best level that this host runs.
    pub fn host() -> Level {
        static LEVEL: OnceLock<Level> = OnceLock::new();
        *LEVEL.get_or_init(detect)
    }
}

#[cfg(target_arch = "x86_64")]
fn detect() -> Level {
    macro_rules! has { ($($f:tt)*) => { $(std::arch::is_x86_feature_detected!($f))&&* } }
    if !has!("avx2" "fma" "bmi1" "bmi2" "f16c" "lzcnt" "popcnt") {
        Level::Baseline
    } else if has!("avx512f" "avx512bw" "avx512dq" "avx512vl" "avx512cd") {
        Level::V4
    } else {
        Level::V3
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn detect() -> Level {
    Level::Baseline
}

/// The handlers of `$body`, a function of `(&mut Wave, &mut Env, &Inst)` that is inlined into each level. Debug builds have
/// the baseline alone: the levels compute the same, and take most of the time to compile. The body may ask for `WIDTH`, the bytes
/// of the level's vectors.
macro_rules! levels {
    (|$w:ident, $e:ident, $i:ident| $body:expr) => {{
        use $crate::machine::{Env, Handlers, Op, Outcome, Wave};
        fn baseline($w: &mut Wave, $e: &mut Env<'_>, $i: &Op) -> Outcome {
            const _WIDTH: usize = 16;
            $body
        }
        #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,f16c,lzcnt,popcnt")]
        fn v3($w: &mut Wave, $e: &mut Env<'_>, $i: &Op) -> Outcome {
            const _WIDTH: usize = 32;
            $body
        }
        #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,f16c,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512cd")]
        fn v4($w: &mut Wave, $e: &mut Env<'_>, $i: &Op) -> Outcome {
            const _WIDTH: usize = 64;
            $body
        }
        #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
        const HANDLERS: Handlers = Handlers {
            baseline,
            v3,
            v4,
            shape: $crate::machine::Shape::NONE,
        };
        #[cfg(not(all(target_arch = "x86_64", not(debug_assertions))))]
        const HANDLERS: Handlers = Handlers::scalar(baseline);
        HANDLERS
    }};
}
pub(crate) use levels;

/// Functions that handlers share, compiled for each feature level like them: `name::<WIDTH>` is the one of the level of vectors of
/// `WIDTH` bytes, and out of line.
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
            #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,f16c,lzcnt,popcnt")]
            #[inline(never)]
            fn v3($w: &mut Wave, $op: &Op $(, $arg: $ty)*) {
                body::<32>($w, $op $(, $arg)*)
            }
            #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,f16c,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512cd")]
            #[inline(never)]
            fn v4($w: &mut Wave, $op: &Op $(, $arg: $ty)*) {
                body::<64>($w, $op $(, $arg)*)
            }
            match WIDTH {
                // SAFETY: handlers of this width run on hosts of its level alone.
                #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
                64 => unsafe { v4($w, $op $(, $arg)*) },
                // SAFETY: as above.
                #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
                32 => unsafe { v3($w, $op $(, $arg)*) },
                _ => baseline($w, $op $(, $arg)*),
            }
        }
    };
}
pub(crate) use at_level;
