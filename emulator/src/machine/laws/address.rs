//! Addresses that lead somewhere: into the memory, the LDS or the scratch of the state, in the patterns that kernels have.

use super::super::{PRIVATE_BASE, SHARED_BASE};
use super::dice::Dice;
use super::encode::Draft;
use super::state::{BYTES, M0, MEMORY, SCRATCH, State};
use crate::isa::{Code, Encoding, Flags, Role};

/// Addresses start here, so that negative offsets stay inside.
const START: u64 = 256;
/// Bytes of scratch that a lane has.
const PRIVATE: u64 = BYTES / 2 / 64;

/// Draws the offset of a memory instruction.
pub fn offset(draft: &mut Draft, dice: &mut Dice) {
    let step = element(draft).next_power_of_two().clamp(4, 16) as i32;
    let mnemonic = draft.inst.row.mnemonic;
    let mut steps = |n: usize| step * dice.below(n) as i32;
    draft.inst.offset = match draft.inst.encoding {
        _ if draft.inst.row.operands.is_empty() => 0,
        Encoding::Ds if draft.inst.row.modifiers.has(Flags::SWIZZLE) => dice.next() as u16 as i32,
        Encoding::Ds if draft.inst.row.modifiers.has(Flags::TWO_OFFSETS) => {
            let wide = mnemonic.contains("st64");
            let below = if wide { 4 } else { 16 };
            let (first, second) = (dice.below(below), dice.below(below));
            (first | second << 8) as i32
        }
        // The operand's distance in dwords; or it stands in the address.
        Encoding::Ds if mnemonic.contains("_src2_") => {
            dice.pick(&[0, 2, 16, 0x7ffe, 0x7fe0, 0x8000])
        }
        Encoding::Ds => steps(8),
        Encoding::Flat => steps(16),
        Encoding::Global => steps(24) - 8 * step,
        Encoding::Scratch => dice.pick(&[0, 0, 4, 8, 16]),
        Encoding::Smem if draft.inst.modifiers.flags.has(Flags::IMM) => {
            4 * dice.below(32) as i32 - 64
        }
        Encoding::Mubuf | Encoding::Mtbuf => dice.pick(&[0, 0, step, 16]),
        _ => 0,
    };
}

/// Bytes between lanes: those of the widest operand.
fn element(draft: &Draft) -> u64 {
    let i = &draft.inst;
    if i.row.mnemonic.contains("format") {
        return 16;
    }
    let data = [Role::Vdst, Role::Data];
    let operands = i.row.operands.iter().filter(|o| data.contains(&o.role));
    operands.map(|o| o.ty.bytes() as u64).max().unwrap_or(8)
}

/// Whether an address must be aligned to the element.
fn aligned(draft: &Draft) -> bool {
    let i = &draft.inst;
    let dword_or_less = ["load", "store", "read", "write"];
    let moves = dword_or_less
        .iter()
        .any(|part| i.row.mnemonic.contains(part));
    !moves || i.row.mnemonic.contains("src2")
}

/// Sets the registers that hold addresses, bases, resources and offsets.
pub fn prepare(state: &mut State, draft: &Draft, dice: &mut Dice) {
    if draft.inst.row.operands.is_empty() {
        return;
    }
    match draft.inst.encoding {
        Encoding::Smem => scalar(state, draft, dice),
        Encoding::Ds => lds(state, draft, dice),
        Encoding::Flat => flat(state, draft, dice),
        Encoding::Global => global(state, draft, dice),
        Encoding::Scratch => scratch(state, draft, dice),
        Encoding::Mubuf | Encoding::Mtbuf => buffer(state, draft, dice),
        _ => others(state, draft, dice),
    }
}

/// A place for each lane, of the lanes' own where the instruction writes.
fn pattern(draft: &Draft, dice: &mut Dice) -> [u64; 64] {
    let size = element(draft);
    let start = START + 16 * dice.below(32) as u64;
    let shift = if aligned(draft) {
        0
    } else {
        dice.below(4) as u64
    };
    let (factor, first) = (2 * dice.below(32) + 1, dice.below(64));
    let scattered = |l: usize| ((l * factor + first) % 64) as u64;
    // A plain store to one place by many lanes has no result to speak of; an atomic has.
    let shared = !draft.writes_memory() || aligned(draft);
    match dice.below(6) {
        0 | 1 => std::array::from_fn(|l| start + size * l as u64),
        2 if shared => [start; 64],
        3 if shared => std::array::from_fn(|l| start + 16 * (scattered(l) % 5)),
        4 => std::array::from_fn(|l| {
            start + 20 * scattered(l) / size.max(4) * size.max(4) + shift % size.max(1)
        }),
        _ => std::array::from_fn(|l| start + 32 * scattered(l) + shift),
    }
}

/// Writes each lane's value, and nonsense to the lanes that are off.
fn set_lanes(state: &mut State, code: Code, dice: &mut Dice, values: impl Fn(usize) -> u32) {
    let exec = state.exec();
    let nonsense = dice.percent(70);
    let lanes = std::array::from_fn(|l| {
        let on = exec >> l & 1 != 0;
        if on || !nonsense {
            values(l)
        } else {
            dice.next() as u32
        }
    });
    state.set_register(code, &lanes);
}

fn set_wide(state: &mut State, code: Code, dice: &mut Dice, values: [u64; 64]) {
    set_lanes(state, code, dice, |l| values[l] as u32);
    set_lanes(state, Code(code.0 + 1), dice, |l| (values[l] >> 32) as u32);
}

fn scalar(state: &mut State, draft: &Draft, dice: &mut Dice) {
    let i = &draft.inst;
    let (base, soffset) = (i.by_role(Role::Sbase), i.by_role(Role::Soffset));
    if base == Code::OFF {
        return;
    }
    let scale = if i.row.mnemonic.contains("scratch") {
        1
    } else {
        8
    };
    let soffset_value = 4 * scale * dice.below(8) as u32;
    if soffset != Code::OFF {
        state.set_register(soffset, &[soffset_value; 64]);
    }
    let low = dice.pick(&[0, 0, 2]);
    let start = MEMORY + START + 16 * dice.below(16) as u64 + low;
    let first = usize::from(base.0);
    if i.row
        .operands
        .iter()
        .any(|o| o.role == Role::Sbase && o.ty.registers() == 4)
    {
        resource(state, first, start, 0, dice.pick(&[4096, 4096, 64, 24]), 0);
    } else {
        state.set64(first, start);
    }
}

fn resource(state: &mut State, first: usize, base: u64, stride: u32, records: u32, word: u32) {
    state.set64(first, base | u64::from(stride) << 48);
    state.s[first + 2] = records;
    state.s[first + 3] = word;
}

fn lds(state: &mut State, draft: &Draft, dice: &mut Dice) {
    let i = &draft.inst;
    state.s[M0] = 4 * dice.below(256) as u32 | if dice.percent(30) { 0x1_0000 } else { 0 };
    let code = i.by_role(Role::Addr);
    let mnemonic = i.row.mnemonic;
    if code == Code::OFF || mnemonic.contains("permute") || mnemonic.contains("swizzle") {
        return;
    }
    let places = pattern(draft, dice);
    let distance = 2 * dice.below(8) as u32;
    let apart = mnemonic.contains("_src2_") && i.offset as u32 & 0x8000 != 0;
    set_lanes(state, code, dice, |l| {
        let place = places[l] as u32;
        if apart { place | distance << 17 } else { place }
    });
}

fn flat(state: &mut State, draft: &Draft, dice: &mut Dice) {
    let code = draft.inst.by_role(Role::Addr);
    let places = pattern(draft, dice);
    let offset = draft.inst.offset as u64;
    let kind = dice.below(6);
    let mut own = [0; 64];
    for place in &mut own {
        *place = dice.below((PRIVATE - 32) as usize) as u64;
    }
    let atomic = draft.inst.row.modifiers.has(Flags::RETURNS);
    let values = std::array::from_fn(|l| {
        let space = if kind == 5 { l % 3 } else { kind };
        let to = match space {
            1 => SHARED_BASE + places[l],
            2 if !atomic => PRIVATE_BASE + own[l] + 16,
            _ => MEMORY + places[l],
        };
        if space == 2 && !atomic {
            // Offsets count in the private aperture, too: a lane has little there.
            PRIVATE_BASE + (own[l] + 16).saturating_sub(offset)
        } else {
            to - offset
        }
    });
    set_wide(state, code, dice, values);
}

fn global(state: &mut State, draft: &Draft, dice: &mut Dice) {
    let i = &draft.inst;
    state.s[M0] = 4 * dice.below(256) as u32;
    let places = pattern(draft, dice);
    let offset = i64::from(i.offset) as u64;
    let at: [u64; 64] = std::array::from_fn(|l| (MEMORY + places[l]).wrapping_sub(offset));
    match i.by_role(Role::Sbase) {
        Code::OFF => set_wide(state, i.by_role(Role::Addr), dice, at),
        base => {
            set_lanes(state, i.by_role(Role::Addr), dice, |l| {
                (at[l] - MEMORY + 512) as u32
            });
            state.set64(base.0.into(), MEMORY - 512);
        }
    }
}

fn scratch(state: &mut State, draft: &Draft, dice: &mut Dice) {
    let i = &draft.inst;
    state.s[M0] = 4 * dice.below(256) as u32;
    let common = 4 * dice.below(8) as u32;
    match (i.by_role(Role::Sbase), i.by_role(Role::Addr)) {
        (Code::OFF, addr) => {
            let each = private_places(dice);
            set_lanes(state, addr, dice, |l| each[l]);
        }
        (base, _) => state.set_register(base, &[common; 64]),
    }
}

/// Offsets into the lanes' own memory: one for all, or one each.
fn private_places(dice: &mut Dice) -> [u32; 64] {
    let common = 4 * dice.below(16) as u32;
    let align = dice.pick(&[0, 3, 3]);
    match dice.below(3) {
        0 => [common; 64],
        1 => std::array::from_fn(|_| dice.below(88) as u32 & !align),
        _ => std::array::from_fn(|l| if l % 8 == 0 { 4 } else { common }),
    }
}

/// The words of a resource that say the format of four floats.
const FLOATS: u32 = 0x77fac;
/// Swizzling by the lane's number, 64 lanes side by side.
const BY_LANE: u32 = 1 << 23 | 3 << 21;

fn buffer(state: &mut State, draft: &Draft, dice: &mut Dice) {
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

/// What instructions without an address take from M0: an index of registers, or a place in LDS.
fn others(state: &mut State, draft: &Draft, dice: &mut Dice) {
    let i = &draft.inst;
    if i.operands.contains(&Code::LDS_DIRECT) {
        state.s[M0] = 4 * dice.below(256) as u32 | dice.pick(&[0, 1, 2, 4, 5]) << 16;
    }
    if i.row.mnemonic.starts_with("s_movrel") {
        state.s[M0] = 2 * dice.below(2) as u32;
    }
}
