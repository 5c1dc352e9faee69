//! Tests that the vectorised shapes compute the same as one lane at a time by the definition: selects, other lanes, parts of a destination,
//! modes, clamp and omod. They run on special and random values, under masks, at every feature level of the host.

use half::f16;
use proptest::prelude::*;

use super::super::dpp::source_lane;
use super::super::env::Env;
use super::super::level::Level;
use super::super::memory::AddressSpace;
use super::super::op::Op;
use super::super::registers::{LANES, Lanes};
use super::super::wave::Wave;
use crate::isa::{self, Code};
use crate::semantics::{self, Mode, Omod};

/// Value of v2 before the instruction.
const OLD: u32 = 0x5aa5_3cc3;
/// HIP's rounding, subnormals, DX10_CLAMP and IEEE.
const HIP_MODE: u32 = 0x3f0;

/// A wave's lanes and its mode.
#[derive(Clone, Debug)]
struct LaneRegisters {
    v0: Vec<u32>,
    v1: Vec<u32>,
    exec: u64,
    mode: u32,
}

fn value() -> impl Strategy<Value = u32> {
    prop_oneof![
        any::<u32>(),
        proptest::sample::select(vec![
            0,
            1,
            0x8000_0000,
            0x7fff_ffff,
            !0,
            0x3f80_0000,
            0xbf80_0001,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_0000,
            0x7f80_0001,
            0x0040_0000,
            0x8000_0001,
            0x0080_0000,
            0x7f7f_ffff,
            0x3c00_7c00,
            0xfc01_7e00,
            0x0001_8001,
            0x7bff_03ff,
            0x3300_3301,
        ]),
    ]
}

fn state() -> impl Strategy<Value = LaneRegisters> {
    let lanes = || proptest::collection::vec(value(), LANES);
    let exec = prop_oneof![
        Just(!0),
        any::<u64>(),
        (0u32..64).prop_map(|l| 1 << l),
        Just(0xffff)
    ];
    let mode = prop_oneof![Just(HIP_MODE), 0u32..0x400];
    (lanes(), lanes(), exec, mode).prop_map(|(v0, v1, exec, mode)| LaneRegisters {
        v0,
        v1,
        exec,
        mode,
    })
}

/// Returns v2 and VCC after an instruction, which must be the same at every level.
fn run(words: [u32; 2], state: &LaneRegisters) -> (Lanes, u64) {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let inst = isa::decode(&bytes).expect("an instruction");
    let handlers = inst.row.semantics.expect("it runs");
    let levels = [Level::Baseline, Level::V3, Level::V4];
    let mut results = levels
        .into_iter()
        .filter(|&l| l <= Level::host())
        .map(|level| {
            let mut wave = Wave::new();
            wave.set_mode_bits(state.mode);
            wave.v[0].copy_from_slice(&state.v0);
            wave.v[1].copy_from_slice(&state.v1);
            wave.v[2] = [OLD; LANES];
            wave.set_scalar64(Code::EXEC, state.exec);
            wave.set_scalar64(Code::VCC, 0);
            let space = AddressSpace::default();
            let mut env = Env::new(&space);
            let op = Op::new(inst, &handlers, level);
            // SAFETY: the level is one that this host has.
            unsafe { (op.handler)(&mut wave, &mut env, &op) }.expect("no trap");
            (level, wave.v[2], wave.vcc())
        });
    let (_, lanes, vcc) = results.next().expect("a level");
    for (level, other, mask) in results {
        assert_eq!(
            (lanes, vcc),
            (other, mask),
            "{} at {level:?}",
            isa::disassemble(&inst)
        );
    }
    (lanes, vcc)
}

/// Runs an instruction that writes v2, and compares it with each lane's expected value; `None` stands for the old value.
fn check(words: [u32; 2], state: &LaneRegisters, lane: impl Fn(usize) -> Option<u32>) {
    let (got, _) = run(words, state);
    for (l, got) in got.into_iter().enumerate() {
        let on = state.exec >> l & 1 != 0;
        let want = if on { lane(l).unwrap_or(OLD) } else { OLD };
        assert_eq!(
            got, want,
            "{words:x?}, lane {l}: {:#x}, {:#x}",
            state.v0[l], state.v1[l]
        );
    }
}

fn sub_dword(x: u32, sel: u32, sext: bool) -> u32 {
    match (sel, sext) {
        (0..=3, false) => x >> (sel * 8) & 0xff,
        (0..=3, true) => (x >> (sel * 8)) as i8 as i32 as u32,
        (4 | 5, false) => x >> ((sel - 4) * 16) & 0xffff,
        (4 | 5, true) => (x >> ((sel - 4) * 16)) as i16 as i32 as u32,
        _ => x,
    }
}

fn part(value: u32, old: u32, sel: u32, unused: u32) -> u32 {
    let (shift, width) = match sel {
        0..=3 => (sel * 8, 8),
        4 | 5 => ((sel - 4) * 16, 16),
        _ => return value,
    };
    let field = (((1u64 << width) - 1) << shift) as u32;
    let above = !(field | ((1 << shift) - 1));
    let sign = value >> (width - 1) & 1 != 0;
    value << shift & field
        | match unused {
            1 if sign => above,
            2 => old & !field,
            _ => 0,
        }
}

/// Returns the bits of a float after abs and neg.
fn signed(x: u32, neg: u32, abs: u32) -> u32 {
    let x = if abs != 0 { x & 0x7fff_ffff } else { x };
    x ^ neg << 31
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn sdwa_of_integers(s in state(), dst_sel in 0u32..7, unused in 0u32..3, sel0 in 0u32..7, sel1 in 0u32..7, sext in 0u32..4) {
        // v_xor_b32_sdwa v2, v0, v1
        let word = dst_sel << 8 | unused << 11 | sel0 << 16 | (sext & 1) << 19 | sel1 << 24 | (sext >> 1) << 27;
        check([0x2a04_02f9, word], &s, |l| {
            let value = sub_dword(s.v0[l], sel0, sext & 1 != 0) ^ sub_dword(s.v1[l], sel1, sext >> 1 != 0);
            Some(part(value, OLD, dst_sel, unused))
        });
    }

    #[test]
    fn sdwa_of_floats(s in state(), dst_sel in 0u32..7, unused in 0u32..3, sel0 in 0u32..7, sign in 0u32..16, clamp in 0u32..2) {
        // v_max_f32_sdwa v2, v0, v1
        let word = dst_sel << 8 | unused << 11 | clamp << 13 | sel0 << 16 | (sign & 3) << 20 | 6 << 24 | (sign >> 2) << 28;
        let mode = Mode::from_bits(s.mode);
        check([0x1604_02f9, word], &s, |l| {
            let a = signed(sub_dword(s.v0[l], sel0, false), sign & 1, sign >> 1 & 1);
            let b = signed(s.v1[l], sign >> 2 & 1, sign >> 3);
            let value = semantics::max_f32(mode, f32::from_bits(a), f32::from_bits(b));
            let value = if clamp != 0 { semantics::clamp_f32(mode, value) } else { value };
            Some(part(value.to_bits(), OLD, dst_sel, unused))
        });
    }

    #[test]
    fn dpp(s in state(), control in 0u32..0x144, masks in 0u32..256, zero in 0u32..2) {
        let known = matches!(control, 0..=0xff | 0x101..=0x10f | 0x111..=0x11f | 0x121..=0x12f | 0x130 | 0x134 | 0x138 | 0x13c | 0x140..);
        prop_assume!(known);
        // v_xor_b32_dpp v2, v0, v1
        let word = control << 8 | zero << 19 | masks << 24;
        let (bank_mask, row_mask) = (masks & 15, masks >> 4);
        check([0x2a04_02fa, word], &s, |l| {
            let from = source_lane(control as u16, l).filter(|&from| s.exec >> from & 1 != 0);
            let named = row_mask >> (l / 16) & 1 != 0 && bank_mask >> (l / 4 % 4) & 1 != 0;
            if !named || from.is_none() && zero == 0 {
                return None;
            }
            Some(from.map_or(0, |from| s.v0[from]) ^ s.v1[l])
        });
    }

    #[test]
    fn packed_halves(s in state(), low in 0u32..4, high in 0u32..4, neg in 0u32..16, clamp in 0u32..2) {
        // v_pk_max_f16 v2, v0, v1; op_sel_hi in bits 59 and 60, neg_hi in bits 8 and 9, neg in 61 and 62
        let words = [
            0xd392_0002 | low << 11 | (neg >> 2) << 8 | clamp << 15,
            0x0002_0300 | high << 27 | (neg & 3) << 29,
        ];
        let mode = Mode::from_bits(s.mode);
        let pick = |x: u32, up: u32, neg: u32| f16::from_bits((x >> (16 * (up & 1))) as u16 ^ ((neg & 1) as u16) << 15);
        let finish = |x: f16| if clamp != 0 { semantics::clamp_f16(mode, x) } else { x };
        check(words, &s, |l| {
            let (a, b) = (s.v0[l], s.v1[l]);
            let lo = semantics::max_f16(mode, pick(a, low, neg), pick(b, low >> 1, neg >> 1));
            let hi = semantics::max_f16(mode, pick(a, high, neg >> 2), pick(b, high >> 1, neg >> 3));
            Some(u32::from(finish(lo).to_bits()) | u32::from(finish(hi).to_bits()) << 16)
        });
    }

    #[test]
    fn mixed_sources(s in state(), sel in 0u32..4, wide in 0u32..4, neg in 0u32..4, abs in 0u32..4) {
        // v_fma_mix_f32 v2, v0, v1, 0: op_sel says the half, op_sel_hi whether it is one
        let words = [0xd3a0_0002 | sel << 11 | abs << 8, 0x0202_0300 | wide << 27 | neg << 29];
        let mode = Mode::from_bits(s.mode);
        let pick = |x: u32, n: u32| {
            let x = if wide >> n & 1 != 0 {
                f16::from_bits((x >> (16 * (sel >> n & 1))) as u16).to_f32().to_bits()
            } else {
                x
            };
            f32::from_bits(signed(x, neg >> n & 1, abs >> n & 1))
        };
        check(words, &s, |l| {
            Some(semantics::fma_mix_f32(mode, pick(s.v0[l], 0), pick(s.v1[l], 1), 0.0).to_bits())
        });
    }

    #[test]
    fn modes_and_output_modifiers_of_f32(s in state(), sign in 0u32..16, clamp in 0u32..2, omod in 0u32..4, which in 0usize..4) {
        type Function = fn(Mode, f32, f32) -> f32;
        // v_add_f32, v_mul_f32, v_min_f32, v_sub_f32, as VOP3
        let table: [(u32, Function); 4] = [
            (0x101, semantics::add_f32), (0x105, semantics::mul_f32), (0x10a, semantics::min_f32), (0x102, semantics::sub_f32),
        ];
        let (opcode, f) = table[which];
        let words = [
            0xd000_0002 | opcode << 16 | (sign >> 2) << 8 | clamp << 15,
            0x0002_0300 | omod << 27 | (sign & 3) << 29,
        ];
        let mode = Mode::from_bits(s.mode);
        check(words, &s, |l| {
            let a = signed(s.v0[l], sign & 1, sign >> 2 & 1);
            let b = signed(s.v1[l], sign >> 1 & 1, sign >> 3);
            let value = f(mode, f32::from_bits(a), f32::from_bits(b));
            let value = semantics::omod_f32(mode, Omod::from_bits(omod), value);
            Some(if clamp != 0 { semantics::clamp_f32(mode, value) } else { value }.to_bits())
        });
    }

    #[test]
    fn modes_and_halves_of_f16(s in state(), sel in 0u32..16, neg in 0u32..4, abs in 0u32..4, clamp in 0u32..2) {
        // v_fma_f16 v2, v0, v1, v0, which leaves the half that it does not write
        let words = [0xd206_0002 | sel << 11 | abs << 8 | clamp << 15, 0x0402_0300 | neg << 29];
        let mode = Mode::from_bits(s.mode);
        let pick = |x: u32, n: u32| {
            let x = (x >> (16 * (sel >> n & 1))) as u16;
            let x = if abs >> n & 1 != 0 { x & 0x7fff } else { x };
            f16::from_bits(x ^ ((neg >> n & 1) as u16) << 15)
        };
        check(words, &s, |l| {
            let value = semantics::fma_f16(mode, pick(s.v0[l], 0), pick(s.v1[l], 1), pick(s.v0[l], 2));
            let value = if clamp != 0 { semantics::clamp_f16(mode, value) } else { value };
            Some(part(value.to_bits().into(), OLD, 4 + (sel >> 3), 2))
        });
    }

    #[test]
    fn lane_exchanges(s in state(), pattern in 0u32..0xc000) {
        let read = |from: usize| if s.exec >> from & 1 != 0 { s.v1[from] } else { 0 };
        // ds_bpermute_b32 v2, v0, v1 offset:8
        check([0xd87e_0008, 0x0200_0100], &s, |l| Some(read(s.v0[l].wrapping_add(8) as usize / 4 % LANES)));
        // ds_permute_b32 v2, v0, v1
        check([0xd87c_0000, 0x0200_0100], &s, |l| {
            let writer = (0..LANES).rev().find(|&from| s.exec >> from & 1 != 0 && s.v0[from] as usize / 4 % LANES == l);
            Some(writer.map_or(0, |from| s.v1[from]))
        });
        // ds_swizzle_b32 v2, v1
        check([0xd87a_0000 | pattern, 0x0200_0001], &s, |l| {
            let field = |shift: u32| (pattern >> shift) as usize & 31;
            Some(read(match pattern {
                0x8000.. => l & !3 | pattern as usize >> (2 * (l & 3)) & 3,
                _ => l & 32 | ((l & 31 & field(0)) | field(5)) ^ field(10),
            }))
        });
    }

    #[test]
    fn bits_below_a_lane(s in state()) {
        let below = |l: usize, first: usize| ((1u64 << l.saturating_sub(first).min(32)) - 1) as u32;
        // v_mbcnt_lo_u32_b32 v2, v0, v1; v_mbcnt_hi_u32_b32 v2, v0, v1; the latter of -1
        check([0xd28c_0002, 0x0002_0300], &s, |l| Some(s.v1[l].wrapping_add((s.v0[l] & below(l, 0)).count_ones())));
        check([0xd28d_0002, 0x0002_0300], &s, |l| Some(s.v1[l].wrapping_add((s.v0[l] & below(l, 32)).count_ones())));
        check([0xd28d_0002, 0x0002_02c1], &s, |l| Some(s.v1[l].wrapping_add(below(l, 32).count_ones())));
    }
}

#[test]
fn a_widened_half_is_the_f32_of_its_value() {
    for bits in 0..=u16::MAX {
        let half = f16::from_bits(bits);
        assert_eq!(
            semantics::cvt_f32_f16(Mode::HIP, half).to_bits(),
            half.to_f32().to_bits(),
            "{bits:#x}"
        );
    }
}
