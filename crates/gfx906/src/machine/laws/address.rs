//! Addresses within the memory, the LDS or the scratch of the state, in the patterns that kernels use.

use super::super::{PRIVATE_BASE, SHARED_BASE};
use super::dice::Dice;
use super::encode::Draft;
use super::image::image;
use super::resource::{buffer, private_places, resource};
use super::state::{BYTES, M0, MEMORY, MachineState};
use crate::isa::{Code, Encoding, Flags, Role};

/// First offset of addresses, so that negative offsets stay inside.
pub const START: u64 = 256;
/// Bytes of scratch per lane.
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
        // The operand's distance in dwords, or the mark that the distance stands in the address.
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

/// Returns the distance between lanes: the size of the widest operand.
fn element(draft: &Draft) -> u64 {
    let i = &draft.inst;
    if i.row.mnemonic.contains("format") {
        return 16;
    }
    let data = [Role::Vdst, Role::Data];
    let operands = i.row.operands.iter().filter(|o| data.contains(&o.role));
    operands.map(|o| o.ty.bytes() as u64).max().unwrap_or(8)
}

/// Returns true if an address must be aligned to the element.
fn aligned(draft: &Draft) -> bool {
    let i = &draft.inst;
    let dword_or_less = ["load", "store", "read", "write"];
    let moves = dword_or_less
        .iter()
        .any(|part| i.row.mnemonic.contains(part));
    !moves || i.row.mnemonic.contains("src2")
}

/// Sets the registers that hold addresses, bases, resources and offsets.
pub fn prepare(state: &mut MachineState, draft: &Draft, dice: &mut Dice) {
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
        Encoding::Mimg => image(state, draft, dice),
        _ => others(state, draft, dice),
    }
}

/// Draws an offset for each lane. Lanes have separate offsets where the instruction writes.
pub fn pattern(draft: &Draft, dice: &mut Dice) -> [u64; 64] {
    let size = element(draft);
    let start = START + 16 * dice.below(32) as u64;
    let shift = if aligned(draft) {
        0
    } else {
        dice.below(4) as u64
    };
    let (factor, first) = (2 * dice.below(32) + 1, dice.below(64));
    let scattered = |l: usize| ((l * factor + first) % 64) as u64;
    // A plain store to one place by several lanes has no defined result; an atomic has.
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

/// Writes each lane's value, and random values to the disabled lanes.
pub fn set_lanes(
    state: &mut MachineState,
    code: Code,
    dice: &mut Dice,
    values: impl Fn(usize) -> u32,
) {
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

fn set_wide(state: &mut MachineState, code: Code, dice: &mut Dice, values: [u64; 64]) {
    set_lanes(state, code, dice, |l| values[l] as u32);
    set_lanes(state, Code(code.0 + 1), dice, |l| (values[l] >> 32) as u32);
}

fn scalar(state: &mut MachineState, draft: &Draft, dice: &mut Dice) {
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

fn lds(state: &mut MachineState, draft: &Draft, dice: &mut Dice) {
    let i = &draft.inst;
    state.s[M0] = 4 * dice.below(256) as u32 + if dice.percent(30) { 0x1_0000 } else { 0 };
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

fn flat(state: &mut MachineState, draft: &Draft, dice: &mut Dice) {
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
            // Offsets count in the private aperture too, where a lane has little memory.
            PRIVATE_BASE + (own[l] + 16).saturating_sub(offset)
        } else {
            to - offset
        }
    });
    set_wide(state, code, dice, values);
}

fn global(state: &mut MachineState, draft: &Draft, dice: &mut Dice) {
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

fn scratch(state: &mut MachineState, draft: &Draft, dice: &mut Dice) {
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

/// Draws the M0 value of instructions without an address: an index of registers, or an address in LDS.
fn others(state: &mut MachineState, draft: &Draft, dice: &mut Dice) {
    let i = &draft.inst;
    if i.operands.contains(&Code::LDS_DIRECT) {
        state.s[M0] = 4 * dice.below(256) as u32 + (dice.pick(&[0, 1, 2, 4, 5]) << 16);
    }
    if i.row.mnemonic.starts_with("s_movrel") {
        state.s[M0] = 2 * dice.below(2) as u32;
    }
}
