//! Lane-private memory (scratch), in which the dwords of the 64 lanes are adjacent.
//!
//! The hardware runs HSA kernels with unaligned accesses allowed (SH_MEM_CONFIG.alignment_mode), for scratch as for all memory, and
//! compilers rely on it: an access may cross a dword of the lane, whose bytes are then not adjacent in memory.

use super::super::env::Env;
use super::super::registers::LANES;
use super::super::trap::StepResult;
use super::addresses::{Addresses, each, place, places};
use super::element::{Direction, Element};
use super::span::{AccessRequirements, span_from};
use super::transfer::{self, Rows};

/// Returns the lanes whose access crosses a dword.
#[inline(always)]
fn crossing(offsets: &Addresses, lanes: u64, part: Element) -> u64 {
    let bytes = part.bytes();
    let low = offsets.iter().fold(0, |low, o| low | o) & 3;
    if low + bytes <= 4 {
        return 0;
    }
    each(lanes)
        .filter(|&l| (offsets[l] & 3) + bytes > 4)
        .fold(0, |mask, l| mask | 1 << l)
}

/// Returns the offset at which all lanes access their own memory, if there is one and no access crosses a dword. Spilled registers are
/// accessed this way, and the accessed dwords are adjacent.
#[inline(always)]
fn common(offsets: &Addresses, lanes: u64, part: Element) -> Option<u64> {
    let offset = offsets[lanes.trailing_zeros() as usize % LANES];
    let mut differs = 0;
    for (l, other) in offsets.iter().enumerate() {
        differs |= (other ^ offset) & 0u64.wrapping_sub(lanes >> l & 1);
    }
    ((offset & 3) + part.bytes() <= 4 && differs == 0).then_some(offset)
}

/// Limit above every lane's private memory.
const MOST: u64 = 1 << 20;

/// Moves elements that do not cross a dword, if one allocation holds them all.
#[inline(always)]
fn apart(
    e: &mut Env<'_>,
    rows: &mut Rows,
    start: u64,
    offsets: &Addresses,
    lanes: u64,
    element: Element,
    direction: Direction,
) -> bool {
    // The values in rows stand in the low bits already.
    let (parts, part) = element.low().parts();
    let mut beyond = [0; LANES];
    let mut high = 0;
    for l in 0..LANES {
        beyond[l] = place(0, offsets[l] & (MOST - 1), l) as u32;
        high |= offsets[l] & 0u64.wrapping_sub(lanes >> l & 1);
    }
    let need = AccessRequirements {
        bytes: 256 * u64::from(parts - 1) + part.bytes(),
        ..AccessRequirements::of(part, direction)
    };
    let span = (high < MOST).then(|| span_from(e, start, &beyond, lanes, need));
    let Some(mut span) = span.flatten() else {
        return false;
    };
    for row in rows.iter_mut().take(parts.into()) {
        match direction {
            Direction::Load => *row = span.load::<16, 1>(part)[0],
            Direction::Store => span.store::<16, 1>([row], lanes, part),
        }
        span.offsets
            .iter_mut()
            .for_each(|offset| *offset = offset.wrapping_add(256));
    }
    true
}

/// Moves an element of each lane of `lanes` between rows and the lane's private memory.
#[inline(always)]
pub fn memory(
    e: &mut Env<'_>,
    rows: &mut Rows,
    start: u64,
    offsets: &Addresses,
    lanes: u64,
    element: Element,
    direction: Direction,
) -> StepResult {
    let (parts, part) = element.parts();
    let dwords = || 0..usize::from(parts);
    if let Some(offset) = common(offsets, lanes, part) {
        let address = |k: usize| place(start, offset.wrapping_add(4 * k as u64), 0);
        let mut done =
            |k| transfer::side_by_side(e, &mut rows[k], address(k), lanes, part, direction);
        if dwords().all(&mut done) {
            return Ok(());
        }
    }
    if lanes != 0 && apart(e, rows, start, offsets, lanes, element, direction) {
        return Ok(());
    }
    let split = crossing(offsets, lanes, part);
    for k in dwords() {
        let addresses = places(start, offsets, 4 * k as u64);
        let row = &mut rows[k..][..1];
        transfer::memory(e, row, &addresses, lanes & !split, part, direction)?;
    }
    if split != 0 {
        bytes(e, rows, start, offsets, split, element, direction)?;
    }
    Ok(())
}

/// Moves elements that cross a dword, byte by byte.
#[cold]
#[inline(never)]
fn bytes(
    e: &mut Env<'_>,
    rows: &mut Rows,
    start: u64,
    offsets: &Addresses,
    lanes: u64,
    element: Element,
    direction: Direction,
) -> StepResult {
    let write = direction == Direction::Store;
    for l in each(lanes) {
        for b in 0..element.bytes() {
            let at = place(start, offsets[l].wrapping_add(b), l);
            let lane = Some(l as u32);
            let region = e.access(lane, at, 1, write)?;
            let (dword, shift) = (&mut rows[(b / 4) as usize & 3][l], b % 4 * 8);
            match direction {
                Direction::Load => *dword |= (region.read_narrow(region.offset(at), 1)) << shift,
                Direction::Store => region.write(region.offset(at), 1, *dword >> shift),
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::super::level::Level;
    use super::super::super::memory::PRIVATE_BASE;
    use super::super::super::memory::{AddressSpace, Region};
    use super::super::super::op::Op;
    use super::super::super::registers::Lanes;
    use super::super::super::wave::Wave;
    use super::*;
    use crate::isa::{self, Code};
    use std::sync::Arc;

    const START: u64 = 0x1000_0000;

    fn run(w: &mut Wave, space: &AddressSpace, code: [u32; 2]) {
        let bytes: Vec<u8> = code.iter().flat_map(|c| c.to_le_bytes()).collect();
        let inst = isa::decode(&bytes).expect("an instruction");
        let handlers = inst.row.semantics.expect("it runs");
        let op = Op::new(inst, &handlers, Level::host());
        let mut env = Env::new(space);
        // SAFETY: the level is the host's own.
        unsafe { (op.handler)(w, &mut env, &op) }.expect("no trap");
    }

    /// Returns a wave with 64 bytes of scratch per lane. Each byte holds its offset with the lane's number above, and v[0:1] is the flat
    /// address of byte 5.
    fn wave() -> (Wave, AddressSpace) {
        let region = Region::new("scratch", START, 64 * 64, true);
        for l in 0..LANES {
            for b in 0..64 {
                let value = (b + 64 * (l as u32 & 3)) & 0xff;
                region.write(place(0, b as u64, l), 1, value);
            }
        }
        let mut space = AddressSpace::default();
        space.insert(Arc::new(region));
        let mut w = Wave::new();
        w.set_scalar64(Code::EXEC, !0);
        w.set_scalar64(Code(102), START);
        w.set_scalar64(Code(0), START | 1 << 63);
        w.set_scalar64(Code(2), 0x00e0_0000_ffff_ffff);
        w.v[0] = [5; LANES];
        w.v[1] = [(PRIVATE_BASE >> 32) as u32; LANES];
        (w, space)
    }

    fn bytes(first: u32) -> Lanes {
        std::array::from_fn(|l| {
            (0..4).fold(0, |v, b| {
                v | ((first + b + 64 * (l as u32 & 3)) & 0xff) << (8 * b)
            })
        })
    }

    /// clang at -O0 reads packed structs on the stack this way. The load was once a misalignment trap.
    #[test]
    fn a_flat_load_may_cross_a_dword_of_private_memory() {
        let (mut w, space) = wave();
        run(&mut w, &space, [0xdc54_0000, 0x0200_0000]); // flat_load_dwordx2 v[2:3], v[0:1]
        assert_eq!((w.v[2], w.v[3]), (bytes(5), bytes(9)));
        w.v[0][7] = 6;
        run(&mut w, &space, [0xdc48_0001, 0x0200_0000]); // flat_load_ushort v2, v[0:1] offset:1
        let mut want = bytes(6).map(|v| v & 0xffff);
        want[7] = bytes(7)[7] & 0xffff;
        assert_eq!(w.v[2], want, "lane 7 crosses a dword, the others do not");
    }

    /// A buffer load that crossed a dword once read its upper bytes from the next lane.
    #[test]
    fn a_buffer_load_may_cross_a_dword_of_private_memory() {
        let (mut w, space) = wave();
        run(&mut w, &space, [0xe054_1002, 0x8000_0200]); // buffer_load_dwordx2 v[2:3], v0, s[0:3], 0 offen offset:2
        assert_eq!((w.v[2], w.v[3]), (bytes(7), bytes(11)));
    }

    #[test]
    fn stores_that_cross_a_dword_change_no_other_byte() {
        for store in [
            [0xdc74_0000, 0x0000_0200], // flat_store_dwordx2 v[0:1], v[2:3]
            [0xe074_1000, 0x8000_0200], // buffer_store_dwordx2 v[2:3], v0, s[0:3], 0 offen
        ] {
            let (mut w, space) = wave();
            w.v[2] = std::array::from_fn(|l| 0xa1a2_a300 | l as u32);
            w.v[3] = [0xb1b2_b3b4; LANES];
            run(&mut w, &space, store);
            w.v[0] = [4; LANES];
            run(&mut w, &space, [0xdc5c_0000, 0x0400_0000]); // flat_load_dwordx4 v[4:7], v[0:1]
            let old = [bytes(4), bytes(8), bytes(12), bytes(16)];
            #[expect(
                clippy::needless_range_loop,
                reason = "the lane indexes several registers"
            )]
            for l in 0..LANES {
                let got: [u32; 4] = std::array::from_fn(|k| w.v[4 + k][l]);
                let want = [
                    old[0][l] & 0xff | (0xa2a3_0000 | (l as u32) << 8),
                    0xb2b3_b4a1,
                    old[2][l] & 0xffff_ff00 | 0xb1,
                    old[3][l],
                ];
                assert_eq!(got, want, "lane {l}");
            }
        }
    }
}
