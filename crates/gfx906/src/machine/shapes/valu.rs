//! The shape of a vector ALU instruction: fetch the sources, compute lane by lane, and write the results under EXEC.
//!
//! The types of a pure function determine the rest: its arguments are the sources in order, a `bool` argument is a lane's bit of a mask
//! operand, a `bool` result goes to a mask, and a pair `(value, bool)` to a register and a mask.
//!
//! The loop over lanes is compiled for every function and host feature level, so it contains nothing else: sources stand in registers or
//! were moved to slots behind them, and code that all functions share changes the results and writes them. Functions with a mode have three
//! loops: one for HIP's mode, which is a constant; one for other modes that round to nearest, whose flags stay the same throughout the
//! loop; and one for directed rounding.

use super::super::lane::{Float, Lane};
use super::super::lane::{LaneSignature, Slot};
use super::super::op::Op;
use super::super::registers::SOURCES;
use super::super::registers::{LANES, Lanes, REGISTERS, Results, collect, expand};
use super::super::trap::StepResult;
use super::super::wave::Wave;
use super::select;
use crate::isa::{Code, Flags};
use crate::semantics::{Function, Mode};

/// Argument type of a lane function.
pub trait Argument: Copy {
    /// Registers of the argument.
    const SLOT: Slot;
    /// Floating-point format of the argument.
    const FLOAT: Option<Float>;
    /// Reads the argument from a lane's registers.
    fn get(lo: u32, hi: u32) -> Self;
}

impl<T: Lane> Argument for T {
    const SLOT: Slot = T::SLOT;
    const FLOAT: Option<Float> = T::FLOAT;
    #[inline(always)]
    fn get(lo: u32, hi: u32) -> T {
        T::get(lo, hi)
    }
}

impl Argument for bool {
    const SLOT: Slot = Slot::BIT;
    const FLOAT: Option<Float> = None;
    #[inline(always)]
    fn get(lo: u32, _: u32) -> bool {
        lo != 0
    }
}

/// Result type of a lane function.
pub trait Output: Copy {
    /// Registers of the value.
    const SLOT: Slot;
    /// Number of destinations, which is also the position of the first source among the operands.
    const DESTINATIONS: usize;
    /// Position of the mask among the operands, if the result has one.
    const MASK: Option<usize>;
    /// Floating-point format for omod and clamp.
    const FLOAT: Option<Float>;
    /// Stores a lane's result.
    fn keep(self, results: &mut Results, lane: usize);
}

impl<T: Lane> Output for T {
    const SLOT: Slot = T::SLOT;
    const DESTINATIONS: usize = 1;
    const MASK: Option<usize> = None;
    const FLOAT: Option<Float> = T::FLOAT;
    #[inline(always)]
    fn keep(self, results: &mut Results, lane: usize) {
        let (lo, hi) = self.put();
        results.lo[lane] = lo;
        if T::REGISTERS == 2 {
            results.hi[lane] = hi;
        }
    }
}

impl<T: Lane> Output for (T, bool) {
    const SLOT: Slot = T::SLOT;
    const DESTINATIONS: usize = 2;
    const MASK: Option<usize> = Some(1);
    const FLOAT: Option<Float> = T::FLOAT;
    #[inline(always)]
    fn keep(self, results: &mut Results, lane: usize) {
        self.0.keep(results, lane);
        self.1.keep(results, lane);
    }
}

impl Output for bool {
    const SLOT: Slot = Slot::BIT;
    const DESTINATIONS: usize = 1;
    const MASK: Option<usize> = Some(0);
    const FLOAT: Option<Float> = None;
    #[inline(always)]
    fn keep(self, results: &mut Results, lane: usize) {
        results.bits[lane] = self.into();
    }
}

/// A pure function of one to four lane values, with or without the mode as its first argument.
pub trait LaneFunction<Signature> {
    /// Arguments and result of the function.
    const SHAPE: &'static LaneSignature;
    /// Runs the function over all lanes at the feature level of vectors of `WIDTH` bytes.
    fn run<const WIDTH: usize>(w: &mut Wave, op: &Op) -> StepResult;
}

/// Returns the shape of a lane function.
pub const fn shape_of<S, F: LaneFunction<S>>() -> &'static LaneSignature {
    F::SHAPE
}

/// Computes all lanes from registers into results. This is the loop that benefits from a feature level. Results are separate from
/// registers, so that no lane's result can be another lane's source.
macro_rules! over_lanes {
    ($w:ident, $op:ident; $($t:ident $s:ident $n:literal),*; $body:expr) => {{
        #[inline(always)]
        fn each<R: Output, $($t: Argument),*>(
            registers: &[Lanes; REGISTERS],
            results: &mut Results,
            sources: &[u16; SOURCES],
            f: impl Fn($($t),*) -> R,
        ) {
            $(
                let at = usize::from(sources[$n]);
                let $s = (&registers[at], &registers[at + ($t::SLOT.registers == 2) as usize]);
            )*
            for l in 0..LANES {
                f($($t::get($s.0[l], $s.1[l])),*).keep(results, l);
            }
        }
        each(&$w.v, &mut $w.results, &$op.plan.sources, $body)
    }};
}

/// Moves a source that is one scalar for all lanes, or a mask, to its slot.
#[inline(always)]
fn bring<A: Argument>(w: &mut Wave, op: &Op, n: usize) {
    if A::SLOT.registers == 0 {
        w.v[256 + 2 * n] = expand(w.scalar64(op.plan.scalars[n], op.literal));
    } else if A::SLOT.registers == 1 && op.plan.splat >> n & 1 != 0 {
        let sgpr = w.s.get(usize::from(op.plan.scalars[n].0));
        let value = sgpr.copied().unwrap_or(op.plan.constants[n]);
        w.v[256 + 2 * n] = [value; LANES];
    }
}

/// Writes the results to their destinations. `formats` are those of the sources.
#[inline(always)]
fn finish<R: Output, const WIDTH: usize>(
    w: &mut Wave,
    op: &Op,
    formats: &[Option<Float>],
) -> StepResult {
    let whole = op.plan.whole && w.exec() == !0;
    let mut clamps = false;
    if let Some(float) = R::FLOAT
        && !op.plan.exact
    {
        // The output multiplier has no effect if denormals are kept.
        let mode = w.mode();
        let (single, clamp) = (float == Float::F32, op.modifiers.flags.has(Flags::CLAMP));
        let kept = if single {
            mode.denorm_out32
        } else {
            mode.denorm_out64
        };
        clamps = single && clamp && (op.plan.clamps || kept);
        if !(clamps && whole) && (clamp || !kept) {
            select::finish_floats::<WIDTH>(w, op, float);
        }
    }
    if let Some(float @ (Float::F16 | Float::PairF16)) = R::FLOAT
        && w.mode_bits() & Mode::FP16_OVERFLOW != 0
    {
        select::limit_halves(w, op, float, formats);
    }
    if R::SLOT.registers != 0 {
        if clamps && whole {
            select::commit_clamped::<WIDTH>(w, op);
        } else if whole {
            let vdst = usize::from(op.plan.vdst);
            w.v[vdst] = w.results.lo;
            if R::SLOT.registers == 2 {
                w.v[vdst + 1] = w.results.hi;
            }
        } else {
            select::commit::<WIDTH>(w, op, R::SLOT.registers);
        }
    }
    if let Some(n) = R::MASK {
        let mask = collect(&w.results.bits) & select::write_mask(w, op);
        w.set_scalar64(op.operands[n], mask);
    }
    Ok(())
}

/// Returns the mode that a function with these fields and formats needs, or `None` for HIP's mode. f32 has its own fields, and DX10_CLAMP
/// belongs to the clamp.
#[inline(always)]
fn mode_of(w: &Wave, mode_fields: u32, formats: &[Option<Float>]) -> Option<Mode> {
    if w.in_hip_mode() {
        return None;
    }
    let has = |wanted: fn(&Float) -> bool| formats.iter().flatten().any(wanted);
    let (f32, others) = (has(|f| *f == Float::F32), has(|f| *f != Float::F32));
    let mut fields = mode_fields & !Mode::DX10_CLAMP;
    if f32 && !others {
        fields &= !(Mode::ROUND64 | Mode::IN64 | Mode::OUT64);
    }
    if others && !f32 {
        fields &= !(Mode::ROUND32 | Mode::IN32 | Mode::OUT32);
    }
    let bits = w.mode_bits() & fields | Mode::HIP_BITS & !fields;
    (bits != Mode::HIP_BITS).then(|| Mode::from_bits(bits))
}

/// Returns the mode if it rounds to nearest.
#[inline(always)]
fn to_nearest(mode: Mode) -> Option<Mode> {
    let (round32, round64) = (Mode::HIP.round32, Mode::HIP.round64);
    ((mode.round32, mode.round64) == (round32, round64)).then_some(Mode {
        round32,
        round64,
        ..mode
    })
}

macro_rules! lane_function {
    ($($t:ident $s:ident $n:literal),*) => {
        lane_function!(fn($($t),*) -> R, [], |w, op| {
            let sources = [$(&w.v[usize::from(op.plan.sources[$n])]),*];
            if !F::compute_wave::<WIDTH>(Mode::HIP, &sources, &mut w.results.lo) {
                over_lanes!(w, op; $($t $s $n),*; |$($s),*| F::call(($($s,)*)));
            }
        }; $($t $s $n),*);
        lane_function!((Mode, fn($($t),*) -> R), [Mode,], |w, op| {
            let mode = mode_of(w, F::MODE_FIELDS, &[R::FLOAT, $($t::FLOAT),*]);
            let sources = [$(&w.v[usize::from(op.plan.sources[$n])]),*];
            if F::compute_wave::<WIDTH>(mode.unwrap_or(Mode::HIP), &sources, &mut w.results.lo) {
                return finish::<R, WIDTH>(w, op, &[$($t::FLOAT),*]);
            }
            let Some(mode) = mode else {
                over_lanes!(w, op; $($t $s $n),*; |$($s),*| F::call((Mode::HIP, $($s),*)));
                return finish::<R, WIDTH>(w, op, &[$($t::FLOAT),*]);
            };
            if let Some(mode) = to_nearest(mode) {
                over_lanes!(w, op; $($t $s $n),*; |$($s),*| F::call((mode, $($s),*)));
            } else {
                over_lanes!(w, op; $($t $s $n),*; |$($s),*| F::call((mode, $($s),*)));
            }
        }; $($t $s $n),*);
    };
    ($signature:ty, [$($m:ty,)?], |$w:ident, $op:ident| $loops:block; $($t:ident $s:ident $n:literal),*) => {
        impl<F, R, $($t),*> LaneFunction<$signature> for F
        where
            F: Function<($($m,)? $($t,)*), Result = R>,
            R: Output,
            $($t: Argument),*
        {
            const SHAPE: &'static LaneSignature = &LaneSignature {
                sources: &[$($t::SLOT),*],
                result: R::SLOT,
                destinations: R::DESTINATIONS,
            };

            #[inline(always)]
            fn run<const WIDTH: usize>($w: &mut Wave, $op: &Op) -> StepResult {
                $(bring::<$t>($w, $op, $n);)*
                if $op.plan.signs != 0 {
                    select::fetch_signed::<WIDTH>($w, $op);
                }
                if $op.plan.fetch != 0 {
                    select::fetch::<WIDTH>($w, $op);
                }
                $loops
                finish::<R, WIDTH>($w, $op, &[$($t::FLOAT),*])
            }
        }
    };
}
lane_function!(A a 0);
lane_function!(A a 0, B b 1);
lane_function!(A a 0, B b 1, C c 2);
lane_function!(A a 0, B b 1, C c 2, D d 3);

/// Runs a pure function as a vector instruction.
#[inline(always)]
pub fn valu<const WIDTH: usize, S, F: LaneFunction<S>>(w: &mut Wave, op: &Op) -> StepResult {
    F::run::<WIDTH>(w, op)
}

/// Runs a pure function, or another one under the clamp modifier.
#[inline(always)]
pub fn valu_or_clamped<const WIDTH: usize, S, F: LaneFunction<S>, C: LaneFunction<S>>(
    w: &mut Wave,
    op: &Op,
) -> StepResult {
    if op.modifiers.flags.has(Flags::CLAMP) {
        return C::run::<WIDTH>(w, op);
    }
    F::run::<WIDTH>(w, op)
}

/// Runs a comparison that writes EXEC as well as its mask.
#[inline(always)]
pub fn cmpx<const WIDTH: usize, S, F: LaneFunction<S>>(w: &mut Wave, op: &Op) -> StepResult {
    F::run::<WIDTH>(w, op)?;
    let mask = w.scalar64(op.operands[0], 0);
    w.set_scalar64(Code::EXEC, mask);
    Ok(())
}
