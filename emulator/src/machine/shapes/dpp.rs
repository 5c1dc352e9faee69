//! Data-parallel primitives: which lane a lane reads.

use super::super::wave::{LANES, Lanes, Wave};
use crate::isa::{Flags, Inst};

/// The lane that lane `l` reads under a control, if there is one.
fn source_lane(control: u16, l: usize) -> Option<usize> {
    let row = l & !15;
    let within = l & 15;
    let shifted = |x: Option<usize>| x.filter(|&x| x < 16).map(|x| row + x);
    match control {
        0x000..=0x0ff => Some(l & !3 | (control as usize >> (2 * (l & 3)) & 3)),
        0x101..=0x10f => shifted(Some(within + (control as usize & 15))),
        0x111..=0x11f => shifted(within.checked_sub(control as usize & 15)),
        0x121..=0x12f => Some(row | (within + 16 - (control as usize & 15)) & 15),
        0x130 => Some(l + 1).filter(|&x| x < LANES),
        0x134 => Some((l + 1) % LANES),
        0x138 => l.checked_sub(1),
        0x13c => Some((l + LANES - 1) % LANES),
        0x140 => Some(row | (15 - within)),
        0x141 => Some(l & !7 | (7 - (l & 7))),
        0x142 => row.checked_sub(1),
        0x143 => (l >= 32).then_some(31),
        _ => Some(l),
    }
}

/// The lane's source, if that lane is there and on.
fn live_source(w: &Wave, i: &Inst, l: usize) -> Option<usize> {
    source_lane(i.modifiers.dpp_ctrl, l).filter(|&s| w.exec() >> s & 1 != 0)
}

/// A register as the lanes of a DPP instruction see it: 0 where there is no lane to read.
pub fn permute(w: &Wave, i: &Inst, values: &Lanes) -> Lanes {
    std::array::from_fn(|l| live_source(w, i, l).map_or(0, |s| values[s]))
}

/// The lanes that a DPP instruction may write: those that the row and bank masks leave on, and that have a lane to read or read
/// zero instead (bound_ctrl).
pub fn enabled(w: &Wave, i: &Inst) -> u64 {
    let m = &i.modifiers;
    let zero = m.flags.has(Flags::BOUND_CTRL);
    (0..LANES)
        .filter(|&l| m.row_mask >> (l / 16) & 1 != 0 && m.bank_mask >> (l / 4 % 4) & 1 != 0)
        .filter(|&l| zero || live_source(w, i, l).is_some())
        .fold(0, |mask, l| mask | 1 << l)
}
