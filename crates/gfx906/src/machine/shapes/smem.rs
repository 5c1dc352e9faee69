//! Scalar memory: loads, stores and atomics, at an address or through a buffer resource. The two lowest bits of every address are ignored.
//! Through a resource, dwords beyond its records read as 0 and are not written.

use super::super::env::Env;
use super::super::trap::StepResult;
use super::super::wave::Wave;
use super::atomic::{Word, check_aligned};
use crate::isa::{Code, Flags, Inst, Properties};

/// Returns the offset: the immediate one plus a register's value times `scale`.
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

/// Returns the address of an instruction with a base address.
fn address(w: &Wave, i: &Inst, scale: u64) -> u64 {
    w.scalar64(i.operands[1], 0)
        .wrapping_add(offset(w, i, scale))
        & !3
}

/// Returns the address of `bytes` bytes from dword `n` on through a resource, if they lie within it.
fn buffer_address(w: &Wave, i: &Inst, n: u16, bytes: u64) -> Option<u64> {
    let resource = super::resource::Resource::read(w, i.operands[1]);
    let at = (offset(w, i, 1) & !3).wrapping_add(4 * u64::from(n));
    let inside = at
        .checked_add(bytes)
        .is_some_and(|end| end <= resource.bytes());
    inside.then(|| resource.base.wrapping_add(at))
}

/// Returns the memory that an instruction of `dwords` dwords reaches: for each run of neighbours the number of its first dword, its length
/// and its address.
pub fn reached(w: &Wave, i: &Inst, dwords: u16) -> Vec<(usize, usize, u64)> {
    let scale = if i.has(Properties::SCALAR_SCRATCH) {
        64
    } else {
        1
    };
    if i.has(Properties::SCALAR_BUFFER) {
        runs(w, i, dwords).collect()
    } else {
        vec![(0, dwords.into(), address(w, i, scale))]
    }
}

/// Number of registers of the widest access.
const WIDEST: usize = 16;

/// Writes the destination after all dwords are loaded.
fn commit(w: &mut Wave, i: &Inst, dwords: u16, values: [u32; WIDEST]) {
    for (n, value) in (0..dwords).zip(values) {
        w.set_scalar32(Code(i.operands[0].0 + n), value);
    }
}

fn load_at(w: &mut Wave, e: &mut Env<'_>, i: &Inst, address: u64, dwords: u16) -> StepResult {
    let region = e.access(None, address, u64::from(dwords) * 4, false)?;
    let mut values = [0; WIDEST];
    region.read_dwords(region.offset(address), &mut values[..dwords.into()]);
    commit(w, i, dwords, values);
    Ok(())
}

fn store_at(w: &Wave, e: &mut Env<'_>, i: &Inst, address: u64, dwords: u16) -> StepResult {
    let region = e.access(None, address, u64::from(dwords) * 4, true)?;
    region.write_dwords(region.offset(address), &data(w, i)[..dwords.into()]);
    Ok(())
}

/// Returns the values of the registers from the first operand on.
fn data(w: &Wave, i: &Inst) -> [u32; WIDEST] {
    std::array::from_fn(|n| w.scalar32(Code(i.operands[0].0 + n as u16), 0))
}

/// `s_load_dword*`, whose operands are destination, base and offset.
pub fn load(w: &mut Wave, e: &mut Env<'_>, i: &Inst, dwords: u16) -> StepResult {
    load_at(w, e, i, address(w, i, 1), dwords)
}

/// `s_store_dword*`, whose operands are data, base and offset.
pub fn store(w: &mut Wave, e: &mut Env<'_>, i: &Inst, dwords: u16) -> StepResult {
    store_at(w, e, i, address(w, i, 1), dwords)
}

/// `s_scratch_load_dword*`: [`load`] whose register offset counts the bytes of one lane, so that it is multiplied by 64.
pub fn scratch_load(w: &mut Wave, e: &mut Env<'_>, i: &Inst, dwords: u16) -> StepResult {
    load_at(w, e, i, address(w, i, 64), dwords)
}

/// `s_scratch_store_dword*`: [`store`] with the offset of [`scratch_load`].
pub fn scratch_store(w: &mut Wave, e: &mut Env<'_>, i: &Inst, dwords: u16) -> StepResult {
    store_at(w, e, i, address(w, i, 64), dwords)
}

/// Returns the dwords within the resource as runs of neighbours: the number of the first dword, the length and the address.
fn runs(w: &Wave, i: &Inst, dwords: u16) -> impl Iterator<Item = (usize, usize, u64)> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let first = (next..dwords).find(|&n| buffer_address(w, i, n, 4).is_some())?;
        let address = buffer_address(w, i, first, 4)?;
        let follows = |&n: &u16| {
            let distance = 4 * u64::from(n - first);
            buffer_address(w, i, n, 4) == Some(address.wrapping_add(distance))
        };
        let count = (first..dwords).take_while(follows).count();
        next = first + count as u16;
        Some((first.into(), count, address))
    })
}

/// `s_buffer_load_dword*`: [`load`] through a resource.
pub fn buffer_load(w: &mut Wave, e: &mut Env<'_>, i: &Inst, dwords: u16) -> StepResult {
    let mut values = [0; WIDEST];
    for (first, count, address) in runs(w, i, dwords) {
        let region = e.access(None, address, 4 * count as u64, false)?;
        region.read_dwords(region.offset(address), &mut values[first..][..count]);
    }
    commit(w, i, dwords, values);
    Ok(())
}

/// `s_buffer_store_dword*`: [`store`] through a resource.
pub fn buffer_store(w: &mut Wave, e: &mut Env<'_>, i: &Inst, dwords: u16) -> StepResult {
    let values = data(w, i);
    for (first, count, address) in runs(w, i, dwords) {
        let region = e.access(None, address, 4 * count as u64, true)?;
        region.write_dwords(region.offset(address), &values[first..][..count]);
    }
    Ok(())
}

/// Type of a scalar atomic's operands: the value of one register or of a pair.
pub trait ScalarWord: Word {
    /// Reads the value from the registers from `code` on.
    fn read(w: &Wave, code: Code) -> Self;
    /// Writes the value to the registers from `code` on.
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

/// `s_atomic_*` computes `f(memory, data, compare)`, with the compare value behind the data. With GLC the old value replaces the data.
pub fn atomic<W: ScalarWord>(
    w: &mut Wave,
    e: &mut Env<'_>,
    i: &Inst,
    f: impl Fn(W, W, W) -> W,
) -> StepResult {
    atomic_at(w, e, i, Some(address(w, i, 1)), f)
}

/// `s_buffer_atomic_*`: [`atomic`] through a resource. Beyond the resource the old value is 0.
pub fn buffer_atomic<W: ScalarWord>(
    w: &mut Wave,
    e: &mut Env<'_>,
    i: &Inst,
    f: impl Fn(W, W, W) -> W,
) -> StepResult {
    let address = buffer_address(w, i, 0, 4 * W::REGISTERS as u64);
    atomic_at(w, e, i, address, f)
}

fn atomic_at<W: ScalarWord>(
    w: &mut Wave,
    e: &mut Env<'_>,
    i: &Inst,
    address: Option<u64>,
    f: impl Fn(W, W, W) -> W,
) -> StepResult {
    let data = i.operands[0];
    let value = W::read(w, data);
    let compare = W::read(w, Code(data.0 + W::REGISTERS as u16));
    let old = match address {
        Some(address) => {
            let bytes = check_aligned::<W>(address, None)?;
            let region = e.access(None, address, bytes, true)?;
            W::update_memory(region, region.offset(address), |old| f(old, value, compare))
        }
        None => W::ZERO,
    };
    if i.modifiers.flags.has(Flags::GLC) {
        old.write(w, data);
    }
    Ok(())
}
