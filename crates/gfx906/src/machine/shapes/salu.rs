//! The shape of a scalar ALU instruction. A `bool` argument is SCC, and a `bool` result goes to SCC.

use super::super::trap::StepResult;
use super::super::wave::Wave;
use crate::isa::{Access, Code, Inst, Role, Type};

/// Argument type of a scalar function.
pub trait Argument: Copy {
    /// True for an operand of the instruction, false for SCC.
    const OPERAND: bool = true;
    /// Reads operand `n`.
    fn read(w: &Wave, i: &Inst, n: usize) -> Self;
}

impl Argument for u32 {
    #[inline(always)]
    fn read(w: &Wave, i: &Inst, n: usize) -> u32 {
        match i.row.operands[n].role {
            Role::Simm16 if i.row.operands[n].ty == Type::U16 => i.literal & 0xffff,
            Role::Simm16 => i.literal,
            _ => w.scalar32(i.operands[n], i.literal),
        }
    }
}

impl Argument for i32 {
    #[inline(always)]
    fn read(w: &Wave, i: &Inst, n: usize) -> i32 {
        u32::read(w, i, n) as i32
    }
}

impl Argument for i16 {
    #[inline(always)]
    fn read(w: &Wave, i: &Inst, n: usize) -> i16 {
        u32::read(w, i, n) as i16
    }
}

impl Argument for u64 {
    #[inline(always)]
    fn read(w: &Wave, i: &Inst, n: usize) -> u64 {
        w.scalar64(i.operands[n], i.literal)
    }
}

impl Argument for i64 {
    #[inline(always)]
    fn read(w: &Wave, i: &Inst, n: usize) -> i64 {
        u64::read(w, i, n) as i64
    }
}

impl Argument for bool {
    const OPERAND: bool = false;
    #[inline(always)]
    fn read(w: &Wave, _: &Inst, _: usize) -> bool {
        w.scc
    }
}

/// Result type of a scalar function.
pub trait Output {
    /// Writes the result.
    fn write(self, w: &mut Wave, i: &Inst);
}

impl Output for u32 {
    #[inline(always)]
    fn write(self, w: &mut Wave, i: &Inst) {
        w.set_scalar32(i.operands[0], self);
    }
}

impl Output for i32 {
    #[inline(always)]
    fn write(self, w: &mut Wave, i: &Inst) {
        w.set_scalar32(i.operands[0], self as u32);
    }
}

impl Output for u64 {
    #[inline(always)]
    fn write(self, w: &mut Wave, i: &Inst) {
        w.set_scalar64(i.operands[0], self);
    }
}

impl Output for i64 {
    #[inline(always)]
    fn write(self, w: &mut Wave, i: &Inst) {
        w.set_scalar64(i.operands[0], self as u64);
    }
}

impl Output for bool {
    #[inline(always)]
    fn write(self, w: &mut Wave, _: &Inst) {
        w.scc = self;
    }
}

impl<T: Output> Output for (T, bool) {
    #[inline(always)]
    fn write(self, w: &mut Wave, i: &Inst) {
        self.0.write(w, i);
        w.scc = self.1;
    }
}

/// A pure function of one to three scalars.
pub trait ScalarFunction<Signature>: Copy {
    /// Runs the function.
    fn run(self, w: &mut Wave, i: &Inst) -> StepResult;
}

macro_rules! scalar_function {
    ($($t:ident $s:ident),*) => {
        impl<Func, R, $($t),*> ScalarFunction<fn($($t),*) -> R> for Func
        where
            Func: Fn($($t),*) -> R + Copy,
            R: Output,
            $($t: Argument),*
        {
            #[inline(always)]
            fn run(self, w: &mut Wave, i: &Inst) -> StepResult {
                let mut n = i.row.operands.first().is_some_and(|o| o.access == Access::Write) as usize;
                $(let $s = $t::read(w, i, n); n += $t::OPERAND as usize;)*
                let _ = n;
                self($($s),*).write(w, i);
                Ok(())
            }
        }
    };
}
scalar_function!(A a);
scalar_function!(A a, B b);
scalar_function!(A a, B b, C c);

/// Runs a pure function as a scalar instruction.
#[inline(always)]
pub fn salu<S, F: ScalarFunction<S>>(w: &mut Wave, i: &Inst, f: F) -> StepResult {
    f.run(w, i)
}

/// `s_and_saveexec_b64` and its variants: the old EXEC goes to the destination, f(source, EXEC) to EXEC, and f's second result to SCC.
#[inline(always)]
pub fn saveexec(w: &mut Wave, i: &Inst, f: impl Fn(u64, u64) -> (u64, bool)) -> StepResult {
    let source = w.scalar64(i.operands[1], i.literal);
    let exec = w.exec();
    let (new, scc) = f(source, exec);
    w.set_scalar64(i.operands[0], exec);
    w.set_scalar64(Code::EXEC, new);
    w.scc = scc;
    Ok(())
}

/// `s_andn1_wrexec_b64` and its variants: f(source, EXEC) goes to EXEC and to the destination.
#[inline(always)]
pub fn wrexec(w: &mut Wave, i: &Inst, f: impl Fn(u64, u64) -> (u64, bool)) -> StepResult {
    let source = w.scalar64(i.operands[1], i.literal);
    let (new, scc) = f(source, w.exec());
    w.set_scalar64(Code::EXEC, new);
    w.set_scalar64(i.operands[0], new);
    w.scc = scc;
    Ok(())
}
