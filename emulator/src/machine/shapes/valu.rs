//! The shape of a vector ALU instruction: fetch sources, compute lane by lane, write back under EXEC.
//!
//! A pure function's own types say the rest: its arguments are the sources in order, a `bool` argument is a lane's bit of a mask
//! operand, a `bool` result goes to a mask, a pair `(value, bool)` to a register and a mask.

use super::super::handler::Outcome;
use super::super::lane::{Lane, Source};
use super::super::wave::{LANES, Lanes, Wave, collect, expand};
use super::select;
use crate::isa::{Access, Code, Encoding, Flags, Form, Inst};
use crate::semantics::{Mode, Omod};

/// What a lane function may take.
pub trait Argument: Copy {
    /// Registers it reads (0: a bit of a mask).
    const REGISTERS: usize;
    /// From a lane's registers.
    fn get(lo: u32, hi: u32) -> Self;
    /// The operand that it reads where the row lists none.
    fn implied(i: &Inst) -> Code {
        debug_assert_eq!(
            i.row.operands[0].access,
            Access::ReadWrite,
            "{}",
            i.row.mnemonic
        );
        i.operands[0]
    }
    /// The operand's lanes, with modifiers applied, where they do not simply stand in VGPRs.
    fn materialise(w: &Wave, i: &Inst, source: usize, code: Code) -> (Lanes, Lanes);
}

impl<T: Lane> Argument for T {
    const REGISTERS: usize = T::REGISTERS;
    #[inline(always)]
    fn get(lo: u32, hi: u32) -> T {
        T::get(lo, hi)
    }
    #[inline(always)]
    fn materialise(w: &Wave, i: &Inst, source: usize, code: Code) -> (Lanes, Lanes) {
        select::source::<T>(w, i, source, code)
    }
}

impl Argument for bool {
    const REGISTERS: usize = 0;
    #[inline(always)]
    fn get(lo: u32, _: u32) -> bool {
        lo != 0
    }
    fn implied(_: &Inst) -> Code {
        Code::VCC
    }
    #[inline(always)]
    fn materialise(w: &Wave, i: &Inst, _: usize, code: Code) -> (Lanes, Lanes) {
        (expand(w.scalar64(code, i.literal)), [0; LANES])
    }
}

/// The lanes that an instruction computes.
pub struct Results {
    lo: Lanes,
    hi: Lanes,
    bits: [u8; LANES],
}

/// What a lane function may return.
pub trait Output: Copy {
    /// Number of destinations, hence the first source's place among the operands.
    const DESTINATIONS: usize;
    /// Applies omod and clamp as the instruction asks.
    fn finish(self, mode: Mode, i: &Inst) -> Self;
    /// Keeps a lane's result.
    fn keep(self, results: &mut Results, lane: usize);
    /// Writes the results back.
    fn write(w: &mut Wave, i: &Inst, results: &Results);
}

impl<T: Lane> Output for T {
    const DESTINATIONS: usize = 1;
    #[inline(always)]
    fn finish(self, mode: Mode, i: &Inst) -> T {
        let m = &i.modifiers;
        let value = if m.omod != 0 {
            self.omod(mode, Omod::from_bits(m.omod.into()))
        } else {
            self
        };
        if m.flags.has(Flags::CLAMP) {
            value.clamp(mode)
        } else {
            value
        }
    }
    #[inline(always)]
    fn keep(self, results: &mut Results, lane: usize) {
        let (lo, hi) = self.put();
        results.lo[lane] = lo;
        if T::REGISTERS == 2 {
            results.hi[lane] = hi;
        }
    }
    #[inline(always)]
    fn write(w: &mut Wave, i: &Inst, results: &Results) {
        write_vector::<T>(w, i, results);
    }
}

impl<T: Lane> Output for (T, bool) {
    const DESTINATIONS: usize = 2;
    #[inline(always)]
    fn finish(self, mode: Mode, i: &Inst) -> (T, bool) {
        (self.0.finish(mode, i), self.1)
    }
    #[inline(always)]
    fn keep(self, results: &mut Results, lane: usize) {
        self.0.keep(results, lane);
        results.bits[lane] = self.1 as u8;
    }
    #[inline(always)]
    fn write(w: &mut Wave, i: &Inst, results: &Results) {
        let mask = collect(&results.bits) & select::write_mask(w, i);
        write_vector::<T>(w, i, results);
        w.set_scalar64(i.operands[1], mask);
    }
}

impl Output for bool {
    const DESTINATIONS: usize = 1;
    #[inline(always)]
    fn finish(self, _: Mode, _: &Inst) -> bool {
        self
    }
    #[inline(always)]
    fn keep(self, results: &mut Results, lane: usize) {
        results.bits[lane] = self as u8;
    }
    #[inline(always)]
    fn write(w: &mut Wave, i: &Inst, results: &Results) {
        let mask = collect(&results.bits) & select::write_mask(w, i);
        w.set_scalar64(i.operands[0], mask);
    }
}

#[inline(always)]
fn write_vector<T: Lane>(w: &mut Wave, i: &Inst, results: &Results) {
    let Some(vdst) = i.operands[0].as_vgpr() else {
        return;
    };
    let half = T::HALF && (i.modifiers.op_sel & 8 != 0 || i.encoding == Encoding::Vop3p);
    if T::REGISTERS == 1 && (i.form == Form::Sdwa || half) {
        return select::write_part(w, i, vdst, &results.lo);
    }
    let exec = select::write_mask(w, i);
    write_lanes(w, vdst as usize, exec, &results.lo);
    if T::REGISTERS == 2 {
        write_lanes(w, (vdst as usize + 1) & 255, exec, &results.hi);
    }
}

/// Writes a register in the lanes of a mask.
#[inline(always)]
pub fn write_lanes(w: &mut Wave, register: usize, lanes: u64, values: &Lanes) {
    if lanes == !0 {
        w.v[register] = *values;
        return;
    }
    let mask = if lanes == w.exec() {
        *w.lane_mask()
    } else {
        expand(lanes)
    };
    let old = &mut w.v[register];
    for l in 0..LANES {
        old[l] = values[l] & mask[l] | old[l] & !mask[l];
    }
}

/// Whether results go out as computed.
#[inline(always)]
fn exact(_: &Wave, i: &Inst) -> bool {
    i.modifiers.omod == 0 && !i.modifiers.flags.has(Flags::CLAMP)
}

/// Whether the mode is the one that kernels are compiled for, too.
#[inline(always)]
fn usual(w: &Wave, i: &Inst) -> bool {
    w.mode == Mode::HIP && exact(w, i)
}

/// A pure function of one to four lane values, with or without the mode as its first argument.
pub trait LaneFunction<Signature>: Copy {
    /// Runs it over all lanes.
    fn run(self, w: &mut Wave, i: &Inst) -> Outcome;
    /// Computes all lanes in any mode, with omod and clamp: out of line, once for all feature levels.
    fn run_unusual(self, w: &Wave, i: &Inst, results: &mut Results);
}

macro_rules! sources {
    ($w:ident, $i:ident, $out:ty; $($t:ident $s:ident $n:literal),*) => {
        $(
            let buffer: (Lanes, Lanes);
            let n = <$out>::DESTINATIONS + $n;
            let code = if n < $i.row.operands.len() { $i.operands[n] } else { $t::implied($i) };
            let $s = match code.as_vgpr() {
                Some(v) if $t::REGISTERS != 0 && select::plain($i, $n) => {
                    Source { lo: &$w.v[v as usize], hi: &$w.v[(v as usize + $t::REGISTERS - 1) & 255] }
                }
                _ => {
                    buffer = $t::materialise($w, $i, $n, code);
                    Source { lo: &buffer.0, hi: &buffer.1 }
                }
            };
        )*
    };
}

macro_rules! lane_function {
    ($($t:ident $s:ident $n:literal),*) => {
        lane_function!(fn($($t),*) -> R, [], [], exact; $($t $s $n),*);
        lane_function!((Mode, fn($($t),*) -> R), [Mode,], [mode,], usual; $($t $s $n),*);
    };
    ($signature:ty, [$($m:ty,)?], [$($mode:ident,)?], $usual:ident; $($t:ident $s:ident $n:literal),*) => {
        impl<F, R, $($t),*> LaneFunction<$signature> for F
        where
            F: Fn($($m,)? $($t),*) -> R + Copy,
            R: Output,
            $($t: Argument),*
        {
            #[inline(always)]
            fn run(self, w: &mut Wave, i: &Inst) -> Outcome {
                let mut results = Results { lo: [0; LANES], hi: [0; LANES], bits: [0; LANES] };
                if $usual(w, i) {
                    let w = &*w;
                    $(let $mode = Mode::HIP;)?
                    sources!(w, i, R; $($t $s $n),*);
                    for l in 0..LANES {
                        self($($mode,)? $($t::get($s.lo[l], $s.hi[l])),*).keep(&mut results, l);
                    }
                } else {
                    self.run_unusual(w, i, &mut results);
                }
                R::write(w, i, &results);
                Ok(())
            }

            #[cold]
            #[inline(never)]
            fn run_unusual(self, w: &Wave, i: &Inst, results: &mut Results) {
                $(let $mode = w.mode;)?
                sources!(w, i, R; $($t $s $n),*);
                for l in 0..LANES {
                    self($($mode,)? $($t::get($s.lo[l], $s.hi[l])),*).finish(w.mode, i).keep(results, l);
                }
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
pub fn valu<S, F: LaneFunction<S>>(w: &mut Wave, i: &Inst, f: F) -> Outcome {
    f.run(w, i)
}

/// A compare that writes EXEC as well as its mask.
#[inline(always)]
pub fn cmpx<S, F: LaneFunction<S>>(w: &mut Wave, i: &Inst, f: F) -> Outcome {
    f.run(w, i)?;
    let mask = w.scalar64(i.operands[0], 0);
    w.set_scalar64(Code::EXEC, mask);
    Ok(())
}
