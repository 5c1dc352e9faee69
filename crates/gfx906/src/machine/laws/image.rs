//! Image resources of every type, samplers, and coordinates for them.

use super::address::set_lanes;
use super::dice::Dice;
use super::encode::Draft;
use super::state::{MEMORY, MachineState};
use crate::isa::{Code, Flags, Role};
use half::f16;

/// Data and number formats of images: floats and fractions, which can be interpolated, and integers.
const MEANS: [(u32, u32); 8] = [
    (4, 7),
    (14, 7),
    (11, 7),
    (12, 7),
    (10, 0),
    (3, 1),
    (5, 0),
    (9, 3),
];
const INTEGERS: [(u32, u32); 6] = [(4, 4), (1, 5), (2, 4), (5, 5), (10, 4), (14, 5)];

/// Draws the resource, the sampler and the coordinates of an instruction. The image is small, so that many lanes are within it.
pub fn image(state: &mut MachineState, draft: &Draft, dice: &mut Dice) {
    let i = &draft.inst;
    let samples = i.row.has_role(Role::Ssamp);
    let mixes = samples && dice.percent(40);
    let (data, number) = match mixes || dice.percent(50) {
        true => dice.pick(&MEANS),
        false => dice.pick(&INTEGERS),
    };
    let kind = dice.pick(&[8, 9, 10, 12, 13]);
    let select = (0..4).fold(0, |word, n| {
        let usual = if dice.percent(50) { 4 + n } else { 4 };
        word | dice.pick(&[usual, 4, 5, 6, 7, 0, 1]) << (3 * n)
    });
    let mut side = |most: usize| 1 + dice.below(most) as u32;
    let (width, height, depth, first) = (side(12), side(4), side(3), side(2) - 1);
    let base = MEMORY >> 8;
    let resource = [
        base as u32,
        (base >> 32) as u32 | data << 20 | number << 26,
        (width - 1) | (height - 1) << 14,
        select | kind << 28,
        (depth - 1) | (11 + dice.below(5) as u32) << 13,
        first,
        0,
        0,
    ];
    let first = usize::from(i.by_role(Role::Sbase).0);
    state.s[first..first + 8].copy_from_slice(&resource);
    if samples {
        let clamps = (0..3).fold(0, |word, n| {
            word | dice.pick(&[0, 1, 2, 3, 6, 7]) << (3 * n)
        });
        let bits = (dice.below(2) as u32) << 15 | (dice.below(2) as u32) << 27;
        let along_z = if mixes { dice.below(3) } else { dice.below(2) } as u32;
        let filter = if mixes { 5 << 20 } else { 0 };
        let border = (dice.below(3) as u32) << 30;
        let at = usize::from(i.by_role(Role::Ssamp).0);
        let sampler = [clamps | bits, 0xfff << 12, filter | along_z << 24, border];
        state.s[at..at + 4].copy_from_slice(&sampler);
    }
    coordinates(state, draft, dice, samples);
}

/// Draws numbers of texels, or coordinates between and beyond texels, and sometimes any value.
fn coordinates(state: &mut MachineState, draft: &Draft, dice: &mut Dice, samples: bool) {
    let i = &draft.inst;
    let halves = i.modifiers.flags.has(Flags::A16);
    let first = i.by_role(Role::Addr);
    let number = |dice: &mut Dice| match (samples, dice.below(8)) {
        (_, 0) => dice.dword(),
        (false, 1..=3) => 0,
        (false, _) => dice.below(6) as u32,
        (true, _) => {
            let x = dice.below(96) as f32 / 8.0 - 4.0;
            match halves {
                true => f16::from_f32(x).to_bits().into(),
                false => x.to_bits(),
            }
        }
    };
    for n in 0..i.most_coordinates() {
        let mut lane = || match halves {
            true => number(dice) & 0xffff | number(dice) << 16,
            false => number(dice),
        };
        let values: [u32; 64] = std::array::from_fn(|_| lane());
        set_lanes(state, Code(first.0 + n), dice, |l| values[l]);
    }
}
