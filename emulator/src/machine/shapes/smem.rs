//! Scalar memory: loads, stores and atomics, at an address or through a buffer resource. The two lowest bits of every address are
//! ignored; through a resource, what lies beyond its records reads as 0 and is not written.

use super::super::handler::Outcome;
use super::super::memory::Region;
use super::super::trap::Fault;
use super::super::wave::{Env, Wave};
use super::atomic::{Word, check_aligned};
use crate::isa::{Code, Flags, Inst};

/// The offset: the immediate one, and a register's value times `scale`.
fn offset(w: &Wave, i: &Inst, scale: u64) -> u64 {
    let m = i.modifiers.flags;
    let register = match i.operands[2] {
        Code::OFF => 0,
        code => u64::from(w.scalar32(code, i.literal)),
    };
    let immediate = if m.has(Flags::IMM) {
        i.offset as i64 as u64
    } else {
        0
    };
    immediate.wrapping_add(register * scale)
}

/// The address of an instruction that is given one.
fn address(w: &Wave, i: &Inst, scale: u64) -> u64 {
    w.scalar64(i.operands[1], 0)
        .wrapping_add(offset(w, i, scale))
        & !3
}

/// The address of `bytes` bytes from dword `n` on through a resource, if they lie within it.
fn buffer_address(w: &Wave, i: &Inst, n: u16, bytes: u64) -> Option<u64> {
    let resource = super::mubuf::Resource::read(w, i.operands[1]);
    let at = (offset(w, i, 1) & !3).wrapping_add(4 * u64::from(n));
    let inside = at
        .checked_add(bytes)
        .is_some_and(|end| end <= resource.bytes());
    inside.then(|| resource.base.wrapping_add(at))
}

/// Reads `dwords` dwords, each of which `read` finds, and writes them when all are there.
fn load_all(
    w: &mut Wave,
    i: &Inst,
    dwords: u16,
    mut read: impl FnMut(u16) -> Result<u32, Fault>,
) -> Outcome {
    let mut values = [0; 16];
    for (value, n) in values.iter_mut().zip(0..dwords) {
        *value = read(n)?;
    }
    for (n, value) in (0..dwords).zip(values) {
        w.set_scalar32(Code(i.operands[0].0 + n), value);
    }
    Ok(())
}

fn load_at(w: &mut Wave, e: &mut Env<'_>, i: &Inst, address: u64, dwords: u16) -> Outcome {
    let region = access(e, address, u64::from(dwords) * 4, false)?;
    let at = address - region.base;
    load_all(w, i, dwords, |n| Ok(region.read32(at + 4 * u64::from(n))))
}

fn store_at(w: &Wave, e: &mut Env<'_>, i: &Inst, address: u64, dwords: u16) -> Outcome {
    let region = access(e, address, u64::from(dwords) * 4, true)?;
    for n in 0..dwords {
        let value = w.scalar32(Code(i.operands[0].0 + n), 0);
        region.write(address - region.base + 4 * u64::from(n), 4, value);
    }
    Ok(())
}

fn access<'a>(e: &mut Env<'a>, address: u64, bytes: u64, write: bool) -> Result<&'a Region, Fault> {
    e.memory.access(&mut e.last, None, address, bytes, write)
}

/// `s_load_dword*`: operands are destination, base and offset.
pub fn load(w: &mut Wave, e: &mut Env<'_>, i: &Inst, dwords: u16) -> Outcome {
    load_at(w, e, i, address(w, i, 1), dwords)
}

/// `s_store_dword*`: data, base, offset.
pub fn store(w: &mut Wave, e: &mut Env<'_>, i: &Inst, dwords: u16) -> Outcome {
    store_at(w, e, i, address(w, i, 1), dwords)
}

/// `s_scratch_load_dword*`: as `load`, the register offset counting the bytes of one lane, of which a wave has 64.
pub fn scratch_load(w: &mut Wave, e: &mut Env<'_>, i: &Inst, dwords: u16) -> Outcome {
    load_at(w, e, i, address(w, i, 64), dwords)
}

/// `s_scratch_store_dword*`.
pub fn scratch_store(w: &mut Wave, e: &mut Env<'_>, i: &Inst, dwords: u16) -> Outcome {
    store_at(w, e, i, address(w, i, 64), dwords)
}

/// `s_buffer_load_dword*`: as `load`, through a resource, dword by dword.
pub fn buffer_load(w: &mut Wave, e: &mut Env<'_>, i: &Inst, dwords: u16) -> Outcome {
    let addresses: [_; 16] = std::array::from_fn(|n| buffer_address(w, i, n as u16, 4));
    load_all(w, i, dwords, |n| match addresses[usize::from(n)] {
        Some(address) => {
            let region = access(e, address, 4, false)?;
            Ok(region.read32(address - region.base))
        }
        None => Ok(0),
    })
}

/// `s_buffer_store_dword*`.
pub fn buffer_store(w: &mut Wave, e: &mut Env<'_>, i: &Inst, dwords: u16) -> Outcome {
    for n in 0..dwords {
        if let Some(address) = buffer_address(w, i, n, 4) {
            let region = access(e, address, 4, true)?;
            let value = w.scalar32(Code(i.operands[0].0 + n), 0);
            region.write(address - region.base, 4, value);
        }
    }
    Ok(())
}

/// What a scalar atomic works on: the value of one register, or of a pair.
pub trait ScalarWord: Word {
    /// The value of the registers from `code` on.
    fn read(w: &Wave, code: Code) -> Self;
    /// Sets them.
    fn write(self, w: &mut Wave, code: Code);
}

impl ScalarWord for u32 {
    fn read(w: &Wave, code: Code) -> u32 {
        w.scalar32(code, 0)
    }
    fn write(self, w: &mut Wave, code: Code) {
        w.set_scalar32(code, self);
    }
}

impl ScalarWord for u64 {
    fn read(w: &Wave, code: Code) -> u64 {
        w.scalar64(code, 0)
    }
    fn write(self, w: &mut Wave, code: Code) {
        w.set_scalar64(code, self);
    }
}

/// `s_atomic_*`: `f(memory, data, compare)`, compare standing behind data; with GLC the old value goes to the data's place.
pub fn atomic<W: ScalarWord>(
    w: &mut Wave,
    e: &mut Env<'_>,
    i: &Inst,
    f: impl Fn(W, W, W) -> W,
) -> Outcome {
    atomic_at(w, e, i, Some(address(w, i, 1)), f)
}

/// `s_buffer_atomic_*`: as `atomic`, through a resource; beyond it the old value is 0.
pub fn buffer_atomic<W: ScalarWord>(
    w: &mut Wave,
    e: &mut Env<'_>,
    i: &Inst,
    f: impl Fn(W, W, W) -> W,
) -> Outcome {
    let address = buffer_address(w, i, 0, 4 * W::REGISTERS as u64);
    atomic_at(w, e, i, address, f)
}

fn atomic_at<W: ScalarWord>(
    w: &mut Wave,
    e: &mut Env<'_>,
    i: &Inst,
    address: Option<u64>,
    f: impl Fn(W, W, W) -> W,
) -> Outcome {
    let data = i.operands[0];
    let value = W::read(w, data);
    let compare = W::read(w, Code(data.0 + W::REGISTERS as u16));
    let old = match address {
        Some(address) => {
            let bytes = check_aligned::<W>(address, None)?;
            let region = access(e, address, bytes, true)?;
            W::update_memory(region, address - region.base, |old| f(old, value, compare))
        }
        None => W::ZERO,
    };
    if i.modifiers.flags.has(Flags::GLC) {
        old.write(w, data);
    }
    Ok(())
}
