//! Untyped buffer instructions: addresses through a resource descriptor, swizzled scratch among them.

use super::super::handler::Outcome;
use super::super::wave::{Env, LANES, Wave};
use super::transfer::{self, Addresses, Element};
use crate::isa::{Code, Flags, Inst, Role};

/// A buffer resource descriptor.
pub struct Resource {
    /// First address.
    pub base: u64,
    stride: u64,
    records: u64,
    swizzled: bool,
    index_stride: u64,
    add_lane: bool,
}

impl Resource {
    /// Reads the four dwords from a scalar register on.
    pub fn read(w: &Wave, code: Code) -> Resource {
        let [a, b, c, d] = std::array::from_fn(|n| w.scalar32(Code(code.0 + n as u16), 0));
        let add_lane = d >> 23 & 1 != 0;
        // With the lane's number added, the data format field extends the stride.
        let stride = (b >> 16 & 0x3fff) | if add_lane { (d >> 15 & 15) << 14 } else { 0 };
        Resource {
            base: a as u64 | (b as u64 & 0xffff) << 32,
            stride: stride as u64,
            records: c as u64,
            swizzled: b >> 31 != 0,
            index_stride: 8 << (d >> 21 & 3),
            add_lane,
        }
    }

    /// Size in bytes of what it covers.
    pub fn bytes(&self) -> u64 {
        if self.stride == 0 {
            self.records
        } else {
            self.records * self.stride
        }
    }
}

/// The addresses of an instruction from dword `k` of its element on, and the lanes within the resource.
fn addresses(w: &Wave, i: &Inst, k: u64, bytes: u64) -> (Addresses, u64) {
    let resource = Resource::read(w, i.by_role(Role::Sbase));
    let soffset = w.scalar32(i.by_role(Role::Soffset), i.literal) as u64;
    let flags = i.modifiers.flags;
    let vaddr = i.by_role(Role::Addr).as_vgpr().unwrap_or(0) as usize;
    let (offen, idxen) = (flags.has(Flags::OFFEN), flags.has(Flags::IDXEN));
    let immediate = i.offset as u32 as u64 + 4 * k;
    let mut inside = 0;
    let mut out = [0; LANES];
    for l in 0..LANES {
        let mut index = if idxen { w.v[vaddr][l] as u64 } else { 0 };
        if resource.add_lane {
            index += l as u64;
        }
        let register = if offen {
            w.v[(vaddr + idxen as usize) & 255][l] as u64
        } else {
            0
        };
        let offset = immediate + register;
        let (within, legal) = if resource.swizzled && (resource.stride != 0 || resource.add_lane) {
            let n = resource.index_stride;
            let place =
                (index / n * resource.stride + offset / 4 * 4) * n + index % n * 4 + offset % 4;
            (
                place,
                if resource.stride == 0 {
                    resource.records >= bytes
                } else {
                    index < resource.records
                },
            )
        } else if resource.stride == 0 {
            (
                offset + index * resource.stride,
                offset + bytes <= resource.records,
            )
        } else {
            (offset + index * resource.stride, index < resource.records)
        };
        out[l] = resource.base.wrapping_add(soffset).wrapping_add(within);
        inside |= (legal as u64) << l;
    }
    (out, inside)
}

/// `buffer_load_*`: beyond the resource the result is 0.
#[inline(always)]
pub fn load(w: &mut Wave, e: &mut Env<'_>, i: &Inst, element: Element) -> Outcome {
    let vdata = vdata(i);
    for_dwords(element, |k, part| {
        let (addresses, inside) = addresses(w, i, k as u64, part.bytes());
        let lanes = w.exec();
        let target = Code(vdata.0 + k);
        if lanes & !inside != 0
            && let Some(v) = target.as_vgpr()
        {
            for l in transfer::each(lanes & !inside) {
                w.v[v as usize][l] = part.load(0, w.v[v as usize][l]);
            }
        }
        transfer::load(w, e, target, &addresses, lanes & inside, part)
    })
}

/// `buffer_store_*`: beyond the resource nothing is written.
#[inline(always)]
pub fn store(w: &mut Wave, e: &mut Env<'_>, i: &Inst, element: Element) -> Outcome {
    let vdata = vdata(i);
    for_dwords(element, |k, part| {
        let (addresses, inside) = addresses(w, i, k as u64, part.bytes());
        transfer::store(w, e, Code(vdata.0 + k), &addresses, w.exec() & inside, part)
    })
}

/// A 32-bit atomic: `f(memory, data, compare)`.
pub fn atomic32(
    w: &mut Wave,
    e: &mut Env<'_>,
    i: &Inst,
    f: impl Fn(u32, u32, u32) -> u32,
) -> Outcome {
    let (addresses, inside) = addresses(w, i, 0, 4);
    let lanes = w.exec() & inside;
    transfer::atomic32(w, e, returned(i), vdata(i), &addresses, lanes, f)
}

/// A 64-bit atomic.
pub fn atomic64(
    w: &mut Wave,
    e: &mut Env<'_>,
    i: &Inst,
    f: impl Fn(u64, u64, u64) -> u64,
) -> Outcome {
    let (addresses, inside) = addresses(w, i, 0, 8);
    let lanes = w.exec() & inside;
    transfer::atomic64(w, e, returned(i), vdata(i), &addresses, lanes, f)
}

fn vdata(i: &Inst) -> Code {
    Code::vgpr((i.words[1] >> 8) as u8)
}

fn returned(i: &Inst) -> Option<u8> {
    i.modifiers
        .flags
        .has(Flags::GLC)
        .then(|| (i.words[1] >> 8) as u8)
}

/// An element dword by dword: swizzling may part neighbours.
#[inline(always)]
fn for_dwords(element: Element, mut each: impl FnMut(u16, Element) -> Outcome) -> Outcome {
    match element {
        Element::Dwords(n) => (0..n).try_for_each(|k| each(k, Element::Dwords(1))),
        other => each(0, other),
    }
}
