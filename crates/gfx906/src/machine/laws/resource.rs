//! Buffer resources of every kind, and indices and offsets for them.

use super::address::{START, pattern, set_lanes};
use super::dice::Dice;
use super::encode::Draft;
use super::state::{M0, MEMORY, MachineState, SCRATCH};
use crate::isa::{Code, Flags, Role};

/// Sets the four dwords of a resource.
pub fn resource(
    state: &mut MachineState,
    first: usize,
    base: u64,
    stride: u32,
    records: u32,
    word: u32,
) {
    state.set64(first, base | u64::from(stride) << 48);
    state.s[first + 2] = records;
    state.s[first + 3] = word;
}

/// Draws offsets into the lanes' private memory: one for all lanes, or one each.
pub fn private_places(dice: &mut Dice) -> [u32; 64] {
    let common = 4 * dice.below(16) as u32;
    let align = dice.pick(&[0, 3, 3]);
    match dice.below(3) {
        0 => [common; 64],
        1 => std::array::from_fn(|_| dice.below(88) as u32 & !align),
        _ => std::array::from_fn(|l| if l % 8 == 0 { 4 } else { common }),
    }
}

/// Last word of a resource with the format of four floats.
const FLOATS: u32 = 0x77fac;
/// Bits of a resource that is swizzled by the lane's number, with 64 lanes side by side.
const BY_LANE: u32 = 1 << 23 | 3 << 21;

/// Draws the resource, index and offsets of a vector instruction: raw, structured, swizzled, or scratch.
pub fn buffer(state: &mut MachineState, draft: &Draft, dice: &mut Dice) {
    let i = &draft.inst;
    state.s[M0] = 4 * dice.below(256) as u32;
    let flags = i.modifiers.flags;
    let (offen, idxen) = (flags.has(Flags::OFFEN), flags.has(Flags::IDXEN));
    let soffset = i.by_role(Role::Soffset);
    if soffset.0 < 128 {
        let value = 16 * dice.below(4) as u32;
        state.set_register(soffset, &[value; 64]);
    }
    let addr = i.by_role(Role::Addr);
    let offsets = Code(addr.0.wrapping_add(u16::from(idxen)));
    let places = pattern(draft, dice);
    let far = dice.percent(20);
    let first = usize::from(i.by_role(Role::Sbase).0);
    let word = match dice.below(3) {
        0 => FLOATS,
        1 => dice.pick(&[0x27fac, 0x2cfac, 0x54fac, 0x20fac]),
        _ => dice.next() as u32 & 0x7_ffff | 4 << 15,
    };
    let kind = dice.below(5);
    if kind == 0 && !idxen {
        let each = private_places(dice);
        if offen {
            set_lanes(state, offsets, dice, |l| each[l]);
        }
        return resource(state, first, SCRATCH, 0x8000, 1 << 20, BY_LANE);
    }
    if kind >= 2 && idxen {
        let stride = dice.pick(&[16, 20, 32]);
        let swizzle = if kind == 4 { 0x8000 } else { 0 };
        let order = 2 * dice.below(32) + 1;
        set_lanes(state, addr, dice, |l| {
            let index = (l * order % 64) as u32;
            if far && l % 7 == 0 {
                index + 1000
            } else {
                index
            }
        });
        if offen {
            set_lanes(
                state,
                offsets,
                dice,
                |l| if far && l % 5 == 0 { 64 } else { 0 },
            );
        }
        let index_stride = (dice.below(4) as u32) << 21;
        let word = if swizzle != 0 {
            word | index_stride
        } else {
            word
        };
        return resource(state, first, MEMORY + START, stride | swizzle, 96, word);
    }
    if idxen {
        set_lanes(state, addr, dice, |_| 0);
    }
    if offen {
        set_lanes(state, offsets, dice, |l| {
            let place = places[l] as u32;
            if far && l % 9 == 0 {
                place + 0x10_0000
            } else {
                place
            }
        });
    }
    resource(state, first, MEMORY, 0, 6000, word);
}
